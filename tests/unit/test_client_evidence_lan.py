"""What the judges write down of what a controller says on the network."""

from collections.abc import Callable
import json

import pytest

from custom_components.poolctl.client.envelope import Envelope
from custom_components.poolctl.client.evidence.frames import (
    held_in,
    judge_frame,
    slots_of,
)
from custom_components.poolctl.client.evidence.lan import LanJudge
from custom_components.poolctl.client.evidence.ledger import Bet, Evidence, field_name
from custom_components.poolctl.client.evidence.replies import schedule_slots

ONCE = (1, ())
type Told = dict[Bet, tuple[int, tuple[str, ...]]]
type Say = Callable[[LanJudge], None]


def telemetry(*modes: int, held: int = 0, flags: int = 0, flags2: int = 0) -> bytes:
    """Return section A with these slots (layouts.md 2.1); `held` has a bit for each."""
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
    """Return a state frame of some sections (layouts.md 2)."""
    body = b""
    for size, section in zip((1, 2, 1), (a, b, c), strict=True):
        if section is not None:
            body += len(section).to_bytes(size, "little") + section
    mask = sum(1 << bit for bit, one in enumerate((a, b, c)) if one is not None)
    return bytes([1, mask]) + body


def schedules(*slots: int, name: bytes = b"Summer") -> bytes:
    """Return a reply to `schedules`, a record for each of these slots (layouts.md 4)."""
    records = (bytes([1, slot, *range(8), len(name)]) + name for slot in slots)
    return bytes([len(slots)]) + b"".join(records)


def told(evidence: Evidence) -> Told:
    """Return how often each bet was confirmed, and what was seen instead or beside it."""
    return {
        bet: (one.confirmed, tuple(one.seen)) for bet, one in evidence.tallies.items()
    }


def judged(*say: Say) -> Told:
    """Return what is told once a controller has said some things."""
    judge = LanJudge(evidence := Evidence())
    for one in say:
        one(judge)
    return told(evidence)


def sends(counter: int, payload: bytes = frame()) -> Say:
    return lambda judge: judge.received("state", "", 0, Envelope(counter, payload))


def replies(name: str, counter: int, payload: bytes, sent: int = 0) -> Say:
    return lambda judge: judge.received("q", name, sent, Envelope(counter, payload))


def runs(name: str, payload: bytes, reply: bytes) -> Say:
    return lambda judge: judge.ran(name, payload, reply)


@pytest.mark.parametrize(
    ("payload", "bet", "wanted"),
    [
        (frame(telemetry()), Bet.TELEMETRY_LENGTH, ONCE),
        (frame(telemetry(*[0] * 8)), Bet.TELEMETRY_LENGTH, ONCE),
        (frame(telemetry(*[0] * 9)), Bet.TELEMETRY_LENGTH, ONCE),
        (frame(telemetry(0)[:-1]), Bet.TELEMETRY_LENGTH, (0, ("50 bytes instead of 51",))),
        (frame(bytes(45)), Bet.TELEMETRY_LENGTH, (0, ("45 bytes instead of 49",))),
        (frame(bytes(44)), Bet.TELEMETRY_LENGTH, (0, ("44 bytes",))),
        (frame(telemetry(0, 20, 99)), Bet.MODES, ONCE),
        (frame(telemetry(21, 0, 98)), Bet.MODES, (0, ("mode 21", "mode 98"))),
        (frame(telemetry(flags=0xEC3F, flags2=0x1FF)), Bet.FLAGS, ONCE),
        (frame(telemetry(flags=0x1000)), Bet.FLAGS, (0, ("flags 0x1000",))),
        (frame(telemetry(flags2=0x0200)), Bet.FLAGS, (0, ("flags2 0x0200",))),
        (frame(telemetry() [:2] + b"\xff" + telemetry()[3:]), Bet.FLAGS, ONCE),
        (frame(telemetry()[:44] + b"\x00" + telemetry()[45:]), Bet.FLAGS, ONCE),
        (frame(b=configuration(*range(37))), Bet.AUX_TYPES, ONCE),
        (frame(b=configuration(*[1] * 37)), Bet.AUX_TYPES, ONCE),
        (frame(b=configuration(*[1] * 38)), Bet.AUX_TYPES, (0, ("38 slots",))),
        (frame(b=configuration(50, 1, 40)), Bet.AUX_TYPES, (0, ("code 40", "code 50"))),
        (frame(b=configuration(1)), Bet.CONFIGURATION_LENGTH, ONCE),
        (frame(b=bytes(89)), Bet.CONFIGURATION_LENGTH, (0, ("89 bytes",))),
        (frame(b=bytes(91)), Bet.CONFIGURATION_LENGTH, (0, ("91 bytes instead of 90",))),
        (frame(c=b"\x00"), Bet.TIMERS_LENGTH, ONCE),
        (frame(c=b""), Bet.TIMERS_LENGTH, (0, ("0 bytes instead of 1",))),
        (frame(c=b"\x02" + bytes(10)), Bet.TIMERS_LENGTH, ONCE),
        (frame(), Bet.FRAME_SECTIONS, ONCE),
        (frame(), Bet.FRAME_VERSION, ONCE),
        (b"\x07\x00", Bet.FRAME_VERSION, (0, ("version 7",))),
    ],
)  # fmt: skip
def test_frames(payload: bytes, bet: Bet, wanted: tuple[int, tuple[str, ...]]) -> None:
    judge_frame(evidence := Evidence(), payload)
    assert told(evidence)[bet] == wanted


