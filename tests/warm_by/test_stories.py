"""Water warm by a time: a clock that is corrected, a user whose answer is lost."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from custom_components.poolctl.client.pool.heating import POOL
from custom_components.poolctl.client.wire.equipment import Slot
from tests.warm_by.test_undone_later import PUMP, World, a_world
from tests.world.loops import LeapingLoop

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


async def requested(world: World) -> None:
    """Have the pool warm within an hour; then the clock, which was wrong, is corrected.

    It is warm for an hour longer, and then everything is as before.
    """
    heating, owner = world.pool.settings, world.warm_by
    by = world.controller.clock.now() + HOUR
    await owner.want(POOL, by, HOUR)
    await world.pass_time(20)
    assert heating["heating"]
    world.wall_error = 0.0
    await world.poll(5)
    now = datetime.fromtimestamp(world.service.clock.time(), UTC)
    world.controller.clock.confirm(format_datetime(now))
    await world.pass_time((by + HOUR - now) / MINUTE - 10)
    assert heating["heating"] and owner.all
    await world.pass_time(20)
    assert not heating["heating"] and world.controller.holds.all == ()


async def set_back(world: World, days: float) -> None:
    """Set the clock back while it heats: it heats for no longer than before."""
    heating, owner = world.pool.settings, world.warm_by
    await owner.want(POOL, world.controller.clock.now() + HOUR, HOUR)
    await world.pass_time(20)
    assert heating["heating"]
    world.wall_error = -86400 * days
    await world.pass_time(90)
    (request,) = owner.all
    left = request.until - world.controller.clock.now()
    assert heating["heating"] and abs(left - 10 * MINUTE) < 5 * MINUTE
    await world.pass_time(20)
    assert not heating["heating"] and owner.all == ()


async def moved_a_little(world: World) -> None:
    """Move its time by 40 s: it heats until the new end, without another command."""
    heating, owner = world.pool.settings, world.warm_by
    by = world.controller.clock.now() + HOUR
    await owner.want(POOL, by, HOUR)
    await world.pass_time(20)
    await owner.want(POOL, by + timedelta(seconds=40), HOUR)
    await world.pass_time((by + HOUR - world.controller.clock.now()) / MINUTE)
    for seconds in (10, 10):
        await world.poll(seconds)
        assert heating["heating"] and world.pool.slots[PUMP].hand
    await world.pass_time(5)
    assert not heating["heating"] and world.controller.holds.all == ()


async def switched_off(world: World) -> None:
    """Have a user switch the pump off, and lose the answer: nobody switches it on."""
    await world.warm_by.want(POOL, world.controller.clock.now() + HOUR, HOUR)
    await world.pass_time(20)
    assert world.pool.pump.running
    world.trouble("answers lost")
    await world.switch(PUMP, False)
    world.trouble("")
    for _ in range(10):
        await world.warm_by.work()
        await world.poll(15)
        assert not world.pool.slots[PUMP].hand
    assert world.warm_by.all == () and world.controller.holds.all == ()
    assert not world.pool.settings["heating"]


async def ended(world: World) -> None:
    """Have somebody end it while its first command is sent: nothing of it stays."""
    holds = world.controller.holds
    claim = holds.claim

    async def claims(slot: Slot, claimant: str, *more: Any) -> None:
        holds.on_ended(claimant, slot.index)
        await claim(slot, claimant, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holds, "claim", claims)
        await world.warm_by.want(POOL, world.controller.clock.now() + HOUR, HOUR)
        await world.pass_time(5)
    assert world.warm_by.all == () and holds.all == ()
    assert not world.pool.slots[PUMP].hand and not world.pool.settings["heating"]


async def live(
    story: Callable[[World], Awaitable[None]], ahead: timedelta = timedelta()
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        async with a_world(patch) as world:
            world.wall_error = ahead.total_seconds()
            world.controller, world.warm_by = world.started({})
            await world.window(PUMP, 0, 0)
            await world.poll(15)
            await story(world)


@pytest.mark.parametrize("ahead", [3 * HOUR, HOUR / 2])
def test_a_clock_that_was_ahead(socket_enabled: None, ahead: timedelta) -> None:
    """Its heating lasts until the requested time, not until it is that late by mistake."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(live(requested, ahead))


@pytest.mark.parametrize("days", [1, 8, 400])
def test_a_clock_that_is_set_back(socket_enabled: None, days: int) -> None:
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(live(lambda world: set_back(world, days)))


@pytest.mark.row("L30", "W12")
@pytest.mark.parametrize("story", [switched_off, ended])
def test_a_user_decides(
    socket_enabled: None, story: Callable[[World], Awaitable[None]]
) -> None:
    """A person's own command here counts until reads show that it never ran."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(live(story))


def test_a_time_that_moves_a_little(socket_enabled: None) -> None:
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(live(moved_a_little))
