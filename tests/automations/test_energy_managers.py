"""docs/energy-managers.md: what evcc, SEM and EMHASS do with the switch *Extra run*."""

from pathlib import Path
import re
from typing import Any

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import Platform
from homeassistant.helpers import area_registry as ar, device_registry as dr
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("all_enabled", "freezer", "quick")
few_platforms = only(
    *(Platform.CLIMATE, Platform.LIGHT, Platform.SELECT, Platform.SENSOR),
    Platform.SWITCH,
)

PAGE = (Path(__file__).parents[2] / "docs" / "energy-managers.md").read_text()
BLOCKS: list[Any] = [
    parse_yaml(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
]
EVCC, EMHASS = BLOCKS
EXTRA = "switch.home_pool_pump_extra_run"
MANUAL = 99


@pytest.fixture(params=["filtering", "at rest"])
async def pool(small: Home, request: pytest.FixtureRequest) -> Home:
    """Set up a pool whose pump has a schedule that is due, or none."""
    day, *others = small.pool.schedules
    day.start, day.end, day.weekdays = 0, 1439, 127
    day.enabled = request.param == "filtering"
    for schedule in others:
        schedule.enabled = False
    await small.live(30)
    return small


async def switched(home: Home, *, on: bool) -> None:
    """Assert that the extra run is on, or given back to its schedule."""
    await home.live(30)
    assert home.state_of(EXTRA).state == ("on" if on else "off")
    due = int(home.pool.schedules[0].enabled)
    assert home.pool.pump.mode == (MANUAL if on else due)


def test_entities_of_the_page(small: Home) -> None:
    """Each is one that there is."""
    named = set(re.findall(r"\b(?:switch|sensor)\.home_pool_\w+", PAGE))
    assert named == {EXTRA, "sensor.home_pool_pump_power"}
    assert {each for each in named if small.hass.states.get(each)} == named
    (charger,) = EVCC["chargers"]
    assert {charger["switch"], charger["power"]} == named


async def test_emhass(pool: Home) -> None:
    config: dict[str, Any] = {AUTOMATION: [EMHASS]}
    assert await async_setup_component(pool.hass, AUTOMATION, config)
    await pool.settle()
    for power in (0, 1100, 1100.5, 0, 550, 0):
        pool.hass.states.async_set("sensor.p_deferrable0", str(power))
        await switched(pool, on=power > 0)


async def test_all_off_of_an_area(pool: Home) -> None:
    """It is a person's: the pump stops, and stays off while its schedule is due."""
    assert await async_setup_component(pool.hass, "homeassistant", {})
    area = ar.async_get(pool.hass).async_create("Garden")
    devices = dr.async_get(pool.hass)
    for device in dr.async_entries_for_config_entry(devices, pool.entry.entry_id):
        devices.async_update_device(device.id, area_id=area.id)
    calm = {
        each.entity_id: pool.state_of(each.entity_id).state
        for each in pool.entities()
        if each.domain == Platform.SWITCH and each.entity_category
    }
    await pool.finish(pool.act("switch.turn_on", "pump_extra_run"))
    await switched(pool, on=True)
    off = pool.hass.services.async_call(
        "homeassistant", "turn_off", {"area_id": area.id}, blocking=True
    )
    await pool.finish(off)
    await pool.live(60)
    assert pool.state_of(EXTRA).state == pool.value("switch", "pump") == "off"
    assert {name: pool.state_of(name).state for name in calm} == calm
    held = pool.state("switch", "pump").attributes["held_by_hand"]
    assert held is pool.pool.schedules[0].enabled
