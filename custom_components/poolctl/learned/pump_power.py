"""What the pump draws at a speed, compared with when its filter was clean.

A basket or filter that clogs, and air in the pump, let it move less water, for which it draws
less; what rubs or is stuck in it lets it draw more. All rules are chosen, for nothing reports
what a pump should draw:

- One measurement is the mean of five minutes at one speed, while the water goes through the
  filter alone.
- What is usual at a speed is the mean of its first hour after a person called the filter clean.
- A change is a problem once measurements of three days, without an exception, were too far
  away.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Self

from ..client.stored import Stored, each, moment, number, whole
from .read import Read, through_filter_alone

LEAST: Final = 50.0
"""W: a pump that draws less stands still or was not measured."""
MOST: Final = 10_000.0
STEADY: Final = 300.0
"""s at one speed that are one measurement."""
EVEN: Final = 2.0
"""% by which the speed may change meanwhile: some drives report what they turn at."""
OF_USUAL: Final = 12
"""Measurements whose mean is usual."""
NOISE: Final = 3.0
"""% by which measurements differ though nothing happened."""
FAR: Final = 25.0
"""% of change that a person should hear of."""
LONG: Final = timedelta(days=3)
SPEEDS: Final = range(1, 101)
"""%; a pump of one speed has 100."""


class Usual(NamedTuple):
    """What the pump draws at a speed, as far as it was measured."""

    watts: float = 0.0
    times: int = 0

    def with_one(self, watts: float) -> Usual:
        """Return it with another measurement."""
        return Usual(
            self.watts + (watts - self.watts) / (self.times + 1), self.times + 1
        )


def _usual(value: object) -> tuple[int, Usual]:
    speed, watts, times = each(lambda item: item)(value)
    of_speed = Usual(number(LEAST, MOST)(watts), whole(1, OF_USUAL)(times))
    return whole(SPEEDS[0], SPEEDS[-1])(speed), of_speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What is known of the pump over restarts."""

    usual: Mapping[int, Usual] = field(default_factory=dict)
    """By speed in %."""
    change: int | None = None
    """% that it draws more than usual, negative: less; `None` until it was compared."""
    far_since: datetime | None = None
    """When every measurement began to be far from usual."""
    far_at: datetime | None = None
    """When the last one was."""

    @property
    def changed(self) -> bool | None:
        """Whether it has been far from usual for long, `None` until it was compared."""
        if self.far_since is None or self.far_at is None:
            return None if self.change is None else False
        return self.far_at - self.far_since >= LONG

    def measured(self, speed: int, watts: float, now: datetime) -> Draw:
        """Return it after a measurement."""
        usual = self.usual.get(speed, Usual())
        if usual.times < OF_USUAL:
            return replace(self, usual={**self.usual, speed: usual.with_one(watts)})
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

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(
            usual=dict(stored.list("usual", _usual)),
            change=stored.get("change", whole(-100, 100_000), None),
            far_since=stored.get("far_since", moment, None),
            far_at=stored.get("far_at", moment, None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        return {
            "usual": [[speed, *usual] for speed, usual in self.usual.items()],
            "change": self.change,
            "far_since": self.far_since and self.far_since.isoformat(),
            "far_at": self.far_at and self.far_at.isoformat(),
        }


class _Steady(NamedTuple):
    """A pump since it has run at one speed."""

    first: float
    """% when that began."""
    seconds: float = 0.0
    joules: float = 0.0
    turned: float = 0.0
    """% s."""

    def then(self, speed: float, watts: float, seconds: float | None) -> Self | None:
        """Return it after another read, `None` where it is steady no longer."""
        if seconds is None or abs(speed - self.first) > EVEN:
            return None
        return self._replace(
            seconds=self.seconds + seconds,
            joules=self.joules + watts * seconds,
            turned=self.turned + speed * seconds,
        )


class PumpPower:
    """Measures the pump, read by read."""

    def __init__(self, known: Draw = Draw()) -> None:
        """Go on from what was stored."""
        self.known = known
        self._steady: _Steady | None = None

    def cleaned(self) -> None:
        """Take that a person calls the filter clean: what it draws now is usual."""
        self.known, self._steady = Draw(), None

    def take(self, read: Read) -> bool:
        """Take a read; return whether anything that is shown changed."""
        previous = self.known
        watts = read.state.readings.pump_power or 0.0
        if LEAST <= watts <= MOST and through_filter_alone(read):
            speed = read.state.readings.pump_speed or SPEEDS[-1]
            self._measure(speed, watts, read)
        else:
            self._steady = None
        shown = self.known.change, self.known.changed
        return shown != (previous.change, previous.changed)

    def _measure(self, speed: float, watts: float, read: Read) -> None:
        """Go on with a measurement, and begin the next one where it ends."""
        steady = self._steady and self._steady.then(speed, watts, read.seconds)
        if steady and steady.seconds >= STEADY:
            seconds = steady.seconds
            mean = round(steady.turned / seconds)
            self.known = self.known.measured(mean, steady.joules / seconds, read.now)
            steady = None
        self._steady = steady or _Steady(speed)
