"""A read for the learned models, with one rule for gaps and one for days."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

from ..client.pool.choices import Choices
from ..client.pool.state import PoolState
from ..client.wire.equipment import SOLAR_BY_FILTER_PUMP
from ..client.wire.frame import Readings

MIDNIGHT_MARGIN: Final = timedelta(hours=1)
"""Largest delay of the controller's midnight and its first report after ours."""
COPY_MARGIN: Final = timedelta(minutes=2)
"""Greatest delay of a cloud copy that arrives after newer values."""

_MOST_FLOW: Final = 2000.0
"""Highest plausible flow in L/min (chosen)."""
_MOST_POWER: Final = 10_000.0
"""Highest plausible power of a pump in W (chosen)."""
_COLDEST, _WARMEST = -5.0, 50.0
"""Plausible water temperatures in °C (chosen)."""
_JUMP: Final = 2.0
"""°C between two reads that the next read must confirm: water does not change so fast
(chosen)."""

NO_CHOICES: Final = Choices()


class Read(NamedTuple):
    """One read of a controller."""

    state: PoolState
    seconds: float | None
    """Seconds since the previous read, `None` if the time in between is unknown."""
    now: datetime
    """Trusted local time of the read."""
    choices: Choices = NO_CHOICES
    """The user's choices at the time of the read."""


def plausible(readings: Readings, previous: Readings) -> Readings:
    """Return the readings from which may be learned: odd ones become `None`.

    `previous` are those of the previous read, including odd ones.
    """
    water, before = readings.water_temperature, previous.water_temperature
    if water is not None and not (
        _COLDEST <= water <= _WARMEST
        and (before is None or abs(water - before) <= _JUMP)
    ):
        water = None
    flow, power = readings.flow_rate, readings.pump_power
    return replace(
        readings,
        water_temperature=water,
        flow_rate=None if flow is not None and flow > _MOST_FLOW else flow,
        pump_power=None if power is not None and power > _MOST_POWER else power,
    )


def through_filter_alone(read: Read) -> bool:
    """Return whether the primed pump sends the water through its usual path.

    The spa, and a solar roof on the filter pump, have another resistance.
    """
    state = read.state
    by_roof = state.signals.solar and state.outputs.fitted(SOLAR_BY_FILTER_PUMP)
    return not (state.spa_mode or by_roof or state.signals.pump_priming)


def start_of_day(day: date, zone: tzinfo | None) -> datetime:
    """Return when a local day began, in UTC.

    Where clocks are set forward at midnight, that day has no local 0:00.
    """
    return datetime.combine(day, time(), zone).astimezone(UTC)
