"""What is undone later, of all kinds: when something is due, and the loop that undoes it."""

import logging
import time
from typing import Final, Protocol

from .backoff import NO_FAILURES, Backoff

_LOGGER = logging.getLogger(__name__)

_AFTER_WORK = 1.0
"""Seconds to wait after work, so that it never becomes a loop."""
FAULT_AGAIN: Final = Backoff(60.0, 60.0)


class Claimant(Protocol):
    """An owner of claims that end by themselves: holds, pauses, heat, *Warm by*."""

    @property
    def wait(self) -> float | None:
        """Seconds until `work` is due; `None` if nothing ends by itself."""

    async def work(self) -> object:
        """Undo what is due."""


class Undoing:
    """Works for its claimants, one after the other."""

    def __init__(self, *claimants: Claimant) -> None:
        self.claimants: Final = [*claimants]
        self._faults = NO_FAILURES
        self._not_before = 0.0
        """Earliest time of the next work (monotonic, s)."""

    def rest(self, seconds: float) -> None:
        """Let no work be due for some seconds."""
        self._not_before = time.monotonic() + seconds

    @property
    def wait(self) -> float | None:
        """Seconds until `work` is due, 0 or less if it is; `None` if nothing ends."""
        waits = [wait for each in self.claimants if (wait := each.wait) is not None]
        return max(min(waits), self._not_before - time.monotonic()) if waits else None

    async def work(self) -> None:
        """Undo what is due. An unexpected error of one claimant stops no other."""
        errors: list[Exception] = []
        for claimant in self.claimants:
            try:
                await claimant.work()
            except Exception as err:  # noqa: BLE001
                errors.append(err)
        if errors and not self._faults.count:
            _LOGGER.error("Unexpected error; trying again", exc_info=errors[0])
        at = time.monotonic()
        self._faults = self._faults.failed(FAULT_AGAIN, at) if errors else NO_FAILURES
        self.rest(self._faults.wait if errors else _AFTER_WORK)
