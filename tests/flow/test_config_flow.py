"""The config flow: every way to begin and every refusal, through the sign-in page."""

from dataclasses import replace
from ipaddress import ip_address
import logging

from aiohttp import web
from aiohttp.test_utils import TestServer
from homeassistant.components.application_credentials import (
    DATA_COMPONENT,
    ClientCredential,
    async_import_client_credential,
)
from homeassistant.config_entries import (
    SOURCE_DHCP,
    SOURCE_IGNORE,
    SOURCE_USER,
    SOURCE_ZEROCONF,
    ConfigEntryState,
    ConfigFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import ImplementationUnavailableError
from homeassistant.helpers.collection import DictStorageCollection
from homeassistant.helpers.discovery_flow import DiscoveryKey
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
import pytest
from yarl import URL

from custom_components.poolctl.application_credentials import (
    async_get_auth_implementation,
    service_address,
)
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.flow.forms import InvalidAddressError, normalise_address
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.assistant.service import CLIENT_ID, CLIENT_SECRET
from tests.world.simulator import Controller, Site
from tests.world.simulator.visitors import Announcement

pytestmark = pytest.mark.usefixtures("current_request_with_host")


async def start(home: Home, url: str) -> ConfigFlowResult:
    flow = await home.hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    assert flow["type"] is FlowResultType.FORM
    assert flow["step_id"] == "user"
    return await home.answer(flow, {"url": url})


async def hear(
    home: Home, announced: Announcement, **changes: str | None
) -> ConfigFlowResult:
    """Let Home Assistant receive an announcement, true or not."""
    hosts = (announced.host, *announced.other_hosts)
    texts = announced.text | changes
    info = ZeroconfServiceInfo(
        ip_address=ip_address(announced.host),
        ip_addresses=[ip_address(host) for host in hosts],
        hostname=announced.hostname,
        name=f"{announced.name}._ctrl._tcp.local.",
        port=announced.port,
        properties={name: text for name, text in texts.items() if text is not None},
        type="_ctrl._tcp.local.",
    )
    key = DiscoveryKey(domain=SOURCE_ZEROCONF, key=(info.type, info.name), version=1)
    return await home.hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_ZEROCONF, "discovery_key": key}, data=info
    )


async def discover(
    home: Home, controller: Controller, **changes: str | None
) -> ConfigFlowResult:
    announced = replace(Announcement.of(controller), name=controller.name)
    return await hear(home, announced, **changes)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://pool.example.com", "https://pool.example.com"),
        (" https://pool.example.com/ ", "https://pool.example.com"),
        ("https://pool.example.com:8443/cloud/", "https://pool.example.com:8443/cloud"),
        (
            "https://pool.example.com/api-gateway/v1/oauth/authorize?x=1#y",
            "https://pool.example.com",
        ),
        ("pool.example.com", "https://pool.example.com"),
        ("pool.example.com:8443/", "https://pool.example.com:8443"),
        ("http://127.0.0.1:8100", "http://127.0.0.1:8100"),
        ("http://localhost:8100", "http://localhost:8100"),
        ("http://192.168.1.5", "http://192.168.1.5"),
        ("http://[::1]:8100", "http://[::1]:8100"),
    ],
)
def test_addresses(text: str, address: str) -> None:
    assert normalise_address(text) == address


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "invalid_url"),
        ("https://", "invalid_url"),
        ("ftp://pool.example.com", "invalid_url"),
        ("https://user:secret@pool.example.com", "invalid_url"),
        ("https://pool.example.com:port", "invalid_url"),
        ("http://pool.example.com", "http_not_private"),
        ("http://8.8.8.8", "http_not_private"),
    ],
)
def test_refused_addresses(text: str, error: str) -> None:
    with pytest.raises(InvalidAddressError, match=error):
        normalise_address(text)


