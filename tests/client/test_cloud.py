"""CloudClient against the simulated service (protocol.md 2 to 8, O5)."""

from base64 import urlsafe_b64encode
from contextlib import nullcontext
import json
from typing import Any

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.account import (
    account_id,
    authorize_url,
    probe,
    token_url,
)
from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.wire.cloud_answers import (
    Device,
    Inventory,
    parse_retry_after,
)
from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    EnvelopeError,
    ForbiddenError,
    NotOfferedError,
    PoolctlError,
    ProtocolError,
    ServiceError,
    UnreachableError,
)
from tests.client.conftest import KEY, RawServer, Service, set_pump, some_token

OTHER_ID = "AA_BB_CC_FF_FF_FF"


# Reads


@pytest.mark.row("4.1 row 4")
async def test_inventory(service: Service, cloud: CloudClient) -> None:
    service.full.cloud_link = False
    inventory = await cloud.inventory()
    assert inventory.devices == (
        Device(service.small.device_id, "Home pool", True, "Home"),
        Device(service.full.device_id, "Beach pool", False, "Beach"),
    )
    sites = [site.describe()["objectId"] for site in service.account.sites]
    assert inventory.site_ids == tuple(sites)


POOL = Device(OTHER_ID, "Pool", True, "")
BARE = Device(OTHER_ID, "", None, "")
GOOD = {"deviceId": OTHER_ID, "tag": "Pool", "online": True}


def listed(*devices: object, **more: object) -> dict[str, Any]:
    """Return a site with these devices."""
    return {"device_list": list(devices), **more}


BARE_IDS: list[dict[str, str | None]] = [{}, {"tag": None}, {"online": "seven"}]
ODD_IDS = ["aa_bb_cc_00_00_01", "../../../etc/passwd", 7]


@pytest.mark.parametrize(
    ("devices", "complete", "answers"),
    [
        ((), True, [[], [listed()]]),
        ((POOL, POOL), True, [[listed(GOOD), listed(GOOD)]]),
        ((BARE,), True, [[listed({"deviceId": OTHER_ID, **odd})] for odd in BARE_IDS]),
        ((), False, [None, {}, [7, None], [{"device_list": 7}, listed(7, None, {})]]),
        ((), False, [[listed({"deviceId": odd, "tag": "x"})] for odd in ODD_IDS]),
        ((POOL,), False, [[7, listed(GOOD)], [listed(7, GOOD)]]),
        ((POOL,), False, [[{"device_list": 7}, listed(GOOD)]]),
        ((POOL,), False, [[listed(GOOD), {"device_list": 7}]]),
        ((POOL,), False, [[listed(GOOD, device_count=2)]]),
    ],
)
async def test_what_of_an_inventory_is_understood(
    raw_cloud: CloudClient,
    raw: RawServer,
    devices: tuple[Device, ...],
    complete: bool,
    answers: list[object],
) -> None:
    """Readable entries count; an inventory is complete if nothing is missing."""
    for sites in answers:
        raw.say(200, json.dumps({"status": "SUCCESS", "data": {"sites": sites}}))
        found = await raw_cloud.inventory()
        assert (found.site_ids, found.devices) == ((), devices), sites
        assert found.complete is complete, sites


@pytest.mark.parametrize(
    ("more", "complete"),
    [
        ({"next": None, "total": 1}, True),
        ({"next": "/2"}, False),
        ({"count": 2}, False),
        ({"meta": {"hasMore": True}}, False),
    ],
)
async def test_whether_an_inventory_has_more(
    raw_cloud: CloudClient, raw: RawServer, more: dict[str, Any], complete: bool
) -> None:
    data = {"sites": [listed(GOOD)], **more}
    raw.say(200, json.dumps({"status": "SUCCESS", "data": data}))
    found = await raw_cloud.inventory()
    assert (found.devices, found.complete) == ((POOL,), complete)
    raw.say(200, '{"status": "SUCCESS", "data": {}}')
    assert not (await raw_cloud.inventory()).complete


