"""What a state frame shows of its layout (layouts.md 2): lengths, bits and codes."""

from collections.abc import Iterator
from typing import NamedTuple

from ..equipment import MAX_SLOTS
from ..frame import MODE_MANUAL, VERSION
from .ledger import Bet, Evidence

_TELEMETRY = 45
"""Bytes of section A before the modes of the slots."""
_PUMP_TIMES = 4
_FLAGS2 = 42
_CONFIGURATION = 90
"""Bytes of section B before the aux type codes."""
_TIMER = 5
_MAX_RECORD = 20
_KNOWN_FLAGS = 0b1110_1100_0011_1111
_KNOWN_FLAGS2 = 0b1_1111_1111
# General outputs may have any code; those above the table of layouts.md 2.4 are named.
_KNOWN_TYPES = frozenset(range(MAX_SLOTS))


class Parts(NamedTuple):
    """The sections of a frame; `None` for those that it does not have."""

    telemetry: bytes | None
    configuration: bytes | None
    timers: bytes | None
    rest: bytes | None
    """What follows the last one, `None` where a section runs past the end."""


def split(payload: bytes) -> Parts:
    """Return the sections of a state frame."""
    found: list[bytes | None] = []
    at, whole = 2, len(payload) >= 2
    for bit, size in enumerate((1, 2, 1)):
        if not whole or not payload[1] >> bit & 1:
            found.append(None)
            continue
        start = at + size
        at = start + int.from_bytes(payload[at:start], "little")
        whole = at <= len(payload)
        found.append(payload[start:at] if whole else None)
    telemetry, configuration, timers = found
    return Parts(telemetry, configuration, timers, payload[at:] if whole else None)


def judge_frame(evidence: Evidence, payload: bytes) -> Parts:
    """Judge a frame that verified; return its sections."""
    parts = split(payload)
    if len(payload) >= 2:
        version = payload[0]
        evidence.judge(
            Bet.FRAME_VERSION, *[f"version {version}"] * (version != VERSION)
        )
    evidence.judge(Bet.FRAME_SECTIONS, *_odd_sections(payload, parts))
    if (telemetry := parts.telemetry) is not None:
        _judge_telemetry(evidence, telemetry)
    if (configuration := parts.configuration) is not None:
        _judge_configuration(evidence, configuration)
    if (timers := parts.timers) is not None:
        wanted = 1 + timers[0] * _TIMER if timers else 1
        evidence.judge(Bet.TIMERS_LENGTH, *_length(len(timers), wanted))
    return parts


def _odd_sections(payload: bytes, parts: Parts) -> Iterator[str]:
    if len(payload) < 2:
        yield f"{len(payload)} bytes"
        return
    if unknown := payload[1] >> 3:
        yield f"mask bits {unknown << 3:#04x}"
    if parts.rest is None:
        yield "a section runs past the end"
    elif parts.rest:
        yield f"{len(parts.rest)} bytes after the sections"


def _length(found: int, wanted: int) -> tuple[str, ...]:
    return () if found == wanted else (f"{found} bytes instead of {wanted}",)


def slots_of(telemetry: bytes) -> bytes:
    """Return the modes of the slots in section A, empty where it ends before."""
    if len(telemetry) < _TELEMETRY:
        return b""
    return telemetry[_TELEMETRY : _TELEMETRY + telemetry[_TELEMETRY - 1]]


def held_in(telemetry: bytes, slot: int) -> bool | None:
    """Tell whether the override bit of a slot is set, `None` where it is not told."""
    if len(telemetry) < _TELEMETRY:
        return None
    slots = telemetry[_TELEMETRY - 1]
    place = _TELEMETRY + slots + slot // 8
    if slot >= slots or place >= len(telemetry):
        return None
    return bool(telemetry[place] >> slot % 8 & 1)


def _judge_telemetry(evidence: Evidence, data: bytes) -> None:
    if len(data) < _TELEMETRY:
        evidence.judge(Bet.TELEMETRY_LENGTH, f"{len(data)} bytes")
        return
    slots = data[_TELEMETRY - 1]
    wanted = _TELEMETRY + slots + (slots + 7) // 8 + _PUMP_TIMES
    evidence.judge(Bet.TELEMETRY_LENGTH, *_length(len(data), wanted))
    flags = int.from_bytes(data[:2], "little") & ~_KNOWN_FLAGS
    flags2 = int.from_bytes(data[_FLAGS2 : _FLAGS2 + 2], "little") & ~_KNOWN_FLAGS2
    unknown = (("flags", flags), ("flags2", flags2))
    evidence.judge(
        Bet.FLAGS, *(f"{name} {bits:#06x}" for name, bits in unknown if bits)
    )
    odd = {m for m in slots_of(data) if m > _MAX_RECORD and m != MODE_MANUAL}
    evidence.judge(Bet.MODES, *(f"mode {mode}" for mode in sorted(odd)))


def _judge_configuration(evidence: Evidence, data: bytes) -> None:
    if len(data) < _CONFIGURATION:
        evidence.judge(Bet.CONFIGURATION_LENGTH, f"{len(data)} bytes")
        return
    slots = data[_CONFIGURATION - 1]
    evidence.judge(
        Bet.CONFIGURATION_LENGTH, *_length(len(data), _CONFIGURATION + slots)
    )
    odd = set(data[_CONFIGURATION : _CONFIGURATION + slots]) - _KNOWN_TYPES
    too_many = [f"{slots} slots"] * (slots > MAX_SLOTS)
    evidence.judge(Bet.AUX_TYPES, *too_many, *(f"code {code}" for code in sorted(odd)))
