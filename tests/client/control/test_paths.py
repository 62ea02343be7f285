"""What each path does while the other one refuses, is silent, or answers slowly.

Time leaps, sockets are real: the limits are those of the program.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
import time

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.controller import Controller
from custom_components.poolctl.client.pool.dosing import DOSING
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import UnreachableError
from tests.client.conftest import Service
from tests.world import simulator as sim

WATERFALL = 2


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(300):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.5)


@dataclass
class Home:
    """A controller that runs by itself, and the reads that it published."""

    service: Service
    pool: sim.Controller
    controller: Controller
    reads: list[Source | None] = field(default_factory=list)
    fresh: bool = True
    """Whether the state never expired."""

    def add(self, state: PoolState, at: float) -> None:
        self.reads.append(state.source)

    async def until_read(self, source: Source) -> float:
        """Return the seconds until a path is read next."""
        begun, before = time.monotonic(), len(self.reads)
        await until(lambda: source in self.reads[before:])
        return time.monotonic() - begun

    async def watch(self) -> None:
        while True:
            await asyncio.sleep(5)
            self.fresh = self.fresh and self.controller.live.expires_in > 0


@asynccontextmanager
async def running(
    session: ClientSession,
    *,
    lan: bool = True,
    full: bool = False,
    holds_end: bool = False,
) -> AsyncGenerator[Home]:
    service = Service(session, sim.Clock(start=sim.NOON))
    async with service.running():
        pool = service.full if full else service.small
        controller = Controller(
            pool.device_id,
            lan=service.lan_client(pool) if lan else None,
            cloud=service.cloud_client(),
            clock=Clock(wall=pool.clock.time, steady=pool.clock.time),
            holds_end=holds_end,
        )
        home = Home(service, pool, controller)
        controller.live.read_listeners.append(home.add)
        async with controller.running():
            watch = asyncio.create_task(home.watch())
            await asyncio.sleep(20)
            # Right after a read, which is the worst moment.
            await home.until_read(Source.LAN if lan else Source.CLOUD)
            try:
                yield home
            finally:
                watch.cancel()
                pool.faults.clear()
                service.cloud.faults.clear()


@pytest.mark.row("C30")
@pytest.mark.parametrize(
    ("lan", "seconds", "cloud"),
    [
        ("hang", 17, "refuse"),
        ("refuse", 32, "hang"),
        ("hang", 40, "trickle"),
    ],
)
async def test_the_lan_is_back(
    session: ClientSession, lan: str, seconds: float, cloud: str
) -> None:
    """Its values are back within 17 s, and the last ones were shown meanwhile."""
    async with running(session) as home:
        home.service.cloud.faults.on(cloud)
        home.pool.faults.on(lan)
        await asyncio.sleep(seconds)
        home.pool.faults.clear()
        assert await home.until_read(Source.LAN) <= 17
        assert home.fresh


@pytest.mark.row("C30")
@pytest.mark.parametrize(
    ("lan", "cloud", "after"),
    [
        ("hang", "hang", 5),
        ("hang", "trickle", 33),
        ("refuse", "refuse", 70),
    ],
)
async def test_a_click_while_both_are_gone(
    session: ClientSession, lan: str, cloud: str, after: float
) -> None:
    """Its error comes within 35 s. Once the LAN is back, a click needs 3 s."""
    async with running(session) as home:
        home.service.cloud.faults.on(cloud)
        home.pool.faults.on(lan)
        await asyncio.sleep(after)
        begun, outputs = time.monotonic(), home.controller.outputs
        with pytest.raises(UnreachableError) as caught:
            await outputs.switch(WATERFALL, True)
        assert time.monotonic() - begun <= 35
        assert caught.value.ran is (False if lan == cloud == "refuse" else None)
        home.pool.faults.clear()
        await asyncio.sleep(3)
        begun = time.monotonic()
        await outputs.switch(WATERFALL, True)
        assert time.monotonic() - begun <= 3


async def _hold(control: Controller, seconds: timedelta) -> None:
    slot = control.state.outputs.slot(WATERFALL)
    await control.holds.hold(slot, True, duration=seconds)


async def _pause(control: Controller, seconds: timedelta) -> None:
    await control.pauses.begin(DOSING, seconds)


async def _heat(control: Controller, seconds: timedelta) -> None:
    await control.heating.select(HeatSource.SOLAR, False)
    until = control.clock.now() + seconds
    await control.heat.claim(HeatSource.SOLAR, "somebody", until)


@pytest.mark.row("C30")
@pytest.mark.parametrize(
    ("begin", "lan", "cloud", "back", "over"),
    [
        (_hold, "hang", "hang", 80, 100),
        (_pause, "hang", "hang", 80, 100),
        (_heat, "refuse", "hang", 80, 100),
        # An attempt that began before may end after the first answer.
        (_pause, "hang", "hang", 95, 135),
        (_pause, "hang", "error_500", 95, 126),
    ],
)
async def test_what_ends_while_both_are_gone(
    session: ClientSession,
    begin: Callable[[Controller, timedelta], Awaitable[None]],
    lan: str,
    cloud: str,
    back: float,
    over: float,
) -> None:
    """A hold, a pause or heat of 90 s is over at 100 s if the LAN is back at 80 s."""
    async with running(session, full=True, holds_end=True) as home:
        begun, control = time.monotonic(), home.controller
        await begin(control, timedelta(seconds=90))
        claims = control.holds, control.pauses, control.heat
        assert any(each.all for each in claims)
        home.service.cloud.faults.on(cloud)
        home.pool.faults.on(lan)
        await asyncio.sleep(back - (time.monotonic() - begun))
        home.pool.faults.clear()
        await until(lambda: not any(each.shown for each in claims))
        assert 89 <= time.monotonic() - begun <= over


@pytest.mark.parametrize("lan", ["hang", "refuse"])
async def test_the_first_answer_of_the_cloud_is_lost(
    session: ClientSession, lan: str
) -> None:
    """The next one comes before the state expires, and reads stay 30 s apart."""
    async with running(session) as home:
        home.service.cloud.faults.once("hang", 1, "dashboardInfo")
        home.pool.faults.on(lan)
        assert await home.until_read(Source.CLOUD) <= 70
        await asyncio.sleep(150)
        assert home.fresh
        _apart(home)


async def test_a_command_that_was_accepted_and_not_read(session: ClientSession) -> None:
    """Its error says that it ran, and the next read shows it."""
    async with running(session) as home:
        home.service.cloud.faults.on("hang")
        home.pool.faults.on("hang", "state")
        begun = time.monotonic()
        with pytest.raises(UnreachableError) as caught:
            await home.controller.holds.set_speed(60)
        assert time.monotonic() - begun <= 35
        assert caught.value.ran is True
        home.pool.faults.clear()
        await home.until_read(Source.LAN)
        assert home.controller.state.readings.pump_speed == 60


@pytest.mark.parametrize("cloud", ["hang", "trickle"])
async def test_a_click_by_the_cloud_alone(session: ClientSession, cloud: str) -> None:
    """A background read that is not answered does not keep it waiting."""
    async with running(session, lan=False) as home:
        faults = home.service.cloud.faults
        faults.on(cloud, "dashboardInfo")
        await asyncio.sleep(40)
        begun = time.monotonic()
        await home.controller.outputs.switch(WATERFALL, True)
        assert time.monotonic() - begun <= 5
        faults.clear()
        await asyncio.sleep(150)
        _apart(home)


async def test_a_write_in_progress_is_not_ended(session: ClientSession) -> None:
    """Neither by another command nor by a read: the next one waits for it."""
    async with running(session, lan=False) as home:
        faults, cloud = home.service.cloud.faults, home.service.cloud
        faults.once("trickle", 1, "manualSet")
        cloud.seconds_a_byte = 0.3
        outputs = home.controller.outputs
        first = asyncio.create_task(outputs.switch(WATERFALL, True))
        await asyncio.sleep(1)
        await outputs.switch(WATERFALL, False)
        await first
        writes = [each.status for each in cloud.requests if each.name == "manualSet"]
        assert writes == [200, 200]


def _apart(home: Home) -> None:
    """Check that dashboards were read at least 30 s apart."""
    requests = home.service.cloud.requests
    reads = sorted(r.at for r in requests if r.name == "dashboardInfo")
    assert len(reads) > 2 and all(b - a > 29 for a, b in pairwise(reads))
