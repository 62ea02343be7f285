"""What waits under *Discovered*, for a flow that begins anew to be about one of it.

Home Assistant's page begins a new flow after it has asked for application credentials: what
a person chose before must not be lost by that, nor the check that they own it.
"""

import asyncio
from collections.abc import Container
import time
from typing import Final

from homeassistant.config_entries import SOURCE_ZEROCONF, ConfigFlow
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

from ..const import DOMAIN
from ..network.addresses import ObservedAddress
from ..network.record import mac_of
from .forms import UserInput, choice
from .preview import async_preview

_OTHER: Final = "other"
"""The choice of none of them."""
_PATIENCE: Final = 600.0
"""s that somebody may take to type the credentials."""
_ASKED: HassKey[tuple[float, ObservedAddress | None]] = HassKey("poolctl_asked")
"""The controller whose card asked for credentials last, and when (monotonic, s)."""
_CARDS: HassKey[dict[str, ObservedAddress]] = HassKey("poolctl_cards")


@callback
def async_cards(hass: HomeAssistant) -> dict[str, ObservedAddress]:
    """Return what the flows in progress were begun for, by flow; the newest comes last."""
    return hass.data.setdefault(_CARDS, {})


async def async_form(hass: HomeAssistant) -> vol.Schema:
    """Return the choice between them, with the readings that they report."""
    cards = list(async_cards(hass).values())[::-1]
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
    """Return what was chosen in the form, `None` where it was none of them."""
    cards = {observed.device_id: observed for observed in async_cards(hass).values()}
    return cards.get(user_input[CONF_DEVICE_ID])


@callback
def async_ask_credentials(hass: HomeAssistant, card: ObservedAddress | None) -> None:
    """Keep which controller the next flow is about: Home Assistant begins a new one."""
    hass.data[_ASKED] = time.monotonic(), card


@callback
def async_asked(hass: HomeAssistant) -> ObservedAddress | None:
    """Return the controller whose card has just asked for credentials, once."""
    at, card = hass.data.pop(_ASKED, (0.0, None))
    if card not in async_cards(hass).values() or time.monotonic() - at > _PATIENCE:
        return None
    return card


@callback
def async_discover_again(flow: ConfigFlow) -> None:
    """Put the card of a flow that has ended back under *Discovered*."""
    discovery_flow.async_create_flow(
        flow.hass,
        DOMAIN,
        context={"source": SOURCE_ZEROCONF},
        data=flow.init_data,
        discovery_key=flow.context.get("discovery_key"),
    )


@callback
def async_end_cards(hass: HomeAssistant, device_id: str, macs: Container[str]) -> None:
    """Remove the cards of a controller that belongs to an account now.

    A flow whose sign-in succeeded has the identifier of the account: it goes on.
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
