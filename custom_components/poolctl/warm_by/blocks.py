"""The blocks of heating that cost least before a time.

A row of quarter-hours ends at the requested time. Water is heated in a few blocks of at
least half an hour with rests of at least an hour, as a heat pump should not start often,
and it cools down all the time. The search follows each course of the temperature
exactly; of courses that are nearly at the same temperature, only the cheapest. All of
this is chosen.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import exp, inf, log
from operator import itemgetter
from statistics import fmean
from typing import Final, NamedTuple

from homeassistant.util import dt as dt_util

from ..prices.reader import Price, price_at

CELL: Final = timedelta(minutes=15)
AHEAD_OF_TIME: Final = timedelta(hours=36)
"""Time before the requested one in which blocks may lie: two nights."""
SHORTEST_BLOCK: Final = 2
"""Minimum cells of a block."""
SHORTEST_REST: Final = 4
"""Minimum cells between two blocks."""
MAX_STARTS: Final = 4
"""Maximum starts of a heater for a request."""
TOLERANCE: Final = 0.1
"""°C below its target at which water has it: a step of the probe."""
_HOUR: Final = timedelta(hours=1)
_EPOCH: Final = datetime.min.replace(tzinfo=UTC)
_LEVELS: Final = 40
"""Number of temperatures that the search distinguishes."""
_START: Final = 0.3
"""What a start costs, in cells at the mean price of the hours around."""
_AROUND: Final = 8
"""Cells before and after one that are around it."""
_RUNS: Final = 0.05
"""What each cell of a block costs besides heating, as a share of the mean price: the pump
runs. It is twice that at the begin of the row."""
_GAIN: Final = 0.05
"""Share of its cost by which another plan must be cheaper than the present one."""
_DAYS: Final = 7
"""Number of days before, and then the next one, in which the same hour stands for one without a price."""

type _State = tuple[float, float, int, int, int]
"""One course of the temperature up to a cell: what it has cost, the temperature, its
phase, how many blocks may still begin, and a bit for each heated cell. The phase is for
how many cells a block has run, up to the minimum; below 0, how many cells its rest still
needs."""
_NONE: Final[_State] = (inf, 0.0, 0, 0, 0)


def no_sun(start: datetime, end: datetime) -> float:
    """Return 0 °C: the sun does not warm the water."""
    return 0.0


class Heated(NamedTuple):
    """Cells that are heated in, and what that costs."""

    cost: float
    bits: int
    """A bit for each of the cells."""

    @property
    def cells(self) -> Sequence[int]:
        """Their numbers, in order."""
        return [at for at in range(self.bits.bit_length()) if self.bits >> at & 1]


class Block(NamedTuple):
    """One time of heating."""

    start: datetime
    end: datetime


type Gain = Callable[[datetime, datetime], float]
"""Returns by how many °C the sun warms the water from one time to another."""


class Physics(NamedTuple):
    """How water is heated and cools down."""

    water: float
    """°C now."""
    target: float
    """°C at the end; a thermostat does not heat more."""
    air: float
    """°C of the air."""
    gross: float
    """°C an hour by which a heater warms the water, losses aside."""
    cooling: float
    """Share of its difference to the air that the water loses in an hour."""

    def cooled(self, hours: float) -> float:
        """Return the temperature after some hours without heating."""
        return self.air + (self.water - self.air) * exp(-self.cooling * hours)

    def warmed(self, water: float, rise: float) -> float:
        """Return the temperature of water after a rise, which ends at the target."""
        return max(min(water + rise, self.target), water)

    def hours_to_heat(self, within: float) -> float:
        """Return for how many of the next hours it must be heated, the last ones.

        What the water loses before counts, too. It is infinite if they do not suffice.
        """
        missing = self.target - TOLERANCE - self.cooled(within)
        if missing <= 0:
            return 0.0
        if not self.cooling:
            return missing / self.gross if self.gross else inf
        left = 1 - missing * self.cooling / self.gross if self.gross else 0.0
        return -log(left) / self.cooling if left > 0 else inf

    def after(
        self,
        now: datetime,
        then: datetime,
        blocks: Iterable[Block],
        gain: Gain = no_sun,
    ) -> float:
        """Return the temperature at a time, heated in some blocks and by the sun."""
        water, blocks = self.water, list(blocks)
        edges = {now, then, *(at for each in blocks for at in each if now < at < then)}
        for start, end in pairwise(sorted(edges)):
            hours = (end - start) / _HOUR
            keeps = exp(-self.cooling * hours)
            water = self.warmed(self.air + (water - self.air) * keeps, gain(start, end))
            if any(a <= start < b for a, b in blocks):
                warms = (1 - keeps) / self.cooling if self.cooling else hours
                water = self.warmed(water, self.gross * warms)
        return water


class Task(NamedTuple):
    """What the cheapest blocks are wanted for."""

    prices: tuple[Price, ...]
    """What heating costs, as far as it is known, of earlier days, too."""
    now: datetime
    end: datetime
    """When the water is to have its target."""
    physics: Physics
    phase: int
    """Phase of the present block or rest."""
    starts: int
    """How many blocks may begin."""
    busy: tuple[Block, ...] = ()
    """When the water cannot be heated."""
    gain: Gain = no_sun

    @property
    def begin(self) -> datetime:
        """Begin of the row of cells."""
        return whole_cell(max(self.now, self.end - AHEAD_OF_TIME))

    @property
    def row(self) -> tuple[datetime, ...]:
        """The begins of its cells."""
        cells = range((self.end - self.begin) // CELL)
        return tuple(self.begin + CELL * at for at in cells)

    @property
    def costs(self) -> tuple[float, ...]:
        """What each cell costs; infinite if it cannot be heated in."""
        busy = self.cells_of(self.busy)
        lowest = min((price.value for price in self.prices), default=0.0)
        return tuple(
            inf if at in busy else cost_at(self.prices, start + CELL / 2, lowest)
            for at, start in enumerate(self.row)
        )

    @property
    def gains(self) -> tuple[float, ...]:
        """By how many °C the sun warms the water in each cell."""
        return tuple(self.gain(start, start + CELL) for start in self.row)

    def cells_of(self, blocks: Iterable[Block]) -> set[int]:
        """Return the cells whose middle is in some blocks."""
        middles = [(at, start + CELL / 2) for at, start in enumerate(self.row)]
        return {at for a, b in blocks for at, middle in middles if a <= middle < b}


def whole_cell(at: datetime) -> datetime:
    """Return the begin of the cell in which a time is."""
    return at - (at - _EPOCH) % CELL


def cost_at(prices: Sequence[Price], at: datetime, unknown: float) -> float:
    """Return the price at a time, or that of the same hour of the newest known day."""
    for days in (*range(_DAYS + 1), -1):
        day = dt_util.as_local(at) - timedelta(days=days)
        if (price := price_at(prices, dt_util.as_utc(day))) is not None:
            return price
    return unknown


def cheapest_blocks(
    task: Task, present: Sequence[Block] | None = None
) -> tuple[Block, ...] | None:
    """Return the cheapest blocks from now until a time, `None` if none suffice.

    The last start is for the time itself: its block goes on. The present plan stays
    unless it no longer suffices, or another one is cheaper by some percent.
    """
    row = task.costs, task.gains, task.physics, task.phase, task.starts
    if (found := cheapest_cells(*row)) is None:
        return None
    known = cheapest_cells(*row, plan=task.cells_of(present)) if present else None
    if known and known.cost <= found.cost + _GAIN * abs(found.cost):
        found = known
    blocks: list[Block] = []
    for at in found.cells:
        start = task.begin + CELL * at
        if blocks and blocks[-1].end == start:
            start = blocks.pop().start
        blocks.append(Block(start, task.begin + CELL * (at + 1)))
    if blocks and task.end - blocks[-1].end < CELL:
        blocks[-1] = blocks[-1]._replace(end=task.end)
    return tuple(blocks)


def _of_a_cell(physics: Physics) -> tuple[float, float]:
    """Return by how many °C a cell of heating warms the water, and what share it keeps."""
    hours = CELL / _HOUR
    keeps = exp(-physics.cooling * hours)
    return physics.gross * hours, keeps


def _mean(costs: Sequence[float]) -> float:
    """Return about how large some costs are."""
    return fmean([abs(cost) for cost in costs if cost < inf] or [0.0])


def _may_heat(state: _State) -> bool:
    """Return whether heating goes on, or may begin."""
    _, _, phase, starts, _ = state
    return phase > 0 or (phase == 0 and starts > 0)


def cheapest_cells(
    costs: Sequence[float],
    gains: Sequence[float],
    physics: Physics,
    phase: int = 0,
    starts: int = MAX_STARTS,
    plan: Collection[int] | None = None,
) -> Heated | None:
    """Return the cells whose heating costs least, `None` if none suffice.

    With a plan, they are its cells.

    A cell costs its price if the heater runs for all of it. A block that runs at the end
    goes on; if none does, one more start must be left.
    """
    rise, keeps = _of_a_cell(physics)
    target, air = physics.target, physics.air
    least = [target - TOLERANCE]
    for gain in reversed(gains):
        least.append(air + (least[-1] - rise - gain - air) / keeps)
    least.reverse()
    if physics.water < least[0]:
        return None
    coldest = min(physics.water, physics.cooled(len(costs) * (CELL / _HOUR)))
    width = max(target - coldest, rise) / _LEVELS
    price = _mean(costs)
    states: Collection[_State] = [(0.0, physics.water, phase, starts, 0)]
    for at, cost in enumerate(costs):
        runs = _RUNS * price * (2 - at / len(costs))
        start = _START * _mean(costs[max(at - _AROUND, 0) : at + _AROUND])
        paid = at, cost, gains[at], runs, start
        cheapest: dict[tuple[int, int, int], _State] = {}
        for state in _next(states, paid, physics):
            spent, water, after, left, heated = state
            if plan is not None and (at in plan) != (heated >> at):
                continue
            key = round(water / width), after, left
            if water >= least[at + 1] and spent < cheapest.get(key, _NONE)[0]:
                cheapest[key] = state
        states = cheapest.values()
    best = min(filter(_may_heat, states), key=itemgetter(0), default=_NONE)
    if best is _NONE:
        return None
    return Heated(best[0], best[-1])


def _next(
    states: Iterable[_State],
    paid: tuple[int, float, float, float, float],
    physics: Physics,
) -> Iterator[_State]:
    """Return each state after another cell, without and with heating in it.

    Of the cell: its number, the price for all of it (infinite if it is not possible), by
    how many °C the sun warms the water, and what more it costs and a start in it costs.
    """
    at, cost, gain, runs, start = paid
    rise, keeps = _of_a_cell(physics)
    for state in states:
        spent, water, phase, starts, cells = state
        cooled = physics.warmed(physics.air + (water - physics.air) * keeps, gain)
        if phase != 1:
            rests = 1 - SHORTEST_REST if phase > 0 else min(phase + 1, 0)
            yield spent, cooled, rests, starts, cells
        if cost < inf and _may_heat(state):
            heated = physics.warmed(cooled, rise)
            paid_for = spent + cost * (heated - cooled) / rise + runs
            block, run = cells | 1 << at, min(phase + 1, SHORTEST_BLOCK)
            if phase:
                yield paid_for, heated, run, starts, block
            else:
                yield paid_for + start, heated, run, starts - 1, block
