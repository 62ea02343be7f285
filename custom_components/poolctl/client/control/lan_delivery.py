"""Delivery of one command over the LAN: repeated until the controller accepts it.

A refusal has four causes (protocol.md 4.2 rule 2). Before the user sees it, a replayed
counter is ruled out. All of this is chosen.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
import logging
import math
import time

from ..backoff import Backoff
from ..facts import Change
from ..lan import LanClient
from ..wire.exceptions import (
    ClockError,
    DeclinedError,
    LanBusyError,
    LanRequestError,
    UnreachableError,
)
from ..wire.frame import StateFrame
from .command import Command, LanCommand

_LOGGER = logging.getLogger(__name__)

COMMAND_AGAIN = Backoff(0.5, 4.0, factor=2.5, most=4)
"""Waits before each repetition of a command that certainly did not run, 9 s in all."""
_PATIENCE = 10.0
"""Seconds after which a command is not repeated."""
_UNPROVEN = 1.1
"""Seconds before a refused command is repeated if no query was ever answered: our next
counter follows the clock, and is then another one."""
_ROOM = 2
"""Counter values skipped before a command is repeated: a service that signs all that it
relays signs every half second while it refreshes its copies (protocol.md 8)."""
_STEPS = (2, 4, 8, 16, 32, 64, 128, 256)
"""Successive advances of the counter, in s, until the controller accepts it."""
_MOST_REFUSALS = 3
"""Refusals after each of which the counter is checked; the next one is final."""


@dataclass(frozen=True, slots=True)
class LanDelivery:
    """Sends one command to one controller; `run` sends it once."""

    command: Command
    run: LanCommand
    lan: LanClient
    took_effect: Callable[[], Awaitable[bool]]
    """Reads the state; returns whether it shows the effect of the command."""

    async def send(self, *, patient: bool) -> StateFrame | None:
        """Send the command, and repeat it if it certainly did not run.

        Returns the frame of the reply, `None` if there is none. Raises DeclinedError
        once the counter is ruled out as the cause.
        """
        for refusals in range(_MOST_REFUSALS):
            try:
                return await self._send_or_read(patient=patient)
            except DeclinedError:
                if await self._catch_up():
                    if await self.took_effect():
                        return None
                elif refusals:
                    raise  # the counter was the cause once at most
                # Another client may have used the same counter, and still be signing.
                self.lan.counters.skip(_ROOM)
        return await self._send_or_read(patient=patient)

    async def _send_or_read(self, *, patient: bool) -> StateFrame | None:
        """Send the command; if the controller was busy, check whether it ran anyway."""
        try:
            return await self._until_taken(self.run, patient=patient)
        except LanBusyError:
            # It may have run, and only the frame of its reply found no buffer.
            if not self.command.idempotent or not await self.took_effect():
                raise
            return None

    async def _until_taken[T](
        self, run: Callable[[LanClient], Awaitable[T]], *, patient: bool
    ) -> T:
        """Send until it is accepted.

        After `busy`, an idempotent command is repeated once. After a loss, any command
        is repeated for `_PATIENCE` seconds, or once where another path may accept it.
        """
        last = time.monotonic() + _PATIENCE
        waits = islice(COMMAND_AGAIN, None if patient else 1)
        was_busy = False
        while True:
            try:
                return await run(self.lan)
            except LanBusyError:
                if was_busy or not self.command.idempotent:
                    raise
                was_busy, wait = True, COMMAND_AGAIN.first
            except (DeclinedError, LanRequestError, UnreachableError) as err:
                wait = next(waits, math.inf)
                if not err.lost or time.monotonic() + wait > last:
                    if not was_busy:
                        raise
                    # The first attempt may have run, whatever became of this one.
                    raise LanBusyError("failed after it was busy") from err
            await asyncio.sleep(wait)

    def _report_skip(self, step: int) -> None:
        """Report a search for the counter, during which the command waits."""
        if step == _STEPS[0]:
            _LOGGER.warning(
                "Another client signs commands ahead of this clock: looking for the"
                " counter that the controller accepts, which may take a minute"
            )
        self.lan.facts.emit(Change("counter", step))

    async def _catch_up(self) -> bool:
        """Make sure that the controller accepts our next counter.

        Other clients sign with the same counter, and their clocks may be ahead. A query
        that was answered earlier is sent again. If it is refused, our counter is behind.
        It is advanced no further than needed, because the requests of the other clients
        are refused for as long. Returns whether our counter was behind. Raises
        ClockError if the other clients are too far ahead.
        """
        counters = self.lan.counters
        if counters.answered is None:
            if counters.clock_fault is not None:
                # The regular queries are not answered either.
                raise ClockError("another client's clock is far ahead")
            await asyncio.sleep(_UNPROVEN)
            return False
        used, (name, payload) = counters.last, counters.answered
        for step in (0, *_STEPS):
            if step:
                self._report_skip(step)
                counters.skip(step)
            with suppress(DeclinedError):
                await self._until_taken(
                    lambda lan: lan.query(name, payload, urgent=True), patient=True
                )
                return step > 0
        counters.take_back(used)
        counters.refused()
        raise ClockError("another client's clock is far ahead")
