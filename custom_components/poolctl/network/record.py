"""The record of a controller in the config entry, kept across restarts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from aiohttp import ClientSession
from awesomeversion import AwesomeVersion, AwesomeVersionException
from homeassistant.helpers.device_registry import format_mac

from ..client import PORT, Counters, EnvelopeError, LanClient, is_device_id, parse_key
from ..client.bounds import Within
from ..client.codec import ODD, from_stored
from ..client.facts import Facts
from ..const import CONF_CONTROLLERS, MIN_FIRMWARE


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerRecord:
    """One controller in `entry.data`: enough to start without the cloud."""

    device_id: str
    name: str
    site: str
    mac: str
    firmware: str | None = None
    host: str | None = None
    port: Annotated[int, Within(1, 65535)] = PORT
    by_hand: bool = False
    """Whether a user entered the address; the network may not report it."""
    key: str | None = None
    """Envelope key, 32 hex characters; `None` if it could not be fetched."""

    @property
    def title(self) -> str:
        """Name of the controller, a generic one if it has none."""
        return self.name or "Pool controller"

    @property
    def address(self) -> tuple[str | None, int]:
        """Host and port on the LAN; the host is `None` until there is an address."""
        return self.host, self.port


@dataclass(slots=True, kw_only=True)
class LanAccess:
    """What clients of one controller on the LAN are made of."""

    record: ControllerRecord
    """Current record of the controller."""
    session: ClientSession
    counters: Counters
    facts: Facts
    allowed: bool
    """Whether the options of the entry allow the LAN."""

    def client(self, record: ControllerRecord | None = None) -> LanClient | None:
        """Return a client, `None` without an address or a key, or if not allowed."""
        record = record or self.record
        if record.host is None or record.key is None or not self.allowed:
            return None
        return LanClient(
            self.session,
            record.host,
            parse_key(record.key),
            port=record.port,
            counter=self.counters,
            facts=self.facts,
        )


def stored_records(
    data: Mapping[str, Any],
) -> tuple[dict[str, ControllerRecord], dict[str, object]]:
    """Return the controllers in `entry.data`, and the stored data that is not valid."""
    found: dict[str, ControllerRecord] = {}
    rest: dict[str, object] = {}
    for device_id, stored in data.get(CONF_CONTROLLERS, {}).items():
        try:
            record = from_stored(ControllerRecord, stored)
        except ODD:
            rest[device_id] = stored
            continue
        try:
            parse_key(record.key or "")
        except EnvelopeError:
            record = replace(record, key=None)  # it is fetched again
        if record.device_id == device_id and is_device_id(device_id):
            found[device_id] = record
        else:
            rest[device_id] = stored
    return found, rest


def mac_of(device_id: str) -> str:
    """Return the MAC address that a controller's device ID is made of.

    Chosen: protocol.md 2.4 and 2.8 give both the same form. If the controller
    announces another `mac`, that one is used once a frame from there verifies.
    """
    return format_mac(device_id.replace("_", ""))


def firmware_supported(version: str) -> bool:
    """Return whether a firmware supports the LAN, `True` for an unreadable version."""
    try:
        return AwesomeVersion(version) >= AwesomeVersion(MIN_FIRMWARE)
    except AwesomeVersionException:
        return True
