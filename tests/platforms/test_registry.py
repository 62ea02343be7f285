"""The entity registry of a fully equipped pool: names, icons, units and categories.

Every rule is checked for every entity, so that a new one cannot be added without a name
or an icon, or with a unit that its device class does not allow.
"""

from collections.abc import Awaitable, Callable, Mapping
import re
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
from homeassistant.const import PERCENTAGE, EntityCategory, Platform
from homeassistant.core import State
from homeassistant.helpers import entity_registry as er, icon, translation
import pytest

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
_WANTED_DIAGNOSTICS = {
    # first thing in every report of a fault, and hardly ever changes
    "connection",
}
"""Translation keys of the diagnostic entities that are enabled by default."""
_NOISE = {
    "ethernet",
    "wifi",
    "cloud_service",
    "local_network",
    "pump_cooldown_remaining",
    "pump_model",
    "pump_power_change",
    "pump_priming_remaining",
    "chlorinator_run_hours",
    "dosing_output",
    "drive_temperature",
    "expander_1",
    "expander_2",
    "expander_3",
    "expander_4",
    "heating_output",
    "internet",
    "clock_difference",
    "last_valid_reading",
    "mqtt",
    # the firmware runs it by itself: nothing to do
    "virtual_output",
    "ozone_run_hours",
    "pool_heater_run_hours",
    "sanitiser_output",
    "solar_run_hours",
    "spa_heater_run_hours",
    "uv_run_hours",
    "pump_run_hours",
}
"""Translation keys of the diagnostic entities that are disabled by default."""


type Rule = Callable[[Home, list[er.RegistryEntry]], Awaitable[None]]


def _told(entries: list[er.RegistryEntry]) -> list[str]:
    """Return the entities as text for a failed test."""
    return [f"{entry.domain} {entry.unique_id}" for entry in entries]


async def every_name_is_translated_or_the_owners(
    home: Home, entries: list[er.RegistryEntry]
) -> None:
    texts = await translation.async_get_translations(
        home.hass, "en", "entity", ["poolctl"]
    ) | await translation.async_get_translations(
        home.hass, "en", "entity_component", integration.PLATFORMS
    )
    typed = [slot.name for slot in home.service.full.pool.slots if slot.name]
    wrong = []
    for entry in entries:
        key = f"component.poolctl.entity.{entry.domain}.{entry.translation_key}.name"
        device_class = f"component.{entry.domain}.entity_component."
        device_class += f"{entry.original_device_class}.name"
        text = texts.get(key if entry.translation_key else device_class)
        name = entry.original_name or ""
        translated = text is not None and re.fullmatch(
            re.sub(r"\\\{\w+\\\}", ".+", re.escape(text)), name
        )
        own = entry.original_name is None or name.rpartition(": ")[2] in typed
        if not (translated or (text is not None and own)):
            wrong.append(entry)
    assert not _told(wrong)


async def every_entity_has_an_icon(home: Home, entries: list[er.RegistryEntry]) -> None:
    """Without a translation key, an entity has the icon of its device class."""
    own = (await icon.async_get_icons(home.hass, "entity", {"poolctl"}))["poolctl"]
    of_class = await icon.async_get_icons(
        home.hass, "entity_component", set(integration.PLATFORMS)
    )
    wrong = [
        entry
        for entry in entries
        if (
            entry.translation_key not in own.get(entry.domain, {})
            if entry.translation_key
            else entry.original_device_class not in of_class.get(entry.domain, {})
        )
    ]
    assert not _told(wrong)


async def units_and_device_classes(home: Home, entries: list[er.RegistryEntry]) -> None:
    """Home Assistant's own tables allow each unit for its device class."""
    wrong = []
    for entry in entries:
        unit, name = entry.unit_of_measurement, entry.original_device_class
        if name is None:
            if unit not in _PLAIN_UNITS:
                wrong.append(entry)
            continue
        device_class = _CLASSES[entry.domain](name)
        allowed = _UNITS.get(entry.domain, {}).get(device_class, {None})
        if unit not in allowed:
            wrong.append(entry)
    assert not _told(wrong), "give it a device class, or add its unit to _PLAIN_UNITS"


async def state_classes(home: Home, entries: list[er.RegistryEntry]) -> None:
    """Each state class fits its device class; sensors without numbers have none."""
    wrong = []
    for entry in entries:
        if entry.domain != Platform.SENSOR:
            continue
        state_class = (entry.capabilities or {}).get("state_class")
        name = entry.original_device_class
        device_class = SensorDeviceClass(name) if name else None
        allowed = DEVICE_CLASS_STATE_CLASSES.get(device_class) if device_class else None
        misfit = allowed is not None and state_class not in {*allowed, None}
        no_number = device_class in NON_NUMERIC_DEVICE_CLASSES
        if misfit or (no_number and state_class):
            wrong.append(entry)
    assert not _told(wrong)


