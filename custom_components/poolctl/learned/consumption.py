"""Consumption: acid and chlorine used, and how long the rest will last.

The controller reports the level of a drum (protocol.md O2.2). Only a falling level is
consumption; the rules are chosen:

- A level that rises by more than `REFILL`, or falls faster than any doser could empty a
  drum, was set by a user: the consumption until then is unknown and not counted.
- A smaller rise is noise or an older copy from the cloud: consumption is counted only
  below the lowest level reported.
- For two minutes after a level was set, nothing is counted: an older copy from the
  cloud may still contain the previous level.
- A fall that is too fast for a dose counts once the next report confirms it.
- Consumption between two reads is spread evenly over that time, even over days.
"""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from math import inf
from typing import Annotated, Final, NamedTuple

from ..client.codec import Within
from ..client.pool.parts import Doser
from .read import COPY_MARGIN, of_today, start_of_day

REFILL: Final = 100.0
"""Rise in mL above which a level was set by a user."""
FASTEST: Final = 200.0
"""Highest use in mL a minute: several times the rate of a pool's dosing pump."""
LARGEST: Final = 1000.0
"""Largest dose in mL that may appear at once, regardless of the time."""
WINDOW: Final = 14
"""Days before today that the rate is based on; today is not over."""
ENOUGH: Final = timedelta(days=3)
"""Time that must have been observed on those days: dosing differs by day."""
FURTHEST: Final = timedelta(days=3650)
"""Longest time to an empty drum; beyond it, a date would not be useful."""


type _Amount = Annotated[float, Within(0, 1e9)]


class Level(NamedTuple):
    """The level of a drum in mL, and when the controller reported it."""

    ml: _Amount
    at: datetime


class Day(NamedTuple):
    """The consumption of one day."""

    ml: _Amount = 0.0
    """Millilitres used."""
    seconds: _Amount = 0.0
    """Seconds of the day that were observed."""


@dataclass(slots=True)
class Consumption:
    """The consumption from one drum, by day."""

    level: Level
    """Lowest level since the last refill, with the time of the newest report."""
    refilled_at: datetime | None = None
    days: dict[date, Day] = field(default_factory=dict)
    _doubted: float = field(default=inf, compare=False, repr=False)
    """Level in mL of a fall that was not confirmed yet."""

    def take(self, reported: Level, zone: tzinfo | None) -> None:
        """Count the consumption since the previous level."""
        previous, elapsed = self.level, reported.at - self.level.at
        if not elapsed:
            return
        fallen, minutes = previous.ml - reported.ml, elapsed / timedelta(minutes=1)
        was_set_back = minutes < 0
        doubted, self._doubted = self._doubted, inf
        quick = not was_set_back and fallen > REFILL + FASTEST * minutes
        if quick and abs(reported.ml - doubted) > REFILL:
            self._doubted = reported.ml
            return
        refilled = not -REFILL <= fallen <= LARGEST + FASTEST * minutes
        self.level = Level(min(previous.ml, reported.ml), reported.at)
        if refilled and not was_set_back:
            self.level, self.refilled_at = reported, reported.at
        elif (
            was_set_back
            or self.refilled_at is None
            or reported.at - self.refilled_at >= COPY_MARGIN
        ):
            self._share_out(max(fallen, 0.0), previous.at, reported.at, zone)

    def _share_out(
        self, ml: float, begin: datetime, end: datetime, zone: tzinfo | None
    ) -> None:
        """Spread consumption evenly over the days from one time to another.

        If our clock was set back, days after today were recorded with a wrong date.
        """
        today = end.astimezone(zone).date()
        first = today - timedelta(days=WINDOW)
        rate = ml / (end - begin).total_seconds()
        begin = max(begin, start_of_day(first, zone))
        while begin < end:
            day = begin.astimezone(zone).date()
            stop = min(end, start_of_day(day + timedelta(days=1), zone))
            seconds = (stop - begin).total_seconds()
            ml, observed = self.days.get(day, Day())
            self.days[day] = Day(ml + rate * seconds, observed + seconds)
            begin = stop
        self.days = {
            day: observed
            for day, observed in self.days.items()
            if first <= day <= today
        }

    def used_today(self, now: datetime) -> float | None:
        """Return the mL used today, at a local time; see `of_today`."""
        used = round(self.days.get(now.date(), Day()).ml)
        return of_today(used, self.level.at, now)

    def lasts_until(self, left: float, now: datetime) -> date | None:
        """Return the date on which the drum is empty, at the rate of the last days.

        `left` is in mL. The date is calculated from the start of the day, so that it is
        the same until the day ends or the drum is refilled; `None` without a rate.
        """
        today = now.date()
        previous = [observed for day, observed in self.days.items() if day < today]
        seconds = sum(observed.seconds for observed in previous)
        used = sum(observed.ml for observed in previous)
        if seconds < ENOUGH.total_seconds() or not used:
            return None
        at_midnight = left + self.days.get(today, Day()).ml
        lasts = at_midnight / used * seconds
        if lasts > FURTHEST.total_seconds():
            return None
        end = start_of_day(today, now.tzinfo) + timedelta(seconds=lasts)
        return max(today, end.astimezone(now.tzinfo).date())


def reported_level(doser: Doser) -> Level | None:
    """Return the last reported level of a drum."""
    if not doser.drum_ml or doser.remaining_ml is None or doser.level_at is None:
        return None
    return Level(doser.remaining_ml, doser.level_at)
