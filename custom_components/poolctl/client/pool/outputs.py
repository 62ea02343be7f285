"""The outputs of a controller: the equipment on each slot, and its mode."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated

from ..bounds import UNSTORED, PrivateText
from ..wire.equipment import (
    MAX_SLOTS,
    SPA_ACTUATORS,
    UNKNOWN_TYPE,
    VIRTUAL_SLOT,
    Role,
    Slot,
)
from ..wire.exceptions import InvalidCommandError, NotSupportedError

type Output = Slot | str | int
"""An output: as the state has it, by its name, or by its index, which begins at 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """All slots of a controller (protocol.md O2.4)."""

    types: tuple[int, ...] | None = None
    """Aux type code of each slot."""
    names: tuple[PrivateText, ...] = ()
    """Names of the slots, as entered in the controller."""
    modes: tuple[int | None, ...] = ()
    held: tuple[int, ...] | None = None
    """Slots held by hand against their schedules, on or off."""
    assumed: bool = False
    """Whether modes and holds are last known ones, not from the current source."""
    controller: Annotated[int | None, UNSTORED] = field(default=None, compare=False)
    """The controller that they belong to."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All slots in order; empty while the equipment is unknown."""
        return _slots(
            self.types or (), self.names, self.modes, self.held, self.controller
        )

    def slot(self, index: int) -> Slot | None:
        """Return a slot, `None` if there is none."""
        slots = self.slots
        return slots[index] if 0 <= index < len(slots) else None

    def named(self, name: str) -> Slot:
        """Return a slot by its name; raises NotSupportedError if none has it."""
        for slot in self.slots:
            if slot.name == name:
                return slot
        if not self.names:
            raise NotSupportedError("the names of the outputs are not read yet")
        raise NotSupportedError(f"no output has the name {name}")

    def find(self, output: Output | None) -> Slot:
        """Return an output of this controller.

        Raises NotSupportedError if it has none of that name or index, or `None` is
        given as it is not known yet, and InvalidCommandError if it is of another one.
        """
        if isinstance(output, str):
            return self.named(output)
        if isinstance(output, Slot):
            if output.controller not in (None, self.controller):
                raise InvalidCommandError("This output belongs to another controller.")
            return output
        if output is None or (slot := self.slot(output)) is None:
            raise NotSupportedError("this output is not known (yet)")
        return slot

    @property
    def types_complete(self) -> bool:
        """Whether the aux types of all slots are reported, as only the LAN does."""
        return self.types is not None and UNKNOWN_TYPE not in self.types

    def fitted(self, codes: Collection[int]) -> bool | None:
        """Return whether a slot has one of these aux types, `None` if one may have."""
        if not frozenset(codes).isdisjoint(self.types or ()):
            return True
        return False if self.types_complete else None

    @property
    def pump(self) -> Slot | None:
        """The slot of the main pump."""
        return next((slot for slot in self.slots if slot.role is Role.PUMP), None)

    @property
    def pump_slot(self) -> int:
        """Number of the pump's slot; raises NotSupportedError while it is unknown."""
        if (pump := self.pump) is None:
            raise NotSupportedError("the slot of the pump is not known yet")
        return pump.index

    @property
    def spa(self) -> Slot | None:
        """The actuator that stands for spa mode: the first fitted one."""
        actuators = (
            slot
            for code in SPA_ACTUATORS
            if code in (self.types or ())
            for slot in self.slots
            if slot.type_code == code and slot.role is Role.SPA_ACTUATOR
        )
        return next(actuators, None)

    def with_hold(self, index: int, *, held: bool) -> Outputs:
        """Return the outputs with a slot held or not, if holds are reported at all."""
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
    controller: int | None,
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
            controller=controller,
        )
        for index, code in enumerate(types)
    )