async def choices_are_translated(home: Home, entries: list[er.RegistryEntry]) -> None:
    """Every option of an enumeration has a translation."""
    texts = await translation.async_get_translations(
        home.hass, "en", "entity", ["poolctl"]
    )
    wrong = []
    for entry in entries:
        if entry.domain not in (Platform.SENSOR, Platform.SELECT):
            continue
        prefix = f"component.poolctl.entity.{entry.domain}.{entry.translation_key}."
        options = (entry.capabilities or {}).get("options", ())
        if not all(f"{prefix}state.{option}" in texts for option in options):
            wrong.append(entry)
    assert not _told(wrong)


_SHOWN_ELSEWHERE = {
    *("acid_doses_today", "acid_limit_reached", "acid_low", "acid_without_effect"),
    *("chlorine_low", "chlorine_without_effect", "dry_run", "filter_pressure"),
    *("held_outputs", "pump_speed_level", "running_schedule"),
    *("chemistry_stable", "chlorine_doses_today", "chlorine_dosing", "doses", "faults"),
    *("flow", "ph_dosing", "pool_heater", "pump_mode"),
    *("light_brightness_down", "pool_heater_power", "spa_heater_power"),
    *("light_resync", "light_save_colour", "light_sync", "schedule_end"),
    *("pool_warm_by", "schedule_start", "solar", "spa_heater", "spa_heater_selected"),
    "water_filtered_today",
}


async def noise_is_disabled(home: Home, entries: list[er.RegistryEntry]) -> None:
    """Only the wanted diagnostic entities are enabled by default."""
    diagnostic = [
        entry for entry in entries if entry.entity_category is EntityCategory.DIAGNOSTIC
    ]
    enabled = {e.translation_key for e in diagnostic if e.disabled_by is None}
    disabled = {e.translation_key for e in diagnostic if e.disabled_by is not None}
    assert enabled == _WANTED_DIAGNOSTICS
    assert disabled == _NOISE
    # What the other disabled entities show, another entity shows as well.
    others = [e for e in entries if e not in diagnostic and e.disabled_by is not None]
    assert {entry.translation_key for entry in others} == _SHOWN_ELSEWHERE


async def settings_are_settings(home: Home, entries: list[er.RegistryEntry]) -> None:
    """Entities for settings are configuration; everyday controls are not."""
    config = {
        (entry.domain, entry.translation_key)
        for entry in entries
        if entry.entity_category is EntityCategory.CONFIG
    }
    domains = {"button", "number", "select", "switch", "time"}
    assert {domain for domain, _ in config} <= domains
    everyday = {
        *("general", "pump", "pump_speed", "pump_speed_level", "resume_schedules"),
        "spa_mode",
    }
    assert not everyday & {key for _, key in config}
    selects = {e.translation_key for e in entries if e.domain == Platform.SELECT}
    assert {("select", key) for key in selects - everyday} <= config


async def every_enabled_entity_has_a_state(
    home: Home, entries: list[er.RegistryEntry]
) -> None:
    """On the LAN every enabled entity has a value, or a reason to have none yet."""
    shown: dict[str, State] = {s.entity_id: s for s in home.hass.states.async_all()}
    enabled = [entry for entry in entries if entry.disabled_by is None]
    assert {entry.entity_id for entry in enabled} <= shown.keys()
    lost = [e for e in enabled if shown[e.entity_id].state == "unavailable"]
    assert not _told(lost)
    unknown = {
        entry.translation_key
        for entry in enabled
        if shown[entry.entity_id].state == "unknown"
        and entry.domain not in (Platform.BUTTON, Platform.EVENT)
    }
    # After days of dosing, or once the user has entered the volume of the pool.
    later = {"acid_lasts_until", "chlorine_lasts_until", "volume"}
    # Once the rate of warming is learned.
    later |= {"pool_warm_at", "spa_warm_at"}
    # Once the user sets a time.
    later.add("spa_warm_by")
    assert unknown == later, "disable what begins as unknown, or say above why"


async def test_the_registry(full: Home, subtests: pytest.Subtests) -> None:
    """The registry has many entities, of all platforms, and each follows every rule."""
    entries = full.entities()
    assert len(entries) > 80
    assert {entry.domain for entry in entries} == set(integration.PLATFORMS)
    rules: tuple[Rule, ...] = (
        every_name_is_translated_or_the_owners,
        every_entity_has_an_icon,
        units_and_device_classes,
        state_classes,
        choices_are_translated,
        noise_is_disabled,
        settings_are_settings,
        every_enabled_entity_has_a_state,
    )
    for rule in rules:
        with subtests.test(rule.__name__):
            await rule(full, entries)
