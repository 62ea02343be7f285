"""The options: which way to a controller, and what probes show in still water."""

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from .conftest import Service, advance, entity_id, restart, set_up, settle, value
from .test_config_flow import discover

pytestmark = pytest.mark.usefixtures("freezer")


async def choose(
    hass: HomeAssistant, service: Service, entry: MockConfigEntry, **options: str
) -> None:
    """Change options as a person does."""
    flow = await hass.config_entries.options.async_init(entry.entry_id)
    assert flow["type"] is FlowResultType.FORM
    flow = await hass.config_entries.options.async_configure(flow["flow_id"], options)
    assert flow["type"] is FlowResultType.CREATE_ENTRY
    await settle(hass, service)


async def test_lan_only(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await choose(hass, service, small, connection="lan")
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.small, "connection") == "lan"
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.small, "connection") == "unavailable"
    read = {request.name for request in service.cloud.requests}
    assert "dashboardInfo" not in read


async def test_cloud_only(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await choose(hass, service, small, connection="cloud")
    seen = len(service.small.requests)
    await advance(hass, service, freezer, 120, step=30)
    assert value(hass, "sensor", service.small, "connection") == "cloud"
    assert len(service.small.requests) == seen


async def test_cloud_only_where_the_network_tells_of_the_controller(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """What was announced does not get in the way of the first look at the cloud."""
    await discover(hass, service.small)
    await choose(hass, service, small, connection="cloud")
    assert small.state is ConfigEntryState.LOADED
    assert value(hass, "sensor", service.small, "connection") == "cloud"


@pytest.mark.parametrize(
    ("choice", "shown"), [("hold", "7.4"), ("unknown", "unknown"), ("raw", "8.2")]
)
async def test_readings_without_flow(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    choice: str,
    shown: str,
) -> None:
    """Held readings survive a restart into still water."""
    assert value(hass, "sensor", service.small, "ph") == "7.4"
    await choose(hass, service, small, readings_without_flow=choice)
    service.small.pool.switch(0, False)
    service.clock.advance(300)
    service.small.pool.water.ph = 8.2
    await advance(hass, service, freezer, 15)
    assert value(hass, "binary_sensor", service.small, "chemistry_stable") == "off"
    assert value(hass, "sensor", service.small, "ph") == shown
    await restart(hass, service, small)
    assert value(hass, "sensor", service.small, "ph") == shown


async def test_a_start_into_the_cloud_remembers_the_equipment(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """Its switches exist and say that their state is a guess."""
    service.cloud.not_offered.add("auxInfo")
    service.small.faults.on("refuse")
    await restart(hass, service, small)
    assert value(hass, "sensor", service.small, "connection") == "cloud"
    state = hass.states.get(entity_id(hass, "switch", service.small, "slot_2"))
    assert state is not None
    assert state.state == "unknown"
    assert state.attributes["assumed_state"] is True


async def test_memory_of_a_controller_that_is_gone(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    await set_up(hass, service, service.entry(*service.controllers))
    gone = entity_id(hass, "sensor", service.full, "ph")
    del service.account.sites[1:]
    await advance(hass, service, freezer, 3700)
    assert hass.states.get(gone) is None
