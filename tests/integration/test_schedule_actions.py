"""Actions on schedules, down to the simulated schedule and its relay."""

from typing import Any

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
import probatio as vol
import pytest

from tests.simulator import Controller

from .home import Home, failure
from .schedule_actions import (
    ACTUATOR,
    FALL,
    FILTER,
    NEW,
    WATERFALL,
    act,
    asked,
    go_to,
    new,
    switch,
    switches,
)
from .service import SMALL_ID

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
async def beach(full: Home) -> Controller:
    """Wait for the schedules of the fully equipped pool."""
    await full.hass.config.async_set_time_zone("UTC")
    await full.settle()
    return full.controller


async def test_get_schedules(home: Home, beach: Controller) -> None:
    answer = await act(home, "get_schedules")
    first, second, third = answer["schedules"]
    assert first == {
        "schedule": 1,
        "name": "Filter",
        "enabled": True,
        "start": "00:00:00",
        "end": "23:59:00",
        "weekdays": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
        "equipment": home.entity_id("switch", "pump", of=beach),
        "equipment_name": "Filter Pump",
        "pump_speed": 75,
    }
    assert second["equipment"] == home.entity_id("switch", "slot_3", of=beach)
    assert second["enabled"] is False and second["pump_speed"] is None
    assert third["equipment"] == home.entity_id("light", "slot_1", of=beach)
    assert third["weekdays"] == ["sat", "sun"]
    assert (third["start"], third["end"]) == ("20:00:00", "01:00:00")


async def test_create_schedule(home: Home, beach: Controller) -> None:
    """From the action to the relay."""
    answer = await act(home, "create_schedule", **new(home))
    assert answer == {"schedule": NEW + 1}
    record = beach.pool.schedules[NEW]
    assert (record.slot, record.aux_type, record.start, record.end) == (3, 1, 480, 570)
    assert (record.weekdays, record.name, record.enabled) == (33, "Morning fall", True)
    assert switches(home)["3"] == "Schedule Morning fall"
    assert home.value("switch", "schedule_3", of=beach) == "on"
    go_to(beach, 5, 9)
    assert beach.pool.slots[FALL].on and beach.pool.slots[FALL].mode == NEW + 1
    go_to(beach, 6, 9)
    assert not beach.pool.slots[FALL].on


@pytest.mark.parametrize(
    ("entity", "expected"),
    [
        (("switch", "pump"), (0, 31, 75)),
        (("switch", "spa_mode"), (ACTUATOR, 20, 0)),
        (("light", "slot_2"), (2, 26, 0)),
        (None, (0, 31, 75)),
    ],
)
async def test_equipment(
    home: Home,
    beach: Controller,
    entity: tuple[str, str] | None,
    expected: tuple[int, int, int],
) -> None:
    fields = new(home, enabled=False)
    if entity is None:
        del fields["equipment"]
    else:
        fields["equipment"] = home.entity_id(entity[0], entity[1], of=beach)
    await act(home, "create_schedule", **fields)
    record = beach.pool.schedules[NEW]
    assert (record.slot, record.aux_type, record.speed) == expected
    assert not record.enabled
    assert home.value("switch", "schedule_3", of=beach) == "off"
    found = (await act(home, "get_schedules"))["schedules"][NEW]
    assert found["equipment"] == fields.get(
        "equipment", home.entity_id("switch", "pump", of=beach)
    )


async def test_update_schedule(home: Home, beach: Controller) -> None:
    """Only what is said changes."""
    await act(home, "update_schedule", schedule=1, pump_speed=50)
    record = beach.pool.schedules[FILTER]
    assert (record.speed, record.start, record.end, record.name) == (
        50,
        0,
        1439,
        "Filter",
    )
    assert record.enabled and record.weekdays == 127
    assert beach.pool.pump.speed == 50

    await act(
        home,
        "update_schedule",
        schedule=2,
        name="Fountain",
        start="22:00",
        end="00:00:00",
        weekdays=["sun"],
        equipment=home.entity_id("switch", "slot_30", of=beach),
        enabled=True,
    )
    record = beach.pool.schedules[WATERFALL]
    assert (record.slot, record.aux_type, record.name) == (30, 1, "Fountain")
    assert (record.start, record.end, record.weekdays) == (1320, 1439, 64)
    assert record.enabled
    go_to(beach, 6, 23, 59)
    assert beach.pool.slots[30].on and not beach.pool.slots[FALL].on
    state = home.state("switch", "schedule_1", of=beach)
    assert state.name == "Beach pool Schedule Fountain"


async def test_delete_schedule(home: Home, beach: Controller) -> None:
    await act(home, "delete_schedule", schedule=1)
    assert not beach.pool.schedules[FILTER].used
    assert "0" not in switches(home)
    assert beach.pool.pump.mode == 0


CHANGES = pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("create_schedule", {}),
        ("update_schedule", {"schedule": 2, "end": "13:00"}),
        ("delete_schedule", {"schedule": 2}),
    ],
)


def fields_of(home: Home, fields: dict[str, Any]) -> dict[str, Any]:
    return fields or new(home)


