"""State frame -> telemetry, configuration, running timers.

Observed, not published (protocol.md O2). `decode_frame` only decodes bytes: values stay
as received, even if they are impossible. Fields also have bounds, wide enough for any
pool, which `plausible` applies. The bounds and the version are chosen.

A section that ends early leaves its missing fields `None`; bytes past the known fields
are ignored; lengths that do not fit the frame raise FrameError for the whole frame, and
so does a frame whose version and lengths are both unknown.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from math import inf
from operator import attrgetter
import struct
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    NamedTuple,
    get_args,
    get_type_hints,
)

from ..bounds import Within
from .exceptions import FrameError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FRAME_VERSIONS: Final[Mapping[int, Mapping[str, int]]] = {1: {}}
"""Known versions: the offsets of fields that are not where their annotation says."""

MODE_OFF = 0
MODE_MANUAL = 99
"""Values of `main_pump_mode` and `aux_modes`; 1 to 20 is the running schedule."""


# 0xFF and 0xFFFF mean unknown.
_BYTE, _WORD = Within(0, 0xFE), Within(0, 0xFFFE)
_PERCENT, _CELSIUS = Within(0, 100), Within(0, 100)
_LITRES, _PASCALS, _WATTS = Within(0, 2_000), Within(0, 1_000), Within(0, 10_000)
PH = Within(0.1, 14)
DESIRED_ORP = Within(1, 0xFFFE)
"""Possible values in mV."""
DRUM_VOLUME = Within(0, 0xFFFF_FFFE)
"""Possible values in mL."""
_TARGET = _DOSES = Within(1, 0xFE)
SCHEDULE_MODES: Final = range(1, 21)
"""Modes that are the number of the running schedule."""
POSSIBLE_MODES: Final = frozenset({MODE_OFF, *SCHEDULE_MODES, MODE_MANUAL})


class At(NamedTuple):
    """Where a section has the value of a field, its bounds, and how fast it changes."""

    offset: int
    code: str
    """Format of the value in `struct`."""
    possible: Container[object] | None = None
    read: Callable[[Any], object] = lambda value: value
    """Turns the value on the wire into that of the field."""
    drift: float = 0.0
    """How far it may move in a poll; a fact is the same or another one."""

    def near(self, one: Any, other: Any) -> bool:
        """Return whether it may move from one value to the other in a poll."""
        return bool(one == other or (self.drift and abs(one - other) <= self.drift))

    def checked[V](self, value: V) -> V | None:
        """Return a value of the field, `None` if it is impossible."""
        if self.possible is not None and value not in self.possible:
            return None
        return value


_FACT: Final = At(0, "")
"""Stands for a field without a place of its own."""


@cache
def _places(kind: type, version: int = 1) -> Mapping[str, At]:
    """Return the places of the fields of a dataclass in a version, by their names."""
    hints = get_type_hints(kind, include_extras=True).items()
    moved = FRAME_VERSIONS.get(version, {})
    return {
        name: arg._replace(offset=moved.get(name, arg.offset))
        for name, hint in hints
        for arg in get_args(hint)
        if isinstance(arg, At)
    }


def _tenths(value: int) -> float:
    return value / 10


def _bit(place: int) -> Callable[[int], bool]:
    return lambda word: bool(word >> place & 1)


def _bits(value: int) -> tuple[int, ...]:
    """Return the positions of the bits that are set."""
    return tuple(place for place in range(value.bit_length()) if value >> place & 1)


# Section A (protocol.md O2.1). Between its head and the times of the pump there are the
# modes of the slots and a bitmap of held ones; offsets leave these out.

TELEMETRY_HEAD, PUMP_TIMES = 45, 4
"""Sizes in bytes; the last byte of the head is the number of slots."""
FLAGS2: Final = 42
"""Offset of the second word of flags."""


@dataclass(frozen=True, slots=True)
class Chemistry:
    """Readings of the probes, which are valid only in flowing water.

    The second bounds are those of a stored value.
    """

    water_temperature: Annotated[
        float | None, At(2, "H", _CELSIUS, _tenths, drift=2.0), Within(-50, 100)
    ] = None
    """°C."""
    ph: Annotated[float | None, At(6, "B", PH, _tenths, drift=1.0), Within(0, 14)] = (
        None
    )
    orp: Annotated[
        float | None, At(7, "H", _WORD, drift=200.0), Within(-2000, 2000)
    ] = None
    """mV."""


@dataclass(frozen=True, slots=True)
class Readings(Chemistry):
    """Values that are measured or counted now, in still water, too."""

    ambient_temperature: Annotated[
        float | None,
        At(4, "H", Within(0.01, 100), lambda value: value / 100, drift=5.0),
    ] = None
    """°C; the wire has 0 if no sensor is fitted."""
    flow_rate: Annotated[float | None, At(11, "H", _LITRES, drift=500.0)] = None
    """L/min."""
    pressure: Annotated[float | None, At(13, "H", _PASCALS, drift=50.0)] = None
    """kPa, at the filter."""
    pump_speed: Annotated[float | None, At(17, "B", _PERCENT, drift=5.0)] = None
    """%."""
    pump_power: Annotated[float | None, At(18, "H", _WATTS, drift=3000.0)] = None
    """W."""
    drive_temperature: Annotated[float | None, At(22, "B", _BYTE, drift=30.0)] = None
    """°C."""
    main_pump_mode: Annotated[int | None, At(23, "B", POSSIBLE_MODES)] = None
    """0 off, 1 to 20 the running schedule, 99 manual."""
    sanitiser_output: Annotated[float | None, At(24, "H", _WORD, drift=inf)] = None
    pump_cooldown_remaining: Annotated[float | None, At(45, "H", _WORD, drift=inf)] = (
        None
    )
    """Seconds."""
    pump_priming_remaining: Annotated[float | None, At(47, "H", _WORD, drift=inf)] = (
        None
    )
    """Seconds."""


@dataclass(frozen=True, slots=True)
class Telemetry(Readings):
    """Section A as received: readings, flags, and the state of every slot.

    Unknown bits of the flags may change all the time: the signals in them are compared.
    """

    flags: Annotated[int | None, At(0, "H", drift=inf)] = None
    flags2: Annotated[int | None, At(FLAGS2, "H", drift=inf)] = None
    aux_modes: tuple[int, ...] | None = None
    held_slots: tuple[int, ...] | None = None
    """Slots held by hand against their schedules, on or off."""


WATER_FLAGS, WATER_FLAGS2 = 1 << 15 | 0b11_1111, 0b11
"""Bits of both words that follow the pump and the heat sources."""
_DRY_RUN, _RETRIES_EXCEEDED = 3 << 13, 1 << 13
"""Both bits set is normal, anything else is a problem; 1 is as in protocol.md O5."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Boolean values reported by the controller, in two words of flags."""

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


