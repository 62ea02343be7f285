"""One controller: its state, and everything that can be done with it."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, tzinfo
import time
from typing import Final, NamedTuple

from .clock import Clock, ControllerClock, Times
from .cloud import CloudClient
from .control.clock_watch import ClockWatch
from .control.dosing import DosingControl
from .control.heating import HeatingControl
from .control.lights import LightControl
from .control.outputs import OutputControl
from .control.paths import Paths
from .control.plan import PlanControl
from .control.poller import Poller
from .control.pump import PumpControl
from .control.queries import Queries
from .control.raw import RawControl
from .control.schedules import ScheduleControl
from .control.sender import Sender
from .control.store import Store
from .facts import Facts
from .holds.claims import LEAVING
from .holds.heat import HeatClaim, HeatClaims
from .holds.hold import Hold
from .holds.holds import Holds
from .holds.pauses import Pause, Pauses
from .lan import LanClient
from .pool.choices import Choices
from .pool.state import PoolState
from .undoing import Undoing


class Stored(NamedTuple):
    """Data of a controller that was stored before the start."""

    state: PoolState = PoolState()
    choices: Choices = Choices()
    holds: Iterable[Hold] = ()
    pauses: Iterable[Pause] = ()
    heat: Iterable[HeatClaim] = ()
    clock: ControllerClock | None = None


_NOTHING: Final = Stored()


class Left(NamedTuple):
    """What could not be undone."""

    heat: tuple[HeatClaim, ...]
    holds: tuple[Hold, ...]
    pauses: tuple[Pause, ...]


class Controller:
    """The parts of one controller: `poller` and `queries` read, most others command."""

    def __init__(
        self,
        device_id: str,
        *,
        lan: LanClient | None,
        cloud: CloudClient | None,
        facts: Facts | None = None,
        publish: Callable[[], None] = lambda: None,
        stored: Stored = _NOTHING,
        clock: Clock | None = None,
        zone: Callable[[], tzinfo] = lambda: UTC,
        holds_end: bool = True,
    ) -> None:
        """Start from the stored data; nothing is read yet.

        `publish` is called whenever the shown state may have changed. `zone` returns
        the pool's time zone; with `holds_end`, holds are released automatically.
        """
        self.clock = clock = clock or Clock()
        self.store = store = Store(stored.state, stored.choices, publish)
        self.paths = paths = Paths(device_id, lan, cloud, facts)
        self.queries = queries = Queries(store, paths, clock)
        self.poller = poller = Poller(store, paths, queries, clock)
        self._sender = sender = Sender(store, paths, poller, queries)
        self.dosing = DosingControl(sender)
        self.heating = HeatingControl(sender)
        self.lights = LightControl(sender)
        self.pump = pump = PumpControl(sender)
        self.outputs = outputs = OutputControl(sender, pump)
        self.controller_clock = stored.clock or ControllerClock()
        self.times = times = Times(clock, zone, self.controller_clock)
        ClockWatch(store, times)
        self.holds = Holds(
            sender, outputs, times, stored.holds, end_by_themselves=holds_end
        )
        self.pauses = Pauses(sender, self.dosing, times, stored.pauses)
        self.heat = HeatClaims(sender, self.heating, times, stored.heat)
        for claims in (self.holds, self.pauses, self.heat):
            store.add_read_listener(claims.take_read)
        self.undoing = Undoing(self.heat, self.pauses, self.holds)
        self.raw = RawControl(sender)
        self.schedules = ScheduleControl(sender)
        self.plan = PlanControl(sender, self.schedules)

    async def read(self) -> PoolState:
        """Read the state, and the names of the outputs as long as they are missing.

        Raises UnreachableError after 90 s without an answer. `poller.interval` is the
        time until it should be read again.
        """
        await self.poller.poll()
        if self.queries.due and not self.store.reported.outputs.names:
            await self.queries.refresh(first_only=True)
        return self.store.state

    async def leave(self, *, only_lan: bool = False) -> Left:
        """Undo in 10 s, heat first, what cannot be undone later; return the rest."""
        begun = time.monotonic()
        heat = await self.heat.leave(LEAVING / 2, only_lan=only_lan)
        within = LEAVING - (time.monotonic() - begun)
        holds, pauses = await asyncio.gather(
            self.holds.leave(within, only_lan=only_lan),
            self.pauses.leave(within, only_lan=only_lan),
        )
        return Left(heat, holds, pauses)

    async def stop(self) -> None:
        """Cancel the coalesced commands; new ones are still accepted."""
        await self._sender.coalescer.stop()
        await self.holds.stop()

    async def close(self) -> None:
        """Cancel all commands, and accept no new ones."""
        await self._sender.close()
        await self.holds.stop()
