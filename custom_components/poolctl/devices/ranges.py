"""The good ranges of readings: one rule wherever readings are rated (chosen).

A range that a user entered counts. Otherwise, with equipment that doses to a target, it
lies around that target, and else it is the range that is usually recommended for pools.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ..client.bounds import Within
from ..client.pool import ACID, CHLORINATOR, CHLORINE, AnyDosing, Chemistry, PoolState


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A kind of probe reading with its good range."""

    key: str
    digits: int
    """Number of significant decimals."""
    unit: str
    """Unit of its limits, "" for none."""
    possible: Within
    """What a limit of it can be (chosen)."""
    usual: Within
    below: float
    """How far below the target a reading is still good; `above` likewise."""
    above: float
    dosing: tuple[AnyDosing, ...]
    """Kinds of dosing with a target for it; the first fitted one counts."""
    of: Callable[[Chemistry], float | None]

    def range(self, state: PoolState, own: Mapping[str, Within]) -> Within:
        """Return the good range for this pool, given its own ones by their keys."""
        if self.key in own:
            return own[self.key]
        for kind in self.dosing:
            target = kind.of(state).desired
            if target is not None and state.outputs.fitted(kind.fitted) is not False:
                return Within(
                    round(target - self.below, self.digits),
                    round(target + self.above, self.digits),
                )
        return self.usual


PH_READING: Final = Reading(
    key="ph",
    digits=1,
    unit="",
    possible=Within(0, 14),
    usual=Within(7.0, 7.8),
    below=0.4,
    above=0.4,
    dosing=(ACID,),
    of=lambda chemistry: chemistry.ph,
)
ORP_READING: Final = Reading(
    key="orp",
    digits=0,
    unit="mV",
    possible=Within(0, 1200),
    usual=Within(600, 850),
    below=100,
    above=150,
    dosing=(CHLORINATOR, CHLORINE),
    of=lambda chemistry: chemistry.orp,
)
"""Ranges and margins in mV."""
READINGS: Final = (PH_READING, ORP_READING)
