"""Learned values of a doser: doses today, consumption, and the effect of its doses.

All rules are chosen. The controller counts the doses of its day (`current_dose_today`,
protocol.md O4). Its midnight may differ by minutes from Home Assistant's, and after a
restart its count may start at 0 in the middle of a day. So the increases of its count
are added up here, and the sum starts at 0 with Home Assistant's day:

- A count lower than the previous one has restarted at 0, at the controller's midnight
  or with the controller: all of it is new. A lower count that was reported within two
  minutes of the higher one may be an older copy from the cloud, and is ignored.
- If one count was reported before midnight and the next one an hour after midnight or
  later, the controller's midnight lies between them: all of the later count is today's.
- A count that has restarted and has the same value when it is next reported, minutes
  later, looks like an unchanged count: those doses are not counted.

It also reports the level of a drum (O2.2), of which only a fall is consumption:

- A level that rises by more than `REFILL`, or falls faster than any doser could empty a
  drum, was set by a user: the consumption until then is unknown and not counted.
- A smaller rise is noise or an older copy from the cloud: consumption is counted only
  below the lowest level reported.
- For two minutes after a level was set, nothing is counted: an older copy from the
  cloud may still contain the previous level.
- Consumption between two reads is spread evenly over that time, even over days.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from typing import Annotated, Final, NamedTuple

from ..client.bounds import Within
from ..client.pool import ACID, CHLORINE, Chemistry, Doser, DoserKind, PoolState
from .read import COPY_MARGIN, MIDNIGHT_MARGIN, Read, of_today, start_of_day

REFILL: Final = 100.0
"""Rise in mL above which a level was set by a user."""
FASTEST_USE: Final = 200.0
"""Highest use in mL a minute: several times the rate of a pool's dosing pump."""
LARGEST_DOSE: Final = 1000.0
"""Largest dose in mL that may appear at once, regardless of the time."""
WINDOW: Final = 14
"""Days before today that the rate is based on; today is not over."""
ENOUGH: Final = timedelta(days=3)
"""Time that must have been observed on those days: dosing differs by day."""
FURTHEST: Final = timedelta(days=3650)
"""Longest time to an empty drum; beyond it, a date would not be useful."""

type _Count = Annotated[int, Within(0, 10_000)]
type _Amount = Annotated[float, Within(0, 1e9)]


class Reported(NamedTuple):
    """A count, and when the controller reported it."""

    doses: _Count
    at: datetime


@dataclass(slots=True)
class DoseCount:
    """The doses of the day on which the controller last reported its count."""

    today: _Count
    last: Reported

    def add_count(self, reported: Reported, zone: tzinfo | None) -> None:
        """Add the doses since the previous report, unless this one is an older copy."""
        last = self.last
        lower = reported.doses < last.doses
        if reported.at == last.at or (
            lower and abs(reported.at - last.at) < COPY_MARGIN
        ):
            return
        midnight = start_of_day(reported.at.astimezone(zone).date(), zone)
        anew = last.at < midnight and reported.at >= midnight + MIDNIGHT_MARGIN
        new = reported.doses if lower or anew else reported.doses - last.doses
        self.today = new + (self.today if last.at >= midnight else 0)
        self.last = reported


def reported_count(doser: Doser) -> Reported | None:
    """Return the last count that the controller reported."""
    if doser.doses is None or doser.doses_at is None:
        return None
    return Reported(doser.doses, doser.doses_at)


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

    def add_level(self, reported: Level, zone: tzinfo | None) -> None:
        """Count the consumption since the previous level."""
        previous, elapsed = self.level, reported.at - self.level.at
        if not elapsed:
            return
        fallen, minutes = previous.ml - reported.ml, elapsed / timedelta(minutes=1)
        was_set_back = minutes < 0
        refilled = not -REFILL <= fallen <= LARGEST_DOSE + FASTEST_USE * minutes
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
        """Spread consumption evenly over the days from one time to another."""
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
        # Later days were recorded before our clock was set back.
        self.days = {k: v for k, v in self.days.items() if first <= k <= today}


