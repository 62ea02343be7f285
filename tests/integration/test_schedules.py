"""Switches of schedules, down to the simulated schedule and its relay."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller
from tests.simulator.schedules import Schedule

from .conftest import (
    FULL_ID,
    Service,
    advance,
    entity_id,
    restart,
    set_up,
    settle,
    value,
)
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
from .test_commands import call

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
async def beach(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> Controller:
    """Wait for the schedules of the fully equipped pool."""
    await hass.config.async_set_time_zone("UTC")
    await settle(hass, service)
    return service.full


@pytest.fixture
async def away(hass: HomeAssistant, service: Service, credentials: None) -> Controller:
    """Reach the fully equipped pool through the cloud alone."""
    service.account.sites = service.account.sites[1:]
    await set_up(hass, service, service.entry())
    service.clock.speed = 50
    return service.full


# Switches


async def test_a_switch_for_each_schedule(
    hass: HomeAssistant, beach: Controller
) -> None:
    assert switches(hass) == {
        "0": "Schedule Filter",
        "1": "Schedule Waterfall",
        "2": "Schedule Evening light",
    }
    states = [value(hass, "switch", beach, f"schedule_{index}") for index in range(3)]
    assert states == ["on", "off", "off"]
    found = hass.states.get(entity_id(hass, "switch", beach, "schedule_1"))
    assert found is not None and "assumed_state" not in found.attributes


async def test_arming_and_disarming(hass: HomeAssistant, beach: Controller) -> None:
    """From the switch to the relay."""
    await call(hass, "switch", "turn_on", beach, "schedule_1")
    assert beach.pool.schedules[WATERFALL].enabled
    assert value(hass, "switch", beach, "schedule_1") == "on"
    go_to(beach, 2, 11)
    assert beach.pool.slots[FALL].on
    await call(hass, "switch", "turn_off", beach, "schedule_1")
    assert not beach.pool.schedules[WATERFALL].enabled
    assert value(hass, "switch", beach, "schedule_1") == "off"
    assert not beach.pool.slots[FALL].on


async def test_the_controller_refuses_to_arm(
    hass: HomeAssistant, beach: Controller
) -> None:
    beach.faults.on("decline")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, "switch", "turn_on", beach, "schedule_1")
    assert caught.value.translation_key == "refused"
    assert value(hass, "switch", beach, "schedule_1") == "off"
    assert asked(beach, "a") == ["schedule"]


@pytest.mark.parametrize("done", [True, False])
async def test_the_lan_dies_while_arming(
    hass: HomeAssistant, beach: Controller, done: bool
) -> None:
    """Another look tells whether it was done."""
    beach.faults.once("close_mid_body", 1, "schedule")
    if done:
        await call(hass, "switch", "turn_on", beach, "schedule_1")
    else:
        beach.faults.once("ignore_writes")
        with pytest.raises(HomeAssistantError) as caught:
            await call(hass, "switch", "turn_on", beach, "schedule_1")
        assert caught.value.translation_key == "not_done"
    assert beach.pool.schedules[WATERFALL].enabled is done
    assert value(hass, "switch", beach, "schedule_1") == ("on" if done else "off")
    assert asked(beach, "a") == ["schedule"]


async def test_a_conflict_is_not_armed(hass: HomeAssistant, beach: Controller) -> None:
    await act(hass, "create_schedule", **new(hass, start="09:00", end="11:00"))
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "switch", "turn_on", beach, "schedule_1")
    assert "overlaps with the schedule “Morning fall”" in str(caught.value)
    assert not beach.pool.schedules[WATERFALL].enabled


async def test_switches_come_go_and_are_renamed(
    hass: HomeAssistant, service: Service, beach: Controller
) -> None:
    """As the app changes them, without a reload."""
    schedules = beach.pool.schedules
    lamp = entity_id(hass, "switch", beach, "schedule_2")
    schedules[WATERFALL] = Schedule()
    schedules[LAMP].name = "Party"
    schedules[5] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "", True)
    # The new one shows in the next frame; the records are asked at once.
    await look(hass, service, beach)
    assert switches(hass) == {
        "0": "Schedule Filter",
        "2": "Schedule Party",
        "5": "Schedule 6",
    }
    state = hass.states.get(lamp)
    assert state is not None and state.name == "Beach pool Schedule Party"
    assert value(hass, "switch", beach, "schedule_5") == "on"

    schedules[5] = Schedule()
    await look(hass, service, beach)
    assert "5" not in switches(hass)
    # What came in its place later is a new one.
    schedules[5] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "Again", True)
    await look(hass, service, beach)
    assert switches(hass)["5"] == "Schedule Again"


async def test_switched_on_in_the_app(
    hass: HomeAssistant, service: Service, beach: Controller
) -> None:
    """The next frame tells, the slow query does not have to."""
    beach.pool.schedules[WATERFALL].enabled = True
    beach.faults.on("decline")
    beach.faults.on("garbage", "schedules")
    await look(hass, service, beach)
    assert value(hass, "switch", beach, "schedule_1") == "on"


async def test_switches_outlive_a_restart(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    await settle(hass, service)
    before = entity_id(hass, "switch", service.full, "schedule_1")
    service.full.faults.on("garbage", "schedules")
    await restart(hass, service, full)
    # Not asked yet, so nothing is known to be gone.
    assert "1" in switches(hass)
    service.full.faults.clear()
    await restart(hass, service, full)
    assert entity_id(hass, "switch", service.full, "schedule_1") == before
    assert value(hass, "switch", service.full, "schedule_1") == "off"


async def test_everything_off_disarms_nothing(
    hass: HomeAssistant, beach: Controller
) -> None:
    """Switches of schedules are settings, so an area or a device leaves them alone."""
    (device,) = dr.async_get(hass).async_get_devices(identifiers={(DOMAIN, FULL_ID)})
    await hass.services.async_call(
        "switch", "turn_on", {"device_id": device.id}, blocking=True
    )
    assert not beach.pool.schedules[WATERFALL].enabled


async def test_give_back(hass: HomeAssistant, beach: Controller) -> None:
    """It is no output."""
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "poolctl", "resume_schedule", beach, "schedule_1")
    assert caught.value.translation_key == "not_scheduled"


# The cloud


async def test_in_the_cloud(
    hass: HomeAssistant, service: Service, away: Controller
) -> None:
    assert switches(hass) == {
        "0": "Schedule Filter",
        "1": "Schedule Waterfall",
        "2": "Schedule Evening light",
    }
    await call(hass, "switch", "turn_on", away, "schedule_1")
    assert away.pool.schedules[WATERFALL].enabled
    assert value(hass, "switch", away, "schedule_1") == "on"
    fields = new(hass, start="13:00", end="14:00", enabled=False)
    assert await act(hass, "create_schedule", **fields) == {"schedule": NEW + 1}
    assert not away.pool.schedules[NEW].enabled
    # Gone ones are removed, although the cloud does not tell of all the equipment.
    await act(hass, "delete_schedule", schedule=2)
    assert set(switches(hass)) == {"0", "2", "3"}
    assert [r.name for r in service.cloud.requests if r.method == "POST"] == [
        "changeScheduleStatus",
        "createSchedule",
        "changeScheduleStatus",
        "deleteSchedule",
    ]
    assert away.requests == []


async def test_refused_in_the_cloud(hass: HomeAssistant, away: Controller) -> None:
    away.faults.on("decline")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, "switch", "turn_on", away, "schedule_1")
    assert caught.value.translation_key == "service_refused"
    assert value(hass, "switch", away, "schedule_1") == "off"


async def test_where_the_cloud_offers_no_schedules(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """There is nothing, and the actions say so."""
    service.account.sites = service.account.sites[1:]
    service.cloud.not_offered.add("scheduleInfo")
    await set_up(hass, service, service.entry())
    assert switches(hass) == {}
    fields: dict[str, Any] = {
        "name": "x",
        "start": "08:00",
        "end": "09:00",
        "weekdays": ["mon"],
    }
    for action, data in (("get_schedules", {}), ("create_schedule", fields)):
        with pytest.raises(ServiceValidationError) as caught:
            await act(hass, action, **data)
        assert caught.value.translation_key == "not_supported"


async def test_remembered_schedules_are_assumed(
    hass: HomeAssistant, service: Service, beach: Controller, freezer: Any
) -> None:
    """The LAN told them, the cloud does not."""
    service.cloud.not_offered.add("scheduleInfo")
    beach.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", beach, "connection") == "cloud"
    state = hass.states.get(entity_id(hass, "switch", beach, "schedule_0"))
    assert state is not None
    assert (state.state, state.attributes.get("assumed_state")) == ("on", True)
