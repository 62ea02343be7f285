"""What the network says of controllers: rumours, until a frame from there verified.

Anybody on the network can announce anything (interface.md 2.8, 5.2 rule 6). So nothing of
an announcement is stored, its words are cleaned, only so many are kept, and an address is
tried at most once a minute for each controller.
"""

from dataclasses import dataclass, field
import re
import time
from typing import Final, Self

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.device_registry import format_mac
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from homeassistant.util.hass_dict import HassKey

from ..client.cloud_answers import is_device_id
from ..client.json_values import clean_text
from ..client.lan import PORT
from ..const import PROTOCOL_VERSION
from .record import ControllerRecord, firmware_supported, mac_of

TRY_INTERVAL: Final = 60.0
"""s between two tries of addresses that the network reported of one controller."""
_ADDRESSES: Final = 8
"""Kept of one controller: it has one or two itself, and others may announce it, too."""
_STRANGERS: Final = 100
"""Controllers that are kept beside those of the accounts."""
_LONGEST_NAME: Final = 64
_MAC = re.compile(r"[0-9A-Fa-f]{12}")
_NO_VERSION = re.compile(r"[^0-9A-Za-z.+-]")
_LONGEST_VERSION: Final = 32
_MARKDOWN = str.maketrans(dict.fromkeys("*_#~|\\!@", " "))
"""What is left of Markdown once `clean_text` has taken links, images and HTML apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedAddress:
    """A controller that somebody announced, in clean words (interface.md 2.8)."""

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
        text = {name: value or "" for name, value in info.properties.items()}
        device_id, mac = text.get("id", "").upper(), text.get("mac", "")
        if not is_device_id(device_id) or not _MAC.fullmatch(mac):
            return None
        return cls(
            device_id=device_id,
            mac=format_mac(mac),
            name=_words(info.name.removesuffix(f".{info.type}")),
            host=info.host,
            port=info.port or PORT,
            firmware=_version(text.get("fw", "")),
            protocol=_version(text.get("pv", "")),
        )

    @classmethod
    def of_record(cls, record: ControllerRecord, host: str) -> Self:
        """Return a known controller, heard of at an address by DHCP or by its name."""
        return cls(
            device_id=record.device_id,
            mac=record.mac,
            name=record.name,
            host=host,
            port=PORT,
            firmware=record.firmware or "",
            protocol=PROTOCOL_VERSION,
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


def _words(text: str) -> str:
    """Return a name as it may stand in a dialog: words, and nothing that acts."""
    words = clean_text(text).translate(_MARKDOWN)
    return clean_text(words, _LONGEST_NAME)


def _version(text: str) -> str:
    return _NO_VERSION.sub("", text)[:_LONGEST_VERSION]


@dataclass(slots=True)
class _Rumours:
    """What is said of one controller, by address; the newest comes last."""

    told: dict[tuple[str, int], ObservedAddress] = field(default_factory=dict)
    tried: dict[tuple[str, int], float] = field(default_factory=dict)
    """When an address was tried last (monotonic, s)."""
    not_before: float = 0.0
    """When the next address may be tried (monotonic, s)."""
    own_mac: bool = False
    """Whether the MAC address that its identifier is made of was announced."""

    def hear(self, observed: ObservedAddress) -> None:
        """Keep it. Where there are too many, one that was tried makes room."""
        self.own_mac |= observed.mac == mac_of(observed.device_id)
        if observed.address not in self.told and len(self.told) >= _ADDRESSES:
            tried = sorted(
                self.told.keys() & self.tried.keys(), key=self.tried.__getitem__
            )
            if not tried:
                return
            del self.told[tried[0]], self.tried[tried[0]]
        self.told.pop(observed.address, None)
        self.told[observed.address] = observed

    def untried_longest(self, but: tuple[str | None, int]) -> ObservedAddress | None:
        """Return what is to be tried next: all take turns."""
        others = [
            observed for observed in self.told.values() if observed.address != but
        ]
        return min(
            others,
            key=lambda observed: self.tried.get(observed.address, 0.0),
            default=None,
        )


class ObservedAddresses:
    """The controllers heard of since Home Assistant started, by identifier."""

    def __init__(self) -> None:
        """Begin without any."""
        self._rumours: dict[str, _Rumours] = {}
        self._ours: set[str] = set()

    @callback
    def protect(self, device_id: str) -> None:
        """Let a controller make room for no stranger."""
        self._ours.add(device_id)

    @callback
    def hear(self, observed: ObservedAddress) -> None:
        """Keep an announcement."""
        rumours = self._rumours.pop(observed.device_id, None) or _Rumours()
        self._rumours[observed.device_id] = rumours
        rumours.hear(observed)
        strangers = [each for each in self._rumours if each not in self._ours]
        for stranger in strangers[:-_STRANGERS]:
            del self._rumours[stranger]

    @callback
    def of(self, device_id: str) -> tuple[ObservedAddress, ...]:
        """Return what is said of a controller, the newest first."""
        rumours = self._rumours.get(device_id)
        return tuple(reversed(rumours.told.values())) if rumours else ()

    @callback
    def newest(self, device_id: str) -> ObservedAddress | None:
        """Return what was said of a controller last."""
        return next(iter(self.of(device_id)), None)

    @callback
    def announces_own_mac(self, device_id: str) -> bool:
        """Return whether the MAC address of its identifier was announced for it."""
        rumours = self._rumours.get(device_id)
        return rumours is not None and rumours.own_mac

    @callback
    def may_try(self, device_id: str) -> bool:
        """Return whether a minute has passed since the network made us connect."""
        rumours = self._rumours.get(device_id)
        return rumours is None or time.monotonic() >= rumours.not_before

    @callback
    def take_turn(self, device_id: str) -> bool:
        """Tell likewise, and let the next minute begin."""
        if not self.may_try(device_id):
            return False
        rumours = self._rumours.setdefault(device_id, _Rumours())
        rumours.not_before = time.monotonic() + TRY_INTERVAL
        return True

    @callback
    def next_to_try(self, record: ControllerRecord) -> ObservedAddress | None:
        """Return another address to try now, `None` where there is none."""
        rumours = self._rumours.get(record.device_id)
        observed = rumours.untried_longest(record.address) if rumours else None
        if rumours is None or observed is None or not self.take_turn(record.device_id):
            return None
        rumours.tried[observed.address] = time.monotonic()
        return observed


_DATA: HassKey[ObservedAddresses] = HassKey("poolctl_addresses")


@callback
def async_observed_addresses(hass: HomeAssistant) -> ObservedAddresses:
    """Return what the network has reported since Home Assistant started."""
    return hass.data.setdefault(_DATA, ObservedAddresses())
