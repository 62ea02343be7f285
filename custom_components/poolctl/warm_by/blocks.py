"""The blocks of heating that cost least before a time.

A row of quarter-hours ends at the requested time. Water is heated in at most four blocks
of at least half an hour each, as a heat pump should not start often, and it cools down
all the time. The search follows each course of the temperature exactly; of courses that
are nearly at the same temperature, only the cheapest. All of this is chosen.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import inf
from operator import itemgetter
from statistics import fmean
from typing import Final, NamedTuple

from ..prices.reader import Price, price_at

CELL: Final = timedelta(minutes=15)
AHEAD_OF_TIME: Final = timedelta(hours=36)
"""Time before the requested one in which blocks may lie: two nights."""
SHORTEST_BLOCK: Final = 2
"""Minimum cells of a block."""
BLOCK_TIME: Final = CELL * SHORTEST_BLOCK
_FREE: Final = 0, SHORTEST_BLOCK
"""Cells for which a block has run if it need not go on."""
MAX_STARTS: Final = 4
_EPOCH: Final = datetime.min.replace(tzinfo=UTC)
_LEVELS: Final = 40
"""Number of temperatures that the search distinguishes."""
_CLOSE: Final = 0.05
"""°C below its target at which water has it."""
_START: Final = 0.05
"""What a start costs, as a share of the difference between the prices."""
_EVEN: Final = 0.4
"""The same as a share of the mean price, less the difference."""
_RUNS: Final = 0.005
"""What each cell of a block costs besides heating, twice that at the begin of the row."""

type Blocks = tuple[tuple[int, int], ...]
"""Blocks in the order of time: their first cell, and the one after their last."""
type _Cells = tuple[int, _Cells] | None
"""Heated cells, the last one first."""


type _State = tuple[float, float, int, int, _Cells]
"""One course of the temperature up to a cell: what it has cost, the temperature, for
how many cells a block has run (up to the minimum; 0 while nothing heats), how many blocks
may still begin, and the cells. A tuple, because there are some 50,000."""
_NONE: Final[_State] = (inf, 0.0, 0, 0, None)


class Physics(NamedTuple):
    """How water is heated and cools down."""

    water: float
    """°C at the begin of the row."""
    target: float
    """°C at its end; a thermostat does not heat more."""
    air: float
    """°C of the air."""
    rise: float
    """°C by which a heater warms the water in a cell, losses aside."""
    keeps: float
    """Share of its difference to the air that the water has after a cell."""

    def after(self, cells: int) -> float:
        """Return the temperature after some cells without heating."""
        return self.air + (self.water - self.air) * self.keeps**cells


class Block(NamedTuple):
    """One time of heating."""

    start: datetime
    end: datetime


def blocks_before(
    prices: Sequence[Price],
    now: datetime,
    by: datetime,
    physics: Physics,
    begun: datetime | None,
    starts: int,
) -> tuple[Block, ...]:
    """Return the cheapest blocks from now until a time.

    The hours without a price are the dearest. `begun` is when the present block began,
    which goes on until it is long enough, and `starts` is how many may begin. If no
    blocks reach the target, one begins at once.
    """
    begin = max(now, by - AHEAD_OF_TIME)
    begin -= (begin - _EPOCH) % CELL
    costs = _costs(prices, begin, by)
    found = cheapest_blocks(costs, physics, SHORTEST_BLOCK if begun else 0, starts)
    if found is None:
        found = ((0, len(costs)),) if starts else ()
    blocks = [Block(begin + CELL * start, begin + CELL * end) for start, end in found]
    if blocks and by - blocks[-1].end < CELL:
        blocks[-1] = blocks[-1]._replace(end=by)
    return _going_on(blocks, now, now if begun is None else begun + BLOCK_TIME)


def _costs(prices: Sequence[Price], begin: datetime, by: datetime) -> tuple[float, ...]:
    """Return the price of each cell; those without one are the dearest."""
    middles = (begin + CELL * (at + 0.5) for at in range((by - begin) // CELL))
    found = [price_at(prices, middle) for middle in middles]
    known = [price for price in found if price is not None] or [0.0]
    dearest = max(known) + (max(known) - min(known)) / 10
    return tuple(dearest if price is None else price for price in found)


def _going_on(
    blocks: Sequence[Block], now: datetime, until: datetime
) -> tuple[Block, ...]:
    """Return blocks of which the present one goes on at least until a time."""
    later = [each for each in blocks if each.end > until]
    if until <= now:
        return tuple(later)
    joined = later.pop(0).end if later and later[0].start <= until else until
    return (Block(now, joined), *later)


@lru_cache(maxsize=16)
def cheapest_blocks(
    costs: tuple[float, ...],
    physics: Physics,
    run: int = 0,
    starts: int = MAX_STARTS,
) -> Blocks | None:
    """Return the cheapest blocks, `None` if none reach the target.

    A cell costs its price if the heater runs for all of it. `run` is for how many cells
    a block has run before the row, and `starts` is how many blocks may begin.
    """
    least, *leasts = _least(len(costs), physics)
    if physics.water < least:
        return None
    runs, start = _wear(costs or (0.0,), physics)
    coldest = min(physics.water, physics.after(len(costs)))
    width = max(physics.target - coldest, physics.rise) / _LEVELS
    states: Collection[_State] = [
        (0.0, physics.water, min(run, SHORTEST_BLOCK), starts, None)
    ]
    for at, cost in enumerate(costs):
        price = cost, runs * (2 - at / len(costs)), start
        cheapest: dict[tuple[int, int, int], _State] = {}
        for state in _next(states, at, price, physics):
            spent, water, run, starts, _ = state
            key = round(water / width), run, starts
            if water >= leasts[at] and spent < cheapest.get(key, _NONE)[0]:
                cheapest[key] = state
        states = cheapest.values()
    ends = [each for each in states if each[2] in _FREE]
    best = min(ends, key=itemgetter(0), default=None)
    return None if best is None else _as_blocks(best[-1])


def _wear(costs: Sequence[float], physics: Physics) -> tuple[float, float]:
    """Return what a cell of a block and a start cost besides heating.

    A break in hours of about the same price saves next to nothing. Water that has nearly
    its target has none: its thermostat rests.
    """
    price, span = fmean(map(abs, costs)), max(costs) - min(costs)
    rests = physics.target - physics.water <= physics.rise
    even = 0.0 if rests else _EVEN * price - span
    return _RUNS * (span or price), max(_START * (span or price), even)


def _least(cells: int, physics: Physics) -> Sequence[float]:
    """Return the lowest temperatures, at the begin and after each cell, that suffice."""
    _, target, air, rise, keeps = physics
    found = [target - _CLOSE]
    for _ in range(cells):
        found.append(air + (found[-1] - rise - air) / keeps)
    return found[::-1]


def _next(
    states: Iterable[_State],
    at: int,
    price: tuple[float, float, float],
    physics: Physics,
) -> Iterator[_State]:
    """Return each state after another cell, without and with heating in it.

    The price is that of heating for all of the cell, of a part of a block, of a start.
    """
    _, target, air, rise, keeps = physics
    heat, runs, start = price
    for cost, water, run, starts, cells in states:
        cooled = air + (water - air) * keeps
        if run in _FREE:
            yield cost, cooled, 0, starts, cells
        if run or starts:
            heated = max(min(cooled + rise, target), cooled)
            spent = cost + heat * (heated - cooled) / rise + runs
            spent += 0.0 if run else start
            now = min(run + 1, SHORTEST_BLOCK)
            yield spent, heated, now, starts - (not run), (at, cells)


def _as_blocks(cells: _Cells) -> Blocks:
    blocks: list[tuple[int, int]] = []
    while cells is not None:
        at, cells = cells
        end = blocks.pop()[1] if blocks and blocks[-1][0] == at + 1 else at + 1
        blocks.append((at, end))
    return tuple(reversed(blocks))
