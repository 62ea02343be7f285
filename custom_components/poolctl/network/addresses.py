"""Addresses that the network reports for controllers: unproven until a frame verifies.

Any device on the network can announce anything (protocol.md 2.8, 5.2 rule 6). So
nothing from an announcement is stored, its texts are cleaned, the number of addresses
is limited, and for each controller, at most one address a minute is tried.
"""

from collections.abc import Container
from dataclasses import dataclass, field
from ipaddress import ip_address
import re
import time
from typing import Final, Self

from homeassistant.components import network
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.device_registry import format_mac
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from homeassistant.util.hass_dict import HassKey

from ..client.lan import PORT
from ..client.wire.cloud_answers import is_device_id
from ..client.wire.json_values import clean_text
from ..const import DOMAIN, PROTOCOL_VERSION
from .record import ControllerRecord, firmware_supported, mac_of

TRY_INTERVAL: Final = 60.0
"""Seconds between two tries of addresses that the network reported for a controller."""
_ADDRESSES: Final = 8
"""Addresses kept per controller: it has one or two, but others may announce it, too."""
_MOST_OTHERS: Final = 100
"""Controllers kept that do not belong to a configured account."""
_LONGEST_NAME: Final = 64
REFUSED: Final = ("is_loopback", "is_multicast", "is_unspecified", "is_reserved")
"""Kinds of IP addresses that no controller has; tests allow loopback."""
_MAC = re.compile(r"[0-9A-Fa-f]{12}")
_NO_VERSION = re.compile(r"[^0-9A-Za-z.+-]")
_LONGEST_VERSION: Final = 32
_MARKDOWN = str.maketrans(dict.fromkeys("*_#~|\\!@", " "))
"""Removes the Markdown that is left after `clean_text` broke links, images and HTML."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedAddress:
    """An announced address of a controller, with cleaned texts (protocol.md 2.8)."""

    device_id: str
    mac: str
    name: str
    host: str
    port: int
    firmware: str
    protocol: str

    @classmethod
    def from_zeroconf(cls, info: ZeroconfServiceInfo) -> Self | None:
        """Return an announced address, `None` if it is not a controller's."""
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
        """Return the address of a stored controller that DHCP or its name reported."""
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
        """Whether the controller uses the protocol version of this integration."""
        return self.protocol == PROTOCOL_VERSION

    @property
    def firmware_supported(self) -> bool:
        """Whether the controller's firmware supports the LAN."""
        return firmware_supported(self.firmware)


def _words(text: str) -> str:
    """Return a name that is safe to show in a dialog: plain text without markup."""
    words = clean_text(text).translate(_MARKDOWN)
    return clean_text(words, _LONGEST_NAME)


def _version(text: str) -> str:
    return _NO_VERSION.sub("", text)[:_LONGEST_VERSION]


@dataclass(slots=True)
class _Announcements:
    """The addresses reported for one controller; the newest comes last."""

    by_address: dict[tuple[str, int], ObservedAddress] = field(default_factory=dict)
    tried: dict[tuple[str, int], float] = field(default_factory=dict)
    """Time of the last try of each address (monotonic, s)."""
    not_before: float = 0.0
    """Time from which the next address may be tried (monotonic, s)."""
    own_mac: bool = False
    """Whether the MAC address contained in its device ID was announced."""

    def add(self, observed: ObservedAddress) -> None:
        """Keep an address; if there are too many, drop the one tried longest ago."""
        self.own_mac |= observed.mac == mac_of(observed.device_id)
        if (
            observed.address not in self.by_address
            and len(self.by_address) >= _ADDRESSES
        ):
            tried = sorted(
                self.by_address.keys() & self.tried.keys(), key=self.tried.__getitem__
            )
            if not tried:
                return
            del self.by_address[tried[0]], self.tried[tried[0]]
        self.by_address.pop(observed.address, None)
        self.by_address[observed.address] = observed

    def untried_longest(self, but: tuple[str | None, int]) -> ObservedAddress | None:
        """Return the address to try next: all addresses take turns."""
        others = [
            observed for observed in self.by_address.values() if observed.address != but
        ]
        return min(
            others,
            key=lambda observed: self.tried.get(observed.address, 0.0),
            default=None,
        )


