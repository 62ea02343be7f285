"""How long a start blocks everything else in Home Assistant."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
import gc
import time
from typing import Final

from custom_components.poolctl.const import DOMAIN

from .home import add, home
from .rows import Row, at_most, only_a_figure
from .service import Elsewhere, elsewhere
from .trivial import ms_to_write

FEW, MANY = 3, 50
MOST: Final = 80.0
"""The longest stall, to writing as many new states as one controller has."""
BEAT: Final = 0.005
"""Seconds between two beats of an idle event loop."""
AFTERWARDS: Final = 20.0
"""Seconds in which names and settings are queried, and entities renamed."""


def rows(*, short: bool) -> list[Row]:
    """Measure a start of a few and of many controllers."""
    return [
        _row(controllers, 5.0 if short else AFTERWARDS) for controllers in (FEW, MANY)
    ]


def _row(controllers: int, afterwards: float) -> Row:
    with elsewhere(controllers) as service:
        worst, collection, usual = asyncio.run(_start(service, afterwards))
    name = f"longest stall of the event loop at a start with {controllers} controllers"
    figure = f"{worst:.0f} ms (and {collection:.0f} ms to collect garbage)"
    if controllers == MANY:
        return only_a_figure(name, figure)
    name += ", to writing the states of one"
    ratio = worst / usual
    return at_most(name, ratio, MOST, " x", f"{ratio:.1f} x ({usual:.2f} ms): {figure}")


async def _start(service: Elsewhere, afterwards: float) -> tuple[float, float, float]:
    """Return the longest stall and garbage collection, and a usual write, in ms."""
    async with home() as hass:
        # Imports and translations are not measured: every integration has them.
        await add(hass, service.first_entry_data)
        usual = await ms_to_write(hass, DOMAIN)
        async with _beats() as (beats, collections):
            for data in service.entries_data:
                await add(hass, data)
            await asyncio.sleep(afterwards)
    return max(beats) * 1000, max(collections) * 1000, usual


@asynccontextmanager
async def _beats() -> AsyncGenerator[tuple[list[float], list[float]]]:
    """Collect the CPU time of the loop between two beats, and of garbage collections.

    CPU time does not include other processes. Garbage collections are listed apart, as
    their time depends on all objects of the process.
    """
    beats: list[float] = []
    collections, begun = [0.0], 0.0

    def collecting(phase: str, info: object) -> None:
        nonlocal begun
        now = time.thread_time()
        if phase == "start":
            begun = now
        else:
            collections.append(now - begun)

    async def beat() -> None:
        while True:
            started, collected = time.thread_time(), len(collections)
            await asyncio.sleep(BEAT)
            spent = time.thread_time() - started
            beats.append(spent - sum(collections[collected:]))

    gc.collect()
    gc.callbacks.append(collecting)
    heart = asyncio.create_task(beat())
    try:
        yield beats, collections
    finally:
        heart.cancel()
        gc.callbacks.remove(collecting)
