"""Shown readings: their noise does not write new states.

A shown value changes at once if the reading differs from it by its band or more, and
after a while if it differs by less.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ..client.pool import PoolState, Readings

DIFFERENCE_LASTS: Final = 300.0
"""Seconds after which a lasting difference within the band is shown (chosen)."""
BANDS: Final = (0.2, 5.0, 0.2, 0.2, 3.0, 3.0, 20.0, 2.0)
"""Difference from which a reading is shown at once (chosen): of pH, whose step is 0.1,
of ORP in mV, both temperatures in °C, flow in L/min, pressure in kPa, power in W, and
the drive's temperature in °C."""
_DIGITS: Final = 3
"""Decimals to which a difference is rounded: 7.3 - 7.1 is not 0.2 in binary."""


@dataclass(slots=True)
class _Shown:
    """One shown value of a reading."""

    band: float
    value: float | None = None
    since: float | None = None
    """Time at which the reading began to differ from it (monotonic, s)."""

    def value_for(self, reading: float | None) -> float | None:
        """Return the value to show for a reading that no read has added yet."""
        if reading is None or self.value is None:
            return reading
        near = round(abs(reading - self.value), _DIGITS) < self.band
        near = near and bool(reading) is bool(self.value)  # at 0, something stopped
        return self.value if near else reading

    def show(self, reading: float | None) -> None:
        self.value, self.since = reading, None

    def add_reading(self, reading: float | None, at: float) -> None:
        if reading is None or self.value is None or reading == self.value:
            self.show(reading)
        else:
            self.since = at if self.since is None else self.since
            if (
                at - self.since >= DIFFERENCE_LASTS
                or self.value_for(reading) == reading
            ):
                self.show(reading)


class SteadyReadings:
    """The shown values of one controller; they are not stored."""

    def __init__(self) -> None:
        self._shown = [_Shown(band) for band in BANDS]

    def add_readings(self, readings: Readings, at: float) -> None:
        """Add a read (monotonic, s)."""
        for shown, reading in self._with(readings):
            shown.add_reading(reading, at)

    def show(self, state: PoolState) -> None:
        """Show the readings of a state as they are."""
        for shown, reading in self._with(state.readings):
            shown.show(reading)

    def shown(self, state: PoolState) -> PoolState:
        """Return a state with the shown readings."""
        ph, orp, water, ambient, flow, pressure, power, drive = (
            shown.value_for(reading) for shown, reading in self._with(state.readings)
        )
        readings = replace(
            state.readings,
            ph=ph,
            orp=orp,
            water_temperature=water,
            ambient_temperature=ambient,
            flow_rate=flow,
            pressure=pressure,
            pump_power=power,
            drive_temperature=drive,
        )
        return replace(state, readings=readings)

    def _with(self, of: Readings) -> Iterator[tuple[_Shown, float | None]]:
        probes = of.ph, of.orp, of.water_temperature, of.ambient_temperature
        pump = of.flow_rate, of.pressure, of.pump_power, of.drive_temperature
        return zip(self._shown, (*probes, *pump), strict=True)
