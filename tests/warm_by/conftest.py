"""These tests have a Home Assistant if they ask for one."""

import time

from homeassistant.const import Platform
import pytest

import custom_components.poolctl as integration
from tests.world.assistant.fixtures import *  # noqa: F403
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import pool as simulated_pool

few_platforms = only(Platform.CLIMATE, Platform.SWITCH)


@pytest.fixture
def sensors(few_platforms: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the many sensors, too, for *Status*."""
    platforms = (*integration.PLATFORMS, Platform.SENSOR)
    monkeypatch.setattr(integration, "PLATFORMS", platforms)


@pytest.fixture
async def spa(full: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return a home with an unused spa, whose pump stands still."""
    # Hours of water, in which seconds do not matter.
    monkeypatch.setattr(simulated_pool, "STEP", 60.0)
    await full.hass.config.async_set_time_zone("UTC")
    full.clock.set_back(full.clock.time() - time.time())
    pool = full.pool
    pool.settings["heating"], pool.settings["spa_target"] = 0, 36
    for schedule in pool.schedules:
        schedule.enabled = False
    pool.water.temperature, pool.water.ambient = 30.0, 30.0
    await full.live(60)
    return full
