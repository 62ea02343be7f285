"""An event loop that leaps to its next timer instead of waiting for it.

Every timer fires when it is due, in the right order, and only work takes real time.
Sockets and threads are real: the loop waits for both before it leaps. With `idle`, a
test waits until nothing can go on unless time passes.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
import selectors
import time
from typing import Final, override

import pytest

from custom_components.poolctl.client import clock as clock_module
from tests.world.simulator import Clock

GRACE: Final = 0.001
"""Real seconds in which data sent over loopback arrives."""
CONNECT_PATIENCE: Final = 0.005
"""Real seconds in which a connection is made or refused, on a busy machine."""
PER_SECOND: Final = 0.005
MOST: Final = 0.02
"""Extra real seconds to wait for data before a leap: per second of it, and at most.
Otherwise data that is under way could run into a time-out."""

type Events = list[tuple[selectors.SelectorKey, int]]

_REAL_MONOTONIC: Final = time.monotonic


def _monotonic() -> float:
    return _REAL_MONOTONIC() + Clock.leapt


def _steady() -> float:
    """Return a monotonic time that leaps no more than the time of day does."""
    leapt = Clock.leapt if time.monotonic is _monotonic else 0.0
    return time.monotonic() - leapt


clock_module.steady_clock = _steady


def _waits_only(read: asyncio.Handle | None) -> bool:
    """Return whether a reader is of a listening socket, or of the loop itself."""
    callback = getattr(read, "_callback", None)
    name = getattr(callback, "__name__", "")
    return name in ("_accept_connection", "_read_from_self")


class _Selector(selectors.DefaultSelector):
    """Selector that wakes the waiters of `idle`, or leaps, when nothing is ready."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = 0
        self.waiting: list[asyncio.Future[None]] = []

    @override
    def select(self, timeout: float | None = None) -> Events:
        # With a timeout of 0, the loop has something to call.
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
        """Return how many real seconds to wait for data before such a leap."""
        handles = [key.data for key in self.get_map().values()]
        if all(to_write is None and _waits_only(read) for read, to_write in handles):
            return 0.0  # there is no connection on which data could be under way
        patience = min(seconds, GRACE + min(seconds * PER_SECOND, MOST))
        if any(to_write is not None for _, to_write in handles):
            return max(patience, CONNECT_PATIENCE)  # it connects, or waits to send
        return patience

    def _tell(self) -> Events:
        for waiter in self.waiting:
            if not waiter.done():
                waiter.set_result(None)
        self.waiting.clear()
        return []


class LeapingLoop(asyncio.SelectorEventLoop):
    """asyncio's usual loop, with `idle`, and with leaps.

    A leap advances `time.monotonic` and simulated clocks; the time of day stays real.
    While a test freezes time, the loop does not leap.
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
        """Wait until there is nothing to call, read or write, and no thread works.

        Tasks that sleep go on sleeping.
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
        # It waits for a thread that is not a job of the executor.
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
    """Return the loop of a test: a real one only where it waits for other processes."""
    if item.get_closest_marker("real_time"):
        return {"real": asyncio.SelectorEventLoop}
    return {"leaping": LeapingLoop}
