"""Storage of the evidence across reloads and restarts of Home Assistant."""

from collections import defaultdict
from typing import Final, override

from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey
from yarl import URL

from ..upkeep.memory import DATA_MEMORY, Section
from .evidence import Evidence
from .observers import Observers

_EVIDENCE: HassKey[dict[str, KeptEvidence]] = HassKey("poolctl_evidence")
_SIGN_IN: HassKey[dict[str, Observers]] = HassKey("poolctl_sign_in_observers")
_SECTION: Final = Section("evidence", Evidence.from_dict)


class KeptEvidence(defaultdict[str, Evidence]):
    """The evidence of a service and of its controllers, by identifier.

    It is saved when something is observed for the first time, and when Home Assistant
    stops: a change of counts alone does not cause a save.
    """

    def __init__(self, hass: HomeAssistant, origin: str) -> None:
        """Prepare; stored evidence is added as soon as the store was read."""
        super().__init__(Evidence)
        self._hass = hass
        self._origin = origin
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._async_save)

    @override
    def __missing__(self, device_id: str) -> Evidence:
        evidence = super().__missing__(device_id)
        self._keep(device_id, evidence)
        return evidence

    @callback
    def async_keep(self) -> None:
        """Keep evidence from before the store was read, as from a first sign-in."""
        for device_id, evidence in self.items():
            self._keep(device_id, evidence)

    def _keep(self, device_id: str, evidence: Evidence) -> None:
        # Evidence about the service is stored under the service's address.
        key, memory = device_id or self._origin, self._hass.data.get(DATA_MEMORY)
        if memory is None or memory.in_use(key, _SECTION.name) is evidence:
            return
        evidence.add(memory.read(key, _SECTION))
        memory.keep(key, _SECTION.name, evidence)
        evidence.changed = memory.save

    @callback
    def _async_save(self, event: Event) -> None:
        if (memory := self._hass.data.get(DATA_MEMORY)) is not None:
            memory.save()


@callback
def async_observers(hass: HomeAssistant, address: str) -> Observers:
    """Return observers for the service at an address, and for its controllers."""
    services, origin = hass.data.setdefault(_EVIDENCE, {}), str(URL(address).origin())
    if (evidence := services.get(origin)) is None:
        evidence = services[origin] = KeptEvidence(hass, origin)
    evidence.async_keep()
    return Observers(evidence)


@callback
def async_sign_in_observers(hass: HomeAssistant, address: str) -> Observers:
    """Return the observers of all sign-ins at an address: they belong to no entry."""
    sign_ins, origin = hass.data.setdefault(_SIGN_IN, {}), str(URL(address).origin())
    if origin not in sign_ins:
        sign_ins[origin] = async_observers(hass, address)
    sign_ins[origin].facts()
    return sign_ins[origin]
