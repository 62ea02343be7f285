"""State frame -> telemetry, configuration, running timers.

Observed, not published (protocol.md O2). This module only decodes bytes: values stay as
received, even if they are impossible. Each row also has bounds (chosen), which
`Section.plausible` applies.

A section that ends early leaves its missing fields `None`; bytes past the known fields
are ignored; lengths that do not fit the frame raise FrameError for the whole frame.
"""

from dataclasses import dataclass
from functools import lru_cache
import struct
from typing import Final, NamedTuple

from .configuration import PH, Configuration, decode_configuration
from .exceptions import FrameError
from .layout import BYTE, WORD, Between, Layout, Row, Section, bits, flagged, skip

VERSION = 1
"""The assumed frame version (chosen); others are decoded by their lengths, too."""

MODE_OFF = 0
MODE_MANUAL = 99
"""Values of `main_pump_mode` and `aux_modes`; 1 to 20 is the running schedule."""


# Bounds wide enough for any pool (chosen).
_PERCENT, _CELSIUS = Between(0, 100), Between(0, 100)
RUNNING: Final = range(1, 21)
"""Modes that are the number of the running schedule."""
MODES: Final = frozenset({MODE_OFF, *RUNNING, MODE_MANUAL})


# Section A (protocol.md O2.1)


@dataclass(frozen=True, slots=True)
class Readings:
    """Values that are measured or counted now."""

    water_temperature: float | None = None
    """°C."""
    ambient_temperature: float | None = None
    """°C; the wire has 0 if no sensor is fitted."""
    ph: float | None = None
    orp: float | None = None
    """mV."""
    flow_rate: float | None = None
    """L/min."""
    pressure: float | None = None
    """kPa, at the filter."""
    pump_speed: float | None = None
    """%."""
    pump_power: float | None = None
    """W."""
    drive_temperature: float | None = None
    """°C."""
    main_pump_mode: int | None = None
    """0 off, 1 to 20 the running schedule, 99 manual."""
    sanitiser_output: float | None = None
    pump_cooldown_remaining: float | None = None
    """Seconds."""
    pump_priming_remaining: float | None = None
    """Seconds."""


@dataclass(frozen=True, slots=True)
class Telemetry(Readings):
    """Section A as received: readings, flags, and the state of every slot."""

    flags: int | None = None
    flags2: int | None = None
    aux_modes: tuple[int, ...] | None = None
    """Mode of each slot."""
    held_slots: tuple[int, ...] | None = None
    """Slots held by hand against their schedules, on or off."""


TELEMETRY_HEAD = Layout(
    Row("flags", "H"),
    Row("water_temperature", "H", 10, _CELSIUS),
    Row("ambient_temperature", "H", 100, Between(0.01, 100)),
    Row("ph", "B", 10, PH),
    Row("orp", "H", 1, WORD),
    skip(2),  # TDS, a placeholder
    Row("flow_rate", "H", 1, WORD),
    Row("pressure", "H", 1, WORD),
    skip(2),  # prime pressure
    Row("pump_speed", "B", 1, _PERCENT),
    Row("pump_power", "H", 1, WORD),
    skip(2),  # pump current
    Row("drive_temperature", "B", 1, BYTE),
    Row("main_pump_mode", "B", 1, MODES),
    Row("sanitiser_output", "H", 1, WORD),
    skip(16),  # cost counters
    Row("flags2", "H"),
    Row("slots", "B"),  # number of slots; modes and a bitmap of held ones follow
)
PUMP_TIMES = Layout(
    Row("pump_cooldown_remaining", "H", 1, WORD),
    Row("pump_priming_remaining", "H", 1, WORD),
)
_measured = [row.name for row in (*TELEMETRY_HEAD.rows[1:-2], *PUMP_TIMES.rows)]
READINGS = Section(Readings, _measured, TELEMETRY_HEAD, PUMP_TIMES)
_SECTION_A = Section(
    Telemetry, [*_measured, "flags", "flags2", "aux_modes", "held_slots"]
)


@dataclass(frozen=True, slots=True)
class Signals:
    """Boolean values reported by the controller."""

    pool_heater: bool | None = None
    solar: bool | None = None
    spa_heater: bool | None = None
    ph_dosing: bool | None = None
    chlorine_dosing: bool | None = None
    """Dosing by the liquid chlorine doser or by a chlorinator."""
    chemistry_stable: bool | None = None
    flow: bool | None = None
    pump_cooling_down: bool | None = None
    pump_priming: bool | None = None
    wifi: bool | None = None
    ethernet: bool | None = None
    mqtt: bool | None = None
    internet: bool | None = None
    dry_run: bool | None = None
    retries_exceeded: bool | None = None
    """Whether a dry run exceeded its retries: the pump waits for a user."""
    expanders: tuple[bool | None, ...] = (None,) * 4
    """Whether each expander is connected."""


# Bits of `flags`, then of `flags2`, in the order of the fields of Signals
_FLAGS = {
    "pool_heater": 0,
    "solar": 1,
    "spa_heater": 2,
    "ph_dosing": 3,
    "chlorine_dosing": 4,
    "chemistry_stable": 5,
    "flow": 15,
}
_FLAGS2 = {
    "pump_cooling_down": 0,
    "pump_priming": 1,
    "wifi": 2,
    "ethernet": 3,
    "mqtt": 4,
    "internet": 5,
}
_SIGNALS = Section(
    Signals, [*_FLAGS, *_FLAGS2, "dry_run", "retries_exceeded", "expanders"]
)
_EXPANDERS, _EXPANDERS2 = (10, 11), (7, 8)
_DRY_RUN, _RETRIES_EXCEEDED = 3 << 13, 1 << 13
"""Both bits set is normal, anything else is a problem; 1 is as in protocol.md O5."""


