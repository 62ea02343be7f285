"""How long a start keeps everything else in Home Assistant waiting."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
import gc
import time
from typing import Final

from .home import add, home
from .rows import Row
from .service import Elsewhere, elsewhere

MANY: Final = 50
STALL: Final = 0.1
"""s."""
BEAT: Final = 0.005
"""s between two beats of a loop that has nothing to do."""
AFTERWARDS: Final = 20.0
"""s in which names and settings are asked for, and entities renamed."""


def rows(*, short: bool) -> list[Row]:
    """Measure one start of many controllers; it takes as long however short."""
    with elsewhere(MANY) as service:
        return [asyncio.run(_start(service, 5.0 if short else AFTERWARDS))]


async def _start(service: Elsewhere, afterwards: float) -> Row:
    async with home() as hass:
        # Imports and translations are those of any integration.
        await add(hass, service.first_entry_data)
        async with _beats() as beats:
            await add(hass, service.entry_data)
            await asyncio.sleep(afterwards)
    worst = max(beats)
    return Row(
        f"longest stall of the event loop at a start with {MANY} controllers",
        f"{worst * 1000:.0f} ms",
        f"<= {STALL * 1000:.0f} ms",
        worst <= STALL,
    )


@asynccontextmanager
async def _beats() -> AsyncGenerator[list[float]]:
    """Collect the CPU time that the loop takes from one beat to the next.

    CPU time, because other processes are none of its doing; without the collection of
    garbage, whose time is that of all there is in the process.
    """
    beats: list[float] = []

    async def beat() -> None:
        while True:
            started = time.thread_time()
            await asyncio.sleep(BEAT)
            beats.append(time.thread_time() - started)

    gc.collect()
    gc.disable()
    heart = asyncio.create_task(beat())
    try:
        yield beats
    finally:
        heart.cancel()
        gc.enable()
