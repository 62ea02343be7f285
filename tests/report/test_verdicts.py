"""What scripts/replay concludes from single events, and from files of strangers."""

from collections.abc import Iterator
import json
from pathlib import Path
import random
from typing import Any

import pytest

from tests.controllers.__main__ import keep, main
from tests.controllers.report import FOLDER, Json, Part, read, recorded, write_verified
from tests.controllers.verdicts import Outcome, check_frame, verdicts
from tests.world.simulator import wire

FULL = FOLDER / "simulated" / "full.json"
EVENING = 1_782_856_800.0
"""2026-07-01 00:00 in Berlin, Unix time."""


def frame(*modes: int, at: float = 0.0, held: tuple[int, ...] = ()) -> Json:
    """Return the event of a frame with these modes."""
    telemetry = wire.Telemetry({}, [*modes], [*held])
    payload = wire.encode_frame(wire.Frame(telemetry)).hex()
    return {"at": EVENING + at, "event": "frame", "counter": at, "payload": payload}


def aux(error: str | None = None) -> Json:
    """Return the event of a command that switches the output 0 on."""
    return {"event": "command", "route": "lan", "of": "aux", "payload": "000101"} | {
        "error": error
    }


def schedules(start: int, end: int) -> Json:
    """Return the event of a reply with one schedule, of the output 0."""
    record = bytes([1, 0, 1, 0, 0, *start.to_bytes(2, "little")])
    reply = bytes([1]) + record + end.to_bytes(2, "little") + b"\x7f\x00"
    return {"event": "request", "op": "q", "of": "schedules", "reply": reply.hex()}


def seen(name: str, *events: Json, **account: Any) -> tuple[Outcome, tuple[str, ...]]:
    """Return the outcome of an assumption after these events."""
    part = Part({"recording": [*events]}, zone="Europe/Berlin", **account)
    (found,) = [each for each in verdicts(part) if each.assumption == name]
    return found.outcome, found.observed


@pytest.mark.parametrize(
    ("events", "ran"),
    [
        ([frame(0), aux("LanBusyError"), frame(99, at=1)], True),
        ([frame(0), aux("LanBusyError"), frame(0, at=300)], False),
        # The second attempt switched it: its frame is recorded before it.
        ([frame(0), aux("LanBusyError"), frame(99, at=1), aux()], None),
    ],
)
def test_whether_busy_had_run(events: list[Json], ran: bool | None) -> None:
    outcome, words = seen("busy", *events)
    assert words == (("it had run",) if ran else ())
    assert (outcome is Outcome.NOT_OBSERVED) is (ran is None)


@pytest.mark.parametrize(
    ("minute", "outcome", "words"),
    [
        (600, Outcome.AGREES, ()),
        (540, Outcome.CONTRADICTS, ("-60 min late",)),
        (661, Outcome.CONTRADICTS, ("61 min late",)),
    ],
)
def test_when_a_schedule_begins(
    minute: int, outcome: Outcome, words: tuple[str, ...]
) -> None:
    at = minute * 60.0
    events = schedules(600, 720), frame(0, at=at - 200), frame(1, at=at)
    assert seen("schedule_times", *events) == (outcome, words)


def test_a_gap_tells_nothing_of_a_start() -> None:
    none = Outcome.NOT_OBSERVED, ()
    far = schedules(600, 720), frame(0), frame(1, at=36_000)
    assert seen("schedule_times", *far) == none
    lost = {"event": "request", "op": "state", "of": "", "error": "UnreachableError"}
    events = schedules(600, 720), frame(0, at=1), lost, frame(1, at=60)
    assert seen("schedule_times", *events) == none


@pytest.mark.parametrize(
    ("mode", "at", "outcome"),
    [
        (1, 700.0, Outcome.AGREES),
        (0, 60.0, Outcome.CONTRADICTS),
        (0, 500.0, Outcome.NOT_OBSERVED),
    ],
)
def test_a_schedule_over_midnight(mode: int, at: float, outcome: Outcome) -> None:
    events = schedules(1380, 120), frame(1, at=at - 300), frame(mode, at=at)
    assert seen("schedule_midnight", *events)[0] is outcome


def test_any_aux_code_is_an_output() -> None:
    """A code that the page does not list is a general purpose output."""
    section = bytes(89) + bytes([3, 38, 99, 255])
    payload = bytes([1, 2, len(section), 0]) + section
    assert {words for _, words in check_frame(payload)} == {""}


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("dead_access_token", {"event": "change", "what": "access", "to": 403}, "HTTP 403"),
        ("retry_after", {"status": 429, "reply": '{"message": "retry after 61s"}'}, "retry after 61s"),
        ("retry_after", {"status": 429, "reply": '{"message": "retry after 1m0s"}'}, ""),
        ("retry_after", {"status": 429, "reply": '{"message": "x"}'}, "no such time"),
    ],
)  # fmt: skip
def test_what_the_account_shows(name: str, answer: Json, words: str) -> None:
    _, found = seen(name, account=tuple(recorded([answer])))
    assert found == ((words,) if words else ())


def written(path: Path, change: Json) -> Path:
    """Write the report of the full pool with another record."""
    data = json.loads(FULL.read_text())
    data["controllers"][0]["record"] = change
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(
    "firmware", ["../../../x", "\\g<7>", "2.5.46\n", "\x1b[31m", "9" * 30, None, [], {}]
)
def test_a_version_that_is_none(tmp_path: Path, firmware: object) -> None:
    """It names no path outside of the folder, and no group of an expression."""
    report = read(written(tmp_path / "x.json", {"firmware": firmware}))
    folder = tmp_path / "kept"
    folder.mkdir()
    assert keep(report, report.parts[0], folder) == folder / "unknown-1.json"
    page = tmp_path / "page.md"
    page.write_text("<!-- verified -->**0**<!-- /verified -->")
    (folder / "\\g<7>-1.json").touch()
    assert write_verified([page], folder)
    assert "\\g<7>: 1" in page.read_text()


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to each value of a JSON document."""
    if path:
        yield path
    if isinstance(tree, dict | list):
        for key, each in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(each, (*path, key))


def test_no_file_ends_in_a_traceback_or_reaches_the_terminal_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, draw, path = FULL.read_text(), random.Random(1), tmp_path / "x.json"
    found = [*places(json.loads(text))]
    odd: list[Any] = [None, True, -1, 1e308, float("nan"), 10**400]
    odd += ["\x1b[31m", "\ud800", [], {}, [None], {"a": 1}]
    for _ in range(150):
        data = json.loads(text)
        *upper, last = draw.choice(found)
        place = data
        for key in upper:
            place = place[key]
        place[last] = draw.choice(odd)
        path.write_text(json.dumps(data))
        assert main([str(path)]) in (0, 1, 2)
    path.write_text("[" * 100_000)
    assert main([str(path)]) == 2
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert "Traceback" not in printed.err
