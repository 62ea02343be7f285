"""Units, classes and choices of all entities of a fully equipped pool.

Names and icons are in project/test_translations.py; what is enabled, its category and its
state are in the snapshots of test_entities.py.
"""

from collections.abc import Mapping
from typing import Any

from homeassistant.components.binary_sensor.const import BinarySensorDeviceClass
from homeassistant.components.number.const import (
    DEVICE_CLASS_UNITS as NUMBER_UNITS,
    NumberDeviceClass,
)
from homeassistant.components.sensor.const import (
    DEVICE_CLASS_STATE_CLASSES,
    DEVICE_CLASS_UNITS as SENSOR_UNITS,
    NON_NUMERIC_DEVICE_CLASSES,
    SensorDeviceClass,
)
from homeassistant.components.switch.const import SwitchDeviceClass
from homeassistant.const import PERCENTAGE, Platform
from homeassistant.helpers import entity_registry as er, translation

import custom_components.poolctl as integration
from tests.world.assistant.home import Home

_CLASSES: Mapping[str, type] = {
    "binary_sensor": BinarySensorDeviceClass,
    "number": NumberDeviceClass,
    "sensor": SensorDeviceClass,
    "switch": SwitchDeviceClass,
}
_UNITS: Mapping[str, Mapping[Any, Any]] = {
    "number": NUMBER_UNITS,
    "sensor": SENSOR_UNITS,
}
_PLAIN_UNITS = {PERCENTAGE, None}
"""Units of entities without a device class."""


def _unit_fits(entry: er.RegistryEntry) -> bool:
    """Return whether Home Assistant's own tables allow a unit for its device class."""
    unit, name = entry.unit_of_measurement, entry.original_device_class
    if name is None:
        return unit in _PLAIN_UNITS
    device_class = _CLASSES[entry.domain](name)
    return unit in _UNITS.get(entry.domain, {}).get(device_class, {None})


def _state_class_fits(entry: er.RegistryEntry) -> bool:
    """Return whether a state class fits its device class; without numbers it is none."""
    name = entry.original_device_class
    if entry.domain != Platform.SENSOR or not name:
        return True
    state_class = (entry.capabilities or {}).get("state_class")
    device_class = SensorDeviceClass(name)
    allowed = {*DEVICE_CLASS_STATE_CLASSES.get(device_class, {state_class})}
    if device_class in NON_NUMERIC_DEVICE_CLASSES:
        allowed = set()
    return state_class in {*allowed, None}


async def test_units_classes_and_choices(full: Home) -> None:
    """The registry has many entities, of all platforms, and each follows the rules."""
    entries = full.entities()
    assert len(entries) > 80
    assert {entry.domain for entry in entries} == set(integration.PLATFORMS)
    texts = await translation.async_get_translations(
        full.hass, "en", "entity", ["poolctl"]
    )
    for entry in entries:
        unit, name = entry.unit_of_measurement, entry.original_device_class
        assert _unit_fits(entry), (
            f"{entry.entity_id}: {unit} is not a unit of the device class {name}"
            if name
            else f"{entry.entity_id}: {unit} is not in the list of units without a"
            " device class, _PLAIN_UNITS"
        )
        assert _state_class_fits(entry), (
            f"{entry.entity_id}: its state class and {name}"
        )
        if entry.domain in (Platform.SENSOR, Platform.SELECT):
            key = f"component.poolctl.entity.{entry.domain}.{entry.translation_key}"
            for option in (entry.capabilities or {}).get("options", ()):
                assert f"{key}.state.{option}" in texts
