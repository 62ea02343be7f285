"""Numbers: settings of the pump, dosing, filter, heaters and the pool."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from math import isfinite
from typing import NamedTuple, override

from homeassistant.components.number import (
    NumberDeviceClass,
    NumberEntity,
    NumberEntityDescription,
    NumberMode,
)
from homeassistant.const import (
    EntityCategory,
    UnitOfElectricPotential,
    UnitOfPower,
    UnitOfRatio,
    UnitOfTime,
    UnitOfVolume,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util.unit_conversion import VolumeConverter
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM

from .account import PoolctlConfigEntry
from .client import InvalidCommandError
from .client.pool import (
    ACID,
    CHLORINATOR,
    CHLORINE,
    DOSERS,
    DRUM_SIZE,
    LOW_LEVELS,
    MAX_SPEED,
    MIN_SPEED,
    SPEED_STEP,
    AnyDosing,
    DoserKind,
    HeatSource,
    shown_speed,
)
from .const import ATTR_NEXT_STEP
from .coordinator import ControllerCoordinator
from .devices.parts import Part, part_of_source
from .entity import PoolctlEntity, PoolctlEntityDescription
from .fitted import async_follow, rows
from .learned.pool import filter_compared
from .learned.preferences import (
    FILTER_LIMITS,
    MAX_HEATER_POWER,
    PUMP_HOURS,
    TURNOVERS,
    Preferences,
    PumpRule,
)
from .status.situation import View

PARALLEL_UPDATES = 0  # as for switches


@dataclass(frozen=True, kw_only=True)
class PoolctlNumberDescription(
    PoolctlEntityDescription[float], NumberEntityDescription
):
    """One number."""

    set_fn: Callable[[ControllerCoordinator, float], Awaitable[None] | None]


def _prefer(
    change: Callable[[Preferences, float], Preferences],
) -> Callable[[ControllerCoordinator, float], None]:
    """Return the function of a number that only Home Assistant stores and uses."""
    return lambda coordinator, value: coordinator.async_prefer(
        lambda preferences: change(preferences, value)
    )


def _desired(
    kind: AnyDosing,
    device_class: NumberDeviceClass,
    unit: str | None = None,
) -> PoolctlNumberDescription:
    return PoolctlNumberDescription(
        key=kind.desired_key,
        part=Part.DOSING,
        device_class=device_class,
        native_unit_of_measurement=unit,
        entity_category=EntityCategory.CONFIG,
        native_min_value=kind.choice.low,
        native_max_value=kind.choice.high,
        native_step=kind.choice.step,
        fitted=kind.fitted,
        # `dashboardInfo` reports it, but it can only be changed with the settings.
        proof_fn=lambda view: kind.of(view.state).enabled,
        value_fn=lambda view: kind.of(view.state).desired,
        set_fn=lambda pool, value: pool.controller.dosing.set_desired(kind, value),
    )


def _drum(doser: DoserKind) -> PoolctlNumberDescription:
    """Return the row of a drum's size, unknown while the controller reports 0 L."""
    return PoolctlNumberDescription(
        key=f"{doser.key}_drum_size",
        device_class=NumberDeviceClass.VOLUME_STORAGE,
        entity_category=EntityCategory.CONFIG,
        mode=NumberMode.BOX,
        part=Part.DOSING,
        fitted=doser.fitted,
        value_fn=lambda view: doser.of(view.state).drum_litres,
        set_fn=lambda pool, litres: pool.controller.dosing.set_drum(
            doser, round(litres * 1000)
        ),
    )


def _low_level(doser: DoserKind) -> PoolctlNumberDescription:
    """Return the row of the nearly empty level; only Home Assistant stores it."""

    def low_level(view: View) -> int | None:
        # Without the size of the drum, a percentage has no meaning.
        size = doser.of(view.state).drum_litres
        return doser.low_level(view.choices) if size else None

    return PoolctlNumberDescription(
        key=f"{doser.key}_low_level",
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        entity_category=EntityCategory.CONFIG,
        native_min_value=LOW_LEVELS.low,
        native_max_value=LOW_LEVELS.high,
        native_step=1,
        part=Part.DOSING,
        fitted=doser.fitted,
        value_fn=low_level,
        set_fn=lambda pool, value: pool.controller.live.choose(
            lambda choices: doser.with_low_level(choices, round(value))
        ),
    )


