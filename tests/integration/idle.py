"""An event loop that tells when nobody on it can go on unless time passes."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
import selectors
from typing import Final, override

GRACE: Final = 0.001
"""Real seconds in which what was sent over loopback has come."""


class _Selector(selectors.DefaultSelector):
    """Calls those who wait for it when there is nothing to select."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = 0
        self.waiting: list[asyncio.Future[None]] = []

    @override
    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        # The loop does not wait here as long as it has anything to call.
        if timeout == 0 or self.jobs or not self.waiting:
            return super().select(timeout)
        if not (events := super().select(GRACE)):
            for waiter in self.waiting:
                if not waiter.done():
                    waiter.set_result(None)
            self.waiting.clear()
        return events


class IdleLoop(asyncio.SelectorEventLoop):
    """asyncio's usual loop, and `idle`."""

    def __init__(self) -> None:
        self._watched = _Selector()
        super().__init__(self._watched)

    async def idle(self) -> None:
        """Wait until nothing is to be called, read or written, and no thread works.

        Who sleeps goes on sleeping: that is what nothing is done about here.
        """
        waiter = self.create_future()
        self._watched.waiting.append(waiter)
        await waiter

    @override
    def run_in_executor[*Ts, T](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        job = super().run_in_executor(executor, func, *args)
        self._watched.jobs += 1
        job.add_done_callback(lambda _: self._finished())
        return job

    def _finished(self) -> None:
        self._watched.jobs -= 1
