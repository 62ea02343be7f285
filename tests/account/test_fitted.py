"""Entities that come with their values."""

import pytest

from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer", "quick")


async def test_a_reading_that_comes_up_brings_its_entity(home: Home) -> None:
    """A reading that was missing brings its entity when it appears."""
    home.own(home.service.full)
    home.pool.water.ambient = 0.0
    await home.set_up(home.controller)
    assert "ambient_temperature" not in home.entity_keys("sensor")
    home.pool.water.ambient = 20.0
    await home.advance(15)
    assert home.value("sensor", "ambient_temperature") == "20.0"
