"""State frame -> telemetry, configuration, running timers.

Observed, not published (protocol.md O2). `decode_frame` only decodes bytes: values stay
as received, even if they are impossible. Each row also has bounds (chosen), which
`plausible` applies.

A section that ends early leaves its missing fields `None`; bytes past the known fields
are ignored; lengths that do not fit the frame raise FrameError for the whole frame.
"""

from dataclasses import asdict, dataclass, fields
from functools import lru_cache
import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from .exceptions import FrameError
from .layout import ANYTHING, BYTE, WORD, Between, Layout, Row, bit, bits, skip

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

VERSION = 1
"""The assumed frame version (chosen); others are decoded by their lengths, too."""

MODE_OFF = 0
MODE_MANUAL = 99
"""Values of `main_pump_mode` and `aux_modes`; 1 to 20 is the running schedule."""


# Bounds wide enough for any pool (chosen).
_PERCENT, _CELSIUS = Between(0, 100), Between(0, 100)
PH = Between(0.1, 14)
DESIRED_ORP = Between(1, 0xFFFE)
"""Possible values in mV."""
VOLUME = Between(0, 0xFFFF_FFFE)
"""Possible values in mL."""
_TARGET = Between(1, 0xFE)
_DOSES = Between(1, 0xFE)
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


_DRY_RUN, _RETRIES_EXCEEDED = 3 << 13, 1 << 13
"""Both bits set is normal, anything else is a problem; 1 is as in protocol.md O5."""


@lru_cache(maxsize=64)
def decode_signals(flags: int | None, flags2: int | None) -> Signals:
    """Return the signals in `Telemetry.flags` and `Telemetry.flags2`."""
    return Signals(
        pool_heater=bit(flags, 0),
        solar=bit(flags, 1),
        spa_heater=bit(flags, 2),
        ph_dosing=bit(flags, 3),
        chlorine_dosing=bit(flags, 4),
        chemistry_stable=bit(flags, 5),
        flow=bit(flags, 15),
        pump_cooling_down=bit(flags2, 0),
        pump_priming=bit(flags2, 1),
        wifi=bit(flags2, 2),
        ethernet=bit(flags2, 3),
        mqtt=bit(flags2, 4),
        internet=bit(flags2, 5),
        dry_run=None if flags is None else flags & _DRY_RUN != _DRY_RUN,
        retries_exceeded=None
        if flags is None
        else flags & _DRY_RUN == _RETRIES_EXCEEDED,
        expanders=(bit(flags, 10), bit(flags, 11), bit(flags2, 7), bit(flags2, 8)),
    )


# Section B (protocol.md O2.2)


@dataclass(frozen=True, slots=True)
class InstallerSettings:
    """Settings of the installer in the vendor's app; only displayed.

    The values are as received: their units are not documented.
    """

    pool_size: int | None = None
    prime_time: int | None = None
    preset_speeds: tuple[int, ...] | None = None
    """Six speeds of the pump, from "start" to "cleaner"."""
    backwash_pressure: int | None = None
    min_flow: int | None = None
    min_pressure: int | None = None
    heater_cooldown: int | None = None
    spa_heater_cooldown: int | None = None
    solar_hysteresis: int | None = None
    """A temperature."""
    solar_hysteresis_time: int | None = None
    acid_dosing_time: int | None = None
    acid_dose_interval: int | None = None
    acid_dose_rate: int | None = None
    liquid_dose_time: int | None = None
    """Dose time of the liquid chlorine doser; `liquid_dose_rate` is its rate."""
    liquid_dose_rate: int | None = None
    water_offset: int | None = None
    """Offset of a temperature sensor, as is `ambient_offset`."""
    ambient_offset: int | None = None


@dataclass(frozen=True, slots=True)
class Configuration(InstallerSettings):
    """The used fields of section B; a field without a value is `None`."""

    pool_target: int | None = None
    """°C."""
    spa_target: int | None = None
    """°C."""
    solar_selected: bool | None = None
    pool_heater_selected: bool | None = None
    spa_heater_selected: bool | None = None
    desired_ph: float | None = None
    acid_drum_ml: float | None = None
    acid_remaining_ml: float | None = None
    max_ph_doses: int | None = None
    """Maximum number of pH doses a day."""
    desired_orp_mineral: float | None = None
    """mV."""
    desired_orp_liquid: float | None = None
    """mV."""
    chlorine_drum_ml: float | None = None
    chlorine_remaining_ml: float | None = None
    schedules_enabled: tuple[int, ...] | None = None
    """Indices of the enabled schedules, counted from 0."""
    firmware: str | None = None
    aux_types: tuple[int, ...] | None = None
    """Aux type code of each slot (protocol.md O2.4)."""


