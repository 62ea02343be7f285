"""Mutants of the blueprints: each part left out, each template and value changed.

A blueprint is parsed into YAML nodes, one of them is changed, and the tests of that
blueprint run against the copy.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import astuple, dataclass
import json
import multiprocessing
import os
from pathlib import Path
import re
import shutil
import sys
import tempfile
from typing import Final

import pytest
import yaml

from .results import Equal, Module, Survivor

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = Path("blueprints/automation/poolctl")
TESTS: Final = Path("tests/automations/blueprints")
WORK: Final = ROOT / ".mutation" / "blueprints"

_WORDING: Final = {"alias", "max_exceeded"}
_OPTIONAL: Final = {"attribute", "continue_on_error", "for", "from", "timeout", "to"}
"""Keys that a trigger or an action may lack."""

# Patterns in a template, and their replacements; `None`: the number plus one.
_SWAPS: Final = (
    (r" and ", " or "),
    (r" or ", " and "),
    (r" not in ", " in "),
    (r"(?<! not) in ", " not in "),
    (r" is not ", " is "),
    (r" is (?!not )", " is not "),
    (r"(?<! is )\bnot (?!in )", ""),
    (r"==", "!="),
    (r"!=", "=="),
    (r"<=", "<"),
    (r"<(?!=)", "<="),
    (r">=", ">"),
    (r">(?!=)", ">="),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \* ", " / "),
    (r" / ", " * "),
    (r"\bmin\b", "max"),
    (r"\bmax\b", "min"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"(?<=')\w+(?=')", "other"),
    (r"(?<![\w.'])\d+(?:\.\d+)?(?!\w)", None),
)
_CONTEXT: Final = 30


@dataclass(frozen=True, slots=True)
class _Change:
    """Another value for a node, and the text before and after."""

    node: yaml.Node
    value: str | list[object]
    before: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A blueprint in which one thing is different."""

    what: Equal
    text: str


def mutants(file: Path) -> Iterator[Mutant]:
    """Return the mutants of a blueprint."""
    root = yaml.compose(file.read_text(), Loader=yaml.SafeLoader)
    assert root is not None
    module = f"blueprints/{file.name}"
    for place, change in _changes(root, (), set()):
        node, value = change.node, change.node.value
        node.value = change.value
        text: str = yaml.serialize(root)
        node.value = value
        yield Mutant(Equal(module, place, change.before, change.after), text)


def _changes(
    node: yaml.Node, path: tuple[str, ...], seen: set[int]
) -> Iterator[tuple[str, _Change]]:
    """Return all changes of a node and its children; an anchor is followed once."""
    if id(node) in seen:
        return
    seen.add(id(node))
    for change in _own(node, path):
        yield ".".join(path), change
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if _matters((*path, key.value)):
                yield from _changes(value, (*path, key.value), seen)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _changes(value, (*path, str(index)), seen)


def _matters(path: tuple[str, ...]) -> bool:
    """Return whether a part affects what runs."""
    if path[0] != "blueprint":
        return path[-1] not in _WORDING
    if "default" in path:
        return True
    # Walk through the sections to the defaults of their inputs, and skip the rest.
    return len(path) < 2 or (path[1] == "input" and "selector" not in path)


def _own(node: yaml.Node, path: tuple[str, ...]) -> Iterator[_Change]:
    if path[:1] == ("blueprint",) and "default" not in path:
        return
    if isinstance(node, yaml.ScalarNode):
        yield from _scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield _without(node, item, f"{index}: {_words(item)}")
    elif isinstance(node, yaml.MappingNode) and path:
        for entry in node.value:
            name = entry[0].value
            if name in _OPTIONAL:
                yield _without(node, entry, f"{name}: {_words(entry[1])}")


def _without(node: yaml.CollectionNode, item: object, words: str) -> _Change:
    return _Change(node, [one for one in node.value if one is not item], words)


def _scalar(node: yaml.ScalarNode) -> Iterator[_Change]:
    text: str = node.value
    for start, end, other in _edits(text, node.tag):
        left, right = max(0, start - _CONTEXT), end + _CONTEXT
        yield _Change(
            node,
            text[:start] + other + text[end:],
            _one_line(text[left:right]),
            _one_line(text[left:start] + other + text[end:right]),
        )


