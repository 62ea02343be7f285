"""The schedules of a controller (protocol.md O3 and O4)."""

from collections.abc import Iterator, Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

from .dialects import Dialect

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
        return self.slot != UNUSED_SLOT

    def active(self, now: datetime) -> bool:
        """Return whether the schedule runs at a local time.

        If it ends before it starts, it runs past midnight and belongs to the day of its
        start. 23:59 is the latest end of a day, and means midnight.
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
    """Return the number (1 to 20) of the first schedule that runs each slot."""
    numbers: dict[int, int] = {}
    for number, schedule in enumerate(schedules, 1):
        if schedule.active(now):
            numbers.setdefault(schedule.slot, number)
    return numbers


def reported(records: list[Schedule], dialects: AbstractSet[str]) -> Iterator[Schedule]:
    """Return the records as a controller lists them (protocol.md L16)."""
    if Dialect.SCHEDULES_ODD in dialects and not any(r.used for r in records[-2:]):
        records = [*records[:-2], *_ODD]
    if Dialect.SCHEDULES_MORE in dialects:
        records = [*records, *[_MORE] * 4]
    for record in records:
        if Dialect.SCHEDULES_TO_24 in dialects and record.end == MINUTES_A_DAY - 1:
            yield replace(record, end=MINUTES_A_DAY)
        elif Dialect.SCHEDULES_ERASED in dialects and not record.used:
            yield _ERASED
        else:
            yield record


_ERASED = Schedule(255, 255, 255, 255, 0xFFFF, 0xFFFF, 255, "", True)
_ODD = (
    Schedule(25, 1, 0, 0, 480, 600, 127, "Not fitted", True),
    Schedule(3, 1, 0, 0, 480, 480, 127, "Never", True),
)
_MORE = Schedule(3, 1, 0, 0, 480, 600, 127, "One more", True)
