"""Hours and flow of the pump today and yesterday, and the water temperature.

The rules for pump hours use them (pool.py).
The hours come from `totals`. A missing flow is not estimated: water is counted together
with the time for which its flow was reported.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Final

from ..client.bounds import Within
from ..client.pool import newer
from .read import Read, start_of_day
from .totals import PUMP_RUNNING, Totals, motor_runs

_HOUR: Final = 3600.0
_MEASURED: Final = 0.5
"""Hours of measured flow after which its average is used."""
type _DayHours = Annotated[float, Within(0, 25)]
type _Celsius = Annotated[float | None, Within(-50, 100)]


@dataclass(slots=True, kw_only=True)
class PumpDay:
    """The values of one local day."""

    day: date
    hours: _DayHours = 0.0
    """Hours in which the pump ran."""
    litres: Annotated[float, Within(0, 1e9)] = 0.0
    measured: _DayHours = 0.0
    """Hours in which the litres were measured."""
    observed: _DayHours = 0.0
    """Hours in which it was known whether the pump ran."""
    water: _Celsius = None
    """Highest water temperature of this day in °C."""
    previous_water: _Celsius = None
    """Highest water temperature of the previous day in °C: the rule uses it, so that
    the needed hours do not change during the day."""

    @property
    def temperature(self) -> float | None:
        """Temperature in °C that the rule uses on this day."""
        return self.water if self.previous_water is None else self.previous_water


@dataclass(slots=True)
class PumpDays:
    """Today and yesterday of one controller's pump."""

    today: PumpDay | None = None
    yesterday: PumpDay | None = None

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
        water = None if last is None else newer(last.water, last.previous_water)
        self.today = PumpDay(day=day, previous_water=water)
        return self.today

    def add_read(self, read: Read, totals: Totals) -> None:
        """Add a read that was already added to the totals."""
        state, seconds = read.state, read.seconds
        day = self.begin_day(read.now.date())
        day.hours = totals.of[PUMP_RUNNING].exact
        water, valid = state.readings.water_temperature, state.valid_chemistry
        lasts = seconds is not None and water == valid.water_temperature
        # A maximum lasts: it is of a reading that lasted for a poll.
        if state.signals.chemistry_stable and lasts and water is not None:
            day.water = water if day.water is None else max(water, day.water)
        flow, runs = state.readings.flow_rate, motor_runs(state)
        if seconds is not None and runs is not None:
            midnight = start_of_day(day.day, read.now.tzinfo).timestamp()
            of_today = min(seconds, read.now.timestamp() - midnight)
            day.observed += of_today / _HOUR
            if flow and runs:
                day.litres += flow * 60 * (seconds / _HOUR)
                day.measured += seconds / _HOUR
