"""The names of a controller's outputs, as users enter and read them."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from ..client.pool.schedule_rules import schedulable
from ..client.pool.state import PoolState
from ..client.wire.equipment import Role, Slot
from .naming import Texts, slot_name, text
from .parts import Uses, folded


class OutputNames:
    """The names of a controller's outputs, in the language of Home Assistant."""

    def __init__(
        self,
        state: PoolState,
        uses: Uses,
        texts: Texts,
        given: Iterable[tuple[int, str]] = (),
    ) -> None:
        """Work out the names; `given` are those that a user gave to slots."""
        self._state, self._uses, self._given = state, uses, given
        self.texts = texts
        self._usual = {
            slot.index: self._name(slot)
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

    def scheduled(self) -> list[str]:
        """Return a name of each output that schedules can switch, its own if it can."""
        state, slots = self._state, self.slots()
        return [
            name if slots.get(folded(name)) == index else self._numbered[index]
            for index, name in self._shown.items()
            if (slot := state.outputs.slot(index)) and schedulable(state, slot)
        ]

    def slots(self) -> dict[str, int | None]:
        """Return slots by folded name, numbered ones, too; `None` if it is shared."""
        named = [*self._usual.items(), *self._numbered.items(), *self._given]
        named += [(slot.index, slot.name) for slot in self._state.outputs.slots]
        slots: defaultdict[str, set[int]] = defaultdict(set)
        for index, name in named:
            if name and index in self._usual:
                slots[folded(name)].add(index)
        return {
            name: found.pop() if len(found) == 1 else None
            for name, found in slots.items()
        }

    def _name(self, slot: Slot) -> str:
        if slot == self._state.outputs.spa:
            return self._text(slot.role, slot.index)
        if slot.role is Role.PUMP and not slot.name:
            return self._text("pump", slot.index)
        return slot_name(slot, self.texts, self._uses)

    def _text(self, key: str, index: int) -> str:
        return text(self.texts, "switch", key, number=index + 1)
