"""The outputs of a controller by entity, and their names."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import async_get_platforms

from ..client.pool.schedule_rules import schedulable
from ..client.pool.state import PoolState
from ..client.wire.equipment import Role, Slot
from ..client.wire.schedule import Schedule
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..devices.naming import Texts, folded, schedule_name, slot_name, text
from ..entity import OutputEntity

_PLATFORMS = (Platform.LIGHT, Platform.SWITCH)


@callback
def async_outputs(hass: HomeAssistant) -> Iterator[OutputEntity]:
    """Return the entities of the outputs of all controllers."""
    for platform in async_get_platforms(hass, DOMAIN):
        if platform.domain in _PLATFORMS:
            for entity in platform.entities.values():
                if isinstance(entity, OutputEntity):
                    yield entity


@callback
def async_output_of(coordinator: ControllerCoordinator, slot: int) -> str | None:
    """Return the entity ID of a slot's output, `None` if there is none."""
    return next(
        (
            entity.entity_id
            for entity in async_outputs(coordinator.hass)
            if entity.coordinator is coordinator
            and entity.slot is not None
            and entity.slot.index == slot
        ),
        None,
    )


class OutputNames:
    """The names of a controller's outputs, in the language of Home Assistant."""

    def __init__(self, coordinator: ControllerCoordinator, translations: Texts) -> None:
        """Work out the names; `translations` are those of one of our platforms."""
        self._coordinator = coordinator
        self._translations = translations
        state = coordinator.data
        self._usual = {
            slot.index: self._name(state, slot)
            for slot in state.outputs.slots
            if slot.role not in (Role.EMPTY, Role.VIRTUAL)
        }
        self._numbered = {
            index: f"{name} ({index + 1})" for index, name in self._usual.items()
        }
        counts = Counter(map(folded, self._usual.values()))
        self._shown = {
            index: name if counts[folded(name)] == 1 else self._numbered[index]
            for index, name in self._usual.items()
        }

    def __getitem__(self, index: int) -> str:
        """Return the name of a slot, made of its number if the slot is unknown."""
        return self._shown.get(index) or self._text("general", index)

    def schedule(self, index: int, schedule: Schedule) -> str:
        """Return the name of a schedule, made of its number if it has none."""
        return schedule_name(index, schedule, self._translations)

    @callback
    def async_scheduled(self) -> list[str]:
        """Return a name of each output that schedules can switch, its own if it can."""
        state, slots = self._coordinator.data, self.async_all()
        return [
            name if slots.get(folded(name)) == index else self._numbered[index]
            for index, name in self._shown.items()
            if (slot := state.outputs.slot(index)) and schedulable(state, slot)
        ]

    @callback
    def async_all(self) -> dict[str, int | None]:
        """Return the slot of every folded name, `None` if several outputs have it.

        Includes names with the number of the slot, and those given in Home Assistant.
        """
        named = [*self._usual.items(), *self._numbered.items()]
        named += [(s.index, s.name) for s in self._coordinator.data.outputs.slots]
        for entity in async_outputs(self._coordinator.hass):
            slot, entry = entity.slot, entity.registry_entry
            if entity.coordinator is self._coordinator and slot and entry:
                named.append((slot.index, entry.name or ""))
        slots: defaultdict[str, set[int]] = defaultdict(set)
        for index, name in named:
            if name and index in self._usual:
                slots[folded(name)].add(index)
        return {
            name: found.pop() if len(found) == 1 else None
            for name, found in slots.items()
        }

    def _name(self, state: PoolState, slot: Slot) -> str:
        if slot == state.outputs.spa:
            return self._text(slot.role, slot.index)
        if slot.role is Role.PUMP and not slot.name:
            return self._text("pump", slot.index)
        return slot_name(slot, self._translations, self._coordinator.uses)

    def _text(self, key: str, index: int) -> str:
        return text(self._translations, "switch", key, index + 1)
