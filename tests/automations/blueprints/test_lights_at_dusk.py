"""Lights at dusk with a show."""

from datetime import timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
import pytest

from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pool import Pool
from tests.world.simulator.schedules import Schedule

from .conftest import House

pytestmark = pytest.mark.usefixtures("quick", "at_once")
few_platforms = only(Platform.LIGHT, Platform.SELECT)

NAME = "lights_at_dusk"
LIGHT, SPA_LIGHT = 1, 2
"""Slots of the full pool: the first has shows, the second just colours by turns."""
MULTI_PLUS, WHITE, OCEANIC_VIEWS = 2, 7, 8
"""Light type and colours of the pool's lights (protocol.md O4.1)."""


@pytest.fixture(autouse=True)
def evening(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-11-20 17:00:00-08:00")


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    return service.full.pool


def sun(house: House, elevation: float) -> None:
    """Set the elevation of the sun."""
    state = "above_horizon" if elevation > 0 else "below_horizon"
    house.hass.states.async_set("sun.sun", state, {"elevation": elevation})


@pytest.fixture
def house(full: House) -> House:
    return full


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return the inputs that a user fills in."""
    return {
        "lights": [
            house.entity_id("light", f"slot_{slot}") for slot in (LIGHT, SPA_LIGHT)
        ],
        "show": "oceanic_views",
        **more,
    }


async def by_hand(house: House, action: str, slot: int) -> None:
    """Perform an action on a light, as a user does."""
    await house.act(action, f"slot_{slot}", domain="light")
    await house.wait(seconds=30)


async def pass_hours(house: House, hours: float) -> None:
    await house.wait(minutes=hours * 60)


async def dusk(house: House) -> None:
    """Let it get dark at half past five."""
    sun(house, 2)
    await house.automate(NAME, **inputs(house))
    await pass_hours(house, 0.5)
    sun(house, -5)
    await house.wait(minutes=2)


def shines(pool: Pool, slot: int) -> bool:
    """Return whether the relay of a light is on."""
    pool.update()
    return pool.slots[slot].on


async def test_an_evening(house: House, pool: Pool) -> None:
    sun(house, 10)
    await house.automate(NAME, **inputs(house))
    sun(house, -3.9)
    await house.wait(minutes=2)
    assert not shines(pool, LIGHT)
    sun(house, -4.1)
    await house.wait(minutes=2)
    assert shines(pool, LIGHT) and shines(pool, SPA_LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, OCEANIC_VIEWS]
    assert house.value("light", f"slot_{LIGHT}") == "on"
    assert not house.waiting
    sun(house, -12)
    await pass_hours(house, 5.8)
    assert shines(pool, LIGHT) and shines(pool, SPA_LIGHT)
    await pass_hours(house, 0.4)
    assert not any(pool.slots[slot].held for slot in (LIGHT, SPA_LIGHT))
    assert not shines(pool, LIGHT) and not shines(pool, SPA_LIGHT)


@pytest.mark.parametrize("show", ["", "northern_lights"])
async def test_no_show(house: House, pool: Pool, show: str) -> None:
    """Without a show, or with one that the lights do not have, they are just on."""
    sun(house, 10)
    await house.automate(NAME, **inputs(house, show=show))
    sun(house, -5)
    await house.wait(minutes=2)
    assert shines(pool, LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, WHITE]
    shows = [r for r in house.controller.requests if r.name == "cmd"]
    assert shows == []


async def test_switched_off_in_the_evening(house: House, pool: Pool) -> None:
    """The light stays off until the next evening."""
    await dusk(house)
    assert shines(pool, LIGHT)
    await by_hand(house, "light.turn_off", LIGHT)
    sun(house, -8)
    await pass_hours(house, 6)
    assert not shines(pool, LIGHT)
    sun(house, 20)
    await pass_hours(house, 17)
    sun(house, -5)
    await house.wait(minutes=2)
    assert shines(pool, LIGHT)


async def test_switched_on_by_hand_before(house: House, pool: Pool) -> None:
    """The light keeps its colour, and goes off with the others."""
    await by_hand(house, "light.turn_on", LIGHT)
    await dusk(house)
    assert shines(pool, SPA_LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, WHITE]
    await pass_hours(house, 6)
    assert not shines(pool, LIGHT)
    assert not pool.slots[LIGHT].held


async def test_a_light_with_a_schedule(house: House, pool: Pool) -> None:
    """The light has the show, too, and stays on as long as its schedule runs."""
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
async def test_when_it_ends(house: House, pool: Pool, off_at: str, on: bool) -> None:
    """The end may be before dusk, as in summer, or after midnight."""
    sun(house, 3)
    await house.automate(NAME, **inputs(house, off_at=off_at))
    await house.wait(minutes=30)
    sun(house, -5)
    await house.wait(seconds=30)
    assert shines(pool, LIGHT) is on
    if off_at.startswith("00"):
        await pass_hours(house, 6.8)
        assert shines(pool, LIGHT)
        await pass_hours(house, 0.4)
    else:
        await house.wait(minutes=2)
    assert not shines(pool, LIGHT)


async def test_a_controller_that_is_away_at_dusk(house: House, pool: Pool) -> None:
    house.disconnect()
    await house.wait(minutes=3)
    await dusk(house)
    assert not shines(pool, LIGHT)
    await house.wait(minutes=10)
    house.controller.faults.clear()
    await house.wait(minutes=3)
    assert shines(pool, LIGHT)
    assert pool.lights["pool"] == [MULTI_PLUS, OCEANIC_VIEWS]


async def test_a_controller_that_is_away_at_the_end(house: House, pool: Pool) -> None:
    await dusk(house)
    await pass_hours(house, 5.4)
    house.disconnect()
    await pass_hours(house, 1)
    assert pool.slots[LIGHT].held
    house.controller.faults.clear()
    await house.wait(minutes=11)
    assert not shines(pool, LIGHT) and not shines(pool, SPA_LIGHT)


async def test_without_the_lan(home: House, pool: Pool) -> None:
    """The cloud has no shows and releases nothing: the light just goes on, and off."""
    home.own(home.service.small)
    await home.set_up()
    kind = "spa_electrics_multi_plus"
    await home.act("select.select_option", "pool_light_type", option=kind)
    light = home.entity_id("light", f"slot_{LIGHT}")
    assert "oceanic_views" in home.state_of(light).attributes["effect_list"]
    sun(home, 10)
    await home.automate(NAME, lights=[light], show="oceanic_views")
    sun(home, -5)
    await home.wait(minutes=2)
    assert shines(home.pool, LIGHT)
    await home.wait(minutes=360)
    assert not shines(home.pool, LIGHT)


# Starting anew


@pytest.mark.parametrize(
    ("elevation", "hour", "on"),
    [(-5, 18, True), (-5, 23, False), (10, 18, False), (-20, 4, False)],
)
async def test_started_at_some_time(
    house: House, pool: Pool, elevation: float, hour: int, on: bool
) -> None:
    """After a start in the evening the lights go on although it was dark already."""
    house.freezer.move_to(f"2026-11-20 {hour:02}:10:00-08:00")
    sun(house, elevation)
    await house.start_anew(NAME, timedelta(days=2), **inputs(house))
    await house.wait(minutes=2)
    assert shines(pool, LIGHT) is on


async def test_started_while_it_is_held_off(house: House, pool: Pool) -> None:
    await house.act(
        "poolctl.hold",
        f"slot_{LIGHT}",
        domain="light",
        state=False,
        duration={"hours": 8},
    )
    sun(house, -5)
    await house.start_anew(NAME, timedelta(minutes=20), **inputs(house))
    await house.wait(minutes=2)
    assert not shines(pool, LIGHT)
    assert shines(pool, SPA_LIGHT)


@pytest.mark.parametrize(
    ("hour", "ran_at", "off"), [(25, 18, True), (25, 23, False), (43, 18, False)]
)
async def test_started_after_the_end(
    house: House, pool: Pool, hour: int, ran_at: int, off: bool
) -> None:
    """The lights go off if they went on and their end was missed."""
    await by_hand(house, "light.turn_on", LIGHT)
    day, hour_of_day = divmod(hour, 24)
    house.freezer.move_to(f"2026-11-{20 + day} {hour_of_day:02}:10:00-08:00")
    sun(house, -20)
    last_run = timedelta(hours=hour - ran_at)
    await house.start_anew(NAME, last_run, **inputs(house, off_at="23:05:00"))
    await house.wait(minutes=2)
    assert pool.slots[LIGHT].held is not off


async def test_edited_in_the_evening(house: House, pool: Pool) -> None:
    """Only an automation that was itself reloaded switches the lights."""
    sun(house, -5)
    await house.automate(NAME, **inputs(house))
    await house.wait(minutes=1)
    assert not shines(pool, LIGHT)
    house.hass.bus.async_fire("automation_reloaded")
    await house.wait(minutes=2)
    assert shines(pool, LIGHT)

    await by_hand(house, "light.turn_off", LIGHT)
    await by_hand(house, "poolctl.resume_schedule", LIGHT)
    await house.wait(minutes=15)
    house.hass.bus.async_fire("automation_reloaded")
    await house.wait(minutes=2)
    assert not shines(pool, LIGHT)
