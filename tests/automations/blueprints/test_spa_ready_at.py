"""The blueprint that has the spa warm at a given time, on chosen days."""

from datetime import datetime, timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pool import Pool

from .conftest import House, spa_heats

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "at_once"),
    pytest.mark.freeze_time("2026-11-20 13:50:00-08:00"),  # a Friday
]
few_platforms = only(Platform.CLIMATE, Platform.DATETIME, Platform.SWITCH)

NAME = "spa_ready_at"
PUMP, SPA_RETURN = 0, 10
"""Slots of the full pool."""


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the full pool; its water changes only when a test changes it."""
    found = service.full.pool
    found.update()
    found.water.temperature, found.water.drift = 26.45, 0.0
    return found


async def automate(home: House, **more: Any) -> None:
    await home.automate(NAME, spa=home.entity_id("climate", "spa"), **more)


def requested(home: House) -> str:
    """Return the weekday and local time by which the spa should be warm, if any."""
    state = home.value("datetime", "spa_warm_by")
    if state == "unknown":
        return ""
    return f"{dt_util.as_local(datetime.fromisoformat(state)):%a %H:%M}"


async def until(home: House, hour: int, minute: int = 0, day: int = 20) -> None:
    """Let time pass until a local time."""
    then = dt_util.now().replace(day=day, hour=hour, minute=minute, second=0)
    assert then > dt_util.now()
    await home.wait(seconds=(then - dt_util.now()).total_seconds())


def on(pool: Pool) -> tuple[bool, bool]:
    """Return whether spa and pump are held on by hand."""
    pool.update()
    spa = pool.spa_mode and pool.slots[SPA_RETURN].held
    return spa, pool.slots[PUMP].held


async def test_warm_in_time_and_off_again(full: House, pool: Pool) -> None:
    """Heating from 24.5 (as the air) to 36 °C, at 3 °C an hour, begins at once."""
    await automate(full, stays_warm=1)
    await until(full, 14, 5)
    assert requested(full) == "Fri 18:00"
    assert on(pool) == (True, True)
    assert spa_heats(pool)
    pool.water.temperature = 36.2
    await until(full, 18, 58)
    assert on(pool) == (True, True)
    await until(full, 19, 5)
    assert on(pool) == (False, False)
    assert requested(full) == ""
    assert not full.waiting


@pytest.mark.parametrize(
    ("fahrenheit", "more", "expected"),
    [
        (False, {"target": 38}, 38),
        (True, {"target": 100}, 38),
        (True, {}, 37),  # the default is 37 °C there, too
    ],
)
async def test_a_temperature_of_its_own(
    home: House, pool: Pool, fahrenheit: bool, more: dict[str, Any], expected: int
) -> None:
    if fahrenheit:
        home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    await automate(home, heat_to="temperature", **more)
    await until(home, 14, 5)
    assert pool.settings["spa_target"] == expected


@pytest.mark.parametrize(
    ("ready_at", "weekdays", "before", "after", "expected"),
    [
        ("06:00:00", ["sat"], (17, 55), (18, 5), "Sat 06:00"),
        ("13:00:00", ["fri"], (14, 5), (23, 55), ""),
        ("18:00:00", ["sat"], (14, 5), (23, 55), ""),
        ("00:30:00", ["sat"], (13, 55), (14, 5), "Sat 00:30"),
        ("00:30:00", ["fri"], (13, 55), (23, 55), ""),
    ],
)
async def test_twelve_hours_before_and_on_its_day(
    full: House,
    ready_at: str,
    weekdays: list[str],
    before: tuple[int, int],
    after: tuple[int, int],
    expected: str,
) -> None:
    await automate(full, ready_at=ready_at, weekdays=weekdays)
    await until(full, *before)
    assert requested(full) == ""
    await until(full, *after)
    assert requested(full) == expected


async def test_given_up_for_one_day(full: House, pool: Pool) -> None:
    """A spa that a user switched off is not requested again before the next day."""
    await automate(full)
    await until(full, 14, 5)
    assert on(pool) == (True, True)
    await full.act("switch.turn_off", "spa_mode")
    await until(full, 18, 30)
    assert requested(full) == ""
    assert not on(pool)[0]
    await until(full, 6, 20, day=21)
    assert requested(full) == "Sat 18:00"


@pytest.mark.parametrize(
    ("hours_ago", "at_once", "later"),
    [
        (5, "", ""),  # a request from before the restart is not made again
        (23, "Fri 18:00", "Fri 18:00"),  # its time was missed
    ],
)
async def test_over_a_restart(
    full: House, hours_ago: float, at_once: str, later: str
) -> None:
    spa = full.entity_id("climate", "spa")
    await full.start_anew(NAME, timedelta(hours=hours_ago), spa=spa)
    assert requested(full) == at_once
    await until(full, 14, 5)
    assert requested(full) == later
