"""What waits under *Discovered*, for a flow that begins anew to be about one of it.

Home Assistant's page begins a new flow after it has asked for application credentials: what
a person chose before must not be lost by that, nor the check that they own it.
"""

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
from .forms import UserInput, choice

_OTHER: Final = "other"
"""The choice of none of them."""
_CARDS: HassKey[dict[str, ObservedAddress]] = HassKey("poolctl_cards")


@callback
def async_cards(hass: HomeAssistant) -> dict[str, ObservedAddress]:
    """Return what the flows in progress were begun for, by flow; the newest comes last."""
    return hass.data.setdefault(_CARDS, {})


@callback
def async_form(hass: HomeAssistant) -> vol.Schema:
    """Return the choice between them; what a person looked at last comes first.

    A card that was looked at without credentials has come back, so it is the newest.
    """
    cards = reversed(async_cards(hass).values())
    choices = [choice(seen.device_id, seen.name, seen.host) for seen in cards]
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
    cards = {seen.device_id: seen for seen in async_cards(hass).values()}
    return cards.get(user_input[CONF_DEVICE_ID])


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
