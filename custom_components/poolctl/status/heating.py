"""Why a body of water is heated or is not."""

from typing import Final

from ..client.pool.heating import (
    SPA,
    Body,
    circulates,
    heats,
    may_heat,
    selected_sources,
)
from ..client.pool.state import PumpStatus
from ..client.wire.equipment import HeatSource
from .output import why_pump
from .sentence import Celsius, Explanation, Row, Values, explain
from .situation import Situation


def why_heating(pool: Situation, body: Body) -> Explanation:
    """Return why a body of water is heated or is not, empty if it has no target."""
    has_target = body.of(pool.state).target is not None
    return explain(HEATING_CAUSES, pool, body) if has_target else ()


def _target(pool: Situation, body: Body) -> Values:
    return {"target": Celsius(body.of(pool.state).target or 0)}


def _reached(pool: Situation, body: Body) -> bool:
    now, target = pool.chemistry.water_temperature, body.of(pool.state).target
    # Otherwise the reading is an older one, or of the other body's water.
    measured = pool.state.signals.chemistry_stable is not False
    return measured and now is not None and target is not None and now >= target


def _elsewhere(pool: Situation, body: Body) -> bool:
    return pool.state.spa_mode is not None and not circulates(pool.state, body)


HEATING_CAUSES: Final[tuple[Row[Situation, Body], ...]] = (
    Row("heat_off", lambda pool, body: may_heat(pool.state, body) is False),
    Row("heat_spa_off", lambda pool, body: body is SPA and _elsewhere(pool, body)),
    Row("heat_spa_on", _elsewhere),
    Row("heats", lambda pool, body: heats(pool.state, body), _target),
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
    Row(
        "heat_solar",
        lambda pool, body: (
            selected_sources(pool.state, body) == (HeatSource.SOLAR,)
            and heats(pool.state, body) is False
        ),
    ),
    Row("unknown", lambda pool, body: True),
)
"""Causes in order: the first that applies is the explanation."""
