"""The drums that the dosing empties: how much is left, and whether that is little.

Volumes are counted by the controller, not measured: they fall with every dose and rise
only with a refill. So there is nothing to flutter at a threshold, and no hysteresis.
"""

from typing import NamedTuple

from ..control.dosing import SettingsObject
from .state import PoolState

MIN_LOW_LEVEL, MAX_LOW_LEVEL = 1, 50
"""% of the drum that may be called little (chosen)."""


class Drum(NamedTuple):
    """One drum; all of it is unknown while its size is not set."""

    litres: float | None
    """Its size."""
    litres_left: float | None
    low_level: int | None
    """% below which it is nearly empty."""

    @property
    def low(self) -> bool | None:
        """Whether it is nearly empty."""
        if self.litres is None or self.litres_left is None or self.low_level is None:
            return None
        return self.litres_left * 100 <= self.litres * self.low_level


def drum(state: PoolState, of: SettingsObject) -> Drum:
    """Return the drum that a settings object is about."""
    size = getattr(state.configuration, of.drum_field)
    left = getattr(state.configuration, of.remaining_field)
    if not size:
        return Drum(None, None, None)
    return Drum(
        litres=size / 1000,
        litres_left=None if left is None else left / 1000,
        low_level=getattr(state, of.low_level_field),
    )
