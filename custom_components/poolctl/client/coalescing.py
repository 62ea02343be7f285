"""Of several requests for one thing in quick succession, the newest one is sent."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
import time
from typing import Any

from .exceptions import StoppedError


class Coalescer:
    """Sends the newest of several values for one key; all callers get its result.

    A value that is under way is never interrupted: of those that arrive until it was
    sent, only the newest is sent. After a `burst` of values, `spacing` s pass for each.
    """

    def __init__(self, spacing: float = 1.0, *, burst: int = 1) -> None:
        """Start with nothing waiting."""
        self._spacing = spacing
        self._waiting: dict[str, tuple[list[Any], asyncio.Task[None]]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._sent: defaultdict[str, deque[float]] = defaultdict(
            lambda: deque(maxlen=burst)
        )
        """When the newest values were sent (monotonic, s)."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def run[T, P](
        self,
        key: str,
        value: T,
        send: Callable[[T], Awaitable[P]],
        confirm: Callable[[P], Awaitable[None]],
        *,
        combine: Callable[[T, T], T] = lambda older, newer: newer,
    ) -> None:
        """Have a value sent and confirmed.

        `combine` makes one value of one that waits and a newer one. Raises what `send`
        and `confirm` raise, and StoppedError when stopped.
        """
        if key in self._waiting:
            newest, task = self._waiting[key]
            newest[0] = combine(newest[0], value)
        else:
            newest = [value]
            task = asyncio.create_task(self._drive(key, newest, send, confirm))
            self._waiting[key] = newest, task
            self._tasks.add(task)
            task.add_done_callback(self._done)
        # A caller who goes away stops neither the command nor the other callers.
        await asyncio.wait([task])
        if task.cancelled():
            raise StoppedError("stopped before the command was done")
        task.result()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # raised for the callers, if any is left

    async def _drive[P](
        self,
        key: str,
        newest: list[Any],
        send: Callable[[Any], Awaitable[P]],
        confirm: Callable[[P], Awaitable[None]],
    ) -> None:
        async with self._locks[key]:
            if (wait := self._wait(key)) > 0:
                await asyncio.sleep(wait)
            self._waiting.pop(key, None)
            try:
                sent = await send(newest[0])
            finally:
                self._sent[key].append(time.monotonic())
        await confirm(sent)

    def _wait(self, key: str) -> float:
        """Return the s until the next value may be sent."""
        sent = self._sent[key]
        if not sent or len(sent) < (sent.maxlen or 0):
            return 0.0
        return sent[0] + len(sent) * self._spacing - time.monotonic()

    async def stop(self) -> None:
        """Cancel what is under way."""
        self._waiting.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
