"""Random stories of what is undone later, against a model of who asked for what.

Users, the vendor's app, losses, restarts, deletions, clocks and edited schedules come in
any order. In the end, nothing is left that nobody asked for. `POOLCTL_STORIES` is the
number of stories beside the known ones: five by default.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
import json
import os
from typing import Any, Final

from aiohttp import ClientSession
from hypothesis import HealthCheck, Phase, example, given, settings, strategies as st
import pytest

from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.controller import Controller, Stored
from custom_components.poolctl.client.counters import Counters
from custom_components.poolctl.client.holds.heat import HeatClaim
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.holds.pauses import Pause
from custom_components.poolctl.client.lan import LanClient
from custom_components.poolctl.client.pool.dosing import ACID, CHLORINE, DoserKind
from custom_components.poolctl.client.pool.heating import BODIES, POOL, SPA, Body
from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    LanBusyError,
    NotSupportedError,
    PoolctlError,
)
from custom_components.poolctl.client.wire.http import ClosingRequest
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.warm_by import warm_by as warm_by_module
from custom_components.poolctl.warm_by.request import Request
from custom_components.poolctl.warm_by.warm_by import WarmBy
from tests.client.conftest import FakeTime, Service, replace_time
from tests.client.holds.test_holds import window
from tests.world import simulator as sim
from tests.world.loops import LeapingLoop
from tests.world.plain import no_spacing
from tests.world.simulator import pool as simulated_pool, schedules
from tests.world.simulator.odd_replies import ODD
from tests.world.simulator.pool import POOL_HEATER, SOLAR, SPA_HEATER
from tests.world.simulator.wire import Frame

__all__ = ["no_spacing"]

PUMP, WATERFALL, SPA_RETURN = 0, 3, 10
ENDLESS: Final = float("inf")
QUIET: Final = 6 * 60
"""Minutes after which everything that has an end is over, retries included."""
ODD_FRAME: Final = "odd_frame"
NAMES: Final = [query.name for query in QUERIES]
FLAGS: Final = {ACID: ("ph_dosing", 1), CHLORINE: ("orp_flags", 2)}
"""The setting of each doser, and its bit."""
HEATERS: Final = {
    HeatSource.SOLAR: SOLAR,
    HeatSource.POOL_HEATER: POOL_HEATER,
    HeatSource.SPA_HEATER: SPA_HEATER,
}
"""The bit of each heat source in the setting `heating`."""


def _no_override(frame: Frame) -> None:
    frame.held_slots = []


def _nothing_on(frame: Frame) -> None:
    frame.aux_modes[:] = [0 for _ in frame.aux_modes]
    frame.telemetry |= {"main_pump_mode": 0, "flags": 0}


def _zeros(frame: Frame) -> None:
    for key in frame.configuration:
        frame.configuration[key] = 0


ODD_FRAMES: Final = (_no_override, _nothing_on, _zeros)


@dataclass
class World:
    """A simulated pool, Home Assistant's side of it, and what everybody asked for."""

    service: Service
    time: FakeTime
    wall_error: float = 0.0
    gone_after_busy: bool = False
    by_lan: bool = True
    """Whether the options of the entry allow the LAN."""
    odd: str = ""
    """What is odd in every other poll: a kind of reply, or frames."""
    was_odd: bool = False
    """Whether something was made odd for the newest poll."""
    holds: dict[int, set[tuple[bool, float]]] = field(
        default_factory=lambda: {PUMP: set(), WATERFALL: set(), SPA_RETURN: set()}
    )
    """By slot: how it may be held, and until when (simulated s)."""
    doses: dict[DoserKind, set[bool]] = field(
        default_factory=lambda: {ACID: {True}, CHLORINE: {True}}
    )
    """By doser: whether it may be on in the end."""
    heats: dict[HeatSource, set[bool]] = field(
        default_factory=lambda: {source: {False} for source in HEATERS}
    )
    """By heat source: whether it may be selected in the end."""
    paused: set[DoserKind] = field(default_factory=set)
    """Dosers whose pause may be under way."""
    lasting: set[int] = field(default_factory=set)
    """Slots that a user switched on until further notice, and nobody touched since."""
    counters: Counters = field(default_factory=Counters)
    """Those of the requests that it signs: they outlast a restart, but no deletion."""

    def __post_init__(self) -> None:
        self.controller, self.warm_by = self.started({})

    @property
    def pool(self) -> sim.Pool:
        return self.service.full.pool

    @property
    def now(self) -> float:
        return self.service.clock.monotonic()

    def started(self, stored: dict[str, Any]) -> tuple[Controller, WarmBy]:
        """Return Home Assistant's side after a start with what it stored."""
        full, kept = self.service.full, json.loads(json.dumps(stored))
        if not stored:
            self.counters = Counters()
        lan = self.service.lan_client(full, counter=self.counters)
        controller = Controller(
            full.device_id,
            lan=lan if self.by_lan else None,
            cloud=self.service.cloud_client(),
            clock=Clock(
                since=kept.get("time"),
                wall=lambda: self.service.clock.time() + self.wall_error,
                steady=lambda: self.time.now,
            ),
            zone=lambda: UTC,
            holds_end=True,
            stored=Stored(
                holds=from_stored(tuple[Hold, ...], kept.get("holds", ())),
                pauses=from_stored(tuple[Pause, ...], kept.get("pauses", ())),
                heat=from_stored(tuple[HeatClaim, ...], kept.get("heat", ())),
            ),
        )
        requests = from_stored(tuple[Request, ...], kept.get("warm_by", ()))
        return controller, WarmBy(controller, Learned(), requests)

    @property
    def owners(self) -> tuple[Any, ...]:
        """What undoes things, in its order."""
        control = self.controller
        return self.warm_by, control.heat, control.pauses, control.holds

    # Home Assistant at work

    async def poll(self, seconds: float) -> None:
        """Let time pass, read, and do what is due."""
        self.time.advance(seconds)
        self.was_odd = not self.was_odd
        if self.was_odd:
            self.be_odd()
        for read in (self.controller.poller.poll, self.controller.queries.refresh):
            with suppress(PoolctlError):
                await read()
        if any(owner.wait is not None and owner.wait <= 0 for owner in self.owners):
            for owner in self.owners:
                await owner.work()

    async def pass_time(self, minutes: float, step: float = 300) -> None:
        """Poll a few times at once, and now and then until the time is over."""
        end = self.time.now + minutes * 60
        for seconds in (15, 15, 15):
            await self.poll(seconds)
        while (left := end - self.time.now) > 0:
            await self.poll(min(left, step))

    # What a user asks for. A request that failed may have run.

    async def _ask[K, V](
        self, wanted: dict[K, set[V]], key: K, claims: set[V], run: Awaitable[object]
    ) -> bool:
        try:
            await run
        except PoolctlError as err:
            if err.ran is not False:
                wanted[key] |= claims
            return False
        wanted[key] = claims
        return True

    async def _switch(
        self, slot: int, claims: set[tuple[bool, float]], run: Awaitable[object]
    ) -> None:
        self.lasting.discard(slot)
        if await self._ask(self.holds, slot, claims, run):
            self.lasting |= {slot for _, until in claims if until == ENDLESS}

    async def hold(self, slot: int, on: bool, minutes: int) -> None:
        duration = timedelta(minutes=minutes)
        run = self.controller.holds.hold(self._slot(slot), on, duration)
        await self._switch(slot, {(on, self.now + minutes * 60)}, run)

    async def switch(self, slot: int, on: bool) -> None:
        claim = (on, ENDLESS if on else self.now + 4 * 3600)
        run = self.controller.holds.switch(self._slot(slot), on)
        await self._switch(slot, {claim}, run)

    async def resume(self, slot: int) -> None:
        run = self.controller.holds.resume(self._slot(slot))
        await self._switch(slot, set(), run)

    def _slot(self, slot: int) -> Any:
        return self.controller.live.state.outputs.slot(slot)

    async def pause(self, kind: DoserKind, minutes: int) -> None:
        was_on = self.doser(kind)
        try:
            await self.controller.pauses.begin([kind], timedelta(minutes=minutes))
        except InvalidCommandError, NotSupportedError:
            return
        except PoolctlError as err:
            if err.ran is False:
                return
        else:
            assert not self.doser(kind)
        self.doses[kind] = {True} if was_on else self.doses[kind] | {True}
        self.paused.add(kind)

    async def enable(self, kind: DoserKind, on: bool) -> None:
        run = self.controller.pauses.enable(kind, on)
        if await self._ask(self.doses, kind, {on}, run):
            self.paused.discard(kind)

    async def warm(self, body: Body, minutes: int) -> None:
        by = self.controller.clock.now() + timedelta(minutes=minutes)
        await self.warm_by.want(body, by, timedelta(hours=1))

    async def warm_no_more(self, body: Body) -> None:
        with suppress(PoolctlError):
            await self.warm_by.want(body, None)

    async def heat(self, source: HeatSource, on: bool) -> None:
        async def run() -> None:
            with self.controller.heat.following([source], on):
                await self.controller.heating.choose(source, on)

        await self._ask(self.heats, source, {on}, run())

    def doser(self, kind: DoserKind) -> bool:
        """Return whether a doser of the simulated pool is on."""
        key, bit = FLAGS[kind]
        return bool(int(self.pool.settings[key]) & bit)

    # The vendor's app

    async def app_switches(self, slot: int, on: bool) -> None:
        self.pool.switch(slot, on, hold=on)
        self.lasting.discard(slot)
        self.holds[slot] = {(True, ENDLESS)} if on else set()

    async def app_doses(self, kind: DoserKind, on: bool) -> None:
        key, bit = FLAGS[kind]
        if self.doser(kind) is not on:
            self.pool.settings[key] = int(self.pool.settings[key]) ^ bit
        # The end of a pause cannot know that somebody wants it off meanwhile.
        over = on or kind not in self.paused
        self.doses[kind] = {on} if over else {on, *self.doses[kind]}

    async def app_heats(self, source: HeatSource, on: bool) -> None:
        selected = int(self.pool.settings["heating"]) & ~HEATERS[source]
        self.pool.settings["heating"] = selected | HEATERS[source] * on
        # The end of a request cannot know that somebody wants it on meanwhile.
        self.heats[source] = {on, False}

    async def window(self, slot: int, begun: int, left: int) -> None:
        """Replace all schedules by one, or by none."""
        for index in range(len(self.pool.schedules)):
            self.pool.schedules[index] = schedules.Schedule()
        if left:
            window(self.pool, left, slot, begun=begun)

    # Misfortune

    def trouble(self, kind: str) -> None:
        """Have one kind of trouble from now on, instead of any other."""
        full, cloud = self.service.full, self.service.cloud
        for each in (full.faults, cloud.faults, full.dialects, full.odd):
            each.clear()
        self.odd = kind if kind in (*ODD, ODD_FRAME) else ""
        self.gone_after_busy = kind == "busy, then gone"
        if self.gone_after_busy or kind == "busy":
            full.dialects.add("busy_after")
        if kind in ("no LAN", "nothing"):
            full.faults.on("refuse")
        if kind in ("answers lost", "declined"):
            full.faults.on("decline" if kind == "declined" else "close_mid_body", "a")
        if kind not in ("", "busy", "no LAN") and not self.odd:
            cloud.faults.on("refuse")

    def be_odd(self) -> None:
        """Make the next frame, or reply of each side, odd; those after it are good."""
        full, cloud = self.service.full, self.service.cloud
        if self.odd == ODD_FRAME:
            full.odd[:] = [ODD_FRAMES[len(full.requests) % len(ODD_FRAMES)]]
        elif self.odd:
            full.faults.once(self.odd, 1, *NAMES)
            cloud.faults.once(self.odd, 1, "chemistryCard", "scheduleInfo")

    async def act(self, lan: LanClient, name: str, payload: bytes) -> Any:
        """Send an action; with this trouble, nothing answers after it ran."""
        try:
            return await ACTION(lan, name, payload)
        except LanBusyError:
            if self.gone_after_busy:
                self.service.full.faults.on("refuse")
            raise

    async def jump(self, hours: float) -> None:
        self.wall_error = hours * 3600

    async def restart(self, minutes: float) -> None:
        old = self.controller
        stored = {
            "holds": to_stored(old.holds.all, tuple[Hold, ...]),
            "pauses": to_stored(old.pauses.all, tuple[Pause, ...]),
            "heat": to_stored(old.heat.all, tuple[HeatClaim, ...]),
            "warm_by": to_stored(self.warm_by.all, tuple[Request, ...]),
            "time": old.clock.time(),
        }
        await old.close()
        self.time.advance(minutes * 60)
        self.controller, self.warm_by = self.started(stored)

    async def use_lan(self, by_lan: bool) -> None:
        """Change the option of the entry, which reloads it."""
        if self.by_lan and not by_lan:
            await self.warm_by.leave(only_lan=True)
        self.by_lan = by_lan
        await self.restart(0.1)

    async def delete(self) -> None:
        """Delete the entry and add it again; the user is informed of what stays."""
        not_undone = await self.warm_by.leave()
        for claim in not_undone.heat:
            self.heats[claim.source] = {True, False}
        left = {hold.slot for hold in not_undone.holds}
        for slot, claims in self.holds.items():
            lasting = {claim for claim in claims if claim[1] == ENDLESS}
            stays = {(True, ENDLESS), (False, ENDLESS)} if slot in left else set()
            self.holds[slot] = lasting | stays
        self.lasting -= left
        for pause in not_undone.pauses:
            if isinstance(pause.kind, DoserKind):
                self.doses[pause.kind] = {True, False}
        self.paused.clear()
        await self.controller.close()
        self.controller, self.warm_by = self.started({})

    # The end

    async def rest(self) -> None:
        """End all misfortune and all schedules, and wait."""
        self.trouble("")
        await self.jump(0)
        await self.use_lan(True)
        # The account is read each hour: the answer has the time.
        date = format_datetime(datetime.fromtimestamp(self.service.clock.time(), UTC))
        self.controller.clock.confirm(date)
        await self.window(PUMP, 0, 0)
        await self.pass_time(QUIET, step=900)

    def check(self) -> None:
        """Check that nothing is left that nobody asked for."""
        for slot, claims in self.holds.items():
            allowed = {on for on, until in claims if until == ENDLESS}
            wired = self.pool.slots[slot]
            assert not wired.held or wired.on in allowed, (slot, wired, claims)
            assert wired.held or not wired.on, (slot, wired)
            assert wired.held or slot not in self.lasting, (slot, wired)
        for kind, wanted in self.doses.items():
            assert self.doser(kind) in wanted, (kind.key, wanted)
        for source, wanted in self.heats.items():
            on = bool(int(self.pool.settings["heating"]) & HEATERS[source])
            assert on in wanted, (source, wanted)
        left = self.controller.heat.all, self.controller.pauses.shown
        assert (self.warm_by.all, *left) == ((), (), ())
        assert all(hold.until is None for hold in self.controller.holds.shown)


