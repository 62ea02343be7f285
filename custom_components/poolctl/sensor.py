"""Sensors: values that the controller reports, and those derived from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.components.sensor.const import UNIT_CONVERTERS
from homeassistant.const import (
    EntityCategory,
    UnitOfElectricPotential,
    UnitOfEnergy,
    UnitOfPower,
    UnitOfPressure,
    UnitOfRatio,
    UnitOfTemperature,
    UnitOfTime,
    UnitOfVolume,
    UnitOfVolumeFlowRate,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceNotSupported
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.translation import async_get_cached_translations
from homeassistant.util import dt as dt_util

from .account import PoolctlConfigEntry
from .client.holds import held_outputs
from .client.pool import (
    BODIES,
    CHLORINATORS,
    DOSERS,
    LIQUID_CHLORINE,
    Body,
    DoserKind,
    HeatSource,
    PumpStatus,
    Source,
    has_thermostat,
)
from .const import ATTR_NEXT_STEP, ATTR_PROBLEMS, DOMAIN, LOST
from .devices.naming import OutputNames
from .devices.output_attributes import (
    ATTR_ENDS,
    ATTR_GOOD_FROM,
    ATTR_GOOD_TO,
    ATTR_MEASURED_AT,
    last_temperature,
)
from .devices.parts import PART_OF_BODY, Part, part_of_source
from .devices.ranges import ORP_READING, PH_READING, Reading
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import async_follow, rows
from .learned.learned import Last
from .learned.pool import (
    filter_compared,
    missed_yesterday,
    missing,
    needed_today,
    still_needed,
)
from .learned.totals import (
    HEATER_ENERGY,
    PUMP_ENERGY,
    PUMP_RUNNING,
    RUN_HOURS,
    WATER_FILTERED,
    TotalKind,
)
from .status.connection import Link, cloud_link, lan_link
from .status.output import why_pump
from .status.rows import ALL_WELL, Severity
from .status.situation import View
from .status.texts import (
    PUMP_ATTRIBUTES,
    action_of,
    dated,
    next_step,
    pump_attributes,
    sentence,
)

PARALLEL_UPDATES = 0

ATTR_OUTPUTS: Final = "outputs"
ATTR_MISSED_YESTERDAY: Final = "missed_yesterday"
ATTR_CLEANED_AT: Final = "cleaned_at"
"""Time in UTC at which a user last reported the filter clean."""
ATTR_BASELINE: Final = "baseline"
"""Whether the resistance of the clean filter was measured, `MEASURED` or `AWAITED`."""
AWAITED: Final = "awaited"
"""The measurement follows once the pump has run steadily for some minutes."""
MEASURED: Final = "measured"
DECIMALS: Final = 2
"""Decimals of learned values."""

type SensorValue = float | str | date | datetime
type Attributes = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class PoolctlSensorDescription(
    PoolctlEntityDescription[SensorValue], SensorEntityDescription
):
    """One sensor."""

    total: TotalKind | None = None
    """The total that it shows, if the user can restart that at 0."""


@dataclass(frozen=True, kw_only=True)
class Measurement(PoolctlSensorDescription):
    """A value with statistics of its mean."""

    state_class: SensorStateClass | None = SensorStateClass.MEASUREMENT


@dataclass(frozen=True, kw_only=True)
class Sum(PoolctlSensorDescription):
    """A sum with statistics of its growth."""

    state_class: SensorStateClass | None = SensorStateClass.TOTAL_INCREASING


def _reading(reading: Reading | None = None) -> Callable[[View], Attributes]:
    """Return a function for the attributes of a reading: its good range and its time.

    The time is included only while the chemistry is not stable: else it is now.
    """

    def attributes(view: View) -> Attributes:
        found: Attributes = {}
        if reading is not None:
            good = reading.range(view.state, view.preferences.own_ranges)
            found = {ATTR_GOOD_FROM: good.low, ATTR_GOOD_TO: good.high}
        if view.state.signals.chemistry_stable is False and view.state.valid_at:
            found[ATTR_MEASURED_AT] = view.state.valid_at.isoformat(timespec="seconds")
        return found

    return attributes


def _last(view: View, now: float | None, last: Last | None) -> Attributes:
    """Return the last temperature while the source does not report it."""
    if now is not None or last is None:
        return {}
    return last_temperature(view.hass.config.units, last.celsius, last.at)


def _last_water(view: View) -> Attributes:
    last = _last(view, view.chemistry.water_temperature, view.learned.last_water)
    return {**_reading()(view), **last}


def _when_begun(view: View) -> bool:
    """Return whether a path to the controller can be shown: not in a closed season."""
    return view.reached or not view.closed_season


def _last_answer(view: View) -> Attributes:
    """Return the time of the last answer while the controller is silent."""
    last = view.last_answer
    return {"last_answer": last.isoformat(timespec="seconds")} if last else {}


def _problems(view: View) -> Attributes:
    """Return all problems, the worst first, and the times of the pump."""
    answers = view.reached and view.last_answer is None
    return {
        **pump_attributes(why_pump(view) if answers else ()),
        ATTR_PROBLEMS: [
            {
                "key": problem.key,
                "severity": problem.severity,
                "sentence": sentence(view.hass, problem),
                "next_step": next_step(view.hass, problem),
                "variant": problem.variant,
                "step": problem.step,
                "values": dated(view.hass, problem.values),
                "since": problem.since.isoformat(timespec="seconds"),
                **action_of(view.hass, view.record.device_id, problem),
            }
            for problem in view.status.problems
        ],
    }


def _pump_model(view: View) -> str | None:
    return view.state.pump.name if view.state.pump else None


def _pump_status_ends(view: View) -> Attributes:
    end = view.learned.ends.run_on or view.learned.ends.priming
    return {ATTR_ENDS: end.isoformat()} if end else {}


def _clock_difference(view: View) -> float | None:
    """Return the minutes by which the controller's clock is ahead of ours."""
    ahead = view.learned.controller_clock.offset
    return None if ahead is None else round(ahead / timedelta(minutes=1), 1)


