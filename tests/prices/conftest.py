"""These tests have a Home Assistant if they ask for one."""

import pytest

from tests.world.assistant.fixtures import *  # noqa: F403
from tests.world.assistant.home import Home


@pytest.fixture
async def beach(full: Home) -> Home:
    """Return the fully equipped pool, in UTC, once its schedules are read."""
    await full.hass.config.async_set_time_zone("UTC")
    await full.settle()
    return full
