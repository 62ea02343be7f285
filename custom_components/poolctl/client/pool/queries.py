"""Queries: data that only a signed LAN query returns, and when it is sent.

Replies are observed, not published (protocol.md O4). At most six queries are sent every
five minutes: with more than 72 signed queries an hour, our counter would run so far
ahead that it affects the controller's other clients (protocol.md O1).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from ..wire.commands import (
    CHLORINE_SETTINGS,
    LIGHTS_QUERY,
    PH_SETTINGS,
    decode_aux_names,
    decode_json,
    decode_pump_id,
    decode_schedules,
)
from ..wire.equipment import CHLORINATORS, LIGHTS, LIQUID_CHLORINE, PH_DOSERS
from ..wire.json_values import Answer
from .dosing import ACID, CHLORINE, DoserKind, merge_settings
from .lights import merge_lights
from .schedule_rules import merge_schedules
from .state import PoolState

QUERY_INTERVAL = 300.0
"""Seconds between two queries of a kind."""
IDENTITY_INTERVAL = 3600.0
"""Seconds between two pump queries once the pump is identified: it rarely changes."""

type _Merge = Callable[[PoolState, bytes, datetime], PoolState]


@dataclass(frozen=True, slots=True)
class Query:
    """A query; `merge` adds its reply to the current state or raises ReplyError."""

    name: str
    merge: _Merge
    fitted: frozenset[int] | None = None
    """Aux types; the query is sent only if one of them is wired."""
    news_in: Callable[[PoolState, PoolState], float | None] = lambda before, after: None
    """Seconds after a change of state at which it is sent early, `None` if it is not."""
    interval: Callable[[PoolState], float] = lambda state: QUERY_INTERVAL
    """Seconds until the query is sent again."""


def _json(merge: Callable[[PoolState, Answer, datetime], PoolState]) -> _Merge:
    return lambda state, reply, now: merge(state, decode_json(reply), now)


_LESS_THAN_A_POLL = 10.0
"""Delay in seconds; while a dose lasts, every poll postpones its query by it."""


def _dose(kind: DoserKind) -> Callable[[PoolState, PoolState], float | None]:
    """Return when to ask for the count of doses: at the end of a dose.

    At the end, the doser's flag is cleared; if a running chlorinator shares the flag,
    the drum's level stops falling. Only the level shows a dose shorter than a poll.
    """

    def news_in(previous: PoolState, after: PoolState) -> float | None:
        left = kind.of(previous).remaining_ml
        now_left = kind.of(after).remaining_ml
        fell = left is not None and now_left is not None and now_left < left
        if kind.doses_now(previous.signals) and kind.doses_now(after.signals) is False:
            return 0.0
        return _LESS_THAN_A_POLL if fell else None

    return news_in


NAMES = Query(
    "aux_names",
    lambda state, reply, now: replace(
        state, outputs=replace(state.outputs, names=decode_aux_names(reply))
    ),
)
SCHEDULES = Query(
    "schedules",
    lambda state, reply, now: merge_schedules(state, decode_schedules(reply)),
    news_in=lambda before, after: (
        None if before.schedules.armed == after.schedules.armed else 0.0
    ),
)

QUERIES = (
    NAMES,  # first, as entities need them
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
