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
class DosingSituation:
    """What is known about a doser or a chlorinator."""

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
    return explain(DOSING_CAUSES, DosingSituation(at, kind, shown))


def _reached(situation: DosingSituation) -> bool:
    desired = situation.kind.of(situation.state).desired
    reading = situation.shown.ph if situation.kind is ACID else situation.shown.orp
    if desired is None or reading is None:
        return False
    return reading <= desired if situation.kind is ACID else reading >= desired


DOSING_CAUSES: Final[tuple[Cause[DosingSituation], ...]] = (
    Cause(
        "dose_pause_over",
        lambda situation: (
            situation.kind.of(situation.state).enabled is not True
            and (end := situation.at.pauses.get(situation.kind.key)) is not None
            and end <= situation.at.here
        ),
    ),
    Cause(
        "dose_paused",
        lambda situation: (
            situation.kind.of(situation.state).enabled is not True
            and situation.kind.key in situation.at.pauses
        ),
        values=lambda situation: {"time": situation.at.pauses[situation.kind.key]},
    ),
    Cause(
        "dose_off",
        lambda situation: situation.kind.of(situation.state).enabled is False,
    ),
    Cause("doses", lambda situation: situation.doses),
    Cause(
        "dose_limit",
        lambda situation: (
            situation.doser
            and situation.doser.limit_reached(situation.at.now - situation.at.ahead)
        ),
    ),
    Cause("dose_empty", lambda situation: situation.doser and situation.doser.empty),
    Cause(
        "dose_needs_pump",
        lambda situation: situation.state.pump_on is False,
        more=lambda situation: why_pump(situation.at),
    ),
    Cause(
        "dose_unstable",
        lambda situation: situation.state.signals.chemistry_stable is False,
    ),
    Cause(
        "dose_ph_reached",
        lambda situation: situation.kind is ACID and _reached(situation),
        values=lambda situation: situation.target,
    ),
    Cause("dose_orp_reached", _reached, values=lambda situation: situation.target),
    Cause(
        "dose_waits",
        lambda situation: (
            situation.doses is False and situation.kind.of(situation.state).enabled
        ),
    ),
    Cause("unknown", lambda situation: True),
)
"""Causes in order: the first that applies is the explanation."""
