"""Actions on schedules and their switches, down to the simulated schedule and its relay."""

from dataclasses import replace
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import ServiceNotSupported, ServiceValidationError
import pytest

from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.assistant.schedule_actions import (
    FALL,
    FILTER,
    LAMP,
    NEW,
    WATERFALL,
    act,
    look,
    new,
    switches,
)
from tests.world.assistant.unchanged import unchanged
from tests.world.simulator.schedules import Schedule

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(Platform.CALENDAR, Platform.LIGHT, Platform.SWITCH)


async def test_get_schedules(beach: Home) -> None:
    answer = await act(beach, "get_schedules")
    first, second, third = answer["schedules"]
    assert first == {
        "schedule": 1,
        "schedule_entity": beach.entity_id("switch", "schedule_0"),
        "name": "Filter",
        "enabled": True,
        "start": "00:00:00",
        "end": "23:59:00",
        "weekdays": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
        "equipment": beach.entity_id("switch", "pump"),
        "equipment_name": "Filter Pump",
        "pump_speed": 75,
    }
    assert second["equipment"] == beach.entity_id("switch", "slot_3")
    assert second["enabled"] is False and second["pump_speed"] is None
    assert third["equipment"] == beach.entity_id("light", "slot_1")
    assert third["weekdays"] == ["sat", "sun"]
    assert (third["start"], third["end"]) == ("20:00:00", "01:00:00")


async def test_create_schedule(beach: Home) -> None:
    """The action adds a record and a switch, and the record switches the relay."""
    answer = await act(beach, "create_schedule", **new(beach))
    assert answer == {"schedule": NEW + 1}
    assert beach.pool.schedules[NEW] == Schedule(
        slot=FALL,
        aux_type=1,
        start=480,
        end=570,
        weekdays=33,
        name="Morning fall",
        enabled=True,
    )
    assert switches(beach)["3"] == "Morning fall schedule"
    assert beach.value("switch", "schedule_3") == "on"
    beach.go_to(5, 9)
    assert beach.pool.slots[FALL].on and beach.pool.slots[FALL].mode == NEW + 1
    beach.go_to(6, 9)
    assert not beach.pool.slots[FALL].on


async def test_update_and_delete(beach: Home) -> None:
    """Only the given fields change."""
    before = beach.pool.schedules[FILTER]
    await act(beach, "update_schedule", schedule=1, pump_speed=50)
    assert beach.pool.schedules[FILTER] == replace(before, speed=50)
    assert beach.pool.pump.speed == 50

    await act(
        beach,
        "update_schedule",
        schedule=2,
        name="Fountain",
        start="22:00",
        end="00:00:00",
        weekdays=["sun"],
        equipment=beach.entity_id("switch", "slot_30"),
        enabled=True,
    )
    assert beach.pool.schedules[WATERFALL] == Schedule(
        slot=30,
        aux_type=1,
        start=1320,
        end=1439,
        weekdays=64,
        name="Fountain",
        enabled=True,
    )
    beach.go_to(6, 23, 59)
    assert beach.pool.slots[30].on and not beach.pool.slots[FALL].on
    state = beach.state("switch", "schedule_1")
    assert state.name == "Beach pool Fountain schedule"

    await act(beach, "delete_schedule", schedule=1)
    assert not beach.pool.schedules[FILTER].used
    assert "0" not in switches(beach)
    assert beach.pool.pump.mode == 0


async def test_changed_in_the_app_meanwhile(beach: Home) -> None:
    """The refusal has read the schedule, so that it can be changed then."""
    changes: tuple[tuple[str, dict[str, Any]], ...] = (
        ("update_schedule", {"schedule": 2, "end": "13:00"}),
        ("delete_schedule", {"schedule": 2}),
    )
    for number, (action, fields) in enumerate(changes):
        beach.pool.schedules[WATERFALL].start = 630 + number
        with failure("schedule_changed", ServiceValidationError):
            await act(beach, action, **fields)
        assert beach.actions == ["schedule"] * number
        found = (await act(beach, "get_schedules"))["schedules"][WATERFALL]
        assert found["start"] == f"10:3{number}:00"
        await act(beach, action, **fields)
    assert beach.actions == ["schedule"] * 2
    assert not beach.pool.schedules[WATERFALL].used


async def test_what_cannot_be(beach: Home, subtests: pytest.Subtests) -> None:
    """The error gives the reason, and nothing is sent."""
    rows: list[tuple[dict[str, Any], str]] = [({"weekdays": []}, "schedule_weekdays")]
    for key in ("automatic_ph", "schedule_0", "solar_heating_allowed"):
        equipment = {"equipment": beach.entity_id("switch", key)}
        rows.append((equipment, "output_unknown"))
    rows.append(({"equipment": "switch.of_somebody_else"}, "output_unknown"))
    for fields, reason in rows:
        with subtests.test(reason, **fields), unchanged(beach):
            with failure(reason, ServiceValidationError) as caught:
                await act(beach, "create_schedule", **new(beach, **fields))
            if reason == "output_unknown":
                assert f"{fields['equipment']} is not an output" in str(caught.value)
    with failure("schedule_speed", ServiceValidationError):
        await act(beach, "update_schedule", schedule=1, pump_speed=35)
    # Another switch is an error, and so is a device, whose schedules all would go.
    for target, error in (
        ({"entity_id": beach.entity_id("switch", "pump")}, ServiceNotSupported),
        ({"entity_id": beach.entity_id("switch", "automatic_ph")}, ServiceNotSupported),
        ({"device_id": beach.device().id}, ServiceValidationError),
        ({"area_id": "garden"}, ServiceValidationError),
        ({}, ServiceValidationError),
    ):
        with subtests.test(str(target)), unchanged(beach), pytest.raises(error):
            await beach.hass.services.async_call(
                "poolctl", "delete_schedule", target, blocking=True
            )
    assert beach.actions == []


async def test_equipment_of_another_controller(home: Home) -> None:
    await home.set_up(*home.service.controllers)
    await home.settle()
    with failure("output_unknown", ServiceValidationError):
        await act(home, "create_schedule", of=home.service.small, **new(home))
    answer = await act(home, "get_schedules", of=home.service.small)
    assert [found["name"] for found in answer["schedules"]] == ["Filter"]


# Switches


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
    with pytest.raises(ServiceNotSupported):
        await beach.act("poolctl.resume_schedule", "schedule_1")
    # An action on a device skips switches of schedules, because they are settings.
    target = {"device_id": beach.device().id}
    before = [schedule.enabled for schedule in beach.pool.schedules]
    assert {*before} == {True, False}
    for action in ("turn_off", "turn_on"):
        await beach.hass.services.async_call("switch", action, target, blocking=True)
        assert [schedule.enabled for schedule in beach.pool.schedules] == before


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
    state = beach.state("switch", "schedule_0")
    assert (state.state, state.attributes.get("assumed_state")) == ("on", True)
