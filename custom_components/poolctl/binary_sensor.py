"""Binary sensors: what runs, what is stable, what is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import override

from homeassistant.components.binary_sensor import (
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.components.binary_sensor.const import BinarySensorDeviceClass
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.control.dosing import CHLORINE, PH
from .client.equipment import (
    CHLORINATORS,
    LIQUID_CHLORINE,
    PH_DOSERS,
    POOL_HEATERS,
    SOLAR,
    SPA_HEATERS,
    Slot,
)
from .client.pool.drums import drum
from .client.pool.state import PoolState
from .coordinator import ControllerCoordinator
from .entity import PoolctlEntity, PoolctlEntityDescription, SlotEntity, slot_is_on
from .output_attributes import RUN_BY
from .presence import Factory, async_setup_platform, described

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlBinarySensorDescription(
    PoolctlEntityDescription, BinarySensorEntityDescription
):
    """One binary sensor."""


def _reading(key: str) -> Callable[[PoolState], bool | None]:
    return lambda state: getattr(state.readings, key)


BINARY_SENSORS = (
    PoolctlBinarySensorDescription(
        key="pool_heater",
        translation_key="pool_heater",
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=POOL_HEATERS,
        value_fn=_reading("pool_heater"),
    ),
    PoolctlBinarySensorDescription(
        key="solar",
        translation_key="solar",
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=SOLAR,
        value_fn=_reading("solar"),
    ),
    PoolctlBinarySensorDescription(
        key="spa_heater",
        translation_key="spa_heater",
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=SPA_HEATERS,
        value_fn=_reading("spa_heater"),
    ),
    PoolctlBinarySensorDescription(
        key="ph_dosing",
        translation_key="ph_dosing",
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=PH_DOSERS,
        value_fn=_reading("ph_dosing"),
    ),
    PoolctlBinarySensorDescription(
        key="chlorine_dosing",
        translation_key="chlorine_dosing",
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=CHLORINATORS | LIQUID_CHLORINE,
        value_fn=_reading("chlorine_dosing"),
    ),
    PoolctlBinarySensorDescription(
        key="chemistry_stable",
        translation_key="chemistry_stable",
        value_fn=_reading("chemistry_stable"),
    ),
    PoolctlBinarySensorDescription(
        key="flow",
        translation_key="flow",
        value_fn=_reading("flow"),
    ),
    PoolctlBinarySensorDescription(
        key="dry_run",
        translation_key="dry_run",
        device_class=BinarySensorDeviceClass.PROBLEM,
        value_fn=_reading("dry_run"),
    ),
    PoolctlBinarySensorDescription(
        key="pump_cooling_down",
        translation_key="pump_cooling_down",
        device_class=BinarySensorDeviceClass.RUNNING,
        value_fn=_reading("pump_cooling_down"),
    ),
    PoolctlBinarySensorDescription(
        key="pump_priming",
        translation_key="pump_priming",
        device_class=BinarySensorDeviceClass.RUNNING,
        value_fn=_reading("pump_priming"),
    ),
    PoolctlBinarySensorDescription(
        key="acid_low",
        translation_key="acid_low",
        device_class=BinarySensorDeviceClass.PROBLEM,
        fitted=PH_DOSERS,
        value_fn=lambda state: drum(state, PH).low,
    ),
    PoolctlBinarySensorDescription(
        key="chlorine_low",
        translation_key="chlorine_low",
        device_class=BinarySensorDeviceClass.PROBLEM,
        fitted=LIQUID_CHLORINE,
        value_fn=lambda state: drum(state, CHLORINE).low,
    ),
    *(
        PoolctlBinarySensorDescription(
            key=key,
            translation_key=key,
            device_class=BinarySensorDeviceClass.CONNECTIVITY,
            entity_category=EntityCategory.DIAGNOSTIC,
            entity_registry_enabled_default=False,
            value_fn=_reading(key),
        )
        for key in (
            "expander_1",
            "expander_2",
            "expander_3",
            "expander_4",
            "internet",
            "mqtt",
        )
    ),
)


def _output(slot: Slot) -> PoolctlBinarySensorDescription:
    """Return the row of a slot that only the firmware runs."""
    return PoolctlBinarySensorDescription(
        key=f"slot_{slot.index}",
        translation_key=f"{slot.role}_output",
        device_class=BinarySensorDeviceClass.RUNNING,
        entity_category=EntityCategory.DIAGNOSTIC,
        value_fn=slot_is_on(slot.index),
        assumed_fn=lambda state: state.slots_assumed,
    )


def _build(coordinator: ControllerCoordinator) -> dict[str, Factory | None]:
    found = described(PoolctlBinarySensor, BINARY_SENSORS, coordinator)
    for slot in coordinator.data.slots:
        if slot.role in RUN_BY:
            description = _output(slot)
            found[description.key] = partial(
                PoolctlOutputSensor, coordinator, description, slot.index
            )
    return found


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the binary sensors."""
    async_setup_platform(entry, Platform.BINARY_SENSOR, async_add_entities, _build)


class PoolctlBinarySensor(PoolctlEntity, BinarySensorEntity):
    """One yes or no of a controller."""

    entity_description: PoolctlBinarySensorDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the value, `None` where the source does not tell."""
        return self._value  # type: ignore[no-any-return]


class PoolctlOutputSensor(SlotEntity, PoolctlBinarySensor):
    """An output that nobody switches by hand, with the reason."""

    entity_description: PoolctlBinarySensorDescription
