"""The order of requests on a connection that carries one at a time."""

import asyncio

import pytest

from custom_components.poolctl.client.turns import Turns
from custom_components.poolctl.client.wire.exceptions import OvertakenError


async def queue(lock: Turns, order: list[str], names: str) -> list[asyncio.Task[None]]:
    """Start a waiting task for each name; capitals are urgent."""

    async def work(name: str) -> None:
        async with lock.held(urgent=name.isupper()):
            order.append(name)
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(work(name)) for name in names]
    await asyncio.sleep(0)
    return tasks


@pytest.mark.parametrize(
    ("names", "expected"),
    [("abc", "abc"), ("abC", "aCb"), ("abCdE", "aCEbd"), ("ABc", "ABc")],
)
async def test_urgent_ones_go_first(names: str, expected: str) -> None:
    order: list[str] = []
    await asyncio.gather(*await queue(Turns(patience=60), order, names))
    assert "".join(order) == expected


@pytest.mark.parametrize("names", ["ab", "Ab"])
@pytest.mark.parametrize("when", ["before", "as the turn comes", "after"])
async def test_one_who_gives_up_holds_nobody_up(when: str, names: str) -> None:
    """The next one goes on, even if the turn came just as the request was cancelled."""
    lock = Turns(patience=60)
    order: list[str] = []
    async with lock.held(urgent=False):
        tasks = await queue(lock, order, names)
        if when != "after":
            tasks[0].cancel()
        if when == "before":
            await asyncio.sleep(0)
            await asyncio.sleep(0)
    tasks[0].cancel()
    async with asyncio.timeout(5):
        await asyncio.gather(*tasks, return_exceptions=True)
        async with lock.held(urgent=False):
            assert order == ["b"]
    assert [task.cancelled() for task in tasks] == [True, False]


@pytest.mark.parametrize(
    ("patience", "ended"), [(0.0, True), (2.0, True), (9.0, False)]
)
@pytest.mark.parametrize("as_it_begins", [False, True])
async def test_a_command_waits_for_a_read_only_so_long(
    patience: float, ended: bool, as_it_begins: bool
) -> None:
    """A read of 5 s; it may get its turn just as the command comes. No command is ended."""
    turns, loop = Turns(patience), asyncio.get_running_loop()
    begun = asyncio.Event()

    async def read() -> bool:
        try:
            async with turns.held(urgent=False):
                begun.set()
                await asyncio.sleep(5)
        except OvertakenError:
            return True
        return False

    if as_it_begins:
        async with turns.held(urgent=True):
            reading = asyncio.create_task(read())
            await asyncio.sleep(0)
    else:
        reading = asyncio.create_task(read())
        await begun.wait()
    started = loop.time()
    async with turns.held(urgent=True):
        waited = loop.time() - started
        behind = asyncio.create_task(read())
        await asyncio.sleep(20)  # nothing ends a command
    assert await reading is ended
    assert waited == pytest.approx(min(patience, 5), abs=0.2)
    assert not await behind