@pytest.mark.row(
    "3.1 row 1", "3.1 row 2", "4.1 row 1", "4.1 row 2", "5.1 rule 1", "5.1 rule 3"
)
async def test_by_hand(home: Home, sign_in: SignIn) -> None:
    """A wrong address is corrected in place; then the account is added."""
    home.cloud.faults.on("refuse")
    for text, error in (
        ("", "invalid_url"),
        ("http://8.8.8.8", "http_not_private"),
        (home.cloud.base_url, "cannot_connect"),
    ):
        flow = await start(home, text)
        assert flow["type"] is FlowResultType.FORM
        assert flow["errors"] == {"url": error}
    home.cloud.faults.clear()
    flow = await home.answer(flow, {"url": f"{home.cloud.base_url}/"})
    result = await sign_in(flow)
    await home.hass.async_block_till_done()

    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "Home, Beach"
    entry = result["result"]
    assert entry.state is ConfigEntryState.LOADED
    assert entry.unique_id == "user-1"
    assert entry.data["url"] == home.cloud.base_url
    assert home.source == "cloud"


async def elsewhere(request: web.Request) -> web.Response:
    """Answer as a router does, a captive portal, or the server of something else."""
    answers = {
        "/router": web.Response(text="<html>Log in</html>", status=401),
        "/portal": web.Response(status=302, headers={"Location": "/login"}),
        "/other": web.json_response({"message": "Not found"}, status=404),
        "/api": web.json_response({"data": []}),
    }
    return next(each for path, each in answers.items() if request.path.startswith(path))


async def test_what_answers_otherwise_is_not_the_service(
    home: Home, sign_in: SignIn
) -> None:
    """The address is asked for again, on the card of a controller, too."""
    card = await discover(home, home.controller)
    flow = await home.hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    flow = await home.answer(flow, {"device_id": "other"})
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", elsewhere)
    async with TestServer(app) as server:
        for path in ("router", "portal", "other", "api"):
            url = f"http://127.0.0.1:{server.port}/{path}"
            flow = await home.answer(flow, {"url": url})
            card = await home.answer(card, {"url": url})
            for each, step in ((flow, "user"), (card, "confirm")):
                assert (each["type"], each["step_id"]) == (FlowResultType.FORM, step)
                assert each["errors"] == {"url": "not_the_service"}
    result = await sign_in(await home.answer(card, {"url": home.cloud.base_url}))
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_discovered(home: Home, sign_in: SignIn) -> None:
    """Both pools are discovered; one sign-in adds both, on the LAN."""
    flow = await discover(home, home.controller)
    other = await discover(home, home.service.full)
    assert flow["step_id"] == other["step_id"] == "confirm"
    assert flow["description_placeholders"] == {
        "name": "Home pool",
        "host": "127.0.0.1",
        "firmware": home.controller.firmware,
        "example_url": "https://pool.example.com",
    }
    titles = {flow["context"]["title_placeholders"]["name"] for flow in home.flows}
    assert titles == {"Home pool", "Beach pool"}

    flow = await home.answer(flow, {"url": home.cloud.base_url})
    result = await sign_in(flow)
    await home.hass.async_block_till_done()

    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert not home.flows
    for controller in home.service.controllers:
        assert home.value("sensor", "connection", of=controller) == "lan"
        stored = result["result"].data["controllers"][controller.device_id]
        assert stored["port"] == controller.port


@pytest.mark.row("3.1 row 3", "3.1 row 4", "5.1 rule 2", "8 row 9")
@pytest.mark.parametrize("why", ["expired", "used"])
async def test_a_code_that_counts_no_more(
    home: Home, sign_in: SignIn, why: str
) -> None:

    def spoil(code: str) -> None:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": URL(flow["url"]).query["redirect_uri"],
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
        }
        if why == "expired":
            home.clock.advance(301)
        else:
            home.cloud.sign_ins.token(form)

    flow = await start(home, home.cloud.base_url)
    result = await sign_in(flow, before_return=spoil)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] in ("oauth_failed", "oauth_error", "oauth_unauthorized")
    assert not home.hass.config_entries.async_entries(DOMAIN)


