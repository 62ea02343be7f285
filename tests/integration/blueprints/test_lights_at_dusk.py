"""Lights at dusk with a show."""

from datetime import timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.integration.conftest import Service, entity_id, set_up, value
from tests.simulator.pool import Pool
from tests.simulator.schedules import Schedule

from .conftest import House

pytestmark = pytest.mark.usefixtures("quick", "at_once")

NAME = "lights_at_dusk"
LIGHT, SPA_LIGHT = 1, 2
"""Slots of the full pool: the first has shows, the second just colours by turns."""
MULTI_PLUS, WHITE, OCEANIC_VIEWS = 2, 7, 8
"""Light type and colours of the pool's lights (layouts.md 4.1)."""


@pytest.fixture(autouse=True)
def evening(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-11-20 17:00:00-08:00")


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    return service.full.pool


def sun(hass: HomeAssistant, elevation: float) -> None:
    """Let the sun stand somewhere."""
    state = "above_horizon" if elevation > 0 else "below_horizon"
    hass.states.async_set("sun.sun", state, {"elevation": elevation})


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return what a person fills in."""
    return {
        "lights": [
            entity_id(house.hass, "light", house.service.full, f"slot_{slot}")
            for slot in (LIGHT, SPA_LIGHT)
        ],
        "show": "oceanic_views",
        **more,
    }


async def by_hand(house: House, action: str, slot: int) -> None:
    """Do something with a light."""
    await house.act(action, house.service.full, f"slot_{slot}", "light")
    await house.wait(seconds=30)


async def pass_hours(house: House, hours: float) -> None:
    """Let hours pass."""
    await house.wait(minutes=hours * 60, step=600)


async def dusk(house: House) -> None:
    """Let it get dark at half past five."""
    sun(house.hass, 2)
    await house.automate(NAME, **inputs(house))
    await pass_hours(house, 0.5)
    sun(house.hass, -5)
    await house.wait(minutes=2)


def shines(pool: Pool, slot: int) -> bool:
    """Tell whether the relay of a light is on."""
    pool.update()
    return pool.slots[slot].on


async def test_an_evening(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    sun(hass, 10)
    await house.automate(NAME, **inputs(house))
    sun(hass, -3.9)
    await house.wait(minutes=2)
    assert not shines(pool, LIGHT)
    sun(hass, -4.1)
    await house.wait(minutes=2)
    assert shines(pool, LIGHT) and shines(pool, SPA_LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, OCEANIC_VIEWS]
    assert value(hass, "light", service.full, f"slot_{LIGHT}") == "on"
    assert not house.waiting
    sun(hass, -12)
    await pass_hours(house, 5.8)
    assert shines(pool, LIGHT) and shines(pool, SPA_LIGHT)
    await pass_hours(house, 0.4)
    assert not any(pool.slots[slot].held for slot in (LIGHT, SPA_LIGHT))
    assert not shines(pool, LIGHT) and not shines(pool, SPA_LIGHT)


@pytest.mark.parametrize("show", ["", "northern_lights"])
async def test_no_show(
    hass: HomeAssistant,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
    show: str,
) -> None:
    """None is chosen, or one that the lights do not have: then they are just on."""
    sun(hass, 10)
    await house.automate(NAME, **inputs(house, show=show))
    sun(hass, -5)
    await house.wait(minutes=2)
    assert shines(pool, LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, WHITE]
    shows = [r for r in house.service.full.requests if r.name == "cmd"]
    assert shows == []


async def test_switched_off_in_the_evening(
    hass: HomeAssistant, full: MockConfigEntry, pool: Pool, house: House
) -> None:
    """It stays off, until the next evening."""
    await dusk(house)
    assert shines(pool, LIGHT)
    await by_hand(house, "turn_off", LIGHT)
    sun(hass, -8)
    await pass_hours(house, 6)
    assert not shines(pool, LIGHT)
    assert pool.slots[LIGHT].held
    sun(hass, 20)
    await pass_hours(house, 17)
    sun(hass, -5)
    await house.wait(minutes=2)
    assert shines(pool, LIGHT)


async def test_switched_on_by_hand_before(
    hass: HomeAssistant, full: MockConfigEntry, pool: Pool, house: House
) -> None:
    """It keeps its colour, and goes off with the others."""
    await by_hand(house, "turn_on", LIGHT)
    await dusk(house)
    assert shines(pool, SPA_LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, WHITE]
    await pass_hours(house, 6)
    assert not shines(pool, LIGHT)
    assert not pool.slots[LIGHT].held


async def test_a_light_with_a_schedule(
    hass: HomeAssistant, full: MockConfigEntry, pool: Pool, house: House
) -> None:
    """It has the show, too, and stays on as long as the schedule wants it."""
    pool.schedules[1] = Schedule(LIGHT, 12, 0, 0, 0, 1439, 127, "Light", True)
    await house.wait(seconds=30)
    await dusk(house)
    assert pool.lights["pool"] == [MULTI_PLUS, OCEANIC_VIEWS]
    assert pool.slots[LIGHT].held
    await pass_hours(house, 6)
    assert not pool.slots[LIGHT].held
    assert shines(pool, LIGHT)


@pytest.mark.parametrize(
    ("off_at", "on"), [("17:30:00", False), ("17:31:00", True), ("00:30:00", True)]
)
async def test_when_it_ends(
    hass: HomeAssistant,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
    off_at: str,
    on: bool,
) -> None:
    """In summer it may be before it begins; and it may be tomorrow."""
    sun(hass, 3)
    await house.automate(NAME, **inputs(house, off_at=off_at))
    await house.wait(minutes=30, step=60)
    sun(hass, -5)
    await house.wait(seconds=30)
    assert shines(pool, LIGHT) is on
    if off_at.startswith("00"):
        await pass_hours(house, 6.8)
        assert shines(pool, LIGHT)
        await pass_hours(house, 0.4)
    else:
        await house.wait(minutes=2)
    assert not shines(pool, LIGHT)


async def test_a_controller_that_is_away_at_dusk(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    service.full.faults.on("refuse")
    service.cloud.faults.on("refuse")
    await house.wait(minutes=3)
    await dusk(house)
    assert not shines(pool, LIGHT)
    await house.wait(minutes=10)
    service.full.faults.clear()
    await house.wait(minutes=3)
    assert shines(pool, LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, OCEANIC_VIEWS]


async def test_a_controller_that_is_away_at_the_end(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    await dusk(house)
    await pass_hours(house, 5.4)
    service.full.faults.on("refuse")
    service.cloud.faults.on("refuse")
    await pass_hours(house, 1)
    assert pool.slots[LIGHT].held
    service.full.faults.clear()
    await house.wait(minutes=11, step=60)
    assert not shines(pool, LIGHT) and not shines(pool, SPA_LIGHT)


async def test_a_controller_that_refuses_at_the_end(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    await dusk(house)
    await pass_hours(house, 5.4)
    service.full.faults.on("decline")
    await house.wait(minutes=20, step=60)
    assert pool.slots[LIGHT].held
    service.full.faults.clear()
    await house.wait(minutes=11, step=60)
    assert not shines(pool, LIGHT) and not shines(pool, SPA_LIGHT)


async def test_without_the_lan(
    hass: HomeAssistant, service: Service, credentials: None, pool: Pool, house: House
) -> None:
    """The cloud knows no shows, and gives nothing back: it goes on, and off."""
    service.account.sites = service.account.sites[:1]
    small = service.small
    await set_up(hass, service, service.entry())
    await hass.services.async_call(
        "select",
        "select_option",
        {
            "entity_id": entity_id(hass, "select", small, "pool_light_type"),
            "option": "spa_electrics_multi_plus",
        },
        blocking=True,
    )
    light = entity_id(hass, "light", small, f"slot_{LIGHT}")
    assert "oceanic_views" in house.state(light).attributes["effect_list"]
    sun(hass, 10)
    await house.automate(NAME, lights=[light], show="oceanic_views")
    sun(hass, -5)
    await house.wait(minutes=2)
    assert shines(small.pool, LIGHT)
    await house.wait(minutes=360, step=600)
    assert not shines(small.pool, LIGHT)


# Starting anew


@pytest.mark.parametrize(
    ("elevation", "hour", "on"),
    [(-5, 18, True), (-5, 23, False), (10, 18, False), (-20, 4, False)],
)
async def test_started_at_some_time(
    hass: HomeAssistant,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
    elevation: float,
    hour: int,
    on: bool,
) -> None:
    """In the evening the lights go on although it was dark already."""
    house.freezer.move_to(f"2026-11-20 {hour:02}:10:00-08:00")
    sun(hass, elevation)
    await house.start_anew(NAME, timedelta(days=2), **inputs(house))
    await house.wait(minutes=2)
    assert shines(pool, LIGHT) is on


async def test_started_after_it_was_switched_off(
    hass: HomeAssistant, full: MockConfigEntry, pool: Pool, house: House
) -> None:
    await by_hand(house, "turn_off", LIGHT)
    sun(hass, -5)
    await house.start_anew(NAME, timedelta(minutes=20), **inputs(house))
    await house.wait(minutes=2)
    assert not shines(pool, LIGHT)
    assert shines(pool, SPA_LIGHT)


@pytest.mark.parametrize(
    ("hour", "ran_at", "off"), [(25, 18, True), (25, 23, False), (43, 18, False)]
)
async def test_started_after_the_end(
    hass: HomeAssistant,
    full: MockConfigEntry,
    pool: Pool,
    house: House,
    hour: int,
    ran_at: int,
    off: bool,
) -> None:
    """The lights go off if they went on and nobody was there to switch them off."""
    await by_hand(house, "turn_on", LIGHT)
    day, hour_of_day = divmod(hour, 24)
    house.freezer.move_to(f"2026-11-{20 + day} {hour_of_day:02}:10:00-08:00")
    sun(hass, -20)
    last_run = timedelta(hours=hour - ran_at)
    await house.start_anew(NAME, last_run, **inputs(house, off_at="23:05:00"))
    await house.wait(minutes=2)
    assert pool.slots[LIGHT].held is not off


async def test_edited_in_the_evening(
    hass: HomeAssistant, full: MockConfigEntry, pool: Pool, house: House
) -> None:
    """Only what was loaded anew looks at the lights."""
    sun(hass, -5)
    await house.automate(NAME, **inputs(house))
    await house.wait(minutes=1)
    assert not shines(pool, LIGHT)
    hass.bus.async_fire("automation_reloaded")
    await house.wait(minutes=2)
    assert shines(pool, LIGHT)

    await by_hand(house, "turn_off", LIGHT)
    await by_hand(house, "poolctl.resume_schedule", LIGHT)
    await house.wait(minutes=15)
    hass.bus.async_fire("automation_reloaded")
    await house.wait(minutes=2)
    assert not shines(pool, LIGHT)
