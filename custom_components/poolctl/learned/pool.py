"""The reported, chosen and learned values that entities and problems use."""

from dataclasses import dataclass
from functools import cached_property

from ..client.pool.choices import Choices, shown_chemistry
from ..client.pool.parts import Chemistry
from ..client.pool.state import PoolState
from .learned import Learned


@dataclass(frozen=True)
class Pool:
    """All values of one pool that can be shown at one moment."""

    state: PoolState
    """State reported by the controller and the cloud."""
    choices: Choices
    """The user's choices."""
    learned: Learned

    @cached_property
    def shown(self) -> PoolState:
        """The state, without the noise of its probes."""
        return self.learned.steady.shown(self.state)

    @property
    def chemistry(self) -> Chemistry:
        """Probe readings according to the user's choice, without their noise."""
        measured = self.shown.measured_chemistry
        return shown_chemistry(self.state, self.choices, measured)

    @property
    def ambient_temperature(self) -> float | None:
        """Ambient temperature in °C, without the noise of its probe."""
        return self.shown.readings.ambient_temperature


def needs_cleaning(pool: Pool) -> bool | None:
    """Return whether the load of the filter has reached its limit."""
    load = pool.learned.filter.load
    return None if load is None else load >= pool.choices.filter_limit


def filter_compared(pool: Pool) -> bool | None:
    """Return whether the filter was ever reported clean, else `None`: no load yet."""
    return pool.learned.filter.cleaned_at is not None or None
