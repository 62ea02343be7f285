"""scripts/mutate: change the code in small ways, and see whether a test fails."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
import shutil
import subprocess
import sys
from typing import Final

from . import blueprints, fresh
from .results import Module, Survivor, note_killed, read, read_equal

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = Path("custom_components/poolctl")
WORK: Final = ROOT / ".mutation"
ENGINE: Final = Path(__file__).with_name("engine.py")
BLUEPRINTS: Final = "blueprints"
GOAL: Final = 90.0
"""Percentage of mutants to be killed by a test, or explained in equal.toml."""

DESCRIPTION: Final = """\
Change the code in small ways and see whether a test fails. What survives is printed at the
end. Survivors that do the same as the code are explained in tests/mutation/equal.toml.
"""


@dataclass(frozen=True, slots=True)
class Group:
    """Modules, and the tests that must kill their mutants."""

    modules: str
    tests: tuple[str, ...]

    @property
    def work(self) -> Path:
        """Folder of its mutants."""
        return WORK / self.modules.removesuffix(".py").replace("/", "-")


GROUPS: Final = (
    Group("client/clock.py", ("tests/client/test_clock.py",)),
    Group("client/holds", ("tests/client/holds",)),
    Group("client", ("tests/client",)),
    Group(
        "status",
        ("tests/status", "tests/store/test_left_out.py"),
    ),
    Group("schedules/recurrence.py", ("tests/schedules/test_recurrence.py",)),
    Group(
        "learned/totals.py",
        ("tests/learned/test_totals.py", "tests/learned/test_run_hours.py"),
    ),
    Group(
        "learned",
        (
            "tests/learned",
            "tests/status/test_dosing_watchdog.py",
            "tests/store/test_memory.py",
        ),
    ),
    Group(
        "warm_by",
        ("tests/warm_by",),
    ),
    Group("store/memory.py", ("tests/store/test_memory.py",)),
)

SETTINGS: Final = """
[tool.mutmut]
source_paths = ["{package}"]
only_mutate = {modules}
also_copy = ["README.md", "docs"]
do_not_mutate = {others}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "--timeout=30"]
pytest_add_cli_args_test_selection = {tests}
timeout_constant = 10.0
timeout_multiplier = 5.0
use_git_change_detection = false
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the mutants of all modules or of some; return the exit code."""
    options = _parse(arguments)
    equal = read_equal()
    results: list[Module] = []
    wanted = [one for one in options.modules if _is_blueprint(one)]
    modules = [one for one in options.modules if not _is_blueprint(one)]
    for group, chosen in _chosen(modules) if modules or not wanted else ():
        _mutate(group, chosen, options)
        results += read(group.work, PACKAGE, equal)
    if wanted or not modules:
        names = [Path(one).stem for one in wanted if one != BLUEPRINTS]
        results += blueprints.run(names, equal, options.processes, again=options.again)
    return _report(results)


def _is_blueprint(module: str) -> bool:
    return Path(module).parts[0] == BLUEPRINTS


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/mutate",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "modules",
        nargs="*",
        metavar="MODULE",
        help=f"a file or a folder below {PACKAGE}, or {BLUEPRINTS} or one of them, as "
        f"{BLUEPRINTS}/spa_ready_at (default: all of "
        f"{', '.join(group.modules for group in GROUPS)}, {BLUEPRINTS})",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="try only what survived or timed out before, after tests were added",
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        metavar="FILE",
        help="run other tests than those that belong to a module",
    )
    parser.add_argument(
        "--processes", type=int, default=2, metavar="N", help="default 2"
    )
    return parser.parse_args(arguments)


def _chosen(modules: Sequence[str]) -> Iterator[tuple[Group, list[str]]]:
    """Return the groups to run, and the modules of each."""
    for module in modules:
        if not any(_holds(group, module) for group in GROUPS):
            raise SystemExit(f"No tests are known for {module}: see GROUPS.")
    for group in GROUPS:
        own = [group.modules] if not modules else []
        for module in modules:
            if _within(group.modules, module):
                own = [group.modules]
            elif _holds(group, module):
                own.append(module)
        if own:
            yield group, own


def _holds(group: Group, module: str) -> bool:
    """Return whether a module is in this group, and not in another one inside it."""
    inner = any(_within(module, other) for other in _inside(group))
    return _within(module, group.modules) and not inner


def _inside(group: Group) -> list[str]:
    """Return the modules of a group that are groups of their own."""
    return [
        other.modules
        for other in GROUPS
        if other is not group and _within(other.modules, group.modules)
    ]


def _within(module: str, folder: str) -> bool:
    return Path(module).is_relative_to(folder)


def _mutate(group: Group, modules: Sequence[str], options: argparse.Namespace) -> None:
    """Try the mutants of some modules, or those that survived the last run."""
    tests = options.tests or sorted(
        str(path.relative_to(ROOT))
        for pattern in group.tests
        for path in ROOT.glob(pattern)
    )
    names: list[str] = []
    if options.again:
        names = _left(group, timeouts=True)
        if not names:
            return
    else:
        shutil.rmtree(group.work, ignore_errors=True)
    _prepare(group, modules, tests)
    _run(group, names, options.processes)
    dead = fresh.killed(group.work, _left(group), tests, options.processes)
    note_killed(group.work, PACKAGE, dead)


def _left(group: Group, *, timeouts: bool = False) -> list[str]:
    """Return the mutants that are neither killed nor explained."""
    names: list[str] = []
    for module in read(group.work, PACKAGE, read_equal()):
        names += (survivor.name for survivor in module.survivors)
        names += module.timeouts if timeouts else ()
    return names


def _prepare(group: Group, modules: Sequence[str], tests: Sequence[str]) -> None:
    """Set up a folder for mutmut to write to."""
    group.work.mkdir(parents=True, exist_ok=True)
    for name in ("custom_components", "tests", "README.md", "docs"):
        link = group.work / name
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT / name)
    settings = SETTINGS.format(
        package=PACKAGE,
        modules=[_pattern(module) for module in modules],
        others=[_pattern(module) for module in _inside(group)],
        tests=tests,
    )
    project = (ROOT / "pyproject.toml").read_text()
    (group.work / "pyproject.toml").write_text(project + settings)


def _pattern(module: str) -> str:
    return str(PACKAGE / (module if module.endswith(".py") else f"{module}/*"))


def _run(group: Group, names: Sequence[str], processes: int) -> None:
    """Run mutmut; with -P, it does not import the modules beside the engine."""
    subprocess.run(
        [
            *(sys.executable, "-P", str(ENGINE), "run"),
            *("--max-children", str(processes), *names),
        ],
        cwd=group.work,
        check=True,
    )


def _report(results: Sequence[Module]) -> int:
    for module in results:
        for survivor in module.survivors:
            _say(_described(survivor))
    _say(
        f"\n{'':32}{'mutants':>9}{'killed':>9}{'timeouts':>9}"
        f"{'survived':>9}{'equal':>9}{'':>9}"
    )
    for module in results:
        _say(_row(module))
    whole = Module("all")
    for module in results:
        whole.counts += module.counts
        whole.equal += module.equal
        whole.survivors += module.survivors
    _say(_row(whole))
    return 0 if whole.total and 100 * whole.done >= GOAL * whole.total else 1


def _described(survivor: Survivor) -> str:
    what = survivor.what
    return (
        f"\n{what.module} {what.function} ({survivor.status}, {survivor.name})"
        f"\n  - {what.line}\n  + {what.mutant}"
    )


def _row(module: Module) -> str:
    killed = sum(module.counts[one] for one in ("killed", "suspicious", "segfault"))
    return (
        f"{module.path:32}{module.total:9}{killed:9}{module.counts['timeout']:9}"
        f"{len(module.survivors):9}{module.equal:9}"
        f"{100 * module.done / module.total:8.1f}%"
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
