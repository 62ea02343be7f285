"""The bytes of the LAN protocol, from the controller's side (protocol.md O1 to O4).

It is independent of the integration's own codec. Both are checked against the same test
vectors, so that a mistake in one cannot hide in the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
import hmac
import json
import struct
from typing import Any, Final

from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from .schedules import Schedule

type Fields = dict[str, int]
type Json = dict[str, Any]
type Table = tuple[tuple[str, str], ...]

ENVELOPE_VERSION: Final = 1
FRAME_VERSION: Final = 1
_HEAD: Final = struct.Struct("<BI")
_TAG: Final = 4
_TIMER: Final = struct.Struct("<BHH")
_RECORD: Final = struct.Struct("<BBBBHHBB")

# protocol.md O2.1: section A up to the number of slots
TELEMETRY: Final[Table] = (
    ("flags", "H"), ("water_temperature", "H"), ("ambient_temperature", "H"),
    ("ph", "B"), ("orp", "H"), ("tds", "H"), ("flow_rate", "H"), ("pressure", "H"),
    ("prime_pressure", "H"), ("pump_speed", "B"), ("pump_power", "H"),
    ("pump_current", "H"), ("drive_temperature", "B"), ("main_pump_mode", "B"),
    ("sanitiser_output", "H"), ("cost_1", "i"), ("cost_2", "i"), ("cost_3", "i"),
    ("cost_4", "i"), ("flags2", "H"), ("slots", "B"),
)  # fmt: skip

# protocol.md O2.1: its end, after the modes and override bits of the slots
RUNS: Final[Table] = (
    ("pump_cooldown_remaining", "H"), ("pump_priming_remaining", "H"),
)  # fmt: skip

# protocol.md O2.2: section B up to the number of slots
CONFIGURATION: Final[Table] = (
    ("pool_size", "B"), ("electricity_cost", "H"), ("max_run_current", "B"),
    ("pump_prime_time", "H"), ("speed_start", "B"), ("speed_low", "B"),
    ("speed_medium", "B"), ("speed_high", "B"), ("speed_backwash", "B"),
    ("speed_cleaner", "B"), ("backwash_pressure", "H"), ("flow_retry_time", "B"),
    ("flow_retry_cycles", "B"), ("min_flow", "H"), ("min_pressure", "h"),
    ("pool_target", "B"), ("spa_target", "B"), ("heating", "B"),
    ("heater_cooldown", "H"), ("spa_heater_cooldown", "H"),
    ("solar_hysteresis", "B"), ("solar_hysteresis_time", "H"),
    ("ambient_hysteresis_time", "H"), ("solar_flush_time", "H"),
    ("ph_dosing", "B"), ("ph_dosing_time", "H"), ("desired_ph", "B"),
    ("acid_drum", "I"), ("acid_remaining", "I"), ("max_ph_doses", "B"),
    ("ph_dose_interval", "H"), ("ph_dose_rate", "H"), ("orp_flags", "B"),
    ("desired_orp_mineral", "H"), ("mineral_max_duration", "I"),
    ("desired_orp_liquid", "H"), ("liquid_dose_time", "H"), ("chlorine_drum", "I"),
    ("chlorine_remaining", "I"), ("liquid_dose_rate", "H"),
    ("chlorine_save_setpoint", "H"), ("ozone_save_setpoint", "H"),
    ("pool_light_mode", "B"), ("spa_light_mode", "B"), ("water_offset", "h"),
    ("ambient_offset", "h"), ("schedules_enabled", "I"), ("firmware_major", "B"),
    ("firmware_minor", "B"), ("firmware_patch", "B"), ("slots", "B"),
)  # fmt: skip


class WireError(ValueError):
    """The bytes do not have the expected form."""


# --- Envelope (protocol.md O1) ------------------------------------------------------


def _tag(key: bytes, data: bytes) -> bytes:
    mac = CMAC(AES(key))
    mac.update(data)
    return mac.finalize()[:_TAG]


def wrap(key: bytes, counter: int, payload: bytes) -> bytes:
    signed = _HEAD.pack(ENVELOPE_VERSION, counter) + payload
    return signed + _tag(key, signed)


def unwrap(key: bytes, data: bytes) -> tuple[int, bytes]:
    """Verify an envelope; return its counter and its payload."""
    if len(data) < _HEAD.size + _TAG:
        raise WireError("shorter than an empty envelope")
    signed, tag = data[:-_TAG], data[-_TAG:]
    version, counter = _HEAD.unpack_from(signed)
    if version != ENVELOPE_VERSION:
        raise WireError(f"envelope version {version}")
    if not hmac.compare_digest(tag, _tag(key, signed)):
        raise WireError("bad tag")
    return counter, signed[_HEAD.size :]


def from_hex(text: str) -> bytes:
    """Read the hex of an envelope; white space inside is ignored (protocol.md 2.7)."""
    try:
        return bytes.fromhex("".join(text.split()))
    except ValueError as err:
        raise WireError("not hex") from err


# --- State frame (protocol.md O2) ---------------------------------------------------


@dataclass(slots=True)
class Frame:
    """A state frame, whose sections are left out if they are empty."""

    telemetry: Fields = field(default_factory=dict)
    aux_modes: list[int] = field(default_factory=list)
    held_slots: list[int] = field(default_factory=list)
    configuration: Fields = field(default_factory=dict)
    aux_types: list[int] = field(default_factory=list)
    timers: list[tuple[int, int, int]] = field(default_factory=list)
    """Slot, seconds left, seconds in all."""


def _pack(table: Table, fields: Fields) -> bytes:
    layout = "<" + "".join(code for _, code in table)
    return struct.pack(layout, *(fields.get(name, 0) for name, _ in table))


def _unpack(table: Table, data: bytes) -> tuple[Fields, bytes]:
    """Return as many fields as there are bytes for, and the remaining bytes."""
    fields: Fields = {}
    for name, code in table:
        size = struct.calcsize("<" + code)
        if len(data) < size:
            return fields, b""
        (fields[name],) = struct.unpack("<" + code, data[:size])
        data = data[size:]
    return fields, data


def encode_frame(frame: Frame) -> bytes:
    parts = [b"", b"", b""]
    if frame.telemetry:
        count = len(frame.aux_modes)
        held = sum(1 << slot for slot in frame.held_slots)
        parts[0] = _sized(
            1,
            _pack(TELEMETRY, {**frame.telemetry, "slots": count}),
            bytes(frame.aux_modes),
            held.to_bytes((count + 7) // 8, "little"),
            _pack(RUNS, frame.telemetry),
        )
    if frame.configuration:
        fields = {**frame.configuration, "slots": len(frame.aux_types)}
        parts[1] = _sized(2, _pack(CONFIGURATION, fields), bytes(frame.aux_types))
    if frame.timers:
        timers = (_TIMER.pack(*timer) for timer in frame.timers)
        parts[2] = _sized(1, bytes([len(frame.timers)]), *timers)
    mask = sum(1 << bit for bit, part in enumerate(parts) if part)
    return bytes([FRAME_VERSION, mask]) + b"".join(parts)


def _sized(size: int, *parts: bytes) -> bytes:
    """Return parts after their length, which takes `size` bytes."""
    section = b"".join(parts)
    return len(section).to_bytes(size, "little") + section


def decode_frame(payload: bytes) -> Frame:
    if len(payload) < 2:
        raise WireError("no frame head")
    mask, rest, frame = payload[1], payload[2:], Frame()
    if mask & 1:
        section, rest = _section(rest, 1)
        frame.telemetry, after = _unpack(TELEMETRY, section)
        count = frame.telemetry.get("slots", 0)
        end = count + (count + 7) // 8
        bits = int.from_bytes(after[count:end], "little")
        frame.aux_modes = list(after[:count])
        frame.held_slots = [slot for slot in range(count) if bits >> slot & 1]
        frame.telemetry |= _unpack(RUNS, after[end:])[0]
    if mask & 2:
        section, rest = _section(rest, 2)
        frame.configuration, types = _unpack(CONFIGURATION, section)
        frame.aux_types = list(types[: frame.configuration.get("slots", 0)])
    if mask & 4:
        section, rest = _section(rest, 1)
        whole = (len(section) - 1) // _TIMER.size
        count = min(section[0], whole) if section else 0
        frame.timers = [_TIMER.unpack_from(section, 1 + 5 * n) for n in range(count)]
    return frame


def _section(data: bytes, size: int) -> tuple[bytes, bytes]:
    length = int.from_bytes(data[:size], "little")
    if len(data) < size + length:
        raise WireError("a section runs past the end of the frame")
    return data[size : size + length], data[size + length :]


# --- Actions (protocol.md O3) -------------------------------------------------------


def encode_text(text: str) -> bytes:
    """Encode a text: u8 length and UTF-8."""
    data = text.encode()
    return bytes([len(data)]) + data


def decode_text(data: bytes) -> tuple[str, bytes]:
    """Decode a text; return it and the bytes after it."""
    if not data or len(data) < 1 + data[0]:
        raise WireError("a text runs past the end")
    try:
        return data[1 : 1 + data[0]].decode(), data[1 + data[0] :]
    except UnicodeDecodeError as err:
        raise WireError("not UTF-8") from err


def encode_aux(slot: int, on: bool, precedence: bool = True) -> bytes:
    """Encode the payload of the published action `aux` (protocol.md 4.2)."""
    return bytes([slot, on, precedence])


def decode_aux(payload: bytes) -> tuple[int, bool, bool]:
    """Return slot, on and precedence of an `aux` payload."""
    if len(payload) != 3 or max(payload[1:]) > 1:
        raise WireError("not an aux payload")
    return payload[0], bool(payload[1]), bool(payload[2])


def parse_json(data: bytes | str) -> Any:
    """Parse JSON, which has no `NaN` and no infinity; raises ValueError."""
    return json.loads(data, parse_constant=_no_json)


def _no_json(constant: str) -> None:
    raise ValueError(constant)


def encode_cmd(name: str, body: Json) -> bytes:
    return encode_text(name) + _json(body)


def decode_cmd(payload: bytes) -> tuple[str, Json]:
    name, rest = decode_text(payload)
    try:
        body = parse_json(rest)
    except (ValueError, RecursionError) as err:
        raise WireError("a command without a JSON body") from err
    if not isinstance(body, dict):
        raise WireError("a command whose body is no object")
    return name, body


def encode_record(record: Schedule) -> bytes:
    """Encode a schedule record, without its enabled byte."""
    name = record.name.encode("utf-8", "surrogateescape")
    numbers = (record.slot, record.aux_type, record.turnover, record.speed)
    times = (record.start, record.end, record.weekdays, len(name))
    return _RECORD.pack(*numbers, *times) + name


def decode_record(data: bytes) -> tuple[Schedule, bytes]:
    """Decode a schedule record; return it and the bytes after it."""
    if len(data) < _RECORD.size:
        raise WireError("a schedule record runs past the end")
    slot, kind, turnover, speed, start, end, days, _ = _RECORD.unpack_from(data)
    name, rest = decode_text(data[_RECORD.size - 1 :])
    return Schedule(slot, kind, turnover, speed, start, end, days, name), rest


# --- Query replies (protocol.md O4) -------------------------------------------------


def encode_texts(texts: Sequence[str]) -> bytes:
    """Encode texts one after another: the reply to `pump_id`."""
    return b"".join(map(encode_text, texts))


def encode_names(names: Sequence[str]) -> bytes:
    """Encode the reply to `aux_names`."""
    return bytes([len(names)]) + encode_texts(names)


def encode_schedules(records: Iterable[Schedule], more: bytes = b"") -> bytes:
    """Encode the reply to `schedules`; `more` follows each record."""
    rows = [
        bytes([record.enabled]) + encode_record(record) + more for record in records
    ]
    return bytes([len(rows)]) + b"".join(rows)


def encode_json(body: Json, wrapped: bool = False) -> bytes:
    """Encode a JSON reply; some are wrapped in `{"d": …}`."""
    return _json({"d": body} if wrapped else body)


def _json(body: Json) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
