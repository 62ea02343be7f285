"""Single frames with wrong content (protocol.md L15)."""

from collections.abc import Callable
import struct
from typing import Final

from .dialects import Dialect
from .equipment import LIGHTS, Role
from .pool import Pool
from .wire import CONFIGURATION, TELEMETRY, Frame

ONE_IN: Final = 100


def spoil(frame: Frame, pool: Pool) -> None:
    """Make the changes in a frame that dialects make once in a while."""
    for dialect, change in _CHANGES.items():
        if dialect in pool.dialects:
            change(frame, pool)


def _no_override(frame: Frame, pool: Pool) -> None:
    frame.held_slots = []


def _pump_off(frame: Frame, pool: Pool) -> None:
    frame.telemetry["main_pump_mode"] = 0


def _no_types(frame: Frame, pool: Pool) -> None:
    frame.aux_types = [0 for _ in frame.aux_types]


def _off(*roles: Role) -> Callable[[Frame, Pool], None]:
    def change(frame: Frame, pool: Pool) -> None:
        for number, slot in enumerate(pool.slots):
            if slot.role in roles:
                frame.aux_modes[number] = 0

    return change


def spoil_value(frame: Frame, number: int) -> None:
    """Make one value of a frame 0 or the largest; `number` chooses it."""
    place, largest = divmod(number, 2)
    readings = [name for name, _ in TELEMETRY if name in frame.telemetry]
    names = [*readings, *frame.configuration]
    name = names[place % len(names)]
    code = dict((*TELEMETRY, *CONFIGURATION))[name]
    highest = 256 ** struct.calcsize(f"<{code}") // (2 if code.islower() else 1) - 1
    section = frame.telemetry if name in readings else frame.configuration
    section[name] = highest if largest else 0


_CHANGES: Final[dict[Dialect, Callable[[Frame, Pool], None]]] = {
    Dialect.ODD_NO_OVERRIDE: _no_override,
    Dialect.ODD_PUMP_OFF: _pump_off,
    Dialect.ODD_NO_TYPES: _no_types,
    Dialect.ODD_LIGHT_PULSE: _off(*LIGHTS),
    Dialect.ODD_NO_FLOW: _off(Role.LINKED),
}