def _held(view: View) -> Attributes:
    """Return the names of the held outputs, as their entities are named."""
    language = view.hass.config.language
    texts = async_get_cached_translations(view.hass, language, "entity", DOMAIN)
    names = OutputNames(view.state, view.uses, texts)
    return {ATTR_OUTPUTS: [names[s.index] for s in held_outputs(view.state) or ()]}


def _filter_baseline(view: View) -> Attributes:
    """Return when the filter was clean, and whether that was measured."""
    known = view.learned.filter
    found: Attributes = {ATTR_BASELINE: MEASURED if known.clean else AWAITED}
    if known.cleaned_at is not None:
        found[ATTR_CLEANED_AT] = known.cleaned_at.isoformat(timespec="seconds")
    return found


def _pump_hours(
    key: str, hours_of: Callable[[View], float | None]
) -> PoolctlSensorDescription:
    def hours(view: View) -> float | None:
        return None if (found := hours_of(view)) is None else round(found, DECIMALS)

    def missed(view: View) -> Attributes:
        if (step := missing(view)) is not None:
            return {ATTR_NEXT_STEP: step}
        found = missed_yesterday(view)
        return {ATTR_MISSED_YESTERDAY: found and round(found, DECIMALS)}

    return Measurement(
        key=key,
        part=Part.PUMP,
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        suggested_display_precision=DECIMALS,
        exists_fn=lambda view: view.preferences.pump_rule is not None,
        proof_fn=lambda view: view.state.pump_on,
        value_fn=hours,
        attributes_fn=missed,
    )


def _shown(kind: TotalKind) -> Callable[[View], float]:
    return lambda view: round(view.learned.totals.of[kind].shown, DECIMALS)


def _turnovers(view: View) -> float | None:
    """Return how often the pool's volume, in L, was filtered today."""
    filtered, volume = view.learned.totals.of[WATER_FILTERED], view.preferences.volume
    return round(filtered.shown * 1000 / volume, DECIMALS) if volume else None


def _run_hours(kind: TotalKind, part: Part) -> PoolctlSensorDescription:
    return Sum(
        key=kind.key,
        part=part,
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        suggested_display_precision=1,
        entity_registry_enabled_default=False,
        fitted=kind.fitted,
        proof_fn=lambda view: kind.rate(view.state),
        value_fn=_shown(kind),
        total=kind,
    )