def _heater_power(
    source: HeatSource,
    of: Callable[[Preferences], float | None],
    into: Callable[[Preferences, float | None], Preferences],
) -> PoolctlNumberDescription:
    """Return the row of a heater's power; 0 means unknown and removes its energy."""
    return PoolctlNumberDescription(
        key=f"{source}_power",
        part=part_of_source(source),
        device_class=NumberDeviceClass.POWER,
        native_unit_of_measurement=UnitOfPower.KILO_WATT,
        entity_category=EntityCategory.CONFIG,
        entity_registry_enabled_default=False,
        mode=NumberMode.BOX,
        native_min_value=0,
        native_max_value=MAX_HEATER_POWER,
        native_step=0.01,
        exists_fn=lambda view: view.state.outputs.fitted(source.fitted),
        value_fn=lambda view: of(view.preferences),
        set_fn=_prefer(lambda preferences, power: into(preferences, power or None)),
    )


_ORP = NumberDeviceClass.VOLTAGE, UnitOfElectricPotential.MILLIVOLT

NUMBERS = (
    PoolctlNumberDescription(
        key="pump_target_speed",
        part=Part.PUMP,
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        native_min_value=MIN_SPEED,
        native_max_value=MAX_SPEED,
        native_step=SPEED_STEP,
        exists_fn=lambda view: view.state.variable_speed,
        value_fn=lambda view: shown_speed(view.state, view.choices),
        set_fn=lambda pool, value: pool.controller.holds.set_speed(round(value)),
    ),
    _desired(ACID, NumberDeviceClass.PH),
    _desired(CHLORINATOR, *_ORP),
    _desired(CHLORINE, *_ORP),
    *map(_low_level, DOSERS),
    PoolctlNumberDescription(
        key="filter_limit",
        part=Part.PUMP,
        native_unit_of_measurement=UnitOfRatio.PERCENTAGE,
        entity_category=EntityCategory.CONFIG,
        native_min_value=FILTER_LIMITS.low,
        native_max_value=FILTER_LIMITS.high,
        native_step=5,
        exists_fn=filter_compared,
        value_fn=lambda view: view.preferences.filter_limit,
        set_fn=_prefer(
            lambda preferences, percent: replace(
                preferences, filter_limit=round(percent)
            )
        ),
    ),
    _heater_power(
        HeatSource.POOL_HEATER,
        lambda preferences: preferences.pool_heater_power,
        lambda preferences, power: replace(preferences, pool_heater_power=power),
    ),
    _heater_power(
        HeatSource.SPA_HEATER,
        lambda preferences: preferences.spa_heater_power,
        lambda preferences, power: replace(preferences, spa_heater_power=power),
    ),
    PoolctlNumberDescription(
        key="pump_hours_a_day",
        part=Part.PUMP,
        device_class=NumberDeviceClass.DURATION,
        native_unit_of_measurement=UnitOfTime.HOURS,
        entity_category=EntityCategory.CONFIG,
        mode=NumberMode.BOX,
        native_min_value=PUMP_HOURS.low,
        native_max_value=PUMP_HOURS.high,
        native_step=0.25,
        exists_fn=lambda view: view.preferences.pump_rule is PumpRule.FIXED,
        value_fn=lambda view: view.preferences.pump_hours,
        set_fn=_prefer(
            lambda preferences, hours: replace(preferences, pump_hours=hours)
        ),
    ),
    PoolctlNumberDescription(
        key="turnovers_a_day",
        part=Part.PUMP,
        entity_category=EntityCategory.CONFIG,
        mode=NumberMode.BOX,
        native_min_value=TURNOVERS.low,
        native_max_value=TURNOVERS.high,
        native_step=0.1,
        exists_fn=lambda view: view.preferences.pump_rule is PumpRule.TURNOVERS,
        value_fn=lambda view: view.preferences.turnovers,
        set_fn=_prefer(
            lambda preferences, times: replace(preferences, turnovers=times)
        ),
    ),
)


