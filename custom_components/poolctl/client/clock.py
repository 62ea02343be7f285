"""The trusted time: our clock may jump, and the controller's clock may differ from it.

All rules here are chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
import time
from typing import Annotated

from .bounds import Within
from .occurrences import moment
from .wire.schedule import Schedule

AGREEMENT = 30.0
"""Seconds by which two times that agree may differ: an answer takes a while, and clock
synchronisation makes smaller corrections all the time."""
QUIET = 10 * 60.0
"""Seconds without another jump after which the wall clock is trusted again."""
DENIED = 24 * 60 * 60.0
"""The same in seconds if the service reports another time than the wall clock."""

STOP = 35 * 60 * 60.0
"""Longest stop of Home Assistant in seconds after which the wall clock is trusted at
once: signing by a clock that is further ahead would lock out all other clients."""

type Seconds = Callable[[], float]


def wall_clock() -> float:
    """Return this machine's time in Unix seconds; it may be wrong."""
    return time.time()


def steady_clock() -> float:
    """Return the seconds since a fixed moment, to compare the wall clock with."""
    return time.monotonic()


class Clock:
    """The trusted time: the last trusted moment plus the monotonic time since then.

    The wall clock is trusted until it jumps, and after a start if it lies at most `STOP`
    after the last trusted moment of an earlier run. Otherwise it is trusted once it
    agrees with the trusted time or the service's time, or has not jumped for ten minutes
    (for a day if the service reports another time), but never while it lies before that
    moment.
    """

    def __init__(
        self,
        *,
        since: float | None = None,
        wall: Seconds | None = None,
        steady: Seconds | None = None,
    ) -> None:
        """Start from the wall clock, or from the last trusted moment of an earlier run.

        `since` is in Unix seconds. The true time is later by an unknown amount.
        """
        self._wall = wall or wall_clock
        self._steady = steady or steady_clock
        self._compared = self._wall(), self._steady()
        """Both clocks at their last comparison."""
        self._floor = since or 0.0, self._compared[1]
        """The earliest possible time: an earlier run trusted it."""
        stopped = 0.0 if since is None else self._compared[0] - since
        self._trusted = -AGREEMENT <= stopped <= STOP
        self._wrong = stopped < -AGREEMENT
        """Whether the wall clock was certainly wrong; a long stop proves nothing."""
        self._base = self._compared if self._trusted else self._floor
        """The newest trusted moment: its Unix time and the time of the steady clock."""
        self._proven = self._base
        """The newest moment that was proven, in the same form."""
        self._confirmed = False
        """Whether the trusted time is derived from the service's, not assumed."""
        self._quiet_since, self._patience = self._compared[1], QUIET
        self._jumped = False
        """Whether a jump is unresolved that the listeners do not know of."""
        self._listeners: list[Callable[[], None]] = []

    def add_listener(self, jumped: Callable[[], None]) -> Callable[[], None]:
        """Let `check` call `jumped` after a jump; return a function that stops it."""
        self._listeners.append(jumped)
        return lambda: self._listeners.remove(jumped)

    def check(self) -> None:
        """Compare the clocks, and call the listeners once after an unresolved jump."""
        self._compare()
        if self._jumped:
            self._jumped = False
            for listener in tuple(self._listeners):
                listener()

    @property
    def trusted(self) -> bool:
        """Whether the wall clock is trusted; otherwise it is not used."""
        self._compare()
        return self._trusted

    @property
    def known(self) -> bool:
        """Whether the trusted time is known. A long stop leaves only the earliest one."""
        self._compare()
        return self._base is not self._floor

    @property
    def ahead(self) -> timedelta:
        """How far the wall clock is ahead of the trusted time, 0 if uncertain."""
        wall, now = self._compare()
        if not self._wrong:
            return timedelta()
        return timedelta(seconds=wall - self._since(self._base, now))

    def time(self) -> float:
        """Return the trusted time in Unix seconds."""
        _, now = self._compare()  # it may move the base
        return self._since(self._base, now)

    def now(self) -> datetime:
        """Return the trusted time, in UTC."""
        return datetime.fromtimestamp(self.time(), UTC)

    def proven(self) -> datetime:
        """Return the time that the monotonic clock measured since a proven moment.

        Unlike the trusted time, it does not follow a wall clock that is far ahead and
        was merely quiet.
        """
        _, now = self._compare()
        return datetime.fromtimestamp(self._since(self._proven, now), UTC)

    def confirm(self, date: str | None) -> None:
        """Compare the clock with the service's `Date` header; ignore an invalid one."""
        try:
            service = parsedate_to_datetime(date or "").timestamp()
        except ValueError, OverflowError:
            return
        wall, now = self._compare()
        if abs(service - wall) <= AGREEMENT:
            self._trust(wall, now)
            self._proven, self._confirmed = self._base, True
        elif not self._confirmed:
            self._trusted, self._wrong = False, True
            self._quiet_since, self._patience = now, DENIED
            floor = self._since(self._floor, now)
            possible = [t for t in (service, wall) if t >= floor - AGREEMENT]
            if possible:
                # Signing with the earlier of the two locks out no client.
                self._base = self._proven = max(min(possible), floor), now
        elif not self._trusted:
            self._patience = DENIED

    def _compare(self) -> tuple[float, float]:
        wall, now = self._wall(), self._steady()
        jumped = abs(wall - self._since(self._compared, now)) > AGREEMENT
        self._compared = wall, now
        if jumped:
            self._quiet_since, self._patience = now, QUIET
            self._trusted, self._wrong = False, True
            if abs(wall - self._since(self._base, now)) <= AGREEMENT:
                self._trust(wall, now)
            else:
                self._jumped = True
        elif self._trusted:
            self._base = wall, now
        elif (
            now - self._quiet_since >= self._patience
            and wall >= self._since(self._floor, now) - AGREEMENT
        ):
            self._trust(wall, now)
            self._confirmed = False
            if wall - self._since(self._proven, now) <= STOP:
                self._proven = self._base
        return wall, now

    def _trust(self, wall: float, now: float) -> None:
        self._base, self._trusted, self._jumped = (wall, now), True, False

    @staticmethod
    def _since(known: tuple[float, float], now: float) -> float:
        """Return the current Unix time from an earlier pair of both clocks' times."""
        return known[0] + now - known[1]


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

    def began(self, index: int, schedule: Schedule, at: datetime, zone: tzinfo) -> bool:
        """Note the start of a schedule: the same difference three times is the offset.

        Returns whether this start set the offset.
        """
        today = at.astimezone(zone).date()
        days = [today + timedelta(days=each) for each in (-1, 0, 1)]
        starts = [
            moment(day, schedule.start, zone)
            for day in days
            if day.weekday() in schedule.days
        ]
        start = min(starts, key=lambda each: abs(each - at), default=None)
        if start is None or abs(start - at) > _HALF_A_DAY:
            return False
        if self._days.get(index) == (day := start.toordinal()):
            return False  # the same run, continued
        self._days[index] = day
        self.differences = (*self.differences, start - at)[-_TIMES:]
        spread = max(self.differences) - min(self.differences)
        if len(self.differences) < _TIMES or spread > SAME:
            return False
        self.offset = self.differences[-1]
        return True


@dataclass(frozen=True, slots=True)
class Times:
    """The trusted time, and the time of the controller's clock."""

    clock: Clock
    zone: Callable[[], tzinfo]
    """Returns the time zone of the pool."""
    controller: ControllerClock

    @property
    def now(self) -> datetime:
        """The trusted time in UTC."""
        return self.clock.now()

    @property
    def proven(self) -> datetime:
        """The proven time in UTC, by which promises of an earlier run end."""
        return self.clock.proven()

    @property
    def offset(self) -> timedelta:
        """How far the controller's clock is ahead of the trusted time."""
        return self.controller.offset or timedelta()

    @property
    def local(self) -> datetime:
        """The local time of the controller's clock."""
        return self.now.astimezone(self.zone()) + self.offset