CONFIGURATION_HEAD = Layout(
    Row("pool_size", "B", 1, BYTE),
    skip(3),  # electricity cost, max run current
    Row("prime_time", "H", 1, WORD),
    Row("preset_speeds", "6s"),
    Row("backwash_pressure", "H", 1, WORD),
    skip(2),  # flow retry time and cycles
    Row("min_flow", "H", 1, WORD),
    Row("min_pressure", "h"),
    Row("pool_target", "B", 1, _TARGET),
    Row("spa_target", "B", 1, _TARGET),
    Row("heating_flags", "B"),
    Row("heater_cooldown", "H", 1, WORD),
    Row("spa_heater_cooldown", "H", 1, WORD),
    Row("solar_hysteresis", "B", 1, BYTE),
    Row("solar_hysteresis_time", "H", 1, WORD),
    skip(5),  # ambient hysteresis time, solar flush time, pH dosing
    Row("acid_dosing_time", "H", 1, WORD),
    Row("desired_ph", "B", 10, PH),
    Row("acid_drum_ml", "I", 1, VOLUME),
    Row("acid_remaining_ml", "I", 1, VOLUME),
    Row("max_ph_doses", "B", 1, _DOSES),
    Row("acid_dose_interval", "H", 1, WORD),
    Row("acid_dose_rate", "H", 1, WORD),
    skip(1),  # ORP flags
    Row("desired_orp_mineral", "H", 1, DESIRED_ORP),
    skip(4),  # mineral max duration
    Row("desired_orp_liquid", "H", 1, DESIRED_ORP),
    Row("liquid_dose_time", "H", 1, WORD),
    Row("chlorine_drum_ml", "I", 1, VOLUME),
    Row("chlorine_remaining_ml", "I", 1, VOLUME),
    Row("liquid_dose_rate", "H", 1, WORD),
    skip(6),  # setpoints of chlorine save and ozone save, light modes
    Row("water_offset", "h"),
    Row("ambient_offset", "h"),
    Row("schedules_enabled", "I"),
    Row("firmware", "3s"),
    Row("slots", "B"),  # number of slots; their aux type codes follow
)


@lru_cache(maxsize=64)
def _decode_configuration(data: bytes) -> Configuration:
    values = CONFIGURATION_HEAD.unpack(data)
    heating, slots = values.pop("heating_flags"), values.pop("slots")
    speeds, schedules, firmware = (
        values.pop(name) for name in ("preset_speeds", "schedules_enabled", "firmware")
    )
    types = data[CONFIGURATION_HEAD.size :]
    return Configuration(
        **values,
        solar_selected=bit(heating, 0),
        pool_heater_selected=bit(heating, 1),
        spa_heater_selected=bit(heating, 2),
        preset_speeds=None if speeds is None else tuple(speeds),
        schedules_enabled=None if schedules is None else bits(schedules),
        firmware=None if firmware is None else ".".join(map(str, firmware)),
        aux_types=None if slots is None or slots > len(types) else tuple(types[:slots]),
    )


_POSSIBLE = {
    name: possible
    for layout in (TELEMETRY_HEAD, PUMP_TIMES, CONFIGURATION_HEAD)
    for name, possible in layout.possible.items()
}


def plausible[T: DataclassInstance](kind: type[T], reported: T) -> T:
    """Return the fields of `kind` with `None` in place of impossible values."""
    values = asdict(reported)
    return kind(
        **{
            field.name: value
            if (value := values[field.name]) in _POSSIBLE.get(field.name, ANYTHING)
            else None
            for field in fields(kind)
        }
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
        None if configuration is None else _decode_configuration(configuration),
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
    start = offset + length_size
    end = start + int.from_bytes(payload[offset:start], "little")
    if end > len(payload):
        raise FrameError("a section runs past the end of the state frame")
    return payload[start:end], end


def _decode_telemetry(data: bytes) -> Telemetry:
    values, rest = TELEMETRY_HEAD.unpack(data), data[TELEMETRY_HEAD.size :]
    modes, held = None, None
    if (slots := values.pop("slots")) is not None and len(rest) >= slots:
        modes = tuple(rest[:slots])
        end = slots + (slots + 7 >> 3)
        if len(rest) >= end:
            bitmap = int.from_bytes(rest[slots:end], "little")
            held = bits(bitmap & (1 << slots) - 1)
            values |= PUMP_TIMES.unpack(rest[end:])
    return Telemetry(**values, aux_modes=modes, held_slots=held)


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
