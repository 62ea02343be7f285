"""Imagined time over real sockets: whenever nothing is left to do, the clock jumps.

Time is frozen by freezegun, for Home Assistant, the integration and the event loop
alike. The event loop would now sleep until its next timer is due; instead the clock is
moved there at once (loops.py), and a week lasts as long as the work that is done in it.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from math import ceil
import time
from typing import Final, override
from unittest.mock import patch

import freezegun.api
from freezegun.api import FrozenDateTimeFactory

from tests.loops import IdleLoop
from tests.simulator import Clock


class SharedClock(Clock):
    """The simulated world's clock on the same time as everybody else's.

    Functions of ours, because freezegun replaces what the module `time` holds.
    """

    @override
    @staticmethod
    def _real_time() -> float:
        return time.time()

    @override
    @staticmethod
    def _real_monotonic() -> float:
        return time.monotonic()


RESOLUTION: Final = 1e-6
"""s by which frozen time is read: a timer that is due at this very moment fires."""


class _Frozen:
    """Leaps of frozen time. A week has many: none of them waits."""

    def __init__(self, frozen: FrozenDateTimeFactory) -> None:
        self._frozen, self._ask = frozen, freezegun.api._get_fake_monotonic
        self.now = self._ask()

    def patience(self, seconds: float) -> float:
        return 0.0

    def pass_time(self, seconds: float) -> None:
        self._frozen.tick(ceil(seconds / RESOLUTION) * RESOLUTION)
        self.now = self._ask()


@contextmanager
def timelapse(frozen: FrozenDateTimeFactory) -> Generator[None]:
    """Let the running event loop jump from timer to timer."""
    loop, leap = asyncio.get_running_loop(), _Frozen(frozen)
    assert isinstance(loop, IdleLoop)
    # Everybody asks it all the time, and it changes only here.
    asked = patch.object(freezegun.api, "_get_fake_monotonic", lambda: leap.now)
    exact = patch.object(loop, "_clock_resolution", RESOLUTION)
    with asked, exact, loop.leaping(leap):
        yield
