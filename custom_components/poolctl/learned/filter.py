"""How much a filter resists the water, compared with when it was clean.

The pressure that pushes water through a filter grows with the square of its flow, so that
pressure over flow² is a resistance: the same at every speed of the pump. A pressure alone
would call a clean filter dirty at full speed, and a dirty one clean at the lowest.

All rules are chosen, for nothing reports the resistance of a clean filter:

- One measurement is the mean of five minutes in which the water flowed evenly; what begins
  in them, such as a backwash, spoils them.
- A pressure or flow so low that its last digit would be a tenth of it measures nothing.
- What a person called clean is the first measurement after that.
- What is shown follows only what is more than noise.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from ..client.stored import Stored, flag, moment, number, whole
from .read import Read, through_filter_alone

MIN_PRESSURE = 10.0
"""kPa; it is reported in whole ones."""
MIN_FLOW = 40.0
"""L/min."""
STEADY = 300.0
"""s of even flow that are one measurement."""
EVEN = 0.15
"""Part of the flow by which it may change meanwhile: noise, or one step of speed."""
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
        """Return the filter that a person calls clean: the next measurement shows how."""
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

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(
            measurable=stored.get("measurable", flag, False),
            cleaned_at=stored.get("cleaned_at", moment, None),
            clean=stored.get("clean", number(1e-9, 1e3), None),
            load=stored.get("load", whole(0, 1_000_000), None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        return {
            "measurable": self.measurable,
            "cleaned_at": self.cleaned_at and self.cleaned_at.isoformat(),
            "clean": self.clean,
            "load": self.load,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _EvenFlow:
    """The water since it has flowed evenly, as far as one measurement needs it."""

    first: float
    """L/min when that began."""
    seconds: float = 0.0
    pressure: float = 0.0
    """kPa s."""
    square: float = 0.0
    """(L/min)² s."""

    def then(
        self, pressure: float, flow: float, seconds: float | None
    ) -> _EvenFlow | None:
        """Return it after another read, `None` where it is even no longer."""
        if seconds is None or abs(flow - self.first) > EVEN * self.first:
            return None
        return replace(
            self,
            seconds=self.seconds + seconds,
            pressure=self.pressure + pressure * seconds,
            square=self.square + flow**2 * seconds,
        )


class FilterLoad:
    """Measures the filter, read by read."""

    def __init__(self, known: Filter = Filter()) -> None:
        """Go on from what was stored."""
        self.known = known
        self._even: _EvenFlow | None = None

    def cleaned(self, now: datetime) -> None:
        """Take that a person calls it clean: what was measured of it counts no longer."""
        self.known, self._even = self.known.cleaned(now), None

    def take(self, read: Read) -> bool:
        """Take a read; return whether anything that is shown changed."""
        previous = self.known
        if (measured := _measured(read)) is None:
            self._even = None
        else:
            self.known = replace(previous, measurable=True)
            self._measure(*measured, read.seconds)
        return self.known != previous

    def _measure(self, pressure: float, flow: float, seconds: float | None) -> None:
        """Go on with a measurement, and begin the next one where it ends."""
        even = self._even and self._even.then(pressure, flow, seconds)
        if even and even.seconds >= STEADY:
            self.known = self.known.measured(even.pressure / even.square)
            even = None
        self._even = even or _EvenFlow(first=flow)


def _measured(read: Read) -> tuple[float, float] | None:
    """Return pressure and flow, `None` where they tell nothing of the filter.

    Where the water takes another way, that resists otherwise.
    """
    readings = read.state.readings
    pressure, flow = readings.pressure or 0.0, readings.flow_rate or 0.0
    if not through_filter_alone(read):
        return None
    return (pressure, flow) if pressure >= MIN_PRESSURE and flow >= MIN_FLOW else None
