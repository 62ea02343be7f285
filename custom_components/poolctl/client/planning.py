"""Which minutes of a day cost least: at most two blocks of a length, all of it chosen.

Nothing here knows a controller. A day is a row of cells of five minutes; a cell without a
price, or in which the pump runs anyway, is in no block.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import accumulate, groupby
from math import inf

from .schedule import DAY

CELL = 5
"""Minutes: plans are made in these."""
MAX_BLOCKS = 2
_SHORTEST = 30 // CELL
"""Cells of the shorter one of two blocks: no pump starts for five minutes."""

_SAME = 1e-9
"""Sums of floats differ in their last digits."""

type Cost = float | None
"""Of a cell, in any unit; `None` without a price or a place."""
type Runs = tuple[tuple[int, int], ...]
"""Cells in a row: the first one, and how many."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of every day, in minutes after midnight by the clock on the wall."""

    start: int
    end: int
    """1440 is midnight; one before `start` is on the next day."""

    @property
    def minutes(self) -> int:
        """How long it lasts."""
        return (self.end - self.start) % DAY or DAY


@dataclass(frozen=True, slots=True)
class Price:
    """What a stretch of time costs, in any unit; the same every hour of it."""

    start: datetime
    end: datetime
    value: float


class Cells:
    """The rest of a local day, in cells of five minutes of real time."""

    def __init__(self, now: datetime) -> None:
        """Begin with the next whole cell of a local time."""
        cell = timedelta(minutes=CELL)
        zone, today = now.tzinfo, now.date()
        midnight, end = (
            datetime.combine(day, time(), zone).astimezone(UTC)
            for day in (today, today + timedelta(days=1))
        )
        begin = midnight - (midnight - now) // cell * cell
        self.starts = [begin + cell * at for at in range((end - begin) // cell)]
        self.end = end
        local = [each.astimezone(zone) for each in self.starts]
        self.minutes = [each.hour * 60 + each.minute for each in local]
        """On the wall, of each cell."""
        offsets = [each.utcoffset() for each in local]
        times = Counter(self.minutes)
        # A controller may put its clock forward or back at another moment than we do.
        self._doubtful = {
            at
            for at, minute in enumerate(self.minutes)
            if times[minute] > 1 or offsets[at : at + 2] != offsets[at : at + 1] * 2
        } - {len(self.starts) - 1}

    def priced(self, prices: Iterable[Price]) -> list[Cost]:
        """Return what each cell costs; the last price of a moment counts."""
        costs: list[Cost] = [None] * len(self.starts)
        for price in prices:
            for at in self._between(price.start, price.end):
                costs[at] = price.value
        return costs

    def near(self, minute: float) -> list[Cost]:
        """Return costs that are less, the nearer a cell is to a time on the wall."""
        return [abs(each + CELL / 2 - minute) for each in self.minutes]

    def free(
        self, costs: Iterable[Cost], taken: Iterable[tuple[int, int]]
    ) -> list[Cost]:
        """Return costs without those of cells that no block may have.

        `taken` are times on the wall, in minutes after midnight and beyond.
        """
        spans = [
            (start + shift, end + shift) for start, end in taken for shift in (-DAY, 0)
        ]
        return [
            None
            if at in self._doubtful
            or any(start < minute + CELL and minute < end for start, end in spans)
            else cost
            for at, (cost, minute) in enumerate(zip(costs, self.minutes, strict=True))
        ]

    def minutes_of(self, runs: Iterable[tuple[datetime, datetime]]) -> float:
        """Return how many minutes of the rest of the day are within some runs."""
        now = self.starts[0] if self.starts else self.end
        spans = [(max(start, now), min(end, self.end)) for start, end in runs]
        seconds = sum((end - start).total_seconds() for start, end in _merged(spans))
        return seconds / 60

    def block(self, first: int, count: int) -> Block:
        """Return cells as they are written into a schedule."""
        return Block(self.minutes[first], self.minutes[first + count - 1] + CELL)

    def _between(self, start: datetime, end: datetime) -> range:
        """Return the cells that begin in a stretch of time."""
        return range(bisect_left(self.starts, start), bisect_left(self.starts, end))


def _merged(
    spans: Iterable[tuple[datetime, datetime]],
) -> list[tuple[datetime, datetime]]:
    """Return stretches of time without what they share."""
    merged: list[tuple[datetime, datetime]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def cheapest(costs: Sequence[Cost], count: int) -> Runs:
    """Return at most two runs of cells, so many in all, that cost least.

    Where so many do not fit into two, as many as do. One run is chosen where two do not
    cost less, the earlier one where later ones do not.
    """
    sums = list(accumulate((cost or 0.0 for cost in costs), initial=0.0))
    free = [0]
    """Cells in a row that end before each."""
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
    """Return how many cells there are in the two longest rows with prices."""
    rows = [
        len(list(cells))
        for priced, cells in groupby(costs, key=lambda cost: cost is not None)
        if priced
    ]
    return sum(sorted(rows)[-MAX_BLOCKS:])


def _cheapest_pair(
    sums: Sequence[float], free: Sequence[int], first: int, second: int
) -> tuple[float, Runs]:
    """Return the cheapest run of one length with one of another after it, if any."""
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
