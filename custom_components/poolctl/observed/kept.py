"""Where the evidence is kept: over reloads, but not over restarts of Home Assistant."""

from collections import defaultdict

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey
from yarl import URL

from .evidence import Evidence, EvidenceById
from .observers import Observers

_EVIDENCE: HassKey[dict[URL, EvidenceById]] = HassKey("poolctl_evidence")


@callback
def async_observers(hass: HomeAssistant, address: str) -> Observers:
    """Return observers for the service at an address, and for its controllers."""
    services = hass.data.setdefault(_EVIDENCE, {})
    evidence = services.setdefault(URL(address).origin(), defaultdict(Evidence))
    return Observers(evidence)