class ObservedAddresses:
    """The addresses observed since Home Assistant started, by device ID."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Start without addresses."""
        self._hass = hass
        self._announcements: dict[str, _Announcements] = {}
        self._ours: set[str] = set()

    @callback
    def protect(self, device_id: str) -> None:
        """Never drop this controller to make room for another one."""
        self._ours.add(device_id)

    @callback
    def add(self, observed: ObservedAddress) -> bool:
        """Keep an announcement; return `False` for an address no controller can have.

        Otherwise any device could make Home Assistant send requests to itself, to all
        devices, or to a metadata service.
        """
        if not self._may_be_a_controller(observed.host):
            return False
        announcements = (
            self._announcements.pop(observed.device_id, None) or _Announcements()
        )
        self._announcements[observed.device_id] = announcements
        announcements.add(observed)
        others = [each for each in self._announcements if each not in self._ours]
        for other in others[:-_MOST_OTHERS]:
            del self._announcements[other]
        return True

    def _may_be_a_controller(self, host: str) -> bool:
        try:
            ip = ip_address(host)
        except ValueError:
            return False
        if any(getattr(ip, kind) for kind in REFUSED):
            return False
        if ip.is_link_local and not getattr(ip, "scope_id", None):
            return False
        return ip.is_loopback or not any(
            own["address"] == host
            for adapter in network.async_get_loaded_adapters(self._hass)
            for own in (*adapter["ipv4"], *adapter["ipv6"])
        )

    @callback
    def of(self, device_id: str) -> tuple[ObservedAddress, ...]:
        """Return the addresses reported for a controller, the newest first."""
        announcements = self._announcements.get(device_id)
        return (
            tuple(reversed(announcements.by_address.values())) if announcements else ()
        )

    @callback
    def newest(self, device_id: str) -> ObservedAddress | None:
        """Return the newest address reported for a controller."""
        return next(iter(self.of(device_id)), None)

    @callback
    def announces_own_mac(self, device_id: str) -> bool:
        """Return whether a controller was announced with the MAC in its device ID."""
        announcements = self._announcements.get(device_id)
        return announcements is not None and announcements.own_mac

    @callback
    def may_try(self, device_id: str) -> bool:
        """Return whether a minute has passed since a reported address was tried."""
        announcements = self._announcements.get(device_id)
        return announcements is None or time.monotonic() >= announcements.not_before

    @callback
    def take_turn(self, device_id: str) -> bool:
        """Return the same as `may_try`; if it is `True`, start the next minute."""
        if not self.may_try(device_id):
            return False
        announcements = self._announcements.setdefault(device_id, _Announcements())
        announcements.not_before = time.monotonic() + TRY_INTERVAL
        return True

    @callback
    def next_to_try(self, record: ControllerRecord) -> ObservedAddress | None:
        """Return an address other than the stored one to try now, else `None`."""
        announcements = self._announcements.get(record.device_id)
        observed = (
            announcements.untried_longest(record.address) if announcements else None
        )
        if (
            announcements is None
            or observed is None
            or not self.take_turn(record.device_id)
        ):
            return None
        announcements.tried[observed.address] = time.monotonic()
        return observed


_DATA: HassKey[ObservedAddresses] = HassKey("poolctl_addresses")


@callback
def async_observed_addresses(hass: HomeAssistant) -> ObservedAddresses:
    """Return the addresses that the network reported since Home Assistant started."""
    return hass.data.setdefault(_DATA, ObservedAddresses(hass))


_CARDS: HassKey[dict[str, ObservedAddress]] = HassKey("poolctl_cards")


@callback
def async_cards(hass: HomeAssistant) -> dict[str, ObservedAddress]:
    """Return the controllers of discovery flows by flow ID, the newest last."""
    return hass.data.setdefault(_CARDS, {})


@callback
def async_end_cards(hass: HomeAssistant, device_id: str, macs: Container[str]) -> None:
    """Remove the cards of a controller that now belongs to an account.

    A flow whose sign-in succeeded already has the account's unique ID and continues.
    """
    manager, cards = hass.config_entries.flow, async_cards(hass)
    for flow in manager.async_progress_by_handler(DOMAIN):
        card = cards.get(flow["flow_id"])
        if (
            card is not None
            and (card.device_id == device_id or card.mac in macs)
            and flow["context"].get("unique_id") == mac_of(card.device_id)
        ):
            manager.async_abort(flow["flow_id"])
