"""A message when the pool needs attention, with a button for the next step."""

from typing import Any

from homeassistant.core import ServiceCall
import pytest
from pytest_homeassistant_custom_component.common import async_mock_service
import yaml

from custom_components.poolctl.status.table import KEYS

from .conftest import BLUEPRINTS, TELL, House

NAME = "needs_attention"

pytestmark = pytest.mark.usefixtures("freezer")


async def begin(house: House, **more: Any) -> None:
    inputs = {"pool": house.device().id, "notify": TELL, **more}
    await house.automate(NAME, **inputs)


async def drum(house: House, left: int) -> None:
    house.pool.settings["acid_remaining"] = left
    await house.wait(minutes=7, step=15)


async def test_a_problem_with_a_button(full: House, told: list[ServiceCall]) -> None:
    await begin(full)
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
    await begin(full, notices=True)
    await drum(full, 1_500)
    (call,) = told
    assert call.data["title"].endswith(": The acid drum is nearly empty.")
    await drum(full, 0)
    assert len(told) == 2


async def test_a_page(full: House, told: list[ServiceCall]) -> None:
    await begin(full)
    full.entry.async_start_reauth(full.hass)
    await full.wait(minutes=20, step=60)
    (call,) = told
    (button,) = call.data["data"]["actions"]
    assert (button["action"], button["title"]) == ("URI", "Sign in")
    assert button["uri"].startswith("/config/")


def test_all_kinds() -> None:
    source = (BLUEPRINTS / "automation/poolctl" / f"{NAME}.yaml").read_text()
    _, notices = yaml.safe_load(source.replace("!input", ""))["triggers"]
    assert tuple(notices["options"]["kinds"]) == KEYS