@dataclass(slots=True, eq=False)
class DoserModel:
    """The doses and the consumption of one doser."""

    doses: DoseCount | None = None
    drum: Consumption | None = None
    _shown: tuple[object, ...] = ()

    def add_read(self, kind: DoserKind, read: Read) -> bool:
        """Add a read; return whether a shown value changed."""
        doser, now = kind.of(read.state), read.now
        if (count := reported_count(doser)) is not None:
            self.doses = self.doses or DoseCount(count.doses, count)
            self.doses.add_count(count, now.tzinfo)
        ml, at = doser.remaining_ml, doser.level_at
        if doser.drum_ml and ml is not None and at is not None:
            level = Level(ml, at)
            self.drum = self.drum or Consumption(level)
            self.drum.add_level(level, now.tzinfo)
        previous, left = self._shown, self.drum and self.drum.level.ml
        self._shown = self.doses_today(now), self.used_today(now), left
        return self._shown != previous

    def doses_today(self, now: datetime) -> int | None:
        """Return the doses today so far, at a local time; see `of_today`."""
        if self.doses is None:
            return None
        return of_today(self.doses.today, self.doses.last.at, now)

    def used_today(self, now: datetime) -> float | None:
        """Return the mL used today so far, at a local time; see `of_today`."""
        if self.drum is None:
            return None
        used = round(self.drum.days.get(now.date(), Day()).ml)
        return of_today(used, self.drum.level.at, now)

    def lasts_until(self, left: float | None, now: datetime) -> date | None:
        """Return the date, at a local time, on which the litres left are used up."""
        if self.drum is None or left is None:
            return None
        today, days = now.date(), self.drum.days
        previous = [observed for day, observed in days.items() if day < today]
        used, seconds = map(sum, zip(Day(), *previous, strict=True))
        if seconds < ENOUGH.total_seconds() or not used:
            return None
        # An empty drum lasts no longer, however much was used today.
        left = left and left * 1000 + days.get(today, Day()).ml
        lasts = left / used * seconds
        if lasts > FURTHEST.total_seconds():
            return None
        # From the start of the day: the date stays until it ends or a drum is refilled.
        end = start_of_day(today, now.tzinfo) + timedelta(seconds=lasts)
        return max(today, end.astimezone(now.tzinfo).date())


class Effect(NamedTuple):
    """The effect that doses should have on a reading."""

    reading: Callable[[Chemistry], float | None]
    direction: int
    """1 if doses raise the reading, -1 if they lower it."""
    least: float
    """Smallest change that counts as an effect; readings are not exact."""
    doses: int
    """Number of doses after which an effect must show."""


EFFECTS: Final = {
    ACID: Effect(lambda chemistry: chemistry.ph, -1, 0.09, 8),
    # The sun consumes chlorine during dosing: 24 is more than a large pool needs a day.
    CHLORINE: Effect(lambda chemistry: chemistry.orp, 1, 9.0, 24),
}


@dataclass(slots=True, eq=False)
class DosingEffect:
    """Checks if doses move their reading: else a probe is wrong, or a drum empty."""

    reading: Annotated[float | None, Within(0, 2_000)] = None
    """Reading when it last moved as doses should move it."""
    idle: Annotated[int, Within(0, 10_000)] = 0
    """Doses since then, without an effect."""
    _doses: int | None = None

    def add_read(self, kind: DoserKind, read: Read) -> bool:
        """Add a read; return whether a shown value changed."""
        doser, previous = kind.of(read.state), (self.reading, self.idle)
        if doser.doses is not None:
            if self._doses is not None:
                # A lower count has restarted or is an older copy: it adds no doses.
                self.idle += max(doser.doses - self._doses, 0)
            self._doses = doser.doses
        effect = EFFECTS[kind]
        reading = effect.reading(read.state.readings)
        if read.state.signals.chemistry_stable and reading is not None:
            self._take_reading(effect, reading, doser.desired)
        return (self.reading, self.idle) != previous

    def _take_reading(
        self, effect: Effect, newest: float, desired: float | None
    ) -> None:
        direction = effect.direction
        right = desired is not None and (newest - desired) * direction >= 0
        moved = 0.0 if self.reading is None else (newest - self.reading) * direction
        # Without a dose, the reading drifts back by itself; later drift is ignored.
        by_itself = not self.idle and moved < 0
        if self.reading is None or right or by_itself or moved > effect.least:
            self.reading, self.idle = newest, 0

    def missing(self, kind: DoserKind, state: PoolState) -> bool | None:
        """Return whether doses fail to move the reading."""
        if self.reading is None or kind.of(state).doses is None:
            return None
        return self.idle >= EFFECTS[kind].doses