type Event = tuple[str, tuple[Any, ...]]
type Story = list[tuple[str, Event, float]]


@asynccontextmanager
async def a_world(patch: pytest.MonkeyPatch) -> AsyncGenerator[World]:
    """Yield a pool at rest, whose time passes ten times as fast."""
    clock = sim.Clock(speed=10, start=sim.NOON)
    time = replace_time(clock, patch)
    patch.setattr(warm_by_module, "time", time)
    patch.setattr(simulated_pool, "STEP", 60.0)  # its water does not matter
    async with (
        ClientSession(request_class=ClosingRequest) as session,
        Service(session, clock).running() as service,
    ):
        service.full.pool.settings["heating"] = 0
        world = World(service, time)
        try:
            yield world
        finally:
            await world.controller.close()


async def live(story: Story) -> None:
    """Live through a story, and check its end."""
    with pytest.MonkeyPatch.context() as patch:
        async with a_world(patch) as world:

            async def act(*args: Any) -> Any:
                return await world.act(*args)

            patch.setattr(LanClient, "action", act)
            await world.window(PUMP, 0, 0)
            await world.poll(15)
            for trouble, (name, values), minutes in story:
                world.trouble(trouble)
                await getattr(world, name)(*values)
                await world.pass_time(minutes)
            await world.rest()
            world.check()


