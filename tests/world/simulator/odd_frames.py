"""Single frames with wrong content (protocol.md L15)."""

from collections.abc import Callable, Set as AbstractSet
from dataclasses import replace
import struct
from typing import Final

from .dialects import Dialect
from .equipment import LIGHTS, Role
from .pool import Pool
from .wire import CONFIGURATION, TELEMETRY, Frame

ONE_IN: Final = 100


def odd(frame: Frame, pool: Pool, dialects: AbstractSet[str]) -> Frame:
    """Return a frame with the changes that these dialects make once in a while."""
    for dialect, change in _CHANGES.items():
        if dialect in dialects:
            frame = change(frame, pool)
    return frame


def _no_override(frame: Frame, pool: Pool) -> Frame:
    assert frame.telemetry is not None
    return replace(frame, telemetry=replace(frame.telemetry, held_slots=[]))


def _pump_off(frame: Frame, pool: Pool) -> Frame:
    assert frame.telemetry is not None
    fields = {**frame.telemetry.fields, "main_pump_mode": 0}
    return replace(frame, telemetry=replace(frame.telemetry, fields=fields))


def _no_types(frame: Frame, pool: Pool) -> Frame:
    if (told := frame.configuration) is None:
        return frame
    types = [0 for _ in told.aux_types]
    return replace(frame, configuration=replace(told, aux_types=types))


def _off(*roles: Role) -> Callable[[Frame, Pool], Frame]:
    def change(frame: Frame, pool: Pool) -> Frame:
        assert frame.telemetry is not None
        modes = [
            0 if slot.role in roles else mode
            for slot, mode in zip(pool.slots, frame.telemetry.aux_modes, strict=True)
        ]
        return replace(frame, telemetry=replace(frame.telemetry, aux_modes=modes))

    return change


def odd_value(frame: Frame, number: int) -> Frame:
    """Return a frame in which one value is 0 or the largest; `number` chooses it."""
    assert frame.telemetry is not None
    settings = frame.configuration.fields if frame.configuration else {}
    readings = frame.telemetry.fields
    place, largest = divmod(number, 2)
    names = [*readings, *settings]
    name = names[place % len(names)]
    code = dict(TELEMETRY if name in readings else CONFIGURATION)[name]
    highest = 256 ** struct.calcsize(f"<{code}") // (2 if code.islower() else 1) - 1
    value = highest if largest else 0
    if name in readings:
        fields = {**readings, name: value}
        return replace(frame, telemetry=replace(frame.telemetry, fields=fields))
    assert frame.configuration is not None
    fields = {**settings, name: value}
    return replace(frame, configuration=replace(frame.configuration, fields=fields))


_CHANGES: Final[dict[Dialect, Callable[[Frame, Pool], Frame]]] = {
    Dialect.ODD_NO_OVERRIDE: _no_override,
    Dialect.ODD_PUMP_OFF: _pump_off,
    Dialect.ODD_NO_TYPES: _no_types,
    Dialect.ODD_LIGHT_PULSE: _off(*LIGHTS),
    Dialect.ODD_NO_FLOW: _off(Role.LINKED),
}
