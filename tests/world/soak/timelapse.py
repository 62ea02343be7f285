"""Simulated time over real sockets: whenever nothing is left to do, the clock jumps.

Time is frozen by freezegun, for Home Assistant, the integration and the event loop
alike. Where the event loop would sleep until its next timer is due, the clock is moved
there at once. So every timer fires exactly when it is due, in the right order, and a
week takes only as long as the work that is done in it.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from math import ceil
import time
from typing import Any, override
from unittest.mock import patch

import freezegun.api
from freezegun.api import FrozenDateTimeFactory

from tests.world.simulator import Clock

LOOKS = 3
"""Number of times that the sockets must be idle before the clock jumps: data sent to
loopback has arrived by then."""
CONNECT_PATIENCE = 0.005
"""Seconds of real time in which a connection is made or refused on a busy machine."""
THREAD_PATIENCE = 0.02
"""Seconds of real time given to threads at once; no clock jumps while one works."""


class SharedClock(Clock):
    """A clock of the simulator with the same time as Home Assistant.

    These methods look up the functions in `time`, which freezegun replaces.
    """

    @override
    @staticmethod
    def _real_time() -> float:
        return time.time()

    @override
    @staticmethod
    def _real_monotonic() -> float:
        return time.monotonic()


@contextmanager
def timelapse(frozen: FrozenDateTimeFactory) -> Generator[None]:
    """Let the running event loop jump from timer to timer."""
    loop: Any = asyncio.get_running_loop()
    look, run_in_executor = loop._selector.select, loop.run_in_executor
    in_threads: set[asyncio.Future[Any]] = set()
    # Cached, because it is read all the time and changes only here.
    monotonic = freezegun.api._get_fake_monotonic
    moment = [monotonic()]

    def select(timeout: float | None = None) -> Any:
        if timeout is None or loop._ready:
            return look(timeout)
        for _ in range(LOOKS):
            if events := look(0):
                return events
        if _connecting(loop._selector) and (events := look(CONNECT_PATIENCE)):
            return events
        if in_threads:
            return look(THREAD_PATIENCE)
        # A little past the timer: one that is due at exactly this time does not fire.
        frozen.tick((ceil(timeout * 1e6) + 1) / 1e6)
        moment[0] = monotonic()
        return []

    def tracked(*args: Any) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = run_in_executor(*args)
        in_threads.add(future)
        future.add_done_callback(in_threads.discard)
        return future

    with (
        patch.object(freezegun.api, "_get_fake_monotonic", lambda: moment[0]),
        patch.object(loop._selector, "select", select),
        patch.object(loop, "run_in_executor", tracked),
    ):
        yield


def _connecting(selector: Any) -> bool:
    """Return whether a socket waits to be connected, or to send."""
    return any(key.data[1] is not None for key in selector.get_map().values())