ACTION: Final = LanClient.action
TROUBLES: Final = (
    *("", "busy", "busy, then gone", "answers lost", "declined", "no LAN", "nothing"),
    *(ODD_FRAME, *ODD),
)
SLOTS = st.sampled_from([PUMP, WATERFALL])
DOSERS = st.sampled_from([ACID, CHLORINE])
SOURCES = st.sampled_from([*HEATERS])
BODIES_OF_WATER = st.sampled_from(BODIES)
MINUTES = st.sampled_from([1, 20, 60, 120])
EVENTS: Final[tuple[tuple[str, tuple[st.SearchStrategy[Any], ...]], ...]] = (
    ("hold", (SLOTS, st.booleans(), MINUTES)),
    ("switch", (SLOTS, st.booleans())),
    ("resume", (SLOTS,)),
    ("pause", (DOSERS, MINUTES)),
    ("enable", (DOSERS, st.booleans())),
    ("app_switches", (SLOTS, st.booleans())),
    ("app_doses", (DOSERS, st.booleans())),
    ("warm", (BODIES_OF_WATER, MINUTES)),
    ("warm_no_more", (BODIES_OF_WATER,)),
    ("heat", (SOURCES, st.booleans())),
    ("app_heats", (SOURCES, st.booleans())),
    ("delete", ()),
    ("use_lan", (st.booleans(),)),
    ("window", (SLOTS, MINUTES, st.sampled_from([0, 10, 90]))),
    ("jump", (st.sampled_from([-5, 0.5, 3]),)),
    ("restart", (st.sampled_from([1, 30, 180]),)),
)
STEPS: Final = st.tuples(
    st.sampled_from(TROUBLES),
    st.sampled_from(EVENTS).flatmap(
        lambda event: st.tuples(st.just(event[0]), st.tuples(*event[1]))
    ),
    st.sampled_from([0.5, 5, 25]),
)


