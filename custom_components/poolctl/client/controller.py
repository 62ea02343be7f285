"""One controller: its state, and everything that can be done with it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, tzinfo
import logging
import time
from typing import Final, NamedTuple, Self

from .clock import Clock
from .cloud import CloudClient
from .control.clock_watch import ClockWatch
from .control.dosing import DosingControl
from .control.heating import HeatingControl
from .control.lights import LightControl
from .control.live_state import LiveState
from .control.outputs import OutputControl
from .control.paths import Paths
from .control.poller import Poller
from .control.pump import PumpControl
from .control.queries import Queries
from .control.raw import RawControl
from .control.schedules import ScheduleControl
from .control.sender import Sender
from .controller_clock import ControllerClock, Times
from .facts import Facts
from .holds.claims import LEAVING, Reads
from .holds.heat import HeatClaim, HeatClaims
from .holds.hold import Hold, output_names
from .holds.holds import Holds
from .holds.pauses import Pause, Pauses
from .lan import LanClient
from .pool.choices import Choices
from .pool.state import PoolState
from .undoing import Undoing
from .wire.exceptions import PoolctlError

_LOGGER = logging.getLogger(__name__)


class Stored(NamedTuple):
    """Data of a controller that was stored before the start."""

    state: PoolState = PoolState()
    choices: Choices = Choices()
    holds: Iterable[Hold] = ()
    pauses: Iterable[Pause] = ()
    heat: Iterable[HeatClaim] = ()
    clock: ControllerClock | None = None


_NOTHING: Final = Stored()
_LOOK_FOR_WORK = 1.0
"""Seconds: a request may move what is due next, so `wait` alone is not enough."""


async def _unsaved() -> None:
    """Store nothing."""


class Left(NamedTuple):
    """What could not be undone."""

    heat: tuple[HeatClaim, ...]
    holds: tuple[Hold, ...]
    pauses: tuple[Pause, ...]

    def names(self, state: PoolState) -> list[str]:
        """Return the names of the outputs, and keys of the rest."""
        rest = [f"{claim.source} (heating)" for claim in self.heat]
        rest += [f"{pause.kind.key} (dosing)" for pause in self.pauses]
        return [output_names([hold], state) for hold in self.holds] + rest


class Controller:
    """One controller, in parts: `poller` and `queries` read, most others command.

    `running` reads and undoes by itself. Those with timers of their own, as Home
    Assistant has, call `read` and `undoing.work` instead, and at the end `close`.
    """

    def __init__(
        self,
        device_id: str = "",
        *,
        lan: LanClient | None = None,
        cloud: CloudClient | None = None,
        facts: Facts | None = None,
        publish: Callable[[], None] = lambda: None,
        save: Callable[[], Awaitable[None]] = _unsaved,
        stored: Stored = _NOTHING,
        clock: Clock | None = None,
        zone: Callable[[], tzinfo] = lambda: UTC,
        holds_end: bool = False,
    ) -> None:
        """Start from the stored data; nothing is read yet.

        Only the cloud needs the `device_id`. `publish` is called whenever the shown
        state may have changed. `save` is called before a command whose effect is undone
        later, and waits until that is on disk. `zone` returns the pool's time zone. With
        `holds_end`, an output that is switched off by hand returns to its schedules by
        itself.
        """
        self.clock = clock = clock or Clock()
        self.live = live = LiveState(stored.state, stored.choices, publish, save)
        self.paths = paths = Paths(device_id, lan, cloud, facts)
        self.queries = queries = Queries(live, paths, clock)
        self.poller = poller = Poller(live, paths, queries, clock)
        self._sender = sender = Sender(live, paths, poller, queries)
        self.dosing = DosingControl(sender, queries, paths, live)
        self.heating = HeatingControl(sender, queries, live)
        self.lights = LightControl(sender, queries, live)
        self.pump = pump = PumpControl(sender, poller, paths, live)
        self.outputs = outputs = OutputControl(sender, live, pump)
        self.controller_clock = stored.clock or ControllerClock()
        self.times = times = Times(clock, zone, self.controller_clock)
        live.read_listeners.append(ClockWatch(times).add_read)
        reads = Reads(poller, paths, live)
        self.holds = Holds(
            reads, outputs, times, stored.holds, end_by_themselves=holds_end
        )
        self.pauses = Pauses(reads, self.dosing, times, stored.pauses)
        self.heat = HeatClaims(reads, self.heating, times, stored.heat)
        for claims in (self.holds, self.pauses, self.heat):
            live.read_listeners.append(claims.add_read)
        self.undoing = Undoing(self.heat, self.pauses, self.holds)
        self.raw = RawControl(sender, poller, queries, paths)
        self.schedules = ScheduleControl(sender, poller, queries, live)

    @property
    def state(self) -> PoolState:
        """The newest state, with the values that commands in progress set.

        Raises the error of the newest read if nothing was read for 90 s.
        """
        self.poller.check_answered()
        return self.live.state

    async def read(self) -> PoolState:
        """Read the state, and the names of the outputs as long as they are missing.

        Raises the error of this read after 90 s without an answer. `poller.interval` is the
        time until it should be read again.
        """
        await self.poller.poll()
        if self.queries.due and not self.live.reported.outputs.names:
            await self.queries.refresh(first_only=True)
        return self.live.state

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Read the state, and undo what ends, inside the block.

        At its end, whatever has an end is undone at once, in 10 s at most, as nothing
        would do so later: a hold for some time, a pause of dosing. A warning in the log
        names what could not be undone. What was switched by hand stays.
        Raises the error of the first read: UnreachableError if nothing answers,
        ProtocolError if it does not verify or decode.
        """
        tasks = list[asyncio.Task[None]]()
        try:
            await self.read()
            await self.queries.refresh()
            tasks += map(asyncio.create_task, (self._keep_read(), self._keep_undone()))
            yield self
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if names := (await self.leave()).names(self.live.state):
                _LOGGER.warning("This could not be undone: %s", ", ".join(names))
            await self.close()

    async def _keep_read(self) -> None:
        while True:
            await asyncio.sleep(self.poller.interval)
            try:
                with suppress(PoolctlError):
                    await self.read()
                await self.queries.refresh()
            except Exception:
                _LOGGER.exception("Unexpected error; trying again")

    async def _keep_undone(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_FOR_WORK)
            if (wait := self.undoing.wait) is not None and wait <= 0:
                await self.undoing.work()

    async def leave(self, *, only_lan: bool = False) -> Left:
        """Undo in 10 s, heat first, what cannot be undone later; return the rest."""
        leaves_by = time.monotonic() + LEAVING
        await self.stop()  # the controller answers one request at a time
        if not only_lan and (*self.heat.all, *self.holds.all, *self.pauses.all):
            # The LAN may have been lost a moment ago, or nothing was read yet.
            with suppress(TimeoutError, PoolctlError):
                async with asyncio.timeout(LEAVING / 2):
                    await self.poller.poll(hastily=True)

        def share(of: int) -> float:
            return (leaves_by - time.monotonic()) / of

        # One after the other: a command that hangs must not take the time of others.
        heat = await self.heat.leave(share(2), only_lan=only_lan)
        await self.stop()
        return Left(
            heat=heat,
            holds=await self.holds.leave(share(2), only_lan=only_lan),
            pauses=await self.pauses.leave(share(1), only_lan=only_lan),
        )

    async def stop(self) -> None:
        """Cancel coalesced commands and reads of the cloud; new ones are still accepted."""
        await self.poller.stop()
        await self._sender.coalescer.stop()
        await self.holds.coalescer.stop()

    async def close(self) -> None:
        """Cancel all commands, and accept no new ones."""
        await self.poller.stop()
        await self._sender.close()
        await self.holds.coalescer.stop()
