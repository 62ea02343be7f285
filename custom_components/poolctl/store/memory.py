"""The store of all data that is kept of controllers across restarts of Home Assistant.

A controller has one object for each `Section`. The package that owns a section creates
the object from the stored data (`from_dict`); `as_dict` returns the data to store:

- `counters`: counters of our requests and of the controller's messages (counters.py);
- `equipment`: reported equipment that must be available from the start;
- `choices`: choices of the user that only Home Assistant keeps;
- `learned`: values derived from reads over time;
- `holds`: outputs held by hand;
- `pauses`: dosers that are off for a time;
- `warm_by`: requests for water that is warm by a time;
- `problems`: since when problems exist; those of an account are stored by its entry.

Data is saved with a delay, unless its owner asks to save at once. A value that cannot
be read does not affect others.
"""

from collections.abc import Callable
from dataclasses import dataclass
import logging
from typing import Final, Protocol

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store
from homeassistant.util.hass_dict import HassKey

from ..client.stored import Stored
from ..const import DOMAIN

_LOGGER = logging.getLogger(__name__)

_SAVE_DELAY: Final = 300.0
"""Seconds; readings change with every poll, and each write wears out memory cards."""


class Storable(Protocol):
    """The object of a section; equal objects have equal stored data."""

    def as_dict(self) -> dict[str, object]:
        """Return the data to store, in JSON types."""


@dataclass(frozen=True, slots=True)
class Section[T: Storable]:
    """One kind of data that is stored for a controller."""

    name: str
    """Key in the store."""
    from_dict: Callable[[Stored], T]
    """Creates the object, also if nothing is stored."""


class Memory:
    """The stored objects by controller, then by section."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Prepare; `async_load` reads the store."""
        self._hass = hass
        self._store: Store[dict[str, dict[str, object]]] = Store(hass, 1, DOMAIN)
        self._stored: dict[str, dict[str, object]] = {}
        """Data as it was read; sections in use are in `_kept`."""
        self._kept: dict[str, dict[str, Storable]] = {}
        self._pending = False

    async def async_load(self) -> None:
        """Read the store; Home Assistant renames a corrupt file."""
        try:
            found: object = await self._store.async_load()
        except (HomeAssistantError, OSError, KeyError, TypeError) as err:
            _LOGGER.warning("The store cannot be read (%s)", type(err).__name__)
            return
        if isinstance(found, dict):
            self._stored = {k: v for k, v in found.items() if isinstance(v, dict)}

    @callback
    def read[T: Storable](self, device_id: str, section: Section[T]) -> T:
        """Return a stored section; a value that does not fit reads as its default."""
        kept = self.in_use(device_id, section.name)
        raw = self._stored.get(device_id, {}).get(section.name)
        found = section.from_dict(Stored(raw if kept is None else kept.as_dict()))
        self._kept.setdefault(device_id, {})[section.name] = found
        return found

    @callback
    def in_use(self, device_id: str, section: str) -> Storable | None:
        """Return the current object of a section, `None` if none was read yet."""
        return self._kept.get(device_id, {}).get(section)

    @callback
    def keep(
        self, device_id: str, section: str, kept: Storable, *, at_once: bool = False
    ) -> None:
        """Replace the object of a section; save if it differs."""
        sections = self._kept.setdefault(device_id, {})
        differs = sections.get(section) != kept
        sections[section] = kept
        if differs:
            self.save(at_once=at_once)

    @callback
    def forget(self, device_id: str) -> None:
        """Drop a removed controller or entry; counters stay in case it comes back."""
        for sections in (self._kept, self._stored):
            kept = sections.get(device_id, {})
            for name in kept.keys() - {"counters"}:
                kept.pop(name)
            if not kept:
                sections.pop(device_id, None)
        self.save()

    @callback
    def save(self, *, at_once: bool = False) -> None:
        """Save everything, in five minutes at the latest."""
        if at_once:
            self._hass.async_create_task(self._store.async_save(self._data()))
        elif not self._pending:
            # Only once: each further request would postpone the save again.
            self._pending = True
            self._store.async_delay_save(self._data, _SAVE_DELAY)

    @callback
    def _data(self) -> dict[str, dict[str, object]]:
        self._pending = False
        return {
            device_id: {
                **self._stored.get(device_id, {}),
                **{
                    name: kept.as_dict()
                    for name, kept in self._kept.get(device_id, {}).items()
                },
            }
            for device_id in self._stored.keys() | self._kept.keys()
        }


DATA_MEMORY: HassKey[Memory] = HassKey(DOMAIN)
