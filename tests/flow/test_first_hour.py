"""A new user's way in: without credentials, and once they are stored.

A `Browser` does over HTTP what Home Assistant's page does: it opens a discovered card, asks
for credentials if there are none, and then begins a new flow.
"""

from typing import Any

from aiohttp.test_utils import TestClient
from homeassistant.components.websocket_api.const import URL as WEBSOCKET
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from yarl import URL

from custom_components.poolctl.const import DOMAIN
from tests.flow.test_config_flow import discover
from tests.world.assistant.fixtures import SignIn
from tests.world.assistant.home import Home
from tests.world.assistant.service import CLIENT_ID, CLIENT_SECRET, Service
from tests.world.simulator import Controller

type Json = dict[str, Any]

FLOWS = "/api/config/config_entries/flow"
PAGE = "https://ha.example:8443"
"""Address of Home Assistant in the user's browser."""
OTHER = "other"
STRANGER = Controller(device_id="AA_BB_CC_00_00_09", name="Next door")
"""A controller of somebody else, which does not answer."""


class Browser:
    def __init__(self, client: TestClient[Any, Any], token: str) -> None:
        self._client, self._token = client, token

    async def begin(self) -> Json:
        return await self._send("POST", FLOWS, {"handler": DOMAIN})

    async def open(self, flow_id: str) -> Json:
        """Open a card, or come back to a dialog."""
        return await self._send("GET", f"{FLOWS}/{flow_id}")

    async def submit(self, step: Json, **answers: str) -> Json:
        return await self._send("POST", f"{FLOWS}/{step['flow_id']}", answers)

    async def _send(self, method: str, path: str, data: Json | None = None) -> Json:
        headers = {"HA-Frontend-Base": PAGE}
        async with self._client.request(
            method, path, json=data, headers=headers
        ) as answer:
            assert answer.status == 200, await answer.text()
            found: Json = await answer.json()
            return found

    async def command(self, kind: str, **fields: object) -> Any:
        """Send a command over a websocket, which a browser opens with its origin."""
        async with self._client.ws_connect(WEBSOCKET, headers={"Origin": PAGE}) as ws:
            await ws.receive_json()
            await ws.send_json({"type": "auth", "access_token": self._token})
            assert (await ws.receive_json())["type"] == "auth_ok"
            await ws.send_json({"id": 1, "type": kind, **fields})
            answer = await ws.receive_json()
            assert answer["success"], answer
            return answer["result"]

    async def redirect_address(self) -> str:
        """Return the address that the dialog for credentials shows."""
        config = await self.command("application_credentials/config")
        placeholders = config["integrations"][DOMAIN]["description_placeholders"]
        (address,) = placeholders.values()
        return str(address)

    async def store_credentials(self) -> None:
        await self.command(
            "application_credentials/create",
            domain=DOMAIN,
            client_id=CLIENT_ID,
            client_secret=CLIENT_SECRET,
            name="From the vendor",
        )


@pytest.fixture
def newcomer(
    hass: HomeAssistant, service: Service, request: pytest.FixtureRequest
) -> Home:
    return Home(hass, service, request)


@pytest.fixture
async def browser(
    newcomer: Home, hass_client: ClientSessionGenerator, hass_access_token: str
) -> Browser:
    for component in ("application_credentials", "config"):
        assert await async_setup_component(newcomer.hass, component, {})
    return Browser(await hass_client(), hass_access_token)


def cards(home: Home) -> dict[str, str]:
    """Return the flows under *Discovered*, by the name on their card."""
    return {
        flow["context"]["title_placeholders"]["name"]: flow["flow_id"]
        for flow in home.flows
        if flow["context"]["source"] == "zeroconf"
    }


def missing(step: Json) -> bool:
    return (step["type"], step.get("reason")) == ("abort", "missing_credentials")


def choices(step: Json) -> dict[str, str]:
    (field,) = step["data_schema"]
    options = field["selector"]["select"]["options"]
    return {option["value"]: option["label"] for option in options}


async def sign_in_from(sign_in: SignIn, step: Json) -> Any:
    assert step["type"] == "external"
    return await sign_in({**step, "type": FlowResultType.EXTERNAL_STEP})


