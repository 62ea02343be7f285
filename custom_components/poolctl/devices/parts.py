"""The parts of a pool: each is a child device of its controller, with its own page."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er

from ..client.wire.equipment import HeatSource, Role, Slot
from ..const import DOMAIN
from .uses import Use, Uses, use_of


class Part(StrEnum):
    """A part of a pool, by the key of its name in the translations."""

    WATER = "water"
    PUMP = "pump"
    HEATING = "heating"
    SPA = "spa"
    DOSING = "dosing"
    LIGHTS = "lights"
    OUTPUTS = "outputs"


_KEYS: Final[Mapping[Part | None, str]] = {
    # Entities that concern the whole pool stay with the controller.
    None: """
        ambient_temperature clock_difference cloud_service connection ethernet
        expander_1 expander_2 expander_3 expander_4 faults held_outputs internet
        local_network mqtt resume_schedules schedules status wifi
    """,
    Part.WATER: """
        chemistry_stable last_valid_reading orp ph volume water_temperature
    """,
    Part.PUMP: """
        drive_temperature dry_run filter_cleaned filter_limit filter_load
        filter_needs_cleaning flow flow_rate pressure pump pump_cooldown_remaining
        pump_energy pump_hours_a_day pump_hours_needed_today pump_hours_rule
        pump_hours_still_needed pump_mode pump_model pump_power pump_power_change
        pump_priming_remaining pump_run_hours pump_running_today pump_speed
        pump_speed_level pump_status running_schedule turnovers_a_day turnovers_today
        water_filtered_today
    """,
    Part.HEATING: """
        pool pool_heater pool_heater_energy pool_heater_power pool_heater_run_hours
        pool_heater_selected pool_warm_at pool_warm_by solar solar_run_hours
        solar_selected
    """,
    Part.SPA: """
        spa spa_heater spa_heater_energy spa_heater_power spa_heater_run_hours
        spa_heater_selected spa_mode spa_warm_at spa_warm_by
    """,
    Part.DOSING: """
        acid_doses_today acid_drum acid_lasts_until acid_limit_reached acid_low
        acid_low_level acid_remaining acid_used_today acid_without_effect chlorinator
        chlorinator_run_hours chlorine_doses_today chlorine_dosing chlorine_drum
        chlorine_lasts_until chlorine_low chlorine_low_level chlorine_remaining
        chlorine_used_today chlorine_without_effect desired_orp_liquid
        desired_orp_mineral desired_ph doses liquid_chlorine ph_dosing refill_acid
        refill_chlorine sanitiser_output
    """,
    Part.LIGHTS: """
        pool_light_type spa_light_type
    """,
    Part.OUTPUTS: """
        ozone_run_hours uv_run_hours
    """,
}
PART_OF: Final[Mapping[str, Part | None]] = {
    key: part for part, keys in _KEYS.items() for key in keys.split()
}
"""The part of each entity that does not belong to a slot or a schedule, by its key."""

_PART_OF_ROLE: Final[Mapping[Role, Part]] = {
    Role.DOSING: Part.DOSING,
    Role.HEATING: Part.HEATING,
    Role.POOL_LIGHT: Part.LIGHTS,
    Role.SPA_LIGHT: Part.LIGHTS,
}
_PART_OF_USE: Final[Mapping[Use, Part]] = {
    Use.HEATER: Part.HEATING,
    Use.PUMP: Part.PUMP,
    Use.LIGHT: Part.LIGHTS,
}


def part_of_slot(slot: Slot, uses: Uses) -> Part:
    """Return the part that a slot belongs to."""
    if use := use_of(slot, uses):
        return _PART_OF_USE[use]
    if slot.role is Role.HEATING and slot.kind == HeatSource.SPA_HEATER:
        return Part.SPA
    return _PART_OF_ROLE.get(slot.role, Part.OUTPUTS)


@cache
def part_info(
    device_id: str, part: Part, parent_id: str, pool: str
) -> dr.ChildDeviceInfo:
    """Return the device info of a part, one for all its entities.

    Its parent, the controller with this registry ID, must be registered.
    Home Assistant shows a part without its controller in the automation editor and in
    the friendly name of a state ("Pump Speed"). `pool` tells the parts of several pools
    apart; for one pool it is empty, as the full name of an entity ("Home Pool Pump
    Speed") has the name of the controller already.
    """
    return dr.ChildDeviceInfo(
        identifiers={(DOMAIN, f"{device_id}_{part}")},
        parent_device_id=parent_id,
        translation_key=part,
        translation_placeholders={"pool": f" ({pool})" if pool else ""},
    )


def controller_of(device: dr.AnyDeviceEntry) -> str:
    """Return the registry ID of the controller that a device is, or is a part of."""
    return (
        device.parent_device_id
        if isinstance(device, dr.ChildDeviceEntry)
        else device.id
    )


def part_of_device(device: dr.AnyDeviceEntry) -> Part | None:
    """Return the part that one of our devices is, `None` for a controller."""
    keys = {key.rpartition("_")[2] for domain, key in device.identifiers}
    return next((part for part in Part if part in keys), None)


@callback
def async_entities_of(
    hass: HomeAssistant, parent_id: str
) -> Sequence[er.RegistryEntry]:
    """Return the registered entities of a controller and of its parts."""
    return [
        entity
        for device_id in (parent_id, *_part_ids(hass, parent_id))
        for entity in _entities_on(hass, device_id)
    ]


@callback
def async_remove_empty_parts(hass: HomeAssistant, parent_id: str) -> None:
    """Remove the parts of a controller that have no entities left."""
    for part_id in _part_ids(hass, parent_id):
        if not _entities_on(hass, part_id):
            dr.async_get(hass).async_remove_device(part_id)


def _part_ids(hass: HomeAssistant, parent_id: str) -> Sequence[str]:
    parts = dr.async_entries_for_parent_device(dr.async_get(hass), parent_id)
    return [part.id for part in parts]


def _entities_on(hass: HomeAssistant, device_id: str) -> Sequence[er.RegistryEntry]:
    return er.async_entries_for_device(
        er.async_get(hass), device_id, include_disabled_entities=True
    )