@pytest.mark.row("4.1 rule 1")
async def test_state_mismatch_changes_nothing(home: Home, sign_in: SignIn) -> None:
    """An answer that was not asked for is refused, and the true one still works."""
    flow = await start(home, home.cloud.base_url)
    await sign_in(flow, state="forged")
    assert not home.hass.config_entries.async_entries(DOMAIN)
    result = await sign_in(flow)
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.row("5.1 rule 2", "7.1 rule 3")
async def test_credentials_refused(
    home: Home, sign_in: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "custom_components.poolctl")
    flow = await start(home, home.cloud.base_url)
    home.cloud.sign_ins.clients = {CLIENT_ID: "another secret"}
    assert (await sign_in(flow))["reason"] == "oauth_unauthorized"
    assert "No token (authorization_code): the service says HTTP 401" in caplog.text


@pytest.mark.parametrize("fault", ["error_500", "html", "failed", "unauthorized"])
async def test_account_unreadable(
    home: Home, sign_in: SignIn, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    """A debug log says why, as there is no entry with diagnostics."""
    caplog.set_level(logging.DEBUG, "custom_components.poolctl")
    flow = await start(home, home.cloud.base_url)
    home.cloud.faults.on(fault)
    result = await sign_in(flow)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "account_unreadable"
    assert not home.hass.config_entries.async_entries(DOMAIN)
    assert "The account cannot be read: " in caplog.text


async def test_no_controllers(home: Home, sign_in: SignIn) -> None:
    home.account.sites = [Site("Empty")]
    result = await sign_in(await start(home, home.cloud.base_url))
    assert result["reason"] == "no_controllers"


async def test_discovered_again_after_it_was_deleted(home: Home) -> None:
    """The entry keeps the names by which Home Assistant discovers them again."""
    entry = await home.set_up(*home.service.controllers)
    for controller in home.service.controllers:
        result = await discover(home, controller)
        assert result["reason"] == "already_configured"
    # Any host can announce our controller under many names.
    announced = Announcement.of(home.controller)
    for number in range(15):
        await hear(home, replace(announced, name=f"other {number}"))
    kept = [key.key[1] for key in entry.discovery_keys[SOURCE_ZEROCONF]]
    assert len(kept) == 10
    names = [f"{each.name}._ctrl._tcp.local." for each in home.service.controllers]
    assert kept[:2] == names


async def test_already_configured(home: Home, sign_in: SignIn) -> None:
    """Also while the account is not loaded."""
    home.service.entry(home.controller).add_to_hass(home.hass)
    for result in (
        await sign_in(await start(home, home.cloud.base_url)),
        await discover(home, home.controller),
    ):
        assert result["reason"] == "already_configured"
    # The known address is suggested for another account.
    flow = await discover(home, home.service.full)
    assert flow["data_schema"] is not None
    (field,) = flow["data_schema"].schema
    assert field.description == {"suggested_value": home.cloud.base_url}


async def test_which_announcements_become_a_card(
    home: Home, subtests: pytest.Subtests
) -> None:
    rows: list[tuple[dict[str, str | None], str | None]] = [
        ({"pv": "3"}, "unsupported_protocol"),
        ({"pv": None}, "unsupported_protocol"),
        ({"fw": "2.5.45"}, "unsupported_firmware"),
        ({"fw": "1.99.99"}, "unsupported_firmware"),
        ({"id": "something"}, "not_a_controller"),
        ({"id": None}, "not_a_controller"),
        ({"mac": None}, "not_a_controller"),
    ]
    rows += (({"fw": fw}, None) for fw in ("2.5.46", "2.10.0", "3.0.0", "beta"))
    for changes, reason in rows:
        with subtests.test(str(changes)):
            result = await discover(home, home.controller, **changes)
            assert result.get("reason") == reason
            assert bool(home.flows) is (reason is None)
            for flow in home.flows:
                assert flow["step_id"] == "confirm"
                home.hass.config_entries.flow.async_abort(flow["flow_id"])


async def test_ignored_discovery_stays_away(home: Home) -> None:
    await discover(home, home.controller)
    (shown,) = home.flows
    await home.hass.config_entries.flow.async_init(
        DOMAIN,
        context={"source": SOURCE_IGNORE},
        data={"unique_id": shown["context"]["unique_id"], "title": "Home pool"},
    )
    result = await discover(home, home.controller)
    assert result["reason"] == "already_configured"


async def test_dhcp_only_gives_addresses(small: Home) -> None:
    for mac in (small.controller.mac, "aabbcc000009"):
        result = await small.hass.config_entries.flow.async_init(
            DOMAIN,
            context={"source": SOURCE_DHCP},
            data=DhcpServiceInfo(
                ip="127.0.0.1", hostname="ctrl-000001", macaddress=mac
            ),
        )
        await small.hass.async_block_till_done(wait_background_tasks=True)
        assert result["reason"] == "already_configured"
        assert small.stored["port"] == small.controller.port


async def test_reauth(small: Home, sign_in: SignIn) -> None:
    small.cloud.revoke(small.account)
    flow = await small.entry.start_reauth_flow(small.hass)
    assert flow["step_id"] == "reauth_confirm"
    result = await sign_in(await small.answer(flow, {}))
    await small.hass.async_block_till_done(wait_background_tasks=True)
    assert result["reason"] == "reauth_successful"
    assert small.entry.state is ConfigEntryState.LOADED
    assert small.entry.data["url"] == small.cloud.base_url
    assert small.cloud.sign_ins.account(small.entry.data["token"]["access_token"])


async def another_client(home: Home) -> None:
    """Enter the credentials of another client, which the vendor gave instead."""
    home.cloud.clients["another"] = "secret"
    home.cloud.sign_ins.clients = {"another": "secret"}
    await async_import_client_credential(
        home.hass, DOMAIN, ClientCredential("another", "secret"), "another"
    )


async def test_the_vendor_gave_another_client(
    small: Home, sign_in: SignIn, subtests: pytest.Subtests
) -> None:
    """A sign-in offers the credentials that were entered since."""
    await another_client(small)
    reauth = await small.entry.start_reauth_flow(small.hass)
    for chosen, reason in (
        (DOMAIN, "oauth_unauthorized"),
        ("another", "reauth_successful"),
    ):
        flow = await small.answer(reauth, {})
        assert flow["step_id"] == "pick_implementation"
        flow = await small.answer(flow, {"implementation": chosen})
        assert (await sign_in(flow))["reason"] == reason
        if chosen == DOMAIN:
            reauth = await small.entry.start_reauth_flow(small.hass)
    await small.settle()
    assert small.entry.data["auth_implementation"] == "another"
    flow = await small.entry.start_reconfigure_flow(small.hass)
    flow = await small.answer(flow, {"next_step_id": "reconfigure_service"})
    flow = await small.answer(flow, {"url": small.cloud.base_url})
    assert flow["step_id"] == "pick_implementation"
    flow = await small.answer(flow, {"implementation": "another"})
    assert (await sign_in(flow))["reason"] == "reconfigure_successful"


async def test_credentials_that_are_lost(small: Home, sign_in: SignIn) -> None:
    """New ones are asked for; then the account has them, and a new sign-in."""
    credentials = small.hass.data[DATA_COMPONENT]
    for item in [*credentials.data]:
        await DictStorageCollection.async_delete_item(credentials, item)
    flow = await small.entry.start_reauth_flow(small.hass)
    flow = await small.answer(flow, {})
    assert flow["reason"] == "missing_credentials"
    await another_client(small)
    # The page of Home Assistant asks for them, and starts this flow.
    result = await sign_in(await start(small, small.cloud.base_url))
    assert result["reason"] == "already_configured"
    await small.settle()
    assert small.entry.data["auth_implementation"] == "another"
    token = small.entry.data["token"]["access_token"]
    assert small.cloud.sign_ins.account(token)
    assert set(small.entry.data["controllers"]) == {small.controller.device_id}


async def test_credentials_without_a_service(hass: HomeAssistant) -> None:
    credential = ClientCredential("id", "secret")
    with pytest.raises(ImplementationUnavailableError) as raised:
        await async_get_auth_implementation(hass, DOMAIN, credential)
    # An argument would be shown instead of Home Assistant's translated sentence.
    assert raised.value.translation_key == "oauth2_implementation_unavailable"
    assert raised.value.generate_message

    with service_address("https://pool.example.com"):
        found = await async_get_auth_implementation(hass, DOMAIN, credential)
    assert found.token_url.startswith("https://pool.example.com/")
