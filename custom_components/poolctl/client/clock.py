"""Which time is it? One clock for all controllers; its rules are chosen."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
import time

AGREEMENT = 30.0
"""Seconds by which two times that agree may differ: an answer takes a while, and clock
synchronisation makes smaller corrections all the time."""
QUIET = 10 * 60.0
"""Seconds without another jump after which the wall clock counts again."""
DENIED = 24 * 60 * 60.0
"""The same in seconds if the service reports another time than the wall clock."""
LONG_STOP = timedelta(days=30)
"""Longest stop of Home Assistant that its clock alone proves at a start. What ended
longer ago than that is not undone by itself."""

type Seconds = Callable[[], float]
type _Moment = tuple[float, float]
"""A Unix time, and the time of the monotonic clock then."""


def wall_clock() -> float:
    """Return this machine's time in Unix seconds; it may be wrong."""
    return time.time()


def steady_clock() -> float:
    """Return the seconds since a fixed moment, to compare the wall clock with."""
    return time.monotonic()


class Clock:
    """The time: the wall clock, as long as nothing speaks against it.

    At a start it counts unless it lies before the newest stored moment, or `LONG_STOP`
    after it: then that moment goes on. In a run it counts until it jumps: then time goes
    on, until the service's `Date` agrees with the wall clock, or until it has not jumped
    for ten minutes (a day if the service denies it), but never while it lies before the
    stored moment.

    What has a length moves with the corrections of a run.
    """

    def __init__(
        self,
        *,
        since: float | None = None,
        wall: Seconds | None = None,
        steady: Seconds | None = None,
    ) -> None:
        """Start; `since` is the newest stored moment in Unix seconds, if there is one."""
        self._wall = wall or wall_clock
        self.steady = steady or steady_clock
        self._compared = self._wall(), self.steady()
        """Both clocks at their last comparison."""
        self._floor = since or 0.0, self._compared[1]
        """The earliest possible time."""
        stopped = 0.0 if since is None else self._compared[0] - since
        self._trusted = -AGREEMENT <= stopped <= LONG_STOP.total_seconds()
        self._known = self._trusted
        """Whether anything but the stored moment was used for the time."""
        self._base = self._compared if self._trusted else self._floor
        """The newest moment from which the monotonic clock measures the time."""
        self._origin = self._started = self._base
        """The same of the start, as it was first known, and as it is known now."""
        self._service: _Moment | None = None
        """The newest `Date` of the service."""
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
        """Whether the wall clock counts."""
        self._compare()
        return self._trusted

    @property
    def known(self) -> bool:
        """Whether the time is known. A long stop leaves only the earliest one."""
        self._compare()
        return self._known

    @property
    def ahead(self) -> timedelta:
        """How far the wall clock is ahead of the time, or of the service's if it counts.

        0 if that is uncertain.
        """
        wall, ours = self._wall(), self.time()
        by_service = self._trusted or (not self._known and wall > ours)
        right = self.service_time if by_service else ours
        if right is None or abs(wall - right) <= AGREEMENT:
            return timedelta()
        return timedelta(seconds=wall - right)

    def time(self) -> float:
        """Return the time in Unix seconds; only a corrected jump turns it back."""
        _, now = self._compare()  # it may move the base
        return self._since(self._base, now)

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return datetime.fromtimestamp(self.time(), UTC)

    @property
    def service_time(self) -> float | None:
        """The service's time in Unix seconds, `None` if it did not report any."""
        return self._service and self._since(self._service, self.steady())

    @property
    def corrections(self) -> tuple[timedelta, timedelta]:
        """By how much the time was corrected in this run, and how much of that is stop.

        The service's `Date` may show that a stop was longer: what ended in it is over.
        """
        self._compare()
        offset, origin, started = (
            known[0] - known[1] for known in (self._base, self._origin, self._started)
        )
        return timedelta(seconds=offset - origin), timedelta(seconds=started - origin)

    def confirm(self, date: str | None) -> None:
        """Compare the clock with the service's `Date` header; ignore an invalid one."""
        try:
            service = parsedate_to_datetime(date or "").timestamp()
        except ValueError, OverflowError:
            return
        wall, now = self._compare()
        self._service = service, now
        if abs(service - wall) <= AGREEMENT:
            self._trust(wall, now)
        elif self._known:
            self._patience = DENIED
            return
        else:
            floor = self._since(self._floor, now)
            possible = [t for t in (service, wall) if t >= floor - AGREEMENT]
            self._base = max(min(possible, default=floor), floor), now
            self._known, self._patience = bool(possible), DENIED
        if self._base[0] - self._since(self._started, now) > AGREEMENT:
            self._started = self._base

    def _compare(self) -> _Moment:
        wall, now = self._wall(), self.steady()
        jumped = abs(wall - self._since(self._compared, now)) > AGREEMENT
        self._compared = wall, now
        if jumped:
            self._quiet_since, self._patience, self._trusted = now, QUIET, False
            expected = self._since(self._base, now)
            self._jumped = abs(wall - expected) > AGREEMENT
            if not self._jumped:
                self._trust(max(wall, expected), now)
        elif self._trusted:
            # A small correction does not turn the time back: what is over stays so.
            self._base = max(wall, self._base[0]), now
        elif (
            now - self._quiet_since >= self._patience
            and wall >= self._since(self._floor, now) - AGREEMENT
        ):
            self._trust(wall, now)
            self._service = None  # it may be older than a sleep of this machine
        return wall, now

    def _trust(self, wall: float, now: float) -> None:
        self._base, self._trusted, self._known = (wall, now), True, True
        self._jumped = False

    @staticmethod
    def _since(known: _Moment, now: float) -> float:
        """Return the current Unix time from an earlier pair of both clocks' times."""
        return known[0] + now - known[1]
