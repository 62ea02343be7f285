"""Where the evidence is kept: over reloads, but not over restarts of Home Assistant."""

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey
from yarl import URL

from ..client.evidence.ledger import Ledgers, new_ledgers

_LEDGERS: HassKey[dict[URL, Ledgers]] = HassKey("poolctl_evidence")


@callback
def async_ledgers(hass: HomeAssistant, address: str) -> Ledgers:
    """Return the ledgers of the service at an address, and of its controllers."""
    services = hass.data.setdefault(_LEDGERS, {})
    return services.setdefault(URL(address).origin(), new_ledgers())
