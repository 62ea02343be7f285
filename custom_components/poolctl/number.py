"""Numbers: what a person chooses for the pump and the chemistry."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import override

from homeassistant.components.number import (
    NumberDeviceClass,
    NumberEntity,
    NumberEntityDescription,
    NumberMode,
)
from homeassistant.const import (
    PERCENTAGE,
    EntityCategory,
    Platform,
    UnitOfElectricPotential,
    UnitOfVolume,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.control.controller import Controller
from .client.control.dosing import CHLORINE, PH, SETTINGS, Range, SettingsObject
from .client.equipment import (
    CHLORINATORS,
    LIQUID_CHLORINE,
    MAX_SPEED,
    MIN_SPEED,
    PH_DOSERS,
    SPEED_STEP,
)
from .client.pool.drums import MAX_LOW_LEVEL, MIN_LOW_LEVEL, drum
from .client.pool.state import PoolState
from .entity import PoolctlEntity, PoolctlEntityDescription
from .errors import command_errors
from .presence import async_setup_platform, described

# Controllers take one command at a time by themselves; a limit here would keep the
# newest of several values from overtaking the ones that wait.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlNumberDescription(
    PoolctlEntityDescription[float], NumberEntityDescription
):
    """One number."""

    set_fn: Callable[[Controller, float], Awaitable[None]]


def _desired(
    key: str,
    fitted: frozenset[int],
    value_fn: Callable[[PoolState], float | None],
    device_class: NumberDeviceClass,
    unit: str | None = None,
) -> PoolctlNumberDescription:
    """Return the row of a desired value, whose key is that of its setting."""
    low, high, step = _range(key)
    return PoolctlNumberDescription(
        key=key,
        translation_key=key,
        device_class=device_class,
        native_unit_of_measurement=unit,
        entity_category=EntityCategory.CONFIG,
        native_min_value=low,
        native_max_value=high,
        native_step=step,
        fitted=fitted,
        value_fn=value_fn,
        set_fn=lambda controller, value: controller.settings.change(key, value),
    )


def _drum(of: SettingsObject, fitted: frozenset[int]) -> PoolctlNumberDescription:
    """Return the row of a drum's size, which is unknown while the controller has 0 L."""
    low, high, step = _range(of.drum_field)
    return PoolctlNumberDescription(
        key=f"{of.substance}_drum",
        translation_key=f"{of.substance}_drum",
        device_class=NumberDeviceClass.VOLUME_STORAGE,
        native_unit_of_measurement=UnitOfVolume.LITERS,
        entity_category=EntityCategory.CONFIG,
        mode=NumberMode.BOX,
        native_min_value=low / 1000,
        native_max_value=high / 1000,
        native_step=step / 1000,
        fitted=fitted,
        value_fn=lambda state: drum(state, of).litres,
        set_fn=lambda controller, value: controller.settings.change(
            of.drum_field, round(value * 1000)
        ),
    )


def _low_level(of: SettingsObject, fitted: frozenset[int]) -> PoolctlNumberDescription:
    """Return the row of what counts as nearly empty; Home Assistant alone keeps it."""

    async def set_low_level(controller: Controller, value: float) -> None:
        controller.update(**{of.low_level_field: round(value)})

    return PoolctlNumberDescription(
        key=of.low_level_field,
        translation_key=of.low_level_field,
        native_unit_of_measurement=PERCENTAGE,
        entity_category=EntityCategory.CONFIG,
        native_min_value=MIN_LOW_LEVEL,
        native_max_value=MAX_LOW_LEVEL,
        native_step=1,
        fitted=fitted,
        value_fn=lambda state: drum(state, of).low_level,
        set_fn=set_low_level,
    )


def _range(field: str) -> Range:
    """Return what a person may choose for a setting."""
    found = SETTINGS[field].range
    assert found is not None
    return found


def _pump_speed(state: PoolState) -> int | None:
    """Return the speed of the pump in %; while it stands still, that of its start."""
    return state.readings.pump_speed if state.pump_on else state.start_speed


_ORP = NumberDeviceClass.VOLTAGE, UnitOfElectricPotential.MILLIVOLT

NUMBERS = (
    PoolctlNumberDescription(
        key="pump_speed",
        translation_key="pump_speed",
        native_unit_of_measurement=PERCENTAGE,
        native_min_value=MIN_SPEED,
        native_max_value=MAX_SPEED,
        native_step=SPEED_STEP,
        exists_fn=lambda state: state.variable_speed,
        value_fn=_pump_speed,
        set_fn=lambda controller, value: controller.set_pump_speed(round(value)),
    ),
    _desired(
        "desired_ph",
        PH_DOSERS,
        lambda state: state.configuration.desired_ph,
        NumberDeviceClass.PH,
    ),
    _desired(
        "desired_orp_mineral",
        CHLORINATORS,
        lambda state: state.configuration.desired_orp_mineral,
        *_ORP,
    ),
    _desired(
        "desired_orp_liquid",
        LIQUID_CHLORINE,
        lambda state: state.configuration.desired_orp_liquid,
        *_ORP,
    ),
    _drum(PH, PH_DOSERS),
    _drum(CHLORINE, LIQUID_CHLORINE),
    _low_level(PH, PH_DOSERS),
    _low_level(CHLORINE, LIQUID_CHLORINE),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the numbers."""
    async_setup_platform(
        entry,
        Platform.NUMBER,
        async_add_entities,
        partial(described, PoolctlNumber, NUMBERS),
    )


class PoolctlNumber(PoolctlEntity[float], NumberEntity):
    """Something a person chooses."""

    entity_description: PoolctlNumberDescription

    @property
    @override
    def native_value(self) -> float | None:
        """Return the value in force, or the one just asked for."""
        return self._value

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Ask for another value."""
        with command_errors():
            await self.entity_description.set_fn(self.controller, value)
