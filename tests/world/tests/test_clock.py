"""The simulator's clock and its sets of faults."""

import asyncio
import time

import pytest

from tests.world.simulator import Clock
from tests.world.simulator.faults import Faults
from tests.world.simulator.raw import until


async def test_a_sleeper_keeps_its_moment_when_the_clock_jumps() -> None:
    clock = Clock(speed=100)
    started = time.monotonic()
    sleeper = asyncio.create_task(clock.sleep(1000))  # 10 s of real time
    await until(lambda: clock.waiting == 1)
    clock.advance(995)
    await sleeper  # 5 s left, at 100 times the speed
    assert 0.02 < time.monotonic() - started < 2


def test_set_back_moves_only_the_wall_clock() -> None:
    clock = Clock(start=1_000_000)
    before = clock.monotonic()
    clock.set_back(3600)
    assert clock.time() == pytest.approx(996_400, abs=1)
    assert clock.monotonic() >= before


def test_faults() -> None:
    changes: list[None] = []
    faults = Faults({"slow": "", "shut": ""}, lambda: changes.append(None))
    assert not faults.take("slow")
    faults.on("slow")
    assert faults.take("slow", "here")
    assert not faults.take("slow", "here", explicit=True)
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
    assert len(changes) == 6
    with pytest.raises(ValueError, match="no such fault"):
        faults.on("unheard_of")
