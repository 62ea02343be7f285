"""Releasing: due holds, retries, and holds that must not be left behind."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
import logging
import time

from ..wire.exceptions import (
    BusyError,
    CannotReleaseError,
    PoolctlError,
    UnreachableError,
)
from .book import Book
from .ends import next_end
from .hold import End, Hold, State
from .machine import Event, after
from .means import Means
from .times import Times

_LOGGER = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 60.0, 900.0
"""Seconds until a failed release is repeated, doubled each time."""
CANNOT_WAIT = 6 * 3600.0
"""Longest wait in s if none of our commands releases it: other firmware may do so."""
OVERDUE = 3600.0
"""Seconds after its end from which a hold is a problem."""
OLD = timedelta(days=30)
"""Time after its end from which nothing is undone by itself: after an old backup was
restored, nobody expects that any more. It is shown with what a user can do."""
_LEAVING = 10.0
"""Seconds to release holds before the means of releasing them is lost."""


def retry_wait(tries: int, *, cannot: bool = False) -> float:
    """Return the seconds until the next attempt after so many failures.

    With `cannot`, the controller refused every command to release it. That may pass, or
    last until it has other firmware.
    """
    first, longest = FIRST_WAIT, LONGEST_WAIT
    if cannot:
        first, longest = LONGEST_WAIT, CANNOT_WAIT
    return min(first * 2.0**tries, longest)


def is_old(until: datetime | None, now: datetime) -> bool:
    """Return whether an end is so long ago that nothing is undone by itself."""
    return until is not None and now - until > OLD


class Releases:
    """Releases the holds of one controller."""

    def __init__(self, book: Book, means: Means, times: Times) -> None:
        """Prepare; nothing is released yet."""
        self._book = book
        self._means = means
        self._times = times

    @property
    def overdue(self) -> tuple[Hold, ...]:
        """Holds that a user must release: long after their end, or without a LAN."""
        late = time.monotonic() - OVERDUE
        return tuple(
            hold
            for hold in self._book.shown
            if (hold.due_at is not None and hold.due_at <= late)
            or self._is_old(hold)
            or (self._ours(hold) and not self._releasable_later(hold))
        )

    @property
    def wait(self) -> float | None:
        """Seconds until work is due; `None` if nothing ends by itself."""
        now, at = self._times.now, time.monotonic()
        waits = [
            0.0 if hold.unsent else next_end(hold, now, at)
            for hold in self._book.all
            if hold.unsent
            or hold.state is State.ACTIVE
            or (hold.state in (State.DUE, State.STUCK) and self._releasable(hold))
        ]
        return min((wait for wait in waits if wait is not None), default=None)

    @property
    def due(self) -> list[Hold]:
        """Holds whose end has come, and that the present source's path can release."""
        at = time.monotonic()
        return [
            hold
            for hold in self._book.all
            if hold.state in (State.DUE, State.STUCK)
            and not self._book.is_switching(hold.slot)
            and (hold.retry_at is None or hold.retry_at <= at)
            and self._releasable(hold)
        ]

    def _is_old(self, hold: Hold) -> bool:
        return is_old(hold.until, self._times.now)

    def _releasable(self, hold: Hold) -> bool:
        """Return whether it is releasable now: the cloud can only switch it off."""
        if self._is_old(hold):
            return False
        if self._means.on_lan:
            return True
        return self._means.has_cloud and (hold.on or self._cloud_alone(hold))

    def _releasable_later(self, hold: Hold) -> bool:
        return self._means.has_lan or hold.on or hold.by_cloud

    def _cloud_alone(self, hold: Hold) -> bool:
        """Return whether the cloud holds it and there is no LAN."""
        return hold.by_cloud and not self._means.has_lan

    async def run(self) -> None:
        """Release the due holds.

        The LAN is read first: a user who switched an output meanwhile ended its hold.
        """
        if self.due and self._means.on_lan and not await self._means.look():
            for hold in self.due:
                self._book.apply(hold.slot, Event.TRIED)
                self._failed(hold.slot, Event.UNANSWERED)
        for hold in self.due:
            await self._release(hold)

    async def _release(self, hold: Hold) -> bool:
        """Release one hold; return whether that is confirmed."""
        index = hold.slot
        self._book.apply(index, Event.TRIED)
        try:
            with self._book.switching(index):
                if self._means.on_lan:
                    await self._means.release(index)
                    self._book.apply(index, Event.RELEASED)
                else:
                    await self._release_by_cloud(hold)
        except (UnreachableError, BusyError) as err:
            _LOGGER.debug("A hold is not released yet: %s", err)
            self._failed(index, Event.UNANSWERED)
            return False
        except PoolctlError as err:
            _LOGGER.debug("A hold is not released: %s", err)
            cannot = isinstance(err, CannotReleaseError)
            self._failed(index, Event.DECLINED, cannot=cannot)
            return False
        return True

    async def _release_by_cloud(self, hold: Hold) -> None:
        """Switch it off as the vendor's app does; the LAN shows if that holds it."""
        slot = self._means.state.outputs.slot(hold.slot)
        if hold.on and slot is not None:
            await (await self._means.send(slot, False, held=False))()
        now = self._times.now
        left = Hold(
            slot=hold.slot,
            on=False,
            since=now,
            until=now,
            needed=False,
            state=State.REQUESTED,
        )
        self._book.put(hold.slot, left if self._means.has_lan else None)

    def _failed(self, index: int, event: Event, *, cannot: bool = False) -> None:
        hold = self._book.get(index)
        if hold is None or hold.state is not State.RELEASING:
            return  # a newer request replaced the hold
        wait = retry_wait(hold.refusals if cannot else hold.tries, cannot=cannot)
        tried = replace(
            hold,
            tries=hold.tries + 1,
            refusals=hold.refusals + 1 if cannot else 0,
            retry_at=time.monotonic() + wait,
        )
        self._book.put(index, after(tried, event))

    async def leave(self, *, only_lan: bool) -> tuple[Hold, ...]:
        """Release holds that cannot be released later, within 10 s; return those left.

        `only_lan`: the cloud remains, and can switch off outputs that are held on.
        """
        ours = filter(self._ours, self._book.shown)
        leaving = {hold.slot for hold in ours if not (only_lan and hold.on)}
        try:
            async with asyncio.timeout(_LEAVING):
                if leaving and (not self._means.on_lan or await self._means.look()):
                    await asyncio.gather(*map(self._leave, leaving))
        except TimeoutError:
            _LOGGER.debug("Not every hold was released in time")
        return tuple(hold for hold in self._book.shown if hold.slot in leaving)

    async def _leave(self, slot: int) -> None:
        hold = self._book.get(slot)
        if hold is None or hold.state is State.DOUBTFUL or not self._releasable(hold):
            return
        due = replace(hold, state=State.DUE, end=End.DURATION)
        self._book.put(slot, due)
        if not await self._release(due) and self._book.get(slot) is not None:
            self._book.put(slot, replace(hold, state=State.ACTIVE))

    @staticmethod
    def _ours(hold: Hold) -> bool:
        """Return whether we promised to release it."""
        return hold.end is not End.NEVER and hold.needed
