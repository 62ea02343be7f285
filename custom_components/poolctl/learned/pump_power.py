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

from dataclasses import dataclass, field
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


@dataclass(slots=True, kw_only=True)
class PumpPower:
    """Power of the pump, measured from read to read."""

    usual: dict[Annotated[int, Within(SPEEDS[0], SPEEDS[-1])], Usual] = field(
        default_factory=dict
    )
    """Usual power by speed in %."""
    change: Annotated[int | None, Within(-100, 100_000)] = None
    """Change of the power from usual in %; `None` until it was compared."""
    far_since: datetime | None = None
    """Time of the first of the latest measurements that are all far from usual."""
    far_at: datetime | None = None
    """Time of the last of them."""
    _mean: SteadyMean = field(
        default_factory=lambda: SteadyMean(change=EVEN), compare=False
    )

    @property
    def changed(self) -> bool | None:
        """Whether the power was far from usual for long, `None` until compared."""
        if self.far_since is None or self.far_at is None:
            return None if self.change is None else False
        return self.far_at - self.far_since >= LONG

    def cleaned(self) -> None:
        """Start again after a user reports the filter clean: its power is now usual."""
        self.usual, self.change, self.far_since, self.far_at = {}, None, None, None
        self._mean.restart()

    def take(self, read: Read) -> bool:
        """Take a read; return whether a shown value changed."""
        readings, previous = read.state.readings, (self.change, self.changed)
        watts, speed = readings.pump_power or 0.0, readings.pump_speed or SPEEDS[-1]
        if not LEAST <= watts <= MOST or not through_filter_alone(read):
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
