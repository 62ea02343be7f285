"""Evidence for the assumptions about the cloud service."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
import json
import sys

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.account import request_tokens
from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.cloud_answers import parse_inventory
from custom_components.poolctl.client.exceptions import (
    BusyError,
    NotOfferedError,
    PoolctlError,
    ServiceError,
    UnconfirmedError,
    UnreachableError,
)
from custom_components.poolctl.client.facts import (
    SERVICE,
    AccessRenewed,
    CloudRequest,
    Fact,
    InventoryRead,
    Online,
    WriteShown,
)
from custom_components.poolctl.client.http import Response
from custom_components.poolctl.client.json_values import Answer, object_of
from custom_components.poolctl.client.pool.from_cloud import (
    merge_chemistry,
    merge_dashboard,
    merge_schedule_info,
    merge_slots,
)
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.observed.evidence import Assumption, Evidence
from custom_components.poolctl.observed.observers import Observers

from .conftest import RawServer, some_token

ID = "AA_BB_CC_00_00_01"
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
type Told = dict[Assumption, tuple[int, tuple[str, ...]]]


def say(status: int, body: object = None, **headers: str) -> Response:
    return Response(status, headers, json.dumps(body).encode())


def told(evidence: Evidence) -> Told:
    """Return the confirmations and the other observations of each assumption."""
    return {
        each: (one.confirmed, tuple(one.observed))
        for each, one in evidence.tallies.items()
    }


def counted(*facts: Fact, of: str = ID) -> tuple[Told, Told]:
    """Return the tallies of the controller and of the service after these facts."""
    observers = Observers()
    for fact in facts:
        observers.facts(of).emit(fact)
    return told(observers.evidence[ID]), told(observers.evidence[SERVICE])


def asked(
    endpoint: str,
    response: Response | None = None,
    error: PoolctlError | None = None,
    *,
    method: str = "GET",
) -> CloudRequest:
    """Return a request to the service."""
    response = response or say(200, {})
    answer = None if error else response.json()
    return CloudRequest(method, endpoint, b"", response, answer, 0.0, error)


def read(endpoint: str, data: object) -> CloudRequest:
    """Return an answered read."""
    return asked(endpoint, say(200, {"data": data}))


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
    body: object, headers: Mapping[str, str], seen: str | None
) -> None:
    request = asked("x", say(429, body, **headers), BusyError("busy"))
    assert counted(request) == (
        {},
        {Assumption.RETRY_AFTER: (0, (seen,)) if seen else (1, ())},
    )


@pytest.mark.parametrize(
    ("endpoint", "error", "answer", "assumption", "wanted"),
    [
        ("pumpInfo", NotOfferedError(""), (404,), Assumption.CLOUD_READS, "pumpInfo: HTTP 404"),
        ("setAux", NotOfferedError(""), (404,), Assumption.CLOUD_WRITES, "setAux: HTTP 404"),
        ("set-x", UnconfirmedError(""), (200, {"status": None}), Assumption.WRITE_STATUS, "HTTP 200 null"),
        ("setAux", UnconfirmedError(""), (202, {}), Assumption.WRITE_STATUS, "HTTP 202 missing"),
        ("setAux", UnconfirmedError(""), (200,), Assumption.WRITE_STATUS, "HTTP 200 missing"),
        ("setAux", UnconfirmedError(""), (200, {"status": "OK"}), Assumption.WRITE_STATUS, "HTTP 200 OK"),
        ("setAux", UnconfirmedError(""), (200, {"status": "a b"}), Assumption.WRITE_STATUS, "HTTP 200 something else"),
        ("setAux", UnconfirmedError(""), (200, {"status": "x" * 21}), Assumption.WRITE_STATUS, "HTTP 200 something else"),
        ("setAux", UnconfirmedError(""), (200, {"status": 7}), Assumption.WRITE_STATUS, "HTTP 200 something else"),
        ("dashboardInfo", ServiceError(""), (504,), Assumption.SILENCE, None),
        ("dashboardInfo", ServiceError(""), (502,), Assumption.SILENCE, "HTTP 502"),
        ("dashboardInfo", ServiceError(""), (300,), Assumption.SILENCE, "HTTP 300"),
        ("dashboardInfo", ServiceError(""), (200,), Assumption.SILENCE, "HTTP 200 FAILED"),
    ],
)  # fmt: skip
def test_errors(
    endpoint: str,
    error: PoolctlError,
    answer: tuple[int, object],
    assumption: Assumption,
    wanted: str | None,
) -> None:
    found = counted(asked(endpoint, say(*answer), error, method="POST"))
    assert found == ({assumption: (0, (wanted,)) if wanted else (1, ())}, {})


@pytest.mark.parametrize(
    ("request_", "of"),
    [
        (asked("sites", say(404), NotOfferedError("")), SERVICE),
        (asked("x", say(404), NotOfferedError("")), SERVICE),
        (asked("userinfo", say(500), ServiceError("")), SERVICE),
        (asked("pumpInfo", say(404), UnreachableError("")), ID),
    ],
)
def test_what_tells_nothing(request_: CloudRequest, of: str) -> None:
    assert counted(request_, of=of) == ({}, {})


@pytest.mark.parametrize(("status", "seen"), [(200, ()), (201, ("HTTP 201 SUCCESS",))])
def test_a_write_that_was_done(status: int, seen: tuple[str, ...]) -> None:
    done = asked("setAux", say(status, {"status": "SUCCESS"}), method="POST")
    wanted = {
        Assumption.CLOUD_WRITES: (1, ()),
        Assumption.WRITE_STATUS: (0 if seen else 1, seen),
    }
    assert counted(done) == (wanted, {})


@pytest.mark.parametrize(
    ("status", "wanted"), [(401, (1, ())), (403, (0, ("HTTP 403",)))]
)
def test_a_token_that_was_renewed(
    status: int, wanted: tuple[int, tuple[str, ...]]
) -> None:
    found = counted(AccessRenewed(status), of=SERVICE)
    assert found == ({}, {Assumption.DEAD_ACCESS: wanted})


def test_fields_of_a_dashboard() -> None:
    observers = Observers()
    emit, evidence = observers.facts(ID).emit, observers.evidence[ID]
    emit(read("dashboardInfo", {"dashboard": DASHBOARD}))
    assert told(evidence) == {
        Assumption.DASHBOARD_FIELDS: (1, ()),
        Assumption.DRY_RUN_STATUS: (1, ()),
    }
    more = DASHBOARD | {"zone": 1, "dry_run_status": 0, "aa1122": 1}
    emit(read("dashboardInfo", {"dashboard": more}))
    fields = ("a name of 6 characters", "zone")
    assert told(evidence) == {
        Assumption.DASHBOARD_FIELDS: (2, fields),
        Assumption.DRY_RUN_STATUS: (1, ("0",)),
    }
    emit(read("dashboardInfo", {"dashboard": {}}))
    tally = evidence.tallies[Assumption.DASHBOARD_FIELDS]
    assert (tally.confirmed, tally.contradicted) == (2, 1)
    assert "without actual_ph" in tally.observed
    assert evidence.tallies[Assumption.DRY_RUN_STATUS].confirmed == 1


@pytest.mark.parametrize(
    ("online", "changed", "wanted"),
    [
        (None, False, (0, ("not reported",))),
        (True, True, (1, ())),
        (True, False, (1, ())),
        (False, False, (1, ())),
        (False, True, (0, ("offline, and the dashboard changes",))),
    ],
)
def test_what_online_means(
    online: bool | None, changed: bool, wanted: tuple[int, tuple[str, ...]]
) -> None:
    found, _ = counted(Online(False, True), Online(online, changed))
    confirmed, words = wanted
    assert found == {Assumption.ONLINE: (confirmed + 1, words)}


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
    endpoint: str, data: dict[str, object], seen: tuple[str, ...]
) -> None:
    wanted = {Assumption.CLOUD_READS: (0 if seen else 1, seen)}
    assert counted(read(endpoint, data)) == (wanted, {})


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
def test_the_form_of_a_key(data: dict[str, object], seen: tuple[str, ...]) -> None:
    wanted = {Assumption.KEY_FORM: (0 if seen else 1, seen)}
    assert counted(read("envelope-key", data)) == (wanted, {})


def test_whether_a_write_is_shown_in_time() -> None:
    (found, _) = counted(WriteShown(True), WriteShown(False))
    assert found == {Assumption.COPY_AGE: (1, ("not shown after 35 s",))}


@pytest.mark.parametrize(
    ("sites", "seen"),
    [
        ([{"objectId": "s", "device_list": [{"deviceId": ID}]}], ()),
        ([], ("empty",)),
        ([{"device_list": [{"deviceId": ID}, 7]}], ("a part is not understood",)),
        ([7], ("a part is not understood", "empty")),
    ],
)
def test_inventories(sites: object, seen: tuple[str, ...]) -> None:
    inventory = parse_inventory({"data": {"sites": sites}})
    found = counted(InventoryRead(inventory), of=SERVICE)
    assert found == ({}, {Assumption.INVENTORY: (0 if seen else 1, seen)})


_MANY = {f"k{number}": 0 for number in range(80_000)}
_SCHEDULE = {"schedule_num": 1, "aux_slot": 1, "start_time": 1, "end_time": 2}


@pytest.mark.parametrize(
    ("endpoint", "data", "merge"),
    [
        ("dashboardInfo", {"dashboard": _MANY}, merge_dashboard),
        ("chemistryCard", {"phSettings": _MANY}, merge_chemistry),
        (
            "auxInfo",
            {
                "manual": {
                    "other_devices": [{"aux_slot_num": 1, "aux_type_code": 1}] * 20_000
                }
            },
            merge_slots,
        ),
        (
            "scheduleInfo",
            {"scheduleInfo": {"schedules": [_SCHEDULE | {"week_days": []}] * 10_000}},
            lambda state, answer, now: merge_schedule_info(state, answer),
        ),
        ("envelope-key", _MANY | {"k": "x"}, lambda state, answer, now: state),
    ],
)
def test_a_huge_answer_holds_nobody_up(
    endpoint: str,
    data: dict[str, object],
    merge: Callable[[PoolState, Answer, datetime], PoolState],
) -> None:
    """An answer of 1 MiB of small items is observed and merged in few calls."""
    fact, calls = read(endpoint, data), 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        counted(fact)
        merge(PoolState(), object_of(data, "dashboard") or data, datetime.now(UTC))
    finally:
        sys.setprofile(None)
    assert calls < 100_000


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
    observers = Observers()
    url = f"http://127.0.0.1:{raw.port}"
    await CloudClient(session, url, some_token, observers.facts).user_id()
    assert told(observers.evidence[SERVICE])[Assumption.USERINFO] == wanted


async def test_the_key_of_which_controller(
    raw: RawServer, session: ClientSession
) -> None:
    raw.say(200, json.dumps({"data": {"key_hex": "0" * 32}}))
    observers = Observers()
    url = f"http://127.0.0.1:{raw.port}"
    await CloudClient(session, url, some_token, observers.facts).envelope_key(ID)
    assert told(observers.evidence[ID])[Assumption.KEY_FORM] == (1, ())


DEAD = {"error": "invalid_grant"}


@pytest.mark.parametrize(
    ("grant", "status", "body", "wanted"),
    [
        ("refresh_token", 200, {"access_token": "a", "refresh_token": "b"}, {Assumption.ROTATION: (1, ())}),
        ("refresh_token", 200, {"access_token": "a"}, {Assumption.ROTATION: (0, ("none came",))}),
        ("authorization_code", 200, {"access_token": "a"}, {}),
        ("refresh_token", 400, DEAD, {Assumption.REFUSED_GRANT: (1, ())}),
        ("refresh_token", 401, DEAD, {Assumption.REFUSED_GRANT: (1, ())}),
        ("authorization_code", 403, DEAD, {Assumption.REFUSED_GRANT: (0, ("HTTP 403",))}),
        ("refresh_token", 200, {}, {Assumption.REFUSED_GRANT: (0, ("HTTP 200",))}),
        ("refresh_token", 500, {}, {}),
    ],
)  # fmt: skip
async def test_what_the_token_endpoint_says(
    raw: RawServer,
    session: ClientSession,
    grant: str,
    status: int,
    body: object,
    wanted: Told,
) -> None:
    raw.say(status, json.dumps(body))
    observers = Observers()
    address = f"http://127.0.0.1:{raw.port}/token"
    try:
        await request_tokens(session, address, {"grant_type": grant}, observers.facts())
    except PoolctlError:
        assert status != 200 or not body
    assert told(observers.evidence[SERVICE]) == wanted
    head = raw.requests[0].decode()
    assert "content-type: application/x-www-form-urlencoded" in head.lower()
