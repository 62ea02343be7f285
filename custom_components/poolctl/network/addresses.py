"""Addresses that the network reports for controllers: unproven until a frame verifies.

Any device on the network can announce anything (protocol.md 2.8, 5.2 rule 6). So
nothing from an announcement is stored, its texts are cleaned, the number of addresses
is limited, and for each controller, at most one address a minute is tried.
"""

from collections import defaultdict
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

from ..client import PORT, is_device_id
from ..client.wire import clean_text
from ..const import DOMAIN, PROTOCOL_VERSION
from .record import ControllerRecord, mac_of

TRY_INTERVAL: Final = 60.0
"""Seconds between two tries of addresses that the network reported for a controller."""
_ADDRESSES: Final = 8
"""Addresses kept per controller: it has one or two, but others may announce it, too."""
_MOST_OTHERS: Final = 100
"""Controllers kept that do not belong to a configured account."""
_LONGEST_NAME: Final = 64
LOOPBACK: bool = False
"""Whether a controller may have a loopback address: only simulated ones do."""
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
        name = clean_text(info.name.removesuffix(f".{info.type}"))
        return cls(
            device_id=device_id,
            mac=format_mac(mac),
            name=clean_text(name.translate(_MARKDOWN), _LONGEST_NAME),
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


def _version(text: str) -> str:
    return _NO_VERSION.sub("", text)[:_LONGEST_VERSION]


@dataclass(slots=True)
class _Announcements:
    """The addresses reported for one controller; the newest comes last."""

    by_address: dict[tuple[str, int], ObservedAddress] = field(default_factory=dict)
    tried: dict[tuple[str, int], float] = field(default_factory=dict)
    """Time of the last try of each address (monotonic, s)."""
    own_mac: bool = False
    """Whether the MAC address contained in its device ID was announced."""


class Tries:
    """Times (monotonic) before which something, by its key, is not tried again."""

    def __init__(self) -> None:
        self._not_before: dict[str, float] = {}

    def may_try(self, key: str) -> bool:
        """Return whether something may be tried now."""
        return time.monotonic() >= self._not_before.get(key, 0.0)

    def start_try(self, key: str, seconds: float) -> bool:
        """Return whether it may be tried now; if so, the next try has to wait."""
        if may := self.may_try(key):
            self.delay(key, seconds)
        return may

    def delay(self, key: str, seconds: float) -> None:
        """Allow the next try in some seconds."""
        self._not_before[key] = time.monotonic() + seconds


class ObservedAddresses:
    """The addresses observed since Home Assistant started, by device ID."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self.tries = Tries()
        """Tries of reported addresses by controller, at most one a minute."""
        self.cards: dict[str, ObservedAddress] = {}
        """Controllers of discovery flows by flow ID, the newest last."""
        self._by_device: defaultdict[str, _Announcements] = defaultdict(_Announcements)
        self.ours: set[str] = set()
        """Controllers that are never dropped to make room for others."""

    @callback
    def add(self, observed: ObservedAddress) -> bool:
        """Keep an announcement; return `False` for an address no controller can have.

        Otherwise any device could make Home Assistant send requests to itself, to all
        devices, or to a metadata service. If a controller has too many addresses, the
        one tried longest ago is dropped; untried ones stay.
        """
        if not self._may_be_a_controller(observed.host):
            return False
        device_id, address = observed.device_id, observed.address
        announced = self._by_device.pop(device_id, None) or _Announcements()
        self._by_device[device_id] = announced
        announced.own_mac |= observed.mac == mac_of(device_id)
        known, tried = announced.by_address, announced.tried
        if address not in known and len(known) >= _ADDRESSES:
            oldest = min(
                known.keys() & tried.keys(), key=tried.__getitem__, default=None
            )
            if oldest is None:
                return True
            del known[oldest], tried[oldest]
        known.pop(address, None)
        known[address] = observed
        others = [each for each in self._by_device if each not in self.ours]
        for other in others[:-_MOST_OTHERS]:
            del self._by_device[other]
        return True

    def _may_be_a_controller(self, host: str) -> bool:
        try:
            ip = ip_address(host)
        except ValueError:
            return False
        ip = getattr(ip, "ipv4_mapped", None) or ip
        unscoped = ip.is_link_local and not getattr(ip, "scope_id", None)
        if any((ip.is_multicast, ip.is_unspecified, ip.is_reserved, unscoped)):
            return False
        if ip.is_loopback:
            return LOOPBACK
        return not any(
            own["address"] == str(ip).partition("%")[0]
            for adapter in network.async_get_loaded_adapters(self._hass)
            for own in (*adapter["ipv4"], *adapter["ipv6"])
        )

    @callback
    def of(self, device_id: str) -> tuple[ObservedAddress, ...]:
        """Return the addresses reported for a controller, the newest first."""
        return tuple(reversed(self._by_device[device_id].by_address.values()))

    @callback
    def newest(self, device_id: str) -> ObservedAddress | None:
        """Return the newest address reported for a controller."""
        return next(iter(self.of(device_id)), None)

    @callback
    def announces_own_mac(self, device_id: str) -> bool:
        """Return whether a controller was announced with the MAC in its device ID."""
        return self._by_device[device_id].own_mac

    @callback
    def next_to_try(self, record: ControllerRecord) -> ObservedAddress | None:
        """Return another address than the stored one to try now; all take turns."""
        announced = self._by_device[record.device_id]
        others = [
            observed
            for address, observed in announced.by_address.items()
            if address != record.address
        ]
        if not others or not self.tries.start_try(record.device_id, TRY_INTERVAL):
            return None
        chosen = min(others, key=lambda each: announced.tried.get(each.address, 0.0))
        announced.tried[chosen.address] = time.monotonic()
        return chosen

    @callback
    def end_cards(self, record: ControllerRecord) -> None:
        """Remove the cards of a controller that now belongs to an account.

        A flow whose sign-in succeeded already has the account's unique ID and continues.
        """
        manager = self._hass.config_entries.flow
        for flow in manager.async_progress_by_handler(DOMAIN):
            card = self.cards.get(flow["flow_id"])
            if (
                card is not None
                and (card.device_id == record.device_id or card.mac == record.mac)
                and flow["context"].get("unique_id") == mac_of(card.device_id)
            ):
                manager.async_abort(flow["flow_id"])


_DATA: HassKey[ObservedAddresses] = HassKey("poolctl_addresses")


@callback
def async_observed_addresses(hass: HomeAssistant) -> ObservedAddresses:
    """Return the addresses that the network reported since Home Assistant started."""
    return hass.data.setdefault(_DATA, ObservedAddresses(hass))
