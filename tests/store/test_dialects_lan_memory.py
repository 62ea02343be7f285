"""Counters are stored ahead: none is signed twice after a sudden end (protocol.md L1, L14)."""

import time
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
import pytest

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.store.memory import Memory

DEVICE = "AA_BB_CC_00_00_01"
DAY = 24 * 60 * 60


async def loaded(hass: HomeAssistant) -> Memory:
    memory = Memory(hass)
    await memory.async_load()
    return memory


@pytest.mark.parametrize("presses", [1, 4, 5, 6, 80, 200])
async def test_a_sudden_end(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    presses: int,
) -> None:
    """No counter is used twice if Home Assistant ends before the write (60 s later)."""
    counter = (await loaded(hass)).counters(DEVICE)
    used = []
    for _ in range(presses + 1):
        used.append(counter.next())
        await hass.async_block_till_done()
    freezer.tick(5)  # a start takes longer
    first = (await loaded(hass)).counters(DEVICE).next()
    assert first > max(used)
    assert first - max(used) <= 100


async def test_near_the_clock_nothing_is_written_at_once(
    hass: HomeAssistant, hass_storage: dict[str, Any], freezer: FrozenDateTimeFactory
) -> None:
    memory = await loaded(hass)
    for _ in range(5):
        memory.counters(DEVICE).next()
        freezer.tick(1)
    await hass.async_block_till_done()
    assert DOMAIN not in hass_storage


@pytest.mark.row("L14")
@pytest.mark.parametrize("ahead", [-DAY, 60, DAY + 60, 400 * DAY])
async def test_a_counter_is_kept_whatever_the_clock_shows(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    ahead: int,
) -> None:
    """A stored counter counts even far ahead of our clock: the controller keeps it."""
    stored = int(time.time()) + ahead
    hass_storage[DOMAIN] = {
        "version": 1,
        "minor_version": 1,
        "key": DOMAIN,
        "data": {DEVICE: {"counters": {"counter": stored}}},
    }
    memory = await loaded(hass)
    expected = max(stored + 1, int(time.time()))
    assert memory.counters(DEVICE).next() == expected
