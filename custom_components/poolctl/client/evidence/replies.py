"""What the replies to queries show of their form (layouts.md 4)."""

from collections.abc import Iterable
import itertools

from ..commands import (
    ACID_DRUM_KEYS,
    ACID_KEYS,
    CHLORINATOR_KEYS,
    CHLORINE_DRUM_KEYS,
    CHLORINE_KEYS,
    CHLORINE_SETTINGS,
    HEATING_QUERY,
    LIGHTS_QUERY,
    PH_SETTINGS,
    PROBE_CHANNELS,
    SELECTED,
    decode_json,
)
from ..exceptions import ReplyError
from ..json_values import Answer, list_of
from .ledger import Bet, Evidence, field_name, missing

_RECORD = 10
"""Bytes of a schedule before its name (layouts.md 4)."""
_STRINGS = {"aux_names": (None, 0), "pump_id": (3, 0), "schedules": (None, _RECORD)}
"""How many strings a reply has, `None` where its first byte tells, and the bytes before
each of them."""
_KEYS = {
    PH_SETTINGS.query: (
        ACID_KEYS.desired,
        ACID_KEYS.enabled,
        ACID_DRUM_KEYS.size,
        ACID_DRUM_KEYS.remaining,
        ACID_DRUM_KEYS.doses,
    ),
    CHLORINE_SETTINGS.query: (
        CHLORINATOR_KEYS.desired,
        CHLORINATOR_KEYS.enabled,
        CHLORINE_KEYS.desired,
        CHLORINE_KEYS.enabled,
        CHLORINE_DRUM_KEYS.size,
        CHLORINE_DRUM_KEYS.remaining,
        CHLORINE_DRUM_KEYS.doses,
    ),
    LIGHTS_QUERY: tuple(
        f"g_{group}_light_{what}"
        for group, what in itertools.product(("pool", "spa"), ("type_mode", "mode"))
    ),
}
_POOL = ("target_temp", *SELECTED.values())


def judge_reply(evidence: Evidence, name: str, payload: bytes) -> None:
    """Judge the reply to a query; those that nobody knows are left alone."""
    if name in _STRINGS:
        evidence.judge(Bet.REPLY_LENGTHS, *_odd_length(name, payload))
        return
    bet = Bet.HEATING_KEYS if name == HEATING_QUERY else Bet.REPLY_KEYS
    if name not in _KEYS and bet is Bet.REPLY_KEYS:
        return
    try:
        answer = decode_json(payload)
    except ReplyError:
        evidence.judge(bet, f"{name}: no JSON object")
        return
    lacks = (
        _heating(answer) if bet is Bet.HEATING_KEYS else missing(answer, _KEYS[name])
    )
    evidence.judge(bet, *(f"{name} {what}" for what in lacks))
    known = _KEYS.get(name, ("temperature", *PROBE_CHANNELS))
    more = sorted(field_name(key) for key in answer.keys() - set(known))
    evidence.note(bet, *(f"{name} has {key}" for key in more))


def _odd_length(name: str, payload: bytes) -> Iterable[str]:
    more = _after_strings(payload, *_STRINGS[name])
    if more < 0:
        return (f"{name} ends too early",)
    return (f"{name}: {more} more bytes",) if more else ()


def _after_strings(data: bytes, count: int | None, before: int) -> int:
    """Return how many bytes follow the last string, less than 0 where it is cut."""
    at = 0
    if count is None:
        count, at = (data[0] if data else 1), 1
    for _ in range(count):
        at += before
        if at >= len(data):
            return -1
        at += 1 + data[at]
    return len(data) - at


def _heating(answer: Answer) -> list[str]:
    """Return what `v2_temp_get` lacks of what `v2_temp_set` wants back."""
    entries = {str(e.get("category")): e for e in list_of(answer, "temperature")}
    return [
        *missing(answer, PROBE_CHANNELS),
        *missing(entries.get("pool", {}), _POOL),
        *(f"{what} of the spa" for what in missing(entries.get("spa", {}), _POOL[:1])),
    ]


def schedule_slots(payload: bytes) -> tuple[int, ...]:
    """Return the slot of each record in a reply to `schedules`, empty where it is cut."""
    slots: list[int] = []
    at = 1
    for _ in range(payload[0] if payload else 0):
        if at + _RECORD >= len(payload):
            return ()
        slots.append(payload[at + 1])
        at += _RECORD + 1 + payload[at + _RECORD]
    return tuple(slots)
