"""What general outputs are: a controller knows only that something is wired to them."""

from collections.abc import Mapping
from enum import StrEnum

from ..client.equipment import Role, Slot


class Use(StrEnum):
    """What its owner says a general output is. It changes no command."""

    HEATER = "heater"
    PUMP = "pump"
    LIGHT = "light"


type Uses = Mapping[int, Use]
"""By slot, those of one controller."""


def use_of(slot: Slot, uses: Uses) -> Use | None:
    """Return what a slot is, `None` where nobody said so or its wiring says it."""
    return uses.get(slot.index) if slot.role is Role.GENERAL else None
