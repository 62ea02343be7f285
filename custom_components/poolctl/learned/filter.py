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
from typing import Annotated

from ..client.codec import Within
from .means import SteadyMean, through_filter_alone
from .read import Read

MIN_PRESSURE = 10.0
"""Lowest pressure used, in kPa; it is reported in whole kPa."""
MIN_FLOW = 40.0
"""Lowest flow used, in L/min."""
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
    clean: Annotated[float | None, Within(1e-9, 1e3)] = None
    """Its resistance then, in kPa/(L/min)²; `None` until it is measured."""
    load: Annotated[int | None, Within(0, 1_000_000)] = None
    """Increase of the resistance since then in %."""

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


class FilterLoad:
    """Measures the filter from read to read."""

    def __init__(self, known: Filter = Filter()) -> None:
        self.state = known
        self._mean = SteadyMean(share=EVEN)

    def cleaned(self, now: datetime) -> None:
        """Drop earlier measurements, as a user reports the filter clean."""
        self.state = replace(self.state, cleaned_at=now, clean=None, load=None)
        self._mean.restart()

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        previous, readings = self.state, read.state.readings
        pressure, flow = readings.pressure or 0.0, readings.flow_rate or 0.0
        if pressure < MIN_PRESSURE or flow < MIN_FLOW or not through_filter_alone(read):
            self._mean.restart()
            return False
        self.state = replace(previous, measurable=True)
        if means := self._mean.add(flow, (pressure, flow**2), read.seconds):
            self.state = self.state.measured(means[0] / means[1])
        return self.state != previous
