"""The device shows the reported properties of a controller, and nothing else."""

from homeassistant.helpers import area_registry as ar
import pytest

from tests.world.assistant.home import Home
from tests.world.simulator.raw import exchange, request


async def test_what_is_known(full: Home) -> None:
    found = full.device()
    assert (found.name, found.model) == ("Beach pool", "Pool controller")
    assert found.sw_version == "2.5.46"
    assert found.serial_number == full.controller.device_id
    assert found.connections == {("mac", "aa:bb:cc:00:00:02")}
    # The interface does not name a manufacturer, and controllers serve no page.
    unknown = found.area_id, found.manufacturer, found.model_id, found.hw_version
    assert (*unknown, found.configuration_url) == (None,) * 5
    pages = {
        405: request(method="GET", length=None),
        403: request(method="GET", path="/", length=None),
    }
    for status, page in pages.items():
        assert (await exchange(full.controller, page)).status == status
    # A site is not a room: it is neither an area nor the start of an entity ID.
    assert not ar.async_get(full.hass).areas
    for entity in full.entities():
        assert entity.entity_id.split(".")[1].startswith("beach_pool_")


@pytest.mark.usefixtures("freezer")
async def test_an_update_of_the_firmware(small: Home) -> None:
    before = small.device()
    small.controller.firmware = "2.6.1"
    await small.advance(15)
    after = small.device()
    assert (after.id, after.sw_version) == (before.id, "2.6.1")


@pytest.mark.parametrize(
    ("name", "sites", "shown", "ph"),
    [
        ("Pool", ("Home", "Beach"), ("Pool (Home)", "Pool (Beach)"), "pool_beach_ph"),
        ("Pool", ("", "Beach"), ("Pool", "Pool (Beach)"), "pool_beach_ph"),
        # At one site a number tells them apart, and so do the names of their entities.
        ("Pool", ("Home",), ("Pool 1", "Pool 2"), "pool_2_ph"),
        ("", ("Home",), ("Pool controller 1", "Pool controller 2"), "_2_ph"),
    ],
)
async def test_controllers_of_one_name(
    home: Home, name: str, sites: tuple[str, ...], shown: tuple[str, str], ph: str
) -> None:
    first, second = home.service.small, home.service.full
    first.name = second.name = name
    for site, site_name in zip(home.account.sites, sites, strict=False):
        site.name = site_name
    if len(sites) == 1:
        first, second = sorted((first, second), key=lambda each: each.device_id)
        home.account.sites[0].controllers = [second, first]
        del home.account.sites[1:]
    await home.set_up()
    assert (home.device(first).name, home.device(second).name) == shown
    assert home.entity_id("sensor", "ph", second).endswith(ph)
