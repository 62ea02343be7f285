"""scripts/replay: files that it refuses, and what it concludes from reports and events."""

from collections.abc import Callable
import copy
import json
from pathlib import Path
import random
from typing import Any

import pytest

from tests.controllers.__main__ import contradicted, keep, main
from tests.controllers.decoded import beside_layout, decoded
from tests.controllers.report import (
    FOLDER,
    Json,
    Part,
    ReportError,
    read,
    recorded,
    write_verified,
)
from tests.controllers.verdicts import Outcome, check_frame, verdicts
from tests.fuzz.mutations import mutate_json
from tests.world.simulator import wire

FULL = FOLDER / "simulated" / "full.json"
ANCHORS = """\
ph: 7.4
orp: 655
water: 27
speed: 75
running: 3
pool_target: 28
ph_target: 7.4
acid_left: 12.5
schedules: ["00:00-23:59", "10:00-12:00", "20:00-01:00"]
"""
type Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def report() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FULL.read_text())
    return found


@pytest.fixture
def file(tmp_path: Path, report: dict[str, Any]) -> Callable[..., Path]:
    """Return a function that writes the report with changes."""

    def write(*changes: Change) -> Path:
        changed = copy.deepcopy(report)
        for change in changes:
            change(changed)
        path = tmp_path / "diagnostics.json"
        path.write_text(json.dumps({"home_assistant": {}, "data": changed}))
        return path

    return write


def set_in(name: str, value: object) -> Change:
    return lambda data: data["controllers"][0].__setitem__(name, value)


def event(**values: object) -> Change:
    """Return a change that adds an event to the recording."""
    return lambda data: data["controllers"][0]["recording"].append({"at": 1.0} | values)


NAMES = wire.encode_names(["Villa Rosa"]).hex()
PRIVATE: list[tuple[Change, str]] = [
    (set_in("choices", {"a": "rosa@example.com"}), "an e-mail address"),
    (set_in("choices", {"a": "192.168.1.20"}), "an IP address"),
    (set_in("choices", {"a": "at fe80::1ff:fe23:4567:890a"}), "an IP address"),
    (set_in("choices", {"AA:BB:CC:0A:0B:0C": 1}), "a MAC address"),
    (set_in("choices", {"a": "AA_BB_CC_0A_0B_0C"}), "a MAC address"),
    (set_in("choices", {"a": "000102030405060708090a0b0c0d0e0f"}), "a key or token"),
    (set_in("choices", {"a": "Bearer abc"}), "a key or token"),
    (set_in("choices", {"a": "eyJhbGciOiJI"}), "a key or token"),
    # Patterns would take hours for it.
    (set_in("choices", {"a": "a-" * 500_000}), "a long text"),
    (set_in("issues", ["https://example.com"]), "a host name"),
    (set_in("issues", ["ctrl-0a0b0c.local"]), "a host name"),
    (event(event="request", op="q", of="aux_names", reply=NAMES), "a text"),
    (event(event="request", op="q", of="x", reply=b'{"a": "Rosa"}'.hex()), "a text"),
    (event(event="request", op="q", of="x", reply="Villa Rosa"), "a text"),
    (event(event="request", op="GET", of="x", reply='{"a": "Rosa"}'), "a text"),
    (event(event="command", route="cloud", of="x", payload='{"a": "Rosa"}'), "a text"),
    (event(event="command", route="lan", of="cmd", payload=NAMES), "a text"),
    (event(event="frame", payload=b"\x01\x01\x04Villa Rosa".hex()), "a text"),
    (set_in("last_frame", {"counter": 1, "payload": b"Villa".hex()}), "a text"),
]


@pytest.mark.parametrize(("change", "what"), PRIVATE)
def test_a_file_with_anything_private_is_refused(
    file: Callable[..., Path],
    change: Change,
    what: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([str(file(change))]) == 2
    printed = capsys.readouterr()
    assert what in printed.err and not printed.out
    assert "osa" not in printed.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot be read"),
        ("[1]", "not a diagnostics file"),
        ('{"data": {"controllers": 1}}', "not a diagnostics file"),
        ('{"data": {"format": 99}}', "format"),
    ],
)
def test_what_is_no_report(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ReportError, match=why):
        read(path)


def test_what_is_recorded_is_checked_again(file: Callable[..., Path]) -> None:
    """The current rules are used, whatever was counted during the recording."""
    frame = wire.encode_frame(wire.Frame({"flags": 1 << 6}, [1, 42]))
    late = event(event="frame", counter=1 << 31, payload=frame.hex())
    (part,) = read(file(late)).parts
    found = {
        v.assumption: v for v in verdicts(part) if v.outcome is Outcome.CONTRADICTS
    }
    assert [*found] == ["flags", "modes"]
    assert found["modes"].observed == ("mode 42",)
    assert "a state frame has telemetry" in found["modes"].row


