"""Sensors of totals: energy, running hours, water, run hours (learned/totals.py)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import EntityCategory, UnitOfEnergy, UnitOfTime, UnitOfVolume
from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from ..client.pool.choices import Choices
from ..client.pool.state import PoolState
from ..entity import PoolctlEntity, PoolctlEntityDescription
from ..learned.pool import Pool
from ..learned.totals import (
    PUMP_ENERGY,
    PUMP_RUNNING,
    RUN_HOURS,
    WATER_FILTERED,
    TotalKind,
)

DECIMALS: Final = 2
"""Decimals of what is shown."""
_CUBIC_METRE: Final = 1000.0
"""L."""


@dataclass(frozen=True, kw_only=True)
class PoolctlTotalDescription(PoolctlEntityDescription[float], SensorEntityDescription):
    """One total."""

    total: TotalKind
    scale_fn: Callable[[Choices], float | None] = lambda choices: 1.0
    """How much of what is shown is one of what is summed up; `None` is not known."""


def _flow_known(pool: Pool) -> bool | None:
    return pool.state.readings.flow_rate is not None or None


def _turns_over(pool: Pool) -> bool | None:
    return _flow_known(pool) if pool.choices.volume else False


def _turnovers(choices: Choices) -> float | None:
    """Return how much of the pool a cubic metre is."""
    return _CUBIC_METRE / choices.volume if choices.volume else None


def _run_hours(kind: TotalKind) -> PoolctlTotalDescription:
    """Return the row of some equipment."""
    return PoolctlTotalDescription(
        key=kind.key,
        translation_key=kind.key,
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=1,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        fitted=kind.fitted,
        total=kind,
        # It proves that the equipment is there.
        value_fn=kind.rate,
    )


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
        total=PUMP_ENERGY,
    ),
    PoolctlTotalDescription(
        key="pump_running_today",
        translation_key="pump_running_today",
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=DECIMALS,
        exists_fn=lambda pool: pool.state.pump_on is not None or None,
        total=PUMP_RUNNING,
    ),
    PoolctlTotalDescription(
        key="water_filtered_today",
        translation_key="water_filtered_today",
        entity_registry_enabled_default=False,
        device_class=SensorDeviceClass.VOLUME,
        native_unit_of_measurement=UnitOfVolume.CUBIC_METERS,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=1,
        exists_fn=_flow_known,
        total=WATER_FILTERED,
    ),
    PoolctlTotalDescription(
        key="turnovers_today",
        translation_key="turnovers_today",
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=1,
        exists_fn=_turns_over,
        total=WATER_FILTERED,
        scale_fn=_turnovers,
    ),
    *map(_run_hours, RUN_HOURS),
)


class PoolctlTotal(PoolctlEntity[float], SensorEntity):
    """One total; it is summed up whether or not anybody looks at it."""

    entity_description: PoolctlTotalDescription

    @override
    def _read_value(self) -> float | None:
        scale = self.entity_description.scale_fn(self.coordinator.pool.choices)
        total = self.coordinator.totals.of[self.entity_description.total]
        return None if scale is None else round(total.shown * scale, DECIMALS)

    @property
    @override
    def native_value(self) -> float | None:
        """Return the total in the unit of the description."""
        return self._value

    @property
    @override
    def last_reset(self) -> datetime | None:
        """Return when the day of the total began, where statistics need it."""
        day = self.coordinator.totals.day
        if self.state_class is not SensorStateClass.TOTAL or day is None:
            return None
        return dt_util.start_of_local_day(day)

    @override
    def _details(self) -> tuple[object, ...]:
        return (self.last_reset,)

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the reads: one that tells nothing new adds to a total."""
        await super().async_added_to_hass()
        self.async_on_remove(self.controller.store.add_read_listener(self._read))

    @callback
    def _read(self, state: PoolState, at: float) -> None:
        self._handle_coordinator_update()

    @callback
    def async_reset(self) -> None:
        """Begin anew at 0, with new equipment."""
        self.coordinator.async_reset_total(self.entity_description.total)
        self._handle_coordinator_update()
