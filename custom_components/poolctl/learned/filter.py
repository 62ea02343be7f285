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

from dataclasses import dataclass, field
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


@dataclass(slots=True, kw_only=True)
class Filter:
    """The load of the filter, measured from read to read."""

    measurable: bool = False
    """Whether this pool has ever reported a usable pressure and flow."""
    cleaned_at: datetime | None = None
    """When a user last reported the filter clean."""
    clean: Annotated[float | None, Within(1e-9, 1e3)] = None
    """Its resistance then, in kPa/(L/min)²; `None` until it is measured."""
    load: Annotated[int | None, Within(0, 1_000_000)] = None
    """Increase of the resistance since then in %."""
    _mean: SteadyMean = field(
        default_factory=lambda: SteadyMean(share=EVEN), compare=False
    )

    def cleaned(self, now: datetime) -> None:
        """Drop earlier measurements, as a user reports the filter clean."""
        self.cleaned_at, self.clean, self.load = now, None, None
        self._mean.restart()

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        readings, previous = read.state.readings, (self.measurable, self.load)
        pressure, flow = readings.pressure or 0.0, readings.flow_rate or 0.0
        if pressure < MIN_PRESSURE or flow < MIN_FLOW or not through_filter_alone(read):
            self._mean.restart()
            return False
        self.measurable = True
        means = self._mean.add(flow, (pressure, flow**2), read.seconds)
        if means and self.cleaned_at is not None:
            resistance = means[0] / means[1]
            self.clean = self.clean or resistance
            load = max(0.0, (resistance / self.clean - 1) * 100)
            if self.load is None or abs(load - self.load) >= NOISE:
                self.load = round(load)
        return (self.measurable, self.load) != previous
