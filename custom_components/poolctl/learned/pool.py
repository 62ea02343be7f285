"""A pool as entities and problems see it: reported, chosen, learned."""

from typing import NamedTuple

from ..client.pool.choices import Choices, shown_chemistry
from ..client.pool.dosing import DoserKind
from ..client.pool.parts import Chemistry
from ..client.pool.state import PoolState
from .learned import Learned


class Pool(NamedTuple):
    """Everything there is to show of one pool at one moment."""

    state: PoolState
    """What the controller and the cloud reported."""
    choices: Choices
    """What the user chose."""
    learned: Learned

    @property
    def chemistry(self) -> Chemistry:
        """Probe readings as the user wants to see them, without their noise."""
        measured = self.learned.steady.of(self.state).chemistry
        return shown_chemistry(self.state, self.choices, measured)

    @property
    def ambient_temperature(self) -> float | None:
        """°C, without the noise of its probe."""
        return self.learned.steady.of(self.state).ambient_temperature


def needs_cleaning(pool: Pool) -> bool | None:
    """Return whether the load of the filter has reached its limit."""
    load = pool.learned.filter.known.load
    return None if load is None else load >= pool.choices.filter_limit


def filter_measurable(pool: Pool) -> bool | None:
    """Return whether this pool has ever reported what measures a filter, else `None`."""
    return pool.learned.filter.known.measurable or None


def filter_compared(pool: Pool) -> bool | None:
    """Return whether the filter was ever called clean, else `None`: it has no load yet."""
    return pool.learned.filter.known.cleaned_at is not None or None


def without_effect(pool: Pool, kind: DoserKind) -> bool | None:
    """Return whether doses do not move the reading that they should move."""
    return pool.learned.effects[kind].missing(pool.state)
