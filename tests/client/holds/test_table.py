"""Holds: what every event does in every state, cell by cell of the table."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from custom_components.poolctl.client import holds
from custom_components.poolctl.client.holds.claim import Doubt, End, Event, State, after
from custom_components.poolctl.client.holds.hold import Hold

NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
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
PREVIOUS = Hold(slot=2, on=True, since=NOW)
HOLD = Hold(
    slot=2,
    on=False,
    since=NOW,
    until=NOW + timedelta(hours=1),
    end=End.SCHEDULE,
    schedules=(0,),
    previous=PREVIOUS,
    doubt=Doubt(5.0, by_cloud=False),
    tries=3,
    retry_at=9.0,
)


def test_the_table_is_complete() -> None:
    assert len(CELLS) == len(State) * len(Event)


@pytest.mark.parametrize(("state", "event", "cell"), CELLS)
def test_a_cell(state: State, event: Event, cell: str) -> None:
    hold = replace(HOLD, state=state)
    found = after(hold, event)
    if cell in ("over", "previous"):
        assert found is (None if cell == "over" else PREVIOUS)
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


@pytest.mark.parametrize(
    "other",
    [
        replace(HOLD, on=True),
        replace(HOLD, needed=False),
        replace(HOLD, end=End.DURATION),
    ],
    ids=["on", "not needed", "a duration"],
)
def test_only_a_schedule_is_watched(other: Hold) -> None:
    assert after(replace(other, state=State.RELEASING), Event.RELEASED) is None


def test_what_needs_no_hold() -> None:
    """Once confirmed, it stays requested until reads show that no override was set."""
    hold = replace(HOLD, state=State.REQUESTED, needed=False)
    confirmed = after(hold, Event.CONFIRMED)
    assert confirmed is not None
    assert (confirmed.state, confirmed.previous) == (State.REQUESTED, None)
    assert after(confirmed, Event.GONE) is None