@pytest.mark.row("4.1 rule 5", "4.1 rule 6")
async def test_envelope_key(service: Service, cloud: CloudClient) -> None:
    assert await cloud.envelope_key(service.small.device_id) == KEY
    service.small.firmware = "2.5.45"
    with pytest.raises(NotOfferedError):
        await cloud.envelope_key(service.small.device_id)
    with pytest.raises(ForbiddenError):
        await cloud.envelope_key(OTHER_ID)
    service.cloud.faults.on("empty")
    with pytest.raises(EnvelopeError):
        await cloud.envelope_key(service.full.device_id)


async def test_a_write(raw_cloud: CloudClient, raw: RawServer) -> None:
    """protocol.md 4.1 row 7."""
    raw.say(200, '{"status": "SUCCESS"}')
    await set_pump(raw_cloud, OTHER_ID, 3, True, 60)
    head, _, body = raw.requests[0].partition(b"\r\n\r\n")
    assert body == (
        b'{"aux_switch_state":1,"aux_type_code":31,"pump_speed":60,"aux_slot_num":3}'
    )
    text = head.decode()
    path = f"/api-gateway/v1/iot-shadow/device/{OTHER_ID}/setPumpInfo"
    assert text.startswith(f"POST {path} HTTP/1.1")
    assert "Authorization: Bearer token" in text
    assert "Content-Type: application/json" in text


async def test_user_id(session: ClientSession, raw: RawServer) -> None:
    """The address of the service may have a path."""
    base = f"http://127.0.0.1:{raw.port}/pool"
    for text, user_id in (('{"sub": 7}', "7"), ('{"email": "me@example.com"}', None)):
        raw.say(200, text)
        for url in (base, f"{base}/"):
            assert await CloudClient(session, url, some_token).user_id() == user_id
    for request in raw.requests:
        assert request.startswith(b"GET /pool/api-gateway/v1/oauth/userinfo HTTP")


@pytest.mark.row("4.1 row 1")
def test_where_to_sign_in() -> None:
    base = "https://pool.example"
    assert authorize_url(base) == f"{base}/api-gateway/v1/oauth/authorize"
    assert token_url(base) == f"{base}/api-gateway/v1/oauth/token"


# Errors


ANSWERS: dict[type[PoolctlError], list[tuple[int, str]]] = {
    CommandFailedError: [
        (200, '{"status": "FAILED", "message": "no"}'),
        (400, '{"status": "FAILED", "message": "no"}'),
        (400, '{"error": "invalid_grant"}'),
    ],
    ProtocolError: [
        *((400, "Bad request"), (302, ""), (200, ""), (200, "<html>"), (200, "[]")),
        *((200, '{"data": {"dashboard": {"actual'), (200, '{"status": "SUCCESS"}')),
        (200, '{"status": "SUCCESS", "data": []}'),
        (200, '{"data": {"dashboard": []}}'),
        (200, " " * (1024 * 1024 + 1)),
    ],
    AuthenticationError: [(401, "")],
    ForbiddenError: [(403, '{"message": "no"}')],
    NotOfferedError: [(404, "")],
    BusyError: [(429, "Too many requests, please try again later")],
    ServiceError: [(500, ""), (599, "[]")],
}


@pytest.mark.parametrize("error", ANSWERS)
async def test_answers(
    session: ClientSession, raw: RawServer, error: type[PoolctlError]
) -> None:
    for status, body in ANSWERS[error]:
        raw.say(status, body)
        # A new client, as it does not request again what is not offered.
        cloud = CloudClient(session, f"http://127.0.0.1:{raw.port}", some_token)
        with pytest.raises(PoolctlError) as caught:
            await cloud.dashboard(OTHER_ID)
        assert type(caught.value) is error, (status, body)


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 500])
async def test_no_text_names_a_controller_or_repeats_a_token(
    raw_cloud: CloudClient, raw: RawServer, status: int
) -> None:
    message = f"device {OTHER_ID}: no. " * 30
    for body in (json.dumps({"status": "FAILED", "message": message}), message):
        raw.say(status, body)
        with pytest.raises(PoolctlError) as caught:
            await raw_cloud.dashboard(OTHER_ID)
        assert OTHER_ID not in str(caught.value) and "AA_BB" not in str(caught.value)
        assert "Bearer" not in str(caught.value) and len(str(caught.value)) <= 200


