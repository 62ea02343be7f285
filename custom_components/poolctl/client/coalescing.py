"""Coalescing: of several requests in quick succession, only the newest is sent."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
import time
from typing import Any

from .wire.exceptions import UnreachableError

SENDING_SPACING = 1.0
"""Mean seconds between two values that are sent for one key."""


class Coalescer:
    """Sends the newest of several values for one key; all callers get its result.

    The sending of a value is never interrupted: of the values that arrive meanwhile,
    only the newest is sent. At most `burst` are sent in `burst` x `SENDING_SPACING` seconds.
    """

    def __init__(self, *, burst: int = 1) -> None:
        self._waiting: dict[str, tuple[list[Any], asyncio.Task[None]]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._sent: defaultdict[str, deque[float]] = defaultdict(
            lambda: deque(maxlen=burst)
        )
        """Times at which the newest values were sent (monotonic, in seconds)."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def run[T, P](
        self,
        key: str,
        value: T,
        send: Callable[[T], Awaitable[P]],
        confirm: Callable[[P], Awaitable[object]],
        *,
        combine: Callable[[T, T], T] = lambda older, newer: newer,
    ) -> None:
        """Send and confirm a value.

        `combine` merges a waiting value and a newer one. Raises the errors of `send`
        and `confirm`, and UnreachableError (`stopped`) when stopped.
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
        # A cancelled caller stops neither the command nor the other callers.
        await asyncio.wait([task])
        if task.cancelled():
            raise UnreachableError(reason="stopped")
        task.result()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # raised in `run`, if any caller is left

    async def _drive[P](
        self,
        key: str,
        newest: list[Any],
        send: Callable[[Any], Awaitable[P]],
        confirm: Callable[[P], Awaitable[object]],
    ) -> None:
        async with self._locks[key]:
            sent_at = self._sent[key]
            if len(sent_at) == sent_at.maxlen:
                wait = sent_at[0] + len(sent_at) * SENDING_SPACING - time.monotonic()
                if wait > 0:
                    await asyncio.sleep(wait)
            self._waiting.pop(key, None)
            try:
                sent = await send(newest[0])
            finally:
                sent_at.append(time.monotonic())
        await confirm(sent)

    async def stop(self) -> None:
        """Cancel all values that are waiting or being sent."""
        self._waiting.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
