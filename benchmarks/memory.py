"""Memory of a registered entity, compared with that of a trivial integration's.

Half of our entities are disabled; the trivial integration has only enabled sensors.
"""

import asyncio
from collections.abc import Awaitable
import gc
import tracemalloc
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from custom_components.poolctl.const import DOMAIN

from .home import add, home
from .rows import Row, at_most
from .service import Elsewhere, elsewhere
from .trivial import TRIVIAL, trivial

FEW: Final = 10
MOST: Final = 1.05


def rows(*, short: bool) -> list[Row]:
    """Measure the memory kept for each entity of controllers after the first."""
    with elsewhere(FEW) as service:
        return [asyncio.run(_compare(service))]


async def _compare(service: Elsewhere) -> Row:
    async with home() as hass:
        await add(hass, service.first_entry_data)
        registered, devices = _sizes(hass, DOMAIN)
        ours = await _kept(add(hass, service.entry_data))
    theirs = await _trivial(registered, devices)
    ratio = ours / registered / FEW / theirs
    return at_most(
        f"memory of each of {registered} registered entities, to that of a trivial"
        " integration's",
        ratio,
        MOST,
        " x",
        f"{ratio:.2f} x ({ratio * theirs / 1024:.1f} : {theirs / 1024:.1f} KiB)",
    )


def _sizes(hass: HomeAssistant, domain: str) -> tuple[int, int]:
    """Return how many entities are registered, and on how many devices."""
    entities = [
        each for each in er.async_get(hass).entities.values() if each.platform == domain
    ]
    return len(entities), len({each.device_id for each in entities})


async def _kept(adding: Awaitable[object]) -> int:
    """Return the bytes that are still allocated after adding."""
    gc.collect()
    tracemalloc.start()
    await adding
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept


async def _trivial(registered: int, devices: int) -> float:
    """Return the bytes of each trivial sensor, with as many sensors and devices."""
    async with home() as hass:
        with trivial(hass, registered, devices) as add_trivial:
            await add_trivial(1)
            assert _sizes(hass, TRIVIAL) == (registered, devices)
            kept = await _kept(add_trivial(FEW))
    return kept / registered / FEW
