"""Taking turns on a connection that carries one request at a time."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Turns:
    """A lock whose urgent waiters go first, in the order they came.

    A person's command so waits for the request under way and for no other.
    """

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._taken = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._patient: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def take(self, *, urgent: bool) -> AsyncGenerator[None]:
        """Wait for a turn and hold it."""
        if self._taken:
            await self._wait(self._urgent if urgent else self._patient)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, queue: deque[asyncio.Future[None]]) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                if turn in queue:
                    queue.remove(turn)
            else:
                # It came just as we gave up: the next one must not wait for ever.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        for queue in (self._urgent, self._patient):
            while queue:
                turn = queue.popleft()
                if not turn.cancelled():
                    # Nobody else may slip in before the one who was called runs.
                    turn.set_result(None)
                    return
        self._taken = False
