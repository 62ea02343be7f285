"""Consumption: acid and chlorine used, and how long what is left will last.

The controller reports what is left in a drum (layouts.md 2.2). Only its falls are use; the
rules are chosen:

- A level that rises by more than `REFILL`, or falls faster than any doser could empty a
  drum, was set by a person: what was used meanwhile is unknown and not counted.
- A level that rises by less is noise, or an older copy of the cloud: only what falls below
  the lowest one reported counts.
- For two minutes after a rise nothing counts: an older copy of the cloud may bring the
  level back that was before a refill.
- What was used while nobody read is shared out evenly over that time, days included.
"""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from typing import Final, NamedTuple, Self

from ..client.pool.parts import Doser
from ..client.stored import Stored, each, moment, number
from .read import MIDNIGHT_MARGIN, start_of_day

REFILL: Final = 100.0
"""mL by which a level rises at least that a person has set."""
COPY_MARGIN: Final = timedelta(minutes=2)
"""How much older a level may be than the one that was reported before it."""
FASTEST: Final = 200.0
"""mL a minute: several times what the dosing pumps of pools do."""
LARGEST: Final = 1000.0
"""mL that one dose may take at once, whatever the time."""
WINDOW: Final = 14
"""Days that the rate is taken from, before today: today is not over."""
ENOUGH: Final = timedelta(days=3)
"""How much of them must have been observed: dosing differs from day to day."""
FURTHEST: Final = timedelta(days=3650)
"""Beyond that, hardly anything is used and no date is worth telling."""


class Level(NamedTuple):
    """What is left in a drum in mL, and when the controller reported it."""

    ml: float
    at: datetime


class Day(NamedTuple):
    """What is known of a day."""

    ml: float = 0.0
    """Used."""
    seconds: float = 0.0
    """Of the day that were observed."""

    def plus(self, ml: float, seconds: float) -> Day:
        """Return the day after more was used and seen."""
        return Day(self.ml + ml, self.seconds + seconds)


@dataclass(slots=True)
class Consumption:
    """What was used out of one drum, by day."""

    level: Level
    """The lowest since the last refill, and when the controller last reported any."""
    refilled_at: datetime | None = None
    days: dict[date, Day] = field(default_factory=dict)

    def take(self, reported: Level, zone: tzinfo | None) -> None:
        """Count what was used since the level before."""
        previous = self.level
        elapsed = reported.at - previous.at
        fallen = previous.ml - reported.ml
        if elapsed == timedelta():
            return
        lowest = Level(min(previous.ml, reported.ml), reported.at)
        if elapsed < timedelta():
            # Our own clock was put back: what it reported of later days is not true.
            self.level = lowest
            today = reported.at.astimezone(zone).date()
            self.days = {
                day: observed for day, observed in self.days.items() if day <= today
            }
        elif fallen < -REFILL or fallen > LARGEST + FASTEST * elapsed / _MINUTE:
            self.level, self.refilled_at = reported, reported.at
        elif self.refilled_at and reported.at - self.refilled_at < COPY_MARGIN:
            self.level = lowest
        else:
            self.level = lowest
            self._share_out(max(fallen, 0.0), previous.at, reported.at, zone)

    def _share_out(
        self, ml: float, begin: datetime, end: datetime, zone: tzinfo | None
    ) -> None:
        """Share out what was used evenly over the days from one time to another."""
        first = end.astimezone(zone).date() - timedelta(days=WINDOW)
        rate = ml / (end - begin).total_seconds()
        begin = max(begin, start_of_day(first, zone))
        while begin < end:
            day = begin.astimezone(zone).date()
            stop = min(end, start_of_day(day + timedelta(days=1), zone))
            seconds = (stop - begin).total_seconds()
            self.days[day] = self.days.get(day, Day()).plus(rate * seconds, seconds)
            begin = stop
        self.days = {
            day: observed for day, observed in self.days.items() if day >= first
        }

    def used_today(self, now: datetime) -> float | None:
        """Return what was used today in mL, at a local time.

        It is 0 when the day begins, and unknown (`None`) an hour later if nothing was
        told in it.
        """
        today = now.date()
        midnight = start_of_day(today, now.tzinfo)
        if self.level.at >= midnight:
            return round(self.days.get(today, Day()).ml)
        return 0 if now < midnight + MIDNIGHT_MARGIN else None

    def lasts_until(self, left: float, now: datetime) -> date | None:
        """Return when so many mL are used up, at the rate of the last days.

        It is worked out from the beginning of the day, so that it stays the same until
        the day ends or the drum is refilled; `None` while the rate is unknown.
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

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        refilled = self.refilled_at
        return {
            "level": self.level.ml,
            "told_at": self.level.at.isoformat(),
            "refilled_at": refilled and refilled.isoformat(),
            "days": [
                [day.isoformat(), *observed] for day, observed in self.days.items()
            ],
        }

    @classmethod
    def from_dict(cls, stored: Stored) -> Self | None:
        """Return what was stored, `None` where too little of it can be read."""
        ml, at = stored.get("level", _AMOUNT, None), stored.get("told_at", moment, None)
        refilled = stored.get("refilled_at", moment, None)
        days = dict(stored.list("days", _day))
        return None if ml is None or at is None else cls(Level(ml, at), refilled, days)


_MINUTE = timedelta(minutes=1)
_AMOUNT = number(0, 1e9)


def _day(stored: object) -> tuple[date, Day]:
    day, ml, seconds = each(lambda item: item)(stored)
    return date.fromisoformat(day), Day(_AMOUNT(ml), _AMOUNT(seconds))


def reported_level(doser: Doser) -> Level | None:
    """Return what the controller reported last of what is left in a drum."""
    if not doser.drum_ml or doser.remaining_ml is None or doser.level_at is None:
        return None
    return Level(doser.remaining_ml, doser.level_at)
