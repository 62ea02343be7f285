"""A message when the water is out of range for a while, and when it is right again."""

from typing import Any

from homeassistant.core import ServiceCall
from homeassistant.exceptions import HomeAssistantError
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service

from .conftest import TELL, House

NAME = "chemistry_out_of_range"

pytestmark = pytest.mark.usefixtures("freezer")


@pytest.fixture
async def house(small: House) -> House:
    small.pool.water.drift = 0.0
    await water(small, 0, ph=7.4, orp=700)
    return small


async def water(house: House, minutes: float, **readings: float) -> None:
    """Set readings of the water, and let minutes pass after they were polled."""
    for name, value in readings.items():
        setattr(house.pool.water, name, value)
    await house.wait(seconds=30, step=15)
    await house.wait(minutes=minutes, step=60)


async def begin(house: House, **more: Any) -> None:
    inputs = {"pool": house.device().id, "notify": TELL, **more}
    await house.automate(NAME, **inputs)


def titles(told: list[ServiceCall]) -> list[str]:
    """Return the titles of the messages until now, and clear them."""
    found = [call.data["title"] for call in told]
    told.clear()
    return found


async def test_one_incident(house: House, told: list[ServiceCall]) -> None:
    """An incident has one message, and another one once its end has lasted."""
    await begin(house)
    # Wrong for a moment only.
    await water(house, 20, orp=500)
    await water(house, 40, orp=700)
    await water(house, 25, ph=8.2)
    assert titles(told) == []
    await house.wait(minutes=6, step=60)
    assert told[0].data["message"].startswith("Measure the pH by hand.")
    assert titles(told) == ["Home pool: pH 8.2 is too high: 7.0 to 7.8 is good."]
    await water(house, 40, ph=8.4)
    assert titles(told) == []
    # Right for a moment only: wrong again is an incident of its own.
    await water(house, 5, ph=7.4)
    await water(house, 32, ph=8.0)
    assert titles(told) == ["Home pool: pH 8.0 is too high: 7.0 to 7.8 is good."]
    await water(house, 32, ph=7.4)
    assert told[0].data["message"] == "pH is in range again."
    assert titles(told) == ["Home pool: water right again"]
    assert not house.waiting


async def test_both_at_once(house: House, told: list[ServiceCall]) -> None:
    """Each reading has its own message; the one about the end can be turned off."""
    await begin(house, tell_when_right=False, lasting={"minutes": 5})
    await water(house, 6, ph=8.2, orp=500)
    assert sorted(title[11:14] for title in titles(told)) == ["ORP", "pH "]
    assert not house.waiting
    await water(house, 40, ph=7.4, orp=700)
    assert titles(told) == []


async def test_a_notification_that_fails(house: House, told: list[ServiceCall]) -> None:
    """The message about the end of the incident is sent all the same."""
    await begin(house, lasting={"minutes": 5})
    async_mock_service(
        house.hass, "test", "tell", raise_exception=HomeAssistantError("no")
    )
    await water(house, 6, ph=8.2)
    calls = async_mock_service(house.hass, "test", "tell")
    await water(house, 7, ph=7.4)
    assert titles(calls) == ["Home pool: water right again"]
