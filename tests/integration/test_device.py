"""The page of a device shows what is known of a controller, and nothing else."""

from homeassistant.helpers import area_registry as ar, device_registry as dr
import pytest

from tests.simulator.raw import exchange, request

from .home import Home


def area(home: Home, found: dr.DeviceEntry) -> str | None:
    """Return the name of the area a device is in."""
    if found.area_id is None:
        return None
    entry = ar.async_get(home.hass).async_get_area(found.area_id)
    assert entry is not None
    return entry.name


async def test_what_is_known(full: Home) -> None:
    found = full.device()
    assert found.name == "Beach pool"
    assert found.model == "Pool controller, 37 slots"
    assert found.sw_version == "2.5.46"
    assert found.serial_number == full.controller.device_id
    assert found.connections == {("mac", "aa:bb:cc:00:00:02")}
    assert area(full, found) == "Home"


async def test_what_is_not_known_is_not_told(full: Home) -> None:
    """The interface names no manufacturer, and a controller serves no page."""
    found = full.device()
    assert found.manufacturer is None
    assert found.model_id is None
    assert found.hw_version is None
    assert found.configuration_url is None
    reply = await exchange(full.controller, request(method="GET", length=None))
    assert reply.status == 405
    reply = await exchange(
        full.controller, request(method="GET", path="/", length=None)
    )
    assert reply.status == 403


@pytest.mark.parametrize("not_offered", [set(), {"auxInfo"}])
async def test_through_the_cloud_alone(home: Home, not_offered: set[str]) -> None:
    """Neither the firmware nor all of the slots are told there."""
    home.own(home.service.small)
    home.cloud.not_offered |= not_offered
    await home.set_up()
    found = home.device()
    assert found.model == "Pool controller"
    assert found.sw_version is None
    assert found.serial_number == home.controller.device_id
    assert area(home, found) == "Home"


@pytest.mark.usefixtures("freezer")
async def test_an_update_of_the_firmware_and_an_expander(small: Home) -> None:
    before = small.device()
    assert before.model == f"Pool controller, {len(small.pool.slots)} slots"
    small.controller.firmware = "2.6.1"
    await small.advance(15)
    after = small.device()
    assert after.id == before.id
    assert after.sw_version == "2.6.1"
    assert after.model == before.model
    small.pool.slots.extend(small.service.full.pool.slots[12:17])
    await small.advance(15)
    after = small.device()
    assert after.model == f"Pool controller, {len(small.pool.slots)} slots"


async def test_a_site_without_a_name(home: Home) -> None:
    home.own(home.service.small)
    home.account.sites[0].name = ""
    await home.set_up()
    assert area(home, home.device()) is None


@pytest.mark.usefixtures("freezer")
async def test_the_area_is_a_suggestion(small: Home) -> None:
    """Where a person puts it, it stays, whatever the site is called."""
    garden = ar.async_get(small.hass).async_create("Garden")
    found = small.device()
    dr.async_get(small.hass).async_update_device(found.id, area_id=garden.id)
    small.account.sites[0].name = "Cottage"
    small.controller.firmware = "2.6.1"
    await small.advance(3700, step=3700)
    assert small.stored["site"] == "Cottage"
    assert area(small, small.device()) == "Garden"
