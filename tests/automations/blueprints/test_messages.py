"""Messages when the water is out of range, and when the pool needs attention."""

from typing import Any

from homeassistant.core import ServiceCall
from homeassistant.exceptions import HomeAssistantError
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service
import yaml

from custom_components.poolctl.status.table import KEYS

from .conftest import BLUEPRINTS, TELL, House

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


async def begin(house: House, name: str, **more: Any) -> None:
    inputs = {"pool": house.device().id, "notify": TELL, **more}
    await house.automate(name, **inputs)


def titles(told: list[ServiceCall]) -> list[str]:
    """Return the titles of the messages until now, and clear them."""
    found = [call.data["title"] for call in told]
    told.clear()
    return found


async def test_one_incident(house: House, told: list[ServiceCall]) -> None:
    """An incident has one message, and another one once its end has lasted."""
    await begin(house, "chemistry_out_of_range")
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
    await begin(
        house, "chemistry_out_of_range", tell_when_right=False, lasting={"minutes": 5}
    )
    await water(house, 6, ph=8.2, orp=500)
    assert sorted(title[11:14] for title in titles(told)) == ["ORP", "pH "]
    assert not house.waiting
    await water(house, 40, ph=7.4, orp=700)
    assert titles(told) == []


async def test_a_notification_that_fails(house: House, told: list[ServiceCall]) -> None:
    """The message about the end of the incident is sent all the same."""
    await begin(house, "chemistry_out_of_range", lasting={"minutes": 5})
    async_mock_service(
        house.hass, "test", "tell", raise_exception=HomeAssistantError("no")
    )
    await water(house, 6, ph=8.2)
    calls = async_mock_service(house.hass, "test", "tell")
    await water(house, 7, ph=7.4)
    assert titles(calls) == ["Home pool: water right again"]


# What needs attention


async def drum(house: House, left: int) -> None:
    house.pool.settings["acid_remaining"] = left
    await house.wait(minutes=7, step=15)


async def test_a_problem_with_a_button(full: House, told: list[ServiceCall]) -> None:
    await begin(full, "needs_attention")
    await drum(full, 1_500)
    assert told == []  # a notice was not chosen
    await drum(full, 0)
    (call,) = told
    assert call.data["title"].endswith(": The acid drum is empty.")
    assert call.data["message"].startswith("Refill the drum")
    (button,) = call.data["data"]["actions"]
    assert button["title"] == "Mark acid drum full"
    pressed = async_mock_service(full.hass, "button", "press")
    data = {"action": button["action"]}
    full.hass.bus.async_fire("mobile_app_notification_action", data)
    await full.wait(seconds=15)
    (press,) = pressed
    assert press.data["entity_id"] == [full.entity_id("button", "refill_acid")]


async def test_notices(full: House, told: list[ServiceCall]) -> None:
    """Each is told once; a problem is not told by both triggers."""
    await begin(full, "needs_attention", notices=True)
    await drum(full, 1_500)
    (call,) = told
    assert call.data["title"].endswith(": The acid drum is nearly empty.")
    await drum(full, 0)
    assert len(told) == 2


async def test_a_page(full: House, told: list[ServiceCall]) -> None:
    await begin(full, "needs_attention")
    full.entry.async_start_reauth(full.hass)
    await full.wait(minutes=20, step=60)
    (call,) = told
    (button,) = call.data["data"]["actions"]
    assert (button["action"], button["title"]) == ("URI", "Sign in")
    assert button["uri"].startswith("/config/")


def test_all_kinds() -> None:
    source = (BLUEPRINTS / "automation/poolctl" / "needs_attention.yaml").read_text()
    _, notices = yaml.safe_load(source.replace("!input", ""))["triggers"]
    assert tuple(notices["options"]["kinds"]) == KEYS
