"""Names of outputs and schedules, and the words that entity IDs are made of."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from homeassistant.util import slugify

from ..client.pool import PoolState, Role, Schedule, Slot, schedulable
from ..const import DOMAIN
from .parts import Use, Uses, folded, part_of_slot, use_of

type Texts = Mapping[str, str]
"""The translations of one of our platforms, by their full keys."""

_LIGHTS: Final = {Role.POOL_LIGHT, Role.SPA_LIGHT}
_OWN_LOGIC: Final = {Role.DOSING, Role.HEATING}
_RUN_BY_FIRMWARE: Final = {*_OWN_LOGIC, Role.VIRTUAL}


def text(texts: Texts, domain: str, key: str | None, **values: object) -> str:
    """Return the translated name of an entity with a value, else the value alone."""
    alone = "".join(f"{{{name}}}" for name in values)
    path = f"component.{DOMAIN}.entity.{domain}.{key}.name"
    return texts.get(path, alone).format(**values)


def slot_name(slot: Slot, texts: Texts, uses: Uses) -> str:
    """Return the owner's name of a slot, else the name of the equipment wired to it."""
    if slot.name:
        return slot.name
    number = slot.index + 1
    if slot.role in _RUN_BY_FIRMWARE:
        return text(texts, "binary_sensor", f"{slot.role}_output", number=number)
    use = use_of(slot, uses)
    domain = "light" if slot.role in _LIGHTS or use is Use.LIGHT else "switch"
    return text(texts, domain, f"{use}_output" if use else slot.kind, number=number)


def name_on_page(slot: Slot, state: PoolState, texts: Texts, uses: Uses) -> str:
    """Return the name of a slot, with its number if others of its part have the same."""
    if slot.name and slot.role in _OWN_LOGIC:
        # Often that of a reading on the same page, too: it becomes "Output 3: Solar".
        return f"{slot_name(replace(slot, name=''), texts, uses)}: {slot.name}"
    name, part = slot_name(slot, texts, uses), part_of_slot(slot, uses)
    shared = any(
        other.index != slot.index
        and other.role is not Role.EMPTY
        and slot_name(other, texts, uses).casefold() == name.casefold()
        and part_of_slot(other, uses) is part
        for other in state.outputs.slots
    )
    return f"{name} ({slot.index + 1})" if shared else name


def schedule_name(index: int, schedule: Schedule | None, texts: Texts) -> str:
    """Return the name of a schedule, made of its number if it has none."""
    named = schedule is not None and schedule.name
    return named or text(texts, "switch", "unnamed_schedule", number=index + 1)


def schedule_name_on_page(index: int, state: PoolState, texts: Texts) -> str:
    """Return a schedule's name, marked as such: its output often has the same name.

    It has the schedule's number if others have the same name.
    """
    schedules = state.schedules.used
    schedule = schedules.get(index)
    name = schedule_name(index, schedule, texts)
    names = [each.name.casefold() for each in schedules.values()]
    if names.count(name.casefold()) > 1:
        name = f"{name} ({index + 1})"
    named = schedule is not None and schedule.name
    return text(texts, "switch", "schedule", name=name) if named else name


@lru_cache(maxsize=1024)
def sayable(name: str) -> bool:
    """Return whether anything of a name is left in an entity ID."""
    return slugify(name) not in {"", slugify("-")}


def slot_words(slot: Slot | None, index: int) -> str:
    """Return the words of a slot's entity ID: its owner's name, else its equipment."""
    if slot is None:
        return f"output {index + 1}"
    if sayable(slot.name):
        # An output that the firmware runs often has the same name as a reading.
        own_logic = slot.role in _OWN_LOGIC
        return f"{slot.name} output" if own_logic else slot.name
    plain = slot.role in {Role.GENERAL, *_RUN_BY_FIRMWARE}
    return f"output {index + 1}" if plain else slot.kind


@lru_cache(maxsize=4096)
def entity_id(domain: str, controller: str, words: str) -> str:
    """Return the entity ID to be: the same in every language, so that examples work."""
    return f"{domain}.{slugify(f'{controller} {words}')}"


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
        """Return the names of the outputs that schedules can switch; equal ones numbered."""
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
