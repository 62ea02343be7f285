"""The simulator's clock and its sets of faults."""

import asyncio
import time

import pytest

from tests.world.simulator import Clock
from tests.world.simulator.faults import Faults
from tests.world.simulator.raw import until


async def test_advance_wakes_who_is_due_and_nobody_else() -> None:
    clock, woken = Clock(), []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    tasks = [asyncio.create_task(sleeper(seconds)) for seconds in (60, 20, 3600)]
    await until(lambda: clock.waiting == 3)
    clock.advance(61)
    await asyncio.wait(tasks[:2], timeout=1)
    assert woken == [20, 60]
    tasks[2].cancel()
    await asyncio.wait(tasks)
    assert clock.waiting == 0


async def test_a_sleeper_keeps_its_moment_when_the_clock_jumps() -> None:
    clock = Clock(speed=100)
    started = time.monotonic()
    sleeper = asyncio.create_task(clock.sleep(1000))  # 10 s of real time
    await until(lambda: clock.waiting == 1)
    clock.advance(995)
    await sleeper  # 5 s left, at 100 times the speed
    assert 0.02 < time.monotonic() - started < 2


async def test_timeout() -> None:
    clock = Clock()

    async def limited() -> str:
        try:
            async with clock.timeout(10):
                await asyncio.Event().wait()
        except TimeoutError:
            return "timed out"
        return ""

    task = asyncio.create_task(limited())
    await until(lambda: clock.waiting == 1)
    clock.advance(9)
    await asyncio.sleep(0.01)
    assert not task.done()
    clock.advance(1.1)
    assert await task == "timed out"
    async with clock.timeout(10):
        pass
    assert clock.waiting == 0


def test_set_back_moves_only_the_wall_clock() -> None:
    clock = Clock(start=1_000_000)
    before = clock.monotonic()
    clock.set_back(3600)
    assert clock.time() == pytest.approx(996_400, abs=1)
    assert clock.monotonic() >= before


def test_faults() -> None:
    changes: list[None] = []
    faults = Faults(
        {"slow": "", "shut": ""},
        changed=lambda: changes.append(None),
        lasting=frozenset({"shut"}),
    )
    assert not faults.take("slow")
    faults.once("slow", 2)
    assert [faults.take("slow") for _ in range(3)] == [True, True, False]
    faults.on("slow", "here")
    assert faults.take("slow", "here", "anywhere")
    assert not faults.take("slow", "there")
    assert faults.take("slow", "here", explicit=True)
    assert set(faults) == {"slow"}
    faults.on("shut")
    assert len(faults) == 2
    faults.off("slow")
    faults.clear()
    assert not faults
    assert len(changes) == 5
    with pytest.raises(ValueError, match="no such fault"):
        faults.on("unheard_of")
    with pytest.raises(ValueError, match="cannot be counted"):
        faults.once("shut")


def test_a_fault_everywhere_is_not_explicit() -> None:
    faults = Faults({"slow": ""})
    faults.on("slow")
    assert faults.take("slow", "here")
    assert not faults.take("slow", "here", explicit=True)
