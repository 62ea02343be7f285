"""Hours and flow of the pump today and yesterday, and the water temperature.

The rules for pump hours use them (pump_hours.py).
The hours come from `totals`. A missing flow is not estimated: water is counted together
with the time for which its flow was reported.
"""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final, Self

from ..client.stored import Stored, number
from .read import Read, start_of_day
from .totals import PUMP_RUNNING, Totals, turns

_HOUR: Final = 3600.0
_MEASURED: Final = 0.5
"""Hours of measured flow after which its average is used."""
_LITRES: Final = number(0, 1e9)
_DAY_HOURS: Final = number(0, 25)
_CELSIUS: Final = number(-50, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class PumpDay:
    """The values of one local day."""

    day: date
    hours: float = 0.0
    """Hours in which the pump ran."""
    litres: float = 0.0
    measured: float = 0.0
    """Hours in which the litres were measured."""
    observed: float = 0.0
    """Hours in which it was known whether the pump ran."""
    water: float | None = None
    """Highest water temperature of this day in °C."""
    previous_water: float | None = None
    """Highest water temperature of the previous day in °C: the rule uses it, so that
    the needed hours do not change during the day."""

    @property
    def temperature(self) -> float | None:
        """Temperature in °C that the rule uses on this day."""
        return self.water if self.previous_water is None else self.previous_water

    @property
    def warmest(self) -> float | None:
        """Temperature in °C that the rule uses on the next day."""
        return self.previous_water if self.water is None else self.water

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {
            "day": self.day.isoformat(),
            "hours": self.hours,
            "litres": self.litres,
            "measured": self.measured,
            "observed": self.observed,
            "water": self.water,
            "previous_water": self.previous_water,
        }

    @classmethod
    def from_dict(cls, stored: Stored) -> Self | None:
        """Return the stored day, `None` if its date is missing."""
        if (day := stored.get("day", date.fromisoformat, None)) is None:
            return None
        return cls(
            day=day,
            hours=stored.get("hours", _DAY_HOURS, 0.0),
            litres=stored.get("litres", _LITRES, 0.0),
            measured=stored.get("measured", _DAY_HOURS, 0.0),
            observed=stored.get("observed", _DAY_HOURS, 0.0),
            water=stored.get("water", _CELSIUS, None),
            previous_water=stored.get("previous_water", _CELSIUS, None),
        )


class PumpDays:
    """Today and yesterday of one controller's pump."""

    def __init__(
        self, today: PumpDay | None = None, yesterday: PumpDay | None = None
    ) -> None:
        """Continue from the stored days."""
        self.today = today
        self.yesterday = yesterday

    @property
    def flow(self) -> float | None:
        """Average flow of the running pump over both days in L/h."""
        days = [day for day in (self.today, self.yesterday) if day is not None]
        measured = sum(day.measured for day in days)
        if measured < _MEASURED:
            return None
        return sum(day.litres for day in days) / measured

    def begin_day(self, day: date) -> PumpDay:
        """Return the values of a day, which begin anew if it is a new day."""
        last = self.today
        if last is not None and last.day == day:
            return last
        # After a day without reads, yesterday is unknown; the last temperature is kept.
        follows = last is not None and last.day == day - timedelta(days=1)
        self.yesterday = last if follows else None
        water = None if last is None else last.warmest
        self.today = PumpDay(day=day, previous_water=water)
        return self.today

    def take(self, read: Read, totals: Totals) -> None:
        """Add a read that was already added to the totals."""
        today = self.begin_day(read.now.date())
        hours = totals.of[PUMP_RUNNING].exact
        self.today = _with_read(replace(today, hours=hours), read)

    def as_dict(self) -> dict[str, object]:
        """Return the values to store."""
        return {
            "today": self.today and self.today.as_dict(),
            "yesterday": self.yesterday and self.yesterday.as_dict(),
        }

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored days."""
        today = PumpDay.from_dict(stored.part("today"))
        return cls(today, PumpDay.from_dict(stored.part("yesterday")))


def _with_read(day: PumpDay, read: Read) -> PumpDay:
    state, seconds = read.state, read.seconds
    water = state.measured_chemistry.water_temperature
    if state.signals.chemistry_stable and water is not None:
        warmest = water if day.water is None else max(water, day.water)
        day = replace(day, water=warmest)
    flow, runs = state.readings.flow_rate, turns(state)
    if seconds is None or runs is None:
        return day
    midnight = start_of_day(day.day, read.now.tzinfo).timestamp()
    of_today = min(seconds, read.now.timestamp() - midnight)
    day = replace(day, observed=day.observed + of_today / _HOUR)
    if not flow or not runs:
        return day
    hours = seconds / _HOUR
    return replace(
        day, litres=day.litres + flow * 60 * hours, measured=day.measured + hours
    )
