"""Event loops that know when nobody on them can go on unless time passes.

Such a loop can tell (`idle`), and it can leap to its next timer instead of waiting for
it. So every timer fires when it is due, in the right order, and only work takes real
time. Sockets and threads are real: the loop waits for both before it leaps.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
import selectors
import time
from typing import Final, override

import pytest

from custom_components.poolctl.client import clock as clock_module
from tests.simulator import Clock

GRACE: Final = 0.001
"""Real seconds in which what was sent over loopback has come."""
CONNECT_PATIENCE: Final = 0.005
"""Real seconds a connection has to come about, or to be refused, on a busy machine."""
PER_SECOND: Final = 0.005
MOST: Final = 0.02
"""Real seconds more to look for what comes ahead of a leap, for each of its seconds and at
most: what runs into a time-out that nobody waited for fails."""

type Events = list[tuple[selectors.SelectorKey, int]]

_REAL_MONOTONIC: Final = time.monotonic


def _monotonic() -> float:
    return _REAL_MONOTONIC() + Clock.leapt


def _steady() -> float:
    """Return a monotonic time that leaps no more than the time of day does."""
    leapt = Clock.leapt if time.monotonic is _monotonic else 0.0
    return time.monotonic() - leapt


clock_module.steady_clock = _steady


class _Selector(selectors.DefaultSelector):
    """Calls those who wait for it when there is nothing to select, or leaps."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = 0
        self.waiting: list[asyncio.Future[None]] = []

    @override
    def select(self, timeout: float | None = None) -> Events:
        # The loop does not wait here as long as it has anything to call.
        if timeout == 0 or self.jobs:
            return super().select(timeout)
        if self.waiting:
            return super().select(GRACE) or self._tell()
        if timeout is None or time.monotonic is not _monotonic:
            return super().select(timeout)
        due = time.monotonic() + timeout
        if not (events := super().select(self._patience(timeout))):
            Clock.leapt += max(0.0, due - time.monotonic())
        return events

    def _patience(self, seconds: float) -> float:
        """Return for how many real seconds something may come before such a leap."""
        patience = min(seconds, GRACE + min(seconds * PER_SECOND, MOST))
        if any(key.data[1] is not None for key in self.get_map().values()):
            return max(patience, CONNECT_PATIENCE)  # or it waits to send
        return patience

    def _tell(self) -> Events:
        for waiter in self.waiting:
            if not waiter.done():
                waiter.set_result(None)
        self.waiting.clear()
        return []


class LeapingLoop(asyncio.SelectorEventLoop):
    """asyncio's usual loop, with `idle`, and with leaps.

    It leaps in what `time.monotonic` and simulated clocks tell. The time of day stays
    real. What somebody freezes stands still here, too.
    """

    def __init__(self) -> None:
        self._watched = _Selector()
        super().__init__(self._watched)

    @override
    def run_forever(self) -> None:
        if time.monotonic is _REAL_MONOTONIC:
            time.monotonic = _monotonic
        try:
            super().run_forever()
        finally:
            if time.monotonic is _monotonic:
                time.monotonic = _REAL_MONOTONIC

    async def idle(self) -> None:
        """Wait until nothing is to be called, read or written, and no thread works.

        Who sleeps goes on sleeping: that is what nothing is done about here.
        """
        waiter = self.create_future()
        self._watched.waiting.append(waiter)
        await waiter

    @property
    def threads_work(self) -> bool:
        """Whether a thread has something to do for this loop."""
        return self._watched.jobs > 0

    @override
    def run_in_executor[*Ts, T](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        job = super().run_in_executor(executor, func, *args)
        self._watched.jobs += 1
        job.add_done_callback(lambda _: self._finished())
        return job

    @override
    async def shutdown_default_executor(self, timeout: float | None = 300) -> None:
        # It waits for a thread that is no job of the executor.
        self._watched.jobs += 1
        try:
            await super().shutdown_default_executor(timeout)
        finally:
            self._finished()

    def _finished(self) -> None:
        self._watched.jobs -= 1


def never_waiting(
    config: pytest.Config, item: pytest.Item
) -> dict[str, type[asyncio.AbstractEventLoop]]:
    """Say as a `pytest_asyncio_loop_factories` that tests wait for other processes alone."""
    if item.get_closest_marker("real_time"):
        return {"real": asyncio.SelectorEventLoop}
    return {"leaping": LeapingLoop}
