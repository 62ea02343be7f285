"""What the judges write down of what the service says."""

from collections.abc import Callable, Mapping
import json

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.account import request_tokens
from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.cloud_answers import (
    Device,
    Inventory,
    check_write,
)
from custom_components.poolctl.client.evidence.cloud import CloudJudge
from custom_components.poolctl.client.evidence.ledger import (
    SERVICE,
    Bet,
    Evidence,
    Ledgers,
    new_ledgers,
)
from custom_components.poolctl.client.exceptions import (
    BusyError,
    NotOfferedError,
    PoolctlError,
    ServiceError,
    UnconfirmedError,
    UnreachableError,
)
from custom_components.poolctl.client.http import Response

from .conftest import RawServer, some_token

ID = "AA_BB_CC_00_00_01"
PATH = f"api/v1/user/device/{ID}"
DASHBOARD = dict.fromkeys(
    [
        "actual_ph",
        "actual_orp",
        "d_ph",
        "d_orp_mineral",
        "actual_pump_speed",
        "actual_flow_rate",
        "main_pump_status",
        "heater_state",
        "chemistry_stable",
        "actual_pressure",
        "ph_switch_status",
        "orp_switch_status",
        "solar_state",
        "spa_heater_state",
    ],
    0,
) | {"dry_run_status": 1}
DEVICE = Device(ID, "Home pool", online=True, site="Home")


@pytest.fixture
def ledgers() -> Ledgers:
    return new_ledgers()


@pytest.fixture
def judge(ledgers: Ledgers) -> CloudJudge:
    return CloudJudge(ledgers)


def say(status: int, body: object = None, **headers: str) -> Response:
    return Response(status, headers, json.dumps(body).encode())


def told(evidence: Evidence) -> dict[Bet, tuple[int, tuple[str, ...]]]:
    """Return how often each bet was confirmed, and what was seen instead or beside it."""
    return {
        bet: (one.confirmed, tuple(one.seen)) for bet, one in evidence.tallies.items()
    }


def raising(error: PoolctlError) -> Callable[[Response], None]:
    """Return a reader of answers that finds this error in them."""

    def read(response: Response) -> None:
        raise error

    return read


@pytest.mark.parametrize(
    ("body", "headers", "seen"),
    [
        ({"message": "retry after 5s"}, {}, None),
        ({"message": "Retry After 59s"}, {}, None),
        ({"message": "retry after 60s"}, {}, None),
        ({"message": "retry after 1m0s"}, {}, None),
        ({"message": "retry after 61s"}, {}, "message: 61s"),
        ({"message": "retry after 100s"}, {}, "message: 100s"),
        ({"message": "retry after 2h"}, {}, "message: 2h"),
        ({"message": "retry after 5s"}, {"Retry-After": "900"}, None),
        ({"message": "too many pending"}, {}, None),
        (None, {"Retry-After": "60"}, None),
        ({"message": "wait"}, {"Retry-After": "61"}, "header: 61"),
        ({}, {"Retry-After": " 1234567890123456789 "}, "header: 1234567890123456"),
        ({}, {"Retry-After": "Sun, 22 Nov 2026 10:00:00 GMT"}, "header: no number"),
        ({"message": None}, {}, "nothing"),
        ({}, {}, "nothing"),
    ],
)
def test_how_a_429_tells_when(
    ledgers: Ledgers,
    judge: CloudJudge,
    body: object,
    headers: Mapping[str, str],
    seen: str | None,
) -> None:
    with pytest.raises(BusyError):
        judge.reading("x", say(429, body, **headers), raising(BusyError("busy")))
    wanted = (0, (seen,)) if seen else (1, ())
    assert told(ledgers[SERVICE]) == {Bet.RETRY_AFTER: wanted}
    assert set(ledgers) == {SERVICE}


