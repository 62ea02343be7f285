"""Evidence for the assumptions about a controller on the LAN."""

import json

import pytest

from custom_components.poolctl.client.exceptions import (
    PoolctlError,
    RefusedError,
    ReplayError,
)
from custom_components.poolctl.client.facts import (
    BusyChecked,
    CounterBehind,
    Fact,
    Facts,
    Frame,
    LanRequest,
    Reply,
)
from custom_components.poolctl.client.frame_parts import without_readings
from custom_components.poolctl.client.http import Response
from custom_components.poolctl.observed.evidence import Assumption, Evidence, field_name
from custom_components.poolctl.observed.frame_checks import check_frame
from custom_components.poolctl.observed.lan_checks import LanChecks

ONCE = (1, ())
type Told = dict[Assumption, tuple[int, tuple[str, ...]]]


def telemetry(*modes: int, held: int = 0, flags: int = 0, flags2: int = 0) -> bytes:
    """Return section A with these modes (layouts.md 2.1); `held` has a bit per slot."""
    head = bytearray(45)
    head[:2] = flags.to_bytes(2, "little")
    head[42:44] = flags2.to_bytes(2, "little")
    head[44] = len(modes)
    bits = held.to_bytes((len(modes) + 7) // 8, "little")
    return bytes(head) + bytes(modes) + bits + bytes(4)


def configuration(*types: int) -> bytes:
    """Return section B with these aux types (layouts.md 2.2)."""
    return bytes(89) + bytes([len(types), *types])


def frame(
    a: bytes | None = None, b: bytes | None = None, c: bytes | None = None
) -> bytes:
    """Return a state frame with these sections (layouts.md 2)."""
    body = b""
    for size, section in zip((1, 2, 1), (a, b, c), strict=True):
        if section is not None:
            body += len(section).to_bytes(size, "little") + section
    mask = sum(1 << bit for bit, one in enumerate((a, b, c)) if one is not None)
    return bytes([1, mask]) + body


def schedules(*slots: int, name: bytes = b"Summer") -> bytes:
    """Return a reply to `schedules` with a record for each slot (layouts.md 4)."""
    records = (bytes([1, slot, *range(8), len(name)]) + name for slot in slots)
    return bytes([len(slots)]) + b"".join(records)


def told(evidence: Evidence) -> Told:
    """Return the confirmations and the other observations of each assumption."""
    return {
        assumption: (one.confirmed, tuple(one.observed))
        for assumption, one in evidence.tallies.items()
    }


def counted(*facts: Fact) -> Told:
    """Return the tallies after these facts."""
    source = Facts()
    LanChecks(evidence := Evidence(), source)
    for fact in facts:
        source.emit(fact)
    return told(evidence)


def sends(counter: int, payload: bytes = frame()) -> Fact:
    return Frame(counter, payload, without_readings(payload), 0.0, False)


def replies(name: str, counter: int, payload: bytes, sent: int = 0) -> Fact:
    return Reply(name, sent, counter, payload, False)


def runs(name: str, payload: bytes, reply: bytes, answer: object = None) -> Fact:
    answer = {"ok": True} if answer is None else answer
    response = Response(200, {}, json.dumps(answer).encode())
    return LanRequest("a", name, payload, response, reply, 0.0, None)


@pytest.mark.parametrize(
    ("payload", "assumption", "wanted"),
    [
        (frame(telemetry()), Assumption.TELEMETRY_LENGTH, ONCE),
        (frame(telemetry(*[0] * 8)), Assumption.TELEMETRY_LENGTH, ONCE),
        (frame(telemetry(*[0] * 9)), Assumption.TELEMETRY_LENGTH, ONCE),
        (frame(telemetry(0)[:-1]), Assumption.TELEMETRY_LENGTH, (0, ("50 bytes instead of 51",))),
        (frame(bytes(45)), Assumption.TELEMETRY_LENGTH, (0, ("45 bytes instead of 49",))),
        (frame(bytes(44)), Assumption.TELEMETRY_LENGTH, (0, ("44 bytes",))),
        (frame(telemetry(0, 20, 99)), Assumption.MODES, ONCE),
        (frame(telemetry(21, 0, 98)), Assumption.MODES, (0, ("mode 21", "mode 98"))),
        (frame(telemetry(flags=0xEC3F, flags2=0x1FF)), Assumption.FLAGS, ONCE),
        (frame(telemetry(flags=0x1000)), Assumption.FLAGS, (0, ("flags 0x1000",))),
        (frame(telemetry(flags2=0x0200)), Assumption.FLAGS, (0, ("flags2 0x0200",))),
        (frame(telemetry() [:2] + b"\xff" + telemetry()[3:]), Assumption.FLAGS, ONCE),
        (frame(telemetry()[:44] + b"\x00" + telemetry()[45:]), Assumption.FLAGS, ONCE),
        (frame(b=configuration(*range(37))), Assumption.AUX_TYPES, ONCE),
        (frame(b=configuration(*[1] * 37)), Assumption.AUX_TYPES, ONCE),
        (frame(b=configuration(*[1] * 38)), Assumption.AUX_TYPES, (0, ("38 slots",))),
        (frame(b=configuration(50, 1, 40)), Assumption.AUX_TYPES, (0, ("code 40", "code 50"))),
        (frame(b=configuration(1)), Assumption.CONFIGURATION_LENGTH, ONCE),
        (frame(b=bytes(89)), Assumption.CONFIGURATION_LENGTH, (0, ("89 bytes",))),
        (frame(b=bytes(91)), Assumption.CONFIGURATION_LENGTH, (0, ("91 bytes instead of 90",))),
        (frame(c=b"\x00"), Assumption.TIMERS_LENGTH, ONCE),
        (frame(c=b""), Assumption.TIMERS_LENGTH, (0, ("0 bytes instead of 1",))),
        (frame(c=b"\x02" + bytes(10)), Assumption.TIMERS_LENGTH, ONCE),
        (frame(), Assumption.FRAME_SECTIONS, ONCE),
        (frame(), Assumption.FRAME_VERSION, ONCE),
        (b"\x07\x00", Assumption.FRAME_VERSION, (0, ("version 7",))),
    ],
)  # fmt: skip
def test_frames(
    payload: bytes, assumption: Assumption, wanted: tuple[int, tuple[str, ...]]
) -> None:
    checks = dict(check_frame(payload, ()))
    assert (int(not checks[assumption]), checks[assumption]) == wanted
    assert counted(sends(1, payload))[assumption] == wanted


@pytest.mark.parametrize(
    ("counters", "wanted"),
    [
        ((5,), None),
        ((5, 6), ONCE),
        ((5, 5), (0, ("the same again",))),
        ((5, 4), (0, ("a lower one",))),
        ((5, 4, 4, 5), (1, ("a lower one", "the same again"))),
    ],
)
def test_counters_of_frames(
    counters: tuple[int, ...], wanted: tuple[int, tuple[str, ...]] | None
) -> None:
    found = counted(*map(sends, counters))
    assert found[Assumption.ENVELOPE] == (len(counters), ())
    assert found.get(Assumption.COUNTER_FRAMES) == wanted


@pytest.mark.parametrize(
    ("before", "counter", "sent", "wanted"),
    [
        (None, 7, 6, None),
        (None, 7, 7, (0, ("that of the query",))),
        (5, 6, 9, ONCE),
        (5, 5, 9, (0, ("a lower one",))),
        (5, 4, 9, (0, ("a lower one",))),
        (5, 9, 9, (0, ("that of the query",))),
    ],
)
def test_counters_of_replies(
    before: int | None,
    counter: int,
    sent: int,
    wanted: tuple[int, tuple[str, ...]] | None,
) -> None:
    reply = replies("anything", counter, b"", sent)
    found = counted(*([] if before is None else [sends(before)]), reply)
    assert found.get(Assumption.COUNTER_REPLIES) == wanted
    assert found[Assumption.ENVELOPE] == (1 if before is None else 2, ())


@pytest.mark.parametrize(
    ("slots", "modes", "wanted"),
    [
        ((1, 99, 2), (0, 99, 21), None),
        ((1, 99, 2), (3, 1, 0), ONCE),
        ((1, 99, 2), (2, 4, 1), (0, ("number 2 of [1, 3]", "number 4 of [1, 3]"))),
        ((99, 99), (1,), None),
        ((), (1,), None),
        ((5,) * 20, (20,), ONCE),
    ],
)
def test_the_numbers_of_schedules(
    slots: tuple[int, ...],
    modes: tuple[int, ...],
    wanted: tuple[int, tuple[str, ...]] | None,
) -> None:
    """A slot's mode is the number of the schedule that runs it (layouts.md 3)."""
    state = sends(1, frame(telemetry(*modes)))
    listed = replies("schedules", 2, schedules(*slots))
    found = counted(listed, replies("elsewhere", 3, schedules(99, 99)), state)
    assert found.get(Assumption.SCHEDULE_NUMBER) == wanted
    assert Assumption.SCHEDULE_NUMBER not in counted(state)


@pytest.mark.parametrize(
    ("reply", "seen"),
    [
        (b"", "aux_names ends too early"),
        (b"\x01", "aux_names ends too early"),
        (b"\x01\x02ab", None),
        (b"\x02\x01a\x01b", None),
        (b"\x01\x02a", "aux_names ends too early"),
        (b"\x00", None),
        (b"\x00\xff", "aux_names: 1 more bytes"),
    ],
)
def test_the_end_of_names(reply: bytes, seen: str | None) -> None:
    found = counted(replies("aux_names", 1, reply))
    assert found[Assumption.REPLY_LENGTHS] == ((0, (seen,)) if seen else ONCE)


def test_replies_that_nobody_knows() -> None:
    assert set(counted(replies("elsewhere", 1, b"{}"))) == {Assumption.ENVELOPE}


@pytest.mark.parametrize(
    ("what", "wanted"),
    [
        (runs("aux", b"\x00\x01\x01", b""), {}),
        (runs("aux", b"\x00\x01\x01", frame()), {}),
        (runs("aux", b"\x00\x01", frame(telemetry(1))), {}),
        (runs("other", b"\x00\x01\x01", frame(telemetry(0))), {}),
        (runs("aux", b"\x02\x01\x01", frame(telemetry(0, 0))), {}),
        (
            runs("aux", b"\x01\x01\x01", frame(telemetry(0, 99, held=2))),
            {Assumption.AUX_REPLY: ONCE, Assumption.AUX_HELD: ONCE},
        ),
        (
            runs("aux", b"\x01\x00\x01", frame(telemetry(99, 0, held=2))),
            {Assumption.AUX_REPLY: ONCE, Assumption.AUX_HELD: ONCE},
        ),
        (
            runs("aux", b"\x01\x01\x00", frame(telemetry(0, 3))),
            {Assumption.AUX_REPLY: ONCE, Assumption.AUX_HELD: ONCE},
        ),
        # Released: its schedules decide the mode.
        (
            runs("aux", b"\x01\x00\x00", frame(telemetry(0, 3))),
            {Assumption.AUX_HELD: ONCE},
        ),
        (
            runs("aux", b"\x01\x01\x01", frame(telemetry(99, 0, held=1))),
            {
                Assumption.AUX_REPLY: (0, ("mode 0 after 1",)),
                Assumption.AUX_HELD: (0, ("bit 0 after 1, 1",)),
            },
        ),
        (
            runs("aux", b"\x01\x00\x00", frame(telemetry(0, 0, held=2))),
            {Assumption.AUX_HELD: (0, ("bit 1 after 0, 0",))},
        ),
        (runs("cmd", b"abc", frame(telemetry(1))), {Assumption.CMD_REPLY: ONCE}),
        (
            runs("cmd", b"abc", frame(telemetry(1), configuration(1))),
            {Assumption.CMD_REPLY: (0, ("it has",))},
        ),
    ],
)
def test_what_an_action_shows(what: Fact, wanted: Told) -> None:
    taken = {Assumption.COUNTER_OUT: ONCE, Assumption.ACTION_ENV: ONCE}
    assert counted(what) == taken | wanted


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ({"env": "aa"}, ONCE),
        ({}, ONCE),
        ({"env": None}, (0, ("null",))),
        ({"env": ""}, (0, ("empty",))),
    ],
)
def test_how_an_action_carries_its_frame(
    answer: object, wanted: tuple[int, tuple[str, ...]]
) -> None:
    assert counted(runs("x", b"", b"", answer))[Assumption.ACTION_ENV] == wanted


