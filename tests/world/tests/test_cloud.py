"""The cloud service: signing in and the account (protocol.md 3.1, 3.3, 4.1, 5.1)."""

import base64
from collections.abc import AsyncGenerator
import json
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from tests.world.simulator import Account, Clock, Cloud, Controller, Pool, Site
from tests.world.simulator.visitor import CALLBACK, Visitor

pytestmark = pytest.mark.usefixtures("socket_enabled")


class Service(Visitor):
    """A cloud with two accounts, and a client of the first one."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        clock = Clock()
        self.full = Controller(pool=Pool.full(), clock=clock, name="Home")
        self.small = Controller(device_id="AA_BB_CC_00_00_02", clock=clock)
        self.other = Controller(device_id="AA_BB_CC_00_00_03", clock=clock)
        sites = [
            Site("Home", controllers=[self.full]),
            Site("Beach", "Kiama", "NSW", [self.small]),
        ]
        account = Account("me@example.com", "secret", "sub-1", name="Me", sites=sites)
        stranger = Account(
            "you@example.com", "x", sites=[Site("", "", "", [self.other])]
        )
        cloud = Cloud(clock=clock, accounts=[account, stranger])
        super().__init__(session, cloud, account, self.full)

    async def start(self) -> None:
        for controller in (self.full, self.small, self.other):
            await controller.start()
        await self.cloud.start()

    async def stop(self) -> None:
        await self.cloud.stop()
        for controller in (self.full, self.small, self.other):
            await controller.stop()
        assert self.clock.waiting == 0


@pytest.fixture
async def service() -> AsyncGenerator[Service]:
    async with aiohttp.ClientSession() as session:
        service = Service(session)
        await service.start()
        yield service
        await service.stop()


@pytest.fixture
async def signed_in(service: Service) -> Service:
    await service.sign_in()
    return service


# --- Signing in (protocol.md 3.1, 3.3, 4.1, 5.1) ----------------------------------


async def test_sign_in_page(service: Service) -> None:
    """The page has a form and a link to cancel (protocol.md 4.1 row 1)."""
    status, page = await service.get("/oauth/authorize", params=service.authorize)
    assert status == 200
    assert '<label for="email">' in page and 'type="password"' in page
    cancel = urlencode({"error": "access_denied", "state": "st&te"})
    assert f"{CALLBACK}?{cancel.replace('&', '&amp;')}" in page


async def test_the_redirect_carries_code_and_state(service: Service) -> None:
    """`Visitor.code` checks the state (protocol.md 3.1 row 1, 5.1 rule 1)."""
    first, second = await service.code(), await service.code()
    assert first and second and first != second


@pytest.mark.parametrize(
    "change", [{"client_id": "?"}, {"redirect_uri": "/x"}, {"response_type": "token"}]
)
async def test_requests_that_are_not_redirected(
    service: Service, change: dict[str, str]
) -> None:
    """A wrong request gets an error, not a redirect (protocol.md 5.1 rule 5)."""
    status, text = await service.get(
        "/oauth/authorize", params={**service.authorize, **change}
    )
    assert (status, text[:15]) == (400, "Cannot sign in:")
    form = {**service.authorize, **service.person, **change}
    status, _ = await service.post("/oauth/authorize", data=form)
    assert status == 400


async def test_wrong_password_shows_the_form_again(service: Service) -> None:
    form = {**service.authorize, **service.person, "password": "<wrong>"}
    status, page = await service.post("/oauth/authorize", data=form)
    assert status == 401
    assert 'role="alert"' in page and 'value="me@example.com"' in page
    assert "&lt;wrong&gt;" not in page and 'value="st&amp;te"' in page


async def test_tokens(service: Service) -> None:
    """An access token lasts a day (protocol.md 3.1 row 2, 4.1 row 2, 5.1 rule 3)."""
    tokens = await service.sign_in()
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 86400)
    assert tokens["scope"] == "profile"
    part = tokens["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    assert claims["sub"] == "sub-1" and claims["exp"] - claims["iat"] == 86400


async def test_a_code_counts_once(service: Service) -> None:
    """A used code is refused (protocol.md 3.1 row 4, 5.1 rule 2, 8 row 9)."""
    code = await service.code()
    assert (await service.redeem(code))[0] == 200
    status, body = await service.redeem(code)
    assert (status, body["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize(("seconds", "status"), [(295, 200), (301, 400)])
async def test_a_code_is_valid_for_5_minutes(
    service: Service, seconds: float, status: int
) -> None:
    """protocol.md 3.1 row 3, 8 row 9."""
    code = await service.code()
    service.clock.advance(seconds)
    assert (await service.redeem(code))[0] == status


@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        ({"client_secret": "wrong"}, 401, "invalid_client"),
        ({"client_id": "wrong"}, 401, "invalid_client"),
        ({"redirect_uri": "http://elsewhere"}, 400, "invalid_grant"),
        ({"code": "wrong"}, 400, "invalid_grant"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": "refresh_token", "refresh_token": "?"}, 400, "invalid_grant"),
    ],
)
async def test_token_errors(
    service: Service, change: dict[str, str], status: int, error: str
) -> None:
    """Each wrong field gets its error (protocol.md 5.1 rule 2, 7.1 rule 3)."""
    got, body = await service.redeem(await service.code(), **change)
    assert (got, body["error"]) == (status, error)


async def test_refresh_tokens_rotate(service: Service) -> None:
    """A refresh token can be used once (protocol.md 5.1 rule 6)."""
    first = await service.sign_in()
    status, second = await service.renew(first["refresh_token"])
    assert status == 200 and second["refresh_token"] != first["refresh_token"]
    assert (await service.renew(first["refresh_token"]))[0] == 400
    assert (await service.renew(second["refresh_token"]))[0] == 200
    token = second["access_token"]
    assert (await service.get("/user/sites", token=token))[0] == 200


@pytest.mark.parametrize(
    ("seconds", "access", "refresh"),
    [(86_395, 200, 200), (86_401, 401, 200), (30 * 86_400 + 1, 401, 400)],
)
async def test_token_lifetimes(
    service: Service, seconds: float, access: int, refresh: int
) -> None:
    """protocol.md 3.3 rule 1, 5.1 rule 3, 8 rows 10 and 11."""
    tokens = await service.sign_in()
    service.clock.advance(seconds)
    assert (await service.get("/user/sites"))[0] == access
    assert (await service.renew(tokens["refresh_token"]))[0] == refresh


async def test_login_without_a_browser(service: Service) -> None:
    """protocol.md 4.1 row 3, 4.1 rule 3."""
    status, body = await service.post("/auth/login", data=service.person)
    assert status == 200
    token = body["data"]["access_token"]
    assert (await service.get("/user/sites", token=token))[0] == 200
    status, body = await service.post("/auth/login", data={"email": "?"})
    assert (status, body["status"]) == (401, "FAILED")


# --- The account ------------------------------------------------------------------


async def test_sites(signed_in: Service) -> None:
    """Sites list their controllers and which are online (protocol.md 4.1 row 4)."""
    signed_in.small.cloud_link = False
    status, body = await signed_in.get("/user/sites")
    assert (status, body["status"]) == (200, "SUCCESS")
    home, beach = body["data"]["sites"]
    assert home.keys() == {"objectId", "name", "city", "state", "device_list"}
    assert (beach["name"], beach["city"], beach["state"]) == ("Beach", "Kiama", "NSW")
    (device,) = home["device_list"]
    assert device.keys() == {"objectId", "deviceId", "tag", "online"}
    assert (device["deviceId"], device["tag"]) == ("AA_BB_CC_0A_0B_0C", "Home")
    assert (device["online"], beach["device_list"][0]["online"]) == (True, False)
    data = (await signed_in.get("/user/deviceOnlineStatuses"))[1]["data"]
    assert [item["online"] for item in data["devices"]] == [True, False]


PATHS = [
    "/oauth/userinfo", "/user/sites", "/user/deviceOnlineStatuses",
    "/iot-shadow/device/AA_BB_CC_0A_0B_0C/dashboardInfo",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
async def test_a_bearer_token_is_needed(service: Service, path: str) -> None:
    """protocol.md 5.1 rule 4, 7.1 rule 4."""
    status, body = await service.get(path, token="wrong")
    assert (status, body["status"]) == (401, "FAILED")


async def test_envelope_key(signed_in: Service) -> None:
    """Only an owner gets the key (protocol.md 4.1 rules 5 and 6, 5.2 rule 3)."""

    async def key(device_id: str) -> tuple[int, Any]:
        path = f"/api-gateway/v2/iot-shadow/device/{device_id}/envelope-key"
        return await signed_in.call("GET", path)

    status, body = await key(signed_in.full.device_id)
    assert (status, body["data"]) == (200, {"key_hex": signed_in.full.key.hex()})
    assert (await key(signed_in.other.device_id))[0] == 403
    assert (await key("AA_BB_CC_99_99_99"))[0] == 403
    signed_in.full.firmware = "2.5.45"
    assert (await key(signed_in.full.device_id))[0] == 404


@pytest.mark.parametrize("form", ["aa_bb_cc_0a_0b_0c", "AA:BB:CC:0A:0B:0C", "AA_BB"])
async def test_form_of_a_device_id(signed_in: Service, form: str) -> None:
    path = f"/iot-shadow/device/{form}/dashboardInfo"
    assert (await signed_in.get(path))[0] == 400
