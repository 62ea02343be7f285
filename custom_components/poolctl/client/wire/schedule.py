"""A schedule: its times, and its overlaps with others.

The record is observed (protocol.md O3 and O4). The meaning of times at and past
midnight, and that equal times never run, are chosen. Times are minutes after midnight by
the controller's wall clock.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from typing import Annotated, Self

from ..bounds import UNSTORED, PrivateText
from .equipment import MAX_SLOTS, Slot

UNUSED_SLOT = 99
MAX_SCHEDULES = 20
DAY = 1440
"""Minutes of a day."""
LAST_MINUTE = DAY - 1
"""23:59, the latest end that we send; it means midnight."""
ALL_WEEK = 0b111_1111
_WEEK = 7 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A schedule record (protocol.md O3 and O4)."""

    slot: int
    aux_type: int
    start: int
    end: int
    """An end before `start` is on the next day; a run belongs to its first day."""
    weekdays: int
    """Bit 0 is Monday, bit 6 is Sunday."""
    name: PrivateText
    turnover: int = 0
    speed: int = 0
    """Speed of the pump in %."""
    enabled: bool = True
    received_name: Annotated[str | None, UNSTORED] = field(default=None, compare=False)
    """The name exactly as received, if `name` is a cleaned form of it; bytes that are
    not UTF-8 are surrogates, which no file of Home Assistant can hold."""

    @classmethod
    def of(
        cls,
        output: Slot,
        start: time,
        end: time,
        *,
        name: str,
        weekdays: Iterable[int] = range(7),
        speed: int = 0,
    ) -> Self:
        """Return a schedule that runs an output, by the controller's wall clock.

        `weekdays` are those on which it begins; 0 is Monday. The pump needs a `speed`
        in %. An end before the start is on the next day.
        """
        return cls(
            slot=output.index,
            aux_type=max(output.type_code, 0),
            start=minute_of_day(start),
            end=minute_of_day(end),
            weekdays=sum(1 << day for day in {*weekdays}),
            name=name,
            speed=speed,
        )

    @property
    def used(self) -> bool:
        """Whether the record holds a schedule: erased and impossible ones do not."""
        return self.slot < MAX_SLOTS and max(self.start, self.end) <= DAY

    @property
    def written_name(self) -> str:
        """The name to send: the displayed form never replaces the received one."""
        return self.name if self.received_name is None else self.received_name

    @property
    def begins_at(self) -> time:
        """The time of day at which it begins, by the controller's clock."""
        return wall_time(self.start)

    @property
    def ends_at(self) -> time:
        """The time of day at which it ends; 24:00 is 00:00."""
        return wall_time(self.end)

    @property
    def days(self) -> tuple[int, ...]:
        """The weekdays on which it begins; 0 is Monday."""
        return tuple(day for day in range(7) if self.weekdays >> day & 1)

    @property
    def stop(self) -> int:
        """End in minutes after the midnight before its start, up to 2880."""
        end = DAY if self.end == LAST_MINUTE else self.end
        return end if end > self.start or self.start == self.end else end + DAY

    @property
    def when(self) -> tuple[int, ...]:
        """The slot, the times and the weekdays."""
        return self.slot, self.start, self.end, self.weekdays

    @property
    def content(self) -> tuple[object, ...]:
        """Everything that a user sees of it, except whether it is enabled."""
        return *self.when, self.speed, self.name

    def same_as(self, other: Schedule | None) -> bool:
        """Return whether another schedule is the same to a user, enabled or not."""
        return other is not None and self.content == other.content

    def overlaps(self, other: Schedule) -> bool:
        """Return whether both would run at the same minute of some week."""
        return any(
            start < other_stop + shift and other_start + shift < stop
            for start, stop in self._runs()
            for other_start, other_stop in other._runs()
            # A run that began on Sunday may end on Monday.
            for shift in (-_WEEK, 0, _WEEK)
        )

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Return the runs of a week, in minutes since its first midnight."""
        for day in self.days if self.start != self.end else ():
            yield day * DAY + self.start, day * DAY + self.stop


def minute_of_day(at: time | datetime) -> int:
    """Return a time as whole minutes after midnight."""
    return at.hour * 60 + at.minute


def wall_time(minute: int) -> time:
    """Return a minute as the clock shows it: 24:00 is 00:00."""
    return time(*divmod(minute % DAY, 60))


BLANK = Schedule(slot=UNUSED_SLOT, aux_type=0, start=0, end=0, weekdays=0, name="")
"""Basis of a new schedule."""
UNUSED = replace(BLANK, enabled=False)
