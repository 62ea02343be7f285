"""The counters of what we sign, kept over restarts of Home Assistant.

A controller takes no counter twice (interface.md 5.2), and a clock may jump back or a
restart take less than a second: so the last one used is remembered, written lazily.
"""

from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.storage import Store
from homeassistant.util.hass_dict import HassKey

from .client.envelope import OutgoingCounter
from .const import DOMAIN

_SAVE_DELAY: Final = 10.0


class Counters:
    """One counter per controller."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Prepare; `async_load` reads what was kept."""
        self._store: Store[dict[str, int]] = Store(hass, 1, f"{DOMAIN}.counters")
        self._counters: dict[str, OutgoingCounter] = {}

    async def async_load(self) -> None:
        """Read what was kept."""
        for device_id, last in (await self._store.async_load() or {}).items():
            self._counters[device_id] = OutgoingCounter(last, used=self._save)

    @callback
    def of(self, device_id: str) -> OutgoingCounter:
        """Return the counter of a controller, the same one every time."""
        return self._counters.setdefault(device_id, OutgoingCounter(used=self._save))

    @callback
    def _save(self) -> None:
        self._store.async_delay_save(
            lambda: {name: counter.last for name, counter in self._counters.items()},
            _SAVE_DELAY,
        )


DATA_COUNTERS: HassKey[Counters] = HassKey("poolctl_counters")
