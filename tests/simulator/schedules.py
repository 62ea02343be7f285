"""The schedules of a controller (layouts.md 3 and 4)."""

from dataclasses import dataclass
from datetime import datetime

MINUTES_A_DAY = 1440
COUNT = 20
UNUSED_SLOT = 99


@dataclass(slots=True)
class Schedule:
    """One of the 20 records; `start` and `end` are minutes after midnight."""

    slot: int = UNUSED_SLOT
    aux_type: int = 0
    turnover: int = 0
    speed: int = 0
    start: int = 0
    end: int = 0
    weekdays: int = 0  # bit 0 = Monday
    name: str = ""
    enabled: bool = False

    @property
    def used(self) -> bool:
        """Whether the record holds a schedule."""
        return self.slot != UNUSED_SLOT

    def active(self, now: datetime) -> bool:
        """Whether the schedule runs at a local time.

        One that ends before it starts runs over midnight and belongs to the day it
        started on. 23:59 is the last end a day has: it means midnight.
        """
        if not (self.enabled and self.used):
            return False
        minute = now.hour * 60 + now.minute
        today = self.weekdays >> now.weekday() & 1
        yesterday = self.weekdays >> (now.weekday() - 1) % 7 & 1
        end = MINUTES_A_DAY if self.end == MINUTES_A_DAY - 1 else self.end
        if self.start <= end:
            return bool(today) and self.start <= minute < end
        return (bool(today) and minute >= self.start) or (
            bool(yesterday) and minute < end
        )


def running(schedules: list[Schedule], now: datetime) -> dict[int, int]:
    """Which schedule number (1 to 20) runs each slot; the first one wins."""
    numbers: dict[int, int] = {}
    for number, schedule in enumerate(schedules, 1):
        if schedule.active(now):
            numbers.setdefault(schedule.slot, number)
    return numbers
