"""Runs of schedules: their weekly wall-clock times on actual days.

A schedule runs by the wall clock of the controller; its behaviour when the clock jumps
is our assumption (chosen).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from .wire.schedule import DAY, Schedule

LONGEST_PERIOD: Final = timedelta(days=366)
"""Longest period whose runs are returned: users and pages may ask for any."""
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_FIRST, _LAST = datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One run of a schedule."""

    start: datetime
    end: datetime
    index: int
    schedule: Schedule

    @property
    def recurrence_id(self) -> str:
        """Identifier among the runs of its schedule."""
        return self.start.strftime("%Y%m%dT%H%M%S")


def occurrences(
    schedules: Mapping[int, Schedule], after: datetime, before: datetime, zone: tzinfo
) -> list[Occurrence]:
    """Return the runs of enabled schedules that overlap a period, up to `LONGEST_PERIOD`."""
    after = bounded(after)
    before = min(bounded(before), after + LONGEST_PERIOD)
    found = [
        Occurrence(start, end, index, schedule)
        for index, schedule in schedules.items()
        if schedule.enabled
        for start, end in _runs(schedule, after, before, zone)
        if start < before and end > after
    ]
    return sorted(found, key=lambda run: (run.start.astimezone(UTC), run.index))


def bounded(at: datetime) -> datetime:
    """Return a time, moved into the years with which times can be calculated."""
    return min(max(at, _FIRST), _LAST)


def _runs(
    schedule: Schedule, after: datetime, before: datetime, zone: tzinfo
) -> Iterator[tuple[datetime, datetime]]:
    # A run that began the day before may continue.
    day, last = after.astimezone(zone).date() - _DAY, before.astimezone(zone).date()
    while day <= last:
        if day.weekday() in schedule.days:
            start = moment(day, schedule.start, zone)
            end = moment(day, schedule.stop, zone)
            # A run inside an hour that the clock skips has no length.
            if start.astimezone(UTC) < end.astimezone(UTC):
                yield start, end
        day += _DAY


def moment(day: date, minute: int, zone: tzinfo) -> datetime:
    """Return when the wall clock shows a minute of a day, which may be past midnight.

    If an hour occurs twice, the first one counts. An hour that is skipped begins and
    ends when the clock jumps, as it does for a controller.
    """
    days, minute = divmod(minute, DAY)
    wall = datetime.combine(day + days * _DAY, time(*divmod(minute, 60)), tzinfo=zone)
    late = wall.astimezone(UTC)
    if late.astimezone(zone).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return wall
    at, after = wall.replace(fold=1).astimezone(UTC), late.astimezone(zone).utcoffset()
    while at.astimezone(zone).utcoffset() != after:
        at += _MINUTE
    return at.astimezone(zone)
