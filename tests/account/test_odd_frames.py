"""One odd frame changes nothing that lasts (protocol.md L15)."""

from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer", "quick")


def registered(home: Home) -> tuple[set[str], set[str]]:
    entities = er.async_get(home.hass).entities
    devices = dr.async_get(home.hass).devices
    return set(entities), {device.id for device in devices}


async def test_a_frame_without_types_removes_nothing(full: Home) -> None:
    """Entities and devices stay if all types are 0 in one frame."""
    before = registered(full)
    controller = full.service.full
    controller.dialects.add("odd_no_types")
    controller.frames = 0
    await full.advance(15)
    assert controller.frames == 1
    assert registered(full) == before
    await full.advance(30)
    assert registered(full) == before