def test_what_is_read_is_handed_on(ledgers: Ledgers, judge: CloudJudge) -> None:
    answer = say(200, {"a": 1})
    assert judge.reading(f"{PATH}/pumpInfo", answer, Response.json) == {"a": 1}
    assert told(ledgers[SERVICE]) == {} and set(ledgers) == {SERVICE}


@pytest.mark.parametrize(
    ("endpoint", "error", "answer", "bet", "wanted"),
    [
        ("pumpInfo", NotOfferedError(""), (404,), Bet.CLOUD_READS, "pumpInfo: HTTP 404"),
        ("setAux", NotOfferedError(""), (404,), Bet.CLOUD_WRITES, "setAux: HTTP 404"),
        ("set-x", UnconfirmedError(""), (200, {"status": None}), Bet.WRITE_STATUS, "HTTP 200 null"),
        ("setAux", UnconfirmedError(""), (202, {}), Bet.WRITE_STATUS, "HTTP 202 missing"),
        ("setAux", UnconfirmedError(""), (200,), Bet.WRITE_STATUS, "HTTP 200 missing"),
        ("setAux", UnconfirmedError(""), (200, {"status": "OK"}), Bet.WRITE_STATUS, "HTTP 200 OK"),
        ("setAux", UnconfirmedError(""), (200, {"status": "a b"}), Bet.WRITE_STATUS, "HTTP 200 something else"),
        ("setAux", UnconfirmedError(""), (200, {"status": "x" * 21}), Bet.WRITE_STATUS, "HTTP 200 something else"),
        ("setAux", UnconfirmedError(""), (200, {"status": 7}), Bet.WRITE_STATUS, "HTTP 200 something else"),
        ("dashboardInfo", ServiceError(""), (504,), Bet.SILENCE, None),
        ("dashboardInfo", ServiceError(""), (502,), Bet.SILENCE, "HTTP 502"),
        ("dashboardInfo", ServiceError(""), (300,), Bet.SILENCE, "HTTP 300"),
        ("dashboardInfo", ServiceError(""), (200,), Bet.SILENCE, "HTTP 200 FAILED"),
    ],
)  # fmt: skip
def test_errors(
    ledgers: Ledgers,
    judge: CloudJudge,
    endpoint: str,
    error: PoolctlError,
    answer: tuple[int, object],
    bet: Bet,
    wanted: str | None,
) -> None:
    with pytest.raises(type(error)):
        judge.reading(f"{PATH}/{endpoint}", say(*answer), raising(error))
    assert told(ledgers[ID]) == {bet: (0, (wanted,)) if wanted else (1, ())}
    assert told(ledgers[SERVICE]) == {}


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("api/v1/user/sites", NotOfferedError("")),
        (f"api/v1/user/device/{ID}", NotOfferedError("")),
        (f"api/v1/user/device/{ID.lower()}/pumpInfo", NotOfferedError("")),
        (f"{PATH}/pumpInfo", UnreachableError("")),
    ],
)
def test_what_tells_nothing(
    ledgers: Ledgers, judge: CloudJudge, path: str, error: PoolctlError
) -> None:
    with pytest.raises(type(error)):
        judge.reading(path, say(404), raising(error))
    assert not any(evidence.tallies for evidence in ledgers.values())


@pytest.mark.parametrize(("status", "seen"), [(200, ()), (201, ("HTTP 201 SUCCESS",))])
def test_a_write_that_was_done(
    ledgers: Ledgers, judge: CloudJudge, status: int, seen: tuple[str, ...]
) -> None:
    judge.reading(f"{PATH}/setAux", say(status, {"status": "SUCCESS"}), check_write)
    assert told(ledgers[ID]) == {
        Bet.CLOUD_WRITES: (1, ()),
        Bet.WRITE_STATUS: (0 if seen else 1, seen),
    }
    judge.reading("api/v1/elsewhere", say(200, {"status": "SUCCESS"}), check_write)
    assert set(ledgers) == {SERVICE, ID} and told(ledgers[SERVICE]) == {}


