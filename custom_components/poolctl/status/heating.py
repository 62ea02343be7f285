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
class HeatingFacts:
    """Recorded facts about a body of water."""

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
    return explain(HEATING_CAUSES, HeatingFacts(at, body, shown))


def _reached(facts: HeatingFacts) -> bool:
    now, target = facts.shown.water_temperature, facts.body.of(facts.state).target
    # Otherwise the reading is an older one, or of the other body's water.
    measured = facts.state.signals.chemistry_stable is not False
    return measured and now is not None and target is not None and now >= target


def _elsewhere(facts: HeatingFacts) -> bool:
    known = facts.state.spa_mode is not None
    return known and not circulates(facts.state, facts.body)


HEATING_CAUSES: Final[tuple[Cause[HeatingFacts], ...]] = (
    Cause("heat_off", lambda facts: may_heat(facts.state, facts.body) is False),
    Cause("heat_spa_off", lambda facts: facts.body is SPA and _elsewhere(facts)),
    Cause("heat_spa_on", _elsewhere),
    Cause(
        "heats",
        lambda facts: heats(facts.state, facts.body),
        values=lambda facts: facts.target,
    ),
    Cause(
        "heat_needs_pump",
        lambda facts: facts.state.pump_on is False,
        more=lambda facts: why_pump(facts.at),
    ),
    Cause(
        "heat_priming",
        lambda facts: (
            facts.state.pump_status in (PumpStatus.STARTING, PumpStatus.PRIMING)
        ),
    ),
    Cause("heat_no_flow", lambda facts: facts.state.signals.flow is False),
    Cause("heat_reached", _reached, values=lambda facts: facts.target),
    Cause(
        "heat_solar",
        lambda facts: (
            selected_sources(facts.state, facts.body) == (HeatSource.SOLAR,)
            and heats(facts.state, facts.body) is False
        ),
    ),
    Cause("unknown", lambda facts: True),
)
"""Causes in order: the first that applies is the explanation."""
