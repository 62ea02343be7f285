"""Binary sensors: running equipment, stable chemistry, problems, connections."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import override

from homeassistant.components.binary_sensor import (
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.components.binary_sensor.const import BinarySensorDeviceClass
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool.dosing import DOSERS, DoserKind
from .client.pool.state import PoolState, Source
from .client.wire.equipment import (
    CHLORINATORS,
    EXPANDERS,
    LIQUID_CHLORINE,
    PH_DOSERS,
    POOL_HEATERS,
    SOLAR,
    SPA_HEATERS,
    Role,
    Slot,
)
from .coordinator import ControllerCoordinator
from .entity import PoolctlEntity, PoolctlEntityDescription, SlotEntity, slot_is_on
from .fitted import Presences, async_setup_platform, described, of_slots, with_role
from .learned.pool import filter_compared, needs_cleaning, without_effect
from .output_attributes import RUN_BY

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlBinarySensorDescription(
    PoolctlEntityDescription[bool], BinarySensorEntityDescription
):
    """One binary sensor."""

    expires: bool = False
    """Whether the value becomes unknown once the data it is based on is old."""
    on_thermostat: bool = False
    """Whether a thermostat shows it, too; the cloud alone provides no thermostat."""


def _low(doser: DoserKind) -> PoolctlBinarySensorDescription:
    """Return the row of a drum that is nearly empty."""
    return PoolctlBinarySensorDescription(
        key=f"{doser.key}_low",
        translation_key=f"{doser.key}_low",
        device_class=BinarySensorDeviceClass.PROBLEM,
        fitted=doser.fitted,
        pool_fn=lambda pool: doser.low(pool.state, pool.choices),
    )


def _without_effect(doser: DoserKind) -> PoolctlBinarySensorDescription:
    """Return the row of doses that do not change their reading."""
    return PoolctlBinarySensorDescription(
        key=f"{doser.key}_without_effect",
        translation_key=f"{doser.key}_without_effect",
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.PROBLEM,
        fitted=doser.fitted,
        pool_fn=lambda pool: without_effect(pool, doser),
    )


def _connected(
    key: str, value_fn: Callable[[PoolState], bool | None]
) -> PoolctlBinarySensorDescription:
    """Return the row of a connection of the controller."""
    return PoolctlBinarySensorDescription(
        key=key,
        translation_key=key,
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        once_reported=True,
        value_fn=value_fn,
    )


def _expander(number: int) -> PoolctlBinarySensorDescription:
    """Return the row of an expander."""
    return _connected(
        f"expander_{number}", lambda state: state.signals.expanders[number - 1]
    )


BINARY_SENSORS = (
    PoolctlBinarySensorDescription(
        key="pool_heater",
        translation_key="pool_heater",
        on_thermostat=True,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=POOL_HEATERS,
        value_fn=lambda state: state.signals.pool_heater,
    ),
    PoolctlBinarySensorDescription(
        key="solar",
        translation_key="solar",
        on_thermostat=True,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=SOLAR,
        value_fn=lambda state: state.signals.solar,
    ),
    PoolctlBinarySensorDescription(
        key="spa_heater",
        translation_key="spa_heater",
        on_thermostat=True,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=SPA_HEATERS,
        value_fn=lambda state: state.signals.spa_heater,
    ),
    PoolctlBinarySensorDescription(
        key="ph_dosing",
        translation_key="ph_dosing",
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=PH_DOSERS,
        value_fn=lambda state: state.signals.ph_dosing,
    ),
    PoolctlBinarySensorDescription(
        key="chlorine_dosing",
        translation_key="chlorine_dosing",
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=CHLORINATORS | LIQUID_CHLORINE,
        value_fn=lambda state: state.signals.chlorine_dosing,
    ),
    PoolctlBinarySensorDescription(
        key="chemistry_stable",
        translation_key="chemistry_stable",
        entity_registry_enabled_default=False,
        value_fn=lambda state: state.signals.chemistry_stable,
    ),
    PoolctlBinarySensorDescription(
        key="flow",
        translation_key="flow",
        entity_registry_enabled_default=False,
        value_fn=lambda state: state.signals.flow,
    ),
    PoolctlBinarySensorDescription(
        key="dry_run",
        translation_key="dry_run",
        device_class=BinarySensorDeviceClass.PROBLEM,
        value_fn=lambda state: state.signals.dry_run,
    ),
    *(_low(doser) for doser in DOSERS),
    PoolctlBinarySensorDescription(
        key="acid_limit_reached",
        translation_key="acid_limit_reached",
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.PROBLEM,
        fitted=PH_DOSERS,
        expires=True,
        pool_fn=lambda pool: pool.state.acid.limit_reached(pool.learned.now),
    ),
    *(_without_effect(doser) for doser in DOSERS),
    PoolctlBinarySensorDescription(
        key="filter_needs_cleaning",
        translation_key="filter_needs_cleaning",
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.PROBLEM,
        exists_fn=filter_compared,
        pool_fn=needs_cleaning,
    ),
    *(_expander(number) for number in EXPANDERS),
    _connected("wifi", lambda state: state.signals.wifi),
    _connected("ethernet", lambda state: state.signals.ethernet),
    _connected("internet", lambda state: state.signals.internet),
    _connected("mqtt", lambda state: state.signals.mqtt),
)


def _output(slot: Slot) -> PoolctlBinarySensorDescription:
    """Return the row of a slot that only the firmware runs."""
    return PoolctlBinarySensorDescription(
        key=f"slot_{slot.index}",
        translation_key=f"{slot.role}_output",
        device_class=BinarySensorDeviceClass.RUNNING,
        entity_category=EntityCategory.DIAGNOSTIC,
        # Another entity shows whether it heats or doses.
        entity_registry_enabled_default=slot.role is Role.VIRTUAL,
        value_fn=slot_is_on(slot.index),
        assumed_fn=lambda state: state.outputs.assumed,
    )


def _sensor(
    coordinator: ControllerCoordinator, description: PoolctlBinarySensorDescription
) -> PoolctlBinarySensor:
    kind = PoolctlExpiringSensor if description.expires else PoolctlBinarySensor
    return kind(coordinator, description)


def _build(coordinator: ControllerCoordinator) -> Presences:
    return {
        **described(_sensor, BINARY_SENSORS, coordinator),
        **of_slots(
            PoolctlOutputSensor, _output, with_role(RUN_BY, coordinator), coordinator
        ),
    }


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the binary sensors."""
    async_setup_platform(entry, Platform.BINARY_SENSOR, async_add_entities, _build)


class PoolctlBinarySensor(PoolctlEntity[bool], BinarySensorEntity):
    """Binary sensor of a controller."""

    entity_description: PoolctlBinarySensorDescription

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the value, `None` if the source does not report it."""
        return self._value

    @property
    @override
    def entity_registry_enabled_default(self) -> bool:
        """Return whether it is enabled by default: one fact has one enabled entity."""
        if self.entity_description.on_thermostat:
            return self.coordinator.data.source is Source.CLOUD
        return self.entity_description.entity_registry_enabled_default


class PoolctlExpiringSensor(PoolctlBinarySensor):
    """Binary sensor that is updated with every read, even one without a change."""

    @override
    async def async_added_to_hass(self) -> None:
        """Subscribe to the reads."""
        await super().async_added_to_hass()
        self.async_on_remove(self.controller.store.add_read_listener(self._read))

    @callback
    def _read(self, state: PoolState, at: float) -> None:
        self._handle_coordinator_update()


class PoolctlOutputSensor(SlotEntity, PoolctlBinarySensor):
    """Output that cannot be switched by hand, with the reason."""

    entity_description: PoolctlBinarySensorDescription
