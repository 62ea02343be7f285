"""docs/automations.md names all triggers and conditions; its examples work."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
import re
from typing import Any

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.sun import get_astral_event_next
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service

from tests.automations.test_triggers import DRY, SPA_RETURN, still_water
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick", "still_water")
few_platforms = only(Platform.CLIMATE, Platform.LIGHT, Platform.SENSOR, Platform.SWITCH)

TEXT = (Path(__file__).parents[2] / "docs" / "automations.md").read_text()
EXAMPLES: dict[str, dict[str, Any]] = {
    example["alias"]: example
    for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    if isinstance(example := parse_yaml(block), dict)
}

# Entity ID in the examples -> key of our entity
ENTITIES = {
    "sensor.home_pool_ph": "ph",
    "sensor.home_pool_orp": "orp",
    "sensor.home_pool_connection": "connection",
    "sensor.home_pool_spa_expected_warm_time": "spa_expected_warm_time",
    "sensor.home_pool_water_temperature": "water_temperature",
    "switch.home_pool_pump": "pump",
    "switch.home_pool_spa_mode": "spa_mode",
    "climate.home_pool_spa_heating": "spa_heating",
    "sensor.home_pool_status": "status",
    "light.home_pool_pool_light": "slot_1",
    "sensor.home_pool_acid_doses_today": "acid_doses_today",
}

type Happen = Callable[[Home], Awaitable[object]]


async def _chemistry(home: Home) -> None:
    home.pool.water.ph = 7.75
    await home.advance(1860, step=30)


async def _wait_for(home: Home, hour: int) -> None:
    now = dt_util.now()
    until = now.replace(hour=hour, minute=0, second=1, microsecond=0) - now
    if until < timedelta(hours=2):
        until += timedelta(days=1)
    await home.advance(until.total_seconds())


async def _evening(home: Home) -> None:
    home.pool.settings["chlorine_remaining"] = 1_000
    await home.advance(30, step=15)
    await _wait_for(home, 18)


async def _morning(home: Home) -> None:
    await _wait_for(home, 8)


async def _dusk(home: Home) -> None:
    sunset = get_astral_event_next(home.hass, "sunset")
    await home.advance((sunset - dt_util.utcnow()).total_seconds() + 60)
    state = home.hass.states.get("light.home_pool_pool_light")
    assert state is not None
    assert (state.state, state.attributes["effect"]) == ("on", "oceanic_views")


async def _warm_spa(home: Home) -> None:
    home.pool.switch(SPA_RETURN, True)
    await home.advance(420, step=30)  # the probe settles
    home.pool.water.temperature = 36.05
    await home.advance(15)
    await home.advance(15)


async def _nearly_warm_spa(home: Home) -> None:
    """Warm the spa by 6 °C an hour (1 °C in ten minutes); this rate is learned."""
    home.pool.switch(SPA_RETURN, True)
    home.pool.water.temperature = 33.05
    await home.advance(420, step=30)  # the probe settles
    home.pool.water.temperature = 33.05
    for _ in range(25):
        await home.advance(60)
        home.pool.water.temperature += 0.1


async def _dry_run(home: Home) -> None:
    home.pool.pump.dry_run_status = DRY
    await home.advance(30, step=15)


async def _off_the_network(home: Home) -> None:
    home.controller.faults.on("refuse")
    await home.advance(720, step=15)


async def _dose(home: Home) -> None:
    home.pool.acid.doses += 1
    await home.advance(330, step=15)


HAPPENINGS: dict[str, tuple[Happen, str]] = {
    "Pool: chemistry out of range": (_chemistry, "7.7 for half an hour"),
    "Pool: reminder of the drums": (_evening, "The chlorine drum is nearly empty."),
    "Pool: fit for swimming": (_morning, "pH 7.4"),
    "Pool: morning report": (_morning, "pH 7.4, 26.6 °C."),
    "Pool: light at dusk": (_dusk, "oceanic views"),
    "Spa: warm": (_warm_spa, "36.0 degrees"),
    "Spa: warm soon": (_nearly_warm_spa, "Now 34.8 degrees"),
    "Pool: needs attention": (
        _dry_run,
        "Stop the pump. Then check the water level, the skimmer, the valves and the strainer basket.",
    ),
    "Pool: connection": (_off_the_network, "It is reached now by: cloud"),
    "Pool: doses": (_dose, "Acid dose, 1 today"),
}


@pytest.mark.parametrize("alias", HAPPENINGS)
async def test_an_example(full: Home, alias: str) -> None:
    registry = er.async_get(full.hass)
    for name, key in ENTITIES.items():
        ours = full.entity_id(name.split(".")[0], key)
        registry.async_update_entity(ours, new_entity_id=name)
    await full.hass.async_block_till_done()
    calls = [
        async_mock_service(full.hass, "persistent_notification", "create"),
        async_mock_service(full.hass, "logbook", "log"),
    ]
    config = {AUTOMATION: [EXAMPLES[alias]]}
    assert await async_setup_component(full.hass, AUTOMATION, config)
    await full.hass.async_block_till_done()
    (automation,) = full.hass.states.async_all(AUTOMATION)
    assert automation.state == "on"
    happen, message = HAPPENINGS[alias]
    await happen(full)
    (call,) = [call for each in calls for call in each]
    assert call.data["message"] == message
    # A timer that the automation waits for would outlive the test.
    target = {"entity_id": automation.entity_id}
    await full.hass.services.async_call(AUTOMATION, "turn_off", target, blocking=True)


def test_every_example_is_tried() -> None:
    assert set(EXAMPLES) == set(HAPPENINGS)
