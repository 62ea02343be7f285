"""The cheapest minutes of a day, as at most two blocks of a total length (chosen).

This module does not depend on a controller. A day is a row of five-minute cells; a cell
without a price, or in which the pump runs anyway, is not used for a block.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, groupby, pairwise
from math import inf

from ..client.pool import DAY, minute_of_day
from ..learned.read import start_of_day
from ..prices.reader import Price
from .plan import MAX_BLOCKS, PumpRun

CELL_MINUTES = 5
"""Minutes of a cell, the unit of a plan."""
_SHORTEST = 30 // CELL_MINUTES
"""Minimum cells of each of two blocks: a pump should not start for five minutes."""

_SAME = 1e-9
"""Difference up to which costs are equal: sums of floats are not exact."""

type Cost = float | None
"""Cost of a cell in any unit; `None` if it has no price or cannot be used."""
type Runs = tuple[tuple[int, int], ...]
"""Runs of consecutive cells: index of the first one, and number of cells."""


class Cells:
    """The rest of a local day, in cells of five minutes of elapsed time."""

    def __init__(self, now: datetime) -> None:
        cell = timedelta(minutes=CELL_MINUTES)
        zone, today = now.tzinfo, now.date()
        midnight = start_of_day(today, zone)
        end = start_of_day(today + timedelta(days=1), zone)
        begin = midnight - (midnight - now) // cell * cell
        self.starts = [begin + cell * at for at in range((end - begin) // cell)]
        self.end = end
        local = [each.astimezone(zone) for each in (*self.starts, end)]
        self.minutes = [minute_of_day(each) for each in local[:-1]]
        """Wall-clock time of each cell, in minutes after midnight."""
        self._doubtful = {
            at for at, pair in enumerate(pairwise(local)) if _shifts(*pair)
        }

    def priced(self, prices: Iterable[Price]) -> list[Cost]:
        """Return the cost of each cell, `None` if it has no price."""
        costs: list[Cost] = [None] * len(self.starts)
        for price in prices:
            start = bisect_left(self.starts, price.start)
            for at in range(start, bisect_left(self.starts, price.end)):
                costs[at] = price.value
        return costs

    def near(self, minute: float) -> list[float]:
        """Return costs that are lower the nearer a cell is to a wall-clock time."""
        return [abs(each + CELL_MINUTES / 2 - minute) for each in self.minutes]

    def free(
        self, costs: Iterable[Cost], taken: Iterable[tuple[int, int]]
    ) -> list[Cost]:
        """Return costs, `None` for cells within `taken`: minutes, also past 1440."""
        spans = [
            (start + shift, end + shift) for start, end in taken for shift in (-DAY, 0)
        ]
        return [
            None
            if at in self._doubtful
            or any(
                start < minute + CELL_MINUTES and minute < end for start, end in spans
            )
            else cost
            for at, (cost, minute) in enumerate(zip(costs, self.minutes, strict=True))
        ]

    def minutes_of(self, runs: Iterable[tuple[datetime, datetime]]) -> float:
        """Return how many minutes of the rest of the day some runs cover."""
        covered, until = timedelta(), self.starts[0] if self.starts else self.end
        for start, end in sorted(runs):
            first, last = max(start, until), min(end, self.end)
            if first < last:
                covered, until = covered + (last - first), last
        return covered / timedelta(minutes=1)

    def block(self, first: int, count: int) -> PumpRun:
        """Return a run of cells as a block that a schedule can have."""
        return PumpRun(
            self.minutes[first], self.minutes[first + count - 1] + CELL_MINUTES
        )


def _shifts(start: datetime, end: datetime) -> bool:
    """Return whether a local time occurs twice, or the clock changes at its end.

    A controller may change to or from daylight saving at another moment.
    """
    offsets = {start.replace(fold=fold).utcoffset() for fold in (0, 1)}
    return offsets != {end.utcoffset()}


def completed(costs: Sequence[Cost], spare: Sequence[float]) -> list[Cost]:
    """Return costs in which all cells without a price come last, in the order of `spare`.

    Each of them costs more than all that have a price together.
    """
    known = [cost for cost in costs if cost is not None]
    low, span = min(known), (max(known) - min(known)) or 1.0
    dear, far = float(len(costs)), max(spare) or 1.0
    return [
        dear + other / far if cost is None else (cost - low) / span
        for cost, other in zip(costs, spare, strict=True)
    ]


def cheapest(costs: Sequence[Cost], count: int) -> Runs:
    """Return the cheapest one or two runs that have `count` cells in all.

    If so many do not fit into two runs, the result has as many as fit. At equal cost,
    one run is preferred to two, and an earlier run to a later one.
    """
    sums = list(accumulate((cost or 0.0 for cost in costs), initial=0.0))
    free = [0]
    """Number of consecutive usable cells that end before each index."""
    for cost in costs:
        free.append(0 if cost is None else free[-1] + 1)
    for fitting in range(min(count, _room(costs)), 0, -1):
        lengths = (fitting, *range(_SHORTEST, fitting - _SHORTEST + 1))
        best: float = inf
        chosen: Runs = ()
        for first in lengths:
            cost, runs = _cheapest_pair(sums, free, first, fitting - first)
            if cost < best - _SAME:
                best, chosen = cost, runs
        if chosen:
            return chosen
    return ()


def _room(costs: Sequence[Cost]) -> int:
    """Return the number of cells in the two longest rows of usable cells."""
    rows = [
        len(list(cells))
        for priced, cells in groupby(costs, key=lambda cost: cost is not None)
        if priced
    ]
    return sum(sorted(rows)[-MAX_BLOCKS:])


def _cheapest_pair(
    sums: Sequence[float], free: Sequence[int], first: int, second: int
) -> tuple[float, Runs]:
    """Return the cheapest run of `first` cells and one of `second` after it, if any."""
    best: float = inf
    chosen: Runs = ()
    best_first, begin = inf, 0
    for end in range(first, len(sums) - second):
        if free[end] >= first and sums[end] - sums[end - first] < best_first - _SAME:
            best_first, begin = sums[end] - sums[end - first], end - first
        if free[end + second] < second:
            continue
        cost = best_first + sums[end + second] - sums[end]
        if cost < best - _SAME:
            best, chosen = cost, ((begin, first), (end, second))
    return best, chosen if second else chosen[:1]
