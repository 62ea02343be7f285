"""Changing the address of the service or of a controller by hand."""

from homeassistant.config_entries import ConfigEntryDisabler, ConfigFlowResult
from homeassistant.core import DOMAIN as HOMEASSISTANT_DOMAIN
from homeassistant.data_entry_flow import FlowResultType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.client.lan import split_address
from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.names import Names
from tests.world.simulator import Account

pytestmark = pytest.mark.usefixtures("current_request_with_host")


async def reconfigure(home: Home, step: str) -> ConfigFlowResult:
    flow = await home.entry.start_reconfigure_flow(home.hass)
    assert flow["type"] is FlowResultType.MENU
    return await home.answer(flow, {"next_step_id": step})


async def typed(
    home: Home, flow: ConfigFlowResult, host: str, port: int
) -> ConfigFlowResult:
    address = {"host": host, "port": port}
    return await home.answer(flow, {"device_id": home.controller.device_id, **address})


def filled_in(flow: ConfigFlowResult) -> dict[str, object]:
    assert flow["data_schema"] is not None
    return {
        str(field): field.description["suggested_value"]
        for field in flow["data_schema"].schema
        if field.description
    }


async def test_the_service_moved(small: Home, sign_in: SignIn) -> None:
    """The token is not sent to the new address before the user signs in there."""
    flow = await reconfigure(small, "reconfigure_service")
    address = small.cloud.base_url.replace("127.0.0.1", "localhost")
    small.cloud.requests.clear()
    flow = await small.answer(flow, {"url": address})
    assert [r.status for r in small.cloud.requests] == [401]
    result = await sign_in(flow)
    await small.settle()
    assert result["reason"] == "reconfigure_successful"
    assert small.entry.data["url"] == address
    assert set(small.entry.data["controllers"]) == {small.controller.device_id}


async def test_the_service_moved_to_another_account(
    small: Home, sign_in: SignIn
) -> None:
    other = Account("eve@example.com", "demo", sub="user-2")
    other.sites = small.account.sites
    small.cloud.accounts.append(other)
    flow = await reconfigure(small, "reconfigure_service")
    flow = await small.answer(flow, {"url": small.cloud.base_url})
    result = await sign_in(flow, "eve@example.com")
    assert result["reason"] == "wrong_account"


async def test_address_of_a_controller_by_hand(small: Home) -> None:
    """Only an address at which this controller answers is accepted."""
    await small.controller.move("127.0.0.1")
    flow = await reconfigure(small, "reconfigure_controller")
    for port, error in (
        (1, "controller_not_found"),
        (small.service.full.port, "another_controller"),
    ):
        flow = await typed(small, flow, " 127.0.0.1 ", port)
        assert flow["errors"] == {"host": error}
    result = await typed(small, flow, "127.0.0.1", small.controller.port)
    await small.settle()
    assert result["reason"] == "reconfigure_successful"
    # The text is one of Home Assistant's own.
    assert result["translation_domain"] == HOMEASSISTANT_DOMAIN
    assert small.stored["port"] == small.controller.port
    assert small.stored["by_hand"]
    assert small.source == "lan"


async def test_an_ipv6_address_by_hand(small: Home, own_ipv6: list[str]) -> None:
    """An address in brackets is accepted, and kept over a restart."""
    if "::1" not in own_ipv6:
        pytest.skip("this machine has no IPv6")
    await small.controller.move("::1")
    flow = await reconfigure(small, "reconfigure_controller")
    result = await typed(small, flow, " [::1] ", small.controller.port)
    assert result["reason"] == "reconfigure_successful"
    await small.settle()
    assert small.stored["host"] == "::1" and small.source == "lan"
    await small.restart()
    assert small.source == "lan"


async def test_the_address_of_today_is_shown(home: Home) -> None:
    """The form suggests the address in use, and not that of another account."""
    data = {"url": "https://other.example.com"}
    MockConfigEntry(
        domain=DOMAIN, data=data, disabled_by=ConfigEntryDisabler.USER
    ).add_to_hass(home.hass)
    home.own(home.controller)
    await home.set_up(home.controller)
    flow = await reconfigure(home, "reconfigure_service")
    assert filled_in(flow) == {"url": home.cloud.base_url}

    flow = await reconfigure(home, "reconfigure_controller")
    assert filled_in(flow) == {
        "device_id": home.controller.device_id,
        "host": "127.0.0.1",
        "port": home.controller.port,
    }