STORIES: Final[tuple[Story, ...]] = (
    # Nobody answers that the pump stops, which may hold it off.
    [
        ("busy, then gone", ("switch", (PUMP, False)), 0.5),
        ("nothing", ("delete", ()), 0.5),
    ],
    # The cloud switches it off, which may hold it off.
    [
        ("", ("hold", (WATERFALL, True, 60)), 5),
        ("no LAN", ("app_doses", (ACID, True)), 5),
        ("no LAN", ("delete", ()), 0.5),
    ],
    # Without a LAN, a release is "off", and nobody answers it.
    [
        ("declined", ("warm", (POOL, 60)), 0.5),
        ("no LAN", ("app_doses", (ACID, True)), 5),
        ("busy, then gone", ("warm_no_more", (POOL,)), 25),
    ],
    # Copies without its settings do not show that somebody ended a pause.
    [
        ("odd_frame", ("pause", (ACID, 120)), 25),
        ("", ("switch", (WATERFALL, False)), 5),
        ("answers lost", ("use_lan", (False,)), 0.5),
        ("odd_frame", ("switch", (PUMP, False)), 25),
        ("odd_frame", ("warm", (POOL, 1)), 25),
        ("odd_frame", ("switch", (PUMP, False)), 25),
        ("odd_count", ("pause", (CHLORINE, 60)), 25),
    ],
    # Its end comes after a start, before anything was read.
    [("", ("hold", (PUMP, True, 20)), 5), ("nothing", ("restart", (1,)), 25)],
    # Nobody answers that a heater is selected, and the last read shows that it is not.
    [
        ("declined", ("warm", (SPA, 120)), 25),
        ("answers lost", ("resume", (WATERFALL,)), 25),
        ("busy, then gone", ("warm", (POOL, 120)), 25),
        ("declined", ("delete", ()), 5),
    ],
    # Deleted before a command whose answer was lost has taken effect.
    [("answers lost", ("warm", (POOL, 120)), 5), ("declined", ("delete", ()), 25)],
    # Through the cloud alone, "off" may hold an output off, and nothing shows it.
    [
        ("", ("use_lan", (False,)), 0.5),
        ("", ("switch", (PUMP, False)), 5),
        ("", ("delete", ()), 5),
    ],
    # The cloud switched it off, a read of the LAN shows that this held it off, and the
    # release is declined.
    [
        ("no LAN", ("hold", (WATERFALL, True, 20)), 25),
        ("declined", ("jump", (-5,)), 25),
        ("", ("delete", ()), 25),
    ],
    # A user gives the pump back before the first read after the command.
    [
        ("busy, then gone", ("hold", (PUMP, True, 20)), 25),
        ("declined", ("resume", (PUMP,)), 0.5),
    ],
)


def with_known_stories(test: Callable[..., None]) -> Callable[..., None]:
    """Try these stories in each run."""
    for story in STORIES:
        test = example(story=story)(test)
    return test


@pytest.mark.timeout(600)
@settings(
    max_examples=int(os.environ.get("POOLCTL_STORIES", "5")),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),  # a shorter story would take minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(story=st.lists(STEPS, min_size=4, max_size=12))
@with_known_stories
def test_nothing_stays_that_nobody_asked_for(
    socket_enabled: None, story: Story
) -> None:
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(live(story))
