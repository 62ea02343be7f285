"""Holds: their storage, evidence, states and ends, case by case."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from custom_components.poolctl.client import holds
from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.holds.claim import (
    Doubt,
    End,
    Event,
    State,
    after,
    is_over,
    next_end,
    with_shown_end,
)
from custom_components.poolctl.client.holds.evidence import after_read
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
YEAR = 366 * 24 * 3600
LIGHT, WATERFALL = 1, 2
HOLD = Hold(slot=WATERFALL, on=True, since=NOW, settled_at=100.0)

# Storage

LEAST: dict[str, object] = {
    "slot": 0,
    "on": True,
    "since": "2026-11-22T09:00:00+00:00",
    "until": None,
    "end": "never",
    "needed": True,
    "by_cloud": False,
    "lasts": None,
    "schedules": [],
    "latest": None,
    "restarts": 0,
    "state": "active",
    "previous": None,
    "asked": "elsewhere",
    "requester": "",
    "claims": {},
}
NOON = "2026-11-22T12:00:00+00:00"
MOST = LEAST | {
    "slot": 36,
    "on": False,
    "until": NOON,
    "end": "schedule",
    "needed": False,
    "by_cloud": True,
    "lasts": 0.5,
    "schedules": [0, 19],
    "restarts": 1000,
    "latest": "2026-11-22T13:00:00+00:00",
    "state": "watched",
    "previous": LEAST,
    "asked": "here",
    "requester": "Anna",
    "claims": {"": None, "warm_by spa": NOON},
}


def stored(*holds: object) -> tuple[Hold, ...]:
    return from_stored(tuple[Hold, ...], holds)


def test_what_is_stored() -> None:
    kept = stored(MOST, LEAST)
    assert to_stored(kept, tuple[Hold, ...]) == [MOST, LEAST]
    assert (kept[0].end, kept[0].state) == (End.SCHEDULE, State.WATCHED)


@pytest.mark.parametrize(
    "odd",
    [
        *({name: {}} for name in LEAST if name != "claims"),
        {"claims": {"": 5}},
        *({"slot": slot} for slot in (-1, 37)),
        *({"schedules": [index]} for index in (-1, 20)),
        *({"restarts": times} for times in (-1, 1001)),
        *({"lasts": seconds} for seconds in (-1.0, YEAR + 1.0)),
    ],
)
def test_a_hold_with_an_odd_value(odd: dict[str, object]) -> None:
    """A hold with an odd value is left out entirely: it might never end."""
    assert stored(MOST | odd, LEAST) == stored(LEAST)


# Reads


def read(
    on: bool | None, *, held: bool | None = False, cloud: bool = False
) -> dict[str, Any]:
    """Return the fields of a state in which all outputs are alike."""
    mode = None if on is None else 99 * on
    outputs = Outputs(
        types=(31, 13, 1),
        modes=(mode,) * 3,
        held=None if held is None else (0, 1, 2) * held,
    )
    return {"outputs": outputs, "source": Source.CLOUD if cloud else Source.LAN}


ON, OFF = read(True, held=True), read(False)
COPY_ON, COPY_OFF = read(True, held=None, cloud=True), read(False, cloud=True)
BY_LAN, BY_CLOUD = Doubt(100.0, by_cloud=False), Doubt(400.0, by_cloud=True)


@pytest.mark.parametrize(
    ("doubt", "state", "at", "doubt_after", "event"),
    [
        (None, ON, 0.0, None, Event.HELD),
        (BY_LAN, ON, 0.0, None, Event.HELD),
        (BY_CLOUD, ON, 0.0, None, Event.HELD),
        # The command has to settle first.
        (None, OFF, 99.9, None, None),
        (None, OFF, 100.0, BY_LAN, Event.OTHER),
        (None, read(True), 100.0, BY_LAN, Event.OTHER),
        (None, read(False, held=True), 100.0, BY_LAN, Event.OTHER),
        (BY_LAN, OFF, 109.9, BY_LAN, Event.OTHER),
        (BY_LAN, OFF, 110.0, None, Event.GONE),
        (BY_LAN, read(False, held=True), 110.0, None, Event.GONE),
        (BY_CLOUD, OFF, 100.0, BY_LAN, Event.OTHER),
        # Values that are not reported prove nothing.
        (None, read(True, held=None), 900.0, None, None),
        (BY_LAN, read(None, held=None, cloud=True), 9000.0, BY_LAN, None),
        # A copy of the cloud may be old.
        (None, COPY_ON, 900.0, None, None),
        (BY_LAN, COPY_ON, 900.0, BY_LAN, None),
        (BY_CLOUD, COPY_ON, 900.0, None, None),
        (None, COPY_OFF, 399.9, None, None),
        (None, COPY_OFF, 400.0, BY_CLOUD, Event.OTHER),
        (BY_LAN, COPY_OFF, 9000.0, BY_LAN, None),
        (BY_CLOUD, COPY_OFF, 999.9, BY_CLOUD, Event.OTHER),
        (BY_CLOUD, COPY_OFF, 1000.0, None, Event.GONE),
    ],
)
def test_a_read(
    doubt: Doubt | None,
    state: dict[str, Any],
    at: float,
    doubt_after: Doubt | None,
    event: Event | None,
) -> None:
    hold = replace(HOLD, doubt=doubt)
    found, happens = after_read(hold, PoolState(**state), at)
    assert (found, found.doubt, happens) == (hold, doubt_after, event)


def test_copies_that_agree_again() -> None:
    hold = replace(HOLD, doubt=BY_CLOUD, state=State.DOUBTFUL)
    found, event = after_read(hold, PoolState(**COPY_ON), 900.0)
    assert (found.doubt, event) == (None, Event.HELD)


@pytest.mark.parametrize(
    ("slot", "held", "at", "event"),
    [
        (LIGHT, True, 219.9, Event.OTHER),
        (LIGHT, True, 220.0, Event.GONE),
        (LIGHT, False, 110.0, Event.GONE),
        (3, True, 110.0, Event.GONE),  # there is no such output
    ],
)
def test_a_light_show(slot: int, held: bool, at: float, event: Event) -> None:
    """A show makes the relay flap: a light that is still held gets more time."""
    hold = replace(HOLD, slot=slot, doubt=BY_LAN)
    assert after_read(hold, PoolState(**read(False, held=held)), at)[1] is event


def in_s(seconds: float | None) -> datetime | None:
    return None if seconds is None else NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("until", "lasts", "expected"),
    [
        (1800, 3600, 1800),
        (1800, 1200, 1200),  # our clock was ahead: never longer than requested
        (1800, None, 1800),
        (7 * YEAR, None, YEAR),
        (None, None, None),
        (None, 1200, None),
    ],
)
def test_a_restart(until: int | None, lasts: int | None, expected: int | None) -> None:
    hold = replace(HOLD, until=in_s(until), lasts=lasts).restored(NOW, 7.0)
    assert (hold.until, hold.settled_at) == (in_s(expected), 7.0)


# What every event does in every state, cell by cell of the table

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (holds.__doc__ or "").splitlines()
    if line.startswith("| ") and not line.startswith("|-")
]
CELLS = [
    pytest.param(State(row[0]), Event(event), cell, id=f"{row[0]} {event}")
    for row in ROWS[1:]
    for event, cell in zip(ROWS[0][1:], row[1:], strict=True)
]
HELD = Hold(
    slot=2,
    on=False,
    since=NOW,
    until=NOW + timedelta(hours=1),
    end=End.SCHEDULE,
    schedules=(0,),
    previous=HOLD,
    doubt=Doubt(5.0, by_cloud=False),
    tries=3,
    retry_at=9.0,
)


def test_the_table_is_complete() -> None:
    assert len(CELLS) == len(State) * len(Event)


@pytest.mark.parametrize(("state", "event", "cell"), CELLS)
def test_a_cell(state: State, event: Event, cell: str) -> None:
    hold = replace(HELD, state=state)
    found = after(hold, event)
    if cell in ("over", "previous"):
        assert found is (None if cell == "over" else HOLD)
        return
    assert found is not None
    assert found.state == (state if cell == "-" else cell)
    # Whatever happens, it is the same hold with the same end.
    assert (found, found.end, found.schedules) == (hold, hold.end, hold.schedules)
    if cell == "active":
        assert (found.doubt, found.previous) == (None, None)
    forgotten = event is Event.MOVED and cell == "active"
    assert found.tries == (0 if forgotten else 3)
    assert found.retry_at == (None if forgotten else 9.0)


def test_only_a_schedule_is_watched() -> None:
    changes: dict[str, Any]
    for changes in ({"on": True}, {"needed": False}, {"end": End.DURATION}):
        releasing = replace(HELD, state=State.RELEASING, **changes)
        assert after(releasing, Event.RELEASED) is None


def test_what_needs_no_hold() -> None:
    """Once confirmed, it stays requested until reads show that no override was set."""
    hold = replace(HELD, state=State.REQUESTED, needed=False)
    confirmed = after(hold, Event.CONFIRMED)
    assert confirmed is not None
    assert (confirmed.state, confirmed.previous) == (State.REQUESTED, None)
    assert after(confirmed, Event.GONE) is None


# Ends


@pytest.mark.parametrize(
    ("changes", "left", "waits"),
    [
        ({}, None, None),
        ({"until": in_s(60)}, 60.0, 60.0),
        ({"until": NOW}, 0.0, 0.0),
        ({"until": in_s(-60)}, 0.0, 0.0),
        ({"until": NOW, "ends_at": 140.0}, 40.0, 40.0),
        ({"until": NOW, "retry_at": 107.0}, 0.0, 7.0),
        ({"until": NOW, "ends_at": 109.0, "retry_at": 107.0}, 9.0, 9.0),
        ({"until": NOW, "state": State.WATCHED}, 7200.0, 7200.0),
    ],
)
def test_what_is_left(
    changes: dict[str, Any], left: float | None, waits: float | None
) -> None:
    """A duration ends by the monotonic clock; a release that failed has to wait."""
    hold = replace(HOLD, **changes)
    assert next_end(hold, NOW, 100.0, retry=False) == left
    assert next_end(hold, NOW, 100.0) == waits
    assert is_over(hold, NOW, 100.0) is (left == 0)


@pytest.mark.parametrize(
    ("until", "ends_at", "shown"),
    [
        (60, 160.0, 60),
        (60, 189.9, 60),
        (60, 190.0, 90),
        (90, 160.0, 60),
        (60, None, 60),
        (None, 160.0, None),
    ],
)
def test_which_end_is_shown(
    until: int | None, ends_at: float | None, shown: int | None
) -> None:
    """The shown end follows the actual one if it differs by half a minute or more."""
    hold = replace(HOLD, until=in_s(until), ends_at=ends_at)
    assert with_shown_end(hold, NOW, 100.0).until == in_s(shown)
