"""Warming: how fast a body of water gets warmer, learned while something heats it.

A session is one time of heating, without a break, by the same heat sources: solar heating
and a heater are not mixed. Its rate is the slope of the line that fits its readings best,
so that neither their resolution (0.1 °C) nor their noise counts for much. All of this is
chosen:

- What is read before the water has mixed is left out: pipes hold other water.
- A session tells a rate only after some time and some rise, and only a possible one.
- A reading that jumps is of other water, and after a gap nobody knows what happened:
  the session ends there, and another begins.
- What is known is the mean of sessions, of which a newer one counts more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Self

from ..client.control.store import MAX_AGE
from ..client.equipment import HeatSource
from ..client.pool.heating import (
    Body,
    heats,
    running_sources,
    sources_to_select,
    temperature,
)
from ..client.pool.state import PoolState, Source
from ..client.stored import Stored, each, number, text

SETTLES: Final = 300.0
"""s that the water takes to mix."""
JUMP: Final = 0.5
"""°C between two readings; heating takes minutes for as much."""
ENOUGH_TIME: Final = 600.0
"""s of readings."""
ENOUGH_RISE: Final = 0.5
"""°C: five times the resolution."""
LONGEST: Final = 12 * 3600.0
"""s; a heat pump may run for days, and what it did then is not what it does now."""
SLOWEST, FASTEST = 0.05, 20.0
"""°C an hour that are possible: from a large pool to a small spa."""
WEIGHT: Final = 0.3
"""Of the newest session in the mean."""

_HOUR: Final = 3600.0

type Sources = tuple[HeatSource, ...]
"""What heats at the same time, in the order of `HeatSource`."""


@dataclass(frozen=True, slots=True)
class LearnedRate:
    """How fast a water gets warmer with certain heat sources."""

    sources: Sources
    per_hour: float
    """°C."""

    @classmethod
    def from_stored(cls, value: object) -> Self:
        """Return what was stored; raises as readers do for anything else."""
        *sources, per_hour = each(lambda item: item)(value)
        return cls(
            tuple(HeatSource(text(source)) for source in sources),
            number(SLOWEST, FASTEST)(per_hour),
        )


class Line(NamedTuple):
    """The line that fits readings best, as the sums that it follows from."""

    number: int = 0
    """Of readings."""
    x: float = 0.0
    """Hours."""
    y: float = 0.0
    """°C."""
    xx: float = 0.0
    xy: float = 0.0

    def through(self, x: float, y: float) -> Line:
        """Return the line after another reading."""
        return Line(
            self.number + 1, self.x + x, self.y + y, self.xx + x * x, self.xy + x * y
        )

    @property
    def slope(self) -> float:
        """°C an hour, 0 where the readings are of one moment."""
        spread = self.number * self.xx - self.x * self.x
        return (self.number * self.xy - self.x * self.y) / spread if spread > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Session:
    """One time of heating, with its newest reading. Times are monotonic, in s."""

    sources: Sources
    begun: float
    at: float
    temperature: float
    """°C."""
    line: Line = Line()
    """From the time on at which the water has mixed, in hours from then."""

    def goes_on(self, sources: Sequence[HeatSource], at: float, now: float) -> bool:
        """Return whether a reading of a time, in °C, is of this session."""
        return (
            sources == self.sources
            and 0 <= at - self.at <= MAX_AGE
            and abs(now - self.temperature) <= JUMP
            and at - self.begun <= LONGEST
        )

    def then(self, at: float, now: float) -> Session:
        """Return the session after a reading in °C."""
        line, mixed = self.line, at - self.begun - SETTLES
        if mixed >= 0:
            line = line.through(mixed / _HOUR, now)
        return replace(self, at=at, temperature=now, line=line)

    @property
    def rate(self) -> float | None:
        """°C an hour, `None` while it tells none."""
        seconds = self.at - self.begun - SETTLES
        slope = self.line.slope
        if seconds < ENOUGH_TIME or slope * seconds < ENOUGH_RISE * _HOUR:
            return None
        return slope if SLOWEST <= slope <= FASTEST else None


@dataclass(frozen=True, slots=True)
class Warming:
    """What was learned of one body of water."""

    rates: tuple[LearnedRate, ...] = ()
    """Of the sessions that are over."""
    session: Session | None = field(default=None, compare=False)
    """The one that lasts."""

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored: a session that lasted is over."""
        return cls(stored.list("rates", LearnedRate.from_stored))

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        return {"rates": [[*rate.sources, rate.per_hour] for rate in self.rates]}

    def then(self, sources: Sources, at: float, now: float | None) -> Warming:
        """Return what is known after a reading, of a time and in °C.

        `sources` is what heats, none where nothing does or the reading is not of this
        water.
        """
        if not sources or now is None:
            return self._over()
        session = self.session
        if session is not None and session.goes_on(sources, at, now):
            return replace(self, session=session.then(at, now))
        return replace(self._over(), session=Session(sources, at, at, now))

    def _over(self) -> Warming:
        """Return what is known once the session is over."""
        if (session := self.session) is None:
            return self
        if session.rate is None or (rate := self.rate(session.sources)) is None:
            return replace(self, session=None)
        others = (each for each in self.rates if each.sources != session.sources)
        return Warming((*others, LearnedRate(session.sources, rate)))

    def rate(self, sources: Sources) -> float | None:
        """Return °C an hour while these heat, `None` where no session told it.

        Where only some of them have heated before, it is at least theirs.
        """
        rates = (each.per_hour for each in self.rates if each.sources == sources)
        previous, session = next(rates, None), self.session
        newest = session.rate if session and session.sources == sources else None
        if newest is None:
            return self.expected(sources) if previous is None else previous
        return newest if previous is None else previous + WEIGHT * (newest - previous)

    def expected(self, sources: Sequence[HeatSource]) -> float | None:
        """Return °C an hour if these sources may heat, `None` until that is learned.

        Nobody knows whether the sun will shine: a heater alone is what is sure.
        """
        possible = [each for each in self.rates if {*each.sources} <= {*sources}]
        by = max(possible, key=_how_sure, default=None)
        return None if by is None else by.per_hour