@lru_cache(maxsize=64)
def decode_signals(flags: int | None, flags2: int | None) -> Signals:
    """Return the signals in `Telemetry.flags` and `Telemetry.flags2`."""
    if flags is None:
        return Signals()

    def in_flags2(place: int) -> bool | None:
        return None if flags2 is None else _bit(place)(flags2)

    return Signals(
        pool_heater=_bit(0)(flags),
        solar=_bit(1)(flags),
        spa_heater=_bit(2)(flags),
        ph_dosing=_bit(3)(flags),
        chlorine_dosing=_bit(4)(flags),
        chemistry_stable=_bit(5)(flags),
        flow=_bit(15)(flags),
        pump_cooling_down=in_flags2(0),
        pump_priming=in_flags2(1),
        wifi=in_flags2(2),
        ethernet=in_flags2(3),
        mqtt=in_flags2(4),
        internet=in_flags2(5),
        dry_run=flags & _DRY_RUN != _DRY_RUN,
        retries_exceeded=flags & _DRY_RUN == _RETRIES_EXCEEDED,
        expanders=(_bit(10)(flags), _bit(11)(flags), in_flags2(7), in_flags2(8)),
    )


# Section B (protocol.md O2.2)

CONFIGURATION_HEAD = 90
"""Size in bytes; its last byte is the number of slots, whose aux types follow."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The used fields of section B; a field without a value is `None`."""

    prime_time: Annotated[int | None, At(4, "H", _WORD)] = None
    """Seconds (assumed)."""
    preset_speeds: Annotated[tuple[int, ...] | None, At(6, "6s", read=tuple)] = None
    """Six speeds of the pump, from "start" to "cleaner"."""
    pool_target: Annotated[int | None, At(20, "B", _TARGET)] = None
    """°C."""
    spa_target: Annotated[int | None, At(21, "B", _TARGET)] = None
    """°C."""
    solar_selected: Annotated[bool | None, At(22, "B", read=_bit(0))] = None
    pool_heater_selected: Annotated[bool | None, At(22, "B", read=_bit(1))] = None
    spa_heater_selected: Annotated[bool | None, At(22, "B", read=_bit(2))] = None
    desired_ph: Annotated[float | None, At(37, "B", PH, _tenths)] = None
    acid_drum_ml: Annotated[float | None, At(38, "I", DRUM_VOLUME)] = None
    acid_remaining_ml: Annotated[
        float | None, At(42, "I", DRUM_VOLUME, drift=250.0)
    ] = None
    max_ph_doses: Annotated[int | None, At(46, "B", _DOSES)] = None
    """Maximum number of pH doses a day."""
    desired_orp_mineral: Annotated[float | None, At(52, "H", DESIRED_ORP)] = None
    """mV."""
    desired_orp_liquid: Annotated[float | None, At(58, "H", DESIRED_ORP)] = None
    """mV."""
    chlorine_drum_ml: Annotated[float | None, At(62, "I", DRUM_VOLUME)] = None
    chlorine_remaining_ml: Annotated[
        float | None, At(66, "I", DRUM_VOLUME, drift=250.0)
    ] = None
    schedules_enabled: Annotated[tuple[int, ...] | None, At(82, "I", read=_bits)] = None
    """Indices of the enabled schedules, counted from 0."""
    firmware: Annotated[
        str | None, At(86, "3s", read=lambda value: ".".join(map(str, value)))
    ] = None
    aux_types: tuple[int, ...] | None = None
    """Aux type code of each slot (protocol.md O2.4)."""


