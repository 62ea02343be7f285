"""Action payloads and query replies.

The payload of `aux` is published (protocol.md 4.2 rule 5); everything else here is
observed (protocol.md O3 and O4).
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
import struct
from typing import Any, NamedTuple

from .equipment import HeatSource
from .exceptions import InvalidCommandError, ReplyError
from .json_values import Answer, as_json, clean_text, object_of, parse_object
from .schedule import MAX_SCHEDULES, UNUSED_SLOT, Schedule

SINGLE_SPEED = "Single Speed"
"""Type or brand of a pump that has one speed, or is not identified yet."""

_CREATE, _UPDATE, _DELETE, _ENABLE = range(4)
_RECORD = "<BBBBHHB"


def _pack(layout: str, *values: int) -> bytes:
    try:
        return struct.pack(layout, *values)
    except struct.error as err:
        raise InvalidCommandError(f"value out of range: {err}") from None


def _string(data: bytes) -> bytes:
    if len(data) > 0xFF:
        raise InvalidCommandError("a name is longer than 255 bytes")
    return bytes((len(data),)) + data


# Actions


def encode_aux(slot: int, on: bool, precedence: bool) -> bytes:
    """Return the payload of action `aux`.

    With precedence the slot is held by hand, on or off; without it the schedules win,
    so `(slot, False, False)` releases the slot (protocol.md O3).
    """
    return _pack("<BBB", slot, bool(on), bool(precedence))


def encode_record(schedule: Schedule) -> bytes:
    """Return a schedule record as sent in actions, without `enabled`.

    Its name is sent as received, or cleaned if a record cannot hold it.
    """
    name = schedule.name.encode("utf-8", "replace")
    with suppress(UnicodeEncodeError):
        received = schedule.written_name.encode("utf-8", "surrogateescape")
        name = received if len(received) <= 0xFF else name
    return _pack(
        _RECORD,
        schedule.slot,
        schedule.aux_type,
        schedule.turnover,
        schedule.speed,
        schedule.start,
        schedule.end,
        schedule.weekdays,
    ) + _string(name)


def encode_schedule_create(schedule: Schedule) -> bytes:
    """Return the payload of action `schedule` that creates a schedule."""
    return bytes((_CREATE,)) + encode_record(schedule)


def encode_schedule_update(index: int, schedule: Schedule) -> bytes:
    """Return the payload of action `schedule` that replaces a schedule."""
    return _pack("<BB", _UPDATE, index) + encode_record(schedule)


def encode_schedule_delete(index: int) -> bytes:
    """Return the payload of action `schedule` that deletes a schedule."""
    return _pack("<BB", _DELETE, index)


def encode_schedule_enable(index: int, enabled: bool) -> bytes:
    """Return the payload of action `schedule` that enables or disables one."""
    return _pack("<BBB", _ENABLE, index, bool(enabled))


def encode_cmd(command: str, body: Answer) -> bytes:
    """Return the payload of action `cmd`: a controller command with a JSON body."""
    return _string(command.encode()) + as_json(body)


# Wire names: queries, the commands of `cmd`, and the keys of their JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsObject:
    """A settings object, read and written as a whole (protocol.md O3 to O5)."""

    query: str
    command: str
    """The LAN query that reads it, and the LAN command that writes it."""
    card: str
    """Key in the cloud's `chemistryCard`."""
    endpoint: str
    """Cloud endpoint that writes it."""
    reset: str
    """Flag in every write: whether the drum was refilled."""


PH_SETTINGS = SettingsObject(
    query="get_ph_settings",
    command="set_ph_settings",
    card="phSettings",
    endpoint="setPhSettings",
    reset="reset_acid_volume",
)
CHLORINE_SETTINGS = SettingsObject(
    query="get_chlorine_settings",
    command="set_chlorine_settings",
    card="chlorineSettings",
    endpoint="setChlorineSettings",
    reset="reset_chlorine_volume",
)


class DosingKeys(NamedTuple):
    """Keys of one kind of dosing in its settings object."""

    settings: SettingsObject
    desired: str
    enabled: str
    size: str = ""
    """Key of the drum's size in mL, and of what remains; empty without a drum."""
    remaining: str = ""
    doses: str = "current_dose_today"


ACID_KEYS = DosingKeys(
    settings=PH_SETTINGS,
    desired="desired_ph_level",
    enabled="ph_dosing",
    size="acid_drum_volume",
    remaining="remain_acid_volume",
)
CHLORINE_KEYS = DosingKeys(
    settings=CHLORINE_SETTINGS,
    desired="desired_orp_level_liquid",
    enabled="liquid_chlorine_dosing",
    size="chlorine_drum_volume",
    remaining="remain_chlorine_volume",
)
CHLORINATOR_KEYS = DosingKeys(
    settings=CHLORINE_SETTINGS,
    desired="desired_orp_level_mineral",
    enabled="orp_controlled",
)

HEATING_QUERY, HEATING_COMMAND = "v2_temp_get", "v2_temp_set"
POOL_TARGET, SPA_TARGET = "desire_pool_temp", "desire_spa_temp"
SELECTED = {
    HeatSource.SOLAR: "is_solar_heater_selected",
    HeatSource.POOL_HEATER: "is_pool_heater_selected",
    HeatSource.SPA_HEATER: "is_spa_heater_selected",
}
PROBE_CHANNELS = ("temp2_ch", "temp3_ch")
"""Keys of the probes' channels: not interpreted, written back as read."""

LIGHTS_QUERY = "get_pool_light_switch_mode"
LIGHTS_COMMAND = "set_pool_light_switch_mode"

PUMP_COMMAND = "v2_manual_set"


