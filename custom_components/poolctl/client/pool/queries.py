"""Queries: data that only a signed LAN query returns, and when it is sent.

Replies are observed, not published (protocol.md O4). At most six queries are sent every
five minutes: with more than 72 signed queries an hour, our counter would run so far
ahead that it affects the controller's other clients (protocol.md O1).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
import operator
from typing import Any, Final

from ..wire.commands import (
    CHLORINE_SETTINGS,
    HEATING_QUERY,
    LIGHTS_QUERY,
    PH_SETTINGS,
    decode_aux_names,
    decode_json,
    decode_pump_id,
    decode_schedules,
)
from ..wire.equipment import CHLORINATORS, LIGHTS, LIQUID_CHLORINE, PH_DOSERS
from ..wire.schedule import Schedule
from .dosing import (
    ACID,
    CHLORINE,
    DoserKind,
    framed_settings,
    merge_settings,
    same_settings,
)
from .heating import decode_heating, framed_heating, heating_agrees
from .lights import merge_lights
from .schedule_rules import merge_schedules
from .state import PoolState

QUERY_INTERVAL = 300.0
"""Seconds between two queries of a kind."""
IDENTITY_INTERVAL = 3600.0
"""Seconds between two pump queries once the pump is identified: it rarely changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query, and what its replies have to do with the state."""

    name: str
    decode: Callable[[bytes], Any]
    """Returns the reply, or raises ReplyError."""
    merge: Callable[[PoolState, Any, datetime], PoolState] = lambda state, *_: state
    """Adds a decoded reply to the current state."""
    agrees: Callable[[PoolState, Any], bool]
    """Whether the first reply of a run is what the frames and earlier runs reported."""
    framed: Callable[[PoolState], Mapping[str, object]] = lambda state: {}
    """Settings that frames report, too, by their keys in a reply."""
    alike: Callable[[Any, Any], bool] = operator.eq
    """Whether two replies report the same, apart from what is counted."""
    fitted: frozenset[int] | None = None
    """Aux types; the query is sent only if one of them is wired."""
    news_in: Callable[[PoolState, PoolState], float | None] = lambda before, after: None
    """Seconds after a change of state at which it is sent early, `None` if it is not."""
    interval: Callable[[PoolState], float] = lambda state: QUERY_INTERVAL
    """Seconds until the query is sent again."""


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


def _used(records: tuple[Schedule, ...]) -> Mapping[int, Schedule]:
    return {index: one for index, one in enumerate(records) if one.used}


def _schedules_agree(state: PoolState, records: tuple[Schedule, ...]) -> bool:
    """Return whether schedules are the known ones, or armed as the newest frame has them.

    Without a frame, none at all surprises.
    """
    known, used = state.schedules, merge_schedules(state, records).schedules.used
    if known.records is not None:
        return used == known.used
    enabled = {index for index, one in used.items() if one.enabled}
    return bool(used) if known.armed is None else {*known.armed} == enabled


NAMES = Query(
    name="aux_names",
    decode=decode_aux_names,
    merge=lambda state, names, now: replace(
        state, outputs=replace(state.outputs, names=names)
    ),
    agrees=lambda state, names: state.outputs.names in ((), names),
)
SCHEDULES = Query(
    name="schedules",
    decode=decode_schedules,
    merge=lambda state, records, now: merge_schedules(state, records),
    agrees=_schedules_agree,
    alike=lambda one, other: _used(one) == _used(other),
    news_in=lambda before, after: (
        None if before.schedules.armed == after.schedules.armed else 0.0
    ),
)
SETTINGS_QUERIES: Final = {
    of.card: Query(
        name=of.query,
        decode=decode_json,
        merge=partial(merge_settings, of),
        # Nothing else reports all of it.
        agrees=lambda state, reply: False,
        framed=partial(framed_settings, of),
        alike=same_settings,
        fitted=fitted,
        news_in=_dose(kind),
    )
    for of, kind, fitted in (
        (PH_SETTINGS, ACID, PH_DOSERS),
        (CHLORINE_SETTINGS, CHLORINE, CHLORINATORS | LIQUID_CHLORINE),
    )
}
"""Queries of settings objects by their key in the cloud's `chemistryCard`."""
HEATING: Final = Query(
    name=HEATING_QUERY,
    decode=decode_heating,
    agrees=heating_agrees,
    framed=framed_heating,
)
"""Sent only before a write: the frames report its values."""

QUERIES = (
    NAMES,  # first, as entities need them
    Query(
        name="pump_id",
        decode=decode_pump_id,
        merge=lambda state, pump, now: replace(state, pump=pump),
        agrees=lambda state, pump: state.pump in (None, pump),
        interval=lambda state: (
            QUERY_INTERVAL if state.variable_speed is None else IDENTITY_INTERVAL
        ),
    ),
    SCHEDULES,
    *SETTINGS_QUERIES.values(),
    Query(
        name=LIGHTS_QUERY,
        decode=decode_json,
        merge=lambda state, reply, now: merge_lights(state, reply),
        agrees=lambda state, reply: (
            (state.pool_lights, state.spa_lights) == (None, None)
            or merge_lights(state, reply) == state
        ),
        fitted=LIGHTS,
    ),
)
BY_NAME: Final = {query.name: query for query in (*QUERIES, HEATING)}
