"""Event loops that know when nobody on them can go on unless time passes.

Such a loop can tell (`idle`), and it can leap to its next timer instead of waiting for
it. So every timer fires when it is due, in the right order, and only work takes real
time. Sockets and threads are real: the loop waits for both before it leaps.
"""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
import selectors
import time
from typing import Final, Protocol, override

import pytest

from tests.simulator import Clock

GRACE: Final = 0.001
"""Real seconds in which what was sent over loopback has come."""
LOOKS: Final = 3
"""How often the sockets are looked at where no real time shall be lost: nearly always,
what was sent to loopback has arrived by then."""
CONNECT_PATIENCE: Final = 0.005
"""Real seconds a connection has to come about, or to be refused, on a busy machine."""

type Events = list[tuple[selectors.SelectorKey, int]]


class Leap(Protocol):
    """How time passes that nobody waits for."""

    def patience(self, seconds: float) -> float | None:
        """Return for how many real seconds something may come before such a leap.

        `None`: there is none; time is real, or stands still.
        """

    def pass_time(self, seconds: float) -> None:
        """Let it pass for everybody."""


class _Selector(selectors.DefaultSelector):
    """Calls those who wait for it when there is nothing to select, or leaps."""

    def __init__(self, leap: Leap | None) -> None:
        super().__init__()
        self.leap = leap
        self.jobs = 0
        self.waiting: list[asyncio.Future[None]] = []

    @override
    def select(self, timeout: float | None = None) -> Events:
        # The loop does not wait here as long as it has anything to call.
        if timeout == 0 or self.jobs:
            return super().select(timeout)
        if self.waiting:
            return super().select(GRACE) or self._tell()
        if timeout is None or self.leap is None:
            return super().select(timeout)
        if (patience := self.leap.patience(timeout)) is None:
            return super().select(timeout)
        due = time.monotonic() + timeout
        if not (events := self._look(patience)):
            self.leap.pass_time(max(0.0, due - time.monotonic()))
        return events

    def _look(self, patience: float) -> Events:
        """Look for what has come, or comes."""
        for _ in range(LOOKS):
            if events := super().select(0):
                return events
        if any(key.data[1] is not None for key in self.get_map().values()):
            patience = max(patience, CONNECT_PATIENCE)  # or it waits to send
        return super().select(patience) if patience else []

    def _tell(self) -> Events:
        for waiter in self.waiting:
            if not waiter.done():
                waiter.set_result(None)
        self.waiting.clear()
        return []


class IdleLoop(asyncio.SelectorEventLoop):
    """asyncio's usual loop, `idle`, and leaps."""

    def __init__(self, leap: Leap | None = None) -> None:
        self._watched = _Selector(leap)
        super().__init__(self._watched)

    async def idle(self) -> None:
        """Wait until nothing is to be called, read or written, and no thread works.

        Who sleeps goes on sleeping: that is what nothing is done about here.
        """
        waiter = self.create_future()
        self._watched.waiting.append(waiter)
        await waiter

    @contextmanager
    def leaping(self, leap: Leap) -> Generator[None]:
        """Leap for a while, or in another way."""
        before, self._watched.leap = self._watched.leap, leap
        try:
            yield
        finally:
            self._watched.leap = before

    @override
    def run_in_executor[*Ts, T](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        job = super().run_in_executor(executor, func, *args)
        self._watched.jobs += 1
        job.add_done_callback(lambda _: self._finished())
        return job

    def _finished(self) -> None:
        self._watched.jobs -= 1


class LeapingLoop(IdleLoop):
    """Leaps in what `time.monotonic` and simulated clocks tell.

    The time of day stays real. What somebody freezes stands still here, too; it must not
    thaw before the test ends, for then the real `time.monotonic` comes back.
    """

    def __init__(self) -> None:
        super().__init__(_Monotonic())

    @override
    def run_forever(self) -> None:
        if time.monotonic is _REAL_MONOTONIC:
            time.monotonic = _monotonic
        try:
            super().run_forever()
        finally:
            if time.monotonic is _monotonic:
                time.monotonic = _REAL_MONOTONIC


_REAL_MONOTONIC: Final = time.monotonic


def _monotonic() -> float:
    return _REAL_MONOTONIC() + Clock.leapt


class _Monotonic:
    """Leaps for everybody who asks `time.monotonic`.

    What runs into a time-out that nobody waited for fails: the longer the leap, the
    longer it is looked whether something comes, on a machine that has much else to do.
    """

    PER_SECOND: Final = 0.005
    MOST: Final = 0.02

    def patience(self, seconds: float) -> float | None:
        if time.monotonic is not _monotonic:
            return None
        return min(seconds, max(GRACE, min(seconds * self.PER_SECOND, self.MOST)))

    def pass_time(self, seconds: float) -> None:
        Clock.leapt += seconds


def never_waiting(
    config: pytest.Config, item: pytest.Item
) -> dict[str, type[asyncio.AbstractEventLoop]]:
    """Say as a `pytest_asyncio_loop_factories` that tests wait for other processes alone."""
    if item.get_closest_marker("real_time"):
        return {"real": asyncio.SelectorEventLoop}
    return {"leaping": LeapingLoop}
