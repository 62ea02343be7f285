"""The clock of each controller, as its schedules show it; all rules here are chosen."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Annotated

from .bounds import Within
from .clock import Clock
from .occurrences import moment
from .wire.schedule import Schedule

SAME = timedelta(minutes=3)
"""Maximum spread of differences that count as the same: a read is up to 15 s late, and
a clock that drifts 2 min a week also drifts between two runs."""
OFF = timedelta(minutes=3)
"""Smallest difference at which a clock counts as wrong."""
_TIMES = 3
_HALF_A_DAY = timedelta(hours=12)
type _Difference = Annotated[timedelta, Within(-12 * 3600, 12 * 3600)]


@dataclass(slots=True)
class ControllerClock:
    """The controller's clock, measured by the observed starts of its schedules."""

    offset: _Difference | None = None
    """How far the controller's clock is ahead of ours; negative if it is behind."""
    differences: tuple[_Difference, ...] = ()
    """The newest of them that were observed."""
    _days: dict[int, int] = field(default_factory=dict, compare=False)
    """Ordinal of the day on which each schedule last began."""

    @property
    def wrong(self) -> bool | None:
        """Whether it is off by at least `OFF`, `None` while that is unknown."""
        return None if self.offset is None else abs(self.offset) >= OFF

    @property
    def shift(self) -> timedelta:
        """How far it is ahead in whole minutes, 0 unless it counts as wrong."""
        if self.offset is None or not self.wrong:
            return timedelta()
        return timedelta(minutes=round(self.offset / timedelta(minutes=1)))

    def began(self, index: int, schedule: Schedule, at: datetime, zone: tzinfo) -> None:
        """Note the start of a schedule: the same difference three times is the offset."""
        today = at.astimezone(zone).date()
        days = [today + timedelta(days=each) for each in (-1, 0, 1)]
        starts = [
            moment(day, schedule.start, zone)
            for day in days
            if day.weekday() in schedule.days
        ]
        start = min(starts, key=lambda each: abs(each - at), default=None)
        if start is None or abs(start - at) > _HALF_A_DAY:
            return
        if self._days.get(index) == (day := start.toordinal()):
            return  # the same run, continued
        self._days[index] = day
        self.differences = (*self.differences, start - at)[-_TIMES:]
        spread = max(self.differences) - min(self.differences)
        if len(self.differences) == _TIMES and spread <= SAME:
            self.offset = self.differences[-1]


@dataclass(frozen=True, slots=True)
class Times:
    """The time, and the time of the controller's clock."""

    clock: Clock
    zone: Callable[[], tzinfo]
    """Returns the time zone of the pool."""
    controller: ControllerClock

    @property
    def now(self) -> datetime:
        """The time in UTC."""
        return self.clock.now()

    @property
    def offset(self) -> timedelta:
        """How far the controller's clock is ahead of ours."""
        return self.controller.offset or timedelta()

    @property
    def local(self) -> datetime:
        """The local time of the controller's clock."""
        return self.now.astimezone(self.zone()) + self.offset