# Query replies

_MORE = 4
"""Maximum number of bytes after the documented end of a reply (chosen)."""
_ERASED_SLOT, _ERASED = 0xFF, 0xFFFF


@dataclass(frozen=True, slots=True)
class PumpIdentity:
    """Reply to the query `pump_id`."""

    type: str
    brand: str
    model: str

    @property
    def name(self) -> str | None:
        """Brand and model, `None` while the pump is not identified."""
        return f"{self.brand} {self.model}".strip() if self.model else None

    @property
    def variable_speed(self) -> bool | None:
        """Whether the pump has a variable speed, `None` while it is not identified.

        After a restart of the controller, every pump is reported as `Single Speed`
        without a model for a while (protocol.md O2.4).
        """
        if SINGLE_SPEED not in (self.type, self.brand):
            return True
        return False if self.model else None


@dataclass(slots=True)
class _Reader:
    """Reads a reply from its beginning; raises ReplyError past its end."""

    data: bytes
    offset: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)
    """Start and end of each text."""

    def read_bytes(self, size: int) -> bytes:
        start, self.offset = self.offset, self.offset + size
        if self.offset > len(self.data):
            raise ReplyError("the reply ends too early")
        return self.data[start : self.offset]

    def byte(self) -> int:
        return self.read_bytes(1)[0]

    def end(self) -> bool:
        """Return whether the reply ends here; a newer firmware may add a few bytes.

        Raises ReplyError if more follow: then it is not such a reply. A state frame
        that is replayed in place of a reply can begin like one.
        """
        more = len(self.data) - self.offset
        if more > _MORE:
            raise ReplyError(f"the reply goes on for {more} bytes after its end")
        return not more

    def raw_string(self) -> bytes:
        size = self.byte()
        self.spans.append((self.offset, self.offset + size))
        return self.read_bytes(size)

    def string(self) -> str:
        """Return a received text, cleaned."""
        return clean_text(self.raw_string().decode("utf-8", "replace"))

    def unpack(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack(layout, self.read_bytes(struct.calcsize(layout)))


def decode_aux_names(payload: bytes) -> tuple[str, ...]:
    """Return the name of every slot, empty if it has none."""
    reader = _Reader(payload)
    names = _aux_names(reader)
    reader.end()
    return names


def _aux_names(reader: _Reader) -> tuple[str, ...]:
    return tuple(reader.string() for _ in range(reader.byte()))


def decode_pump_id(payload: bytes) -> PumpIdentity:
    """Return the identity of the pump."""
    return _pump_id(_Reader(payload))


def _pump_id(reader: _Reader) -> PumpIdentity:
    return PumpIdentity(reader.string(), reader.string(), reader.string())


def decode_schedules(payload: bytes) -> tuple[Schedule, ...]:
    """Return all records in order, also unused ones: an index is a position."""
    reader = _Reader(payload)
    schedules = _schedules(reader)
    if not reader.end() and not all(map(_plausible, schedules)):
        # The records themselves are longer, so their fields cannot be located.
        raise ReplyError("the records of the schedules are not understood")
    # A mode can only name schedules 1 to 20 (protocol.md O2.1): ignore other records.
    return schedules[:MAX_SCHEDULES]


def _schedules(reader: _Reader) -> tuple[Schedule, ...]:
    schedules = []
    for _ in range(reader.byte()):
        enabled = bool(reader.byte())
        slot, aux_type, turnover, speed, start, end, weekdays = reader.unpack(_RECORD)
        raw = reader.raw_string()
        name = clean_text(raw.decode("utf-8", "replace"))
        received = raw.decode("utf-8", "surrogateescape")
        schedules.append(
            Schedule(
                enabled=enabled,
                slot=slot,
                aux_type=aux_type,
                turnover=turnover,
                speed=speed,
                start=start,
                end=end,
                weekdays=weekdays,
                name=name,
                received_name=None if received == name else received,
            )
        )
    return tuple(schedules)


def string_spans(name: str, payload: bytes) -> tuple[list[tuple[int, int]], int]:
    """Return the spans of the texts in a reply or an action, and the end of its layout.

    The rest is JSON or not documented. Raises ReplyError if the layout does not fit.
    """
    reader = _Reader(payload)
    if (layout := _LAYOUTS.get(name)) is not None:
        layout(reader)
    return reader.spans, reader.offset


def _schedule_action(reader: _Reader) -> None:
    action = reader.byte()
    if action != _CREATE:
        reader.byte()
    if action in (_CREATE, _UPDATE):
        reader.unpack(_RECORD)
        reader.raw_string()
    elif action == _ENABLE:
        reader.byte()


_LAYOUTS: Mapping[str, Callable[[_Reader], object]] = {
    "aux_names": _aux_names,
    "pump_id": _pump_id,
    "schedules": lambda reader: (decode_schedules(reader.data), _schedules(reader)),
    "aux": lambda reader: reader.read_bytes(3),
    "schedule": _schedule_action,
    "cmd": _Reader.raw_string,
}


def _plausible(schedule: Schedule) -> bool:
    """Return whether a record is possible; the content of an unused one is ignored."""
    erased = schedule.slot == _ERASED_SLOT and schedule.start == schedule.end == _ERASED
    if schedule.slot == UNUSED_SLOT or erased:
        return True
    return schedule.used and schedule.weekdays < 1 << 7


def decode_json(payload: bytes) -> Answer:
    """Return the object of a JSON reply, unwrapped if it is in `{"d": …}`."""
    if (reply := parse_object(payload)) is None:
        raise ReplyError("the reply is not a JSON object")
    return object_of(reply, "d") if isinstance(reply.get("d"), dict) else reply