_PARTS_OF_RUN_HOURS = (
    Part.PUMP,
    *map(part_of_source, HeatSource),
    Part.DOSING,
    Part.WATER,
    Part.WATER,
)


def _heater_energy(kind: TotalKind, part: Part) -> PoolctlSensorDescription:
    """Return the row of a heater's energy; it exists once its power was entered."""
    return Sum(
        key=kind.key,
        part=part,
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=DECIMALS,
        exists_fn=lambda view: (
            kind.factor(view.preferences) is not None
            and view.state.outputs.fitted(kind.fitted)
        ),
        value_fn=_shown(kind),
    )


def _remaining(doser: DoserKind) -> PoolctlSensorDescription:
    return Measurement(
        key=f"{doser.key}_remaining",
        device_class=SensorDeviceClass.VOLUME_STORAGE,
        native_unit_of_measurement=UnitOfVolume.LITERS,
        suggested_display_precision=1,
        part=Part.DOSING,
        fitted=doser.fitted,
        value_fn=lambda view: doser.of(view.state).litres_left,
    )


def _doses_today(doser: DoserKind) -> PoolctlSensorDescription:
    return PoolctlSensorDescription(
        key=f"{doser.key}_doses_today",
        entity_registry_enabled_default=False,
        state_class=SensorStateClass.TOTAL,
        part=Part.DOSING,
        fitted=doser.fitted,
        proof_fn=lambda view: doser.of(view.state).doses,
        value_fn=lambda view: view.learned.dosers[doser].doses_today(view.learned.now),
    )


def _used_today(doser: DoserKind) -> PoolctlSensorDescription:
    return PoolctlSensorDescription(
        key=f"{doser.key}_used_today",
        device_class=SensorDeviceClass.VOLUME,
        native_unit_of_measurement=UnitOfVolume.MILLILITERS,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=0,
        part=Part.DOSING,
        fitted=doser.fitted,
        proof_fn=lambda view: doser.of(view.state).litres_left,
        value_fn=lambda view: view.learned.dosers[doser].used_today(view.learned.now),
    )


def _lasts_until(doser: DoserKind) -> PoolctlSensorDescription:
    def day(view: View) -> date | None:
        left = doser.of(view.state).litres_left
        return view.learned.dosers[doser].lasts_until(left, view.learned.now)

    return PoolctlSensorDescription(
        key=f"{doser.key}_lasts_until",
        device_class=SensorDeviceClass.DATE,
        part=Part.DOSING,
        fitted=doser.fitted,
        proof_fn=lambda view: doser.of(view.state).litres_left,
        value_fn=day,
    )


def _warm_at(body: Body) -> PoolctlSensorDescription:
    return PoolctlSensorDescription(
        key=f"{body.key}_expected_warm_time",
        part=PART_OF_BODY[body],
        # Unknown unless it heats; the thermostat has it as an attribute.
        entity_registry_enabled_default=False,
        device_class=SensorDeviceClass.TIMESTAMP,
        exists_fn=lambda view: has_thermostat(view.state, body),
        value_fn=lambda view: view.learned.ends.warm.get(body),
    )


def _path(
    key: str, link_fn: Callable[[View], Link | None], *never: Link
) -> PoolctlSensorDescription:
    """Return the row of one path to the controller, without states it never has."""
    return PoolctlSensorDescription(
        key=key,
        device_class=SensorDeviceClass.ENUM,
        options=[link for link in Link if link not in never],
        entity_category=EntityCategory.DIAGNOSTIC,
        # *Connection* is enough for most users; these show the reason.
        entity_registry_enabled_default=False,
        available_fn=_when_begun,
        value_fn=link_fn,
    )


