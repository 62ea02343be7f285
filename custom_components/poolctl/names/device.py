"""The controller as a device of Home Assistant."""

from functools import cache

from homeassistant.helpers import device_registry as dr

from ..client.pool.state import PoolState
from ..const import DOMAIN
from ..network.record import ControllerRecord


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
