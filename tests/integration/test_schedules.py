"""Switches of schedules, down to the simulated schedule and its relay."""

from typing import Any

from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import device_registry as dr
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller
from tests.simulator.schedules import Schedule

from .home import Home, failure
from .schedule_actions import (
    FALL,
    LAMP,
    NEW,
    WATERFALL,
    act,
    asked,
    go_to,
    look,
    new,
    switches,
)
from .service import FULL_ID

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
async def beach(full: Home) -> Controller:
    """Wait for the schedules of the fully equipped pool."""
    await full.hass.config.async_set_time_zone("UTC")
    await full.settle()
    return full.controller


@pytest.fixture
async def away(home: Home) -> Controller:
    """Reach the fully equipped pool through the cloud alone."""
    home.own(home.service.full)
    await home.set_up()
    home.clock.speed = 50
    return home.controller


# Switches


async def test_a_switch_for_each_schedule(home: Home, beach: Controller) -> None:
    assert switches(home) == {
        "0": "Schedule Filter",
        "1": "Schedule Waterfall",
        "2": "Schedule Evening light",
    }
    states = [home.value("switch", f"schedule_{index}", of=beach) for index in range(3)]
    assert states == ["on", "off", "off"]
    found = home.state("switch", "schedule_1", of=beach)
    assert "assumed_state" not in found.attributes


async def test_arming_and_disarming(home: Home, beach: Controller) -> None:
    """From the switch to the relay."""
    await home.act("switch.turn_on", "schedule_1", of=beach)
    assert beach.pool.schedules[WATERFALL].enabled
    assert home.value("switch", "schedule_1", of=beach) == "on"
    go_to(beach, 2, 11)
    assert beach.pool.slots[FALL].on
    await home.act("switch.turn_off", "schedule_1", of=beach)
    assert not beach.pool.schedules[WATERFALL].enabled
    assert home.value("switch", "schedule_1", of=beach) == "off"
    assert not beach.pool.slots[FALL].on


async def test_the_controller_refuses_to_arm(home: Home, beach: Controller) -> None:
    beach.faults.on("decline")
    with failure("refused"):
        await home.act("switch.turn_on", "schedule_1", of=beach)
    assert home.value("switch", "schedule_1", of=beach) == "off"
    assert asked(beach, "a") == ["schedule"]


@pytest.mark.parametrize("done", [True, False])
async def test_the_lan_dies_while_arming(
    home: Home, beach: Controller, done: bool
) -> None:
    """Another look tells whether it was done."""
    beach.faults.once("close_mid_body", 1, "schedule")
    if done:
        await home.act("switch.turn_on", "schedule_1", of=beach)
    else:
        beach.faults.once("ignore_writes")
        with failure("not_done"):
            await home.act("switch.turn_on", "schedule_1", of=beach)
    assert beach.pool.schedules[WATERFALL].enabled is done
    assert home.value("switch", "schedule_1", of=beach) == ("on" if done else "off")
    assert asked(beach, "a") == ["schedule"]


async def test_a_conflict_is_not_armed(home: Home, beach: Controller) -> None:
    await act(home, "create_schedule", **new(home, start="09:00", end="11:00"))
    with pytest.raises(ServiceValidationError) as caught:
        await home.act("switch.turn_on", "schedule_1", of=beach)
    assert "overlaps with the schedule “Morning fall”" in str(caught.value)
    assert not beach.pool.schedules[WATERFALL].enabled


async def test_switches_come_go_and_are_renamed(home: Home, beach: Controller) -> None:
    """As the app changes them, without a reload."""
    schedules = beach.pool.schedules
    lamp = home.entity_id("switch", "schedule_2", of=beach)
    schedules[WATERFALL] = Schedule()
    schedules[LAMP].name = "Party"
    schedules[5] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "", True)
    # The new one shows in the next frame; the records are asked at once.
    await look(home, beach)
    assert switches(home) == {
        "0": "Schedule Filter",
        "2": "Schedule Party",
        "5": "Schedule 6",
    }
    state = home.hass.states.get(lamp)
    assert state is not None and state.name == "Beach pool Schedule Party"
    assert home.value("switch", "schedule_5", of=beach) == "on"

    schedules[5] = Schedule()
    await look(home, beach)
    assert "5" not in switches(home)
    # What came in its place later is a new one.
    schedules[5] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "Again", True)
    await look(home, beach)
    assert switches(home)["5"] == "Schedule Again"