def done(pool: Controller) -> bool:
    """Tell whether any of the changes was made."""
    record = pool.pool.schedules[WATERFALL]
    return pool.pool.schedules[NEW].used or record.end == 780 or not record.used


@CHANGES
async def test_refused(
    home: Home, beach: Controller, action: str, fields: dict[str, Any]
) -> None:
    beach.faults.on("decline")
    before = await act(home, "get_schedules")
    with failure("refused"):
        await act(home, action, **fields_of(home, fields))
    assert asked(beach, "a") == ["schedule"]
    assert await act(home, "get_schedules") == before
    assert not done(beach)


@CHANGES
@pytest.mark.parametrize("lost", ["answer", "command", "both paths"])
async def test_the_lan_dies_under_way(
    home: Home, beach: Controller, action: str, fields: dict[str, Any], lost: str
) -> None:
    """Nothing is sent twice, and what is told is true."""
    beach.faults.once("close_mid_body", 1, "schedule")
    key = None
    if lost == "command":
        beach.faults.once("ignore_writes")
        key = "not_done"
    elif lost == "both paths":
        home.cloud.faults.on("refuse")
        real = beach.act

        def act_and_die(name: str, payload: bytes) -> None:
            real(name, payload)
            beach.faults.on("reset")

        beach.act = act_and_die  # type: ignore[method-assign]
        key = "outcome_unknown"
    if key is None:
        await act(home, action, **fields_of(home, fields))
    else:
        with failure(key):
            await act(home, action, **fields_of(home, fields))
    assert done(beach) is (lost != "command")
    assert asked(beach, "a") == ["schedule"]
    assert not home.cloud_writes


@CHANGES
async def test_by_way_of_the_cloud_while_the_lan_is_dead(
    home: Home, beach: Controller, action: str, fields: dict[str, Any]
) -> None:
    home.clock.speed = 50
    beach.faults.on("refuse")
    await act(home, action, **fields_of(home, fields))
    assert done(beach)


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("update_schedule", {"schedule": 2, "end": "13:00"}),
        ("delete_schedule", {"schedule": 2}),
    ],
)
async def test_changed_in_the_app_meanwhile(
    home: Home, beach: Controller, action: str, fields: dict[str, Any]
) -> None:
    beach.pool.schedules[WATERFALL].start = 630
    with failure("schedule_changed", ServiceValidationError):
        await act(home, action, **fields)
    assert not done(beach) and asked(beach, "a") == []
    # What is there now is known now, and can be changed.
    found = (await act(home, "get_schedules"))["schedules"][WATERFALL]
    assert found["start"] == "10:30:00"
    await act(home, action, **fields)
    assert done(beach)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"weekdays": []}, "schedule_weekdays"),
        ({"end": "08:00"}, "schedule_same_times"),
        ({"name": " "}, "schedule_name"),
        ({"pump_speed": 50}, "schedule_no_speed"),
        ({"equipment": "switch.of_somebody_else"}, "output_unknown"),
    ],
)
async def test_what_cannot_be(
    home: Home, beach: Controller, changes: dict[str, Any], key: str
) -> None:
    with failure(key, ServiceValidationError):
        await act(home, "create_schedule", **new(home, **changes))
    assert asked(beach, "a") == []


@pytest.mark.parametrize("key", ["ph_dosing", "schedule_0", "solar_selected"])
async def test_switches_that_are_no_equipment(
    home: Home, beach: Controller, key: str
) -> None:
    equipment = switch(home, key)
    assert equipment is not None
    with failure("output_unknown", ServiceValidationError) as caught:
        await act(home, "create_schedule", **new(home, equipment=equipment))
    assert f"{equipment} is not an output" in str(caught.value)


async def test_speeds_of_the_pump(home: Home, beach: Controller) -> None:
    for speed in (35, 101, 52):
        with failure("schedule_speed", ServiceValidationError):
            await act(home, "update_schedule", schedule=1, pump_speed=speed)


async def test_numbers_that_are_not_there(home: Home, beach: Controller) -> None:
    for action in ("update_schedule", "delete_schedule"):
        with failure("schedule_unknown", ServiceValidationError) as caught:
            await act(home, action, schedule=4)
        assert "There is no schedule 4" in str(caught.value)
        for number in (0, 21):
            with pytest.raises(vol.Invalid):
                await act(home, action, schedule=number)


async def test_equipment_of_another_controller(home: Home) -> None:
    await home.set_up(*home.service.controllers)
    await home.settle()
    with failure("output_unknown", ServiceValidationError):
        await act(home, "create_schedule", device=SMALL_ID, **new(home))
    answer = await act(home, "get_schedules", device=SMALL_ID)
    assert [found["name"] for found in answer["schedules"]] == ["Filter"]


async def test_before_they_were_read(home: Home) -> None:
    """A person who asks does not wait for the next round."""
    home.own(home.service.full)
    home.controller.faults.on("garbage", "schedules")
    await home.set_up(home.controller)
    await home.settle()
    with pytest.raises(HomeAssistantError):
        await act(home, "get_schedules")
    home.controller.faults.clear()
    assert len((await act(home, "get_schedules"))["schedules"]) == 3
