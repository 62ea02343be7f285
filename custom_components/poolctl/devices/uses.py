"""Uses of general outputs: the controller only reports that something is wired."""

from collections.abc import Mapping
from enum import StrEnum

from ..client.wire.equipment import Role, Slot


class Use(StrEnum):
    """Use of a general output, as a user set it. It does not change any command."""

    HEATER = "heater"
    PUMP = "pump"
    LIGHT = "light"


type Uses = Mapping[int, Use]
"""Uses of one controller's outputs, by slot."""


def use_of(slot: Slot, uses: Uses) -> Use | None:
    """Return the use of a slot, `None` unless it is a general output with a set use."""
    return uses.get(slot.index) if slot.role is Role.GENERAL else None
