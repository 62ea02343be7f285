"""Sensors: values that the controller measures or reports."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.components.sensor.const import UNIT_CONVERTERS
from homeassistant.const import (
    EntityCategory,
    Platform,
    UnitOfElectricPotential,
    UnitOfPower,
    UnitOfPressure,
    UnitOfRatio,
    UnitOfTemperature,
    UnitOfTime,
    UnitOfVolume,
    UnitOfVolumeFlowRate,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool.dosing import DOSERS, DoserKind
from .client.pool.ranges import ORP_READING, PH_READING, Reading
from .client.pool.state import PoolState, PumpStatus, Source
from .client.wire.equipment import CHLORINATORS, LIQUID_CHLORINE
from .client.wire.frame import RUNNING
from .const import LOST
from .coordinator import ControllerCoordinator
from .derived.ends import ENDS, PoolctlEnd, SteadyEnd
from .derived.filter_load import FILTER_LOAD, PoolctlFilterLoad
from .derived.held import HELD, PoolctlHeldOutputs
from .derived.pump_hours import PUMP_HOURS, PoolctlPumpHours
from .derived.reached import REACHED, PoolctlReached
from .derived.status import STATUS, PoolctlStatus
from .derived.totals import DOSER_SENSORS, TOTALS, PoolctlLearned, PoolctlTotal
from .derived.warm_at import WARM_AT
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import Presences, async_setup_platform, described
from .learned.pool import Pool
from .output_attributes import ATTR_ENDS, ATTR_GOOD_FROM, ATTR_GOOD_TO, MODES, mode_name

PARALLEL_UPDATES = 0


type SensorValue = float | str | datetime
type Details = dict[str, float | str]


@dataclass(frozen=True, kw_only=True)
class PoolctlSensorDescription(
    PoolctlEntityDescription[SensorValue], SensorEntityDescription
):
    """One sensor."""

    details_fn: Callable[[PoolState], Details] | None = None
    """Function that returns its attributes, if it has any."""


def _reading(reading: Reading | None = None) -> Callable[[PoolState], Details]:
    """Return a function for the attributes of a reading: its good range and its time.

    The time is included only while the chemistry is not stable: else it is now.
    """

    def details(state: PoolState) -> Details:
        found: Details = {}
        if reading is not None:
            good = reading.range(state)
            found = {ATTR_GOOD_FROM: good.lower, ATTR_GOOD_TO: good.upper}
        if state.signals.chemistry_stable is False and state.valid_at:
            found["measured_at"] = state.valid_at.isoformat(timespec="seconds")
        return found

    return details


def _remaining(doser: DoserKind) -> PoolctlSensorDescription:
    """Return the row of the volume left in a drum."""
    return PoolctlSensorDescription(
        key=f"{doser.key}_remaining",
        translation_key=f"{doser.key}_remaining",
        device_class=SensorDeviceClass.VOLUME_STORAGE,
        native_unit_of_measurement=UnitOfVolume.LITERS,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=1,
        fitted=doser.fitted,
        value_fn=lambda state: doser.of(state).litres_left,
    )


_NO_SCHEDULE = "none"


def _running_pump_schedule(state: PoolState) -> str | None:
    """Return the schedule that runs the pump, `None` if it is not known."""
    mode = state.readings.main_pump_mode
    if mode is None or state.schedules.records is None:
        return None
    if mode not in RUNNING:
        return _NO_SCHEDULE
    name = state.running_schedule(mode)
    # "none" means that no schedule runs: one with this name is shown by its number.
    return str(mode) if name == _NO_SCHEDULE else name


def _clock_difference(pool: Pool) -> float | None:
    """Return the minutes by which the controller's clock is ahead of ours."""
    ahead = pool.learned.controller_clock.offset
    return None if ahead is None else round(ahead / timedelta(minutes=1), 1)


