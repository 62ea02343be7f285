"""The controller as a device of Home Assistant."""

from collections.abc import Set as AbstractSet
from functools import cache

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er

from ..client.pool.state import PoolState
from ..const import DOMAIN
from ..network.record import ControllerRecord, mac_of

MAX_ENTITIES = 10_000
"""Enabled entities that Home Assistant allows for an entry; it drops all others."""
MOST_ENTITIES = 200
"""Entities expected of one controller, with room for added equipment (chosen)."""
_ID_LENGTH = len("AA_BB_CC_00_00_01")


def device_info(
    record: ControllerRecord, state: PoolState, *, namesake: bool
) -> dr.DeviceInfo:
    """Return the device info of a controller.

    It has no manufacturer, because the interface does not name one. It has no link to
    the host, because a controller serves no web page: a browser would show an error
    (interface.md 4.2, 7.2). It suggests no area: a site is not an area. The name only
    includes the site if another controller has the same name (a `namesake`).
    """
    name = f"{record.name} ({record.site})" if namesake else record.name
    return dr.DeviceInfo(
        identifiers={(DOMAIN, record.device_id)},
        connections={(dr.CONNECTION_NETWORK_MAC, record.mac)},
        name=name or None,
        translation_key=None if name else "controller",
        # The vendor's names for its models are not published.
        model="Pool controller",
        # The service identifies a controller by this (interface.md 2.4); no other
        # serial number is published.
        serial_number=record.device_id,
        sw_version=state.firmware or record.firmware,
    )


@cache
def controller_identity(device_id: str) -> dr.DeviceInfo:
    """Return the device info that all entities of a registered controller share."""
    return dr.DeviceInfo(identifiers={(DOMAIN, device_id)})


@callback
def async_disentangle(hass: HomeAssistant, entry_id: str, device_id: str) -> None:
    """Separate a controller from another device that is registered as one with it.

    An earlier version stored announced MAC addresses without verification.
    """
    registry, ours = dr.async_get(hass), (DOMAIN, device_id)
    mac = (dr.CONNECTION_NETWORK_MAC, mac_of(device_id))
    device = registry.async_get_device_by_connection(mac, entry_id)
    if device is None or device.identifiers == {ours}:
        return
    if ours in device.identifiers:
        registry.async_update_device(device.id, new_identifiers={ours})
    else:
        registry.async_update_device(
            device.id, new_connections=device.connections - {mac}
        )


@callback
def async_has_room(
    hass: HomeAssistant, entry: ConfigEntry, running: AbstractSet[str], device_id: str
) -> bool:
    """Return whether Home Assistant has room for all entities of another controller.

    A controller with entities is kept, as they are counted already. For each running
    controller without entities, `MOST_ENTITIES` are expected.
    """
    coming = {*running, device_id}
    if len(coming) * MOST_ENTITIES <= MAX_ENTITIES:
        return True
    entities = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    owners = {each.unique_id[:_ID_LENGTH] for each in entities}
    enabled = sum(each.disabled_by is None for each in entities)
    room = MAX_ENTITIES - enabled - len(coming - owners) * MOST_ENTITIES
    return device_id in owners or room >= 0
