"""What is kept of each controller over restarts of Home Assistant, in one store.

A controller has one object for each `Section`. The package that owns a section makes its
object out of what is stored (`from_dict`), and the object returns what to store (`as_dict`):

- `counters`: of what we sign and of what the controller signs (counters.py);
- `equipment`: what the controller reported and must be there from the start;
- `choices`: what a user chose and only Home Assistant keeps;
- `learned`: values derived from reads over time;
- `holds`: outputs held by hand;
- `pauses`: dosers that are off for a time;
- `warm_by`: water that a person wants warm by a time;
- `guided_check`: a setting that the guided check changed and has to give back;
- `evidence`: how often each assumption was confirmed, of the service, too.

Everything is written lazily unless its owner asks for more. What cannot be read is lost
alone, and kept in another file (tolerant_store.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..client.stored import Stored
from ..const import DOMAIN
from .tolerant_store import TolerantStore

_SAVE_DELAY: Final = 60.0
"""s; readings change with every poll, and memory cards wear out."""


class Storable(Protocol):
    """What a section keeps; equal objects are stored alike."""

    def as_dict(self) -> dict[str, object]:
        """Return it in JSON's types."""


@dataclass(frozen=True, slots=True)
class Section[T: Storable]:
    """One kind of what is kept of a controller."""

    name: str
    """In the store."""
    from_dict: Callable[[Stored], T]
    """Makes the object, of nothing, too."""


class Memory:
    """The store: by controller, then by section."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Prepare; `async_load` reads what was kept."""
        self._hass = hass
        self._store = TolerantStore(hass)
        self._stored: dict[str, dict[str, object]] = {}
        """As it was read; a section that is in use is in `_kept`."""
        self._kept: dict[str, dict[str, Storable]] = {}
        self._pending = False

    async def async_load(self) -> None:
        """Read what was kept."""
        odd: dict[str, object] = {}
        for device_id, stored in (await self._store.async_load_any()).items():
            if isinstance(stored, dict):
                self._stored[device_id] = stored
            else:
                odd[device_id] = stored
        if odd:
            await self._store.async_set_aside(odd)

    @callback
    def read[T: Storable](self, device_id: str, section: Section[T]) -> T:
        """Return a section as it was kept; what is odd in it is set aside."""
        kept = self.in_use(device_id, section.name)
        raw = self._stored.get(device_id, {}).get(section.name)
        stored = Stored(raw if kept is None else kept.as_dict())
        found = section.from_dict(stored)
        if stored.odd:
            odd = {device_id: {section.name: stored.odd}}
            self._hass.async_create_task(self._store.async_set_aside(odd))
            self.save()
        self._kept.setdefault(device_id, {})[section.name] = found
        return found

    @callback
    def in_use(self, device_id: str, section: str) -> Storable | None:
        """Return the object that is kept now, `None` where none was read yet."""
        return self._kept.get(device_id, {}).get(section)

    @callback
    def keep(
        self, device_id: str, section: str, kept: Storable, *, at_once: bool = False
    ) -> None:
        """Keep an object in place of another; write it if they differ."""
        sections = self._kept.setdefault(device_id, {})
        differs = sections.get(section) != kept
        sections[section] = kept
        if differs:
            self.save(at_once=at_once)

    @callback
    def forget(self, device_id: str) -> None:
        """Drop a controller that is gone; its counters stay, should it come back."""
        for sections in (self._kept, self._stored):
            kept = sections.get(device_id, {})
            for name in kept.keys() - {"counters"}:
                kept.pop(name)
        self.save()

    @callback
    def save(self, *, at_once: bool = False) -> None:
        """Write everything, in a minute at the latest."""
        if at_once:
            self._hass.async_create_task(self._store.async_save(self._data()))
        elif not self._pending:
            # Only once: asking again would put the writing off again and again.
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
