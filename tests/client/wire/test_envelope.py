"""Envelopes, keys and counters (protocol.md O1)."""

from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.counters import Counters, IncomingCounter
from custom_components.poolctl.client.wire.envelope import (
    MAX_COUNTER,
    Envelope,
    parse_key,
    unwrap,
    wrap,
)
from custom_components.poolctl.client.wire.exceptions import (
    EnvelopeError,
    InvalidCommandError,
    ReplayError,
    SignatureError,
)
from tests.client.conftest import COMMANDS, FRAMES, KEY, UnixTime
from tests.world.simulator import wire

SIGNED = [
    *((KEY, row["envelope"], row) for row in COMMANDS["envelopes"]["valid"]),
    *((KEY, row["envelope"], row) for row in COMMANDS["replies"]),
    *((KEY, row["request"]["env"], row) for row in COMMANDS["actions"]),
    *((bytes.fromhex(row["key"]), row["envelope"], row) for row in FRAMES),
]
"""Key, envelope and contents of every vector."""
INVALID = COMMANDS["envelopes"]["invalid"]
BAD_TAGS = {
    "one payload bit flipped",
    "one counter bit flipped",
    "one tag bit flipped",
    "signed with another key",
}

keys = st.binary(min_size=16, max_size=16)
counters = st.integers(0, MAX_COUNTER)


def accepts(counter: IncomingCounter, value: int) -> bool:
    try:
        counter.accept(value)
    except ReplayError:
        return False
    return True


@pytest.mark.row("4.2 rule 6", "4.2 rule 7")
@pytest.mark.parametrize(("key", "text", "row"), SIGNED)
def test_valid(key: bytes, text: str, row: dict[str, Any]) -> None:
    envelope = Envelope(row["counter"], bytes.fromhex(row["payload"]))
    data = bytes.fromhex(text)
    assert unwrap(key, text) == unwrap(key, data) == envelope
    assert wrap(key, envelope.counter, envelope.payload) == data


@pytest.mark.row("5.2 rule 5")
@pytest.mark.parametrize("case", INVALID, ids=lambda case: case["why"])
def test_invalid(case: dict[str, Any]) -> None:
    error = SignatureError if case["why"] in BAD_TAGS else EnvelopeError
    with pytest.raises(error) as caught:
        unwrap(KEY, case["envelope"])
    assert type(caught.value) is error


@given(keys, counters, st.binary())
def test_round_trip(key: bytes, counter: int, payload: bytes) -> None:
    data = wrap(key, counter, payload)
    assert unwrap(key, data) == unwrap(key, data.hex()) == Envelope(counter, payload)
    assert data == wire.wrap(key, counter, payload)


@given(keys, counters, st.binary(), st.data())
def test_any_flipped_bit_is_noticed(
    key: bytes, counter: int, payload: bytes, data: st.DataObject
) -> None:
    signed = bytearray(wrap(key, counter, payload))
    bit = data.draw(st.integers(0, len(signed) * 8 - 1))
    signed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(EnvelopeError if bit < 8 else SignatureError):
        unwrap(key, bytes(signed))


@given(st.data())
def test_white_space_is_ignored_anywhere(data: st.DataObject) -> None:
    """White space in hex text is ignored, also within a byte (protocol.md 2.7)."""
    text = wrap(KEY, 7, b"payload").hex()
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(" \n\t")) + text[at:]
    assert unwrap(KEY, text) == Envelope(7, b"payload")


def test_a_counter_that_does_not_fit() -> None:
    for counter in (-1, MAX_COUNTER + 1):
        with pytest.raises(InvalidCommandError):
            wrap(KEY, counter, b"")


# Keys


@pytest.mark.row("5.2 rule 5")
@pytest.mark.parametrize("text", ["00" * 16, "aB" * 16])
def test_key(text: str) -> None:
    assert parse_key(text).hex() == text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5ec" * 10 + "5",
        "5ec2" * 7 + "5e",
        "5ec2" * 9,
        "secret" * 6,
        "ß" * 32,
        "\ud800",
    ],
)
def test_bad_keys_are_not_repeated(text: str) -> None:
    with pytest.raises(EnvelopeError) as caught:
        parse_key(text)
    error: BaseException | None = caught.value
    while error is not None:
        shown = f"{error!s} {error!r}"
        assert not text or (text not in shown and text[:6] not in shown)
        error = error.__cause__ or error.__context__


# Counters


@pytest.mark.row("4.2 rule 6")
def test_outgoing_follows_the_clock(unix_time: UnixTime) -> None:
    before = Counters()
    used = {before.next() for _ in range(4)}
    unix_time.now += 0.5  # a restart within a second
    assert Counters(before.last).next() == max(used) + 1
    unix_time.now = 0.0  # no clock was set
    assert Counters().next() == 1
    unix_time.now = 1_780_000_000.9
    counter = Counters()
    assert counter.next() == 1_780_000_000
    unix_time.now += 10
    assert counter.next() == 1_780_000_010


def test_each_use_is_reported_at_once(unix_time: UnixTime) -> None:
    """So that the counter can be stored for a restart."""
    reported: list[int] = []
    counter = Counters(700, used=lambda: reported.append(counter.last))
    assert [counter.next(), counter.next()] == reported == [701, 702]


@given(st.lists(st.integers(0, 20), max_size=30))
def test_incoming_lower_needs_two_in_a_row(received: list[int]) -> None:
    """A counter is accepted if not below the last, or above one rejected before it."""
    counter, last, previous = IncomingCounter(), -1, None
    for value in received:
        accepted = accepts(counter, value)
        restart = previous is not None and last > value > previous
        assert accepted == (value >= last or restart)
        last = value if accepted else last
        previous = None if accepted else value