@pytest.mark.parametrize(
    ("refused", "newer", "wanted"),
    [
        (401, 200, (1, ())),
        (403, 299, (0, ("HTTP 403",))),
        (401, 300, None),
        (403, 401, None),
    ],
)
def test_a_token_that_was_renewed(
    ledgers: Ledgers,
    judge: CloudJudge,
    refused: int,
    newer: int,
    wanted: tuple[int, tuple[str, ...]] | None,
) -> None:
    """Only where the new one is taken was it the old one that was refused."""
    judge.renewed(say(refused), say(newer))
    assert told(ledgers[SERVICE]) == ({Bet.DEAD_ACCESS: wanted} if wanted else {})


def test_fields_of_a_dashboard(ledgers: Ledgers, judge: CloudJudge) -> None:
    judge.dashboard(ID, DASHBOARD)
    evidence = ledgers[ID]
    assert told(evidence) == {
        Bet.DASHBOARD_FIELDS: (1, ()),
        Bet.DRY_RUN_STATUS: (1, ()),
    }
    judge.dashboard(ID, DASHBOARD | {"zone": 1, "dry_run_status": 0, "aa1122": 1})
    fields = ("a name of 6 characters", "zone")
    assert told(evidence) == {
        Bet.DASHBOARD_FIELDS: (2, fields),
        Bet.DRY_RUN_STATUS: (1, ("0",)),
    }
    judge.dashboard(ID, {})
    tally = evidence.tallies[Bet.DASHBOARD_FIELDS]
    assert (tally.confirmed, tally.contradicted) == (2, 1)
    assert "without actual_ph" in tally.seen
    assert evidence.tallies[Bet.DRY_RUN_STATUS].confirmed == 1


@pytest.mark.parametrize(
    ("online", "changed", "wanted"),
    [
        (None, False, (0, ("not told",))),
        (True, True, (1, ())),
        (True, False, (1, ())),
        (False, False, (1, ())),
        (False, True, (0, ("offline, and the dashboard changes",))),
    ],
)
def test_what_online_means(
    ledgers: Ledgers,
    judge: CloudJudge,
    online: bool | None,
    changed: bool,
    wanted: tuple[int, tuple[str, ...]],
) -> None:
    judge.reached(ID, online, changed=changed)
    assert told(ledgers[ID]) == {Bet.ONLINE: wanted}


@pytest.mark.parametrize(
    ("endpoint", "data", "seen"),
    [
        ("pumpInfo", {"pump": {}}, ()),
        ("pumpInfo", {}, ("pumpInfo without pump",)),
        ("elsewhere", {}, ()),
        ("scheduleInfo", {"scheduleInfo": {"schedules": [{"schedule_num": 1}]}}, ()),
        (
            "scheduleInfo",
            {"scheduleInfo": {"schedules": [{"schedule_num": 0}, {}]}},
            ("scheduleInfo a number below 1",),
        ),
        ("pumpInfo", {"pump": 1, "schedules": [{"schedule_num": 0}]}, ()),
        ("scheduleInfo", {}, ("scheduleInfo without scheduleInfo",)),
    ],
)
def test_data_of_reads(
    ledgers: Ledgers,
    judge: CloudJudge,
    endpoint: str,
    data: dict[str, object],
    seen: tuple[str, ...],
) -> None:
    judge.read(ID, endpoint, data)
    assert told(ledgers[ID]) == {Bet.CLOUD_READS: (0 if seen else 1, seen)}


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ({"key_hex": "0123456789abcdefABCDEF0123456789"}, ()),
        ({"key_hex": "0" * 31}, ("key_hex: 31 characters",)),
        ({"key_hex": "g" * 32}, ("key_hex: 32 characters",)),
        ({"key": "0" * 32, "id": 7}, ("key: 32 characters",)),
        ({"key_hex": 7}, ("no text",)),
        ({}, ("no text",)),
    ],
)
def test_the_form_of_a_key(
    ledgers: Ledgers, judge: CloudJudge, data: dict[str, object], seen: tuple[str, ...]
) -> None:
    judge.key(ID, data)
    assert told(ledgers[ID]) == {Bet.KEY_FORM: (0 if seen else 1, seen)}