async def test_the_addresses_of_several_controllers_are_shown(home: Home) -> None:
    """The list shows them: a form cannot fill in an address after the choice."""
    await home.set_up(*home.service.controllers)
    flow = await reconfigure(home, "reconfigure_controller")
    assert filled_in(flow) == {}
    assert flow["data_schema"] is not None
    options = flow["data_schema"].schema["device_id"].config["options"]
    labels = {option["label"] for option in options}
    assert labels == {"Home pool (127.0.0.1)", "Beach pool (127.0.0.1)"}


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        (" 192.168.1.5 ", "192.168.1.5", None),
        ("http://192.168.1.5:8081/ctrl", "192.168.1.5", 8081),
        ("192.168.1.5:8080", "192.168.1.5", 8080),
        ("http://pool.local/?a=1:2", "pool.local", None),
        ("pool.local.", "pool.local", None),
        ("pool.local.:81#x", "pool.local", 81),
        ("fd00::5", "fd00::5", None),
        ("fe80::1%eth0", "fe80::1%eth0", None),
        ("[fe80::1%eth0]:8082", "fe80::1%eth0", 8082),
        ("http://[fe80::1%25eth0]/", "fe80::1%eth0", None),
    ],
)
def test_what_people_paste(text: str, host: str, port: int | None) -> None:
    assert split_address(text) == (host, port)


@pytest.mark.parametrize("when", ["before", "meanwhile", "all"])
async def test_a_controller_that_is_removed_meanwhile(home: Home, when: str) -> None:
    """The inventory may remove it while the form is open, or while it is tried."""
    await home.set_up(*home.service.controllers)
    account, device_id = home.entry.runtime_data, home.controller.device_id

    def remove() -> None:
        account.data = {k: v for k, v in account.data.items() if k != device_id}
        account._async_apply()

    flow = await reconfigure(home, "reconfigure_controller")
    if when == "meanwhile":
        recovery = account.controllers[device_id].recovery
        adopt = recovery.async_adopt_address

        async def adopted(host: str, port: int) -> None:
            remove()
            await adopt(host, port)

        recovery.async_adopt_address = adopted
    else:
        remove()
    result = await typed(home, flow, "127.0.0.1", home.controller.port)
    assert result["reason"] == "controller_gone"
    assert device_id not in account.data
    if when == "all":
        account.data = {}
        account._async_apply()
        result = await reconfigure(home, "reconfigure_controller")
        assert result["reason"] == "no_controllers"


WRONG = ("", "pool controller", "nobody.local", "a" * 300, "..", "[", "%")


async def test_an_address_that_leads_nowhere(
    small: Home, subtests: pytest.Subtests
) -> None:
    """The form shows an error, and nothing is changed; a port may be pasted with it."""
    await small.controller.move("127.0.0.1")
    before, port = dict(small.stored), small.controller.port
    flow = await reconfigure(small, "reconfigure_controller")
    for text in (*WRONG, *(f"127.0.0.1:{odd}" for odd in ("0", "99999", "x", "-1"))):
        with subtests.test(text[:20]):
            flow = await typed(small, flow, text, port)
            assert flow["errors"] == {"host": "controller_not_found"}
            assert small.stored == before
    # A port in the text is what the user typed, unlike the one in the next field.
    result = await typed(small, flow, f"http://127.0.0.1:{port}/", 8080)
    assert result["reason"] == "reconfigure_successful"
    assert small.stored["port"] == port


@pytest.mark.usefixtures("freezer")
async def test_a_name_instead_of_an_address(small: Home, names: Names) -> None:
    """It is resolved again with every poll, because its address may change or go."""
    names.addresses["pool.local"] = "127.0.0.1"
    flow = await reconfigure(small, "reconfigure_controller")
    result = await typed(small, flow, "http://pool.local./", small.controller.port)
    assert result["reason"] == "reconfigure_successful"
    assert small.stored["host"] == "pool.local"
    await small.advance(30, step=15)
    assert small.source == "lan"
    del names.addresses["pool.local"]
    await small.advance(60, step=15)
    assert small.source == "cloud"
    names.addresses["pool.local"] = "127.0.0.1"
    await small.advance(60, step=30)
    assert small.source == "lan"
    assert small.stored["host"] == "pool.local"


async def test_an_address_needs_a_key_and_a_running_account(small: Home) -> None:
    small.hass.config_entries.async_update_entry(
        small.entry, options={"connection": "cloud"}
    )
    await small.restart()
    flow = await reconfigure(small, "reconfigure_controller")
    flow = await typed(small, flow, "127.0.0.1", 8080)
    assert flow["errors"] == {"base": "no_key"}
    await small.unload()
    result = await reconfigure(small, "reconfigure_controller")
    assert result["reason"] == "not_loaded"
