"""Queries: what only a signed query of the LAN tells, and when it is worth asking.

Replies are observed, not published (layouts.md 4). At most six queries go out every five
minutes: with more than 72 signed queries an hour, our counter would run so far ahead
that the controller's other clients felt it (layouts.md 1).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from ..commands import (
    CHLORINE_SETTINGS,
    LIGHTS_QUERY,
    PH_SETTINGS,
    decode_aux_names,
    decode_json,
    decode_pump_id,
    decode_schedules,
)
from ..equipment import CHLORINATORS, LIGHTS, LIQUID_CHLORINE, PH_DOSERS
from ..json_values import Answer
from .dosing import ACID, CHLORINE, DoserKind, merge_settings
from .lights import merge_lights
from .schedule_rules import merge_schedules
from .state import PoolState

QUERY_INTERVAL = 300.0
"""s between two questions."""
IDENTITY_INTERVAL = 3600.0
"""s between two questions for a pump that is identified: it stays what it is."""

type _Merge = Callable[[PoolState, bytes, datetime], PoolState]


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and what its reply adds to the state now; `merge` raises ReplyError."""

    name: str
    merge: _Merge
    fitted: frozenset[int] | None = None
    """Aux types one of which must be wired for the question to make sense."""
    news_in: Callable[[PoolState, PoolState], float | None] = lambda before, after: None
    """In how many seconds there will be news, by what changed; `None`: not earlier."""
    interval: Callable[[PoolState], float] = lambda state: QUERY_INTERVAL
    """Seconds until it is asked again."""


def _merge_names(state: PoolState, reply: bytes, now: datetime) -> PoolState:
    names = decode_aux_names(reply)
    return replace(state, outputs=replace(state.outputs, names=names))


def _json(merge: Callable[[PoolState, Answer, datetime], PoolState]) -> _Merge:
    return lambda state, reply, now: merge(state, decode_json(reply), now)


_LESS_THAN_A_POLL = 10.0
"""s: a dose that goes on puts its query off with every poll."""


def _dose(kind: DoserKind) -> Callable[[PoolState, PoolState], float | None]:
    """See the end of a dose, by which the controller counts it.

    The flag of the doser goes off; where a chlorinator shares it and runs on, the drum
    is no longer emptied. Only the drum reveals a dose that is shorter than a poll.
    """

    def news_in(previous: PoolState, after: PoolState) -> float | None:
        left = kind.of(previous).remaining_ml
        now_left = kind.of(after).remaining_ml
        fell = left is not None and now_left is not None and now_left < left
        if kind.doses_now(previous.signals) and kind.doses_now(after.signals) is False:
            return 0.0
        return _LESS_THAN_A_POLL if fell else None

    return news_in


def _armed_others(previous: PoolState, after: PoolState) -> float | None:
    """See that other schedules are armed than before."""
    return 0.0 if previous.schedules.armed != after.schedules.armed else None


NAMES = Query("aux_names", _merge_names)
SCHEDULES = Query(
    "schedules",
    lambda state, reply, now: merge_schedules(state, decode_schedules(reply)),
    news_in=_armed_others,
)

QUERIES = (
    NAMES,  # first: entities need them
    Query(
        "pump_id",
        lambda state, reply, now: replace(state, pump=decode_pump_id(reply)),
        interval=lambda state: (
            QUERY_INTERVAL if state.variable_speed is None else IDENTITY_INTERVAL
        ),
    ),
    SCHEDULES,
    Query(
        PH_SETTINGS.query,
        _json(partial(merge_settings, PH_SETTINGS)),
        PH_DOSERS,
        _dose(ACID),
    ),
    Query(
        CHLORINE_SETTINGS.query,
        _json(partial(merge_settings, CHLORINE_SETTINGS)),
        CHLORINATORS | LIQUID_CHLORINE,
        _dose(CHLORINE),
    ),
    Query(
        LIGHTS_QUERY,
        _json(lambda state, reply, now: merge_lights(state, reply)),
        LIGHTS,
    ),
)
