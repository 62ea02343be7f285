"""Plans for the cheapest hours of a day."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from zoneinfo import ZoneInfo

from hypothesis import example, given, strategies as st
import pytest

from custom_components.poolctl.client.occurrences import occurrences
from custom_components.poolctl.client.pool import DAY
from custom_components.poolctl.client.wire.schedule import (
    ALL_WEEK,
    LAST_MINUTE,
    Schedule,
)
from custom_components.poolctl.prices.reader import Price
from custom_components.poolctl.schedules.planning import (
    CELL_MINUTES,
    Cells,
    Cost,
    Runs,
    cheapest,
)

SHORTEST = 6
"""Cells in half an hour, the minimum of each of two runs."""
BERLIN = ZoneInfo("Europe/Berlin")

_cost = st.one_of(st.none(), st.integers(-50, 50).map(float))
COSTS = st.lists(st.tuples(_cost, st.integers(1, 9)), max_size=8).map(
    lambda rows: [cost for cost, times in rows for _ in range(times)]
)
"""Costs of up to eight periods of one to nine cells each."""


def total(costs: Sequence[Cost], runs: Runs) -> float:
    """Return the cost of runs; fail if a cell has no price."""
    found = [costs[at] for first, count in runs for at in range(first, first + count)]
    assert None not in found
    return sum(cost for cost in found if cost is not None)


def every_way(costs: Sequence[Cost], count: int) -> list[Runs]:
    """Return all ways to use `count` cells in one run or two."""
    places = range(len(costs) + 1)
    one = [((at, count),) for at in places if at + count <= len(costs)]
    two = [
        ((at, first), (then, count - first))
        for first in range(SHORTEST, count - SHORTEST + 1)
        for at, then in combinations(places, 2)
        if at + first <= then and then + count - first <= len(costs)
    ]
    ways: list[Runs] = [*one, *two]
    unpriced = {at for at, cost in enumerate(costs) if cost is None}
    return [
        runs
        for runs in ways
        if not any(unpriced & {*range(at, at + length)} for at, length in runs)
    ]


@given(COSTS, st.integers(1, 30))
def test_nothing_is_cheaper(costs: list[Cost], count: int) -> None:
    """No plan of as many cells costs less, and no plan of more of them would fit."""
    runs = cheapest(costs, count)
    planned = sum(length for _, length in runs)
    for more in range(planned + 1, count + 1):
        assert not every_way(costs, more)
    if runs:
        ways = every_way(costs, planned)
        best = min(total(costs, way) for way in ways)
        assert total(costs, runs) == pytest.approx(best)
        # A second start of the pump must save something.
        if len(runs) == 2:
            assert all(total(costs, way) > best for way in ways if len(way) == 1)


PLAN = Schedule(slot=0, aux_type=31, start=0, end=0, weekdays=ALL_WEEK, name="HA plan")
DAYS = ["2026-07-01", "2026-03-29", "2026-10-25", "2026-02-28", "2026-12-31"]


@given(
    st.sampled_from(DAYS),
    st.integers(0, 22 * 60),
    st.lists(st.one_of(st.none(), st.floats(-500, 500)), min_size=100, max_size=100),
    st.sampled_from([15, 30, 60]),
    st.integers(1, 24 * 12),
    st.lists(st.tuples(st.integers(0, DAY), st.integers(1, 600)), max_size=2),
)
# It is planned in an hour that comes once more.
@example("2026-10-25", 176, [None] * 6 + [0.0] * 94, 30, 1, [])
# Another schedule runs over midnight.
@example("2026-07-01", 0, [1.0] * 100, 60, 12, [(22 * 60 + 3, 177)])
def test_a_schedule_runs_as_long_as_planned(
    day: str,
    minute: int,
    values: list[float | None],
    length: int,
    count: int,
    others: list[tuple[int, int]],
) -> None:
    """Days of 23 or 25 hours and missing or negative prices make no difference.

    Other schedules, given by start and length, keep their time, also over midnight.
    """
    midnight = datetime.fromisoformat(day).replace(tzinfo=BERLIN).astimezone(UTC)
    now = (midnight + timedelta(minutes=minute)).astimezone(BERLIN)
    step = timedelta(minutes=length)
    prices = [
        Price(midnight + step * at, midnight + step * (at + 1), value)
        for at, value in enumerate(values)
        if value is not None
    ]
    cells = Cells(now)
    free = cells.free(cells.priced(prices), ())
    taken = [(start, start + lasts) for start, lasts in others]
    theirs = {at % DAY for start, end in taken for at in range(start, end)}
    costs = cells.free(cells.priced(prices), taken)
    assert costs == [
        None if theirs & {*range(at, at + CELL_MINUTES)} else cost
        for at, cost in zip(cells.minutes, free, strict=True)
    ]
    runs = cheapest(costs, count)
    blocks = [cells.block(*run) for run in runs]
    schedules = {
        at: replace(PLAN, start=block.start, end=min(block.end, LAST_MINUTE))
        for at, block in enumerate(blocks)
    }
    ran = occurrences(schedules, now, cells.end, BERLIN)
    assert cells.minutes_of((run.start, run.end) for run in ran) == CELL_MINUTES * sum(
        length for _, length in runs
    )
    for run in ran:
        assert run.start.astimezone(UTC) >= now.astimezone(UTC)
        assert run.end.astimezone(UTC) <= cells.end
