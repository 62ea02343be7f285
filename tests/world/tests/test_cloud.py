"""The cloud service: signing in, the account, and device endpoints (protocol.md O5)."""

import base64
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.world.simulator.visitor import CALLBACK, Visitor

pytestmark = pytest.mark.usefixtures("socket_enabled")


# --- Signing in (protocol.md 3.1, 3.3, 4.1, 5.1) ----------------------------------


@pytest.mark.row("4.1 row 1")
async def test_sign_in_page(service: Visitor) -> None:
    """The page has a form and a link to cancel."""
    status, page = await service.get("/oauth/authorize", params=service.authorize)
    assert status == 200
    assert '<label for="email">' in page and 'type="password"' in page
    cancel = urlencode({"error": "access_denied", "state": "st&te"})
    assert f"{CALLBACK}?{cancel.replace('&', '&amp;')}" in page
    form = {**service.authorize, **service.person, "password": "<wrong>"}
    status, page = await service.post("/oauth/authorize", data=form)  # again
    assert status == 401
    assert 'role="alert"' in page and 'value="me@example.com"' in page
    assert "&lt;wrong&gt;" not in page and 'value="st&amp;te"' in page


@pytest.mark.row("5.1 rule 5")
@pytest.mark.parametrize(
    "change", [{"client_id": "?"}, {"redirect_uri": "/x"}, {"response_type": "token"}]
)
async def test_requests_that_are_not_redirected(
    service: Visitor, change: dict[str, str]
) -> None:
    """A wrong request gets an error, not a redirect."""
    wrong = service.authorize | change
    status, text = await service.get("/oauth/authorize", params=wrong)
    assert (status, text[:15]) == (400, "Cannot sign in:")
    status, _ = await service.post("/oauth/authorize", data=wrong | service.person)
    assert status == 400


@pytest.mark.row(
    "3.1 row 1",
    "3.1 row 2",
    "3.1 row 3",
    "3.1 row 4",
    "5.1 rule 1",
    "5.1 rule 2",
    "8 row 9",
)
async def test_a_code_counts_once_and_for_5_minutes(service: Visitor) -> None:
    """`Visitor.code` checks the state of the redirect."""
    first, second = await service.code(), await service.code()
    assert first != second
    service.clock.advance(295)
    assert (await service.redeem(first))[0] == 200
    status, body = await service.redeem(first)
    assert (status, body["error"]) == (400, "invalid_grant")
    service.clock.advance(6)
    assert (await service.redeem(second))[0] == 400


@pytest.mark.row("4.1 row 2", "5.1 rule 3", "5.1 rule 6")
async def test_tokens(service: Visitor) -> None:
    """An access token lasts a day, a refresh token counts once."""
    tokens = await service.sign_in()
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 86400)
    assert tokens["scope"] == "profile"
    part = tokens["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    assert claims["sub"] == "sub-1" and claims["exp"] - claims["iat"] == 86400
    status, renewed = await service.renew(tokens["refresh_token"])
    assert status == 200 and renewed["refresh_token"] != tokens["refresh_token"]
    assert (await service.renew(tokens["refresh_token"]))[0] == 400
    assert (await service.renew(renewed["refresh_token"]))[0] == 200
    token = renewed["access_token"]
    assert (await service.get("/user/sites", token=token))[0] == 200


@pytest.mark.row("5.1 rule 2", "7.1 rule 3")
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
    service: Visitor, change: dict[str, str], status: int, error: str
) -> None:
    """Each wrong field gets its error."""
    got, body = await service.redeem(await service.code(), **change)
    assert (got, body["error"]) == (status, error)


@pytest.mark.row("3.3 rule 1", "5.1 rule 3", "8 row 10", "8 row 11")
@pytest.mark.parametrize(
    ("seconds", "access", "refresh"),
    [(86_395, 200, 200), (86_401, 401, 200), (30 * 86_400 + 1, 401, 400)],
)
async def test_token_lifetimes(
    service: Visitor, seconds: float, access: int, refresh: int
) -> None:
    tokens = await service.sign_in()
    service.clock.advance(seconds)
    assert (await service.get("/user/sites"))[0] == access
    assert (await service.renew(tokens["refresh_token"]))[0] == refresh


@pytest.mark.row("4.1 row 3", "4.1 rule 3")
async def test_login_without_a_browser(service: Visitor) -> None:
    status, body = await service.post("/auth/login", data=service.person)
    assert status == 200
    token = body["data"]["access_token"]
    assert (await service.get("/user/sites", token=token))[0] == 200
    status, body = await service.post("/auth/login", data={"email": "?"})
    assert (status, body["status"]) == (401, "FAILED")


# --- The account ------------------------------------------------------------------


@pytest.mark.row("4.1 row 4")
async def test_sites(signed_in: Visitor) -> None:
    """Sites list their controllers and which are online."""
    signed_in.account.controllers[1].cloud_link = False
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


