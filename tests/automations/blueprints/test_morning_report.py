"""A report of the pool every morning."""

from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import ServiceCall, SupportsResponse
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service

from .conftest import TELL, House

NAME = "morning_report"


@pytest.fixture(autouse=True)
def morning(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-07-02 07:25:00-07:00")


@pytest.fixture
def asked(house: House) -> list[ServiceCall]:
    """Mock the statistics of yesterday's energy; return the requests for them."""
    day = {"start": "2026-07-01T07:00:00+00:00", "end": "2026-07-02T07:00:00+00:00"}
    energy = house.entity_id("sensor", "pump_energy")
    calls: list[ServiceCall] = async_mock_service(
        house.hass,
        "recorder",
        "get_statistics",
        response={"statistics": {energy: [day | {"change": 7.123456}]}},
        supports_response=SupportsResponse.ONLY,
    )
    return calls


@pytest.fixture
def house(full: House) -> House:
    return full


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return the inputs that a user fills in."""
    return {
        "readings": [
            house.entity_id("sensor", key) for key in ("ph", "acid_lasts_until")
        ],
        "used": [
            house.entity_id("sensor", key) for key in ("pump_energy", "acid_used_today")
        ],
        "status": [house.entity_id("sensor", "status")],
        "notify": TELL,
        **more,
    }


READINGS = ["Beach pool Water pH: 7.4", "Beach pool Dosing Acid lasts until: -"]
USED = [
    "Beach pool Pump Energy, yesterday: 7.12 kWh",
    "Beach pool Dosing Acid used today, yesterday: -",
]


def lines(call: ServiceCall) -> list[str]:
    message: str = call.data["message"]
    return message.splitlines()


async def test_a_fine_morning(
    house: House, told: list[ServiceCall], asked: list[ServiceCall]
) -> None:
    await house.automate(NAME, **inputs(house))
    await house.wait(minutes=4, step=60)
    assert told == []
    await house.wait(minutes=2, step=60)
    (call,) = told
    assert call.data["title"] == "The pool is fine"
    assert lines(call) == [*READINGS, *USED]
    (question,) = asked
    assert question.data["period"] == "day" and question.data["types"] == ["change"]
    assert str(question.data["start_time"]) == "2026-07-01 00:00:00-07:00"
    assert str(question.data["end_time"]) == "2026-07-02 00:00:00-07:00"


@pytest.mark.parametrize("only_problems", [False, True])
async def test_something_needs_a_person(
    house: House,
    told: list[ServiceCall],
    asked: list[ServiceCall],
    only_problems: bool,
) -> None:
    house.pool.settings["acid_remaining"] = 0
    await house.automate(NAME, **inputs(house, only_problems=only_problems))
    await house.wait(minutes=6, step=60)
    (call,) = told
    assert call.data["title"] == "The pool needs you"
    assert lines(call)[0].startswith(
        "Beach pool: The acid drum is empty. Refill the drum"
    )
    assert lines(call)[1:] == [*READINGS, *USED]


async def test_a_notice(house: House, told: list[ServiceCall]) -> None:
    """A notice is in the report, but the title calls the pool fine."""
    house.pool.settings["acid_remaining"] = 500
    await house.automate(NAME, **inputs(house, used=[]))
    await house.wait(minutes=6, step=60)
    (call,) = told
    assert call.data["title"] == "The pool is fine"
    assert lines(call)[0].startswith("Beach pool: The acid drum is nearly empty.")


async def test_only_problems(house: House, told: list[ServiceCall]) -> None:
    house.pool.settings["acid_remaining"] = 500
    await house.automate(NAME, **inputs(house, only_problems=True))
    await house.wait(minutes=6, step=60)
    assert told == []


async def test_readings_alone(house: House, told: list[ServiceCall]) -> None:
    """Without `used` and `status` the report has the readings, and no statistics."""
    await house.automate(NAME, **inputs(house, used=[], status=[]))
    await house.wait(minutes=6, step=60)
    (call,) = told
    assert lines(call) == READINGS


async def test_statistics_that_fail(house: House, told: list[ServiceCall]) -> None:
    await house.automate(NAME, **inputs(house))
    async_mock_service(
        house.hass,
        "recorder",
        "get_statistics",
        raise_exception=RuntimeError("no recorder"),
        supports_response=SupportsResponse.ONLY,
    )
    await house.wait(minutes=6, step=60)
    (call,) = told
    assert lines(call) == [*READINGS, *(use[: use.index(":")] + ": -" for use in USED)]


async def test_as_home_assistant_shows_it(house: House) -> None:
    """By default the report is a persistent notification."""
    filled = inputs(house, used=[])
    del filled["notify"]
    shown = async_mock_service(house.hass, "persistent_notification", "create")
    await house.automate(NAME, **filled)
    await house.wait(minutes=6, step=60)
    (notification,) = shown
    assert notification.data["title"] == "The pool is fine"
    assert lines(notification) == READINGS
