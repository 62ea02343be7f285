"""The lock of a connection that carries one request at a time."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class PriorityLock:
    """A lock whose urgent waiters go first, in the order they came.

    A user's command therefore waits only for the current request and earlier commands.
    """

    def __init__(self) -> None:
        self._taken = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._patient: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def held(self, *, urgent: bool) -> AsyncGenerator[None]:
        """Hold the lock during the block."""
        if self._taken:
            await self._wait(self._urgent if urgent else self._patient)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, queue: deque[asyncio.Future[None]]) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                if waiter in queue:
                    queue.remove(waiter)
            else:
                # Cancelled just as it got the lock.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        for queue in (self._urgent, self._patient):
            while queue:
                waiter = queue.popleft()
                if not waiter.cancelled():
                    # `_taken` stays set: no other task may run before this waiter does.
                    waiter.set_result(None)
                    return
        self._taken = False
