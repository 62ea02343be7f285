"""Counters are stored ahead: none is signed twice after a sudden end (unknowns.md L1, L14)."""

import time
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
import pytest

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.upkeep.counters import counters_of
from custom_components.poolctl.upkeep.memory import Memory

DEVICE = "AA_BB_CC_00_00_01"
DAY = 24 * 60 * 60


@pytest.mark.parametrize("presses", [1, 80, 200])
async def test_a_sudden_end(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    presses: int,
) -> None:
    """Home Assistant ends before the store is written for its 60 s."""
    memory = Memory(hass)
    await memory.async_load()
    counter = counters_of(memory, DEVICE)
    used = []
    for _ in range(presses + 1):
        used.append(counter.next())
        await hass.async_block_till_done()
    again = Memory(hass)
    await again.async_load()
    first = counters_of(again, DEVICE).next()
    assert first > max(used)
    assert first - max(used) <= 100


async def test_near_the_clock_nothing_is_written_at_once(
    hass: HomeAssistant, hass_storage: dict[str, Any], freezer: FrozenDateTimeFactory
) -> None:
    memory = Memory(hass)
    await memory.async_load()
    for _ in range(5):
        counters_of(memory, DEVICE).next()
        freezer.tick(1)
    await hass.async_block_till_done()
    assert DOMAIN not in hass_storage


@pytest.mark.parametrize(("ahead", "kept"), [(DAY - 60, True), (DAY + 60, False)])
async def test_a_counter_of_a_wrong_clock(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    ahead: int,
    kept: bool,
) -> None:
    """One above the clock by more than a day is not kept."""
    stored = int(time.time()) + ahead
    hass_storage[DOMAIN] = {
        "version": 1,
        "minor_version": 1,
        "key": DOMAIN,
        "data": {DEVICE: {"counters": {"counter": stored}}},
    }
    memory = Memory(hass)
    await memory.async_load()
    expected = stored + 1 if kept else int(time.time())
    assert counters_of(memory, DEVICE).next() == expected
