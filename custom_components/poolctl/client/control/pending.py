"""Values asked for and not confirmed yet, and values that wait for their turn."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ..exceptions import PoolctlError, StoppedError
from ..pool.state import PoolState


@dataclass(slots=True, eq=False)
class Pending:
    """A value a person asked for that the controller has not shown yet.

    `show` puts it into a state; `holds` tells whether a state has it by itself. Reads
    before `settled` say nothing; before `until` they may be older than the command and
    disprove nothing. Times are monotonic.
    """

    key: str
    by_lan: bool
    sent: float
    settled: float
    until: float
    show: Callable[[PoolState], PoolState]
    holds: Callable[[PoolState], bool]
    doubt: PoolctlError | None = None
    """Why the command may not have been taken at all."""
    told: Callable[[bool], None] = lambda seen: None
    """Learns whether it was seen in time; nothing where a newer one takes its place."""
    disproved: bool = False
    """Whether it was dropped because reads that count did not show it."""


class PendingValues:
    """The pending value of each key; a newer one takes the place of an older one."""

    def __init__(self) -> None:
        """Start with none."""
        self._pending: dict[str, Pending] = {}

    def add(self, pending: Pending) -> None:
        """Show a value until it is confirmed or dropped."""
        self._pending[pending.key] = pending

    def __contains__(self, pending: Pending) -> bool:
        """Tell whether this value is neither confirmed, replaced nor dropped."""
        return self._pending.get(pending.key) is pending

    def drop(self, pending: Pending) -> None:
        """Give up on a value."""
        if pending in self:
            del self._pending[pending.key]

    def settle(self, known: PoolState, read_at: float) -> list[Pending]:
        """Forget what a state read at that time confirms; return what it disproves."""
        disproved = []
        for pending in list(self._pending.values()):
            if read_at < pending.settled:
                continue
            if pending.holds(known):
                self.drop(pending)
                pending.told(True)
            elif read_at >= pending.until:
                self.drop(pending)
                pending.disproved = True
                disproved.append(pending)
                pending.told(False)
        return disproved

    def overlay(self, known: PoolState) -> PoolState:
        """Return the state as a person should see it."""
        for pending in self._pending.values():
            known = pending.show(known)
        return known


class Coalescer:
    """Sends the newest of several values for one key; all callers get its result.

    A value that is under way is never interrupted: of those that arrive until it was
    sent, and for `spacing` seconds after, only the newest is sent.
    """

    def __init__(self, spacing: float = 1.0) -> None:
        """Start with nothing waiting."""
        self._spacing = spacing
        self._waiting: dict[str, tuple[list[Any], asyncio.Task[None]]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run[T](
        self,
        key: str,
        value: T,
        send: Callable[[T], Awaitable[Pending]],
        confirm: Callable[[Pending], Awaitable[None]],
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
            task.exception()  # told to the callers, if any is left

    async def _drive(
        self,
        key: str,
        newest: list[Any],
        send: Callable[[Any], Awaitable[Pending]],
        confirm: Callable[[Pending], Awaitable[None]],
    ) -> None:
        async with self._locks[key]:
            self._waiting.pop(key, None)
            pending = await send(newest[0])
            await asyncio.sleep(self._spacing)
        await confirm(pending)

    async def stop(self) -> None:
        """Cancel what is under way."""
        self._waiting.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
