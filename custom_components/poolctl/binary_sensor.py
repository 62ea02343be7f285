"""Binary sensors: running equipment, stable chemistry, problems, connections."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from homeassistant.components.binary_sensor import (
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.components.binary_sensor.const import BinarySensorDeviceClass
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .account import PoolctlConfigEntry
from .client.pool import (
    CHLORINATORS,
    EXPANDERS,
    LIQUID_CHLORINE,
    PH_DOSERS,
    POOL_HEATERS,
    SOLAR,
    SPA_HEATERS,
)
from .devices.output_attributes import RUN_BY
from .devices.parts import Part
from .entity import OnOffEntity, PoolctlEntityDescription, SlotEntity, is_on
from .fitted import async_follow, rows, with_role
from .status.situation import View

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlBinarySensorDescription(
    PoolctlEntityDescription[bool], BinarySensorEntityDescription
):
    """One binary sensor."""


def _connected(
    key: str, value_fn: Callable[[View], bool | None]
) -> PoolctlBinarySensorDescription:
    return PoolctlBinarySensorDescription(
        key=key,
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        proof_fn=value_fn,
        value_fn=value_fn,
    )


def _expander(number: int) -> PoolctlBinarySensorDescription:
    return _connected(
        f"expander_{number}", lambda view: view.state.signals.expanders[number - 1]
    )


BINARY_SENSORS = (
    PoolctlBinarySensorDescription(
        key="pool_heater",
        part=Part.HEATING,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=POOL_HEATERS,
        value_fn=lambda view: view.state.signals.pool_heater,
    ),
    PoolctlBinarySensorDescription(
        key="solar_heating",
        part=Part.HEATING,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=SOLAR,
        value_fn=lambda view: view.state.signals.solar,
    ),
    PoolctlBinarySensorDescription(
        key="spa_heater",
        part=Part.SPA,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=SPA_HEATERS,
        value_fn=lambda view: view.state.signals.spa_heater,
    ),
    PoolctlBinarySensorDescription(
        key="ph_correction",
        part=Part.DOSING,
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=PH_DOSERS,
        value_fn=lambda view: view.state.signals.ph_dosing,
    ),
    PoolctlBinarySensorDescription(
        key="chlorination",
        part=Part.DOSING,
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.RUNNING,
        fitted=CHLORINATORS | LIQUID_CHLORINE,
        value_fn=lambda view: view.state.signals.chlorine_dosing,
    ),
    PoolctlBinarySensorDescription(
        key="water_reading_valid",
        part=Part.WATER,
        entity_registry_enabled_default=False,
        value_fn=lambda view: view.state.signals.chemistry_stable,
    ),
    PoolctlBinarySensorDescription(
        key="flow",
        part=Part.PUMP,
        entity_registry_enabled_default=False,
        value_fn=lambda view: view.state.signals.flow,
    ),
    PoolctlBinarySensorDescription(
        key="dry_run",
        part=Part.PUMP,
        entity_registry_enabled_default=False,
        device_class=BinarySensorDeviceClass.PROBLEM,
        value_fn=lambda view: view.state.signals.dry_run,
    ),
    *map(_expander, EXPANDERS),
    _connected("wi_fi", lambda view: view.state.signals.wifi),
    _connected("ethernet", lambda view: view.state.signals.ethernet),
    _connected("internet", lambda view: view.state.signals.internet),
    _connected("mqtt", lambda view: view.state.signals.mqtt),
)


def _outputs(view: View) -> Iterator[PoolctlBinarySensorDescription]:
    """Return the rows of the slots that only the firmware runs."""
    for slot in with_role(RUN_BY, view):
        yield PoolctlBinarySensorDescription(
            key=f"slot_{slot.index}",
            translation_key=f"{slot.role}_output",
            index=slot.index,
            device_class=BinarySensorDeviceClass.RUNNING,
            entity_registry_enabled_default=False,
            value_fn=is_on(slot.index),
            assumed_fn=lambda view: view.state.outputs.assumed,
        )


class PoolctlBinarySensor(OnOffEntity, BinarySensorEntity):
    """Binary sensor of a controller."""

    entity_description: PoolctlBinarySensorDescription


class PoolctlOutputSensor(SlotEntity, PoolctlBinarySensor):
    """Output that cannot be switched by hand, with the reason."""


async def async_setup_entry(
    hass: HomeAssistant,
    entry: PoolctlConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add and remove binary sensors as controllers and equipment change."""
    await async_follow(
        entry,
        async_add_entities,
        rows(PoolctlBinarySensor, BINARY_SENSORS),
        rows(PoolctlOutputSensor, _outputs),
    )
