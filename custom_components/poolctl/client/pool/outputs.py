"""The outputs of a controller: what is wired to each slot, and what runs it."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ..equipment import MAX_SLOTS, SPA_ACTUATORS, UNKNOWN_TYPE, VIRTUAL_SLOT, Role, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """All slots of a controller (layouts.md 2.4)."""

    types: tuple[int, ...] | None = None
    """One aux type code a slot."""
    names: tuple[str, ...] = ()
    """Of the slots, as their owner named them."""
    modes: tuple[int | None, ...] = ()
    held: tuple[int, ...] | None = None
    """Slots held by hand against their schedules, on or off."""
    assumed: bool = False
    """Whether modes and holds are remembered, not reported by the current source."""
    newest_types: tuple[int, ...] | None = field(default=None, compare=False)
    """The types of the newest read, which may still be an odd one."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All slots in their order; empty while the equipment is unknown."""
        return _slots(self.types or (), self.names, self.modes, self.held)

    def slot(self, index: int) -> Slot | None:
        """Return a slot, `None` where there is none."""
        slots = self.slots
        return slots[index] if index < len(slots) else None

    @property
    def known(self) -> bool:
        """Whether every slot's aux type is known, as from the LAN alone."""
        return self.types is not None and UNKNOWN_TYPE not in self.types

    def fitted(self, codes: Collection[int]) -> bool | None:
        """Return whether a slot has one of these aux types, `None` if it may have."""
        if not frozenset(codes).isdisjoint(self.types or ()):
            return True
        return False if self.known else None

    @property
    def pump(self) -> Slot | None:
        """The slot of the main pump."""
        return next((slot for slot in self.slots if slot.role is Role.PUMP), None)

    @property
    def spa(self) -> Slot | None:
        """The actuator that is the whole of spa mode: the first fitted one."""
        actuators = (
            slot
            for code in SPA_ACTUATORS
            if code in (self.types or ())
            for slot in self.slots
            if slot.type_code == code and slot.role is Role.SPA_ACTUATOR
        )
        return next(actuators, None)

    def with_types(self, types: tuple[int, ...] | None) -> Outputs:
        """Return the outputs after a read with these types, `None` if not readable.

        A change of the wiring counts once two reads in a row agree: one odd frame, or one
        odd answer of the cloud, must not remove entities (`unknowns.md` L15).
        """
        agreed = types == self.newest_types if self.known else types is not None
        return replace(self, types=types if agreed else self.types, newest_types=types)

    def with_hold(self, index: int, *, held: bool) -> Outputs:
        """Return the outputs with a slot held or not, where holds are reported at all."""
        if self.held is None:
            return self
        others = {*self.held} - {index}
        return replace(self, held=tuple(sorted({*others, index} if held else others)))


@lru_cache(maxsize=64)
def _slots(
    types: tuple[int, ...],
    names: tuple[str, ...],
    modes: tuple[int | None, ...],
    held: tuple[int, ...] | None,
) -> tuple[Slot, ...]:
    return tuple(
        Slot(
            index=index,
            type_code=code,
            name=names[index] if index < len(names) else "",
            mode=modes[index] if index < len(modes) else None,
            held=index in held if held is not None and index < len(modes) else None,
            virtual=index == VIRTUAL_SLOT
            and len(types) == MAX_SLOTS
            and code != UNKNOWN_TYPE,
        )
        for index, code in enumerate(types)
    )
