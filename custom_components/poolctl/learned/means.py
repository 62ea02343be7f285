"""Means: of a steady period, for one measurement, and of measurements over time."""

from typing import Final

from ..client.wire.equipment import SOLAR_BY_FILTER_PUMP
from .read import Read

STEADY: Final = 300.0
"""Seconds of one measurement (chosen)."""
WEIGHT: Final = 0.3
"""Weight of the newest measurement in a weighted mean (chosen)."""


def weighted_mean(previous: float | None, newest: float) -> float:
    """Return the mean after another measurement: newer ones have more weight."""
    return newest if previous is None else previous + WEIGHT * (newest - previous)


def through_filter_alone(read: Read) -> bool:
    """Return whether the primed pump sends the water through its usual path.

    The spa, and a solar roof on the filter pump, have another resistance.
    """
    state = read.state
    by_roof = state.signals.solar and state.outputs.fitted(SOLAR_BY_FILTER_PUMP)
    return not (state.spa_mode or by_roof or state.signals.pump_priming)


class SteadyMean:
    """Means of values, weighted by time, while the pump runs evenly."""

    def __init__(self, change: float = 0.0, share: float = 0.0) -> None:
        self._change, self._share = change, share
        self._first: float | None = None
        self._seconds = 0.0
        self._sums: tuple[float, ...] = ()

    def restart(self) -> None:
        """Discard the measurement in progress."""
        self._first = None

    def add(
        self, level: float, values: tuple[float, ...], seconds: float | None
    ) -> tuple[float, ...] | None:
        """Add a read, `seconds` after the previous one; `None` is a gap.

        Return the means at the end of a measurement; with it, the next one begins.
        """
        first, means = self._first, None
        if (
            first is not None
            and seconds is not None
            and abs(level - first) <= self._change + self._share * first
        ):
            self._seconds += seconds
            self._sums = tuple(
                total + value * seconds
                for total, value in zip(self._sums, values, strict=True)
            )
            if self._seconds < STEADY:
                return None
            means = tuple(total / self._seconds for total in self._sums)
        self._first, self._seconds, self._sums = level, 0.0, (0.0,) * len(values)
        return means
