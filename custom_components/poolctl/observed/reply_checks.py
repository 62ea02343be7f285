"""Checks of the form of replies to queries (layouts.md 4)."""

import itertools

from ..client.commands import (
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
    bytes_after,
    decode_json,
)
from ..client.exceptions import ReplyError
from ..client.json_values import Answer, list_of
from .evidence import Assumption, Evidence, field_name, missing

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


def check_reply(evidence: Evidence, name: str, payload: bytes) -> None:
    """Check the reply to a query; undocumented replies are ignored."""
    try:
        more = bytes_after(name, payload)
    except ReplyError:
        evidence.check(Assumption.REPLY_LENGTHS, f"{name} ends too early")
        return
    if more is not None:
        instead = [f"{name}: {more} more bytes"] * bool(more)
        evidence.check(Assumption.REPLY_LENGTHS, *instead)
    elif name in (HEATING_QUERY, *_KEYS):
        _check_keys(evidence, name, payload)


def _check_keys(evidence: Evidence, name: str, payload: bytes) -> None:
    heating = name == HEATING_QUERY
    assumption = Assumption.HEATING_KEYS if heating else Assumption.REPLY_KEYS
    try:
        answer = decode_json(payload)
    except ReplyError:
        evidence.check(assumption, f"{name}: no JSON object")
        return
    lacks = _heating(answer) if heating else missing(answer, _KEYS[name])
    evidence.check(assumption, *(f"{name} {what}" for what in lacks))
    keys = _KEYS.get(name, ("temperature", *PROBE_CHANNELS))
    more = sorted(field_name(key) for key in answer.keys() - set(keys))
    evidence.note(assumption, *(f"{name} has {key}" for key in more))


def _heating(answer: Answer) -> list[str]:
    """Return the keys that `v2_temp_set` needs and the reply to `v2_temp_get` lacks."""
    entries = {str(e.get("category")): e for e in list_of(answer, "temperature")}
    return [
        *missing(answer, PROBE_CHANNELS),
        *missing(entries.get("pool", {}), _POOL),
        *(f"{what} of the spa" for what in missing(entries.get("spa", {}), _POOL[:1])),
    ]