SENSORS = (
    PoolctlSensorDescription(
        key="status",
        device_class=SensorDeviceClass.ENUM,
        options=[ALL_WELL, *Severity],
        available_fn=lambda view: True,
        value_fn=lambda view: view.status.value,
        attributes_fn=_problems,
    ),
    PoolctlSensorDescription(
        key="connection",
        device_class=SensorDeviceClass.ENUM,
        options=[*Source, LOST],
        entity_category=EntityCategory.DIAGNOSTIC,
        available_fn=_when_begun,
        value_fn=lambda view: view.state.source if view.reached else LOST,
        attributes_fn=_last_answer,
    ),
    _path("local_network", lan_link, Link.NOT_NEEDED, Link.SIGN_IN),
    _path(
        "cloud_service",
        cloud_link,
        Link.NO_ADDRESS,
        Link.NO_KEY,
        Link.NOT_VERIFIED,
    ),
    PoolctlSensorDescription(
        key="pump_status",
        part=Part.PUMP,
        device_class=SensorDeviceClass.ENUM,
        options=list(PumpStatus),
        value_fn=lambda view: view.state.pump_status,
        attributes_fn=_pump_status_ends,
    ),
    Measurement(
        key="ph",
        part=Part.WATER,
        device_class=SensorDeviceClass.PH,
        suggested_display_precision=1,
        value_fn=lambda view: view.chemistry.ph,
        attributes_fn=_reading(PH_READING),
    ),
    Measurement(
        key="orp",
        part=Part.WATER,
        device_class=SensorDeviceClass.VOLTAGE,
        native_unit_of_measurement=UnitOfElectricPotential.MILLIVOLT,
        suggested_display_precision=0,
        value_fn=lambda view: view.chemistry.orp,
        attributes_fn=_reading(ORP_READING),
    ),
    Measurement(
        key="water_temperature",
        part=Part.WATER,
        device_class=SensorDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        suggested_display_precision=1,
        value_fn=lambda view: view.chemistry.water_temperature,
        attributes_fn=_last_water,
    ),
    Measurement(
        key="air_temperature",
        device_class=SensorDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        suggested_display_precision=1,
        # 0 on the wire: no such sensor is fitted (protocol.md O2.1)
        proof_fn=lambda view: view.ambient_temperature,
        value_fn=lambda view: view.ambient_temperature,
        attributes_fn=lambda view: _last(
            view, view.ambient_temperature, view.learned.last_ambient
        ),
    ),
    Measurement(
        key="pump_speed",
        part=Part.PUMP,
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        value_fn=lambda view: view.state.readings.pump_speed,
    ),
    Measurement(
        key="flow_rate",
        part=Part.PUMP,
        device_class=SensorDeviceClass.VOLUME_FLOW_RATE,
        native_unit_of_measurement=UnitOfVolumeFlowRate.LITERS_PER_MINUTE,
        suggested_display_precision=0,
        value_fn=lambda view: view.shown.readings.flow_rate,
    ),
    Measurement(
        key="filter_pressure",
        part=Part.PUMP,
        entity_registry_enabled_default=False,
        device_class=SensorDeviceClass.PRESSURE,
        native_unit_of_measurement=UnitOfPressure.KPA,
        suggested_display_precision=0,
        value_fn=lambda view: view.shown.readings.pressure,
    ),
    Measurement(
        key="pump_power",
        part=Part.PUMP,
        device_class=SensorDeviceClass.POWER,
        native_unit_of_measurement=UnitOfPower.WATT,
        suggested_display_precision=0,
        value_fn=lambda view: view.shown.readings.pump_power,
    ),
    Measurement(
        key="pump_power_change",
        part=Part.PUMP,
        entity_registry_enabled_default=False,
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        proof_fn=lambda view: view.state.readings.pump_power,
        value_fn=lambda view: view.learned.pump_power.change,
    ),
    PoolctlSensorDescription(
        key="pump_model",
        part=Part.PUMP,
        entity_registry_enabled_default=False,
        # In Home Assistant, a child device has no model.
        proof_fn=_pump_model,
        value_fn=_pump_model,
    ),
    *map(_remaining, DOSERS),
    PoolctlSensorDescription(
        key="clock_difference",
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.MINUTES,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value_fn=_clock_difference,
    ),
    PoolctlSensorDescription(
        key="last_valid_reading",
        part=Part.WATER,
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_registry_enabled_default=False,
        value_fn=lambda view: view.state.valid_at,
    ),
    Measurement(
        key="sanitiser_output",
        part=Part.DOSING,
        entity_registry_enabled_default=False,
        fitted=CHLORINATORS | LIQUID_CHLORINE,
        value_fn=lambda view: view.state.readings.sanitiser_output,
    ),
    Measurement(
        key="pump_drive_temperature",
        part=Part.PUMP,
        device_class=SensorDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        entity_registry_enabled_default=False,
        value_fn=lambda view: view.shown.readings.drive_temperature,
    ),
    *map(_warm_at, BODIES),
    Measurement(
        key="held_outputs",
        entity_registry_enabled_default=False,
        value_fn=lambda view: (
            None if (held := held_outputs(view.state)) is None else len(held)
        ),
        assumed_fn=lambda view: view.state.outputs.assumed,
        attributes_fn=_held,
    ),
    Measurement(
        key="filter_load",
        part=Part.PUMP,
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        suggested_display_precision=0,
        exists_fn=filter_compared,
        value_fn=lambda view: view.learned.filter.load,
        attributes_fn=_filter_baseline,
    ),
    _pump_hours("pump_hours_needed_today", needed_today),
    _pump_hours("pump_hours_still_needed", still_needed),
    Sum(
        key="pump_energy",
        part=Part.PUMP,
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=DECIMALS,
        # The cloud reports no power (protocol.md O5): without the LAN there is no energy.
        proof_fn=lambda view: view.state.readings.pump_power,
        value_fn=_shown(PUMP_ENERGY),
    ),
    Sum(
        key="pump_runtime_today",
        part=Part.PUMP,
        device_class=SensorDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        suggested_display_precision=DECIMALS,
        proof_fn=lambda view: view.state.pump_on,
        value_fn=_shown(PUMP_RUNNING),
    ),
    PoolctlSensorDescription(
        key="water_filtered_today",
        part=Part.PUMP,
        entity_registry_enabled_default=False,
        device_class=SensorDeviceClass.VOLUME,
        native_unit_of_measurement=UnitOfVolume.CUBIC_METERS,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=1,
        proof_fn=lambda view: view.state.readings.flow_rate,
        value_fn=_shown(WATER_FILTERED),
    ),
    PoolctlSensorDescription(
        key="turnovers_today",
        part=Part.PUMP,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=1,
        exists_fn=lambda view: bool(view.preferences.volume),
        proof_fn=lambda view: view.state.readings.flow_rate,
        value_fn=_turnovers,
    ),
    *map(_run_hours, RUN_HOURS, _PARTS_OF_RUN_HOURS, strict=True),
    *map(_heater_energy, HEATER_ENERGY, (Part.HEATING, Part.SPA), strict=True),
    *(row(d) for row in (_doses_today, _used_today, _lasts_until) for d in DOSERS),
)


