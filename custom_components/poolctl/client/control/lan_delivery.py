"""One command on its way over the LAN: sent again until the controller takes it.

A refusal has four causes (interface.md 4.2 rule 2): before a person hears of it, the
replayed counter is ruled out (design.md 5, chosen).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
import time

from ..exceptions import (
    ClockError,
    DeclinedError,
    LanBusyError,
    LanRequestError,
    PoolctlError,
    UnreachableError,
)
from ..facts import BusyChecked, CounterBehind
from ..frame import StateFrame
from ..lan import LanClient

_AGAIN = (0.5, 1.5, 3.0, 4.0)
"""s after which what certainly did not run is sent again: 10 s in all, for a controller
may accept no connection for some seconds (interface.md 4.2 rule 9)."""
_PATIENCE = 10.0
"""s."""
_UNPROVEN = 1.1
"""s after which a refused command is sent again where no query was ever answered: the
counter, which others raise, too, is another one by then."""
_ROOM = 2
"""Counters left out before a command is sent again: a service that signs all that it
relays signs every half second while it refreshes its copies (interface.md 8)."""
_STEPS = (2, 4, 8, 16, 32, 64, 128, 256)
"""s to go ahead with the counter, one after the other, until the controller takes it."""
_MOST_REFUSALS = 3
"""After each of them the counter is looked at; the next one is final."""

type LanCommand = Callable[[LanClient], Awaitable[StateFrame | None]]
type Look = Callable[[], Awaitable[bool]]
"""Looks whether a command has its effect already."""


def certainly_lost(error: PoolctlError) -> bool:
    """Return whether a request did not run, because it never arrived whole."""
    if isinstance(error, LanRequestError):
        return error.transient
    return isinstance(error, UnreachableError) and not error.sent


@dataclass(frozen=True, slots=True)
class LanDelivery:
    """One command, and how to look for its effect."""

    command: LanCommand
    lan: LanClient
    idempotent: bool
    look: Look

    async def send(self, *, patient: bool) -> StateFrame | None:
        """Send it, again where it certainly did not run.

        Returns the frame of the reply, `None` where there is none. Raises DeclinedError
        once the counter is ruled out as the cause.
        """
        for refusals in range(_MOST_REFUSALS):
            try:
                return await self._send_or_look(patient=patient)
            except DeclinedError:
                counter_was_behind = await self._catch_up()
                # The first time, another client may have used the same number.
                if refusals and not counter_was_behind:
                    raise
                if counter_was_behind and await self.look():
                    return None
                # A client that signs at the same time may go on: leave room for it.
                self.lan.counters.skip(_ROOM)
        return await self._send_or_look(patient=patient)

    async def _send_or_look(self, *, patient: bool) -> StateFrame | None:
        """Send it; where the controller was busy, look whether it ran all the same."""
        try:
            return await self._until_taken(self.command, patient=patient)
        except LanBusyError:
            # It may have run: only the frame of its reply had no room.
            if not self.idempotent:
                raise
            ran = await self.look()
            self.lan.facts.emit(BusyChecked(ran))
            if ran:
                return None
            raise

    async def _until_taken[T](
        self, run: Callable[[LanClient], Awaitable[T]], *, patient: bool
    ) -> T:
        """Send it until it is taken; one more try where another path may take it."""
        last = time.monotonic() + _PATIENCE
        waits = iter(_AGAIN if patient else _AGAIN[:1])
        was_busy = False
        while True:
            try:
                return await run(self.lan)
            except LanBusyError:
                if was_busy or not self.idempotent:
                    raise
                was_busy, wait = True, _AGAIN[0]
            except (LanRequestError, UnreachableError) as err:
                wait = next(waits, _PATIENCE)
                _check_worth_a_wait(err, time.monotonic() + wait <= last)
            except DeclinedError as err:
                if not was_busy:
                    raise
                # Another client signed meanwhile; it may have run the first time.
                raise LanBusyError("refused after it was busy") from err
            await asyncio.sleep(wait)

    async def _catch_up(self) -> bool:
        """Make sure that the controller takes our next counter.

        Other clients sign with the same counter, and their clocks may be ahead. A query
        that was answered before shows which: refused, it is the counter. Answered, the
        command may have met with another client's same number: the next refusal is
        final. Ours goes no further ahead than needed, for it makes those clients look
        replayed for as long. Returns whether it was behind; raises ClockError where they
        are too far ahead.
        """
        counters = self.lan.counters
        if counters.answered is None:
            if counters.clock_fault is not None:
                # Nor is any query answered that is asked all the time.
                raise ClockError("another client's clock is far ahead")
            await asyncio.sleep(_UNPROVEN)
            return False
        used = counters.last
        for step in (0, *_STEPS):
            if step:
                counters.skip(step)
            if await self._query_is_taken(*counters.answered):
                if step:
                    self.lan.facts.emit(CounterBehind(counters.last - used))
                return step > 0
        self.lan.facts.emit(CounterBehind(None))
        counters.take_back(used)
        counters.refused()
        raise ClockError("another client's clock is far ahead")

    async def _query_is_taken(self, name: str, payload: bytes) -> bool:
        """Ask a query that this controller answers; return whether it took our counter."""
        try:
            await self._until_taken(
                lambda lan: lan.query(name, payload, urgent=True), patient=True
            )
        except DeclinedError:
            return False
        return True


def _check_worth_a_wait(error: PoolctlError, in_time: bool) -> None:
    """Raise what ended a request, unless it can be sent again in time."""
    if not certainly_lost(error):
        raise error
    if not in_time:
        raise UnreachableError("it was not taken", sent=False) from error
