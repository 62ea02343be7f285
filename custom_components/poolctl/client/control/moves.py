"""What switching an output may move in the frames that follow it (chosen).

All else in such a frame surprises, as it does without a command, and waits for the next
one. So do settings: the frame confirms what was written, and nothing else.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..pool.outputs import Outputs
from ..wire.equipment import Role
from ..wire.frame import WATER_FLAGS, WATER_FLAGS2, Telemetry

type Moves = Callable[[Telemetry, Telemetry], Telemetry]

_MOVED_WITH: Final = {
    Role.PUMP: Role.PUMP,
    Role.PUMP_LINKED: Role.PUMP,
    Role.SPA_ACTUATOR: Role.SPA_ACTUATOR,
}
"""Outputs that move the water, and those that are held with them."""


def switching(outputs: Outputs, index: int) -> Moves:
    """Return what switching or releasing an output may move."""
    slot = outputs.slot(index)
    role = slot and _MOVED_WITH.get(slot.role)
    group = {index, *(each.index for each in outputs.slots if each.role is role)}

    def move(last: Telemetry, new: Telemetry) -> Telemetry:
        modes, held = last.aux_modes, last.held_slots
        if modes is not None and new.aux_modes is not None:
            rows = enumerate(zip(modes, new.aux_modes, strict=False))
            modes = tuple(b if place in group else a for place, (a, b) in rows)
        if held is not None and new.held_slots is not None:
            held = tuple(sorted({*held} - group | {*new.held_slots} & group))
        if role is None:
            return replace(last, aux_modes=modes, held_slots=held)
        # It moves the water, and what follows the pump and the heat sources.
        return replace(
            last,
            flags=_bits(WATER_FLAGS, last.flags, new.flags),
            flags2=_bits(WATER_FLAGS2, last.flags2, new.flags2),
            main_pump_mode=new.main_pump_mode,
            pump_speed=new.pump_speed,
            pump_power=new.pump_power,
            flow_rate=new.flow_rate,
            pressure=new.pressure,
            aux_modes=new.aux_modes,
            held_slots=held,
        )

    return move


def _bits(mask: int, last: int | None, new: int | None) -> int | None:
    return last if last is None or new is None else last & ~mask | new & mask
