"""Another address of the service or of a controller, given by hand."""

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.simulator import Account

from .conftest import Service, SignIn, settle, value

pytestmark = pytest.mark.usefixtures("current_request_with_host")


async def reconfigure(
    hass: HomeAssistant, entry: MockConfigEntry, step: str
) -> ConfigFlowResult:
    """Choose what has another address."""
    flow = await entry.start_reconfigure_flow(hass)
    assert flow["type"] is FlowResultType.MENU
    return await hass.config_entries.flow.async_configure(
        flow["flow_id"], {"next_step_id": step}
    )


async def test_the_service_moved(
    hass: HomeAssistant, service: Service, small: MockConfigEntry, sign_in: SignIn
) -> None:
    """The token is not shown to the new address before somebody signs in there."""
    flow = await reconfigure(hass, small, "reconfigure_service")
    address = service.cloud.base_url.replace("127.0.0.1", "localhost")
    seen = len(service.cloud.requests)
    flow = await hass.config_entries.flow.async_configure(
        flow["flow_id"], {"url": address}
    )
    assert [r.status for r in service.cloud.requests[seen:]] == [401]
    result = await sign_in(flow)
    await settle(hass, service)
    assert result["reason"] == "reconfigure_successful"
    assert small.data["url"] == address
    assert set(small.data["controllers"]) == {service.small.device_id}


async def test_the_service_moved_to_another_account(
    hass: HomeAssistant, service: Service, small: MockConfigEntry, sign_in: SignIn
) -> None:
    other = Account("eve@example.com", "demo", sub="user-2")
    other.sites = service.account.sites
    service.cloud.accounts.append(other)
    flow = await reconfigure(hass, small, "reconfigure_service")
    flow = await hass.config_entries.flow.async_configure(
        flow["flow_id"], {"url": service.cloud.base_url}
    )
    result = await sign_in(flow, "eve@example.com")
    assert result["reason"] == "wrong_account"


async def test_address_of_a_controller_by_hand(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """Nothing there, then another controller, then the right one."""
    await service.small.move("127.0.0.1")
    flow = await reconfigure(hass, small, "reconfigure_controller")
    for port, error in (
        (1, "controller_not_found"),
        (service.full.port, "another_controller"),
    ):
        flow = await hass.config_entries.flow.async_configure(
            flow["flow_id"],
            {
                "device_id": service.small.device_id,
                "host": " 127.0.0.1 ",
                "port": port,
            },
        )
        assert flow["errors"] == {"host": error}
    result = await hass.config_entries.flow.async_configure(
        flow["flow_id"],
        {
            "device_id": service.small.device_id,
            "host": "127.0.0.1",
            "port": service.small.port,
        },
    )
    await settle(hass, service)
    assert result["reason"] == "reconfigure_successful"
    stored = small.data["controllers"][service.small.device_id]
    assert stored["port"] == service.small.port
    assert value(hass, "sensor", service.small, "connection") == "lan"


async def test_address_by_hand_without_a_key(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    hass.config_entries.async_update_entry(small, options={"connection": "cloud"})
    await hass.config_entries.async_reload(small.entry_id)
    flow = await reconfigure(hass, small, "reconfigure_controller")
    flow = await hass.config_entries.flow.async_configure(
        flow["flow_id"],
        {"device_id": service.small.device_id, "host": "127.0.0.1", "port": 8080},
    )
    assert flow["errors"] == {"base": "no_key"}


async def test_address_by_hand_needs_a_running_account(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    await hass.config_entries.async_unload(small.entry_id)
    result = await reconfigure(hass, small, "reconfigure_controller")
    assert result["reason"] == "not_loaded"
