"""What is remembered of a controller between restarts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from awesomeversion import AwesomeVersion, AwesomeVersionException
from homeassistant.helpers.device_registry import format_mac

from ..client.cloud_answers import is_device_id
from ..client.envelope import parse_key
from ..client.exceptions import EnvelopeError
from ..client.lan import PORT
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
    """Whether a person typed the address; the network may not know of it."""
    key: str | None = None
    """Envelope key, 32 hex characters; `None` where the account gets none."""

    @property
    def title(self) -> str:
        """What a person calls the controller."""
        return self.name or "Pool controller"

    @property
    def address(self) -> tuple[str | None, int]:
        """Host and port on the LAN; the host is `None` until it is known."""
        return self.host, self.port

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return a stored record; what a newer version stored is ignored.

        Raises ValueError where it is none of ours.
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
    """Return the controllers in `entry.data`, and what is stored there but is none."""
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
    return {each: _with_own_mac(found[each], found) for each in found}, rest


def _with_own_mac(
    record: ControllerRecord, records: Mapping[str, ControllerRecord]
) -> ControllerRecord:
    """Return a record without the MAC address of another one.

    An earlier version believed what anybody announced.
    """
    own = mac_of(record.device_id)
    others = (each for each in records.values() if each is not record)
    if record.mac != own and any(
        record.mac in (each.mac, mac_of(each.device_id)) for each in others
    ):
        return replace(record, mac=own)
    return record


def mac_of(device_id: str) -> str:
    """Return the MAC address that a controller identifier is made of.

    Chosen: interface.md 2.4 and 2.8 give both the same form. Where the controller
    announces another `mac`, that takes the place of this one once a frame from there
    verified.
    """
    return format_mac(device_id.replace("_", ""))


def firmware_supported(version: str) -> bool:
    """Return whether a firmware serves the LAN, `True` where its version is unreadable."""
    try:
        return AwesomeVersion(version) >= AwesomeVersion(MIN_FIRMWARE)
    except AwesomeVersionException:
        return True