def _how_sure(rate: LearnedRate) -> tuple[bool, int]:
    return HeatSource.SOLAR not in rate.sources, len(rate.sources)


def after_read(warming: Warming, body: Body, state: PoolState, at: float) -> Warming:
    """Return what is known of a water after a read (monotonic, s).

    The cloud's copies are too old and too few for that.
    """
    running = running_sources(state)
    if state.source is not Source.LAN or not (running or warming.session):
        return warming
    of_it = state.signals.chemistry_stable and heats(state, body)
    measured = state.measured_chemistry.water_temperature
    return warming.then(running if of_it else (), at, measured)


def expected_rate(warming: Warming, state: PoolState, body: Body) -> float | None:
    """Return °C an hour by which a water gets warmer once it is heated.

    `None` until that is learned.
    """
    return warming.expected([*sources_to_select(state, body, True)])


class WarmIn(NamedTuple):
    """How long a water still takes to be warm."""

    seconds: float
    step: float
    """s that the smallest step of a temperature takes."""


_STEP: Final = 0.1
"""°C (layouts.md 2.1)."""


def warm_in(warming: Warming, state: PoolState, body: Body) -> WarmIn | None:
    """Return how long a water takes to its target, 0 s where it is heated beyond it.

    `None` where nothing heats it, and where that is unknown.
    """
    target, now = body.of(state).target, temperature(state, body)
    rate = warming.rate(running_sources(state))
    if not heats(state, body) or target is None or now is None or rate is None:
        return None
    missing = max(0.0, target - now)
    return WarmIn(missing / rate * 3600, _STEP / rate * 3600)
