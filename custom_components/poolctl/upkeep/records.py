"""What is remembered of a controller between restarts, and what the network says of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from awesomeversion import AwesomeVersion, AwesomeVersionException
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.device_registry import format_mac
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from homeassistant.util.hass_dict import HassKey

from ..client.cloud_answers import is_device_id
from ..client.json_values import clean_text
from ..client.lan import PORT
from ..const import MIN_FIRMWARE, PROTOCOL_VERSION


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
        """Return a stored record; what a newer version stored is ignored."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in known})

    def as_dict(self) -> dict[str, object]:
        """Return the record as `entry.data` holds it."""
        return asdict(self)


def mac_of(device_id: str) -> str:
    """Return the MAC address that a controller identifier is made of.

    Chosen: interface.md 2.4 and 2.8 give both the same form. As soon as the controller
    announces its `mac`, that takes the place of this one.
    """
    return format_mac(device_id.replace("_", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A controller announced on the network (interface.md 2.8)."""

    device_id: str
    mac: str
    name: str
    host: str
    port: int
    firmware: str
    protocol: str

    @classmethod
    def from_zeroconf(cls, info: ZeroconfServiceInfo) -> Self | None:
        """Return what was announced, `None` where it is not a controller."""
        text = {
            name: clean_text(value or "") for name, value in info.properties.items()
        }
        device_id, mac = text.get("id", "").upper(), text.get("mac", "")
        if not is_device_id(device_id) or len(mac) != 12:
            return None
        return cls(
            device_id=device_id,
            mac=format_mac(mac),
            name=clean_text(info.name.removesuffix(f".{info.type}")),
            host=info.host,
            port=info.port or PORT,
            firmware=text.get("fw", ""),
            protocol=text.get("pv", ""),
        )

    @property
    def address(self) -> tuple[str, int]:
        """Host and port on the LAN."""
        return self.host, self.port

    @property
    def protocol_supported(self) -> bool:
        """Whether it speaks the protocol of this integration."""
        return self.protocol == PROTOCOL_VERSION

    @property
    def firmware_supported(self) -> bool:
        """Whether its firmware serves the LAN."""
        return firmware_supported(self.firmware)


def firmware_supported(version: str) -> bool:
    """Tell whether a firmware serves the LAN, `True` where its version is unreadable."""
    try:
        return AwesomeVersion(version) >= AwesomeVersion(MIN_FIRMWARE)
    except AwesomeVersionException:
        return True


_SIGHTINGS: HassKey[dict[str, Sighting]] = HassKey("poolctl_sightings")


@callback
def async_sightings(hass: HomeAssistant) -> dict[str, Sighting]:
    """Return the controllers heard since Home Assistant started, by identifier."""
    return hass.data.setdefault(_SIGHTINGS, {})
