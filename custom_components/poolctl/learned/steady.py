"""Shown readings: the noise of probes does not write new states.

A shown value changes at once if the reading differs from it by its band or more, and
after a while if it differs by less. Only a water temperature that no pool has is shown
once the next read confirms it.
"""

from typing import Final, NamedTuple

from ..client.pool.parts import Chemistry
from ..client.pool.state import PoolState
from ..client.wire.frame import Readings

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
    def of(cls, readings: Readings) -> Probes:
        """Return the readings of the probes, including those in still water."""
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
    doubted: float | None = None
    """Reading that waits for the next one to confirm it."""

    def value_for(self, reading: float | None, band: float) -> float | None:
        """Return the value to show for a reading that came since the newest read."""
        if reading is None or self.value is None:
            return reading
        near = round(abs(reading - self.value), _DIGITS) < band
        return self.value if near or reading == self.doubted else reading

    def with_reading(
        self, reading: float | None, at: float, band: float, *, doubted: bool
    ) -> _Shown:
        """Return the shown value after a reading at a time (monotonic, s)."""
        if reading is None or self.value is None or reading == self.value:
            return _Shown(reading)
        if doubted:
            return self._replace(doubted=reading)
        since = at if self.since is None else self.since
        if at - since >= LASTS or self.value_for(reading, band) == reading:
            return _Shown(reading)
        return _Shown(self.value, since)


class SteadyReadings:
    """The shown values of one controller; they are not stored."""

    def __init__(self) -> None:
        self._shown = [_Shown() for _ in BANDS]

    def take(self, readings: Readings, at: float, *, odd_water: bool = False) -> None:
        """Take a read at a time (monotonic, s).

        `odd_water` is whether its water temperature is impossible and unconfirmed.
        """
        self._shown = [
            each.with_reading(reading, at, band, doubted=doubted)
            for each, reading, band, doubted in zip(
                self._shown,
                Probes.of(readings),
                BANDS,
                (False, False, odd_water, False),
                strict=True,
            )
        ]

    def show(self, state: PoolState) -> None:
        """Show the readings of a state as they are."""
        self._shown = [_Shown(each) for each in Probes.of(state.readings)]

    def of(self, state: PoolState) -> Probes:
        """Return the shown values of a state."""
        return Probes(
            *(
                each.value_for(reading, band)
                for each, reading, band in zip(
                    self._shown, Probes.of(state.readings), BANDS, strict=True
                )
            )
        )