DRUMS = tuple(map(_drum, DOSERS))
POOL_VOLUME = PoolctlNumberDescription(
    key="volume",
    part=Part.WATER,
    device_class=NumberDeviceClass.VOLUME_STORAGE,
    entity_category=EntityCategory.CONFIG,
    mode=NumberMode.BOX,
    value_fn=lambda view: view.preferences.volume,
    # No controller reports it.
    attributes_fn=lambda view: (
        {ATTR_NEXT_STEP: "enter"} if view.preferences.volume is None else {}
    ),
    set_fn=_prefer(
        lambda preferences, litres: replace(preferences, volume=round(litres))
    ),
)
"""Volume of the pool in L; only Home Assistant stores it."""


class PoolctlNumber(PoolctlEntity[float], NumberEntity):
    """Number that the user can set."""

    entity_description: PoolctlNumberDescription

    @property
    @override
    def native_value(self) -> float | None:
        return self.shown_value

    @override
    async def async_set_native_value(self, value: float) -> None:
        with self.commanding():
            if not isfinite(value):
                # Home Assistant checks only the limits, which NaN passes.
                raise InvalidCommandError("not a number")
            sent = self.entity_description.set_fn(self.coordinator, value)
            if sent is not None:
                await sent


class _Volumes(NamedTuple):
    """Unit, limits and precision of volumes."""

    unit: UnitOfVolume
    low: float
    high: float
    step: float
    decimals: int


class PoolctlVolume(PoolctlNumber):
    """Volume in the unit of the house: Home Assistant converts no numbers."""

    _metric = _Volumes(
        UnitOfVolume.LITERS,
        DRUM_SIZE.low / 1000,
        DRUM_SIZE.high / 1000,
        DRUM_SIZE.step / 1000,
        3,
    )
    _us_customary = _Volumes(UnitOfVolume.GALLONS, 0.3, 52.8, 0.1, 1)

    def __init__(
        self, coordinator: ControllerCoordinator, description: PoolctlNumberDescription
    ) -> None:
        us = coordinator.hass.config.units is US_CUSTOMARY_SYSTEM
        self._volumes = volumes = self._us_customary if us else self._metric
        self._attr_native_unit_of_measurement = volumes.unit
        self._attr_native_min_value = volumes.low
        self._attr_native_max_value = volumes.high
        self._attr_native_step = volumes.step
        super().__init__(coordinator, description)

    @property
    @override
    def native_value(self) -> float | None:
        if (litres := super().native_value) is None:
            return None
        unit, decimals = self._volumes.unit, self._volumes.decimals
        found = VolumeConverter.convert(litres, UnitOfVolume.LITERS, unit)
        return round(found, decimals)

    @override
    async def async_set_native_value(self, value: float) -> None:
        unit = self._volumes.unit
        litres = VolumeConverter.convert(value, unit, UnitOfVolume.LITERS)
        await super().async_set_native_value(litres)


class PoolctlPoolVolume(PoolctlVolume):
    """Volume of the pool."""

    _metric = _Volumes(UnitOfVolume.CUBIC_METERS, 0.5, 10_000, 0.1, 3)
    _us_customary = _Volumes(UnitOfVolume.GALLONS, 100, 2_500_000, 1, 0)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove numbers as controllers and equipment change."""
    await async_follow(
        entry,
        async_add_entities,
        rows(PoolctlNumber, NUMBERS),
        rows(PoolctlVolume, DRUMS),
        rows(PoolctlPoolVolume, (POOL_VOLUME,)),
    )
