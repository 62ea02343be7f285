"""Outlook: when water is heated, by which sources, and how warm it will be.

All of this is chosen:

- The sun costs nothing, so it begins first: at sunrise of that day. It will do what it
  did in the same hours of the days before, and what it has begun goes on.
- A heater begins as late as possible, or in the blocks that cost least, and only for
  what the sun will not do. If it must begin, it does, and goes on.
- Water of unknown temperature is first circulated, to read it. A heater begins only if
  that does not help.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final, NamedTuple

from ..client.pool import (
    POOL,
    SPA,
    HeatSource,
    PoolState,
    circulates,
    fitted_sources,
    heats,
    running_sources,
)
from ..learned.cooling import USUAL_AIR, Cooling
from ..learned.pool import Pool
from ..learned.warming import SUN, Sources, Warming
from .blocks import (
    CELL,
    MAX_STARTS,
    SHORTEST_BLOCK,
    SHORTEST_REST,
    Block,
    Physics,
    Task,
    no_sun,
)
from .request import AHEAD, Request

SPARE: Final = timedelta(minutes=10)
"""Time by which heating begins earlier: the water must mix, and rates are not exact. It is
twice that for water that rests: a wind may have cooled it more than usual."""
SHARE: Final = 0.05
"""Share of its rate by which a heater may be weaker."""
CLOSE: Final = 0.5
"""°C below its target from which water counts as warm."""
KEPT: Final = 1.0
"""The same once it was to be warm: a heater that keeps it warm has such steps."""
USUAL: Final = {POOL: 0.3, SPA: 3.0}
"""Rates in °C an hour until they are learned."""
LONGEST_HEATING: Final = {POOL: timedelta(hours=24), SPA: timedelta(hours=6)}
"""Longest heating time, unless a learned rate says how long it takes."""
BEGINS: Final = timedelta(minutes=10)
"""Time in which a heater that was selected begins to heat, or begins again."""
CLOUD: Final = timedelta(hours=1)
"""Time without solar heating after which the sun is not expected any more."""

_HOUR: Final = timedelta(hours=1)


class Daylight(NamedTuple):
    """Sunrise and sunset of one day."""

    sunrise: datetime
    sunset: datetime


class Plan(NamedTuple):
    """Which sources heat, and when."""

    begins: datetime
    """Time at which the first of them begins."""
    ends: Mapping[HeatSource, datetime]
    """The heat sources that should heat now, and until when."""
    reads: bool
    """Whether the water should circulate to be read."""

    @property
    def due(self) -> bool:
        """Whether something should have begun by now."""
        return bool(self.ends) or self.reads


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The forecast for one request, from what is known of its water now."""

    request: Request
    state: PoolState
    learned: Warming
    cooling: Cooling
    fitted: Sources
    """Heat sources that may heat it."""
    water: float | None
    """Temperature now in °C, estimated if the water does not circulate."""
    target: float
    """Target temperature in °C."""
    now: datetime
    daylight: Daylight | None
    claimed: Mapping[HeatSource, datetime]
    """Since when the sources heat that were begun for the request."""
    blocked: bool
    """Whether heating cannot begin: an output is held off, or the LAN is away."""
    cheapest: tuple[Block, ...] | None = None
    """The blocks that cost least; `None`: it begins as late as possible."""
    busy: tuple[Block, ...] = ()
    """When the equipment heats other water."""

    @property
    def by(self) -> datetime:
        """Time by which it is to be warm."""
        return self.request.by

    @property
    def begun(self) -> bool:
        """Whether heating has begun."""
        return bool(self.claimed)

    @property
    def warm(self) -> bool:
        """Whether the water is warm now."""
        return self.water is not None and self.water >= self.target - CLOSE

    @property
    def reads(self) -> bool:
        """Whether the water circulates only to be read."""
        return self.plan.reads and not (self.begun or self.plan.ends)

    # The plan

    @cached_property
    def plan(self) -> Plan:
        """Which sources heat, and when."""
        sun_at, blocks, until = self._sun_at(), self.blocks, self.request.until
        longest = LONGEST_HEATING[self.request.body]
        read_at = self.by - longest if self.water is None else None
        ends = dict[HeatSource, datetime]()
        if HeatSource.SOLAR in self.claimed or (sun_at and sun_at <= self.now):
            ends[HeatSource.SOLAR] = until
        if blocks and blocks[0].start <= self.now:
            ends |= dict.fromkeys(self.heaters, blocks[0].end)
        later = [start for start, end in self._planned if end > self.now]
        found = filter(None, (read_at, sun_at, self.latest, *later))
        begins = min(found, default=self.by)
        reads = read_at is not None and read_at <= self.now
        return Plan(max(begins, self.now), ends, reads)

    @property
    def heaters(self) -> Sources:
        """Its sources that are not the sun."""
        return tuple(each for each in self.fitted if each not in SUN)

    @property
    def heater_since(self) -> datetime | None:
        """Since when a heater that was started for the request goes on."""
        begun = [self.claimed[each] for each in self.heaters if each in self.claimed]
        return max(begun, default=None)

    @property
    def must(self) -> bool:
        """Whether a heater must begin, though none of the cheapest blocks has.

        The time is a promise, and the price a wish.
        """
        late = self.latest is not None and self.latest <= self.now
        return late and not any(a <= self.now < b for a, b in self._planned)

    @property
    def _planned(self) -> tuple[Block, ...]:
        return self.cheapest or ()

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Times of a heater from now; from the requested time it keeps the water warm."""
        until = self.request.until
        if self.must or self.cheapest is None:
            start = self.heater_since or (self.now if self.must else self.latest)
            return _without(Block(start, until), self.busy) if start else ()
        blocks, last = list(self.cheapest), Block(max(self.by, self.now), until)
        if blocks and blocks[-1].end >= self.by - 2 * SPARE:
            last = blocks.pop()._replace(end=until)
        blocks = [each for each in blocks if each.end > self.now]
        return *blocks, *_without(last, self.busy)

    @property
    def heating(self) -> tuple[Block, ...]:
        """Times of a heater before the requested time."""
        blocks = (each._replace(end=min(each.end, self.by)) for each in self.blocks)
        return tuple(each for each in blocks if each.start < each.end)

    @property
    def later(self) -> tuple[Block, ...]:
        """Times of heating that have not begun; those of the sun if it heats alone."""
        if not (self.blocks or self.begun):
            return (Block(self.plan.begins, self.by),)
        running = self.heater_since is not None
        return tuple(e for e in self.blocks if not running or e.start > self.now)

    @property
    def cheapest_now(self) -> Block | None:
        """The present or the next of the cheapest blocks, `None` if there is none."""
        blocks = self.heating if self.cheapest and not self.must else ()
        return next(iter(blocks), None)

    @property
    def task(self) -> Task | None:
        """What the cheapest blocks are to be found for, `None` if prices do not count."""
        wish, physics = self.request.wish, self.physics
        if not (wish and wish.prices and physics and self.rate and self.heaters):
            return None
        end, starts = self._end, MAX_STARTS - len(self.request.done)
        row = wish.costs, self.now, end, physics, self._phase, starts, self.busy
        if not self.learned.sun or self.water is None:
            return Task(*row)
        gain = no_sun if self._cloudy() else self.learned.sun_gain
        return Task(*row, gain)._replace(physics=physics._replace(water=self.water))

    @property
    def _end(self) -> datetime:
        """Time by which heaters should have heated it."""
        return self.by - SPARE * (1 if circulates(self.state, self.request.body) else 2)

    @property
    def _phase(self) -> int:
        """Phase of the present block of a heater or of its rest, in cells."""
        done = self.request.done
        if self.heater_since and done:
            phase = (self.now - done[-1].start) // CELL
            return min(max(phase, 1), SHORTEST_BLOCK)
        if done and done[-1].end <= self.now:  # else it was interrupted, and may go on
            return min((self.now - done[-1].end) // CELL - SHORTEST_REST, 0)
        return 0

    @property
    def rate(self) -> float | None:
        """The learned rate of its heat sources in °C an hour, losses included."""
        return self.learned.cautious(self.fitted)

    @cached_property
    def physics(self) -> Physics | None:
        """How heaters warm what the sun leaves, `None` if the temperature is unknown.

        It loses as much as it does now, or usually if that is more.
        """
        if (left := self._left) is None:
            return None
        rate = (self.rate or USUAL[self.request.body]) / (1 + SHARE)
        return self._physics(self.target - left, rate)

    def _physics(self, water: float, rate: float) -> Physics:
        """Return how water is heated at a rate in °C an hour in which usual losses are."""
        usual = self.cooling.per_hour(self.request.body)
        air = self.state.readings.ambient_temperature
        air = min(USUAL_AIR if air is None else air, water)
        lost = max(usual * ((water + self.target) / 2 - air), 0.0)
        cooling = self.cooling.now(self.request.body, self.now)
        return Physics(water, self.target, air, rate and rate + lost, cooling)

    def _sun_at(self) -> datetime | None:
        """Return when solar heating begins, `None` if the sun is not a source."""
        if HeatSource.SOLAR not in self.fitted:
            return None
        rate, longest = self.learned.expected(SUN), LONGEST_HEATING[self.request.body]
        begins = self.by - longest
        if self._missing is not None and rate:
            needed = self._missing / rate * (1 + SHARE) * _HOUR + SPARE
            begins = max(self.by - needed, begins)
        if self.daylight is None:
            return begins
        if self._missing is None or self._missing > CLOSE:
            begins = min(self.by, self.daylight.sunset) - longest
        return min(max(begins, self.daylight.sunrise), self.by)

    @cached_property
    def latest(self) -> datetime | None:
        """When a heater must begin, `None` if it does not exist or is not needed."""
        if self.fitted == SUN:
            return None
        if self._left is None or self.physics is None:
            return self.by - LONGEST_HEATING[self.request.body] / 2
        if HeatSource.SOLAR in self.fitted and self._left <= CLOSE:
            return None
        end = max(self._end, self.now)
        hours = self.physics.hours_to_heat((end - self.now) / _HOUR)
        if not hours:
            return self.by
        longest = self._longest(hours)
        begins = max(end - min(hours, longest / _HOUR) * _HOUR, self.by - longest)
        for start, until in reversed(self.busy):
            if start < end and until > begins:
                begins -= min(until, end) - start
        return begins

    def _longest(self, hours: float) -> timedelta:
        """Return for how long it may heat: for some hours if a learned rate says so."""
        as_learned = self.rate and hours <= AHEAD / _HOUR
        return AHEAD if as_learned else LONGEST_HEATING[self.request.body]

    @property
    def _missing(self) -> float | None:
        """How many °C the water is colder than its target, `None` if unknown."""
        return None if self.water is None else max(self.target - self.water, 0.0)

    @cached_property
    def _left(self) -> float | None:
        """How many °C the sun leaves to a heater, `None` if unknown.

        The sun counts if its hours are learned, or while it heats alone.
        """
        if self._missing is None or not (self.learned.sun or self.running == SUN):
            return self._missing
        return max(self._missing - self._by_sun(), 0.0)

    @property
    def running(self) -> Sources:
        """The sources that heat this water now, by any means."""
        return (
            running_sources(self.state) if heats(self.state, self.request.body) else ()
        )

    def _by_sun(self) -> float:
        """Return by how many °C the sun will still warm the water."""
        if (begins := self._sun_at()) is None or self._cloudy():
            return 0.0
        begins = max(begins, self.now)
        ends = min(self.by, self.daylight.sunset) if self.daylight else self.by
        if self.learned.sun:
            return self.learned.sun_gain(begins, ends)
        rate = self.learned.rate(SUN) or USUAL[self.request.body]
        return rate * max((ends - begins) / _HOUR, 0.0)

    def _cloudy(self) -> bool:
        """Return whether the sun has not heated for a while, unlike the days before."""
        since, begins = self.now - CLOUD, self._sun_at()
        usual = self.learned.sun_gain(since, self.now)
        return usual > 0 and self._idle_since(begins, SUN) < since

    def _idle_since(self, at: datetime | None, sources: Sources) -> datetime:
        """Return since when sources should heat that should have begun at a time."""
        heated = self.learned.heated_at
        times = [heated[source] for source in sources if source in heated]
        begun = max(self.claimed.values(), default=self.now)
        return max(at or self.now, begun, *times)

    # What will be

    def _heater_rate(self) -> float:
        """Return the rate in °C an hour of a heater: of the present, or once it begins."""
        usual = self.rate or USUAL[self.request.body]
        if set(self.heaters) & set(self.running):
            return self.learned.rate(self.running) or usual
        since = self._idle_since(self.heater_since, self.heaters)
        idle = self.now - since > BEGINS and not self.warm  # whose thermostat rests
        return 0.0 if idle or not self.heaters else usual

    @cached_property
    def expected(self) -> float | None:
        """Expected °C at the requested time, `None` while the temperature is unknown."""
        if self.water is None:
            return None
        blocks: Sequence[Block] = self.blocks
        if self.running and not self.begun:
            blocks = (Block(self.now, self.by),)  # by somebody's hand
        by = max(self.by, self.now)
        heated = self._physics(self.water, self._heater_rate())
        warm = heated.after(self.now, by, blocks) + self._by_sun()
        return min(warm, self.target)

    @property
    def late(self) -> bool:
        """Whether the water will not be warm in time although heating was due."""
        if self.expected is None or not (self.plan.due or self.begun):
            return False
        return self.expected < self.target - (CLOSE if self.now <= self.by else KEPT)

    @property
    def warm_at(self) -> datetime | None:
        """Time at which the target is reached, `None` if that cannot be predicted."""
        if self._missing is None:
            return None
        if not self._missing:
            return self.now
        rate, in_time = self._heater_rate(), self.expected == self.target
        if self.running:
            rate = self.learned.rate(self.running) or rate or USUAL[self.request.body]
        at = self.now + self._missing / rate * _HOUR if rate else None
        return min(at or self.by, self.by) if in_time else at


def _without(block: Block, busy: Sequence[Block]) -> tuple[Block, ...]:
    """Return what is left of a block in which the equipment is not busy."""
    found, start = [], block.start
    for each in busy:
        found.append(Block(start, min(each.start, block.end)))
        start = max(start, each.end)
    found.append(Block(start, block.end))
    return tuple(each for each in found if each.start < each.end)


def outlook(
    pool: Pool,
    request: Request,
    now: datetime,
    daylight: Daylight | None = None,
    claimed: Mapping[HeatSource, datetime] | None = None,
    *,
    blocked: bool = False,
    cheapest: tuple[Block, ...] | None = None,
    busy: tuple[Block, ...] = (),
) -> Outlook | None:
    """Return the outlook at a trusted time; `None` without a target or heat source.

    `daylight` is that of the requested day, `None` if unknown; `claimed` is since when
    sources heat for it, and `blocked` whether it cannot begin.
    """
    body, state = request.body, pool.state
    target, fitted = body.target(state), fitted_sources(state, body)
    fitted = tuple(source for source in fitted if source not in request.without)
    if target is None or not fitted:
        return None
    return Outlook(
        request=request,
        state=state,
        learned=pool.learned.warming[body],
        cooling=pool.learned.cooling[body],
        fitted=fitted,
        water=pool.water(body, now),
        target=target,
        now=now,
        daylight=daylight,
        claimed=claimed or {},
        blocked=blocked and not claimed,
        cheapest=cheapest,
        busy=busy,
    )
