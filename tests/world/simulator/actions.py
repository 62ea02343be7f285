"""Actions, commands and queries of a controller, by name."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from . import settings, wire
from .dialects import MISSING, Dialect
from .equipment import LIGHT_SECONDS, LIGHTS, PUMP, Role
from .pool import Pool
from .pump import valid_speed
from .schedules import MINUTES_A_DAY, Schedule, reported
from .wire import Json

RELAY_DELAY: Final = 1.0  # seconds until a command moves a relay (protocol.md O3)


class DeclinedError(Exception):
    """The controller declines a request."""


def require(condition: bool, why: str) -> None:
    if not condition:
        raise DeclinedError(why)


# --- Actions (`op` = `a`) ---------------------------------------------------------
# Names for installers and service tooling, which are not published, are refused like all
# others that are not here (protocol.md 4.2 rule 10).


def _aux(pool: Pool, payload: bytes) -> None:
    slot, on, precedence = wire.decode_aux(payload)
    require(pool.can_switch(slot), f"slot {slot} is not switched by hand")
    if pool.slots[slot].role is Role.PUMP:
        declined = Dialect.PUMP_AUX_DECLINED in pool.dialects
        require(not declined, "the pump is not switched by `aux`")
    pool.switch(slot, on, hold=precedence)


def _cmd(pool: Pool, payload: bytes) -> None:
    name, body = wire.decode_cmd(payload)
    require(name in COMMANDS, f"no command {name}")
    try:
        if name == "v2_manual_set":
            manual_set(pool, body, clears=Dialect.PUMP_OFF_CLEARS in pool.dialects)
        else:
            COMMANDS[name](pool, body)
    except (TypeError, ValueError) as err:
        raise DeclinedError(str(err)) from err


def _schedule(pool: Pool, payload: bytes) -> None:
    require(len(payload) > 0 and payload[0] < len(_VERBS), "no such verb")
    _VERBS[payload[0]](pool, payload[1:])


def _accept(pool: Pool, payload: bytes) -> None:
    """Accept any payload: its layout is not documented (protocol.md O3)."""


ACTIONS: Final[dict[str, Callable[[Pool, bytes], None]]] = {
    "aux": _aux,
    "cmd": _cmd,
    "schedule": _schedule,
    "set_time": _accept,
    "evt_rewind": _accept,
}


def act(pool: Pool, name: str, payload: bytes) -> None:
    """Run an action; raise `DeclinedError` if it is not done."""
    require(name in ACTIONS, f"no action {name}")
    try:
        ACTIONS[name](pool, payload)
    except wire.WireError as err:
        raise DeclinedError(str(err)) from err
    pool.settle()


# --- Commands (action `cmd`) ------------------------------------------------------


def manual_set(pool: Pool, body: Json, *, clears: bool = False) -> None:
    """Do `v2_manual_set`: the relay follows a second later.

    With `clears`, off is not held against the schedules.
    """
    slot, on = int(body.get("aux_slot_num", 0)), bool(body.get("aux_switch_state"))
    require(pool.can_switch(slot), f"slot {slot} is not switched by hand")
    speed = int(body.get("pump_speed", 0))
    is_pump = pool.slots[slot].role is Role.PUMP
    if is_pump and speed:
        require(valid_speed(speed), f"no speed {speed}")

    def apply() -> None:
        if is_pump and speed:
            pool.set_speed(speed)
        pool.switch(slot, on, hold=on or not clears)

    pool.after(RELAY_DELAY, apply)


def _light(pool: Pool, body: Json) -> None:
    numbers = (body.get(name, 0) for name in ("slot", "light_type", "light_color"))
    slot, kind, color = map(int, numbers)
    lamp = 0 <= slot < len(pool.slots) and pool.slots[slot].role in LIGHTS
    require(lamp, f"no light on slot {slot}")
    seconds = LIGHT_SECONDS.get(kind, {}).get(color)
    if seconds is None:
        raise DeclinedError(f"no colour {color} of light type {kind}")
    pool.after(RELAY_DELAY, lambda: pool.show(slot, kind, color, seconds))


COMMANDS: Final[dict[str, Callable[[Pool, Json], None]]] = {
    "v2_manual_set": manual_set,
    "v2_temp_set": settings.write_temperature,
    "set_ph_settings": settings.write_ph,
    "set_chlorine_settings": settings.write_chlorine,
    "set_pool_light_switch_mode": _light,
}


# --- Schedules (action `schedule`, by verb) ---------------------------------------


def _checked(pool: Pool, record: Schedule) -> Schedule:
    fitted = record.slot < len(pool.slots) and pool.can_switch(record.slot)
    require(fitted, f"slot {record.slot} is not switched by schedules")
    require(max(record.start, record.end) <= MINUTES_A_DAY, "no such time")
    return record


def _only(data: bytes) -> Schedule:
    record, rest = wire.decode_record(data)
    require(not rest, "bytes after the record")
    return record


def _index(pool: Pool, data: bytes) -> int:
    require(len(data) > 0 and data[0] < len(pool.schedules), "no such schedule")
    require(pool.schedules[data[0]].used, "an unused schedule")
    return data[0]


def create_schedule(pool: Pool, record: Schedule) -> None:
    """Take the first unused record; a new schedule is enabled (chosen)."""
    _checked(pool, record)
    unused = [index for index, old in enumerate(pool.schedules) if not old.used]
    require(bool(unused), "all schedules are in use")
    pool.schedules[unused[0]] = replace(record, enabled=True)


def update_schedule(pool: Pool, index: int, record: Schedule) -> None:
    """Replace a record; whether it is enabled stays as it was."""
    record.enabled = pool.schedules[index].enabled
    pool.schedules[index] = _checked(pool, record)


def _delete(pool: Pool, data: bytes) -> None:
    pool.schedules[_index(pool, data)] = Schedule()


def _enable(pool: Pool, data: bytes) -> None:
    require(len(data) == 2 and data[1] <= 1, "not an index and a flag")
    pool.schedules[_index(pool, data)].enabled = bool(data[1])


_VERBS: Final[tuple[Callable[[Pool, bytes], None], ...]] = (
    lambda pool, data: create_schedule(pool, _only(data)),
    lambda pool, data: update_schedule(pool, _index(pool, data), _only(data[1:])),
    _delete,
    _enable,
)


# --- Queries (`op` = `q`, protocol.md O4) -------------------------------------------


def _temperature(pool: Pool) -> bytes:
    body = settings.read_temperature(pool)
    for dialect, missing in MISSING.items():
        if dialect in pool.dialects:
            body = _without(body, missing)
    return wire.encode_json(body, True)


def _without(body: Json, prefix: str) -> Json:
    """Return the body without keys that begin with `prefix`, inside of lists, too."""
    return {
        key: [_without(each, prefix) for each in value]
        if isinstance(value, list)
        else value
        for key, value in body.items()
        if not key.startswith(prefix)
    }


def _schedules(pool: Pool) -> bytes:
    more = b"\x07" if Dialect.LONGER_RECORDS in pool.dialects else b""
    return wire.encode_schedules(reported(pool.schedules, pool.dialects), more)


QUERIES: Final[dict[str, Callable[[Pool], bytes]]] = {
    "aux_names": lambda pool: wire.encode_names([slot.name for slot in pool.slots]),
    "pump_id": lambda pool: wire.encode_texts(pool.pump_identity),
    "schedules": _schedules,
    "get_ph_settings": lambda pool: wire.encode_json(settings.read_ph(pool), True),
    "get_chlorine_settings": lambda pool: wire.encode_json(
        settings.read_chlorine(pool)
    ),
    "v2_temp_get": _temperature,
    "get_pool_light_switch_mode": lambda pool: wire.encode_json(
        settings.read_lights(pool)
    ),
}
_LONGER: Final = {"aux_names": 1, "schedules": 4, "pump_id": 3}


def query(pool: Pool, name: str) -> bytes:
    require(name in QUERIES, f"no query {name}")
    longer = _LONGER.get(name, 0) if Dialect.LONGER_REPLIES in pool.dialects else 0
    return QUERIES[name](pool) + bytes(range(0xF0, 0xF0 + longer))


def pump_slot(pool: Pool) -> int:
    """Return the slot of the main pump; decline where there is none."""
    if (slot := pool.find(PUMP)) is None:
        raise DeclinedError("no pump")
    return slot
