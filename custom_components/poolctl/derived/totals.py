"""Totals: energy and running hours of the pump and the water that it moves.

They are summed up from reads of the state. No such total of the controller is known
(layouts.md 2.1), so all of this is chosen. What happens while nobody reads is not counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
import math
import time
from typing import Any, Final, override

from homeassistant.components.sensor import (
    RestoreSensor,
    SensorDeviceClass,
    SensorEntityDescription,
    SensorExtraStoredData,
    SensorStateClass,
)
from homeassistant.const import UnitOfEnergy, UnitOfTime, UnitOfVolume
from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from ..client.pool.choices import Choices
from ..client.pool.state import PoolState
from ..coordinator import ControllerCoordinator
from ..entity import PoolctlEntity, PoolctlEntityDescription
from ..learned.pool import Pool

MAX_GAP: Final = 60.0
"""s between two reads beyond which nobody knows what happened."""
DECIMALS: Final = 2
"""Decimals of what is shown."""
PERIOD: Final = 300.0
"""s between two values that are shown while it goes on, as long as a period of Home
Assistant's statistics: more would fill a recorder and tell a person nothing."""
LEAD: Final = 35.0
"""s before such a period ends from which on its last value is shown, so that the statistics
of an hour have what was used in it: the cloud is read every 30 s."""

_HOUR: Final = 3600.0
_KILOWATT_HOUR: Final = 1000 * _HOUR
"""Ws."""
_CUBIC_METRE: Final = 1000.0
"""L."""


@dataclass(frozen=True, kw_only=True)
class PoolctlTotalDescription(PoolctlEntityDescription[float], SensorEntityDescription):
    """One total."""

    rate_fn: Callable[[PoolState], float | None]
    """What is summed up, in the sensor's unit per second; `None` is not known."""
    scale_fn: Callable[[Choices], float | None] = lambda choices: 1.0
    """How much of what is shown is one of what is summed up; `None` is not known."""
    daily: bool = False
    """Whether it starts anew at midnight, local time."""


def _power(state: PoolState) -> float | None:
    watts = state.readings.pump_power
    return None if watts is None else watts / _KILOWATT_HOUR


def _running(state: PoolState) -> float | None:
    """Return whether the motor turns, asked for or cooling a heater down."""
    if state.pump_on is None:
        return None
    turns = state.pump_on or state.signals.pump_cooling_down is True
    return turns / _HOUR


def _flowing(state: PoolState) -> float | None:
    """Return the flow in m³ a second."""
    litres = state.readings.flow_rate
    return None if litres is None else litres / _CUBIC_METRE / 60


def _flow_known(pool: Pool) -> bool | None:
    return pool.state.readings.flow_rate is not None or None


def _turns_over(pool: Pool) -> bool | None:
    return _flow_known(pool) if pool.choices.volume else False


def _turnovers(choices: Choices) -> float | None:
    """Return how much of the pool a cubic metre is."""
    return _CUBIC_METRE / choices.volume if choices.volume else None


TOTALS = (
    PoolctlTotalDescription(
        key="pump_energy",
        translation_key="pump_energy",
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=DECIMALS,
        # The cloud tells no power (layouts.md 5): without the LAN there is no energy.
        exists_fn=lambda pool: pool.state.readings.pump_power is not None or None,
        rate_fn=_power,
    ),
    PoolctlTotalDescription(
        key="pump_running_today",
        translation_key="pump_running_today",
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=DECIMALS,
        exists_fn=lambda pool: pool.state.pump_on is not None or None,
        rate_fn=_running,
        daily=True,
    ),
    PoolctlTotalDescription(
        key="water_filtered_today",
        translation_key="water_filtered_today",
        device_class=SensorDeviceClass.VOLUME,
        native_unit_of_measurement=UnitOfVolume.CUBIC_METERS,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=1,
        exists_fn=_flow_known,
        rate_fn=_flowing,
        daily=True,
    ),
    PoolctlTotalDescription(
        key="turnovers_today",
        translation_key="turnovers_today",
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=1,
        exists_fn=_turns_over,
        rate_fn=_flowing,
        scale_fn=_turnovers,
        daily=True,
    ),
)


@dataclass
class _Kept(SensorExtraStoredData):
    """What is kept over a restart: the exact total, and the day that it belongs to."""

    day: str

    @override
    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "day": self.day}


class PoolctlTotal(PoolctlEntity[float], RestoreSensor):
    """The area under a rate, as trapezoids between two reads.

    A pump may start or stop at any moment between two reads. A trapezoid takes the
    middle, which is right on average; the earlier value alone would always be too
    little at a start and too much at a stop.
    """

    entity_description: PoolctlTotalDescription

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlTotalDescription
    ) -> None:
        """Begin with nothing; what was kept is read once it is added."""
        self._total = self._told = 0.0
        self._moment: tuple[int, bool, date] | None = None
        """When a value was shown last, and whether anything was summed up then."""
        self._day: date = dt_util.now().date()
        self._before: tuple[float, float | None] | None = None
        super().__init__(coordinator, description)

    @override
    def _read_value(self) -> float | None:
        scale = self.entity_description.scale_fn(self.coordinator.pool.choices)
        return None if scale is None else round(self._told * scale, DECIMALS)

    @property
    @override
    def native_value(self) -> float | None:
        """Return the total in the unit of the description."""
        return self._value

    @property
    @override
    def last_reset(self) -> datetime | None:
        """Return when the day of the total began, where statistics need it."""
        if self.state_class is not SensorStateClass.TOTAL:
            return None
        return dt_util.start_of_local_day(self._day)

    @override
    def _details(self) -> tuple[object, ...]:
        return (self.last_reset,)

    @property
    @override
    def extra_restore_state_data(self) -> SensorExtraStoredData:
        """Return what to keep over a restart."""
        return _Kept(
            self._total, self.native_unit_of_measurement, self._day.isoformat()
        )

    @override
    async def async_added_to_hass(self) -> None:
        """Go on from what was kept, a daily total on the same day only."""
        await super().async_added_to_hass()
        if (kept := await self.async_get_last_extra_data()) is not None:
            data = kept.as_dict()
            today = data.get("day") == self._day.isoformat()
            total = data.get("native_value")
            if isinstance(total, float | int) and (
                today or not self.entity_description.daily
            ):
                self._total = self._told = float(total)
                self._update()
        self.async_on_remove(self.controller.store.add_read_listener(self._count))

    @callback
    def _count(self, state: PoolState, at: float) -> None:
        """Add what was summed up since the read before."""
        rate = self.entity_description.rate_fn(state)
        before, self._before = self._before, (at, rate)
        today = self._begin_day()
        if before is not None and before[1] is not None and rate is not None:
            seconds = at - before[0]
            if seconds <= MAX_GAP:
                self._total += (before[1] + rate) / 2 * min(seconds, today)
        period = (time.time() + LEAD) // PERIOD
        moment = int(period), bool(rate), self._day
        if moment != self._moment:
            self._moment, self._told = moment, self._total
        if self._update():
            self.async_write_ha_state()

    def _begin_day(self) -> float:
        """Begin anew on another day; return how many seconds of it are over."""
        if not self.entity_description.daily:
            return math.inf
        now = dt_util.now()
        if now.date() != self._day:
            self._day, self._total = now.date(), 0.0
        # Not the difference of the two: in one zone that is one of clocks, not of time.
        return now.timestamp() - dt_util.start_of_local_day(now).timestamp()
