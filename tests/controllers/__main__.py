"""Show what an owner's diagnostics file proves about the assumed protocol."""

import argparse
from collections.abc import Iterator, Sequence
import json
from pathlib import Path
import sys
from typing import TextIO

from tests.world.home.__main__ import main as home

from .anchors import compared, read_anchors
from .decoded import decoded
from .report import FOLDER, Part, Report, ReportError, read, write_verified
from .verdicts import ASSUMPTIONS, Outcome, verdicts


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what a file proves; return 1 on a contradiction, 2 if it is refused."""
    options = _parse(arguments)
    try:
        return _run(options)
    except ReportError as err:
        reason = str(err)
    except Exception as err:  # noqa: BLE001 - whatever a stranger wrote
        reason = f"it is odd ({type(err).__name__})"
    _say(f"{options.file}: {reason}", sys.stderr)
    return 2


def _run(options: argparse.Namespace) -> int:
    anchors = read_anchors(options.anchors) if options.anchors else None
    report = read(options.file, anchors)
    for line in described(report):
        _say(line)
    if options.keep:
        for part in report.parts:
            _say(f"kept as {keep(report, part)}")
        write_verified()
    if options.home:
        return home([f"--report={options.file}"])
    return int(any(map(contradicted, report.parts)))


def _say(line: str, stream: TextIO | None = None) -> None:
    shown = (each if each.isprintable() else f"<{ord(each):x}>" for each in line)
    (stream or sys.stdout).write("".join(shown) + "\n")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/replay", description=__doc__)
    parser.add_argument("file", type=Path, help="a diagnostics file")
    parser.add_argument(
        "--anchors",
        type=Path,
        metavar="YAML",
        help="values that the owner read in the vendor's app (CONTRIBUTING.md)",
    )
    parser.add_argument(
        "--home",
        action="store_true",
        help="start a Home Assistant with this pool, which is played back",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="write tests/controllers/<firmware>-<n>.json, which a test checks from then on",
    )
    return parser.parse_args(arguments)


def described(report: Report) -> Iterator[str]:
    yield f"integration {report.versions.get('integration', 'unknown')}"
    for number, part in enumerate(report.parts, 1):
        yield ""
        yield f"controller {number}, firmware {part.firmware}"
        yield from _verdicts(part)
        for name, noted, value, same in compared(part):
            outcome = Outcome.AGREES if same else Outcome.CONTRADICTS
            yield f"{outcome:12} anchor {name}: the app shows {noted}, decoded is {value}"
        yield from decoded(part)


def _verdicts(part: Part) -> Iterator[str]:
    for verdict in verdicts(part):
        yield f"{verdict.outcome:12} {verdict.assumption}: {ASSUMPTIONS[verdict.assumption]}"
        if verdict.observed:
            yield f"{'':12}   observed: {'; '.join(verdict.observed)}"
        if verdict.outcome is Outcome.CONTRADICTS:
            yield f"{'':12}   docs/protocol.md: {verdict.row}"


def contradicted(part: Part) -> list[str]:
    """Return the assumptions and anchors that a controller contradicts."""
    found = [v.assumption for v in verdicts(part) if v.outcome is Outcome.CONTRADICTS]
    return [*found, *(name for name, _, _, same in compared(part) if not same)]


def keep(report: Report, part: Part, folder: Path = FOLDER) -> Path:
    """Write a controller of a report to its own file, in the current format."""
    number = 1
    while (path := folder / f"{part.firmware}-{number}.json").exists():
        number += 1
    kept = {
        "home_assistant": {"timezone": part.zone},
        "data": {
            "format": 1,
            "versions": report.versions,
            "account": {"recording": [event.data for event in part.account]},
            "controllers": [{**part.data, "anchors": part.anchors, "accepted": []}],
        },
    }
    path.write_text(json.dumps(kept, indent=1) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main())
