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


_JUMPS: Final = (1.0, 200.0, 2.0, 5.0, 500.0, 3000.0)
"""Differences beyond which a reading is a jump, in the order of `Jumps` (chosen): a pool
does not change so fast, except when a pump starts or other water reaches the probes."""


class Jumps:
    """Drops the jumps of pH, ORP, temperatures, flow and power that only one read has."""

    def __init__(self) -> None:
        self._previous: list[float | None] = [None] * len(_JUMPS)
        self._sure = self._previous

    def drop(self, readings: Readings) -> Readings:
        """Return the readings of the next read; a jump from all earlier is `None`."""
        newest = [
            readings.ph,
            readings.orp,
            readings.water_temperature,
            readings.ambient_temperature,
            readings.flow_rate,
            readings.pump_power,
        ]
        rows = zip(newest, self._previous, self._sure, _JUMPS, strict=True)
        ph, orp, water, ambient, flow, power = sure = [
            new
            if new is None
            or last is None
            or any(old is not None and abs(new - old) <= jump for old in (last, before))
            else None
            for new, before, last, jump in rows
        ]
        self._previous = newest
        self._sure = [
            last if new is None else new
            for new, last in zip(sure, self._sure, strict=True)
        ]
        return replace(
            readings,
            ph=ph,
            orp=orp,
            water_temperature=water,
            ambient_temperature=ambient,
            flow_rate=flow,
            pump_power=power,
        )


def plausible(readings: Readings) -> Readings:
    """Return the readings from which may be learned: impossible ones become `None`."""
    water, flow = readings.water_temperature, readings.flow_rate
    power = readings.pump_power
    cold_or_hot = water is None or not _COLDEST <= water <= _WARMEST
    return replace(
        readings,
        water_temperature=None if cold_or_hot else water,
        flow_rate=None if flow is None or flow > _MOST_FLOW else flow,
        pump_power=None if power is None or power > _MOST_POWER else power,
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
