"""Doses today: the controller's own counts, corrected for midnights and restarts.

The controller counts the doses of its day (`current_dose_today`, protocol.md O4). Its
midnight may differ by minutes from Home Assistant's, and after a restart its count may
start at 0 in the middle of a day. So the increases of its count are added up here, and
the sum starts at 0 with Home Assistant's day. The rules are chosen:

- A count lower than the previous one has restarted at 0, at the controller's midnight
  or with the controller: all of it is new. A lower count that was reported within two
  minutes of the higher one may be an older copy from the cloud, and is ignored.
- If one count was reported before midnight and the next one an hour after midnight or
  later, the controller's midnight lies between them: all of the later count is today's.

A count that has restarted and has the same value when it is next reported, minutes
later, cannot be distinguished from an unchanged count: those doses are not counted.
"""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Annotated, NamedTuple, Self

from ..client.codec import Within
from ..client.pool.parts import Doser
from .read import COPY_MARGIN, MIDNIGHT_MARGIN, of_today, start_of_day

type _Count = Annotated[int, Within(0, 10_000)]


class Reported(NamedTuple):
    """A count, and when the controller reported it."""

    doses: _Count
    at: datetime


@dataclass(frozen=True, slots=True)
class DoseCount:
    """The doses of the day on which the controller last reported its count."""

    today: _Count
    last: Reported

    @classmethod
    def from_first(cls, reported: Reported) -> Self:
        """Begin with the first count: all of it is today's."""
        return cls(reported.doses, reported)

    def with_report(self, reported: Reported, zone: tzinfo | None) -> Self:
        """Return the count after another report of the controller."""
        if (gained := self.gained(reported, zone)) is None:
            return self
        same_day = self.last.at >= _midnight(reported.at, zone)
        return type(self)(gained + (self.today if same_day else 0), reported)

    def gained(self, reported: Reported, zone: tzinfo | None) -> int | None:
        """Return the doses since the previous count, `None` if this one is ignored."""
        previous = self.last
        lower = reported.doses < previous.doses
        if reported.at == previous.at or (
            lower and abs(reported.at - previous.at) < COPY_MARGIN
        ):
            return None
        midnight = _midnight(reported.at, zone)
        anew = previous.at < midnight and reported.at >= midnight + MIDNIGHT_MARGIN
        return reported.doses if lower or anew else reported.doses - previous.doses

    def at(self, now: datetime) -> int | None:
        """Return the doses of the current day so far, at a local time."""
        return of_today(self.today, self.last.at, now)


def reported_count(doser: Doser) -> Reported | None:
    """Return the last count that the controller reported."""
    if doser.doses is None or doser.doses_at is None:
        return None
    return Reported(doser.doses, doser.doses_at)


def _midnight(at: datetime, zone: tzinfo | None) -> datetime:
    return start_of_day(at.astimezone(zone).date(), zone)
