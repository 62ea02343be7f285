"""Switches of schedules, down to the simulated schedule and its relay."""

from homeassistant.exceptions import ServiceNotSupported
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.schedule_actions import (
    FALL,
    LAMP,
    NEW,
    WATERFALL,
    act,
    look,
    new,
    switches,
)
from tests.world.simulator.schedules import Schedule

pytestmark = pytest.mark.usefixtures("quick")


async def test_arming_and_disarming(beach: Home) -> None:
    """The switch enables and disables the record, and the relay follows."""
    await beach.act("switch.turn_on", "schedule_1")
    assert beach.pool.schedules[WATERFALL].enabled
    assert beach.value("switch", "schedule_1") == "on"
    beach.go_to(2, 11)
    assert beach.pool.slots[FALL].on
    await beach.act("switch.turn_off", "schedule_1")
    assert not beach.pool.schedules[WATERFALL].enabled
    assert beach.value("switch", "schedule_1") == "off"
    assert not beach.pool.slots[FALL].on


async def test_switches_come_go_and_are_renamed(beach: Home) -> None:
    """Switches follow changes made in the app, without a reload."""
    schedules = beach.pool.schedules
    lamp = beach.entity_id("switch", "schedule_2")
    schedules[WATERFALL] = Schedule()
    schedules[LAMP].name = "Party"
    schedules[5] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "", True)
    # The next frame shows that there is a new one; its record is queried at once.
    await look(beach)
    assert switches(beach) == {
        "0": "Filter schedule",
        "2": "Party schedule",
        "5": "Schedule 6",
    }
    assert beach.state_of(lamp).name == "Beach pool Party schedule"
    assert beach.value("switch", "schedule_5") == "on"

    schedules[5] = Schedule()
    await look(beach)
    assert "5" not in switches(beach)
    # A later schedule in the same place is a new one.
    schedules[5] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "Again", True)
    await look(beach)
    assert switches(beach)["5"] == "Again schedule"


async def test_switches_outlive_a_restart(full: Home) -> None:
    await full.settle()
    before = full.entity_id("switch", "schedule_1")
    full.controller.faults.on("garbage", "schedules")
    await full.restart()
    # Not queried yet, so no schedule counts as removed.
    assert "1" in switches(full)
    full.controller.faults.clear()
    await full.restart()
    assert full.entity_id("switch", "schedule_1") == before
    assert full.value("switch", "schedule_1") == "off"


async def test_a_device_and_what_is_no_output(beach: Home) -> None:
    """An action on a device skips switches of schedules, because they are settings."""
    target = {"device_id": beach.device().id}
    before = [schedule.enabled for schedule in beach.pool.schedules]
    assert {*before} == {True, False}
    for action in ("turn_off", "turn_on"):
        await beach.hass.services.async_call("switch", action, target, blocking=True)
        assert [schedule.enabled for schedule in beach.pool.schedules] == before
    with pytest.raises(ServiceNotSupported):
        await beach.act("poolctl.resume_schedule", "schedule_1")


# The cloud


async def test_in_the_cloud(home: Home) -> None:
    home.own(home.service.full)
    await home.set_up()
    home.clock.speed = 50
    assert switches(home) == {
        "0": "Filter schedule",
        "1": "Waterfall schedule",
        "2": "Evening light schedule",
    }
    await home.act("switch.turn_on", "schedule_1")
    assert home.pool.schedules[WATERFALL].enabled
    assert home.value("switch", "schedule_1") == "on"
    fields = new(home, start="13:00", end="14:00", enabled=False)
    assert await act(home, "create_schedule", **fields) == {"schedule": NEW + 1}
    assert not home.pool.schedules[NEW].enabled
    # Deleted ones are removed, although the cloud does not report all equipment.
    await act(home, "delete_schedule", schedule=2)
    assert set(switches(home)) == {"0", "2", "3"}
    assert home.cloud_writes == [
        "changeScheduleStatus",
        "createSchedule",
        "changeScheduleStatus",
        "deleteSchedule",
    ]
    assert home.controller.requests == []


async def test_where_the_cloud_offers_no_schedules(home: Home) -> None:
    """There are no switches and no calendar, so the actions have no target."""
    home.own(home.service.full)
    home.cloud.not_offered.add("scheduleInfo")
    await home.set_up()
    assert switches(home) == {}
    assert home.registered("calendar", "schedules") is None


@pytest.mark.usefixtures("freezer")
async def test_remembered_schedules_are_assumed(beach: Home) -> None:
    """Schedules that only the LAN reported are assumed states in the cloud."""
    beach.cloud.not_offered.add("scheduleInfo")
    beach.controller.faults.on("refuse")
    await beach.advance(60, step=15)
    assert beach.source == "cloud"
    state = beach.state("switch", "schedule_0")
    assert (state.state, state.attributes.get("assumed_state")) == ("on", True)