def test_the_longest_name_of_a_field() -> None:
    assert field_name("x" * 40) == "x" * 40


@pytest.mark.parametrize(
    ("payload", "error", "wanted"),
    [
        (b"", None, {Assumption.COUNTER_OUT: ONCE}),
        (b"", ReplayError("old"), {Assumption.COUNTER_OUT: ONCE}),
        (b"", RefusedError("no"), {}),
        (None, None, {}),
    ],
)
def test_signed_requests_that_are_accepted(
    payload: bytes | None, error: PoolctlError | None, wanted: Told
) -> None:
    request = LanRequest("q", "x", payload, None, b"", 0.0, error)
    assert counted(request) == wanted


def test_what_busy_meant() -> None:
    found = counted(BusyChecked(False), BusyChecked(True))
    assert found == {Assumption.BUSY: (1, ("it had run",))}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "others are far ahead"),
        (1, "others are up to 1 s ahead"),
        (256, "others are up to 256 s ahead"),
    ],
)
def test_how_far_others_are_ahead(seconds: int | None, words: str) -> None:
    assert counted(CounterBehind(seconds)) == {Assumption.COUNTER_OUT: (0, (words,))}


def test_results_are_kept_only_while_they_are_true() -> None:
    """Repeated frames are counted; new schedules or layouts are checked again."""
    running = frame(telemetry(0, 2), configuration(0, 1), b"\x00")
    measured = bytearray(running)
    measured[8] = 99
    moved = frame(telemetry(0, 21), configuration(0, 1), b"\x00")
    found = counted(
        sends(1, running),
        sends(2, bytes(measured)),
        replies("schedules", 3, schedules(4, 99)),
        *(sends(number, running) for number in range(4, 200)),
        *(sends(number, moved) for number in range(200, 210)),
    )
    assert found[Assumption.SCHEDULE_NUMBER] == (0, ("number 2 of [1]",))
    assert found[Assumption.MODES] == (198, ("mode 21",))
    assert found[Assumption.ENVELOPE] == (209, ())


@pytest.mark.parametrize(
    "place", range(len(frame(telemetry(1), configuration(2), b"\x00")))
)
def test_what_decides_is_no_measurement(place: int) -> None:
    """Frames that differ in a byte that a check uses never share a result."""
    whole = bytearray(frame(telemetry(1), configuration(2), b"\x00"))
    source = Facts()
    LanChecks(evidence := Evidence(), source)
    source.emit(sends(1, bytes(whole)))
    previous = told(evidence)
    whole[place] ^= 0x55
    source.emit(sends(2, bytes(whole)))
    alone = counted(sends(1, bytes(whole)))
    for assumption, (confirmed, words) in alone.items():
        once, no_words = previous.get(assumption, (0, ()))
        assert told(evidence)[assumption] == (once + confirmed, no_words + words)