def test_whether_a_write_is_seen_in_time(ledgers: Ledgers, judge: CloudJudge) -> None:
    seen = judge.copied(ID)
    seen(True)
    assert told(ledgers[ID]) == {Bet.COPY_AGE: (1, ())}
    seen(False)
    assert told(ledgers[ID]) == {Bet.COPY_AGE: (1, ("not shown after 35 s",))}


@pytest.mark.parametrize(
    ("inventory", "seen"),
    [
        (Inventory(("s",), (DEVICE,)), ()),
        (Inventory((), ()), ("empty",)),
        (Inventory((), (DEVICE,), complete=False), ("a part is not understood",)),
        (Inventory((), (), complete=False), ("a part is not understood", "empty")),
    ],
)
def test_inventories(
    ledgers: Ledgers, judge: CloudJudge, inventory: Inventory, seen: tuple[str, ...]
) -> None:
    judge.inventory(inventory)
    assert told(ledgers[SERVICE]) == {Bet.INVENTORY: (0 if seen else 1, seen)}


@pytest.mark.parametrize(
    ("status", "body", "wanted"),
    [
        (200, {"sub": "7"}, (1, ())),
        (200, {}, (0, ("without sub",))),
        (404, None, (0, ("NotOfferedError",))),
    ],
)
async def test_who_the_account_is(
    raw: RawServer,
    session: ClientSession,
    status: int,
    body: object,
    wanted: tuple[int, tuple[str, ...]],
) -> None:
    raw.say(status, json.dumps(body))
    cloud = CloudClient(session, f"http://127.0.0.1:{raw.port}", some_token)
    await cloud.user_id()
    assert told(cloud.ledgers[SERVICE])[Bet.USERINFO] == wanted


async def test_the_key_of_which_controller(
    raw: RawServer, session: ClientSession
) -> None:
    raw.say(200, json.dumps({"data": {"key_hex": "0" * 32}}))
    cloud = CloudClient(session, f"http://127.0.0.1:{raw.port}", some_token)
    await cloud.envelope_key(ID)
    assert told(cloud.ledgers[ID])[Bet.KEY_FORM] == (1, ())


@pytest.mark.parametrize(
    ("grant", "status", "body", "wanted"),
    [
        ("refresh_token", 200, {"access_token": "a", "refresh_token": "b"}, {Bet.ROTATION: (1, ())}),
        ("refresh_token", 200, {"access_token": "a"}, {Bet.ROTATION: (0, ("none came",))}),
        ("authorization_code", 200, {"access_token": "a"}, {}),
        ("refresh_token", 400, {}, {Bet.REFUSED_GRANT: (1, ())}),
        ("refresh_token", 401, {}, {Bet.REFUSED_GRANT: (1, ())}),
        ("authorization_code", 403, {}, {Bet.REFUSED_GRANT: (0, ("HTTP 403",))}),
        ("refresh_token", 200, {}, {Bet.REFUSED_GRANT: (0, ("HTTP 200",))}),
        ("refresh_token", 500, {}, {}),
    ],
)  # fmt: skip
async def test_what_the_token_endpoint_says(
    raw: RawServer,
    session: ClientSession,
    grant: str,
    status: int,
    body: object,
    wanted: dict[Bet, tuple[int, tuple[str, ...]]],
) -> None:
    raw.say(status, json.dumps(body))
    evidence = Evidence()
    address = f"http://127.0.0.1:{raw.port}/token"
    try:
        await request_tokens(session, address, {"grant_type": grant}, evidence)
    except PoolctlError:
        assert status != 200 or not body
    assert told(evidence) == wanted
    head = raw.requests[0].decode()
    assert "content-type: application/x-www-form-urlencoded" in head.lower()
