"""Noisy probes: what sensors, thermostats and triggers show."""

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
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
    # One impossible temperature is not shown.
    for temperature in (60.05, 25.05):
        water.temperature = temperature
        await full.advance(15)
        assert shown(full) == first
    water.ph, water.orp, water.temperature, water.ambient = 7.55, 704, 25.15, 20.1
    await full.advance(285, step=15)
    assert shown(full) == first
    # The readings do not change from here on.
    await full.advance(30, step=15)
    assert shown(full) == (7.5, 704, 25.1, 20.1, 25.1)
    water.orp, water.temperature = 709, 25.35
    await full.advance(15)
    assert shown(full) == (7.5, 709, 25.3, 20.1, 25.3)


async def test_automations_use_the_true_reading(full: Home) -> None:
    """Even if a limit is crossed by less than the band of the noise."""
    full.pool.water.drift, full.pool.water.orp = 0.0, 700
    await full.advance(15)

    def orp_up_to(limit: int) -> dict[str, object]:
        return {
            "target": {"device_id": full.device().id},
            "options": {"reading": "orp", "upper_limit": limit},
        }

    rules = [
        {
            "alias": "Trigger",
            "triggers": [orp_up_to(702) | {"trigger": "poolctl.reading_out_of_range"}],
            "actions": [{"event": "fired"}],
        },
        {
            "alias": "Condition",
            "triggers": [{"trigger": "event", "event_type": "ask"}],
            "conditions": [orp_up_to(701) | {"condition": "poolctl.reading_in_range"}],
            "actions": [{"event": "in_range"}],
        },
    ]
    assert await async_setup_component(full.hass, AUTOMATION, {AUTOMATION: rules})
    fired, in_range = (
        async_capture_events(full.hass, event) for event in ("fired", "in_range")
    )
    for orp, times in ((700, 1), (702, 1), (701, 2)):
        full.pool.water.orp = orp
        await full.advance(15)
        assert float(full.value("sensor", "orp")) == 700
        full.hass.bus.async_fire("ask")
        await full.hass.async_block_till_done()
        assert (len(fired), len(in_range)) == (0, times)
    full.pool.water.orp = 703
    await full.advance(15)
    assert len(fired) == 1
