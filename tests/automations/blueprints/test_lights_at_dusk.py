"""Lights at dusk with a show."""

from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
import pytest

from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pool import Pool
from tests.world.simulator.schedules import Schedule

from .conftest import House, by_hand

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "at_once"),
    pytest.mark.freeze_time("2026-11-20 17:00:00-08:00"),
]
few_platforms = only(Platform.LIGHT, Platform.SELECT)

NAME = "lights_at_dusk"
LIGHT, SPA_LIGHT = 1, 2
"""Slots of the full pool: the first has shows, the second just colours by turns."""
KEY = f"slot_{LIGHT}"
MULTI_PLUS, WHITE, OCEANIC_VIEWS = 2, 7, 8
"""Light type and colours of the pool's lights (protocol.md O4.1)."""
NO_SHOW, SHOW = [MULTI_PLUS, WHITE], [MULTI_PLUS, OCEANIC_VIEWS]
NONE, ONE, BOTH = set[int](), {SPA_LIGHT}, {LIGHT, SPA_LIGHT}


@pytest.fixture
def pool(service: Service) -> Pool:
    return service.full.pool


@pytest.fixture
def house(full: House) -> House:
    return full


def sun(house: House, elevation: float) -> None:
    """Set the elevation of the sun."""
    state = "above_horizon" if elevation > 0 else "below_horizon"
    house.hass.states.async_set("sun.sun", state, {"elevation": elevation})


def inputs(
    house: House, *, slots: tuple[int, ...] = (LIGHT, SPA_LIGHT), **more: Any
) -> dict[str, Any]:
    """Return the inputs that a user fills in."""
    lights = [house.entity_id("light", f"slot_{slot}") for slot in slots]
    return {"lights": lights, "show": "oceanic_views", **more}


async def dusk(house: House, minutes: float = 0, **more: Any) -> None:
    """Let it get dark some minutes after the automation is set up."""
    sun(house, 2)
    await house.automate(NAME, **inputs(house, **more))
    await house.wait(minutes=minutes)
    sun(house, -5)
    await house.wait(minutes=2)


def shining(pool: Pool) -> set[int]:
    """Return the lights whose relays are on."""
    pool.update()
    return {slot for slot in BOTH if pool.slots[slot].on}


async def test_an_evening(house: House, pool: Pool) -> None:
    sun(house, 10)
    await house.automate(NAME, **inputs(house))
    for elevation, minutes, lights in (
        (-3.9, 2, NONE),
        (-4.1, 2, BOTH),
        (-12, 60 * 5.8, BOTH),
    ):
        sun(house, elevation)
        await house.wait(minutes=minutes)
        assert shining(pool) == lights
    assert pool.lights["pool"] == SHOW
    assert house.value("light", KEY) == "on"
    assert not house.waiting
    await house.wait(minutes=60 * 0.4)
    assert not any(pool.slots[slot].held for slot in BOTH)
    assert shining(pool) == NONE


@pytest.mark.parametrize("show", ["", "northern_lights"])
async def test_no_show(house: House, pool: Pool, show: str) -> None:
    """Without a show, or with one that the lights do not have, they are just on."""
    await dusk(house, show=show)
    assert LIGHT in shining(pool)
    assert pool.lights["pool"] == NO_SHOW
    assert [r for r in house.controller.requests if r.name == "cmd"] == []


async def test_switched_off_in_the_evening(house: House, pool: Pool) -> None:
    """The light stays off until the next evening."""
    await dusk(house, 30)
    await by_hand(house, "light.turn_off", KEY, domain="light")
    for elevation, hours in ((-8, 6), (20, 17)):
        sun(house, elevation)
        await house.wait(minutes=hours * 60)
        assert LIGHT not in shining(pool)
    sun(house, -5)
    await house.wait(minutes=2)
    assert LIGHT in shining(pool)


async def test_switched_on_by_hand_before(house: House, pool: Pool) -> None:
    """The light keeps its colour, and goes off with the others."""
    await by_hand(house, "light.turn_on", KEY, domain="light")
    await dusk(house, 30)
    assert shining(pool) == BOTH
    assert pool.lights["pool"] == NO_SHOW
    await house.wait(minutes=6 * 60)
    assert LIGHT not in shining(pool)
    assert not pool.slots[LIGHT].held


