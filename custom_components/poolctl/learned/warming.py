"""Warming: how fast a body of water warms up, learned while it is heated.

A session is a continuous time of heating by the same heat sources: solar heating and a
heater are not mixed. Its rate is the slope of the line of best fit through its
readings, so their resolution (0.1 °C) and noise have little effect. All is chosen:

- Readings before the water has mixed are left out: pipes contain other water.
- A session has a rate only after some time and some rise, and only a plausible one.
- A session ends and another begins when a reading jumps, as it is of other water, or
  after a gap, as the time in between is unknown.
- The learned rate is a mean of sessions in which newer ones have more weight.
- The sun has no such rate, as it does more at noon than in the evening: what it does is
  learned for each hour of the day.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import add
from typing import Annotated, Final

from ..client import MAX_AGE
from ..client.bounds import UNSTORED, Within
from ..client.pool import (
    Body,
    HeatSource,
    PoolState,
    Source,
    heats,
    running_sources,
    temperature,
)
from .read import weighted_mean

SETTLES: Final = 300.0
"""Seconds until the water has mixed."""
JUMP: Final = 0.5
"""°C between two readings; heating takes minutes for such a difference."""
ENOUGH_TIME: Final = 600.0
"""Seconds of readings that a rate needs."""
ENOUGH_RISE: Final = 0.5
"""Rise in °C that a rate needs: five times the resolution."""
LONGEST_SESSION: Final = 12 * 3600.0
"""Longest session in seconds; the rate of a heat pump may change over days."""
ENOUGH_SUN: Final = 1800.0
"""Seconds of readings from which an hour of sun is learned."""
SLOWEST, FASTEST = 0.05, 20.0
"""Plausible rates in °C an hour, from a large pool to a small spa."""

_HOUR: Final = 3600.0
_AN_HOUR: Final = timedelta(hours=1)

type Sources = tuple[HeatSource, ...]
"""Heat sources that run at the same time, in the order of `HeatSource`."""
SUN: Final[Sources] = (HeatSource.SOLAR,)


@dataclass(frozen=True, slots=True)
class LearnedRate:
    """How fast a body of water warms up with certain heat sources."""

    sources: Sources
    per_hour: Annotated[float, Within(SLOWEST, FASTEST)]
    """Rate in °C an hour."""
    newest: Annotated[float | None, Within(SLOWEST, FASTEST)] = None
    """That of the newest session."""


@dataclass(frozen=True, slots=True)
class SunHour:
    """How fast the sun warms a body of water in one hour of the day."""

    hour: Annotated[int, Within(0, 23)]
    """Hour in UTC."""
    per_hour: Annotated[float, Within(0, FASTEST)]
    """Rate in °C an hour."""


@dataclass(slots=True)
class Session:
    """A session of heating, with its newest reading. Times are monotonic, in s."""

    sources: Sources
    begun: float
    at: float
    temperature: float
    """Newest reading in °C."""
    sums: tuple[float, ...] = (0, 0.0, 0.0, 0.0, 0.0)
    """Sums of 1, x, y, x² and xy, which define the line of best fit: of the readings y
    since the water has mixed, x hours after that."""

    def goes_on(self, sources: Sources, at: float, now: float) -> bool:
        """Return whether a reading in °C at a time belongs to the session."""
        after = at - self.at
        same = sources == self.sources and abs(now - self.temperature) <= JUMP
        return same and 0 <= after <= MAX_AGE and at - self.begun <= LONGEST_SESSION

    def add_reading(self, at: float, now: float) -> None:
        """Add a reading in °C at a time."""
        self.at, self.temperature = at, now
        if (x := (at - self.begun - SETTLES) / _HOUR) >= 0:
            terms = 1, x, now, x * x, x * now
            self.sums = tuple(map(add, self.sums, terms, strict=True))

    @property
    def rate(self) -> float | None:
        """Rate in °C an hour, `None` while the session does not have one."""
        number, x, y, xx, xy = self.sums
        spread, seconds = number * xx - x * x, self.at - self.begun - SETTLES
        slope = (number * xy - x * y) / spread if spread > 0 else 0.0
        if seconds < ENOUGH_TIME or slope * seconds < ENOUGH_RISE * _HOUR:
            return None
        return slope if SLOWEST <= slope <= FASTEST else None


@dataclass(slots=True)
class _Sunshine:
    """The readings of one hour in which the sun alone heats."""

    hour: datetime
    seconds: float = 0.0
    rise: float = 0.0
    """Rise in °C in these seconds."""


@dataclass(slots=True)
class Warming:
    """The learned rates of one body of water."""

    rates: tuple[LearnedRate, ...] = ()
    """Rates from the sessions that are over."""
    sun: tuple[SunHour, ...] = ()
    """What the sun did in the hours of the days before."""
    session: Annotated[Session | None, UNSTORED] = field(default=None, compare=False)
    """The current session, which does not continue after a restart."""
    heated_at: Annotated[dict[HeatSource, datetime], UNSTORED] = field(
        default_factory=dict, compare=False
    )
    """When a read last showed that each source heats this water (trusted time)."""
    _sunshine: Annotated[_Sunshine | None, UNSTORED] = field(
        default=None, compare=False
    )

    def add_read(
        self, body: Body, state: PoolState, at: float, now: datetime | None = None
    ) -> bool:
        """Add a read (monotonic, s, and trusted time); return whether a rate changed."""
        if state.source is not Source.LAN:
            return False  # copies from the cloud are too old and too few
        running = running_sources(state) if heats(state, body) else ()
        if now is not None:
            self.heated_at |= dict.fromkeys(running, now)
        sources = running if state.signals.chemistry_stable else ()
        water = state.readings.water_temperature
        return self.add_reading(sources, at, water, now)

    def add_reading(
        self,
        sources: Sources,
        at: float,
        water: float | None,
        now: datetime | None = None,
    ) -> bool:
        """Add a reading in °C at a time; return whether a rate changed.

        `sources` are the running heat sources. It is empty if none runs or the reading
        is of other water.
        """
        session, previous = self.session, (self.rates, self.sun)
        if session and water is not None and session.goes_on(sources, at, water):
            if sources == SUN and now is not None:
                self._add_sunshine(session, at, water, now)
            session.add_reading(at, water)
        else:
            self._end_hour()
            self._end_session()
            if sources and water is not None:
                self.session = Session(sources, at, at, water)
        return previous != (self.rates, self.sun)

    def _end_session(self) -> None:
        """Learn the rate of a session that is over."""
        session = self.session
        if session and session.rate and (rate := self.rate(session.sources)):
            others = (each for each in self.rates if each.sources != session.sources)
            self.rates = (*others, LearnedRate(session.sources, rate, session.rate))
        self.session = None

    def _add_sunshine(
        self, session: Session, at: float, water: float, now: datetime
    ) -> None:
        """Add the rise since the previous reading to that of its hour."""
        hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        if self._sunshine is None or self._sunshine.hour != hour:
            self._end_hour()
            self._sunshine = _Sunshine(hour)
        if session.at - session.begun >= SETTLES:
            self._sunshine.seconds += at - session.at
            self._sunshine.rise += water - session.temperature

    def _end_hour(self) -> None:
        """Learn what the sun did in an hour that is over."""
        over, self._sunshine = self._sunshine, None
        if over is None or over.seconds < ENOUGH_SUN:
            return
        hour = over.hour.hour
        rate = min(max(over.rise / over.seconds * _HOUR, 0.0), FASTEST)
        known = next((each.per_hour for each in self.sun if each.hour == hour), None)
        others = (each for each in self.sun if each.hour != hour)
        self.sun = (*others, SunHour(hour, weighted_mean(known, rate)))

    def sun_gain(self, begin: datetime, end: datetime) -> float:
        """Return by how many °C the sun warms the water from one time to another.

        It does what it did in the same hours of the days before. In other hours it did
        not heat: there was no sun, or the water was warm.
        """
        rates, gain = {each.hour: each.per_hour for each in self.sun}, 0.0
        while begin < end:
            hour = begin.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
            until = min(hour + _AN_HOUR, end)
            gain += rates.get(hour.hour, 0.0) * ((until - begin) / _AN_HOUR)
            begin = until
        return gain

    def rate(self, sources: Sources) -> float | None:
        """Return the rate in °C an hour of these sources, `None` if not learned.

        If only some of them were learned, it is the rate of those: the lower bound.
        """
        rates = (each.per_hour for each in self.rates if each.sources == sources)
        previous, session = next(rates, None), self.session
        newest = session.rate if session and session.sources == sources else None
        if newest is None:
            return self.expected(sources) if previous is None else previous
        return weighted_mean(previous, newest)

    def expected(self, sources: Sequence[HeatSource]) -> float | None:
        """Return the expected rate in °C an hour of sources, `None` if not learned.

        The sun may not shine, so the rate of a heater alone is preferred.
        """
        found = self._of(sources)
        return None if found is None else found.per_hour

    def cautious(self, sources: Sequence[HeatSource]) -> float | None:
        """Return the expected rate, or the newest that was measured if that is lower.

        A heater that turns out to be weaker than before needs more time today.
        """
        found, session = self._of(sources), self.session
        now = session.rate if session and {*session.sources} <= {*sources} else None
        if found is None:
            return now
        return min(found.per_hour, now or found.newest or found.per_hour)

    def _of(self, sources: Sequence[HeatSource]) -> LearnedRate | None:
        return max(
            (each for each in self.rates if {*each.sources} <= {*sources}),
            key=lambda each: (HeatSource.SOLAR not in each.sources, len(each.sources)),
            default=None,
        )


_STEP: Final = 0.1
"""Smallest step of the temperature in °C (protocol.md O2.1)."""


def warm_in(
    warming: Warming, state: PoolState, body: Body
) -> tuple[float, float] | None:
    """Return the seconds until a body of water has its target, 0 if it is warmer.

    The second number is how many the smallest step of the temperature takes. `None` if
    it is not heated, or if the time is unknown.
    """
    target, now = body.target(state), temperature(state, body)
    rate = warming.rate(running_sources(state))
    if not heats(state, body) or target is None or now is None or rate is None:
        return None
    missing = max(0.0, target - now)
    return missing / rate * _HOUR, _STEP / rate * _HOUR
