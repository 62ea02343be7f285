"""The filter and the pump, compared with when the filter was clean.

All rules are chosen. One measurement is the mean of five minutes in which the pump runs
evenly and all water goes through the filter alone; an event in them, such as a backwash,
discards it. A shown value changes only by more than the noise.

The load of the filter: the pressure that pushes water through it grows with the square
of its flow, so pressure over flow² is a resistance that is the same at every speed of the
pump. By pressure alone, a clean filter seems dirty at full speed, and a dirty one clean
at low. A pressure or flow too low for its resolution (up to a tenth of it) is not used.
The first measurement after a user reports the filter clean is that of a clean filter.

The power of the pump: with a clogged basket or filter, or air in the pump, it moves less
water and draws less power; friction or an obstruction makes it draw more. The usual power
at a speed is the mean of the first hour at it after a user reports the filter clean. A
change is a problem once all measurements of three days were too far from usual.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Final, NamedTuple

from ..client.bounds import Within
from ..client.pool import SOLAR_BY_FILTER_PUMP
from .read import Read

STEADY: Final = 300.0
"""Seconds of one measurement."""
NOISE: Final = 3.0
"""Difference in % between measurements that is only noise."""
MIN_PRESSURE: Final = 10.0
"""Lowest pressure used, in kPa; it is reported in whole kPa."""
MIN_FLOW: Final = 40.0
"""Lowest flow used, in L/min."""
EVEN_FLOW: Final = 0.15
"""Share by which the flow may change meanwhile: noise, or one step of speed."""
MIN_POWER: Final = 50.0
"""Lowest power used, in W: below it the pump is off or was not measured."""
EVEN_SPEED: Final = 2.0
"""% by which the speed may change meanwhile: some drives report their actual speed."""
OF_USUAL: Final = 12
"""Number of measurements whose mean is the usual power."""
FAR: Final = 25.0
"""Change in % from which the user is informed."""
LONG: Final = timedelta(days=3)
COMPARED_SPEEDS: Final = range(1, 101)
"""Speeds in %; a single-speed pump has 100."""


def through_filter_alone(read: Read) -> bool:
    """Return whether the primed pump sends the water through its usual path."""
    state = read.state
    # The spa, and a solar roof on the filter pump, have another resistance.
    by_roof = state.signals.solar and state.outputs.fitted(SOLAR_BY_FILTER_PUMP)
    return not (state.spa_mode or by_roof or state.signals.pump_priming)


def _at_filter(read: Read) -> tuple[float, float] | None:
    """Return pressure (kPa) and flow (L/min), `None` unless both measure the filter."""
    readings = read.state.readings
    pressure, flow = readings.pressure or 0.0, readings.flow_rate or 0.0
    enough = pressure >= MIN_PRESSURE and flow >= MIN_FLOW
    return (pressure, flow) if enough and through_filter_alone(read) else None


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
        default_factory=lambda: SteadyMean(share=EVEN_FLOW), compare=False
    )

    def cleaned(self, now: datetime) -> None:
        """Drop earlier measurements, as a user reports the filter clean."""
        self.cleaned_at, self.clean, self.load = now, None, None
        self._mean.restart()

    def add_read(self, read: Read) -> bool:
        """Measure the load if the read allows it; return whether a shown value changed."""
        previous = self.measurable, self.load
        if (measured := _at_filter(read)) is None:
            self._mean.restart()
            return False
        self.measurable = True
        pressure, flow = measured
        means = self._mean.add(flow, (pressure, flow**2), read.seconds)
        if means and self.cleaned_at is not None:
            resistance = means[0] / means[1]
            self.clean = self.clean or resistance
            load = max(0.0, (resistance / self.clean - 1) * 100)
            if self.load is None or abs(load - self.load) >= NOISE:
                self.load = round(load)
        return (self.measurable, self.load) != previous


class Usual(NamedTuple):
    """Mean power of the pump at one speed, and the number of measurements."""

    watts: Annotated[float, Within(MIN_POWER, 1e9)] = 0.0
    times: Annotated[int, Within(1, OF_USUAL)] = 0


@dataclass(slots=True, kw_only=True)
class PumpPower:
    """Power of the pump, measured from read to read."""

    usual: dict[
        Annotated[int, Within(COMPARED_SPEEDS[0], COMPARED_SPEEDS[-1])], Usual
    ] = field(default_factory=dict)
    """Usual power by speed in %."""
    change: Annotated[int | None, Within(-100, 100_000)] = None
    """Change of the power from usual in %; `None` until it was compared."""
    far_since: datetime | None = None
    """Time of the first of the latest measurements that are all far from usual."""
    far_at: datetime | None = None
    """Time of the last of them."""
    _mean: SteadyMean = field(
        default_factory=lambda: SteadyMean(change=EVEN_SPEED), compare=False
    )

    @property
    def changed(self) -> bool:
        """Whether the power was far from usual for long."""
        if self.far_since is None or self.far_at is None:
            return False
        return self.far_at - self.far_since >= LONG

    def cleaned(self) -> None:
        """Start again after a user reports the filter clean: its power is now usual."""
        self.usual, self.change, self.far_since, self.far_at = {}, None, None, None
        self._mean.restart()

    def add_read(self, read: Read) -> bool:
        """Add a read; return whether a shown value changed."""
        readings, previous = read.state.readings, (self.change, self.changed)
        watts, speed = (
            readings.pump_power or 0.0,
            readings.pump_speed or COMPARED_SPEEDS[-1],
        )
        if watts < MIN_POWER or not through_filter_alone(read):
            self._mean.restart()
        elif means := self._mean.add(speed, (speed, watts), read.seconds):
            self._compare(round(means[0]), means[1], read.now)
        return (self.change, self.changed) != previous

    def _compare(self, speed: int, watts: float, now: datetime) -> None:
        usual = self.usual.get(speed, Usual())
        if (times := usual.times + 1) <= OF_USUAL:
            mean = usual.watts + (watts - usual.watts) / times
            self.usual[speed] = Usual(mean, times)
            return
        change = (watts / usual.watts - 1) * 100
        if self.change is None or abs(change - self.change) >= NOISE:
            self.change = round(change)
        far = abs(change) > FAR
        self.far_since = (self.far_since or now) if far else None
        self.far_at = now if far else None
