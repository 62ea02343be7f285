"""State frame -> telemetry, configuration, running timers.

Observed, not published (layouts.md 2). This module only takes bytes apart: values stay
what the wire says, also where they are impossible; `state.py` decides what they mean.

A section that ends early leaves its missing fields `None`; bytes past the known fields
are ignored; lengths that do not fit the frame raise FrameError for the whole frame.
"""

from dataclasses import dataclass
from functools import lru_cache
import struct
from typing import Any, NamedTuple

from .exceptions import FrameError

VERSION = 1

MODE_OFF = 0
MODE_MANUAL = 99
"""Values of `main_pump_mode` and `aux_modes`; 1 to 20 is the running schedule."""


class Flag:
    """Bits of `Telemetry.flags` (layouts.md 2.1)."""

    POOL_HEATER = 1 << 0
    SOLAR = 1 << 1
    SPA_HEATER = 1 << 2
    PH_DOSING = 1 << 3
    CHLORINE_DOSING = 1 << 4
    CHEMISTRY_STABLE = 1 << 5
    EXPANDER_1 = 1 << 10
    EXPANDER_2 = 1 << 11
    DRY_RUN = 3 << 13  # both bits set is normal, anything else a problem
    FLOW = 1 << 15


class Flag2:
    """Bits of `Telemetry.flags2` (layouts.md 2.1)."""

    PUMP_COOLING_DOWN = 1 << 0
    PUMP_PRIMING = 1 << 1
    WIFI = 1 << 2
    ETHERNET = 1 << 3
    MQTT = 1 << 4
    INTERNET = 1 << 5
    SPA_FITTED = 1 << 6
    EXPANDER_3 = 1 << 7
    EXPANDER_4 = 1 << 8


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Section A (layouts.md 2.1)."""

    flags: int | None
    water_temperature: float | None
    """°C."""
    ambient_temperature: float | None
    """°C; 0 where no sensor is fitted."""
    ph: float | None
    orp: int | None
    """mV."""
    flow_rate: int | None
    """L/min."""
    pressure: int | None
    """kPa, at the filter."""
    pump_speed: int | None
    """%."""
    pump_power: int | None
    """W."""
    drive_temperature: int | None
    """°C."""
    main_pump_mode: int | None
    sanitiser_output: int | None
    flags2: int | None
    aux_modes: tuple[int, ...] | None
    """One mode a slot."""
    held_slots: tuple[int, ...] | None
    """Slots held by hand against their schedules, on or off."""
    pump_cooldown_remaining: int | None
    """s."""
    pump_priming_remaining: int | None
    """s."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Section B (layouts.md 2.2), as far as it is used; without arguments, nothing known."""

    pool_target: int | None = None
    """°C."""
    spa_target: int | None = None
    """°C."""
    solar_selected: bool | None = None
    pool_heater_selected: bool | None = None
    spa_heater_selected: bool | None = None
    desired_ph: float | None = None
    acid_drum_ml: int | None = None
    acid_remaining_ml: int | None = None
    desired_orp_mineral: int | None = None
    """mV."""
    desired_orp_liquid: int | None = None
    """mV."""
    chlorine_drum_ml: int | None = None
    chlorine_remaining_ml: int | None = None
    schedules_enabled: tuple[int, ...] | None = None
    """Indices, counted from 0."""
    firmware: str | None = None
    aux_types: tuple[int, ...] | None = None
    """One aux type code a slot (layouts.md 2.4)."""


class Timer(NamedTuple):
    """A running timer of a slot (layouts.md 2.3)."""

    slot: int
    remaining: int
    """s."""
    duration: int
    """s."""


@dataclass(frozen=True, slots=True)
class StateFrame:
    """A decoded state frame; a part the frame does not speak of is `None`."""

    telemetry: Telemetry | None
    configuration: Configuration | None
    timers: tuple[Timer, ...] | None


class _Layout:
    """The fields of a section in wire order, unpacked in one go.

    The table is `struct` codes; pad codes (`x`) skip what is not used. One `Struct` per
    possible end of the section is made ahead, longest first.
    """

    def __init__(self, *codes: str) -> None:
        values = [code for code in codes if not code.endswith("x")]
        self._prefixes: list[tuple[struct.Struct, tuple[None, ...]]] = []
        for end in range(len(codes), -1, -1):
            prefix = struct.Struct("<" + "".join(codes[:end]))
            known = sum(not code.endswith("x") for code in codes[:end])
            self._prefixes.append((prefix, (None,) * (len(values) - known)))
        self.size = self._prefixes[0][0].size

    def unpack(self, data: memoryview | bytes) -> tuple[Any, ...]:
        """Return all values of the table, `None` for those past the end of `data`."""
        for prefix, missing in self._prefixes:
            if len(data) >= prefix.size:
                return prefix.unpack_from(data) + missing
        raise AssertionError("the empty prefix always fits")  # pragma: no cover


_TELEMETRY = _Layout(
    "H",  # flags
    "H",  # water temperature, 0.1 °C
    "H",  # ambient temperature, 0.01 °C
    "B",  # pH, 0.1
    "H",  # ORP
    "2x",  # TDS, a placeholder
    "H",  # flow rate
    "H",  # filter pressure
    "2x",  # prime pressure
    "B",  # pump speed
    "H",  # pump power
    "2x",  # pump current
    "B",  # drive temperature
    "B",  # main pump mode
    "H",  # sanitiser output
    "16x",  # cost counters
    "H",  # flags2
    "B",  # number of aux slots
)
_PUMP_TIMES = _Layout("H", "H")  # cool-down, priming