async def test_switched_on_in_the_app(home: Home, beach: Controller) -> None:
    """The next frame tells, the slow query does not have to."""
    beach.pool.schedules[WATERFALL].enabled = True
    beach.faults.on("decline")
    beach.faults.on("garbage", "schedules")
    await look(home, beach)
    assert home.value("switch", "schedule_1", of=beach) == "on"


async def test_switches_outlive_a_restart(full: Home) -> None:
    await full.settle()
    before = full.entity_id("switch", "schedule_1")
    full.controller.faults.on("garbage", "schedules")
    await full.restart()
    # Not asked yet, so nothing is known to be gone.
    assert "1" in switches(full)
    full.controller.faults.clear()
    await full.restart()
    assert full.entity_id("switch", "schedule_1") == before
    assert full.value("switch", "schedule_1") == "off"


async def test_everything_off_disarms_nothing(home: Home, beach: Controller) -> None:
    """Switches of schedules are settings, so an area or a device leaves them alone."""
    (device,) = dr.async_get(home.hass).async_get_devices(
        identifiers={(DOMAIN, FULL_ID)}
    )
    await home.hass.services.async_call(
        "switch", "turn_on", {"device_id": device.id}, blocking=True
    )
    assert not beach.pool.schedules[WATERFALL].enabled


async def test_give_back(home: Home, beach: Controller) -> None:
    """It is no output."""
    with failure("not_scheduled", ServiceValidationError):
        await home.act("poolctl.resume_schedule", "schedule_1", of=beach)


# The cloud


async def test_in_the_cloud(home: Home, away: Controller) -> None:
    assert switches(home) == {
        "0": "Schedule Filter",
        "1": "Schedule Waterfall",
        "2": "Schedule Evening light",
    }
    await home.act("switch.turn_on", "schedule_1", of=away)
    assert away.pool.schedules[WATERFALL].enabled
    assert home.value("switch", "schedule_1", of=away) == "on"
    fields = new(home, start="13:00", end="14:00", enabled=False)
    assert await act(home, "create_schedule", **fields) == {"schedule": NEW + 1}
    assert not away.pool.schedules[NEW].enabled
    # Gone ones are removed, although the cloud does not tell of all the equipment.
    await act(home, "delete_schedule", schedule=2)
    assert set(switches(home)) == {"0", "2", "3"}
    assert home.cloud_writes == [
        "changeScheduleStatus",
        "createSchedule",
        "changeScheduleStatus",
        "deleteSchedule",
    ]
    assert away.requests == []


async def test_refused_in_the_cloud(home: Home, away: Controller) -> None:
    away.faults.on("decline")
    with failure("service_refused"):
        await home.act("switch.turn_on", "schedule_1", of=away)
    assert home.value("switch", "schedule_1", of=away) == "off"


async def test_where_the_cloud_offers_no_schedules(home: Home) -> None:
    """There is nothing, and the actions say so."""
    home.own(home.service.full)
    home.cloud.not_offered.add("scheduleInfo")
    await home.set_up()
    assert switches(home) == {}
    fields: dict[str, Any] = {
        "name": "x",
        "start": "08:00",
        "end": "09:00",
        "weekdays": ["mon"],
    }
    for action, data in (("get_schedules", {}), ("create_schedule", fields)):
        with failure("not_supported", ServiceValidationError):
            await act(home, action, **data)


async def test_remembered_schedules_are_assumed(home: Home, beach: Controller) -> None:
    """The LAN told them, the cloud does not."""
    home.cloud.not_offered.add("scheduleInfo")
    beach.faults.on("refuse")
    await home.advance(60, step=15)
    assert home.value("sensor", "connection", of=beach) == "cloud"
    state = home.state("switch", "schedule_0", of=beach)
    assert (state.state, state.attributes.get("assumed_state")) == ("on", True)