def test_another_layout_is_shown_byte_by_byte(file: Callable[..., Path]) -> None:
    frame = wire.encode_frame(wire.Frame({"ph": 74}, [0] * 3))
    longer = frame[:2] + bytes([frame[2] + 2]) + frame[3:] + b"\x01\x02"
    (part,) = read(file(event(event="frame", payload=longer.hex()))).parts
    text = "\n".join(decoded(part))
    assert "7 frames, 1 of them of another layout" in text
    assert "\n     9 4a                       ph 74" in text
    assert [*beside_layout(b"")] == [
        "  0 bytes:",
        "     0                          version",
    ]
    assert [*beside_layout(frame + b"\xfe")][-1].endswith(
        "fe is not part of the layout"
    )


def test_anchors(
    file: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noted = tmp_path / "app.yaml"
    noted.write_text(ANCHORS)
    assert main([str(file()), f"--anchors={noted}"]) == 0
    assert "agrees       anchor ph: the app shows 7.4" in capsys.readouterr().out
    noted.write_text(ANCHORS.replace("orp: 655", "orp: 65.5").replace("23:59", "17:00"))
    assert main([str(file()), f"--anchors={noted}"]) == 1
    printed = capsys.readouterr().out
    assert "contradicts  anchor orp: the app shows 65.5, decoded is 654" in printed
    assert "contradicts  anchor schedules" in printed


@pytest.mark.parametrize("text", ["salt: 1", "- ph", "{", ""])
def test_anchors_that_are_none(
    file: Callable[..., Path], tmp_path: Path, text: str
) -> None:
    noted = tmp_path / "app.yaml"
    noted.write_text(text)
    assert main([str(file()), f"--anchors={noted}"]) == 2


def test_it_is_kept(file: Callable[..., Path], tmp_path: Path) -> None:
    report = read(file(), {"ph": 7.5, "speed": 100})
    kept = [keep(report, report.parts[0], tmp_path) for _ in range(2)]
    assert [path.name for path in kept] == ["2.5.46-1.json", "2.5.46-2.json"]
    (part,) = read(kept[0]).parts
    assert contradicted(part) == contradicted(report.parts[0]) == ["speed"]
    assert part.accepted == []


# What single events conclude

EVENING = 1_782_856_800.0
"""2026-07-01 00:00 in Berlin, Unix time."""


def frame(*modes: int, at: float = 0.0, held: tuple[int, ...] = ()) -> Json:
    state = wire.Frame({"flags": 0}, [*modes], [*held])
    payload = wire.encode_frame(state).hex()
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


def outcome_of(
    name: str, *events: Json, **account: Any
) -> tuple[Outcome, tuple[str, ...]]:
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
    outcome, words = outcome_of("busy", *events)
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
    assert outcome_of("schedule_times", *events) == (outcome, words)


def test_a_gap_tells_nothing_of_a_start() -> None:
    none = Outcome.NOT_OBSERVED, ()
    far = schedules(600, 720), frame(0), frame(1, at=36_000)
    assert outcome_of("schedule_times", *far) == none
    lost = {"event": "request", "op": "state", "of": "", "error": "UnreachableError"}
    events = schedules(600, 720), frame(0, at=1), lost, frame(1, at=60)
    assert outcome_of("schedule_times", *events) == none


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
    assert outcome_of("schedule_midnight", *events)[0] is outcome


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
    _, found = outcome_of(name, account=tuple(recorded([answer])))
    assert found == ((words,) if words else ())


@pytest.mark.parametrize(
    "firmware", ["../../../x", "\\g<7>", "2.5.46\n", "\x1b[31m", "9" * 30, None, [], {}]
)
def test_a_version_that_is_none(
    file: Callable[..., Path], tmp_path: Path, firmware: object
) -> None:
    """It names no path outside of the folder, and no group of an expression."""
    report = read(file(set_in("record", {"firmware": firmware})))
    folder = tmp_path / "kept"
    folder.mkdir()
    assert keep(report, report.parts[0], folder) == folder / "unknown-1.json"
    page = tmp_path / "page.md"
    page.write_text("<!-- verified -->**0**<!-- /verified -->")
    (folder / "\\g<7>-1.json").touch()
    assert write_verified([page], folder)
    assert "\\g<7>: 1" in page.read_text()


def test_no_file_ends_in_a_traceback_or_reaches_the_terminal_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, chance, path = FULL.read_text(), random.Random(1), tmp_path / "x"
    for _ in range(50):
        whole, other = json.loads(text), json.loads(text)
        (part,) = whole["controllers"]
        part["recording"] = [mutate_json(chance, each) for each in part["recording"]]
        other["controllers"] = [mutate_json(chance, part)]
        for odd in (whole, other, mutate_json(chance, whole)):
            path.write_text(json.dumps(odd))
            assert main([str(path)]) in (0, 1, 2)
    path.write_text("[" * 100_000)
    assert main([str(path)]) == 2
    printed = capsys.readouterr()
    assert (printed.out + printed.err).replace("\n", "").isprintable()
    assert "Traceback" not in printed.err
