"""Values sent in quick succession, as by a slider, and how a value is confirmed."""

import asyncio
from dataclasses import replace

import pytest

from custom_components.poolctl.client.wire.exceptions import (
    DeclinedError,
    UnreachableError,
)
from tests.client.conftest import Rig, because
from tests.world.simulator.raw import until


def speeds(rig: Rig) -> list[object]:
    """Return the speeds of the commands the controller has run."""
    return [body["pump_speed"] for _, body in rig.sent()]


# Coalescing


async def test_moves_of_a_slider(pool: Rig) -> None:
    set_speed = pool.controller.holds.set_speed
    await asyncio.gather(*(set_speed(speed) for speed in range(45, 95, 5)))
    assert (speeds(pool), pool.reported.readings.pump_speed) == ([90], 90)
    pool.forget()
    pool.pool.faults.once("busy", 1, "cmd")  # keeps the first one waiting
    first = asyncio.create_task(set_speed(45))
    await until(lambda: pool.pool.clock.waiting > 0)
    await asyncio.gather(first, *(set_speed(speed) for speed in (50, 60, 70)))
    assert (speeds(pool), pool.reported.readings.pump_speed) == ([45, 70], 70)


async def test_what_was_asked_is_shown_until_it_is_there(pool: Rig) -> None:
    """Neither the reply's frame nor a poll under way brings the old value back."""
    poll = asyncio.create_task(pool.polls())
    await asyncio.sleep(0)
    await asyncio.gather(poll, pool.controller.holds.set_speed(85))
    shown = [state.readings.pump_speed or 0 for state in pool.published]
    assert shown == sorted(shown) and len(shown) > 2
    assert (shown[0], shown[-1]) == (75, 85)
    for command_first in (True, False):
        for on in (True, False):
            both = [pool.controller.outputs.switch(3, on), pool.polls()]
            await asyncio.gather(*(both if command_first else reversed(both)))
            assert pool.output(3).on is on


async def test_every_caller_gets_the_error_but_one_who_gives_up(pool: Rig) -> None:
    set_speed = pool.controller.holds.set_speed
    pool.pool.faults.on("decline")
    results = await asyncio.gather(set_speed(50), set_speed(60), return_exceptions=True)
    assert [type(result) for result in results] == [DeclinedError] * 2
    assert len(pool.asked("a")) == 2  # again, in case the counter was the reason
    pool.pool.faults.clear()
    one, other = (asyncio.create_task(set_speed(speed)) for speed in (50, 60))
    await asyncio.sleep(0)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    await other
    assert pool.pool.pool.pump.speed == 60


async def test_stop_and_close(pool: Rig) -> None:
    """While one value is being sent and one waits; a stop lets later ones be sent."""
    control = pool.controller
    pool.pool.faults.on("hang")
    tasks = [asyncio.create_task(control.holds.set_speed(50))]
    await until(lambda: len(pool.asked("a")) == 1)
    tasks.append(asyncio.create_task(control.holds.set_speed(60)))
    await asyncio.sleep(0)
    await control.stop()
    for task in tasks:
        with pytest.raises(UnreachableError, check=because("stopped")):
            await task
    await control.stop()
    assert len(pool.asked("a")) == 1
    pool.pool.faults.clear()
    await control.holds.set_speed(70)

    # A caller who goes away at the end gets no error of a closed client.
    pool.pool.faults.on("hang")
    pool.forget()
    task = asyncio.create_task(control.outputs.switch(3, True))
    await until(lambda: len(pool.asked("a")) == 1)
    task.cancel()
    await control.close()
    with pytest.raises(asyncio.CancelledError):
        await task
    pool.forget()
    for command in (
        control.holds.set_speed(70),
        control.outputs.switch(3, True),
        control.raw.action("aux", b"\3\1\1"),
    ):
        with pytest.raises(UnreachableError, check=because("stopped")):
            await command
    assert pool.asked() == [] and pool.written() == []


# Confirming


async def test_commands_without_a_frame(pool: Rig) -> None:
    """While no mode is known, too; a newer value takes the place of an older one."""
    switch = pool.controller.outputs.switch
    pool.controller.live.update(
        lambda known: replace(known, outputs=replace(known.outputs, modes=()))
    )
    pool.pool.faults.once("truncated_frame", 1, "aux")
    await switch(3, True)
    assert pool.settled and pool.output(3).on is True
    pool.forget()
    pool.pool.faults.once("truncated_frame", 2, "aux")
    await asyncio.gather(switch(3, True), switch(3, False))  # no error for the older
    assert pool.settled and pool.output(3).on is False
    assert sum(pool.time.slept) < 10