# Credentials before anything else


@pytest.mark.row("5.1 rule 5")
async def test_credentials_come_first_by_hand(
    newcomer: Home, browser: Browser, sign_in: SignIn
) -> None:
    """Nothing is requested before there are credentials, and nothing twice."""
    assert missing(await browser.begin())
    assert not newcomer.flows
    shown = await browser.redirect_address()
    assert shown == f"{PAGE}/auth/external/callback"
    await browser.store_credentials()

    step = await browser.begin()
    assert (step["type"], step["step_id"]) == ("form", "user")
    step = await browser.submit(step, url=newcomer.cloud.base_url)
    assert URL(step["url"]).query["redirect_uri"] == shown
    result = await sign_in_from(sign_in, step)
    await newcomer.hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_credentials_come_first_on_a_card(
    newcomer: Home, browser: Browser, sign_in: SignIn
) -> None:
    """The card survives the dialog, and the next flow is about its controller at once."""
    home = newcomer
    for controller in home.service.controllers:
        assert (await discover(home, controller))["step_id"] == "confirm"
    names = {"Home pool", "Beach pool"}
    changes: list[tuple[str, str]] = []
    home.hass.config_entries.flow.async_subscribe_flow(
        lambda change, changed: changes.append((change, changed))
    )
    for _ in range(2):  # the dialog for credentials is closed once
        changes.clear()
        flow_id = cards(home)["Home pool"]
        assert missing(await browser.open(flow_id))
        await home.hass.async_block_till_done()
        assert set(cards(home)) == names
        # An open page removes the old card before it adds the new one.
        assert changes == [("removed", flow_id), ("added", cards(home)["Home pool"])]
    await browser.store_credentials()

    step = await browser.begin()
    assert (step["type"], step["step_id"]) == ("form", "confirm_seen")
    assert step["description_placeholders"]["name"] == "Home pool"
    step = await browser.submit(step, url=home.cloud.base_url)
    result = await sign_in_from(sign_in, step)
    await home.hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert not home.flows


async def test_chosen_controller_must_be_the_accounts(
    newcomer: Home, browser: Browser, sign_in: SignIn
) -> None:
    """The flow that replaces a card still checks the card's controller."""
    await discover(newcomer, STRANGER)
    assert missing(await browser.open(cards(newcomer)["Next door"]))
    await browser.store_credentials()

    step = await browser.submit(await browser.begin(), url=newcomer.cloud.base_url)
    result = await sign_in_from(sign_in, step)
    assert result["reason"] == "not_owned"
    assert result["description_placeholders"]["name"] == "Next door"
    assert set(cards(newcomer)) == {"Next door"}


async def test_another_controller_than_those_that_were_found(
    newcomer: Home, browser: Browser, sign_in: SignIn
) -> None:
    """Cards may go while the list is open."""
    home = newcomer
    await discover(home, STRANGER)
    await browser.store_credentials()
    await discover(home, home.controller)
    step = await browser.begin()
    assert list(choices(step).items()) == [
        # Values that are reported without a key distinguish the controllers.
        (home.controller.device_id, "Home pool (127.0.0.1): pH 7.4, 26.4 °C"),
        (STRANGER.device_id, "Next door (127.0.0.1)"),
        (OTHER, OTHER),
    ]
    for flow_id in cards(home).values():
        home.hass.config_entries.flow.async_abort(flow_id)
    assert choices(await browser.open(step["flow_id"])) == {OTHER: OTHER}
    step = await browser.submit(step, device_id=OTHER)
    assert (step["type"], step["step_id"]) == ("form", "user")
    step = await browser.submit(step, url=home.cloud.base_url)
    result = await sign_in_from(sign_in, step)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_one_of_those_that_were_found(newcomer: Home, browser: Browser) -> None:
    await browser.store_credentials()
    await discover(newcomer, newcomer.controller)
    step = await browser.begin()
    step = await browser.submit(step, device_id=newcomer.controller.device_id)
    assert (step["type"], step["step_id"]) == ("form", "confirm_seen")
    assert step["description_placeholders"]["name"] == "Home pool"
