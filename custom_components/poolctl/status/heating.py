"""Why a body of water is heated or is not, and whether it will be warm in time."""

from datetime import datetime, timedelta
from typing import Final

from ..client.pool import (
    SPA,
    Body,
    HeatSource,
    PumpStatus,
    Source,
    circulates,
    heats,
    may_heat,
    selected_sources,
    temperature,
)
from ..warm_by.blocks import Block
from ..warm_by.outlook import Outlook
from .output import why_pump
from .rows import Celsius, Explanation, Row, Sentence, Values, explain, rounded
from .situation import Situation

_STEP: Final = timedelta(minutes=5)
"""Step to which times are rounded: a forecast is not more exact."""

_HYSTERESIS: Final = 2.0
"""Degrees below the target within which a thermostat waits for cooler water (chosen: no
controller reports its own)."""


def why_heating(pool: Situation, body: Body) -> Explanation:
    """Return why a body of water is heated or is not, empty if it has no target."""
    has_target = body.target(pool.state) is not None
    return explain(HEATING_CAUSES, pool, body) if has_target else ()


def _target(pool: Situation, body: Body) -> Values:
    return {"target": Celsius(body.target(pool.state) or 0)}


def _reached(pool: Situation, body: Body) -> bool:
    now, target = pool.chemistry.water_temperature, body.target(pool.state)
    # Otherwise the reading is an older one, or of the other body's water.
    measured = pool.state.signals.chemistry_stable is not False
    return measured and now is not None and target is not None and now >= target


def _elsewhere(pool: Situation, body: Body) -> bool:
    return pool.state.spa_mode is not None and not circulates(pool.state, body)


def _rests(pool: Situation, body: Body) -> bool:
    """Return whether the water is so near its target that a thermostat waits."""
    now, target = pool.chemistry.water_temperature, body.target(pool.state)
    if now is None or target is None or heats(pool.state, body) is not False:
        return False
    return target - _HYSTERESIS <= now < target


def _cheapest(pool: Situation, body: Body) -> Block | None:
    """Return the present or the next of the blocks that cost least."""
    outlook = pool.warm_by.get(body)
    return outlook.cheapest_now if outlook else None


def _cheaper(pool: Situation, body: Body) -> datetime | None:
    """Return from when hours that cost less are waited for, `None` if they are not."""
    block = _cheapest(pool, body)
    waits = block and block.start > pool.now and not heats(pool.state, body)
    return block.start if block and waits else None


def _until(pool: Situation, body: Body) -> Explanation:
    """Return until when it heats, if somebody or a plan has said that."""
    if (until := pool.heat_held.get(body)) is not None:
        return (Sentence("heat_held", {"time": until}),)
    block = _cheapest(pool, body)
    now = block and block.start <= pool.now
    return (Sentence("heat_block", {"time": block.end}),) if block and now else ()


HEATING_CAUSES: Final[tuple[Row[Situation, Body], ...]] = (
    Row(
        "heat_cheaper",
        _cheaper,
        lambda pool, body: {"time": _cheaper(pool, body) or pool.now},
    ),
    Row("heat_off", lambda pool, body: may_heat(pool.state, body) is False),
    Row("heat_spa_off", lambda pool, body: body is SPA and _elsewhere(pool, body)),
    Row("heat_spa_on", _elsewhere),
    Row("heats", lambda pool, body: heats(pool.state, body), _target, _until),
    Row(
        "heat_needs_pump",
        lambda pool, body: pool.state.pump_on is False,
        more=lambda pool, body: why_pump(pool),
    ),
    Row(
        "heat_priming",
        lambda pool, body: (
            pool.state.pump_status in (PumpStatus.STARTING, PumpStatus.PRIMING)
        ),
    ),
    Row("heat_no_flow", lambda pool, body: pool.state.signals.flow is False),
    Row("heat_reached", _reached, _target),
    Row("heat_unread", lambda pool, body: temperature(pool.state, body) is None),
    Row("heat_waits", _rests, _target),
    Row(
        "heat_solar",
        lambda pool, body: (
            selected_sources(pool.state, body) == (HeatSource.SOLAR,)
            and heats(pool.state, body) is False
        ),
    ),
    Row("heat_cloud", lambda pool, body: pool.state.source is Source.CLOUD),
    Row("heat_not_started", lambda pool, body: heats(pool.state, body) is False),
    Row("unknown", lambda pool, body: True),
)
"""The first that applies is the explanation."""


def why_warm_by(outlook: Outlook | None) -> Explanation:
    """Return the forecast for a request, empty if the target is unknown."""
    return explain(WARM_BY_CAUSES, outlook) if outlook else ()


def late(outlook: Outlook) -> Values:
    """Return when the water is wanted, its target, and how warm it will be then."""
    return {
        "time": outlook.by,
        "target": Celsius(outlook.target),
        "expected": Celsius(outlook.expected or 0.0),
    }


def _also_late(outlook: Outlook) -> Explanation:
    values = late(outlook)
    return (Sentence("warm_by_late", values),) if outlook.late else ()


def _heats(outlook: Outlook) -> Values:
    target = Celsius(outlook.target)
    if outlook.warm_at is None:
        return {"target": target}
    return {"target": target, "time": rounded(outlook.warm_at, _STEP)}


def _blocks(outlook: Outlook) -> Explanation:
    """Return when the water is heated, and from when prices are not known."""
    blocks, wish = outlook.heating, outlook.request.wish
    found = [Sentence("warm_by_block", {"time": a, "end": b}) for a, b in blocks]
    ends = wish.prices[-1].end if wish else outlook.by
    if ends < outlook.by:
        found.append(Sentence("warm_by_unpriced", {"time": ends}))
    return tuple(found)


def _without_prices(outlook: Outlook) -> Explanation:
    """Return why the prices that a user gave do not count, empty without any."""
    if (wish := outlook.request.wish) is None:
        return ()
    if not wish.prices:
        return (Sentence("warm_by_no_prices"),)
    return () if outlook.task else (Sentence("warm_by_no_rate"),)


WARM_BY_CAUSES: Final[tuple[Row[Outlook], ...]] = (
    Row(
        "warm_by_blocked",
        lambda outlook: outlook.blocked and outlook.plan.due,
        more=_also_late,
    ),
    # *Status* has the same sentence, for as long.
    Row("warm_by_late", lambda outlook: outlook.late, late),
    Row("warm_by_reads", lambda outlook: outlook.reads),
    Row(
        "warm_by_heats",
        lambda outlook: outlook.running and not outlook.begun and outlook.warm_at,
        _heats,
    ),
    Row(
        "warm_by_planned",
        lambda outlook: outlook.cheapest_now,
        lambda outlook: {"target": Celsius(outlook.target), "time": outlook.by},
        _blocks,
    ),
    Row(
        "warm_by_waits",
        lambda outlook: not outlook.begun,
        lambda outlook: {"time": rounded(outlook.plan.begins, _STEP)},
        _without_prices,
    ),
    Row(
        "warm_by_warm",
        lambda outlook: outlook.warm,
        lambda outlook: {"time": outlook.request.until},
    ),
    Row("warm_by_heats", lambda outlook: outlook.warm_at, _heats),
    Row("warm_by_begun", lambda outlook: True),
)
"""The first that applies is the forecast."""