async def test_a_light_with_a_schedule(house: House, pool: Pool) -> None:
    """The light has the show, too, and stays on as long as its schedule runs."""
    pool.schedules[1] = Schedule(LIGHT, 12, 0, 0, 0, 1439, 127, "Light", True)
    await house.wait(seconds=30)
    await dusk(house, 30)
    assert pool.lights["pool"] == SHOW
    assert pool.slots[LIGHT].held
    await house.wait(minutes=6 * 60)
    assert not pool.slots[LIGHT].held
    assert LIGHT in shining(pool)


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
    assert shining(pool) == (BOTH if on else NONE)
    if off_at.startswith("00"):
        await house.wait(minutes=6.8 * 60)
        assert shining(pool) == BOTH
        await house.wait(minutes=0.4 * 60)
    else:
        await house.wait(minutes=2)
    assert shining(pool) == NONE


async def test_a_controller_that_is_away(house: House, pool: Pool) -> None:
    """The lights go on and off once it answers again."""
    house.disconnect()
    await house.wait(minutes=3)
    await dusk(house, 30)
    assert shining(pool) == NONE
    await house.wait(minutes=10)
    house.reconnect()
    await house.wait(minutes=3)
    assert shining(pool) == BOTH
    assert pool.lights["pool"] == SHOW
    await house.wait(minutes=5 * 60)
    house.disconnect()
    await house.wait(minutes=60)
    assert pool.slots[LIGHT].held
    house.reconnect()
    await house.wait(minutes=11)
    assert shining(pool) == NONE


async def test_without_the_lan(home: House) -> None:
    """The cloud has no shows and releases nothing: the light just goes on, and off."""
    home.own(home.service.small)
    await home.set_up()
    kind = "spa_electrics_multi_plus"
    await home.act("select.select_option", "pool_light_type", option=kind)
    assert "oceanic_views" in home.state("light", KEY).attributes["effect_list"]
    await dusk(home, slots=(LIGHT,))
    assert home.pool.slots[LIGHT].on
    await home.wait(minutes=360)
    home.pool.update()
    assert not home.pool.slots[LIGHT].on


# Starting anew


@pytest.mark.parametrize(
    ("elevation", "hour", "lights"),
    [(-5, 18, BOTH), (-5, 23, NONE), (10, 18, NONE), (-20, 4, NONE)],
)
async def test_started_at_some_time(
    house: House, pool: Pool, elevation: float, hour: int, lights: set[int]
) -> None:
    """After a start in the evening the lights go on although it was dark already."""
    house.freezer.move_to(f"2026-11-20 {hour:02}:10:00-08:00")
    sun(house, elevation)
    await house.start_anew(NAME, timedelta(days=2), **inputs(house))
    await house.wait(minutes=2)
    assert shining(pool) == lights


async def test_started_while_it_is_held_off(house: House, pool: Pool) -> None:
    hold: dict[str, Any] = {"state": False, "duration": {"hours": 8}}
    await house.act("poolctl.hold", KEY, domain="light", **hold)
    sun(house, -5)
    await house.start_anew(NAME, timedelta(minutes=20), **inputs(house))
    await house.wait(minutes=2)
    assert shining(pool) == ONE


@pytest.mark.parametrize(
    ("hour", "ran_at", "off"), [(25, 18, True), (25, 23, False), (43, 18, False)]
)
async def test_started_after_the_end(
    house: House, pool: Pool, hour: int, ran_at: int, off: bool
) -> None:
    """The lights go off if they went on and their end was missed."""
    await by_hand(house, "light.turn_on", KEY, domain="light")
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
    assert shining(pool) == NONE
    house.hass.bus.async_fire("automation_reloaded")
    await house.wait(minutes=2)
    assert shining(pool) == BOTH

    for action in ("light.turn_off", "poolctl.resume_schedule"):
        await by_hand(house, action, KEY, domain="light")
    await house.wait(minutes=15)
    house.hass.bus.async_fire("automation_reloaded")
    await house.wait(minutes=2)
    assert shining(pool) == ONE
