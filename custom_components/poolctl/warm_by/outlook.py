"""Outlook: when heating must begin, by which sources, and how warm the water will be.

Each heat source begins when it and those before it would just reach the target in time.
Solar heating is free and slow, so it begins first; a heater follows only if the sun was
not enough, and not while the sun heats fast enough. Solar heating begins after sunrise of
that day: at night the pump would run for nothing. All of this is chosen.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from ..client.pool.heating import (
    POOL,
    SPA,
    Body,
    circulates,
    fitted_sources,
    heats,
    running_sources,
)
from ..client.pool.state import newer
from ..client.wire.equipment import HeatSource
from ..learned.pool import Pool
from ..learned.warming import Sources
from .request import Request

SPARE: Final = timedelta(minutes=10)
"""Time by which heating begins earlier: the water must mix, and rates are not exact."""
SHARE: Final = 0.05
"""Share of the heating time by which heating begins earlier, too."""
CLOSE: Final = 0.5
"""°C below its target from which water counts as warm."""
USUAL: Final[Mapping[Body, float]] = {POOL: 0.3, SPA: 3.0}
"""Rates in °C an hour until they are learned."""
LONGEST: Final[Mapping[Body, timedelta]] = {
    POOL: timedelta(hours=24),
    SPA: timedelta(hours=6),
}
"""Longest heating time; also used while the temperature is unknown."""

type Sunrise = Callable[[datetime], datetime | None]
"""Returns the sunrise on the local day of a time, `None` if unknown."""

_HOUR: Final = timedelta(hours=1)
_SUN: Final = (HeatSource.SOLAR,)


class Outlook(NamedTuple):
    """The forecast for one request."""

    begins: datetime
    """Time at which heating must begin."""
    sources: Sources
    """The heat sources that should have begun by now."""
    water: float | None
    """Temperature now in °C, estimated if the water does not circulate."""
    target: float
    """Target temperature in °C."""
    expected: float | None
    """Expected °C at the requested time, `None` while the temperature is unknown."""
    warm_at: datetime | None
    """Time at which the target is reached, `None` if that cannot be predicted."""
    due: bool
    """Whether heating should have begun by now."""

    @property
    def warm(self) -> bool:
        """Whether the water is warm now."""
        return self.water is not None and self.water >= self.target - CLOSE

    @property
    def late(self) -> bool:
        """Whether the water will not be warm in time although heating was due."""
        return (
            self.due
            and self.expected is not None
            and self.expected < self.target - CLOSE
        )


def outlook(
    pool: Pool,
    request: Request,
    now: datetime,
    sunrise: Sunrise = lambda moment: None,
) -> Outlook | None:
    """Return the outlook at a trusted time; `None` without a target or heat source."""
    body, state = request.body, pool.state
    target, fitted = body.target(state), fitted_sources(state, body)
    if target is None or not fitted:
        return None
    water = _water(pool, body, now)
    steps = _steps(fitted)
    leads = {step: _lead(pool, body, step, fitted, water, target) for step in steps}
    sunny, by_sun = _sunny(request.by, sunrise), steps[0]
    if by_sun == _SUN:
        leads[by_sun] = min(leads[by_sun], sunny)
    begun = [step for step, lead in leads.items() if request.by - lead <= now]
    rate = _rate_now(pool, request, fitted)
    time = max(request.by - now, timedelta())
    by_sun_alone = running_sources(state) == by_sun == _SUN and heats(state, body)
    if by_sun_alone and water and water + rate * (time / _HOUR) >= target - CLOSE:
        begun = begun[:1]
    if fitted == _SUN:
        time = min(time, sunny)
    expected = None if water is None else min(water + rate * (time / _HOUR), target)
    return Outlook(
        begins=request.by - max(leads.values()),
        sources=begun[-1] if begun else steps[0],
        water=water,
        target=target,
        expected=expected,
        warm_at=_warm_at(water, target, rate, now),
        due=bool(begun),
    )


def _water(pool: Pool, body: Body, now: datetime) -> float | None:
    """Return the temperature in °C: measured, else estimated from the last reading.

    The noise of the probe is removed, as the outlook would change with every poll. A spa
    that was never read counts as cold as the air, but a pool is not as cold as a night.
    """
    state, measured = pool.state, None
    if state.signals.chemistry_stable and circulates(state, body):
        measured = pool.shown.readings.water_temperature
        if measured is not None and not pool.learned.water_is_odd:
            return measured
    air = state.readings.ambient_temperature
    estimate = pool.learned.cooling[body].estimate(body, now, air)
    if estimate is None:
        read = air if body is SPA else state.valid_chemistry.water_temperature
        return newer(measured, read)
    return estimate


def _steps(fitted: Sources) -> tuple[Sources, ...]:
    """Return the sources that heat together in each step: solar heating is first."""
    whole = tuple(sorted(fitted, key=lambda source: source is not HeatSource.SOLAR))
    return (whole[:1], whole) if HeatSource.SOLAR in fitted else (whole,)


def _sunny(by: datetime, sunrise: Sunrise) -> timedelta:
    risen = sunrise(by)
    return timedelta.max if risen is None else max(by - risen, timedelta())


def _expected_rate(pool: Pool, body: Body, sources: Sources) -> float | None:
    return pool.learned.warming[body].expected(sources)


def _lead(
    pool: Pool,
    body: Body,
    sources: Sources,
    fitted: Sources,
    water: float | None,
    target: float,
) -> timedelta:
    """Return how long before the requested time these sources must begin."""
    if water is None:
        return LONGEST[body]
    rate = _expected_rate(pool, body, sources)
    if rate is None and len(sources) < len(fitted):
        return LONGEST[body]  # what the sun can do is tried while there is time
    hours = max(target - water, 0.0) / (rate or USUAL[body]) * (1 + SHARE)
    return min(hours * _HOUR + SPARE, LONGEST[body])


def _rate_now(pool: Pool, request: Request, fitted: Sources) -> float:
    """Return the rate in °C an hour: of current heating, or once heating begins."""
    body, state = request.body, pool.state
    usual = _expected_rate(pool, body, fitted) or USUAL[body]
    if heats(state, body):
        return pool.learned.warming[body].rate(running_sources(state)) or usual
    return 0.0 if request.begun else usual


def _warm_at(
    water: float | None, target: float, rate: float, now: datetime
) -> datetime | None:
    if water is None or (rate <= 0 and water < target):
        return None
    return now if water >= target else now + (target - water) / rate * _HOUR
