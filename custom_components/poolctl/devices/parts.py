"""The controller and the parts of its pool: each part is a child device with a page."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
import re
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er

from ..client.pool import POOL, SPA, Body, HeatSource, PoolState, Role, Slot
from ..const import DOMAIN
from ..network.record import ControllerRecord


class Part(StrEnum):
    """A part of a pool, by the key of its name in the translations."""

    WATER = "water"
    PUMP = "pump"
    HEATING = "heating"
    SPA = "spa"
    DOSING = "dosing"
    LIGHTS = "lights"
    OUTPUTS = "outputs"


class Use(StrEnum):
    """Use of a general output, as a user set it. It does not change any command."""

    HEATER = "heater"
    PUMP = "pump"
    LIGHT = "light"


type Uses = Mapping[int, Use]
"""Uses of one controller's outputs, by slot."""

_PART_OF_ROLE: Final[Mapping[Role, Part]] = {
    Role.DOSING: Part.DOSING,
    Role.HEATING: Part.HEATING,
    Role.POOL_LIGHT: Part.LIGHTS,
    Role.SPA_LIGHT: Part.LIGHTS,
    Role.VIRTUAL: Part.WATER,
}
_PART_OF_USE: Final[Mapping[Use, Part]] = {
    Use.HEATER: Part.HEATING,
    Use.PUMP: Part.PUMP,
    Use.LIGHT: Part.LIGHTS,
}
PART_OF_BODY: Final[Mapping[Body, Part]] = {POOL: Part.HEATING, SPA: Part.SPA}


def use_of(slot: Slot, uses: Uses) -> Use | None:
    """Return the use of a slot, `None` unless it is a general output with a set use."""
    return uses.get(slot.index) if slot.role is Role.GENERAL else None


_WORDS_OF_USE: Final[Mapping[Use, str]] = {
    Use.HEATER: (
        r"heat|heiz|wärmep|chauff|pompe à chal|calef|calent|bomba de cal|riscald"
        r"|pompa di cal|verwarm|warmtep|ohřív|ohřev|tepeln|topen|värm|aquec"
    ),
    Use.LIGHT: (
        r"light|lamp|\bleds?\b|licht|leucht|lumi|lumière|éclair|\bluz|\bluce|\bluci"
        r"|verlicht|světl|osvětl|belys|ilumin"
    ),
    Use.PUMP: r"pump|pompe|pompa|bomba|pomp\b|čerpadl",
}
"""Words in the names of outputs, in the languages of our translations; the first use
whose words a name has is proposed, as a heat pump is a heater."""


def proposed_use(name: str) -> Use | None:
    """Return the use that the name of a general output shows, `None` if it shows none."""
    found = (
        use for use, words in _WORDS_OF_USE.items() if re.search(words, folded(name))
    )
    return next(found, None)


def part_of_source(source: HeatSource) -> Part:
    """Return the part that a heat source belongs to."""
    return Part.SPA if source is HeatSource.SPA_HEATER else Part.HEATING


def allowed_key(source: HeatSource) -> str:
    """Return the key of the switch that allows a heat source."""
    name = "solar_heating" if source is HeatSource.SOLAR else source
    return f"{name}_allowed"


def part_of_slot(slot: Slot, uses: Uses) -> Part:
    """Return the part that a slot belongs to."""
    if use := use_of(slot, uses):
        return _PART_OF_USE[use]
    if slot.role is Role.HEATING and slot.kind == HeatSource.SPA_HEATER:
        return Part.SPA
    return _PART_OF_ROLE.get(slot.role, Part.OUTPUTS)


def folded(name: str) -> str:
    """Return a name as it is compared: without regard to case and spaces."""
    return " ".join(name.casefold().split())


def device_info(
    record: ControllerRecord, state: PoolState, records: Iterable[ControllerRecord]
) -> dr.DeviceInfo:
    """Return the device info of a controller.

    It has no manufacturer, because the interface does not name one. It has no link to
    the host, because a controller serves no web page: a browser would show an error
    (protocol.md 4.2, 7.2). It suggests no area: a site is not an area. `records` are
    those of all accounts: among them, its name is the only one of its kind.
    """
    name = _distinct_name(record, records)
    return dr.DeviceInfo(
        identifiers={(DOMAIN, record.device_id)},
        connections={(dr.CONNECTION_NETWORK_MAC, record.mac)},
        name=name or None,
        translation_key=None if name else "controller",
        # The vendor's names for its models are not published.
        model="Pool controller",
        # The service identifies a controller by this (protocol.md 2.4); no other
        # serial number is published.
        serial_number=record.device_id,
        sw_version=state.firmware or record.firmware,
    )


def _distinct_name(
    record: ControllerRecord, records: Iterable[ControllerRecord]
) -> str:
    """Return a name; equal ones get their site, and a number if that is equal, too."""
    by_id = {each.device_id: each for each in records} | {record.device_id: record}
    equal = [e for e in by_id.values() if folded(e.name) == folded(record.name)]
    here = sorted(each.device_id for each in equal if each.site == record.site)
    site = f" ({record.site})" if record.site and len(here) < len(equal) else ""
    number = f" {here.index(record.device_id) + 1}" if len(here) > 1 else ""
    suffix = site + number
    return record.title + suffix if suffix else record.name


@cache
def part_info(device_id: str, part: Part, parent_id: str) -> dr.ChildDeviceInfo:
    """Return the device info of a part, one for all its entities.

    Its name does not have that of the pool: the full name of an entity ("Home pool Pump
    Speed") has the name of the controller already.
    """
    return dr.ChildDeviceInfo(
        identifiers={(DOMAIN, f"{device_id}_{part}")},
        parent_device_id=parent_id,
        translation_key=part,
    )


def registered_controller(
    hass: HomeAssistant, entry_id: str, device_id: str
) -> dr.DeviceEntry | None:
    """Return the device of a controller in an account's entry."""
    identifier, registry = (DOMAIN, device_id), dr.async_get(hass)
    return registry.async_get_device_by_identifier(identifier, entry_id)


def controller_of(device: dr.AnyDeviceEntry) -> str:
    """Return the registry ID of the controller that a device is, or is a part of."""
    return (
        device.parent_device_id
        if isinstance(device, dr.ChildDeviceEntry)
        else device.id
    )


def part_of_device(device: dr.AnyDeviceEntry) -> Part | None:
    """Return the part that one of our devices is, `None` for a controller."""
    if not isinstance(device, dr.ChildDeviceEntry):
        return None
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
