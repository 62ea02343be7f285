"""The cloud's commands to one controller (protocol.md 3.2, 7.1 and 8)."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import ceil, inf
from typing import Any, Final

from . import devices
from .actions import DeclinedError
from .clock import Clock
from .controller import Controller
from .devices import Endpoint
from .wire import Json

COMMAND_GAP: Final = 0.5
WRITE_GAP: Final = 2.0
MOST_PENDING: Final = 6
COOL_DOWNS: Final = (5.0, 10.0, 60.0)  # after the first, second, third timeout …
REFRESH_SECONDS: Final = 30.0


class ApiError(Exception):
    """An answer with `status: FAILED`."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def duration(seconds: float) -> str:
    """Format a duration like `5s`, `10s` or `1m0s` (protocol.md 7.1)."""
    minutes, rest = divmod(ceil(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


class Pipeline:
    """Commands to one controller, one at a time, and cached copies of its answers."""

    def __init__(self, controller: Controller, clock: Clock) -> None:
        self.controller, self._clock = controller, clock
        self._device = f"device {controller.device_id}"
        self.pending = 0  # commands queued or in flight
        self.commands: list[tuple[str, float]] = []  # names and times of all sent
        self._turn = asyncio.Lock()
        self._last_command = self._last_write = -inf
        self._timeouts = 0
        self._cool_until = self._kept_until = -inf
        self._cached: dict[str, tuple[Endpoint, Json]] = {}
        self._refreshing: asyncio.Task[None] | None = None
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def cooling(self) -> float:
        """Seconds of cool-down left."""
        return max(0.0, self._cool_until - self._clock.monotonic())

    async def read(self, name: str, endpoint: Endpoint) -> Json:
        """Return the cached copy; without one, read cold and keep the copy fresh."""
        if name in self._cached:
            return self._cached[name][1]
        data = await self._cold(name, endpoint)
        if endpoint.cached:
            self._cached[name] = (endpoint, data)
            if self._refreshing is None:
                self._refreshing = asyncio.create_task(self._refresh())
        return data

    async def _cold(self, name: str, endpoint: Endpoint) -> Json:
        def ask() -> Awaitable[Json]:
            return self.controller.ask(endpoint.run)

        return await self._run(name, endpoint, ask)

    async def write(self, name: str, endpoint: Endpoint, body: Json) -> None:
        change = devices.change(endpoint, body)
        await self._run(name, endpoint, lambda: self.controller.tell(change, name))

    def keep_copies(self, seconds: float) -> None:
        """Stop refreshing the cached copies for some seconds, however old they get."""
        self._kept_until = self._clock.monotonic() + seconds

    def forget(self) -> None:
        """Drop the cached copies: the next reads are cold."""
        self._cached.clear()

    async def _run[T](
        self, name: str, endpoint: Endpoint, send: Callable[[], Awaitable[T]]
    ) -> T:
        """Run a command; one that takes several slots is sent several times.

        Raises `ApiError`, or `DeclinedError` from the controller. A client that hangs
        up cancels nothing (protocol.md 7.1).
        """
        task = asyncio.create_task(self._in_turn(name, endpoint, send))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # nobody may wait for it any more

    async def _in_turn[T](
        self, name: str, endpoint: Endpoint, send: Callable[[], Awaitable[T]]
    ) -> T:
        self._check_cooling()
        if self.pending + endpoint.slots > MOST_PENDING:
            text = f"too many pending commands for {self._device}"
            raise ApiError(429, f"device busy: {text}")
        self.pending += endpoint.slots
        try:
            async with self._turn:
                for _ in range(endpoint.slots - 1):
                    await self._one(name, endpoint, send)
                return await self._one(name, endpoint, send)
        finally:
            self.pending -= endpoint.slots

    async def stop(self) -> None:
        """Stop refreshing and everything that is under way."""
        tasks = {*self._running, *filter(None, [self._refreshing])}
        self._refreshing = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one[T](
        self, name: str, endpoint: Endpoint, send: Callable[[], Awaitable[T]]
    ) -> T:
        self._check_cooling()  # may have begun while this command was queued
        await self._keep_apart(endpoint.spaced)
        self.commands.append((name, self._clock.monotonic()))
        try:
            async with self._clock.timeout(endpoint.wait):
                result = await send()
        except TimeoutError:
            self._timed_out()
            raise ApiError(504, f"{self._device} did not answer") from None
        except DeclinedError:
            self._timeouts = 0  # a refusal is an answer, too
            raise
        finally:
            self._last_command = self._clock.monotonic()
            if endpoint.spaced:
                self._last_write = self._last_command
        self._timeouts = 0
        return result

    async def _keep_apart(self, spaced: bool) -> None:
        earliest = self._last_command + COMMAND_GAP
        if spaced:
            earliest = max(earliest, self._last_write + WRITE_GAP)
        delay = earliest - self._clock.monotonic()
        if delay > 0:
            await self._clock.sleep(delay)

    def _check_cooling(self) -> None:
        if self.cooling:
            left = f"retry after {duration(self.cooling)}"
            text = f"{self._device} is cooling down after timeouts, {left}"
            raise ApiError(429, f"device busy: {text}")

    def _timed_out(self) -> None:
        self._timeouts += 1
        rung = min(self._timeouts, len(COOL_DOWNS)) - 1
        self._cool_until = self._clock.monotonic() + COOL_DOWNS[rung]

    async def _refresh(self) -> None:
        """Read every cached copy again every 30 s, except during cool-down."""
        due = self._clock.monotonic()
        while True:
            due = max(due + REFRESH_SECONDS, self._clock.monotonic())
            await self._clock.sleep(due - self._clock.monotonic())
            if self._clock.monotonic() < self._kept_until:
                continue
            for name, (endpoint, _) in tuple(self._cached.items()):
                with suppress(ApiError):
                    self._cached[name] = (endpoint, await self._cold(name, endpoint))
