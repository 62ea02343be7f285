"""Noisy probes: what sensors, thermostats and triggers show."""

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import Event
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer", "quick")


def shown(home: Home) -> tuple[object, ...]:
    """Return the readings of the sensors and of the pool's thermostat."""
    sensors = ("ph", "orp", "water_temperature", "ambient_temperature")
    values = [float(home.value("sensor", key)) for key in sensors]
    return *values, home.state("climate", "pool").attributes["current_temperature"]


async def test_small_changes_are_shown_once_they_last(full: Home) -> None:
    water = full.pool.water
    water.drift, water.ph, water.orp = 0.0, 7.45, 700
    water.temperature, water.ambient = 25.05, 20.0
    await full.advance(15)
    first = shown(full)
    assert first == (7.4, 700, 25.0, 20.0, 25.0)
    water.ph, water.orp, water.temperature, water.ambient = 7.55, 704, 25.15, 20.1
    await full.advance(285, step=15)
    assert shown(full) == first
    # The readings do not change from here on.
    await full.advance(30, step=15)
    assert shown(full) == (7.5, 704, 25.1, 20.1, 25.1)
    water.orp, water.temperature = 709, 25.35
    await full.advance(15)
    assert shown(full) == (7.5, 709, 25.3, 20.1, 25.3)


async def run(home: Home, kind: str, name: str, **rule: object) -> list[Event]:
    """Run an automation with a trigger or condition on an ORP above or below 701 mV."""
    home.pool.water.drift, home.pool.water.orp = 0.0, 700
    await home.advance(15)
    on_orp = {
        kind: f"poolctl.{name}",
        "target": {"device_id": home.device().id},
        "options": {"reading": "orp", "upper_limit": 701},
    }
    rule = {
        "alias": "Test",
        "actions": [{"event": "fired"}],
        f"{kind}s": [on_orp],
    } | rule
    assert await async_setup_component(home.hass, AUTOMATION, {AUTOMATION: [rule]})
    fired: list[Event] = async_capture_events(home.hass, "fired")
    return fired


async def test_a_trigger_fires_for_the_true_reading(full: Home) -> None:
    """It fires even if its limit is crossed by less than the band of the noise."""
    fired = await run(full, "trigger", "reading_out_of_range")
    full.pool.water.orp = 702
    await full.advance(15)
    assert len(fired) == 1


async def test_a_condition_uses_the_true_reading(full: Home) -> None:
    asked = {"trigger": "event", "event_type": "ask"}
    fired = await run(full, "condition", "reading_in_range", triggers=[asked])
    for orp, times in ((700, 1), (702, 1), (701, 2)):
        full.pool.water.orp = orp
        await full.advance(15)
        assert float(full.value("sensor", "orp")) == 700
        full.hass.bus.async_fire("ask")
        await full.hass.async_block_till_done()
        assert len(fired) == times


async def test_one_impossible_temperature_is_not_shown(full: Home) -> None:
    water = full.pool.water
    water.drift, water.ph, water.temperature = 0.0, 7.45, 25.05
    await full.advance(15)
    first = shown(full)
    water.temperature = 60.05
    await full.advance(15)
    assert shown(full) == first
    water.temperature = 25.05
    await full.advance(15)
    assert shown(full) == first
