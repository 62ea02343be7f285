"""Passing announcements to configured controllers, whichever account they belong to."""

from collections.abc import Iterator
from dataclasses import replace

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, callback

from ..account import PoolctlConfigEntry
from ..const import DOMAIN
from ..network.addresses import ObservedAddress, async_observed_addresses
from ..network.record import ControllerRecord, mac_of, stored_records


def _records(
    hass: HomeAssistant,
) -> Iterator[tuple[PoolctlConfigEntry, ControllerRecord]]:
    entries: list[PoolctlConfigEntry] = hass.config_entries.async_entries(
        DOMAIN, include_ignore=False
    )
    for entry in entries:
        for record in stored_records(entry.data)[0].values():
            yield entry, record


@callback
def async_offer(
    hass: HomeAssistant, observed: ObservedAddress
) -> PoolctlConfigEntry | None:
    """Pass an announcement to its controller; return an account that has it."""
    # By its device ID, else by its MAC address
    by_id = [each for each in _records(hass) if each[1].device_id == observed.device_id]
    # If the announced ID and MAC fit together, no other controller can be meant.
    odd = mac_of(observed.device_id) != observed.mac
    by_mac = [each for each in _records(hass) if odd and each[1].mac == observed.mac]
    found = by_id or by_mac[:1]
    for entry, record in found:
        _offer_to(hass, entry, replace(observed, device_id=record.device_id))
    return found[0][0] if found else None


@callback
def async_offer_address(hass: HomeAssistant, mac: str, host: str) -> None:
    """Offer an address to the controllers that have this MAC address."""
    for _, record in _records(hass):
        if record.mac == mac:
            async_offer(hass, ObservedAddress.of_record(record, host))


def _offer_to(
    hass: HomeAssistant, entry: PoolctlConfigEntry, observed: ObservedAddress
) -> None:
    addresses = async_observed_addresses(hass)
    addresses.ours.add(observed.device_id)
    if not addresses.add(observed):
        return
    if entry.state is ConfigEntryState.LOADED:
        controller = entry.runtime_data.controllers.get(observed.device_id)
        if controller is not None:
            controller.recovery.async_offer(observed)
    elif entry.state is ConfigEntryState.SETUP_RETRY and addresses.tries.may_try(
        observed.device_id
    ):
        # The entry waits for a controller to answer, and this one may do so now.
        hass.config_entries.async_schedule_reload(entry.entry_id)