_CONFIGURATION = _Layout(
    "20x",  # pool size … min pressure
    "B",  # desired pool temperature
    "B",  # desired spa temperature
    "B",  # heating flags
    "14x",  # heater cool-down … pH dosing time
    "B",  # desired pH, 0.1
    "I",  # acid drum
    "I",  # acid remaining
    "6x",  # max doses a day … ORP flags
    "H",  # desired ORP (mineral)
    "4x",  # mineral max duration
    "H",  # desired ORP (liquid)
    "2x",  # liquid dose time
    "I",  # chlorine drum
    "I",  # chlorine remaining
    "12x",  # liquid dose rate … ambient temperature offset
    "I",  # schedules enabled
    "3s",  # firmware version
    "B",  # number of aux slots
)
_SOLAR_SELECTED, _POOL_HEATER_SELECTED, _SPA_HEATER_SELECTED = 1, 2, 4

_TIMER = struct.Struct("<BHH")


_TELEMETRY_PRESENT, _CONFIGURATION_PRESENT, _TIMERS_PRESENT = 1, 2, 4
"""Bits of the section mask."""


def decode_frame(payload: bytes) -> StateFrame:
    """Return the content of a state frame (layouts.md 2).

    Raises FrameError where the version is unknown or a length runs past the end.
    """
    if len(payload) < 2:
        raise FrameError("state frame has no head")
    version, mask = payload[0], payload[1]
    if version != VERSION:
        raise FrameError(f"state frame version {version} is not known")
    telemetry = configuration = tail = None
    end = 2
    if mask & _TELEMETRY_PRESENT:
        telemetry, end = _section(payload, end, 1)
    if mask & _CONFIGURATION_PRESENT:
        configuration, end = _section(payload, end, 2)
    if mask & _TIMERS_PRESENT:
        tail, end = _section(payload, end, 1)
    return StateFrame(
        None if telemetry is None else _decode_telemetry(telemetry),
        None if configuration is None else _decode_configuration(configuration),
        _decode_timers(tail, with_telemetry=telemetry is not None),
    )


def _section(payload: bytes, offset: int, length_size: int) -> tuple[bytes, int]:
    """Return a section and where it ends."""
    start = offset + length_size
    end = start + int.from_bytes(payload[offset:start], "little")
    if end > len(payload):
        raise FrameError("a section runs past the end of the state frame")
    return payload[start:end], end


def _decode_telemetry(data: bytes) -> Telemetry:
    (
        flags,
        water,
        ambient,
        ph,
        orp,
        flow,
        pressure,
        speed,
        power,
        drive,
        mode,
        sanitiser,
        flags2,
        slots,
    ) = _TELEMETRY.unpack(data)
    modes = held = cooldown = priming = None
    if slots is not None:
        end = _TELEMETRY.size + slots + (slots + 7) // 8
        modes, held = _decode_slots(data[_TELEMETRY.size : end], slots)
        cooldown, priming = _PUMP_TIMES.unpack(data[end:])
    return Telemetry(
        flags,
        None if water is None else water / 10,
        None if ambient is None else ambient / 100,
        None if ph is None else ph / 10,
        orp,
        flow,
        pressure,
        speed,
        power,
        drive,
        mode,
        sanitiser,
        flags2,
        modes,
        held,
        cooldown,
        priming,
    )


# What hardly ever changes from frame to frame is taken apart once.


@lru_cache(maxsize=256)
def _decode_slots(
    data: bytes, slots: int
) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    """Return the modes and the held slots; `None` for what `data` ends before."""
    modes = tuple(data[:slots]) if len(data) >= slots else None
    if len(data) < slots + (slots + 7) // 8:
        return modes, None
    bitmap = int.from_bytes(data[slots:], "little")
    return modes, _bits(bitmap & (1 << slots) - 1)


@lru_cache(maxsize=64)
def _decode_configuration(data: bytes) -> Configuration:
    pool, spa, heating, ph, *settings, schedules, firmware, slots = (
        _CONFIGURATION.unpack(data)
    )
    acid_drum, acid, orp_mineral, orp_liquid, chlorine_drum, chlorine = settings
    types = data[_CONFIGURATION.size :]
    return Configuration(
        pool,
        spa,
        None if heating is None else bool(heating & _SOLAR_SELECTED),
        None if heating is None else bool(heating & _POOL_HEATER_SELECTED),
        None if heating is None else bool(heating & _SPA_HEATER_SELECTED),
        None if ph is None else ph / 10,
        acid_drum,
        acid,
        orp_mineral,
        orp_liquid,
        chlorine_drum,
        chlorine,
        None if schedules is None else _bits(schedules),
        None if firmware is None else ".".join(map(str, firmware)),
        None if slots is None or slots > len(types) else tuple(types[:slots]),
    )


def _decode_timers(
    tail: bytes | None, *, with_telemetry: bool
) -> tuple[Timer, ...] | None:
    if tail is None:
        # Timers travel with telemetry: telemetry without a tail says that none runs.
        return () if with_telemetry else None
    if not tail or len(tail) < 1 + tail[0] * _TIMER.size:
        return None
    end = 1 + tail[0] * _TIMER.size
    return tuple(Timer(*fields) for fields in _TIMER.iter_unpack(tail[1:end]))


def _bits(value: int) -> tuple[int, ...]:
    found = []
    while value:
        lowest = value & -value
        found.append(lowest.bit_length() - 1)
        value ^= lowest
    return tuple(found)