def test_slots() -> None:
    section = telemetry(3, 0, 99, *[0] * 7, held=0b10_0000_0100)
    assert slots_of(section) == bytes([3, 0, 99, *[0] * 7])
    assert slots_of(section[:44]) == b"" and slots_of(section[:46]) == b"\x03"
    assert slots_of(telemetry()[:45]) == b""
    held = [slot for slot in range(10) if held_in(section, slot)]
    assert held == [2, 9]
    assert held_in(section, 10) is None and held_in(section[:44], 0) is None
    assert held_in(section[:55], 0) is None and held_in(section[:56], 2) is True
    assert held_in(section[:56], 8) is None


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
    found = judged(*map(sends, counters))
    assert found[Bet.ENVELOPE] == (len(counters), ())
    assert found.get(Bet.COUNTER_FRAMES) == wanted


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
    found = judged(*([] if before is None else [sends(before)]), reply)
    assert found.get(Bet.COUNTER_REPLIES) == wanted
    assert found[Bet.ENVELOPE] == (1 if before is None else 2, ())


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
    """layouts.md 3: a slot's mode is the number of the schedule that runs it."""
    state = sends(1, frame(telemetry(*modes)))
    listed = replies("schedules", 2, schedules(*slots))
    found = judged(listed, replies("elsewhere", 3, schedules(99, 99)), state)
    assert found.get(Bet.SCHEDULE_NUMBER) == wanted
    assert Bet.SCHEDULE_NUMBER not in judged(state)


def test_slots_of_schedules() -> None:
    assert schedule_slots(schedules(4, 99, 7)) == (4, 99, 7)
    assert schedule_slots(schedules(4, 9, name=b"")) == (4, 9)
    assert schedule_slots(b"") == () == schedule_slots(b"\x00")
    assert schedule_slots(schedules(4, 7)[:-1]) == (4, 7), "the name does not matter"
    assert schedule_slots(schedules(4, 7, name=b"")[:-1]) == ()


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
    found = judged(replies("aux_names", 1, reply))
    assert found[Bet.REPLY_LENGTHS] == ((0, (seen,)) if seen else ONCE)


def test_replies_that_nobody_knows() -> None:
    assert set(judged(replies("elsewhere", 1, b"{}"))) == {Bet.ENVELOPE}


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
            {Bet.AUX_REPLY: ONCE, Bet.AUX_HELD: ONCE},
        ),
        (
            runs("aux", b"\x01\x00\x01", frame(telemetry(99, 0, held=2))),
            {Bet.AUX_REPLY: ONCE, Bet.AUX_HELD: ONCE},
        ),
        (
            runs("aux", b"\x01\x01\x00", frame(telemetry(0, 3))),
            {Bet.AUX_REPLY: ONCE, Bet.AUX_HELD: ONCE},
        ),
        # Given back: whatever its schedules say.
        (runs("aux", b"\x01\x00\x00", frame(telemetry(0, 3))), {Bet.AUX_HELD: ONCE}),
        (
            runs("aux", b"\x01\x01\x01", frame(telemetry(99, 0, held=1))),
            {
                Bet.AUX_REPLY: (0, ("mode 0 after 1",)),
                Bet.AUX_HELD: (0, ("bit 0 after 1, 1",)),
            },
        ),
        (
            runs("aux", b"\x01\x00\x00", frame(telemetry(0, 0, held=2))),
            {Bet.AUX_HELD: (0, ("bit 1 after 0, 0",))},
        ),
        (runs("cmd", b"abc", frame(telemetry(1))), {Bet.CMD_REPLY: ONCE}),
        (
            runs("cmd", b"abc", frame(telemetry(1), configuration(1))),
            {Bet.CMD_REPLY: (0, ("it has",))},
        ),
    ],
)
def test_what_an_action_shows(what: Say, wanted: Told) -> None:
    assert judged(what) == wanted


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
    answer: dict[str, object], wanted: tuple[int, tuple[str, ...]]
) -> None:
    answer = json.loads(json.dumps(answer))
    assert judged(lambda judge: judge.answered(answer)) == {Bet.ACTION_ENV: wanted}


def test_the_longest_name_of_a_field() -> None:
    assert field_name("x" * 40) == "x" * 40


def test_what_was_taken_and_what_busy_meant() -> None:
    assert judged(LanJudge.taken) == {Bet.COUNTER_OUT: ONCE}
    assert judged(
        lambda judge: judge.busy(ran=False), lambda judge: judge.busy(ran=True)
    ) == {Bet.BUSY: (1, ("it had run",))}
