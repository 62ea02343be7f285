"""The record of a controller in the config entry, kept across restarts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from awesomeversion import AwesomeVersion, AwesomeVersionException
from homeassistant.helpers.device_registry import format_mac

from ..client.lan import PORT
from ..client.wire.cloud_answers import is_device_id
from ..client.wire.envelope import parse_key
from ..client.wire.exceptions import EnvelopeError
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
    port: int = PORT
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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return a stored record; fields of a newer version are ignored.

        Raises ValueError if it is not a valid record.
        """
        known = {field.name for field in fields(cls)}
        try:
            record = cls(**{name: data[name] for name in known & data.keys()})
            if record.key is not None:
                parse_key(record.key)
        except (AttributeError, TypeError, EnvelopeError) as err:
            raise ValueError("a stored controller is not understood") from err
        if not is_device_id(record.device_id) or not all(
            isinstance(value, kinds)
            for kinds, values in (
                (str, (record.name, record.site, record.mac)),
                (str | None, (record.firmware, record.host)),
                (int, (record.port, record.by_hand)),
            )
            for value in values
        ):
            raise ValueError("a stored controller holds something odd")
        return record

    def as_dict(self) -> dict[str, object]:
        """Return the record as `entry.data` holds it."""
        return asdict(self)


def stored_records(
    data: Mapping[str, Any],
) -> tuple[dict[str, ControllerRecord], dict[str, object]]:
    """Return the controllers in `entry.data`, and the stored data that is not valid."""
    found: dict[str, ControllerRecord] = {}
    rest: dict[str, object] = {}
    for device_id, stored in data.get(CONF_CONTROLLERS, {}).items():
        try:
            record = ControllerRecord.from_dict(stored)
        except ValueError:
            rest[device_id] = stored
            continue
        if record.device_id == device_id:
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