class PoolctlSensor(PoolctlEntity[SensorValue], SensorEntity):
    """One sensor of a controller."""

    entity_description: PoolctlSensorDescription
    _unrecorded_attributes = frozenset({ATTR_PROBLEMS}) | PUMP_ATTRIBUTES

    @property
    @override
    def native_value(self) -> SensorValue | None:
        return self.shown_value

    @property
    @override
    def extra_state_attributes(self) -> Mapping[str, object]:
        """Attributes of its row; limits have the unit that the user chose."""
        found = super().extra_state_attributes
        converter = UNIT_CONVERTERS.get(self.device_class)
        native = self.entity_description.native_unit_of_measurement
        # Its unit is not known before it has a platform.
        if ATTR_GOOD_FROM in found and converter and native and self.registry_entry:
            convert = converter.converter_factory(native, self.unit_of_measurement)
            limits = {n: found[n] for n in (ATTR_GOOD_FROM, ATTR_GOOD_TO)}
            found = {**found, **{n: convert(float(str(v))) for n, v in limits.items()}}
        return found

    @callback
    def async_reset_total(self) -> None:
        """Start its total again at 0: the action `reset_run_hours`."""
        if (total := self.entity_description.total) is None:
            raise ServiceNotSupported(DOMAIN, "reset_run_hours", self.entity_id)
        self.coordinator.stored.async_reset_total(total)
        self.async_write_ha_state()

    @property
    @override
    def last_reset(self) -> datetime | None:
        """Return when the day of the value began, if statistics need it."""
        day = self.view.learned.totals.day
        if self.state_class is not SensorStateClass.TOTAL or day is None:
            return None
        return dt_util.start_of_local_day(day)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove sensors as controllers and equipment change."""
    await async_follow(entry, async_add_entities, rows(PoolctlSensor, SENSORS))