# Decoding


def _decoded(places: Mapping[str, At], section: bytes) -> dict[str, Any]:
    """Return the values that a section has, by their names."""
    return {
        name: at.read(struct.unpack_from(f"<{at.code}", section, at.offset)[0])
        for name, at in places.items()
        if at.offset + struct.calcsize(f"<{at.code}") <= len(section)
    }


def _by_slot(section: bytes, head: int) -> tuple[int, ...] | None:
    """Return the bytes that follow a head, one for each slot."""
    count = _count(section, head)
    if count is None or len(section) < head + count:
        return None
    return tuple(section[head : head + count])


def _decode_telemetry(version: int, section: bytes, slots: int | None) -> Telemetry:
    head, held, modes = section[:TELEMETRY_HEAD], None, None
    if (size := telemetry_head(section, slots)) is not None:
        modes = _by_slot(section, size)
    if size is not None and modes is not None:
        bitmap = size + len(modes)
        end = bitmap + (len(modes) + 7 >> 3)
        if end <= len(section):
            flags = int.from_bytes(section[bitmap:end], "little")
            held = _bits(flags & (1 << len(modes)) - 1)
            head += section[end:]
    values = _decoded(_places(Telemetry, version), head)
    return Telemetry(**values, aux_modes=modes, held_slots=held)


@lru_cache(maxsize=64)
def _decode_configuration(version: int, section: bytes) -> Configuration:
    return Configuration(
        **_decoded(_places(Configuration, version), section),
        aux_types=_by_slot(section, CONFIGURATION_HEAD),
    )


def plausible[T: DataclassInstance](kind: type[T], reported: T) -> T:
    """Return the fields of `kind` with `None` in place of impossible values."""
    values_of, places = fields_of(kind)
    return kind(
        *(
            at.checked(value)
            for at, value in zip(places, values_of(reported), strict=True)
        )
    )


def alike[T: DataclassInstance](one: T, other: T) -> bool:
    """Return whether a poll may lead from one to the other; what one lacks is alike."""
    values_of, places = fields_of(type(one))
    return all(
        old is None or new is None or at.near(old, new)
        for at, old, new in zip(places, values_of(one), values_of(other), strict=True)
    )


@cache
def fields_of(
    kind: type[DataclassInstance],
) -> tuple[Callable[[object], tuple[Any, ...]], tuple[At, ...]]:
    """Return what reads the fields of a dataclass in their order, and their places."""
    names, places = [each.name for each in fields(kind)], _places(kind)
    return attrgetter(*names), tuple(places.get(name, _FACT) for name in names)


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


