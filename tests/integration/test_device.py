"""The page of a device shows what is known of a controller, and nothing else."""

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, device_registry as dr
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller
from tests.simulator.raw import exchange, request

from .conftest import Service, advance, set_up


def device(
    hass: HomeAssistant, entry: MockConfigEntry, controller: Controller
) -> dr.DeviceEntry:
    """Return the device of a controller."""
    found = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, controller.device_id), entry.entry_id
    )
    assert isinstance(found, dr.DeviceEntry)
    return found


def area(hass: HomeAssistant, found: dr.DeviceEntry) -> str | None:
    """Return the name of the area a device is in."""
    if found.area_id is None:
        return None
    entry = ar.async_get(hass).async_get_area(found.area_id)
    assert entry is not None
    return entry.name


async def test_what_is_known(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    found = device(hass, full, service.full)
    assert found.name == "Beach pool"
    assert found.model == "Pool controller, 37 slots"
    assert found.sw_version == "2.5.46"
    assert found.serial_number == service.full.device_id
    assert found.connections == {("mac", "aa:bb:cc:00:00:02")}
    assert area(hass, found) == "Home"


async def test_what_is_not_known_is_not_told(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """The interface names no manufacturer, and a controller serves no page."""
    found = device(hass, full, service.full)
    assert found.manufacturer is None
    assert found.model_id is None
    assert found.hw_version is None
    assert found.configuration_url is None
    reply = await exchange(service.full, request(method="GET", length=None))
    assert reply.status == 405
    reply = await exchange(service.full, request(method="GET", path="/", length=None))
    assert reply.status == 403


@pytest.mark.parametrize("not_offered", [set(), {"auxInfo"}])
async def test_through_the_cloud_alone(
    hass: HomeAssistant, service: Service, credentials: None, not_offered: set[str]
) -> None:
    """Neither the firmware nor all of the slots are told there."""
    service.account.sites = service.account.sites[:1]
    service.cloud.not_offered |= not_offered
    entry = await set_up(hass, service, service.entry())
    found = device(hass, entry, service.small)
    assert found.model == "Pool controller"
    assert found.sw_version is None
    assert found.serial_number == service.small.device_id
    assert area(hass, found) == "Home"


@pytest.mark.usefixtures("freezer")
async def test_an_update_of_the_firmware_and_an_expander(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    before = device(hass, small, service.small)
    assert before.model == f"Pool controller, {len(service.small.pool.slots)} slots"
    service.small.firmware = "2.6.1"
    await advance(hass, service, freezer, 15)
    after = device(hass, small, service.small)
    assert after.id == before.id
    assert after.sw_version == "2.6.1"
    assert after.model == before.model
    service.small.pool.slots.extend(service.full.pool.slots[12:17])
    await advance(hass, service, freezer, 15)
    after = device(hass, small, service.small)
    assert after.model == f"Pool controller, {len(service.small.pool.slots)} slots"


async def test_a_site_without_a_name(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    service.account.sites = service.account.sites[:1]
    service.account.sites[0].name = ""
    entry = await set_up(hass, service, service.entry())
    assert area(hass, device(hass, entry, service.small)) is None


@pytest.mark.usefixtures("freezer")
async def test_the_area_is_a_suggestion(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Where a person puts it, it stays, whatever the site is called."""
    garden = ar.async_get(hass).async_create("Garden")
    found = device(hass, small, service.small)
    dr.async_get(hass).async_update_device(found.id, area_id=garden.id)
    service.account.sites[0].name = "Cottage"
    service.small.firmware = "2.6.1"
    await advance(hass, service, freezer, 3700, step=3700)
    stored = small.data["controllers"][service.small.device_id]
    assert stored["site"] == "Cottage"
    assert area(hass, device(hass, small, service.small)) == "Garden"
