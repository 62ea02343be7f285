"""An acid doser that has reached its limit, or whose doses have no effect."""

from typing import Any

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import Event
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from tests.status.test_repairs import shown
from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer")

LOOK = 330
"""Seconds until the count of doses is queried again, and a little more."""


@pytest.fixture
async def pool(home: Home) -> Home:
    """Set up the fully equipped pool; it takes doses only as a test sets them."""
    home.own(home.service.full)
    water = home.pool.water
    water.ph, water.orp, water.drift = 7.85, 800, 0.0
    home.pool.settings["ph_dosing"] = 0
    await home.set_up(home.service.full)
    await home.live(LOOK, step=55)
    return home


async def doses(home: Home, count: int) -> None:
    """Set the controller's count of doses today."""
    home.pool.acid.doses = count
    await home.live(LOOK + 60, step=55)


async def events_of(home: Home, kind: str) -> list[Event]:
    """Return a list of the events that an automation fires from now on."""
    rule: dict[str, Any] = {
        "alias": "Test",
        "triggers": {
            "trigger": "poolctl.needs_attention",
            "target": {"device_id": home.device().id},
            "options": {"kinds": [kind]},
        },
        "actions": [{"event": "told"}],
    }
    assert await async_setup_component(home.hass, AUTOMATION, {AUTOMATION: [rule]})
    await home.hass.async_block_till_done()
    events: list[Event] = async_capture_events(home.hass, "told")
    return events


def problem(home: Home, key: str) -> str:
    return home.value("binary_sensor", key)


async def test_the_limit_of_the_day(pool: Home) -> None:
    told = await events_of(pool, "acid_limit")
    await doses(pool, 5)
    assert problem(pool, "acid_limit_reached") == "off"
    await doses(pool, 6)
    assert problem(pool, "acid_limit_reached") == "on"
    assert len(told) == 1
    await pool.live(300, step=60)
    issue = shown(pool)["acid_limit"]
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["doses"] == "6"
    await doses(pool, 0)
    assert problem(pool, "acid_limit_reached") == "off"
    assert "acid_limit" not in shown(pool)


async def test_no_limit(pool: Home) -> None:
    pool.pool.settings["max_ph_doses"] = 0
    await doses(pool, 6)
    assert problem(pool, "acid_limit_reached") == "unknown"


async def test_doses_without_effect(pool: Home) -> None:
    """Doses before a restart count, too; only the pH ends the problem."""
    told = await events_of(pool, "acid_without_effect")
    await doses(pool, 5)
    await pool.shut_down()
    await pool.boot()
    await pool.live(LOOK, step=55)
    assert problem(pool, "acid_without_effect") == "off"
    await doses(pool, 8)
    assert problem(pool, "acid_without_effect") == "on"
    assert len(told) == 1
    await doses(pool, 0)
    assert problem(pool, "acid_without_effect") == "on"
    issue = shown(pool)["acid_without_effect"]
    assert issue.translation_placeholders is not None
    assert (
        issue.translation_placeholders.items()
        >= {"idle": "8", "reading": "7.8"}.items()
    )
    pool.pool.water.ph = 7.65
    await pool.live(30)
    assert problem(pool, "acid_without_effect") == "off"
    assert "acid_without_effect" not in shown(pool)
