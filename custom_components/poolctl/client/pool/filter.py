"""How much a filter resists the water, compared with when it was clean.

The pressure that pushes water through a filter grows with the square of its flow, so that
pressure over flow² is a resistance: the same at every speed of the pump. A pressure alone
would call a clean filter dirty at full speed, and a dirty one clean at the lowest.

All rules are chosen, for nothing tells the resistance of a clean filter:

- One measurement is the mean of five minutes in which the water flowed evenly; what begins
  in them, such as a backwash, spoils them.
- A pressure or flow so low that its last digit would be a tenth of it measures nothing.
- What a person called clean is the first measurement after that.
- What is shown follows only what is more than noise.
"""

from dataclasses import dataclass, replace
from datetime import datetime

FILTER_LIMIT = 50
"""% of load, chosen: the rule of thumb for a pump of one speed is a quarter more pressure;
its flow has fallen by then, too, and its filter resists by about half more."""
MIN_FILTER_LIMIT, MAX_FILTER_LIMIT, FILTER_LIMIT_STEP = 10, 300, 5
"""%."""

MIN_PRESSURE = 10.0
"""kPa; it is told in whole ones."""
MIN_FLOW = 40.0
"""L/min."""
STEADY = 300.0
"""s of even flow that are one measurement."""
EVEN = 0.15
"""Part of the flow by which it may change meanwhile: noise, or one step of speed."""
MAX_GAP = 60.0
"""s between two reads beyond which nobody knows what happened."""
NOISE = 3.0
"""% of load by which measurements differ though nothing happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What is known of the filter over restarts."""

    measurable: bool = False
    """Whether this pool has ever told a pressure and a flow that measure something."""
    cleaned_at: datetime | None = None
    """When a person said last that it is clean."""
    clean: float | None = None
    """What it resisted then, in kPa/(L/min)²; `None` until it was measured."""
    load: int | None = None
    """% that it resists more than then."""

    def cleaned(self, now: datetime) -> Filter:
        """Return the filter that a person calls clean: the next measurement tells how."""
        return replace(self, cleaned_at=now, clean=None, load=None)

    def measured(self, resistance: float) -> Filter:
        """Return the filter after a measurement, in kPa/(L/min)²."""
        if self.cleaned_at is None:
            return self
        if self.clean is None:
            return replace(self, clean=resistance, load=0)
        load = max(0.0, (resistance / self.clean - 1) * 100)
        if self.load is not None and abs(load - self.load) < NOISE:
            return self
        return replace(self, load=round(load))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenFlow:
    """The water since it has flowed evenly, as far as one measurement needs it."""

    first: float
    """L/min when that began."""
    at: datetime
    """When it was read last."""
    seconds: float = 0.0
    pressure: float = 0.0
    """kPa s."""
    square: float = 0.0
    """(L/min)² s."""

    def then(self, pressure: float, flow: float, now: datetime) -> EvenFlow | None:
        """Return it after another read, `None` where it is even no longer."""
        seconds = (now - self.at).total_seconds()
        if not 0 <= seconds <= MAX_GAP or abs(flow - self.first) > EVEN * self.first:
            return None
        return replace(
            self,
            at=now,
            seconds=self.seconds + seconds,
            pressure=self.pressure + pressure * seconds,
            square=self.square + flow**2 * seconds,
        )


def looked_at(
    known: Filter,
    before: EvenFlow | None,
    pressure: float | None,
    flow: float | None,
    now: datetime,
) -> tuple[Filter, EvenFlow | None]:
    """Return the filter and the even flow after a read, in kPa and L/min.

    A pressure that is not known ends the flow.
    """
    if pressure is None or flow is None or pressure < MIN_PRESSURE or flow < MIN_FLOW:
        return known, None
    if not known.measurable:
        known = replace(known, measurable=True)
    begun = EvenFlow(first=flow, at=now)
    if before is None or (after := before.then(pressure, flow, now)) is None:
        return known, begun
    if after.seconds < STEADY:
        return known, after
    return known.measured(after.pressure / after.square), begun
