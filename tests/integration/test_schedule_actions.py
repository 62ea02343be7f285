"""Actions on schedules, down to the simulated schedule and its relay."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
import probatio as vol
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.simulator import Controller

from .conftest import SMALL_ID, Service, entity_id, set_up, settle, value
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

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
async def beach(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> Controller:
    """Wait for the schedules of the fully equipped pool."""
    await hass.config.async_set_time_zone("UTC")
    await settle(hass, service)
    return service.full


async def test_get_schedules(hass: HomeAssistant, beach: Controller) -> None:
    answer = await act(hass, "get_schedules")
    first, second, third = answer["schedules"]
    assert first == {
        "schedule": 1,
        "name": "Filter",
        "enabled": True,
        "start": "00:00:00",
        "end": "23:59:00",
        "weekdays": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
        "equipment": entity_id(hass, "switch", beach, "pump"),
        "equipment_name": "Filter Pump",
        "pump_speed": 75,
    }
    assert second["equipment"] == entity_id(hass, "switch", beach, "slot_3")
    assert second["enabled"] is False and second["pump_speed"] is None
    assert third["equipment"] == entity_id(hass, "light", beach, "slot_1")
    assert third["weekdays"] == ["sat", "sun"]
    assert (third["start"], third["end"]) == ("20:00:00", "01:00:00")


async def test_create_schedule(hass: HomeAssistant, beach: Controller) -> None:
    """From the action to the relay."""
    answer = await act(hass, "create_schedule", **new(hass))
    assert answer == {"schedule": NEW + 1}
    record = beach.pool.schedules[NEW]
    assert (record.slot, record.aux_type, record.start, record.end) == (3, 1, 480, 570)
    assert (record.weekdays, record.name, record.enabled) == (33, "Morning fall", True)
    assert switches(hass)["3"] == "Schedule Morning fall"
    assert value(hass, "switch", beach, "schedule_3") == "on"
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
    hass: HomeAssistant,
    beach: Controller,
    entity: tuple[str, str] | None,
    expected: tuple[int, int, int],
) -> None:
    fields = new(hass, enabled=False)
    if entity is None:
        del fields["equipment"]
    else:
        fields["equipment"] = entity_id(hass, entity[0], beach, entity[1])
    await act(hass, "create_schedule", **fields)
    record = beach.pool.schedules[NEW]
    assert (record.slot, record.aux_type, record.speed) == expected
    assert not record.enabled
    assert value(hass, "switch", beach, "schedule_3") == "off"
    found = (await act(hass, "get_schedules"))["schedules"][NEW]
    assert found["equipment"] == fields.get(
        "equipment", entity_id(hass, "switch", beach, "pump")
    )


async def test_update_schedule(hass: HomeAssistant, beach: Controller) -> None:
    """Only what is said changes."""
    await act(hass, "update_schedule", schedule=1, pump_speed=50)
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
        hass,
        "update_schedule",
        schedule=2,
        name="Fountain",
        start="22:00",
        end="00:00:00",
        weekdays=["sun"],
        equipment=entity_id(hass, "switch", beach, "slot_30"),
        enabled=True,
    )
    record = beach.pool.schedules[WATERFALL]
    assert (record.slot, record.aux_type, record.name) == (30, 1, "Fountain")
    assert (record.start, record.end, record.weekdays) == (1320, 1439, 64)
    assert record.enabled
    go_to(beach, 6, 23, 59)
    assert beach.pool.slots[30].on and not beach.pool.slots[FALL].on
    state = hass.states.get(entity_id(hass, "switch", beach, "schedule_1"))
    assert state is not None and state.name == "Beach pool Schedule Fountain"


async def test_delete_schedule(hass: HomeAssistant, beach: Controller) -> None:
    await act(hass, "delete_schedule", schedule=1)
    assert not beach.pool.schedules[FILTER].used
    assert "0" not in switches(hass)
    assert beach.pool.pump.mode == 0


CHANGES = pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("create_schedule", {}),
        ("update_schedule", {"schedule": 2, "end": "13:00"}),
        ("delete_schedule", {"schedule": 2}),
    ],
)


def fields_of(hass: HomeAssistant, fields: dict[str, Any]) -> dict[str, Any]:
    return fields or new(hass)


def done(pool: Controller) -> bool:
    """Tell whether any of the changes was made."""
    record = pool.pool.schedules[WATERFALL]
    return pool.pool.schedules[NEW].used or record.end == 780 or not record.used


@CHANGES
async def test_refused(
    hass: HomeAssistant, beach: Controller, action: str, fields: dict[str, Any]
) -> None:
    beach.faults.on("decline")
    before = await act(hass, "get_schedules")
    with pytest.raises(HomeAssistantError) as caught:
        await act(hass, action, **fields_of(hass, fields))
    assert caught.value.translation_key == "refused"
    assert asked(beach, "a") == ["schedule"]
    assert await act(hass, "get_schedules") == before
    assert not done(beach)


@CHANGES
@pytest.mark.parametrize("lost", ["answer", "command", "both paths"])
async def test_the_lan_dies_under_way(
    hass: HomeAssistant,
    service: Service,
    beach: Controller,
    action: str,
    fields: dict[str, Any],
    lost: str,
) -> None:
    """Nothing is sent twice, and what is told is true."""
    beach.faults.once("close_mid_body", 1, "schedule")
    key = None
    if lost == "command":
        beach.faults.once("ignore_writes")
        key = "not_done"
    elif lost == "both paths":
        service.cloud.faults.on("refuse")
        real = beach.act

        def act_and_die(name: str, payload: bytes) -> None:
            real(name, payload)
            beach.faults.on("reset")

        beach.act = act_and_die  # type: ignore[method-assign]
        key = "outcome_unknown"
    if key is None:
        await act(hass, action, **fields_of(hass, fields))
    else:
        with pytest.raises(HomeAssistantError) as caught:
            await act(hass, action, **fields_of(hass, fields))
        assert caught.value.translation_key == key
    assert done(beach) is (lost != "command")
    assert asked(beach, "a") == ["schedule"]
    assert not [r for r in service.cloud.requests if r.method == "POST"]


@CHANGES
async def test_by_way_of_the_cloud_while_the_lan_is_dead(
    hass: HomeAssistant,
    service: Service,
    beach: Controller,
    action: str,
    fields: dict[str, Any],
) -> None:
    service.clock.speed = 50
    beach.faults.on("refuse")
    await act(hass, action, **fields_of(hass, fields))
    assert done(beach)


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("update_schedule", {"schedule": 2, "end": "13:00"}),
        ("delete_schedule", {"schedule": 2}),
    ],
)
async def test_changed_in_the_app_meanwhile(
    hass: HomeAssistant, beach: Controller, action: str, fields: dict[str, Any]
) -> None:
    beach.pool.schedules[WATERFALL].start = 630
    with pytest.raises(ServiceValidationError) as caught:
        await act(hass, action, **fields)
    assert caught.value.translation_key == "schedule_changed"
    assert not done(beach) and asked(beach, "a") == []
    # What is there now is known now, and can be changed.
    found = (await act(hass, "get_schedules"))["schedules"][WATERFALL]
    assert found["start"] == "10:30:00"
    await act(hass, action, **fields)
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
    hass: HomeAssistant, beach: Controller, changes: dict[str, Any], key: str
) -> None:
    with pytest.raises(ServiceValidationError) as caught:
        await act(hass, "create_schedule", **new(hass, **changes))
    assert caught.value.translation_key == key
    assert str(caught.value) != key
    assert asked(beach, "a") == []


@pytest.mark.parametrize("key", ["ph_dosing", "schedule_0", "solar_selected"])
async def test_switches_that_are_no_equipment(
    hass: HomeAssistant, beach: Controller, key: str
) -> None:
    equipment = switch(hass, key)
    assert equipment is not None
    with pytest.raises(ServiceValidationError) as caught:
        await act(hass, "create_schedule", **new(hass, equipment=equipment))
    assert caught.value.translation_key == "output_unknown"
    assert f"{equipment} is not an output" in str(caught.value)


async def test_speeds_of_the_pump(hass: HomeAssistant, beach: Controller) -> None:
    for speed in (35, 101, 52):
        with pytest.raises(ServiceValidationError) as caught:
            await act(hass, "update_schedule", schedule=1, pump_speed=speed)
        assert caught.value.translation_key == "schedule_speed"


async def test_numbers_that_are_not_there(
    hass: HomeAssistant, beach: Controller
) -> None:
    for action in ("update_schedule", "delete_schedule"):
        with pytest.raises(ServiceValidationError) as caught:
            await act(hass, action, schedule=4)
        assert caught.value.translation_key == "schedule_unknown"
        assert "There is no schedule 4" in str(caught.value)
        for number in (0, 21):
            with pytest.raises(vol.Invalid):
                await act(hass, action, schedule=number)


async def test_equipment_of_another_controller(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    await set_up(hass, service, service.entry(*service.controllers))
    await settle(hass, service)
    with pytest.raises(ServiceValidationError) as caught:
        await act(hass, "create_schedule", device=SMALL_ID, **new(hass))
    assert caught.value.translation_key == "output_unknown"
    answer = await act(hass, "get_schedules", device=SMALL_ID)
    assert [found["name"] for found in answer["schedules"]] == ["Filter"]


async def test_before_they_were_read(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """A person who asks does not wait for the next round."""
    service.account.sites = service.account.sites[1:]
    service.full.faults.on("garbage", "schedules")
    await set_up(hass, service, service.entry(service.full))
    await settle(hass, service)
    with pytest.raises(HomeAssistantError):
        await act(hass, "get_schedules")
    service.full.faults.clear()
    assert len((await act(hass, "get_schedules"))["schedules"]) == 3
