"""Tell when the water is out of range."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.persistent_notification import DOMAIN as PAGE
from homeassistant.const import Platform
from homeassistant.core import Event, ServiceCall
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from tests.integration.platforms import only
from tests.integration.service import Service
from tests.simulator.pool import Pool

from .conftest import House, rule

pytestmark = pytest.mark.usefixtures("freezer", "quick", "at_once")
few_platforms = only(Platform.BINARY_SENSOR, Platform.SENSOR)

NAME = "chemistry_out_of_range"
WRONG, RIGHT = "Pool water out of range", "Pool water right again"
TELL = [
    {
        "event": "told",
        "event_data": {"title": "{{ title }}", "message": "{{ message }}"},
    }
]


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the small pool; its water changes only as a test says."""
    found = service.small.pool
    found.update()
    found.water.drift = 0.0
    found.water.ph, found.water.orp = 7.45, 700.5
    return found


@pytest.fixture
def told(house: House) -> list[Event]:
    events: list[Event] = async_capture_events(house.hass, "told")
    return events


@pytest.fixture
def house(small: House) -> House:
    return small


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return what a person who has little patience fills in."""
    return {
        "ph": house.entity_id("sensor", "ph"),
        "orp": house.entity_id("sensor", "orp"),
        "valid": house.entity_id("binary_sensor", "chemistry_stable"),
        "notify": TELL,
        "lasting": {"minutes": 5},
        **more,
    }


def messages(told: list[Event]) -> list[tuple[str, str]]:
    """Return what was told until now, and forget it."""
    found = [(event.data["title"], event.data["message"]) for event in told]
    told.clear()
    return found


@pytest.mark.parametrize(
    ("key", "wrong", "says"),
    [
        ("ph", 8.05, "pH is 8.0; it should be 7.0 to 7.8."),
        ("orp", 599.5, "ORP is 599 mV; it should be 600 to 840 mV."),
    ],
)
async def test_an_incident(
    house: House, pool: Pool, told: list[Event], key: str, wrong: float, says: str
) -> None:
    """One message, and one when it is over; a moment is not told."""
    right = getattr(pool.water, key)
    await house.automate(NAME, **inputs(house, orp_high=840))
    setattr(pool.water, key, wrong)
    await house.wait(minutes=4)
    setattr(pool.water, key, right)
    await house.wait(minutes=6)
    assert messages(told) == []
    assert not house.waiting

    setattr(pool.water, key, wrong)
    await house.wait(minutes=6)
    assert messages(told) == [(WRONG, says)]
    await house.wait(minutes=20)
    setattr(pool.water, key, right)
    await house.wait(minutes=4)
    setattr(pool.water, key, wrong)
    await house.wait(minutes=10)
    assert messages(told) == []
    setattr(pool.water, key, right)
    await house.wait(minutes=6)
    name = {"ph": "pH", "orp": "ORP"}[key]
    assert messages(told) == [(RIGHT, f"{name} is in range again.")]
    assert not house.waiting
    setattr(pool.water, key, wrong)
    await house.wait(minutes=6)
    assert messages(told) == [(WRONG, says)]


@pytest.mark.parametrize(
    ("key", "wrong", "name", "says"),
    [
        ("ph", 6.95, "pH", "pH is 6.9; it should be 7.0 to 7.8."),
        ("orp", 841.5, "ORP", "ORP is 841 mV; it should be 600 to 840 mV."),
    ],
)
async def test_the_other_limits(
    house: House,
    pool: Pool,
    told: list[Event],
    key: str,
    wrong: float,
    name: str,
    says: str,
) -> None:
    right = getattr(pool.water, key)
    await house.automate(NAME, **inputs(house, orp_high=840))
    for value, message in (
        (wrong, (WRONG, says)),
        (right, (RIGHT, f"{name} is in range again.")),
    ):
        setattr(pool.water, key, value)
        await house.wait(minutes=6)
        assert messages(told) == [message]
    assert not house.waiting


async def test_the_limits_are_in_range(
    house: House, pool: Pool, told: list[Event]
) -> None:
    await house.automate(NAME, **inputs(house))
    for ph, orp in ((7.05, 600.5), (7.85, 850.0)):
        pool.water.ph, pool.water.orp = ph, orp
        await house.wait(minutes=6)
    assert messages(told) == []


@pytest.mark.parametrize(
    ("ph", "orp", "says"),
    [
        (7.05, 599.5, "ORP is 599 mV; it should be 600 to 850 mV."),
        (7.85, 599.5, "ORP is 599 mV; it should be 600 to 850 mV."),
        (8.05, 600.5, "pH is 8.0; it should be 7.0 to 7.8."),
        (8.05, 850.0, "pH is 8.0; it should be 7.0 to 7.8."),
    ],
)
async def test_what_is_just_in_range_is_not_told(
    house: House, pool: Pool, told: list[Event], ph: float, orp: float, says: str
) -> None:
    await house.automate(NAME, **inputs(house))
    pool.water.ph, pool.water.orp = ph, orp
    await house.wait(minutes=6)
    assert messages(told) == [(WRONG, says)]


async def test_one_after_the_other(house: House, pool: Pool, told: list[Event]) -> None:
    """Each goes out of range and comes back by itself."""
    await house.automate(NAME, **inputs(house))
    pool.water.ph = 8.25
    await house.wait(minutes=6)
    assert messages(told) == [(WRONG, "pH is 8.2; it should be 7.0 to 7.8.")]
    pool.water.orp = 500.5
    await house.wait(minutes=6)
    says = "ORP is 500 mV; it should be 600 to 850 mV."
    assert messages(told) == [(WRONG, says)]
    pool.water.ph = 7.45
    await house.wait(minutes=6)
    assert messages(told) == [(RIGHT, "pH is in range again.")]
    pool.water.ph, pool.water.orp = 6.05, 700.5
    await house.wait(minutes=6)
    says = "pH is 6.0; it should be 7.0 to 7.8. ORP is in range again."
    assert messages(told) == [(WRONG, says)]
    pool.water.ph = 7.45
    await house.wait(minutes=6)
    assert messages(told) == [(RIGHT, "pH is in range again.")]
    assert not house.waiting


async def test_only_what_is_wrong_is_told(
    house: House, pool: Pool, told: list[Event]
) -> None:
    more = {"tell_when_right": False}
    await house.automate(NAME, **inputs(house, **more))
    for ph in (8.05, 7.45, 6.05, 7.45):
        pool.water.ph = ph
        await house.wait(minutes=6)
    assert [title for title, _ in messages(told)] == [WRONG, WRONG]


async def test_only_readings_that_count(
    house: House, pool: Pool, told: list[Event]
) -> None:
    """While the pump stands still nothing is told, nor that it is right again."""
    house.hass.config_entries.async_update_entry(
        house.entry, options={"readings_without_flow": "raw"}
    )
    await house.restart()
    chosen = inputs(house)
    await house.automate(NAME, **chosen)
    pool.schedules[0].enabled = False
    await house.wait(minutes=2)
    pool.water.ph = 8.25
    await house.wait(minutes=10, step=60)
    assert house.state_of(chosen["valid"]).state == "off"
    assert house.state_of(chosen["ph"]).state == "8.2"
    assert messages(told) == []

    pool.schedules[0].enabled = True
    await house.wait(minutes=10, step=60)
    assert [title for title, _ in messages(told)] == [WRONG]
    pool.schedules[0].enabled = False
    await house.wait(minutes=2)
    pool.water.ph = 7.45
    await house.wait(minutes=10, step=60)
    assert house.state_of(chosen["valid"]).state == "off"
    assert house.state_of(chosen["ph"]).state == "7.4"
    assert messages(told) == []
    pool.schedules[0].enabled = True
    await house.wait(minutes=10, step=60)
    assert [title for title, _ in messages(told)] == [RIGHT]


async def test_the_pump_stops_before_it_is_told(
    house: House, pool: Pool, told: list[Event]
) -> None:
    """A reading is out of range for as long as it counts, and not any longer."""
    await house.automate(NAME, **inputs(house))
    pool.water.ph = 8.25
    await house.wait(minutes=4)
    pool.schedules[0].enabled = False
    await house.wait(minutes=10)
    assert messages(told) == []
    pool.schedules[0].enabled = True
    await house.wait(minutes=4)
    assert messages(told) == []
    await house.wait(minutes=6)
    assert [title for title, _ in messages(told)] == [WRONG]


async def test_a_controller_that_is_lost(
    house: House, pool: Pool, told: list[Event]
) -> None:
    """What is not known is neither wrong nor right; it is not told twice."""
    await house.automate(NAME, **inputs(house))
    pool.water.ph = 8.05
    await house.wait(minutes=6)
    assert len(messages(told)) == 1
    house.disconnect()
    await house.wait(minutes=10)
    house.controller.faults.clear()
    await house.wait(minutes=10)
    assert messages(told) == []
    assert house.waiting


async def test_orp_in_a_unit_its_owner_chose(
    house: House, pool: Pool, told: list[Event]
) -> None:
    er.async_get(house.hass).async_update_entity_options(
        inputs(house)["orp"], "sensor", {"unit_of_measurement": "V"}
    )
    pool.water.orp = 710.5
    await house.wait(minutes=1)
    assert house.state_of(inputs(house)["orp"]).state == "0.71"
    await house.automate(NAME, **inputs(house))
    await house.wait(minutes=6)
    assert messages(told) == []
    pool.water.orp = 590.5
    await house.wait(minutes=6)
    says = "ORP is 590 mV; it should be 600 to 850 mV."
    assert messages(told) == [(WRONG, says)]
    pool.water.orp = 850.0  # the limit
    await house.wait(minutes=6)
    assert messages(told) == [(RIGHT, "ORP is in range again.")]


@pytest.mark.parametrize("unit", ["V", "mV"])
async def test_a_reading_that_tells_nothing_is_not_wrong(
    house: House, pool: Pool, told: list[Event], unit: str
) -> None:
    orp = "sensor.orp_of_another_device"
    house.hass.states.async_set(orp, "unknown", {"unit_of_measurement": unit})
    await house.automate(NAME, **inputs(house, orp=orp))
    await house.wait(minutes=6)
    assert messages(told) == []
    pool.water.ph = 8.05
    await house.wait(minutes=6)
    assert messages(told) == [(WRONG, "pH is 8.0; it should be 7.0 to 7.8.")]


async def test_a_message_that_fails(
    house: House, pool: Pool, told: list[Event]
) -> None:
    """The next one is told all the same."""

    async def fail(call: ServiceCall) -> None:
        raise HomeAssistantError("the phone is off")

    house.hass.services.async_register("notify", "phone", fail)
    say = [*TELL, {"action": "notify.phone", "data": {"message": "{{ message }}"}}]
    await house.automate(NAME, **inputs(house, notify=say))
    for ph in (8.05, 7.45):
        pool.water.ph = ph
        await house.wait(minutes=6)
    assert [title for title, _ in messages(told)] == [WRONG, RIGHT]


async def test_without_a_choice_home_assistant_shows_it(
    house: House, pool: Pool
) -> None:
    assert await async_setup_component(house.hass, PAGE, {})
    calls = async_capture_events(house.hass, "call_service")
    chosen = inputs(house)
    del chosen["notify"], chosen["lasting"]
    await house.automate(NAME, **chosen)
    pool.water.ph = 8.05
    await house.wait(seconds=15)  # it is read
    await house.wait(minutes=29, step=60)
    assert not [call for call in calls if call.data["domain"] == PAGE]
    await house.wait(minutes=1, seconds=15)
    (call,) = [call for call in calls if call.data["domain"] == PAGE]
    says = "pH is 8.0; it should be 7.0 to 7.8."
    assert call.data["service_data"] == {"title": WRONG, "message": says}


# Starting anew


async def test_out_of_range_at_the_start(
    house: House, pool: Pool, told: list[Event]
) -> None:
    """What is wrong for long is told after each start, not sooner than at other times."""
    pool.water.ph = 8.05
    await house.wait(minutes=1)
    await house.start_anew(NAME, timedelta(hours=3), **inputs(house))
    await house.wait(minutes=4)
    assert messages(told) == []
    await house.wait(minutes=2)
    assert [title for title, _ in messages(told)] == [WRONG]


async def test_edited_while_out_of_range(
    house: House, pool: Pool, told: list[Event]
) -> None:
    """Home Assistant ends what it waited for; the new one tells it once more."""
    await house.automate(NAME, **inputs(house))
    pool.water.ph = 8.05
    await house.wait(minutes=6)
    assert len(messages(told)) == 1
    edited = {AUTOMATION: [rule(NAME, inputs(house, ph_high=7.7))]}
    with patch("homeassistant.config.load_yaml_config_file", return_value=edited):
        await house.hass.services.async_call(AUTOMATION, "reload", blocking=True)
    await house.wait(minutes=6)
    assert messages(told) == [(WRONG, "pH is 8.0; it should be 7.0 to 7.7.")]


async def test_in_range_at_the_start(house: House, told: list[Event]) -> None:
    await house.start_anew(NAME, timedelta(hours=3), **inputs(house))
    await house.wait(minutes=10)
    assert messages(told) == []
    assert not house.waiting