# Parts that rarely change from frame to frame are decoded once.


@lru_cache(maxsize=64)
def decode_signals(flags: int | None, flags2: int | None) -> Signals:
    """Return the signals in `Telemetry.flags` and `Telemetry.flags2`."""
    return _SIGNALS.make(
        *flagged(flags, _FLAGS.values()),
        *flagged(flags2, _FLAGS2.values()),
        None if flags is None else flags & _DRY_RUN != _DRY_RUN,
        None if flags is None else flags & _DRY_RUN == _RETRIES_EXCEEDED,
        (*flagged(flags, _EXPANDERS), *flagged(flags2, _EXPANDERS2)),
    )


# The whole frame


class Timer(NamedTuple):
    """A running timer of a slot (protocol.md O2.3)."""

    slot: int
    remaining: int
    """Seconds."""
    duration: int
    """Seconds."""


TIMER = struct.Struct("<BHH")


class StateFrame(NamedTuple):
    """A decoded state frame; a part that the frame does not report is `None`."""

    telemetry: Telemetry | None
    configuration: Configuration | None
    timers: tuple[Timer, ...] | None
    version: int = VERSION


_TELEMETRY_PRESENT, _CONFIGURATION_PRESENT, TIMERS_PRESENT = 1, 2, 4
"""Bits of the section mask."""
WHOLE: Final = _TELEMETRY_PRESENT | _CONFIGURATION_PRESENT | TIMERS_PRESENT


def decode_frame(payload: bytes) -> StateFrame:
    """Return the content of a state frame (protocol.md O2).

    Raises FrameError if a length runs past the end. The version changes nothing: its
    meaning is not documented.
    """
    telemetry, configuration, tail, _ = sections(payload)
    return StateFrame(
        None if telemetry is None else _decode_telemetry(telemetry),
        None if configuration is None else decode_configuration(configuration),
        _decode_timers(tail, with_telemetry=telemetry is not None),
        version=payload[0],
    )


def sections(payload: bytes) -> tuple[bytes | None, bytes | None, bytes | None, int]:
    """Return telemetry, configuration and timers, and the offset at which they end.

    Raises FrameError if a length runs past the end.
    """
    if len(payload) < 2:
        raise FrameError("state frame has no head")
    mask = payload[1]
    telemetry = configuration = timers = None
    end = 2
    if mask & _TELEMETRY_PRESENT:
        telemetry, end = _section(payload, end, 1)
    if mask & _CONFIGURATION_PRESENT:
        configuration, end = _section(payload, end, 2)
    if mask & TIMERS_PRESENT:
        timers, end = _section(payload, end, 1)
    return telemetry, configuration, timers, end


_AROUND_SLOTS = TELEMETRY_HEAD.size + PUMP_TIMES.size


def telemetry_size(slots: int) -> int:
    """Return the size of section A: head, modes, bitmap of held slots, pump times."""
    return _AROUND_SLOTS + slots + (slots + 7 >> 3)


def _section(payload: bytes, offset: int, length_size: int) -> tuple[bytes, int]:
    """Return a section and the offset at which it ends."""
    start = offset + length_size
    end = start + int.from_bytes(payload[offset:start], "little")
    if end > len(payload):
        raise FrameError("a section runs past the end of the state frame")
    return payload[start:end], end


type _Rest = tuple[
    int | None, int | None, tuple[int, ...] | None, tuple[int, ...] | None
]


def _decode_telemetry(data: bytes) -> Telemetry:
    flags, *readings, flags2, slots = TELEMETRY_HEAD.unpack(data)
    rest = data[TELEMETRY_HEAD.size :]
    cooldown, priming, modes, held = _decode_slots(rest, slots)
    return _SECTION_A.make(*readings, cooldown, priming, flags, flags2, modes, held)


@lru_cache(maxsize=256)
def _decode_slots(data: bytes, slots: int | None) -> _Rest:
    """Return the pump's times, the modes and the held slots, which follow `slots`.

    Each is `None` if the section ends too early for it.
    """
    if slots is None or len(data) < slots:
        return None, None, None, None
    modes = tuple(data[:slots])
    end = slots + (slots + 7) // 8
    if len(data) < end:
        return None, None, modes, None
    bitmap = int.from_bytes(data[slots:end], "little")
    cooldown, priming = PUMP_TIMES.unpack(data[end:])
    return cooldown, priming, modes, bits(bitmap & (1 << slots) - 1)


def _decode_timers(
    tail: bytes | None, *, with_telemetry: bool
) -> tuple[Timer, ...] | None:
    if tail is None:
        # Timers are sent with telemetry: telemetry without a tail means that none runs.
        return () if with_telemetry else None
    if not tail or len(tail) < 1 + tail[0] * TIMER.size:
        return None
    end = 1 + tail[0] * TIMER.size
    return tuple(Timer(*fields) for fields in TIMER.iter_unpack(tail[1:end]))
