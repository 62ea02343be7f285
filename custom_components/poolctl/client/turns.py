"""Whose request goes next to something that answers one request at a time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count

from .wire.exceptions import OvertakenError


class Turns:
    """A lock whose urgent waiters go first, in the order they came.

    An urgent one, a user's command, waits only for earlier commands, and `patience`
    seconds for a read in the background: that ends unanswered then. No command is ended.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._taken = False
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []
        """A heap: whether it can wait, its number, and what is done at its turn."""
        self._number = count()
        self._read: asyncio.Timeout | None = None
        """The limit of the read that holds the lock."""

    @asynccontextmanager
    async def held(self, *, urgent: bool) -> AsyncGenerator[None]:
        """Hold the lock during the block; raises OvertakenError in one that is ended."""
        loop = asyncio.get_running_loop()
        if urgent and self._read is not None and self._read.when() is None:
            self._read.reschedule(loop.time() + self._patience)
        if self._taken:
            turn = loop.create_future()
            heappush(self._waiting, (not urgent, next(self._number), turn))
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():
                    self._pass_on()  # cancelled just as it got the lock
                raise
        self._taken = True
        try:
            if urgent:
                yield
            else:
                async with self._ended_for_others():
                    yield
        finally:
            self._pass_on()

    @asynccontextmanager
    async def _ended_for_others(self) -> AsyncGenerator[None]:
        # A command may have come since the lock was passed on to this read.
        waits = any(not later and not turn.done() for later, _, turn in self._waiting)
        limit = asyncio.timeout(self._patience if waits else None)
        try:
            async with limit as self._read:
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            raise OvertakenError("a command goes first", ran=False) from None
        finally:
            self._read = None

    def _pass_on(self) -> None:
        while self._waiting:
            *_, turn = heappop(self._waiting)
            if not turn.cancelled():
                # `_taken` stays set: no other task may run before this one does.
                turn.set_result(None)
                return
        self._taken = False
