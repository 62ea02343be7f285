"""Shown readings: the noise of probes does not write new states.

A shown value changes at once if the reading differs from it by its band or more, and
after a while if it differs by less. It is always a reading of the same context.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ..client.pool.heating import BODIES, heats
from ..client.pool.parts import Chemistry
from ..client.pool.ranges import READINGS, Reading
from ..client.pool.state import PoolState

LASTS: Final = 300.0
"""Seconds after which a lasting difference within the band is shown (chosen)."""
_DIGITS: Final = 3
"""Decimals to which a difference is rounded: 7.3 - 7.1 is not 0.2 in binary."""


class Probes(NamedTuple):
    """Readings of the four probes, or the shown values of them."""

    ph: float | None = None
    orp: float | None = None
    """mV."""
    water_temperature: float | None = None
    """°C."""
    ambient_temperature: float | None = None
    """°C."""

    @classmethod
    def of(cls, state: PoolState) -> Probes:
        """Return the current readings, including those in still water."""
        readings = state.readings
        return cls(
            readings.ph,
            readings.orp,
            readings.water_temperature,
            readings.ambient_temperature,
        )

    @property
    def chemistry(self) -> Chemistry:
        """Readings of the probes in the water."""
        return Chemistry(
            ph=self.ph, orp=self.orp, water_temperature=self.water_temperature
        )


BANDS: Final = (0.2, 5.0, 0.2, 0.2)
"""Difference from which a reading is shown at once, in the order of `Probes` (chosen).
The step of pH is 0.1."""


class _Shown(NamedTuple):
    """One shown value of a reading."""

    value: float | None = None
    since: float | None = None
    """Time at which the reading began to differ from it (monotonic, s)."""

    def after(self, reading: float | None, at: float, band: float) -> _Shown:
        """Return the shown value after a reading at a time (monotonic, s)."""
        if self.value is None or reading is None or reading == self.value:
            return _Shown(reading)
        since = at if self.since is None else self.since
        if round(abs(reading - self.value), _DIGITS) >= band or at - since >= LASTS:
            return _Shown(reading)
        return _Shown(self.value, since)


class SteadyReadings:
    """The shown values of one controller; they are not stored."""

    limits: Sequence[float] = ()
    """Values of pH and ORP with which automations compare readings."""

    def __init__(self) -> None:
        """Show the first readings at once."""
        self._context: tuple[object, ...] = ()
        self._shown = [_Shown() for _ in BANDS]
        self._readings = self._values = self._view = Probes()
        self._viewed: PoolState | None = None

    def take(self, state: PoolState, at: float) -> bool:
        """Take a read at a time (monotonic, s).

        Return whether a shown value changed although no reading changed.
        """
        readings, context = Probes.of(state), self._context_of(state)
        shown = [_Shown() for _ in BANDS] if context != self._context else self._shown
        self._shown = [
            each.after(reading, at, band)
            for each, reading, band in zip(shown, readings, BANDS, strict=True)
        ]
        values = Probes(*(each.value for each in self._shown))
        settled = readings == self._readings and values != self._values
        self._readings, self._context, self._values = readings, context, values
        self._viewed, self._view = state, values
        return settled

    def of(self, state: PoolState) -> Probes:
        """Return the shown values of a state, or its readings in a different context.

        The context differs if a command or reply has changed it since the newest read.
        """
        if state is not self._viewed:
            same = self._context_of(state) == self._context
            self._viewed, self._view = state, self._values if same else Probes.of(state)
        return self._view

    def _context_of(self, state: PoolState) -> tuple[object, ...]:
        """Return the values that must be unchanged for a shown value to stay.

        The side of each limit on which a reading lies is included: triggers and
        conditions receive the shown value, but then decide as for the actual one.
        """
        return (
            state.source,
            state.signals.chemistry_stable,
            state.pool.target,
            state.spa.target,
            state.acid.desired,
            state.chlorine.desired,
            state.chlorinator.desired,
            # A trigger compares the water with its target when heating ends.
            *(heats(state, body) for body in BODIES),
            *(_side(reading, state, self.limits) for reading in READINGS),
        )


def _side(
    reading: Reading, state: PoolState, limits: Iterable[float]
) -> tuple[int, int]:
    """Return how many limits are below a reading, and how many are not above it."""
    good, value = reading.range(state), reading.measured(state)
    if value is None:
        return 0, 0
    limits = good.lower, good.upper, *limits
    return sum(each < value for each in limits), sum(each <= value for each in limits)
