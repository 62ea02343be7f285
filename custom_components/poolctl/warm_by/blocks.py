"""The blocks of heating that cost least before a time.

A row of quarter-hours ends at the requested time. Water is heated in at most four blocks
of at least half an hour each, as a heat pump should not start often, and it cools down
all the time. The search follows each course of the temperature exactly; of courses that
are nearly at the same temperature, only the cheapest. All of this is chosen.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
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
_RUNS: Final = 0.005
"""What each cell of a block costs besides heating, twice that at the begin of the row."""

type Blocks = tuple[tuple[int, int], ...]
"""Blocks in the order of time: their first cell, and the one after their last."""
type _Cells = tuple[int, _Cells] | None
"""Heated cells, the last one first."""


class _State(NamedTuple):
    """One course of the temperature up to a cell, and what it has cost."""

    cost: float
    water: float
    run: int
    """Cells for which a block has run, up to the minimum; 0 while nothing heats."""
    starts: int
    """How many blocks may still begin."""
    cells: _Cells


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
    target, rise = physics.target, physics.rise
    span = max(costs, default=0.0) - min(costs, default=0.0) or 1.0
    width = max(target - physics.water, rise) / _LEVELS
    states = [_State(0.0, physics.water, min(run, SHORTEST_BLOCK), starts, None)]
    for at, cost in enumerate(costs):
        runs = _RUNS * span * (2 - at / len(costs))
        cheapest: dict[tuple[int, int, int], _State] = {}
        for state in _next(states, at, (cost, runs, _START * span), physics):
            key = round(state.water / width), state.run, state.starts
            if key not in cheapest or state.cost < cheapest[key].cost:
                cheapest[key] = state
        states = list(cheapest.values())
    ends = [
        each for each in states if each.run in _FREE and each.water >= target - _CLOSE
    ]
    best = min(ends, key=lambda state: state.cost, default=None)
    return None if best is None else _as_blocks(best.cells)


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
            yield _State(cost, cooled, 0, starts, cells)
        if run or starts:
            heated = max(min(cooled + rise, target), cooled)
            spent = cost + heat * (heated - cooled) / rise + runs
            spent += 0.0 if run else start
            now = min(run + 1, SHORTEST_BLOCK)
            yield _State(spent, heated, now, starts - (not run), (at, cells))


def _as_blocks(cells: _Cells) -> Blocks:
    blocks: list[tuple[int, int]] = []
    while cells is not None:
        at, cells = cells
        end = blocks.pop()[1] if blocks and blocks[-1][0] == at + 1 else at + 1
        blocks.append((at, end))
    return tuple(reversed(blocks))
