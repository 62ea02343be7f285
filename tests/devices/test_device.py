"""The device shows the reported properties of a controller, and nothing else."""

from homeassistant.helpers import area_registry as ar
import pytest

from tests.world.assistant.home import Home
from tests.world.simulator.raw import exchange, request


async def test_what_is_known(full: Home) -> None:
    found = full.device()
    assert found.name == "Beach pool"
    assert found.model == "Pool controller"
    assert found.sw_version == "2.5.46"
    assert found.serial_number == full.controller.device_id
    assert found.connections == {("mac", "aa:bb:cc:00:00:02")}
    # The interface does not name a manufacturer, and controllers serve no page.
    unknown = found.area_id, found.manufacturer, found.model_id, found.hw_version
    assert (*unknown, found.configuration_url) == (None,) * 5
    reply = await exchange(full.controller, request(method="GET", length=None))
    assert reply.status == 405
    reply = await exchange(
        full.controller, request(method="GET", path="/", length=None)
    )
    assert reply.status == 403


async def test_through_the_cloud_alone(home: Home) -> None:
    """The cloud does not report the firmware."""
    home.own(home.service.small)
    await home.set_up()
    found = home.device()
    assert found.model == "Pool controller"
    assert found.sw_version is None
    assert found.serial_number == home.controller.device_id
    assert found.area_id is None


@pytest.mark.usefixtures("freezer")
async def test_an_update_of_the_firmware(small: Home) -> None:
    before = small.device()
    small.controller.firmware = "2.6.1"
    await small.advance(15)
    after = small.device()
    assert after.id == before.id
    assert after.sw_version == "2.6.1"


async def test_the_site_is_in_no_name(full: Home) -> None:
    """A site is not a room: it is neither an area nor the start of an entity ID."""
    assert not ar.async_get(full.hass).areas
    for entity in full.entities():
        assert entity.entity_id.split(".")[1].startswith("beach_pool_")


async def test_the_site_tells_controllers_of_one_name_apart(home: Home) -> None:
    home.service.small.name = home.service.full.name = "Pool"
    await home.set_up()
    assert home.device(home.service.small).name == "Pool (Home)"
    assert home.device(home.service.full).name == "Pool (Beach)"
    ph = home.entity_id("sensor", "ph", home.service.full)
    assert ph == "sensor.pool_beach_ph"


async def test_controllers_of_one_name_and_no_site(home: Home) -> None:
    home.service.small.name = home.service.full.name = "Pool"
    home.account.sites[0].name = ""
    await home.set_up()
    assert home.device(home.service.small).name == "Pool"
    assert home.device(home.service.full).name == "Pool (Beach)"


@pytest.mark.parametrize("name", ["Pool", ""])
async def test_controllers_of_one_name_at_one_site(home: Home, name: str) -> None:
    """A number tells them apart, and so do the names of their entities."""
    first, second = sorted(home.service.controllers, key=lambda each: each.device_id)
    first.name = second.name = name
    home.account.sites[0].controllers = [second, first]
    del home.account.sites[1:]
    await home.set_up()
    shown = name or "Pool controller"
    assert home.device(first).name == f"{shown} 1"
    assert home.device(second).name == f"{shown} 2"
    assert home.entity_id("sensor", "ph", second).endswith("_2_ph")
