"""The results of mutants, and the survivors that are equivalent to the code."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from contextlib import chdir
from dataclasses import dataclass, field
import json
from pathlib import Path
import tomllib

from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code

EQUAL = Path(__file__).with_name("equal.toml")
_KILLED = {"killed", "timeout", "suspicious", "segfault"}


@dataclass(frozen=True, slots=True)
class Equal:
    """A mutant by its lines; those in equal.toml are equivalent to the code."""

    module: str
    function: str
    line: str
    mutant: str


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no test noticed."""

    name: str
    status: str
    what: Equal


@dataclass(slots=True)
class Module:
    """The mutants of one file, by status."""

    path: str
    counts: Counter[str] = field(default_factory=Counter)
    equal: int = 0
    survivors: list[Survivor] = field(default_factory=list)
    timeouts: list[str] = field(default_factory=list)
    """Names of mutants; on a busy machine some of them may be survivors."""

    @property
    def total(self) -> int:
        """Number of mutants that were tried."""
        return self.counts.total()

    @property
    def done(self) -> int:
        """Number of mutants that a test killed, or that are explained."""
        return sum(self.counts[status] for status in _KILLED) + self.equal


def read_equal(path: Path = EQUAL) -> dict[Equal, str]:
    """Return the explained survivors, and the reason of each."""
    return {
        Equal(one["module"], one["function"], one["line"], one["mutant"]): one["why"]
        for one in tomllib.loads(path.read_text()).get("equal", ())
    }


def read(work: Path, package: Path, equal: Iterable[Equal]) -> Iterator[Module]:
    """Return the result of each file that was mutated in a folder."""
    explained = set(equal)
    folder = work / "mutants" / package
    for meta in sorted(folder.rglob("*.meta")):
        source = meta.relative_to(folder).with_suffix("")
        module = Module(str(source))
        for name, code in json.loads(meta.read_text())["exit_code_by_key"].items():
            status = status_by_exit_code[code]
            module.counts[status] += 1
            if status == "timeout":
                module.timeouts.append(name)
            if status in _KILLED:
                continue
            what = _describe(work, package / source, str(source), name)
            if what in explained:
                module.equal += 1
            else:
                module.survivors.append(Survivor(name, status, what))
        if module.total:
            yield module


def note_killed(work: Path, package: Path, names: Container[str]) -> None:
    """Record that some mutants were killed after all."""
    for meta in (work / "mutants" / package).rglob("*.meta"):
        data = json.loads(meta.read_text())
        for name in data["exit_code_by_key"]:
            if name in names:
                data["exit_code_by_key"][name] = 1
        meta.write_text(json.dumps(data, indent=4))


def _describe(work: Path, path: Path, module: str, name: str) -> Equal:
    """Describe a mutant by its lines: its number changes with the code above it."""
    with chdir(work):
        diff = get_diff_for_mutant(name, path=path).splitlines()[2:]
    function = name.rpartition("__mutmut_")[0].rpartition(".")[2]
    return Equal(
        module,
        function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", "."),
        " ".join(line[1:].strip() for line in diff if line.startswith("-")),
        " ".join(line[1:].strip() for line in diff if line.startswith("+")),
    )
