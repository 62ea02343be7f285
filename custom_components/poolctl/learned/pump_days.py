"""What the pump did today and yesterday, and how warm the water was.

A rule for its hours goes by these (pump_hours.py).
The hours of the pump are those of `totals`. A flow that the controller does not report is
not guessed: water counts together with the time in which its flow was known.
"""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final, Self

from ..client.stored import Stored, number
from .read import Read
from .totals import PUMP_RUNNING, Totals, turns

_HOUR: Final = 3600.0
_MEASURED: Final = 0.5
"""Hours of a running pump from which on the average of its flow is known."""
_LITRES: Final = number(0, 1e9)
_DAY_HOURS: Final = number(0, 25)
_CELSIUS: Final = number(-50, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class PumpDay:
    """One local day."""

    day: date
    hours: float = 0.0
    """In which the pump ran."""
    litres: float = 0.0
    measured: float = 0.0
    """Hours in which these litres were measured."""
    water: float | None = None
    """°C, the warmest of this day."""
    previous_water: float | None = None
    """°C, the warmest of the day before: by it the hours of this one are chosen, so that
    they do not change while it goes on."""

    @property
    def temperature(self) -> float | None:
        """°C that a rule goes by on this day."""
        return self.water if self.previous_water is None else self.previous_water

    @property
    def warmest(self) -> float | None:
        """°C that the rule of the next day goes by."""
        return self.previous_water if self.water is None else self.water

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        return {
            "day": self.day.isoformat(),
            "hours": self.hours,
            "litres": self.litres,
            "measured": self.measured,
            "water": self.water,
            "previous_water": self.previous_water,
        }

    @classmethod
    def from_dict(cls, stored: Stored) -> Self | None:
        """Return what was stored, `None` without a day."""
        if (day := stored.get("day", date.fromisoformat, None)) is None:
            return None
        return cls(
            day=day,
            hours=stored.get("hours", _DAY_HOURS, 0.0),
            litres=stored.get("litres", _LITRES, 0.0),
            measured=stored.get("measured", _DAY_HOURS, 0.0),
            water=stored.get("water", _CELSIUS, None),
            previous_water=stored.get("previous_water", _CELSIUS, None),
        )


class PumpDays:
    """Today and yesterday of one controller."""

    def __init__(
        self, today: PumpDay | None = None, yesterday: PumpDay | None = None
    ) -> None:
        """Go on from what was stored."""
        self.today = today
        self.yesterday = yesterday

    @property
    def flow(self) -> float | None:
        """L/h of the running pump, the average of both days."""
        days = [day for day in (self.today, self.yesterday) if day is not None]
        measured = sum(day.measured for day in days)
        if measured < _MEASURED:
            return None
        return sum(day.litres for day in days) / measured

    def begin_day(self, day: date) -> PumpDay:
        """Return this day, begun anew if it is another one."""
        last = self.today
        if last is not None and last.day == day:
            return last
        # After days without reads there is not a yesterday; the last water still counts.
        follows = last is not None and last.day == day - timedelta(days=1)
        self.yesterday = last if follows else None
        water = None if last is None else last.warmest
        self.today = PumpDay(day=day, previous_water=water)
        return self.today

    def take(self, read: Read, totals: Totals) -> None:
        """Add a read that the totals have, too."""
        today = self.begin_day(read.now.date())
        hours = totals.of[PUMP_RUNNING].exact
        self.today = _with_read(replace(today, hours=hours), read)

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        return {
            "today": self.today and self.today.as_dict(),
            "yesterday": self.yesterday and self.yesterday.as_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        today = PumpDay.from_dict(stored.part("today"))
        return cls(today, PumpDay.from_dict(stored.part("yesterday")))


def _with_read(day: PumpDay, read: Read) -> PumpDay:
    state, seconds = read.state, read.seconds
    water = state.measured_chemistry.water_temperature
    if state.signals.chemistry_stable and water is not None:
        warmest = water if day.water is None else max(water, day.water)
        day = replace(day, water=warmest)
    flow = state.readings.flow_rate
    if seconds is None or not flow or not turns(state):
        return day
    hours = seconds / _HOUR
    return replace(
        day, litres=day.litres + flow * 60 * hours, measured=day.measured + hours
    )
