"""Power of the pump at each speed, compared with when its filter was clean.

With a clogged basket or filter, or air in the pump, it moves less water and draws less
power; friction or an obstruction makes it draw more. All rules are chosen, as no
controller reports the usual power:

- One measurement is the mean of five minutes at one speed, while the water flows
  through the filter alone.
- The usual power at a speed is the mean of the first hour at it after a user reports
  the filter clean.
- A change is a problem once all measurements of three days were too far from usual.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, Final, NamedTuple

from ..client.codec import Within
from .means import SteadyMean, through_filter_alone
from .read import Read

LEAST: Final = 50.0
"""Lowest power used, in W: below it the pump is off or was not measured."""
MOST: Final = 10_000.0
EVEN: Final = 2.0
"""% by which the speed may change meanwhile: some drives report their actual speed."""
OF_USUAL: Final = 12
"""Number of measurements whose mean is the usual power."""
NOISE: Final = 3.0
"""Difference in % between measurements that is only noise."""
FAR: Final = 25.0
"""Change in % from which the user is informed."""
LONG: Final = timedelta(days=3)
SPEEDS: Final = range(1, 101)
"""Speeds in %; a single-speed pump has 100."""


class Usual(NamedTuple):
    """Mean power of the pump at one speed, and the number of measurements."""

    watts: Annotated[float, Within(LEAST, MOST)] = 0.0
    times: Annotated[int, Within(1, OF_USUAL)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Power of the pump, as kept across restarts."""

    usual: Mapping[Annotated[int, Within(SPEEDS[0], SPEEDS[-1])], Usual] = field(
        default_factory=dict
    )
    """Usual power by speed in %."""
    change: Annotated[int | None, Within(-100, 100_000)] = None
    """Change of the power from usual in %; `None` until it was compared."""
    far_since: datetime | None = None
    """Time of the first of the latest measurements that are all far from usual."""
    far_at: datetime | None = None
    """Time of the last of them."""

    @property
    def changed(self) -> bool | None:
        """Whether the power was far from usual for long, `None` until compared."""
        if self.far_since is None or self.far_at is None:
            return None if self.change is None else False
        return self.far_at - self.far_since >= LONG

    def measured(self, speed: int, watts: float, now: datetime) -> Draw:
        """Return the power after a measurement."""
        usual = self.usual.get(speed, Usual())
        if (times := usual.times + 1) <= OF_USUAL:
            mean = Usual(usual.watts + (watts - usual.watts) / times, times)
            return replace(self, usual={**self.usual, speed: mean})
        change = (watts / usual.watts - 1) * 100
        far = abs(change) > FAR
        shown = self.change
        if shown is None or abs(change - shown) >= NOISE:
            shown = round(change)
        return replace(
            self,
            change=shown,
            far_since=(self.far_since or now) if far else None,
            far_at=now if far else None,
        )


class PumpPower:
    """Measures the pump from read to read."""

    def __init__(self, known: Draw = Draw()) -> None:
        self.state = known
        self._mean = SteadyMean(change=EVEN)

    def cleaned(self) -> None:
        """Start again after a user reports the filter clean: its power is now usual."""
        self.state = Draw()
        self._mean.restart()

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        previous, readings = self.state, read.state.readings
        watts, speed = readings.pump_power or 0.0, readings.pump_speed or SPEEDS[-1]
        if not LEAST <= watts <= MOST or not through_filter_alone(read):
            self._mean.restart()
        elif means := self._mean.add(speed, (speed, watts), read.seconds):
            self.state = previous.measured(round(means[0]), means[1], read.now)
        return (self.state.change, self.state.changed) != (
            previous.change,
            previous.changed,
        )
