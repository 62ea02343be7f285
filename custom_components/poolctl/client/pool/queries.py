"""Slow data: what only a signed query tells, asked for now and then (design.md 3).

Replies are observed, not published (layouts.md 4). At most six queries every five
minutes: signed more often than 72 times an hour, our counter would be felt by the
other clients of the controller (layouts.md 1).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..commands import decode_aux_names, decode_json, decode_pump_id, decode_schedules
from ..control.dosing import (
    CHLORINE,
    PH,
    SettingsObject,
    merge_chlorine_settings,
    merge_ph_settings,
)
from ..control.lights import merge_lights
from ..equipment import CHLORINATORS, LIGHTS, LIQUID_CHLORINE, PH_DOSERS
from .schedule_rules import merge_schedules
from .state import PoolState

DETAILS_INTERVAL = 300.0
"""s between two questions."""
IDENTITY_INTERVAL = 3600.0
"""s between two questions for a pump that is identified: it stays what it is."""

type _Merge = Callable[[PoolState, bytes], PoolState]


@dataclass(frozen=True, slots=True)
class Detail:
    """A query, and what its reply adds to the state; raises ReplyError."""

    query: str
    merge: _Merge
    fitted: frozenset[int] | None = None
    """Aux types one of which must be wired for the question to make sense."""
    news_in: Callable[[PoolState, PoolState], float | None] = lambda before, after: None
    """In how many seconds there will be news, by what changed; `None`: not earlier."""
    interval: Callable[[PoolState], float] = lambda state: DETAILS_INTERVAL
    """Seconds until it is asked again."""


def _field(name: str, decode: Callable[[bytes], Any]) -> _Merge:
    return lambda state, reply: replace(state, **{name: decode(reply)})


def _json(merge: Callable[[PoolState, Mapping[str, Any]], PoolState]) -> _Merge:
    return lambda state, reply: merge(state, decode_json(reply))


_LESS_THAN_A_POLL = 10.0
"""s: a dose that goes on puts its query off with every poll."""


def _dose(
    flag: str, of: SettingsObject
) -> Callable[[PoolState, PoolState], float | None]:
    """See the end of a dose, by which the controller counts it.

    Its flag goes off, or stays on for the chlorinator that runs, too: then the drum is
    no longer emptied. Of a dose shorter than a poll only the drum tells.
    """

    def news_in(before: PoolState, after: PoolState) -> float | None:
        left = getattr(before.configuration, of.remaining_field)
        now_left = getattr(after.configuration, of.remaining_field)
        fell = left is not None and now_left is not None and now_left < left
        if getattr(before.readings, flag) and getattr(after.readings, flag) is False:
            return 0.0
        return _LESS_THAN_A_POLL if fell else None

    return news_in


NAMES = Detail("aux_names", _field("names", decode_aux_names))

SCHEDULES = Detail(
    "schedules",
    lambda state, reply: merge_schedules(state, decode_schedules(reply)),
    news_in=lambda before, after: (
        0.0
        if before.configuration.schedules_enabled
        != after.configuration.schedules_enabled
        else None
    ),
)

DETAILS = (
    NAMES,  # first: entities need them
    Detail(
        "pump_id",
        _field("pump", decode_pump_id),
        interval=lambda state: (
            DETAILS_INTERVAL if state.variable_speed is None else IDENTITY_INTERVAL
        ),
    ),
    SCHEDULES,
    Detail(
        PH.query,
        _json(merge_ph_settings),
        PH_DOSERS,
        _dose("ph_dosing", PH),
    ),
    Detail(
        CHLORINE.query,
        _json(merge_chlorine_settings),
        CHLORINATORS | LIQUID_CHLORINE,
        _dose("chlorine_dosing", CHLORINE),
    ),
    Detail("get_pool_light_switch_mode", _json(merge_lights), LIGHTS),
)
