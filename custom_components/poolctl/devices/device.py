"""The controller as a device of Home Assistant."""

from collections.abc import Iterable
from functools import cache

from homeassistant.helpers import device_registry as dr

from ..client.pool.state import PoolState
from ..const import DOMAIN
from ..network.record import ControllerRecord
from .naming import folded


def device_info(
    record: ControllerRecord, state: PoolState, records: Iterable[ControllerRecord]
) -> dr.DeviceInfo:
    """Return the device info of a controller.

    It has no manufacturer, because the interface does not name one. It has no link to
    the host, because a controller serves no web page: a browser would show an error
    (protocol.md 4.2, 7.2). It suggests no area: a site is not an area. `records` are
    those of the account: among them, its name is the only one of its kind.
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
def controller_identity(device_id: str) -> dr.DeviceInfo:
    """Return the device info that all entities of a registered controller share."""
    return dr.DeviceInfo(identifiers={(DOMAIN, device_id)})