def _edits(text: str, tag: str) -> Iterator[tuple[int, int, str]]:
    """Return the edits of a text: start, end, replacement."""
    if "{{" in text or "{%" in text:
        for pattern, other in _SWAPS:
            for place in re.finditer(pattern, text):
                swapped = f"{float(place[0]) + 1:g}" if other is None else other
                yield *place.span(), swapped
    elif tag.endswith((":int", ":float")):
        yield 0, len(text), f"{float(text) + 1:g}"
    elif tag.endswith(":bool"):
        yield 0, len(text), "false" if text == "true" else "true"
    elif text in {"single", "restart"}:
        yield 0, len(text), "parallel"
    elif found := re.fullmatch(r"(\d\d)(:\d\d:\d\d)", text):
        yield 0, 2, f"{int(found[1]) + 1:02}"


def _words(node: yaml.Node) -> str:
    """Return a node in one line."""
    text: str = yaml.serialize(node)
    return _one_line(text).removesuffix(" ...")[:100]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _try(mutant: Mutant) -> str:
    """Run the tests of a blueprint against a mutant: `killed` or `survived`."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "blueprints"
        shutil.copytree(ROOT / "blueprints", copy)
        shutil.copytree(ROOT / "docs", Path(folder) / "docs")
        name = Path(mutant.what.module).name
        (copy / FOLDER.relative_to("blueprints") / name).write_text(mutant.text)
        os.environ["POOLCTL_BLUEPRINTS"] = str(copy)
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        status = pytest.main(
            [
                *("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
                *("--timeout=60", f"--rootdir={ROOT}"),
                str(ROOT / TESTS / f"test_{Path(name).stem}.py"),
                str(ROOT / TESTS / "test_blueprints.py"),
            ]
        )
    return "killed" if status else "survived"


def run(
    names: Sequence[str], equal: Container[Equal], processes: int, *, again: bool
) -> Iterator[Module]:
    """Try the mutants of some blueprints, or those that survived the last run."""
    # Home Assistant is loaded once; each mutant is tried in a fork of this process.
    pytest.main(["-q", "--collect-only", str(ROOT / "tests/project/test_brand.py")])
    for file in sorted((ROOT / FOLDER).glob("*.yaml")):
        if names and file.stem not in names:
            continue
        memory = WORK / f"{file.stem}.json"
        found = list(mutants(file))
        if again and memory.exists():
            before = {Equal(*one) for one in json.loads(memory.read_text())}
            found = [mutant for mutant in found if mutant.what in before]
        memory.parent.mkdir(parents=True, exist_ok=True)
        yield _tried(file, found, equal, processes, memory)


def _tried(
    file: Path,
    found: Sequence[Mutant],
    equal: Container[Equal],
    processes: int,
    memory: Path,
) -> Module:
    """Try mutants; survivors are recorded at once, in case the run is interrupted."""
    name = f"blueprints/{file.name}"
    module = Module(name)
    memory.write_text("[]")
    unchanged = Mutant(Equal(name, "", "", ""), file.read_text())
    with multiprocessing.get_context("fork").Pool(processes, None, (), 1) as pool:
        statuses = pool.imap(_try, [unchanged, *found])
        if next(statuses) == "killed":
            raise SystemExit(f"The tests of {name} fail without any change.")
        for mutant, status in zip(found, statuses, strict=True):
            module.counts[status] += 1
            if status == "survived" and mutant.what in equal:
                module.equal += 1
            elif status == "survived":
                place = mutant.what.function
                module.survivors.append(Survivor(place, status, mutant.what))
                left = [astuple(survivor.what) for survivor in module.survivors]
                memory.write_text(json.dumps(left, indent=1))
            _progress(module, len(found))
    return module


def _progress(module: Module, total: int) -> None:
    sys.stdout.write(
        f"\r{module.path} {module.total}/{total}, {len(module.survivors)} survived"
    )
    sys.stdout.write("\n" if module.total == total else "")
    sys.stdout.flush()