SENSORS = (
    PoolctlSensorDescription(
        key="ph",
        translation_key="ph",
        device_class=SensorDeviceClass.PH,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=1,
        pool_fn=lambda pool: pool.chemistry.ph,
        details_fn=_reading(PH_READING),
    ),
    PoolctlSensorDescription(
        key="orp",
        translation_key="orp",
        device_class=SensorDeviceClass.VOLTAGE,
        native_unit_of_measurement=UnitOfElectricPotential.MILLIVOLT,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        pool_fn=lambda pool: pool.chemistry.orp,
        details_fn=_reading(ORP_READING),
    ),
    PoolctlSensorDescription(
        key="water_temperature",
        translation_key="water_temperature",
        device_class=SensorDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=1,
        pool_fn=lambda pool: pool.chemistry.water_temperature,
        details_fn=_reading(),
    ),
    PoolctlSensorDescription(
        key="ambient_temperature",
        translation_key="ambient_temperature",
        device_class=SensorDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=1,
        # 0 on the wire: no such sensor is fitted (protocol.md O2.1)
        once_reported=True,
        pool_fn=lambda pool: pool.ambient_temperature,
    ),
    PoolctlSensorDescription(
        key="pump_speed",
        translation_key="pump_speed",
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
        value_fn=lambda state: state.readings.pump_speed,
    ),
    PoolctlSensorDescription(
        key="flow_rate",
        translation_key="flow_rate",
        device_class=SensorDeviceClass.VOLUME_FLOW_RATE,
        native_unit_of_measurement=UnitOfVolumeFlowRate.LITERS_PER_MINUTE,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        value_fn=lambda state: state.readings.flow_rate,
    ),
    PoolctlSensorDescription(
        key="pressure",
        translation_key="filter_pressure",
        device_class=SensorDeviceClass.PRESSURE,
        native_unit_of_measurement=UnitOfPressure.KPA,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        value_fn=lambda state: state.readings.pressure,
    ),
    PoolctlSensorDescription(
        key="pump_power",
        translation_key="pump_power",
        device_class=SensorDeviceClass.POWER,
        native_unit_of_measurement=UnitOfPower.WATT,
        state_class=SensorStateClass.MEASUREMENT,
        suggested_display_precision=0,
        value_fn=lambda state: state.readings.pump_power,
    ),
    PoolctlSensorDescription(
        key="pump_power_change",
        translation_key="pump_power_change",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
        exists_fn=lambda pool: pool.state.readings.pump_power is not None or None,
        pool_fn=lambda pool: pool.learned.pump_power.state.change,
    ),
    PoolctlSensorDescription(
        key="pump_mode",
        translation_key="pump_mode",
        entity_registry_enabled_default=False,
        device_class=SensorDeviceClass.ENUM,
        options=MODES,
        value_fn=lambda state: mode_name(state.readings.main_pump_mode),
    ),
    PoolctlSensorDescription(
        key="pump_model",
        translation_key="pump_model",
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        # In Home Assistant, a child device has no model.
        once_reported=True,
        value_fn=lambda state: state.pump.name if state.pump else None,
    ),
    PoolctlSensorDescription(
        key="running_schedule",
        translation_key="running_schedule",
        value_fn=_running_pump_schedule,
    ),
    *(_remaining(doser) for doser in DOSERS),
    PoolctlSensorDescription(
        key="clock_difference",
        translation_key="clock_difference",
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.MINUTES,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        pool_fn=_clock_difference,
    ),
    PoolctlSensorDescription(
        key="last_valid_reading",
        translation_key="last_valid_reading",
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=lambda state: state.valid_at,
    ),
    PoolctlSensorDescription(
        key="sanitiser_output",
        translation_key="sanitiser_output",
        state_class=SensorStateClass.MEASUREMENT,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        fitted=CHLORINATORS | LIQUID_CHLORINE,
        value_fn=lambda state: state.readings.sanitiser_output,
    ),
    PoolctlSensorDescription(
        key="drive_temperature",
        translation_key="drive_temperature",
        device_class=SensorDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        state_class=SensorStateClass.MEASUREMENT,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=lambda state: state.readings.drive_temperature,
    ),
)

