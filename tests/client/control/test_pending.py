"""Values sent in quick succession, as by a slider, and how a value is confirmed."""

import asyncio
from dataclasses import replace

import pytest

from custom_components.poolctl.client.coalescing import Coalescer
from custom_components.poolctl.client.control.command import Command
from custom_components.poolctl.client.wire.exceptions import (
    DeclinedError,
    NotAppliedError,
    UnreachableError,
)
from tests.client.conftest import Rig
from tests.world.simulator.raw import until


def speeds(rig: Rig) -> list[object]:
    """Return the speeds of the commands the controller has run."""
    return [body["pump_speed"] for _, body in rig.sent()]


# Coalescing


async def test_ten_moves_of_a_slider(pool: Rig) -> None:
    moves = [pool.controller.pump.set_speed(speed) for speed in range(45, 95, 5)]
    await asyncio.gather(*moves)
    assert speeds(pool) == [90]
    assert pool.controller.store.reported.readings.pump_speed == 90


async def test_moves_while_one_is_under_way(pool: Rig) -> None:
    pool.pool.faults.once("busy", 1, "cmd")  # keeps the first one waiting
    first = asyncio.create_task(pool.controller.pump.set_speed(45))
    await until(lambda: pool.pool.clock.waiting > 0)
    moves = [pool.controller.pump.set_speed(speed) for speed in (50, 60, 70)]
    await asyncio.gather(first, *moves)
    assert speeds(pool) == [45, 70]
    assert pool.controller.store.reported.readings.pump_speed == 70


async def test_what_was_asked_is_shown_until_it_is_there(pool: Rig) -> None:
    """Neither the reply's frame nor a poll under way brings the old value back."""
    poll = asyncio.create_task(pool.controller.poller.poll())
    await asyncio.sleep(0)
    await asyncio.gather(poll, pool.controller.pump.set_speed(85))
    shown = [state.readings.pump_speed or 0 for state in pool.published]
    assert shown[0] == 75 and shown[-1] == 85
    assert shown == sorted(shown)
    assert len(shown) > 2


async def test_a_poll_under_way_does_not_undo_a_switch(pool: Rig) -> None:
    for command_first in (True, False):
        for on in (True, False):
            both = [
                pool.controller.outputs.switch(3, on),
                pool.controller.poller.poll(),
            ]
            await asyncio.gather(*(both if command_first else reversed(both)))
            found = pool.controller.store.state.outputs.slot(3)
            assert found is not None and found.on is on


async def test_all_callers_get_the_error(pool: Rig) -> None:
    pool.pool.faults.on("decline")
    results = await asyncio.gather(
        *(pool.controller.pump.set_speed(speed) for speed in (50, 60)),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [DeclinedError] * 2
    assert len(pool.asked("a")) == 2  # again, in case the counter was the reason


async def test_a_caller_who_gives_up_stops_nobody_else(pool: Rig) -> None:
    one = asyncio.create_task(pool.controller.pump.set_speed(50))
    other = asyncio.create_task(pool.controller.pump.set_speed(60))
    await asyncio.sleep(0)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    await other
    assert pool.pool.pool.pump.speed == 60


async def test_stop(pool: Rig) -> None:
    """While one value is being sent and one waits; later commands are sent."""
    pool.pool.faults.on("hang")
    tasks = [asyncio.create_task(pool.controller.pump.set_speed(50))]
    await until(lambda: len(pool.asked("a")) == 1)
    tasks.append(asyncio.create_task(pool.controller.pump.set_speed(60)))
    await asyncio.sleep(0)
    await pool.controller.stop()
    for task in tasks:
        with pytest.raises(UnreachableError, match="stopped"):
            await task
    await pool.controller.stop()
    assert len(pool.asked("a")) == 1
    pool.pool.faults.clear()
    await pool.controller.pump.set_speed(70)


async def test_a_command_after_the_end(pool: Rig) -> None:
    await pool.controller.close()
    for command in (
        pool.controller.pump.set_speed(70),
        pool.controller.outputs.switch(3, True),
        pool.controller.raw.action("aux", b"\3\1\1"),
    ):
        with pytest.raises(UnreachableError, check=lambda e: e.reason == "stopped"):
            await command
    assert pool.asked() == [] and pool.written() == []


async def test_a_command_whose_caller_goes_away_at_the_end(pool: Rig) -> None:
    """The command is cancelled, and does not raise the error of a closed client."""
    pool.pool.faults.on("hang")
    task = asyncio.create_task(pool.controller.outputs.switch(3, True))
    await until(lambda: len(pool.asked("a")) == 1)
    task.cancel()
    await pool.controller.close()
    with pytest.raises(asyncio.CancelledError):
        await task


# Confirming


async def test_a_poll_may_confirm_it(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleep = pool.time.sleep

    async def sleep_and_poll(seconds: float) -> None:
        await sleep(seconds)
        await pool.controller.poller.poll()

    monkeypatch.setattr(pool.time, "sleep", sleep_and_poll)
    await pool.controller.pump.set_speed(60)
    assert pool.names() == ["cmd", "state"]


async def test_the_last_look_counts(pool: Rig) -> None:
    pool.pool.faults.once("garbage", 8, "state")  # four reads with their retries
    await pool.controller.pump.set_speed(60)
    assert sum(pool.time.slept) == 20
    assert pool.controller.store.reported.readings.pump_speed == 60


async def test_what_slow_reads_disprove_was_not_done(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command fails if a poll disproves its value before the last read."""
    read = pool.controller.poller.read_lan

    async def read_slowly() -> bool:
        pool.time.advance(6)
        return await read()

    monkeypatch.setattr(pool.controller.poller, "read_lan", read_slowly)
    pool.pool.faults.on("ignore_writes")
    for command in (
        pool.controller.pump.set_speed(85),
        pool.controller.outputs.switch(3, True),
    ):
        with pytest.raises(NotAppliedError):
            await command
    pool.pool.pool.switch(3, True)
    await pool.polls(15)
    with pytest.raises(NotAppliedError):
        await pool.controller.outputs.resume_schedule(3)
    assert pool.settled


async def test_a_command_while_no_mode_is_known(pool: Rig) -> None:
    pool.controller.store.update(
        lambda known: replace(known, outputs=replace(known.outputs, modes=()))
    )
    pool.pool.faults.once("truncated_frame", 1, "aux")
    await pool.controller.outputs.switch(3, True)
    found = pool.controller.store.reported.outputs.slot(3)
    assert found is not None and found.on is True


async def test_a_newer_value_takes_the_place_of_an_older_one(pool: Rig) -> None:
    """The caller of the older command gets no error."""
    pool.pool.faults.once("truncated_frame", 2, "aux")
    await asyncio.gather(
        pool.controller.outputs.switch(3, True),
        pool.controller.outputs.switch(3, False),
    )
    found = pool.controller.store.reported.outputs.slot(3)
    assert found is not None and found.on is False
    assert sum(pool.time.slept) < 10


# The coalescer alone


async def test_a_stop_is_over_when_all_is_cleaned_up() -> None:
    coalescer, log = Coalescer(), list[str]()

    async def send(value: int) -> Command:
        log.append(f"sent {value}")
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            log.append("cleaned up")
        raise AssertionError("never")

    async def confirm(pending: Command) -> None:
        raise AssertionError("never")

    caller = asyncio.create_task(coalescer.run("key", 7, send, confirm))
    await until(lambda: bool(log))
    await coalescer.stop()
    assert log == ["sent 7", "cleaned up"]
    with pytest.raises(UnreachableError):
        await caller
