"""The values of a pool that entities and problems use, and the pump hours it needs.

The rules for the hours are rules of thumb (chosen): no controller reports how long to
filter.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from ..client.pool import SPA, Body, Chemistry, Choices, PoolState, circulates
from .learned import Learned
from .preferences import PUMP_HOURS, Preferences, PumpRule, shown_chemistry
from .pump_days import PumpDay
from .read import start_of_day
from .totals import PUMP_RUNNING


@dataclass(frozen=True)
class Pool:
    """All values of one pool that can be shown at one moment."""

    state: PoolState
    """State reported by the controller and the cloud."""
    choices: Choices
    """The user's choices, which commands need, too."""
    preferences: Preferences
    learned: Learned

    @cached_property
    def shown(self) -> PoolState:
        """The state, without the noise of its probes."""
        return self.learned.steady.shown(self.state)

    @property
    def chemistry(self) -> Chemistry:
        """Probe readings according to the user's choice, without their noise."""
        readings = self.shown.readings
        return shown_chemistry(self.state, self.preferences.without_flow, readings)

    @property
    def ambient_temperature(self) -> float | None:
        """Ambient temperature in °C, without the noise of its probe."""
        return self.shown.readings.ambient_temperature

    def water(self, body: Body, now: datetime) -> float | None:
        """Return the temperature of water in °C: measured, or estimated while it rests.

        A spa that was never read counts as cold as the air, but a pool is not as cold as
        a night.
        """
        state = self.state
        if state.signals.chemistry_stable and circulates(state, body):
            measured = self.shown.readings.water_temperature
            if measured is not None:
                return measured
        air = state.readings.ambient_temperature
        estimate = self.learned.cooling[body].estimate(body, now, air)
        if estimate is None:
            return air if body is SPA else state.valid_chemistry.water_temperature
        return estimate


def needs_cleaning(pool: Pool) -> bool | None:
    """Return whether the load of the filter has reached its limit, `None` if unknown.

    A filter that a user reports clean is clean until it is measured.
    """
    if (load := pool.learned.filter.load) is None:
        return None if pool.learned.filter.cleaned_at is None else False
    return load >= pool.preferences.filter_limit


def filter_compared(pool: Pool) -> bool | None:
    """Return whether the filter was ever reported clean, else `None`: no load yet."""
    return pool.learned.filter.cleaned_at is not None or None


# Hours of the pump

_LEAST: Final = 2.0
"""Fewest hours a day, even in cold water."""
_STEPS: Final = 4
"""Steps per hour to which hours are rounded."""
_NOTICEABLE: Final = 0.1
"""Fewest hours that count as missed."""


def _share(part: int) -> Callable[[Pool, PumpDay], float | None]:
    def hours(pool: Pool, day: PumpDay) -> float | None:
        if (celsius := day.temperature) is None:
            celsius = pool.state.valid_chemistry.water_temperature
        return None if celsius is None else max(celsius / part, _LEAST)

    return hours


def _turnovers(pool: Pool, day: PumpDay) -> float | None:
    volume, flow = pool.preferences.volume, pool.learned.pump_days.flow
    return volume * pool.preferences.turnovers / flow if volume and flow else None


_RULES: Final[Mapping[PumpRule, Callable[[Pool, PumpDay], float | None]]] = {
    PumpRule.HALF: _share(2),
    PumpRule.THIRD: _share(3),
    PumpRule.TURNOVERS: _turnovers,
    PumpRule.FIXED: lambda pool, day: pool.preferences.pump_hours,
}


def _hours(pool: Pool, day: PumpDay | None) -> float | None:
    rule = pool.preferences.pump_rule
    hours = None if rule is None or day is None else _RULES[rule](pool, day)
    return hours and min(round(hours * _STEPS) / _STEPS, PUMP_HOURS.high)


def needed_today(pool: Pool) -> float | None:
    """Return the hours needed in the whole day, `None` if the rule lacks a value."""
    return _hours(pool, pool.learned.pump_days.today)


def still_needed(pool: Pool) -> float | None:
    """Return the needed hours that are left today."""
    if (needed := needed_today(pool)) is None:
        return None
    return max(needed - pool.learned.totals.of[PUMP_RUNNING].shown, 0.0)


def missed_yesterday(pool: Pool) -> float | None:
    """Return the hours that the pump ran too little yesterday, `None` if unknown.

    In the hours that were not observed it may have run. On a day without an earlier
    temperature, the needed hours rose with its water.
    """
    yesterday = pool.learned.pump_days.yesterday
    if yesterday is None or (needed := _hours(pool, yesterday)) is None:
        return None
    by_water = pool.preferences.pump_rule in {PumpRule.HALF, PumpRule.THIRD}
    if by_water and yesterday.previous_water is None:
        return None
    zone, day = pool.learned.now.tzinfo, yesterday.day
    length = start_of_day(day + timedelta(days=1), zone) - start_of_day(day, zone)
    not_observed = max(length / timedelta(hours=1) - yesterday.observed, 0.0)
    missed = needed - yesterday.hours - not_observed
    return missed if missed >= _NOTICEABLE else 0.0


def missing(pool: Pool) -> str | None:
    """Return what the rule needs: `volume`, or a pump that runs for a while (`run`)."""
    if needed_today(pool) is not None:
        return None
    turnovers = pool.preferences.pump_rule is PumpRule.TURNOVERS
    return "volume" if turnovers and not pool.preferences.volume else "run"
