"""How long a start blocks everything else in Home Assistant."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
import gc
import time
from typing import Final

from .home import add, home
from .rows import Row
from .service import Elsewhere, elsewhere

MANY: Final = (50,)
BEAT: Final = 0.005
"""Seconds between two beats of an idle event loop."""
AFTERWARDS: Final = 20.0
"""Seconds in which names and settings are queried, and entities renamed."""


def rows(*, short: bool) -> list[Row]:
    """Measure starts of many controllers, fewer of them in a short run."""
    found = []
    for many in MANY[: 1 if short else None]:
        with elsewhere(many) as service:
            found += [asyncio.run(_start(service, many, 5.0 if short else AFTERWARDS))]
    return found


async def _start(service: Elsewhere, many: int, afterwards: float) -> Row:
    async with home() as hass:
        # Imports and translations are not measured: every integration has them.
        await add(hass, service.first_entry_data)
        async with _beats() as (beats, collections):
            for data in service.entries_data:
                await add(hass, data)
            await asyncio.sleep(afterwards)
    worst, collection = max(beats), max(collections)
    return Row(
        f"longest stall of the event loop at a start with {many} controllers",
        f"{worst * 1000:.0f} ms (and {collection * 1000:.0f} ms to collect garbage)",
        "none: a figure",
        True,
    )


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
