"""The resistance of a filter, compared with when it was clean.

The pressure that pushes water through a filter grows with the square of its flow, so
pressure over flow² is a resistance that is the same at every speed of the pump. By
pressure alone, a clean filter seems dirty at full speed, and a dirty one clean at low.

All rules are chosen, as a controller does not report the resistance of a clean filter:

- One measurement is the mean of five minutes of even flow; an event in them, such as a
  backwash, discards it.
- A pressure or flow too low for its resolution (up to a tenth of it) is not used.
- The first measurement after a user reports the filter clean is that of a clean filter.
- The shown load changes only by more than the noise.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from ..client.stored import Stored, flag, moment, number, whole
from .read import Read, through_filter_alone

MIN_PRESSURE = 10.0
"""Lowest pressure used, in kPa; it is reported in whole kPa."""
MIN_FLOW = 40.0
"""Lowest flow used, in L/min."""
STEADY = 300.0
"""Seconds of even flow in one measurement."""
EVEN = 0.15
"""Share by which the flow may change meanwhile: noise, or one step of speed."""
NOISE = 3.0
"""Difference in % of load between measurements that is only noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """State of the filter that is kept across restarts."""

    measurable: bool = False
    """Whether this pool has ever reported a usable pressure and flow."""
    cleaned_at: datetime | None = None
    """When a user last reported the filter clean."""
    clean: float | None = None
    """Its resistance then, in kPa/(L/min)²; `None` until it is measured."""
    load: int | None = None
    """Increase of the resistance since then in %."""

    def cleaned(self, now: datetime) -> Filter:
        """Return the filter once a user reports it clean; it is then measured again."""
        return replace(self, cleaned_at=now, clean=None, load=None)

    def measured(self, resistance: float) -> Filter:
        """Return the filter after a measured resistance in kPa/(L/min)²."""
        if self.cleaned_at is None:
            return self
        if self.clean is None:
            return replace(self, clean=resistance, load=0)
        load = max(0.0, (resistance / self.clean - 1) * 100)
        if self.load is not None and abs(load - self.load) < NOISE:
            return self
        return replace(self, load=round(load))

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored state."""
        return cls(
            measurable=stored.get("measurable", flag, False),
            cleaned_at=stored.get("cleaned_at", moment, None),
            clean=stored.get("clean", number(1e-9, 1e3), None),
            load=stored.get("load", whole(0, 1_000_000), None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {
            "measurable": self.measurable,
            "cleaned_at": self.cleaned_at and self.cleaned_at.isoformat(),
            "clean": self.clean,
            "load": self.load,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _EvenFlow:
    """Sums over a period of even flow, for one measurement."""

    first: float
    """Flow in L/min at the start of the period."""
    seconds: float = 0.0
    pressure: float = 0.0
    """Sum of the pressure in kPa s."""
    square: float = 0.0
    """Sum of the squared flow in (L/min)² s."""

    def then(
        self, pressure: float, flow: float, seconds: float | None
    ) -> _EvenFlow | None:
        """Return the sums after another read, `None` if the flow is no longer even."""
        if seconds is None or abs(flow - self.first) > EVEN * self.first:
            return None
        return replace(
            self,
            seconds=self.seconds + seconds,
            pressure=self.pressure + pressure * seconds,
            square=self.square + flow**2 * seconds,
        )


class FilterLoad:
    """Measures the filter from read to read."""

    def __init__(self, known: Filter = Filter()) -> None:
        """Continue from the stored state."""
        self.state = known
        self._even: _EvenFlow | None = None

    def cleaned(self, now: datetime) -> None:
        """Drop earlier measurements, as a user reports the filter clean."""
        self.state, self._even = self.state.cleaned(now), None

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        previous = self.state
        if (measured := _measured(read)) is None:
            self._even = None
        else:
            self.state = replace(previous, measurable=True)
            self._measure(*measured, read.seconds)
        return self.state != previous

    def _measure(self, pressure: float, flow: float, seconds: float | None) -> None:
        """Continue a measurement, and begin the next one when it ends."""
        even = self._even and self._even.then(pressure, flow, seconds)
        if even and even.seconds >= STEADY:
            self.state = self.state.measured(even.pressure / even.square)
            even = None
        self._even = even or _EvenFlow(first=flow)


def _measured(read: Read) -> tuple[float, float] | None:
    """Return pressure and flow, `None` if they do not measure the filter.

    If the water takes another path, the resistance of that path is different.
    """
    readings = read.state.readings
    pressure, flow = readings.pressure or 0.0, readings.flow_rate or 0.0
    if not through_filter_alone(read):
        return None
    return (pressure, flow) if pressure >= MIN_PRESSURE and flow >= MIN_FLOW else None
