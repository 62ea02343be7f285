"""Numbers: what a person chooses for the pump and the chemistry."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, override

from homeassistant.components.number import (
    NumberDeviceClass,
    NumberEntity,
    NumberEntityDescription,
)
from homeassistant.const import (
    PERCENTAGE,
    EntityCategory,
    Platform,
    UnitOfElectricPotential,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client.controller import MAX_SPEED, MIN_SPEED, SETTINGS, SPEED_STEP, Controller
from .client.equipment import CHLORINATORS, LIQUID_CHLORINE, PH_DOSERS
from .client.state import PoolState
from .coordinator import PoolctlConfigEntry
from .entity import (
    PoolctlEntity,
    PoolctlEntityDescription,
    async_setup_platform,
    command_errors,
    described,
)

# Controllers take one command at a time by themselves; a limit here would keep the
# newest of several values from overtaking the ones that wait.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlNumberDescription(PoolctlEntityDescription, NumberEntityDescription):
    """One number."""

    set_fn: Callable[[Controller, float], Coroutine[Any, Any, None]]


def _read_setting(key: str) -> Callable[[PoolState], float | None]:
    return lambda state: getattr(state.configuration, key)


def _change_setting(
    key: str,
) -> Callable[[Controller, float], Coroutine[Any, Any, None]]:
    return lambda controller, value: controller.change_setting(key, value)


def _pump_speed(state: PoolState) -> int | None:
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
    *(
        PoolctlNumberDescription(
            key=key,
            translation_key=key,
            device_class=device_class,
            native_unit_of_measurement=unit,
            entity_category=EntityCategory.CONFIG,
            native_min_value=SETTINGS[key].low,
            native_max_value=SETTINGS[key].high,
            native_step=SETTINGS[key].step,
            fitted=fitted,
            value_fn=_read_setting(key),
            set_fn=_change_setting(key),
        )
        for key, device_class, unit, fitted in (
            ("desired_ph", NumberDeviceClass.PH, None, PH_DOSERS),
            ("desired_orp_mineral", *_ORP, CHLORINATORS),
            ("desired_orp_liquid", *_ORP, LIQUID_CHLORINE),
        )
    ),
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


class PoolctlNumber(PoolctlEntity, NumberEntity):
    """Something a person chooses."""

    entity_description: PoolctlNumberDescription

    @property
    @override
    def native_value(self) -> float | None:
        """Return the value in force, or the one just asked for."""
        return self._value  # type: ignore[no-any-return]

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Ask for another value."""
        with command_errors():
            await self.entity_description.set_fn(self.controller, value)