PUMP_STATUS = PoolctlSensorDescription(
    key="pump_status",
    translation_key="pump_status",
    device_class=SensorDeviceClass.ENUM,
    options=list(PumpStatus),
    value_fn=lambda state: state.pump_status,
)
CONNECTION = PoolctlSensorDescription(
    key="connection",
    translation_key="connection",
    device_class=SensorDeviceClass.ENUM,
    options=[*Source, LOST],
    entity_category=EntityCategory.DIAGNOSTIC,
    value_fn=lambda state: state.source,
)


def _build(coordinator: ControllerCoordinator) -> Presences:
    return {
        **described(PoolctlSensor, SENSORS, coordinator),
        **described(PoolctlPumpStatus, (PUMP_STATUS,), coordinator),
        **described(PoolctlConnection, (CONNECTION,), coordinator),
        **described(PoolctlTotal, TOTALS, coordinator),
        **described(PoolctlLearned, DOSER_SENSORS, coordinator),
        **described(PoolctlPumpHours, PUMP_HOURS, coordinator),
        **described(PoolctlEnd, (*ENDS, *WARM_AT), coordinator),
        **described(PoolctlHeldOutputs, HELD, coordinator),
        **described(PoolctlFilterLoad, FILTER_LOAD, coordinator),
        **described(PoolctlReached, REACHED, coordinator),
        **described(PoolctlStatus, STATUS, coordinator),
    }


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the sensors."""
    async_setup_platform(entry, Platform.SENSOR, async_add_entities, _build)


class PoolctlSensor(PoolctlEntity[SensorValue], SensorEntity):
    """One sensor of a controller."""

    entity_description: PoolctlSensorDescription

    @property
    @override
    def native_value(self) -> SensorValue | None:
        """Return the value in the unit of the description."""
        return self._value

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self.extra_state_attributes

    @property
    @override
    def extra_state_attributes(self) -> Details | None:
        """Return the attributes of the description."""
        if (details_fn := self.entity_description.details_fn) is None:
            return None
        found = details_fn(self.coordinator.data)
        ends = found.keys() & {ATTR_GOOD_FROM, ATTR_GOOD_TO}
        converter = UNIT_CONVERTERS.get(self.device_class)
        native = self.entity_description.native_unit_of_measurement
        # Its unit is not known before it has a platform.
        if ends and converter and native and self.registry_entry:
            convert = converter.converter_factory(native, self.unit_of_measurement)
            found |= {end: convert(float(found[end])) for end in ends}
        return found


class PoolctlPumpStatus(PoolctlSensor):
    """Status of the pump; while it primes or runs on, with the time when that ends."""

    _end = SteadyEnd()

    @override
    def _read_value(self) -> SensorValue | None:
        readings = self.coordinator.data.readings
        count = readings.pump_cooldown_remaining or readings.pump_priming_remaining
        self._end = self._end.after(count or None)
        return super()._read_value()

    @property
    @override
    def extra_state_attributes(self) -> Details:
        """Return when priming or run-on ends."""
        return {ATTR_ENDS: self._end.at.isoformat()} if self._end.at else {}


class PoolctlConnection(PoolctlSensor):
    """How the controller is reached; it is unavailable only in a closed season.

    While the controller is silent, it has the time of the last answer.
    """

    shows_figures = False

    @property
    @override
    def available(self) -> bool:
        return super().available or self.coordinator.polled

    @override
    def _read_value(self) -> SensorValue | None:
        return super()._read_value() if self.coordinator.last_update_success else LOST

    @property
    @override
    def extra_state_attributes(self) -> Details:
        if (last := self.coordinator.last_answer) is None:
            return {}
        return {"last_answer": last.isoformat(timespec="seconds")}
