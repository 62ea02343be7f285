"""Why a body of water is heated or is not."""

from dataclasses import dataclass
from typing import Final

from ..client.pool.heating import (
    SPA,
    Body,
    circulates,
    heats,
    may_heat,
    selected_sources,
)
from ..client.pool.parts import Chemistry
from ..client.pool.state import PoolState, PumpStatus
from ..client.wire.equipment import HeatSource
from .output import why_pump
from .problem import Celsius
from .sentence import Cause, Explanation, Situation, explain


@dataclass(frozen=True)
class HeatingSituation:
    """What is known about a body of water."""

    at: Situation
    body: Body
    shown: Chemistry
    """The readings without their noise."""

    @property
    def state(self) -> PoolState:
        """State that the controller or the cloud reported."""
        return self.at.state

    @property
    def target(self) -> dict[str, Celsius]:
        """Target temperature for the sentence, empty if it is unknown."""
        target = self.body.of(self.state).target
        return {} if target is None else {"target": Celsius(target)}


def why_heating(at: Situation, body: Body, shown: Chemistry) -> Explanation:
    """Return why a body of water is heated or is not."""
    return explain(HEATING_CAUSES, HeatingSituation(at, body, shown))


def _reached(situation: HeatingSituation) -> bool:
    now, target = (
        situation.shown.water_temperature,
        situation.body.of(situation.state).target,
    )
    # Otherwise the reading is an older one, or of the other body's water.
    measured = situation.state.signals.chemistry_stable is not False
    return measured and now is not None and target is not None and now >= target


def _elsewhere(situation: HeatingSituation) -> bool:
    known = situation.state.spa_mode is not None
    return known and not circulates(situation.state, situation.body)


HEATING_CAUSES: Final[tuple[Cause[HeatingSituation], ...]] = (
    Cause(
        "heat_off", lambda situation: may_heat(situation.state, situation.body) is False
    ),
    Cause(
        "heat_spa_off",
        lambda situation: situation.body is SPA and _elsewhere(situation),
    ),
    Cause("heat_spa_on", _elsewhere),
    Cause(
        "heats",
        lambda situation: heats(situation.state, situation.body),
        values=lambda situation: situation.target,
    ),
    Cause(
        "heat_needs_pump",
        lambda situation: situation.state.pump_on is False,
        more=lambda situation: why_pump(situation.at),
    ),
    Cause(
        "heat_priming",
        lambda situation: (
            situation.state.pump_status in (PumpStatus.STARTING, PumpStatus.PRIMING)
        ),
    ),
    Cause("heat_no_flow", lambda situation: situation.state.signals.flow is False),
    Cause("heat_reached", _reached, values=lambda situation: situation.target),
    Cause(
        "heat_solar",
        lambda situation: (
            selected_sources(situation.state, situation.body) == (HeatSource.SOLAR,)
            and heats(situation.state, situation.body) is False
        ),
    ),
    Cause("unknown", lambda situation: True),
)
"""Causes in order: the first that applies is the explanation."""
