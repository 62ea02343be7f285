"""Why a doser doses or does not."""

from dataclasses import dataclass
from typing import Final

from ..client.pool.dosing import ACID, AnyDosing, DoserKind
from ..client.pool.parts import Chemistry, Doser
from ..client.pool.state import PoolState
from ..learned.totals import chlorinates
from .output import why_pump
from .problem import Value
from .sentence import Cause, Explanation, Situation, explain


@dataclass(frozen=True)
class DosingFacts:
    """Recorded facts about a doser or a chlorinator."""

    at: Situation
    kind: AnyDosing
    shown: Chemistry
    """The readings without their noise."""

    @property
    def state(self) -> PoolState:
        """State that the controller or the cloud reported."""
        return self.at.state

    @property
    def doses(self) -> bool | None:
        """Whether it doses now."""
        if isinstance(self.kind, DoserKind):
            return self.kind.doses_now(self.state.signals)
        return chlorinates(self.state)

    @property
    def doser(self) -> Doser | None:
        """Its drum and its number of doses, `None` for a chlorinator."""
        return self.kind.of(self.state) if isinstance(self.kind, DoserKind) else None

    @property
    def target(self) -> dict[str, Value]:
        """Target of the reading for the sentence, empty if it is unknown."""
        desired = self.kind.of(self.state).desired
        if desired is None:
            return {}
        return {"target": float(desired) if self.kind is ACID else round(desired)}


def why_dosing(at: Situation, kind: AnyDosing, shown: Chemistry) -> Explanation:
    """Return why a doser doses or does not."""
    return explain(DOSING_CAUSES, DosingFacts(at, kind, shown))


def _reached(facts: DosingFacts) -> bool:
    desired = facts.kind.of(facts.state).desired
    reading = facts.shown.ph if facts.kind is ACID else facts.shown.orp
    if desired is None or reading is None:
        return False
    return reading <= desired if facts.kind is ACID else reading >= desired


DOSING_CAUSES: Final[tuple[Cause[DosingFacts], ...]] = (
    Cause(
        "dose_pause_over",
        lambda facts: (
            facts.kind.of(facts.state).enabled is not True
            and (end := facts.at.pauses.get(facts.kind.key)) is not None
            and end <= facts.at.here
        ),
    ),
    Cause(
        "dose_paused",
        lambda facts: (
            facts.kind.of(facts.state).enabled is not True
            and facts.kind.key in facts.at.pauses
        ),
        values=lambda facts: {"time": facts.at.pauses[facts.kind.key]},
    ),
    Cause("dose_off", lambda facts: facts.kind.of(facts.state).enabled is False),
    Cause("doses", lambda facts: facts.doses),
    Cause(
        "dose_limit",
        lambda facts: (
            facts.doser and facts.doser.limit_reached(facts.at.now - facts.at.ahead)
        ),
    ),
    Cause("dose_empty", lambda facts: facts.doser and facts.doser.empty),
    Cause(
        "dose_needs_pump",
        lambda facts: facts.state.pump_on is False,
        more=lambda facts: why_pump(facts.at),
    ),
    Cause("dose_unstable", lambda facts: facts.state.signals.chemistry_stable is False),
    Cause(
        "dose_ph_reached",
        lambda facts: facts.kind is ACID and _reached(facts),
        values=lambda facts: facts.target,
    ),
    Cause("dose_orp_reached", _reached, values=lambda facts: facts.target),
    Cause(
        "dose_waits",
        lambda facts: facts.doses is False and facts.kind.of(facts.state).enabled,
    ),
    Cause("unknown", lambda facts: True),
)
"""Causes in order: the first that applies is the explanation."""
