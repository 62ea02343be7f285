"""The clock of the simulator, which can run fast, jump ahead and be set back."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
import time
from typing import ClassVar, Final

NOON: Final = 1_780_056_000.0
"""A Friday, 12:00 UTC, so that a test starts at the same hour whenever it runs."""


@dataclass(slots=True, eq=False)
class _Alarm:
    """A function to call when the clock reaches a time."""

    due: float
    ring: Callable[[], object]
    handle: asyncio.TimerHandle | None = None


class Clock:
    """Time for everything in the simulator, where a minute can take a millisecond.

    `speed` is the number of simulated seconds in a real one. The clock has no task of
    its own: a sleeper that is cancelled leaves nothing behind.
    """

    leapt: ClassVar[float] = 0.0
    """Seconds by which every clock is ahead, because a test skipped them."""

    # Class attributes, because freezegun replaces only the names in modules: the
    # simulator's time goes on while Home Assistant's time is frozen.
    _real_time = staticmethod(time.time)
    _real_monotonic = staticmethod(time.monotonic)

    def __init__(self, speed: float = 1.0, *, start: float | None = None) -> None:
        """Start at `start` (epoch seconds), by default at the real time."""
        self.speed = speed
        self._origin = self._real_monotonic() + self.leapt
        self._jumped = 0.0
        self._wall = self._real_time() if start is None else start
        self._alarms: set[_Alarm] = set()

    def monotonic(self) -> float:
        """Return the seconds since the clock was created; they never decrease."""
        passed = self._real_monotonic() + self.leapt - self._origin
        return passed * self.speed + self._jumped

    def time(self) -> float:
        """Return the seconds since the epoch, which `set_back` can reduce."""
        return self._wall + self.monotonic()

    @property
    def waiting(self) -> int:
        """Number of sleepers and timeouts that wait for this clock."""
        return len(self._alarms)

    @property
    def next_in(self) -> float | None:
        """Seconds until the first of them is due, `None` if there are none."""
        due = min((alarm.due for alarm in self._alarms), default=None)
        return None if due is None else max(0.0, due - self.monotonic())

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        alarm = self._set(seconds, lambda: _wake(done))
        try:
            await done
        finally:
            self._drop(alarm)

    @asynccontextmanager
    async def timeout(self, seconds: float) -> AsyncGenerator[None]:
        """Limit a block as `asyncio.timeout` does, in seconds of this clock."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(None) as limit:
            alarm = self._set(seconds, lambda: limit.reschedule(loop.time() - 1))
            try:
                yield
            finally:
                self._drop(alarm)

    def advance(self, seconds: float) -> None:
        """Jump ahead; sleepers that are due by then wake at once, in order."""
        self._jumped += seconds
        now = self.monotonic()
        for alarm in sorted(self._alarms, key=lambda alarm: alarm.due):
            if alarm.due <= now:
                self._ring(alarm)
            else:
                self._wind(alarm)

    def set_back(self, seconds: float) -> None:
        """Set the wall clock back; sleepers and `monotonic` are not affected."""
        self._wall -= seconds

    def _set(self, seconds: float, ring: Callable[[], object]) -> _Alarm:
        alarm = _Alarm(self.monotonic() + seconds, ring)
        self._alarms.add(alarm)
        self._wind(alarm)
        return alarm

    def _wind(self, alarm: _Alarm) -> None:
        """(Re)start the real timer behind an alarm."""
        if alarm.handle is not None:
            alarm.handle.cancel()
        delay = max(0.0, alarm.due - self.monotonic()) / self.speed
        loop = asyncio.get_running_loop()
        alarm.handle = loop.call_later(delay, self._ring, alarm)

    def _ring(self, alarm: _Alarm) -> None:
        self._drop(alarm)
        alarm.ring()

    def _drop(self, alarm: _Alarm) -> None:
        self._alarms.discard(alarm)
        if alarm.handle is not None:
            alarm.handle.cancel()


def _wake(done: asyncio.Future[None]) -> None:
    if not done.done():  # the sleeper may have been cancelled meanwhile
        done.set_result(None)
