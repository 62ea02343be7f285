"""An acid doser that has reached its limit, or whose doses have no effect."""

import pytest

from tests.status.test_repairs import shown
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")

QUERIED = 330
"""Seconds until the count of doses is queried again, and a little more."""


@pytest.fixture
async def pool(home: Home) -> Home:
    """Set up the fully equipped pool; it takes doses only as a test sets them."""
    home.own(home.service.full)
    water = home.pool.water
    water.ph, water.orp, water.drift = 7.85, 800, 0.0
    home.pool.settings["ph_dosing"] = 0
    await home.set_up(home.service.full)
    await home.live(QUERIED, step=55)
    return home


async def dosed(home: Home, key: str, count: int) -> str:
    """Set the count of doses today; return the state of a problem after it."""
    home.pool.acid.doses = count
    await home.live(QUERIED + 60, step=55)
    return home.value("binary_sensor", key)


async def test_the_limit_of_the_day(pool: Home) -> None:
    key = "acid_limit_reached"
    assert [await dosed(pool, key, count) for count in (5, 6)] == ["off", "on"]
    await pool.live(300, step=60)
    placeholders = shown(pool)["acid_limit"].translation_placeholders or {}
    assert placeholders["doses"] == "6"
    assert await dosed(pool, key, 0) == "off"
    assert "acid_limit" not in shown(pool)
    pool.pool.settings["max_ph_doses"] = 0
    assert await dosed(pool, key, 6) == "unknown"


async def test_doses_without_effect(pool: Home) -> None:
    """Doses before a restart count, too; only the pH ends the problem."""
    key = "acid_without_effect"
    await dosed(pool, key, 5)
    await pool.shut_down()
    await pool.boot()
    await pool.live(QUERIED, step=55)
    assert pool.value("binary_sensor", key) == "off"
    assert [await dosed(pool, key, count) for count in (8, 0)] == ["on", "on"]
    placeholders = shown(pool)[key].translation_placeholders or {}
    assert (placeholders["idle"], placeholders["reading"]) == ("8", "7.8")
    pool.pool.water.ph = 7.65
    await pool.live(30)
    assert pool.value("binary_sensor", key) == "off"
    assert key not in shown(pool)
