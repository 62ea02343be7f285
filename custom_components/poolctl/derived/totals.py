"""Sensors of totals and daily values, which `learned/` computes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
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
from ..client.pool.dosing import DOSERS, DoserKind
from ..entity import PoolctlEntity, PoolctlEntityDescription
from ..learned.pool import Pool
from ..learned.totals import (
    HEATER_ENERGY,
    PUMP_ENERGY,
    PUMP_RUNNING,
    RUN_HOURS,
    WATER_FILTERED,
    TotalKind,
)

DECIMALS: Final = 2
"""Decimals of shown values."""
_CUBIC_METRE: Final = 1000.0
"""Litres in a cubic metre."""


@dataclass(frozen=True, kw_only=True)
class PoolctlLearnedDescription(
    PoolctlEntityDescription[float | date], SensorEntityDescription
):
    """Description of one learned value."""


@dataclass(frozen=True, kw_only=True)
class PoolctlTotalDescription(PoolctlLearnedDescription):
    """Description of one total."""

    total: TotalKind
    scale_fn: Callable[[Choices], float | None] = lambda choices: 1.0
    """Factor from the total to the shown value; `None` if unknown."""


def _flow_known(pool: Pool) -> bool | None:
    return pool.state.readings.flow_rate is not None or None


def _turns_over(pool: Pool) -> bool | None:
    return _flow_known(pool) if pool.choices.volume else False


def _turnovers(choices: Choices) -> float | None:
    """Return the share of the pool's volume that a cubic metre is."""
    return _CUBIC_METRE / choices.volume if choices.volume else None


def _run_hours(kind: TotalKind) -> PoolctlTotalDescription:
    """Return the row of the run hours of some equipment."""
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
        # A value proves that the equipment is there.
        value_fn=kind.rate,
    )


def _heater_energy(kind: TotalKind) -> PoolctlTotalDescription:
    """Return the row of a heater's energy; it exists once its power was entered."""
    return PoolctlTotalDescription(
        key=kind.key,
        translation_key=kind.key,
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=DECIMALS,
        exists_fn=lambda pool: (
            kind.each(pool.choices) is not None
            and pool.state.outputs.fitted(kind.fitted)
        ),
        total=kind,
    )


TOTALS = (
    PoolctlTotalDescription(
        key="pump_energy",
        translation_key="pump_energy",
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        state_class=SensorStateClass.TOTAL_INCREASING,
        suggested_display_precision=DECIMALS,
        # The cloud reports no power (protocol.md O5): without the LAN there is no energy.
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
    *map(_heater_energy, HEATER_ENERGY),
)


def _used_today(doser: DoserKind) -> PoolctlLearnedDescription:
    """Return the row of the amount used from a drum today."""
    return PoolctlLearnedDescription(
        key=f"{doser.key}_used_today",
        translation_key=f"{doser.key}_used_today",
        device_class=SensorDeviceClass.VOLUME,
        native_unit_of_measurement=UnitOfVolume.MILLILITERS,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=0,
        fitted=doser.fitted,
        proof_fn=lambda state: doser.of(state).litres_left,
        pool_fn=lambda pool: pool.learned.used_today(doser),
    )


def _lasts_until(doser: DoserKind) -> PoolctlLearnedDescription:
    """Return the row of the day on which the drum will be empty."""
    return PoolctlLearnedDescription(
        key=f"{doser.key}_lasts_until",
        translation_key=f"{doser.key}_lasts_until",
        device_class=SensorDeviceClass.DATE,
        fitted=doser.fitted,
        proof_fn=lambda state: doser.of(state).litres_left,
        pool_fn=lambda pool: pool.learned.lasts_until(
            doser, doser.of(pool.state).litres_left
        ),
    )


def _doses_today(doser: DoserKind) -> PoolctlLearnedDescription:
    """Return the row of how often a doser has dosed today."""
    return PoolctlLearnedDescription(
        key=f"{doser.key}_doses_today",
        translation_key=f"{doser.key}_doses_today",
        entity_registry_enabled_default=False,
        state_class=SensorStateClass.TOTAL,
        fitted=doser.fitted,
        proof_fn=lambda state: doser.of(state).doses,
        pool_fn=lambda pool: pool.learned.doses_today(doser),
    )


DOSER_SENSORS = tuple(
    row(doser) for row in (_doses_today, _used_today, _lasts_until) for doser in DOSERS
)


class PoolctlLearned[D: PoolctlLearnedDescription](
    PoolctlEntity[float | date], SensorEntity
):
    """Sensor of a learned value; the value does not depend on the sensor."""

    entity_description: D

    @property
    @override
    def native_value(self) -> float | date | None:
        """Return the value in the unit of the description."""
        return self._value

    @property
    @override
    def last_reset(self) -> datetime | None:
        """Return when the day of the value began, if statistics need it."""
        day = self.coordinator.learned.totals.day
        if self.state_class is not SensorStateClass.TOTAL or day is None:
            return None
        return dt_util.start_of_local_day(day)

    @override
    def _details(self) -> tuple[object, ...]:
        return (self.last_reset,)


class PoolctlTotal(PoolctlLearned[PoolctlTotalDescription]):
    """Sensor of one total."""

    @override
    def _read_value(self) -> float | None:
        scale = self.entity_description.scale_fn(self.coordinator.pool.choices)
        total = self.coordinator.learned.totals.of[self.entity_description.total]
        return None if scale is None else round(total.shown * scale, DECIMALS)

    @callback
    def async_reset(self) -> None:
        """Restart the total at 0, for example with new equipment."""
        self.coordinator.remembered.async_reset_total(self.entity_description.total)
        self._handle_coordinator_update()
