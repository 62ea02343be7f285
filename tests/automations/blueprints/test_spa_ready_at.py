"""The blueprint that has the spa warm at a given time, on chosen days."""

from datetime import datetime, timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pool import Pool

from .conftest import House, spa_heats

pytestmark = pytest.mark.usefixtures("quick", "at_once")
few_platforms = only(Platform.CLIMATE, Platform.DATETIME, Platform.SWITCH)

NAME = "spa_ready_at"
PUMP, SPA_RETURN = 0, 10
"""Slots of the full pool."""


@pytest.fixture(autouse=True)
def friday(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-11-20 13:50:00-08:00")


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the full pool; its water changes only when a test changes it."""
    found = service.full.pool
    found.update()
    found.water.temperature, found.water.drift = 26.45, 0.0
    return found


@pytest.fixture
def house(full: House) -> House:
    return full


def inputs(house: Home, **more: Any) -> dict[str, Any]:
    """Return the inputs that a user fills in."""
    return {"spa": house.entity_id("climate", "spa"), **more}


def asked(house: Home) -> str:
    """Return the weekday and local time by which the spa should be warm, if any."""
    state = house.value("datetime", "spa_warm_by")
    if state == "unknown":
        return ""
    return f"{dt_util.as_local(datetime.fromisoformat(state)):%a %H:%M}"


async def until(house: House, hour: int, minute: int = 0, day: int = 20) -> None:
    """Let time pass until a local time."""
    then = dt_util.now().replace(day=day, hour=hour, minute=minute, second=0)
    assert then > dt_util.now()
    await house.wait(seconds=(then - dt_util.now()).total_seconds())


def on(pool: Pool) -> bool:
    """Return whether the spa is held on by hand."""
    pool.update()
    return pool.spa_mode and pool.slots[SPA_RETURN].held


async def test_warm_in_time_and_off_again(house: House, pool: Pool) -> None:
    """Heating from 24.5 (as the air) to 36 °C, at 3 °C an hour, begins at once."""
    await house.automate(NAME, **inputs(house, stays_warm=1))
    await until(house, 14, 5)
    assert asked(house) == "Fri 18:00"
    assert on(pool)
    assert pool.slots[PUMP].held
    assert spa_heats(pool)
    pool.water.temperature = 36.2
    await until(house, 18, 58)
    assert on(pool)
    await until(house, 19, 5)
    assert not on(pool)
    assert not pool.slots[PUMP].held
    assert asked(house) == ""
    assert not house.waiting


async def test_a_temperature_of_its_own(house: House, pool: Pool) -> None:
    await house.automate(NAME, **inputs(house, heat_to="temperature", target=38))
    await until(house, 14, 5)
    assert pool.settings["spa_target"] == 38


@pytest.mark.parametrize(("more", "expected"), [({"target": 100}, 38), ({}, 37)])
async def test_in_fahrenheit(
    home: Home, pool: Pool, more: dict[str, Any], expected: int
) -> None:
    """The default is 37 °C there, too."""
    assert isinstance(home, House)
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    await home.automate(NAME, **inputs(home, heat_to="temperature", **more))
    await until(home, 14, 5)
    assert pool.settings["spa_target"] == expected


@pytest.mark.parametrize(
    ("ready_at", "weekdays", "before", "after", "wanted"),
    [
        ("06:00:00", ["sat"], (17, 55), (18, 5), "Sat 06:00"),
        ("13:00:00", ["fri"], (14, 5), (23, 55), ""),
        ("18:00:00", ["sat"], (14, 5), (23, 55), ""),
        ("00:30:00", ["sat"], (13, 55), (14, 5), "Sat 00:30"),
        ("00:30:00", ["fri"], (13, 55), (23, 55), ""),
    ],
)
async def test_twelve_hours_before_and_on_its_day(
    house: House,
    ready_at: str,
    weekdays: list[str],
    before: tuple[int, int],
    after: tuple[int, int],
    wanted: str,
) -> None:
    await house.automate(NAME, **inputs(house, ready_at=ready_at, weekdays=weekdays))
    await until(house, *before)
    assert asked(house) == ""
    await until(house, *after)
    assert asked(house) == wanted


async def test_given_up_for_one_day(house: House, pool: Pool) -> None:
    """A spa that a user switched off is not requested again before the next day."""
    await house.automate(NAME, **inputs(house))
    await until(house, 14, 5)
    assert on(pool)
    await house.act("switch.turn_off", "spa_mode")
    await until(house, 18, 30)
    assert asked(house) == ""
    assert not on(pool)
    await until(house, 6, 20, day=21)
    assert asked(house) == "Sat 18:00"


async def test_over_a_restart(house: House) -> None:
    """A request from before the restart is not made again."""
    await house.start_anew(NAME, timedelta(hours=5), **inputs(house))
    await until(house, 14, 5)
    assert asked(house) == ""


async def test_after_a_restart_that_missed_its_time(house: House) -> None:
    await house.start_anew(NAME, timedelta(hours=23), **inputs(house))
    assert asked(house) == "Fri 18:00"