@pytest.mark.row("5.1 rule 4", "7.1 rule 4")
async def test_a_bearer_token_is_needed(service: Visitor) -> None:
    device = service.device("dashboardInfo")
    user = "/user/sites", "/user/deviceOnlineStatuses"
    for path in ("/oauth/userinfo", *user, device):
        status, body = await service.get(path, token="wrong")
        assert (status, body["status"]) == (401, "FAILED")


@pytest.mark.row("4.1 rule 5", "4.1 rule 6", "5.2 rule 3")
async def test_envelope_key(signed_in: Visitor) -> None:
    """Only an owner gets the key."""

    async def key(device_id: str) -> tuple[int, Any]:
        path = f"/api-gateway/v2/iot-shadow/device/{device_id}/envelope-key"
        return await signed_in.call("GET", path)

    full, stranger = signed_in.controller, signed_in.cloud.accounts[1]
    status, body = await key(full.device_id)
    assert (status, body["data"]) == (200, {"key_hex": full.key.hex()})
    assert (await key(stranger.controllers[0].device_id))[0] == 403
    assert (await key("AA_BB_CC_99_99_99"))[0] == 403
    full.firmware = "2.5.45"
    assert (await key(full.device_id))[0] == 404


# --- Device endpoints (protocol.md O5) ----------------------------------------------


@pytest.mark.row("4.1 row 6")
async def test_dashboard(signed_in: Visitor) -> None:
    """The dashboard has the published values."""
    dashboard = (await signed_in.read("dashboardInfo"))["dashboard"]
    published = {
        "actual_ph": 74, "actual_orp": 655, "d_ph": 74, "d_orp_mineral": 650,
        "actual_pump_speed": 75, "actual_flow_rate": 300, "main_pump_status": 1,
        "heater_state": True, "chemistry_stable": True,
    }  # fmt: skip
    assert published.items() <= dashboard.items()
    for form in ("aa_bb_cc_0a_0b_0c", "AA:BB:CC:0A:0B:0C", "AA_BB"):
        path = f"/iot-shadow/device/{form}/dashboardInfo"
        assert (await signed_in.get(path))[0] == 400


SHAPES = {
    "pumpInfo pump": "pump_type pump_brand pump_model motor_status actual_flowrate"
    " actual_speed pump_cooldown pump_cooldown_left",
    "auxInfo manual": "pump_devices pump_linked_devices spa_devices spa other_devices",
    "chemistryCard chemistry": "ph_value orp_value desire_ph_value desire_orp_value",
    "chemistryCard phSettings": "desired_ph_level acid_drum_volume"
    " remain_acid_volume ph_dosing current_dose_today",
    "chemistryCard chlorineSettings": "desired_orp_level_mineral"
    " desired_orp_level_liquid orp_controlled chlorine_drum_volume"
    " remain_chlorine_volume current_dose_today liquid_chlorine_dosing",
    "ambientTemp ambientTemp": "water_temp ambient_temp",
    "scheduleInfo scheduleInfo": "schedules",
}
"""Keys of each part of a read."""


@pytest.mark.row("4.1 rule 5")
async def test_shape(service: Visitor) -> None:
    """Each read has its documented parts and keys."""
    service.clock.speed = 50
    await service.sign_in()
    for read, keys in SHAPES.items():
        name, part = read.split()
        assert {*keys.split()} <= (await service.read(name))[part].keys(), read


PUMP = {
    "aux_switch_state": 1, "aux_type_code": 31, "pump_speed": 60, "aux_slot_num": 0
}  # fmt: skip


@pytest.mark.row("4.1 row 7", "4.1 rule 2")
async def test_writes_reach_the_pool(service: Visitor) -> None:
    service.clock.speed = 50
    await service.sign_in()
    for name, body in (
        ("setPumpInfo", PUMP),
        ("manualSet", {"aux_switch_state": 1, "aux_type_code": 1, "aux_slot_num": 3}),
        ("setPhSettings", {"desired_ph_level": 72, "ph_dosing": True}),
        ("setChlorineSettings", {"desired_orp_level_mineral": 700}),
    ):
        assert (await service.write(name, body))[1]["status"] == "SUCCESS"
    service.clock.advance(1.1)
    pool = service.controller.pool
    assert (pool.pump.mode, pool.pump.speed, pool.slots[3].on) == (99, 60, True)
    assert (pool.settings["desired_ph"], pool.settings["acid_drum"]) == (72, 0)
    assert pool.settings["desired_orp_mineral"] == 700
    # They are JSON with integers (protocol.md 2.6).
    path, text = service.device("setPumpInfo"), json.dumps(PUMP)
    assert (await service.post(path, data=text))[0] == 400  # text/plain
    for name in ("aux_switch_state", "pump_speed"):
        _, answer = await service.write("setPumpInfo", PUMP | {name: True})
        assert answer["status"] == "FAILED"
