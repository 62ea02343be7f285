"""Announced controllers: of configured accounts, and those shown under *Discovered*.

A new flow can continue with one of the latter: Home Assistant's page starts a new flow
once it has asked for credentials. The user's choice must survive that, and so must the
check that the account owns the controller.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
import time
from typing import Final

from homeassistant.config_entries import SOURCE_ZEROCONF, ConfigEntryState, ConfigFlow
from homeassistant.const import CONF_DEVICE_ID
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import discovery_flow
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
from homeassistant.util.hass_dict import HassKey
import probatio as vol

from ..account import PoolctlConfigEntry
from ..const import DOMAIN
from ..network.addresses import ObservedAddress, async_observed_addresses
from ..network.record import ControllerRecord, mac_of, stored_records
from .forms import UserInput, choice
from .preview import async_preview

_OTHER: Final = "other"
"""Option to choose none of the controllers."""
_PATIENCE: Final = 600.0
"""Seconds that a user may take to enter the credentials."""
_ASKED: HassKey[tuple[float, ObservedAddress | None]] = HassKey("poolctl_asked")
"""Time of the last request for credentials (monotonic, s), and its controller."""


async def async_form(hass: HomeAssistant) -> vol.Schema:
    """Return the form to choose a controller, with the readings that each reports."""
    cards = list(async_observed_addresses(hass).cards.values())[::-1]
    previews = await asyncio.gather(*(async_preview(hass, each) for each in cards))
    choices = [
        choice(card.device_id, card.name, card.host, preview.readings)
        for card, preview in zip(cards, previews, strict=True)
    ]
    choices.append(SelectOptionDict(value=_OTHER, label=_OTHER))
    config = SelectSelectorConfig(
        options=choices,
        mode=SelectSelectorMode.LIST,
        translation_key="found",
    )
    field = vol.Required(CONF_DEVICE_ID, default=choices[0]["value"])
    return vol.Schema({field: SelectSelector(config)})


@callback
def async_chosen(hass: HomeAssistant, user_input: UserInput) -> ObservedAddress | None:
    """Return the controller chosen in the form, `None` if the user chose none."""
    cards = {
        observed.device_id: observed
        for observed in async_observed_addresses(hass).cards.values()
    }
    return cards.get(user_input[CONF_DEVICE_ID])


@callback
def async_ask_credentials(hass: HomeAssistant, card: ObservedAddress | None) -> None:
    """Keep the controller for the new flow that Home Assistant starts next."""
    hass.data[_ASKED] = time.monotonic(), card


@callback
def async_asked(hass: HomeAssistant) -> ObservedAddress | None:
    """Return the controller whose card just asked for credentials, then forget it."""
    at, card = hass.data.pop(_ASKED, (0.0, None))
    if (
        card not in async_observed_addresses(hass).cards.values()
        or time.monotonic() - at > _PATIENCE
    ):
        return None
    return card


@callback
def async_discover_again(flow: ConfigFlow) -> None:
    """Put the card of an ended flow back under *Discovered*."""
    discovery_flow.async_create_flow(
        flow.hass,
        DOMAIN,
        context={"source": SOURCE_ZEROCONF},
        data=flow.init_data,
        discovery_key=flow.context.get("discovery_key"),
    )


# Controllers of configured accounts


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
    found = [each for each in _records(hass) if each[1].device_id == observed.device_id]
    if not found and mac_of(observed.device_id) != observed.mac:
        # An announced ID and MAC that fit together cannot mean another controller.
        found = [each for each in _records(hass) if each[1].mac == observed.mac][:1]
    for entry, record in found:
        _offer_to(hass, entry, replace(observed, device_id=record.device_id))
    return found[0][0] if found else None


@callback
def async_offer_address(hass: HomeAssistant, mac: str, host: str) -> None:
    """Offer an address to the controllers that have this MAC address."""
    for entry, record in _records(hass):
        if record.mac == mac:
            _offer_to(hass, entry, ObservedAddress.of_record(record, host))


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