SECTIONS: Final = ((1, 1), (2, 2), (4, 1))
"""Bit in the section mask, and size of the length, of each section in wire order."""


def decode_frame(payload: bytes, slots: int | None = None) -> StateFrame:
    """Return the content of a state frame (protocol.md O2).

    `slots` is their number, used if the frame has no section B that reports it. Raises
    FrameError if a length runs past the end, or if neither the version nor the lengths
    are known: another order of the fields would give plausible values.
    """
    telemetry, configuration, tail, _ = sections(payload)
    reported = slots_in(configuration)
    version, slots = payload[0], slots if reported is None else reported
    if version not in FRAME_VERSIONS and not _fits(telemetry, configuration):
        raise FrameError(f"state frame of version {version}, with unknown lengths")
    return StateFrame(
        None if telemetry is None else _decode_telemetry(version, telemetry, slots),
        None
        if configuration is None
        else _decode_configuration(version, configuration),
        _decode_timers(tail, with_telemetry=telemetry is not None),
    )


def _fits(telemetry: bytes | None, configuration: bytes | None) -> bool:
    """Return whether each section is as long as its own number of slots says."""
    a, b = _count(telemetry, TELEMETRY_HEAD), _count(configuration, CONFIGURATION_HEAD)
    return (
        telemetry is None or (a is not None and len(telemetry) == telemetry_size(a))
    ) and (
        configuration is None
        or (b is not None and len(configuration) == CONFIGURATION_HEAD + b)
    )


def sections(payload: bytes) -> tuple[bytes | None, bytes | None, bytes | None, int]:
    """Return telemetry, configuration, timers and their end; raises FrameError."""
    if len(payload) < 2:
        raise FrameError("state frame has no head")
    found, end = list[bytes | None](), 2
    for bit, length_size in SECTIONS:
        section = None
        if payload[1] & bit:
            start = end + length_size
            end = start + int.from_bytes(payload[end:start], "little")
            if end > len(payload):
                raise FrameError("a section runs past the end of the state frame")
            section = payload[start:end]
        found.append(section)
    telemetry, configuration, timers = found
    return telemetry, configuration, timers, end


# How long a section is: newer firmware may add bytes (protocol.md L29)


def _count(section: bytes | None, head: int) -> int | None:
    return None if section is None or len(section) < head else section[head - 1]


def slots_in(configuration: bytes | None) -> int | None:
    """Return the number of slots in section B, `None` if it does not report it."""
    return _count(configuration, CONFIGURATION_HEAD)


def telemetry_size(slots: int) -> int:
    """Return the size of section A: head, modes, bitmap of held slots, pump times."""
    return TELEMETRY_HEAD + slots + (slots + 7 >> 3) + PUMP_TIMES


def telemetry_head(section: bytes, slots: int | None) -> int | None:
    """Return the size of section A's head, `None` if it is not clear.

    A longer section has more bytes before its number of slots, which is then that of
    section B (`slots`), or after the times of the pump.
    """
    head = TELEMETRY_HEAD
    if len(section) <= head:
        return head
    if slots is None:
        none_but_more = not section[head - 1] and len(section) > telemetry_size(0)
        return None if none_but_more else head
    if len(section) == telemetry_size(section[head - 1]):
        return head
    more = len(section) - telemetry_size(slots)
    sizes = [s for s in range(head, head + more + 1) if section[s - 1] == slots]
    if not sizes:
        return head if len(section) < telemetry_size(section[head - 1]) else None
    # Another byte may have the same value, but other bytes than modes follow it.
    return max(sizes, key=lambda size: _modes_in(section[size : size + slots]))


def _modes_in(values: bytes) -> int:
    return sum(value in POSSIBLE_MODES for value in values)


def _decode_timers(
    tail: bytes | None, *, with_telemetry: bool
) -> tuple[Timer, ...] | None:
    if tail is None:
        # Timers are sent with telemetry: telemetry without a tail means that none runs.
        return () if with_telemetry else None
    if not tail or len(tail) < 1 + tail[0] * TIMER.size:
        return None
    end = 1 + tail[0] * TIMER.size
    return tuple(
        Timer(slot=slot, remaining=remaining, duration=duration)
        for slot, remaining, duration in TIMER.iter_unpack(tail[1:end])
    )
