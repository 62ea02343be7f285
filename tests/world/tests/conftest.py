"""The tests of the simulated world need no Home Assistant, but often a whole service."""

from collections.abc import AsyncGenerator

import aiohttp
import pytest

from tests.world.plain import *  # noqa: F403 - its fixtures
from tests.world.simulator import Account, Clock, Cloud, Controller, Pool, Site
from tests.world.simulator.visitor import Visitor


@pytest.fixture
async def service() -> AsyncGenerator[Visitor]:
    """Run a cloud with two accounts; return a client of the first, who has two pools."""
    clock = Clock()
    full = Controller(pool=Pool.full(), clock=clock, name="Home")
    small = Controller(device_id="AA_BB_CC_00_00_02", clock=clock)
    other = Controller(device_id="AA_BB_CC_00_00_03", clock=clock)
    sites = [
        Site("Home", controllers=[full]),
        Site("Beach", "Kiama", "NSW", [small]),
    ]
    account = Account("me@example.com", "secret", "sub-1", name="Me", sites=sites)
    stranger = Account("you@example.com", "x", sites=[Site("", "", "", [other])])
    cloud = Cloud(clock=clock, accounts=[account, stranger])
    async with aiohttp.ClientSession() as session:
        for controller in (full, small, other):
            await controller.start()
        await cloud.start()
        yield Visitor(session, cloud, account, full)
        await cloud.stop()
        for controller in (full, small, other):
            await controller.stop()
    assert clock.waiting == 0


@pytest.fixture
async def signed_in(service: Visitor) -> Visitor:
    """Sign the client in."""
    await service.sign_in()
    return service