@pytest.mark.row("7.1 row 1", "7.1 row 2", "7.1 row 3", "7.1 row 4", "7.1 rule 1")
@pytest.mark.parametrize(
    ("message", "header", "seconds"),
    [
        ("device busy: device X is cooling down after timeouts, retry after 5s", None, 5),
        ("retry after 10s", None, 10),
        ("retry after 1m0s", None, 60),
        ("retry after 2m30s", None, 150),
        ("retry after 1h0m1s", None, 300),
        ("retry after 7 s", None, 7),
        ("Retry After 7s", "60", 7),  # the message first
        ("retry after 2.5s", None, 2.5),
        ("retry after 0.5s", None, 0.5),
        ("retry after 1s", None, 1),
        ("retry after 0s", None, 5),
        ("Too many attempts, please try again later", "60", 60),
        ("Too many requests, please try again later", "60", 60),
        ("", " 60 ", 60),
        ("retry after a while", "60", 60),
        ("retry after a while", None, 5),
        ("device busy: too many pending commands", None, 5),
        ("", "Fri, 31 Dec 1999 23:59:59 GMT", 5),
        ("", "-1", 5),
        ("", "²", 5),
        ("retry after 500ms", None, 5),
    ],
)  # fmt: skip
def test_parse_retry_after(message: str, header: str | None, seconds: float) -> None:
    assert parse_retry_after(message, header) == seconds


# The service's address, and the identifier of the account


@pytest.mark.row("8 row 1")
async def test_probe(
    service: Service, session: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await probe(session, service.cloud.base_url)
    assert [(r.name, r.status) for r in service.cloud.requests] == [("sites", 401)]
    monkeypatch.setattr("custom_components.poolctl.client.account.CLOUD_TIMEOUT", 0.2)
    for fault in ("hang", "refuse"):
        service.cloud.faults.on(fault)
        with pytest.raises(UnreachableError):
            await probe(session, service.cloud.base_url)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("unauthorized", None),
        ("failed", None),
        ("rate_limited", None),
        ("html", ProtocolError),
        ("empty", ProtocolError),
        ("no_body", ProtocolError),
        ("error_503", ServiceError),
    ],
)
async def test_what_answers_like_the_service(
    service: Service,
    session: ClientSession,
    fault: str,
    error: type[PoolctlError] | None,
) -> None:
    service.cloud.faults.on(fault)
    with pytest.raises(error) if error else nullcontext():
        await probe(session, service.cloud.base_url)


def jwt(claims: Any) -> str:
    middle = urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{middle}.c2ln"


@pytest.mark.parametrize(
    ("token", "sites", "expected"),
    [
        (jwt({"sub": "claim"}), ("b", "a"), "claim"),
        (jwt({"sub": 7}), (), "7"),
        (jwt({"sub": "ü" * 3}), (), "üüü"),
        (jwt({"sub": "a\ud800\0b"}), (), "a b"),  # it becomes a unique ID
        (jwt({}), ("b", "a", "c"), "a"),
        (jwt({"sub": ""}), ("b",), "b"),
        (jwt(["sub"]), ("b",), "b"),
        (f"no header.{jwt({'sub': 'claim'}).split('.', 1)[1]}", ("b",), "b"),
        *(
            (opaque, ("b",), "b")
            for opaque in ("opaque", "a.b.c.d", "e30.%%%.x", "e30.ÿÿ.x", "e30.a.x")
        ),
        (f"e30.{urlsafe_b64encode(b'[' * 300_000).decode()}.x", ("b",), "b"),
        ("opaque", (), None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_account_id(token: str, sites: tuple[str, ...], expected: str | None) -> None:
    assert account_id(None, token, Inventory(sites, ())) == expected
    assert account_id("info", token, Inventory(sites, ())) == "info"
    assert account_id("", "", Inventory((), ())) is None
