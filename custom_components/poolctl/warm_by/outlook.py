"""Outlook: when heating must begin, by which sources, and how warm the water will be.

All of this is chosen:

- The sun costs nothing, so it begins first: at sunrise of that day. It will do what it
  did in the same hours of the days before.
- A heater begins as late as possible, and only for what the sun will not do.
- Water of unknown temperature is first circulated, to read it. A heater begins only if
  that does not help.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from math import exp
from typing import Final, NamedTuple

from ..client.pool.heating import (
    POOL,
    SPA,
    Body,
    fitted_sources,
    heats,
    running_sources,
)
from ..client.pool.state import PoolState
from ..client.wire.equipment import HeatSource
from ..learned.cooling import USUAL_AIR
from ..learned.pool import Pool
from ..learned.warming import SUN, Sources, Warming
from .blocks import CELL, MAX_STARTS, Block, Physics, blocks_before
from .request import Request

SPARE: Final = timedelta(minutes=10)
"""Time by which heating begins earlier: the water must mix, and rates are not exact."""
SHARE: Final = 0.05
"""Share of the heating time by which heating begins earlier, too."""
CLOSE: Final = 0.5
"""°C below its target from which water counts as warm."""
KEPT: Final = 1.0
"""The same once it was to be warm: a heater that keeps it warm has such steps."""
USUAL: Final = {POOL: 0.3, SPA: 3.0}
"""Rates in °C an hour until they are learned."""
LONGEST_HEATING: Final = {POOL: timedelta(hours=24), SPA: timedelta(hours=6)}
"""Longest heating time."""
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
    """Which sources heat, and when they begin."""

    begins: datetime
    """Time at which the first of them begins."""
    due: bool
    """Whether that time has come."""
    sources: Sources
    """The heat sources that should have begun by now: empty if water is only read."""
    blocks: tuple[Block, ...] = ()
    """Blocks of a heater that cost least, from now; empty if it begins as late as
    possible."""
    counts: bool = False
    """Whether enough is known for the prices to count."""

    @property
    def until(self) -> datetime | None:
        """When the present block ends, `None` if the heater keeps the water warm."""
        in_block = self.due and self.blocks and self.blocks[0].start <= self.begins
        return self.blocks[0].end if in_block else None


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The forecast for one request, from what is known of its water now."""

    request: Request
    state: PoolState
    learned: Warming
    fitted: Sources
    """Heat sources that may heat it."""
    water: float | None
    """Temperature now in °C, estimated if the water does not circulate."""
    target: float
    """Target temperature in °C."""
    now: datetime
    daylight: Daylight | None
    begun_at: datetime | None
    heater_begun_at: datetime | None
    cooling: float
    """Share of its difference to the air that the water loses in an hour."""
    blocked: bool
    """Whether heating cannot begin: an output is held off, or the LAN is away."""

    @property
    def body(self) -> Body:
        """The water that is requested."""
        return self.request.body

    @property
    def by(self) -> datetime:
        """Time by which it is to be warm."""
        return self.request.by

    @property
    def begun(self) -> bool:
        """Whether heating has begun."""
        return self.begun_at is not None

    @property
    def warm(self) -> bool:
        """Whether the water is warm now."""
        return self.water is not None and self.water >= self.target - CLOSE

    @property
    def reads(self) -> bool:
        """Whether the water circulates only to be read."""
        return self.plan.due and not (self.begun or self.plan.sources)

    @cached_property
    def plan(self) -> Plan:
        """Which sources heat, and when: each step adds to the one before."""
        latest, blocks = self._all_at(), self._blocks()
        if blocks and latest is not None:
            latest = min(latest, blocks[0].start)
        # Water of unknown temperature circulates, to be read.
        read_at = self.by - LONGEST_HEATING[self.body] if self.water is None else None
        found = (
            ((), read_at),
            (SUN, self._sun_at()),
            (self.fitted, latest),
        )
        steps = [(sources, at) for sources, at in found if at is not None]
        begun = [sources for sources, at in steps if at <= self.now]
        return Plan(
            begins=max(min((at for _, at in steps), default=self.by), self.now),
            due=bool(begun),
            sources=begun[-1] if begun else (),
            blocks=blocks,
            counts=self._physics() is not None,
        )

    def _blocks(self) -> tuple[Block, ...]:
        """Return the blocks that a user's wish asks for, if there is time for them.

        The time is a promise, and the price a wish: when heating must begin, it does.
        """
        wish, physics, latest = self.request.wish, self._physics(), self._all_at()
        if not (wish and wish.prices and physics and latest) or latest <= self.now:
            return ()
        starts = MAX_STARTS - len(self.request.done)
        return blocks_before(
            wish.costs, self.now, self.by - SPARE, physics, self.heater_begun_at, starts
        )

    def _physics(self) -> Physics | None:
        """Return how a heater warms the water, `None` if that is not learned."""
        rate, left = self.learned.expected(self.fitted), self._left
        if rate is None or left is None:
            return None
        left = round(max(left, 0.0), 1)  # the same plan with every read
        air = self.state.readings.ambient_temperature
        air = min(USUAL_AIR if air is None else float(round(air)), self.target - left)
        hours = CELL / _HOUR
        keeps = exp(-self.cooling * hours)
        # The learned rate is what is left of the heat in water that is half warm.
        lost = (self.target - left / 2 - air) * (1 - keeps)
        return Physics(
            water=self.target - left,
            target=self.target,
            air=air,
            rise=round(rate * hours / (1 + SHARE) + lost, 4),
            keeps=keeps,
        )

    def _sun_at(self) -> datetime | None:
        """Return when solar heating begins, `None` if the sun is not a source."""
        if HeatSource.SOLAR not in self.fitted:
            return None
        begins = self.by - self._lead(self._missing, self.learned.expected(SUN))
        if self.daylight is None:
            return begins
        if self._missing is None or self._missing > CLOSE:
            begins = min(self.by, self.daylight.sunset) - LONGEST_HEATING[self.body]
        return min(max(begins, self.daylight.sunrise), self.by)

    def _all_at(self) -> datetime | None:
        """Return when a heater begins, `None` if it does not exist or is not needed."""
        if self.fitted == SUN:
            return None
        if (left := self._left) is None:
            return self.by - LONGEST_HEATING[self.body] / 2
        if HeatSource.SOLAR in self.fitted and left <= CLOSE:
            return None
        rate = self.learned.expected(self.fitted) or USUAL[self.body]
        return self.by - self._lead(left, rate)

    def _lead(self, missing: float | None, rate: float | None) -> timedelta:
        """Return how long sources of a rate in °C an hour need for some °C."""
        longest = LONGEST_HEATING[self.body]
        if missing is None or rate is None:
            return longest
        hours = max(missing, 0.0) / rate * (1 + SHARE)
        return min(hours * _HOUR + SPARE, longest)

    @property
    def _missing(self) -> float | None:
        """How many °C the water is colder than its target, `None` if unknown."""
        return None if self.water is None else max(self.target - self.water, 0.0)

    @property
    def _left(self) -> float | None:
        """How many °C the sun leaves to a heater, `None` if unknown.

        The sun counts if its hours are learned, or while it heats alone.
        """
        if self._missing is None or not (self.learned.sun or self._running == SUN):
            return self._missing
        return self._missing - self._by_sun()

    @property
    def _running(self) -> Sources:
        """The sources that heat this water now."""
        return running_sources(self.state) if heats(self.state, self.body) else ()

    def _by_sun(self) -> float:
        """Return by how many °C the sun will still warm the water."""
        if (begins := self._sun_at()) is None or self._cloudy():
            return 0.0
        begins = max(begins, self.now)
        ends = min(self.by, self.daylight.sunset) if self.daylight else self.by
        if self.learned.sun:
            return self.learned.sun_gain(begins, ends)
        rate = self.learned.rate(SUN) or USUAL[self.body]
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
        return max(at or self.now, self.begun_at or self.now, *times)

    def _heater_rate(self) -> float:
        """Return the rate in °C an hour of a heater: of the present, or once it begins."""
        heaters = tuple(each for each in self.fitted if each not in SUN)
        usual = self.learned.expected(self.fitted) or USUAL[self.body]
        if set(heaters) & set(self._running):
            return self.learned.rate(self._running) or usual
        idle = self.now - self._idle_since(self._all_at(), heaters) > BEGINS
        return 0.0 if idle or not heaters else usual

    @cached_property
    def expected(self) -> float | None:
        """Expected °C at the requested time, `None` while the temperature is unknown."""
        if self.water is None:
            return None
        hours = max((self.by - self.now) / _HOUR, 0.0)
        gain = max(self._by_sun(), self._heater_rate() * hours)
        return min(self.water + gain, self.target)

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
        if self._running:
            rate = self.learned.rate(self._running) or rate or USUAL[self.body]
        at = self.now + self._missing / rate * _HOUR if rate else None
        return min(at or self.by, self.by) if in_time else at


def outlook(
    pool: Pool,
    request: Request,
    now: datetime,
    daylight: Daylight | None = None,
    begun: datetime | None = None,
    *,
    heater_begun: datetime | None = None,
    blocked: bool = False,
) -> Outlook | None:
    """Return the outlook at a trusted time; `None` without a target or heat source.

    `daylight` is that of the requested day, `None` if unknown; `begun` is when heating
    was begun, `heater_begun` the same of a heater, and `blocked` whether it cannot begin.
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
        fitted=fitted,
        water=pool.water(body, now),
        target=target,
        now=now,
        daylight=daylight,
        begun_at=begun,
        heater_begun_at=heater_begun,
        cooling=pool.learned.cooling[body].per_hour(body),
        blocked=blocked and begun is None,
    )
