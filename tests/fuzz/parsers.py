"""Parsers to fuzz, with valid inputs to start from and the errors they may raise."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from ipaddress import ip_address
import json
from pathlib import Path
from random import Random
from typing import Any, Final

from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from custom_components.poolctl.client import account
from custom_components.poolctl.client.counters import IncomingCounter
from custom_components.poolctl.client.lan import state_after
from custom_components.poolctl.client.pool import from_cloud
from custom_components.poolctl.client.pool.from_lan import merge_frame
from custom_components.poolctl.client.pool.queries import QUERIES, Query
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire import (
    cloud_answers as cloud,
    exceptions as err,
)
from custom_components.poolctl.client.wire.envelope import parse_key, unwrap, wrap
from custom_components.poolctl.client.wire.frame import decode_frame
from custom_components.poolctl.client.wire.http import Response
from custom_components.poolctl.client.wire.json_values import (
    Answer,
    list_of,
    object_of,
    parse_object,
)
from custom_components.poolctl.network.addresses import ObservedAddress
from custom_components.poolctl.network.record import firmware_supported
from tests.world.simulator import Controller, Pool, Site, actions, devices
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.visitors import Announcement

from .mutations import Json, mutate_bytes, mutate_text, mutated_answer

_KEY: Final = bytes(range(16))
_NOW: Final = datetime(2026, 11, 2, tzinfo=UTC)
_FRAMES: Final = Path(__file__).parents[1] / "fixtures" / "state_frames.json"
_STATUSES: Final = (
    *(200, 200, 200, 201, 202, 204, 307),
    *(400, 401, 403, 404, 408, 429, 503),
)


@dataclass(frozen=True, slots=True)
class Parser[T]:
    """A parser of external data."""

    name: str
    make: Callable[[Random], T]
    """Makes a mutated input."""
    parse: Callable[[T], object]
    """Parses it; an iterator has the words to be stored or shown."""
    errors: tuple[type[err.PoolctlError], ...] = ()
    """The only errors that it may raise; a class does not stand for its subclasses."""


# --- The LAN ----------------------------------------------------------------------


def _full(*dialects: str) -> Controller:
    return Controller(key=_KEY, pool=Pool.full(), name="Beach pool", dialects=dialects)


def _frames() -> list[bytes]:
    """Return valid frames, also of other versions."""
    found = [bytes.fromhex(row["payload"]) for row in json.loads(_FRAMES.read_text())]
    for version in ((), (Dialect.FRAME_VERSION_0,), (Dialect.FRAME_VERSION_3,)):
        controller = _full(*version)
        controller.pool.start_timer(3, 600)
        found.append(unwrap(_KEY, controller.signed_state()).payload)
    return found


def _known() -> PoolState:
    """Return the state of a fully equipped pool."""
    known = merge_frame(PoolState(), decode_frame(_frames()[-1]), _NOW)
    for query in QUERIES:
        known = query.merge(known, query.decode(_replies(query)[0]), _NOW)
    return known


def _replies(query: Query) -> list[bytes]:
    """Return valid replies to a query, also longer ones."""
    longer = Dialect.LONGER_REPLIES, Dialect.LONGER_RECORDS, Dialect.TEMP_WITHOUT_FLAGS
    controllers = [_full(), *(_full(each) for each in longer)]
    return [actions.query(each.pool, query.name) for each in controllers]


def _of_bytes(seeds: Sequence[bytes]) -> Callable[[Random], bytes]:
    return lambda chance: mutate_bytes(chance, chance.choice(seeds))


def _state_words(state: PoolState) -> Iterator[str]:
    yield from state.outputs.names
    yield from (each.name for each in state.schedules.used.values())


def _frame(data: bytes) -> Iterator[str]:
    return _state_words(merge_frame(PoolState(), decode_frame(data), _NOW))


def _signed(chance: Random) -> tuple[str, IncomingCounter]:
    """Return the hex of an envelope with its content or its own bytes mutated."""
    content = chance.choice(_SEEN)
    if chance.random() < 0.5:
        content = mutate_bytes(chance, content)
    data = wrap(_KEY, chance.choice((0, 1, 2, 2**32 - 1)), content)
    if chance.random() < 0.5:
        data = mutate_bytes(chance, data)
    text = data.hex()
    return (mutate_text(chance, text) if chance.random() < 0.3 else text), _BASELINE


def _envelope(given: tuple[str, IncomingCounter]) -> Iterator[str]:
    text, baseline = given
    envelope = unwrap(_KEY, text)
    baseline.accept(envelope.counter)
    return _frame(envelope.payload)


def _reply(query: Query, known: PoolState, data: bytes) -> Iterator[str]:
    return _state_words(query.merge(known, query.decode(data), _NOW))


def _lan() -> Iterator[Parser[Any]]:
    frames = _of_bytes(_SEEN)
    yield Parser("state frame", frames, _frame, (err.FrameError,))
    yield Parser("frame after an action", frames, state_after)
    errors = err.EnvelopeError, err.SignatureError, err.ReplayError, err.FrameError
    yield Parser("envelope", _signed, _envelope, errors)
    for query in QUERIES:
        make, parse = _of_bytes(_replies(query)), partial(_reply, query, _known())
        yield Parser(f"reply to {query.name}", make, parse, (err.ReplyError,))


# --- The cloud --------------------------------------------------------------------

_ANSWERS: Final = (
    *(err.AuthenticationError, err.BusyError, err.CommandFailedError),
    *(err.ForbiddenError, err.NotOfferedError, err.ProtocolError, err.ServiceError),
)


def _response(seeds: Sequence[Json]) -> Callable[[Random], Response]:
    def make(chance: Random) -> Response:
        waits = (None, "60", "-1", "99999999", "Fri, 31 Dec 2100 23:59:59 GMT")
        wait = chance.choice(waits)
        if wait is not None and chance.random() < 0.5:
            wait = mutate_text(chance, wait)
        headers = {} if wait is None else {"Retry-After": wait}
        data = mutated_answer(chance, chance.choice(seeds))
        return Response(chance.choice(_STATUSES), headers, data)

    return make


def _success(data: Json) -> Json:
    return {"status": "SUCCESS", "data": data}


def _read(name: str) -> list[Json]:
    controller = _full()
    data: Json = json.loads(json.dumps(devices.READS[name].run(controller.pool)))
    return [_success(data)]


def _merged(
    merge: Callable[[PoolState, Answer], PoolState],
    known: PoolState,
    response: Response,
) -> Iterator[str]:
    return _state_words(merge(known, object_of(cloud.check(response), "data")))


def _dashboard(state: PoolState, data: Answer) -> PoolState:
    return from_cloud.merge_dashboard(state, object_of(data, "dashboard"), _NOW)


_MERGES: Final[dict[str, Callable[[PoolState, Answer], PoolState]]] = {
    "dashboardInfo": _dashboard,
    "pumpInfo": lambda state, data: from_cloud.merge_pump(state, data, _NOW),
    "auxInfo": lambda state, data: from_cloud.merge_slots(state, data, _NOW),
    "chemistryCard": lambda state, data: from_cloud.merge_chemistry(state, data, _NOW),
    "ambientTemp": lambda state, data: from_cloud.merge_temperatures(state, data, _NOW),
    "scheduleInfo": from_cloud.merge_schedule_info,
}


def _write(response: Response) -> None:
    cloud.may_blame_token(response)
    cloud.check_write(response)


def _inventory(response: Response) -> Iterator[str]:
    found = cloud.parse_inventory(cloud.check(response))
    account.account_id(None, "", found)
    for device in found.devices:
        yield from (device.name, device.site)


def _envelope_key(response: Response) -> None:
    cloud.parse_envelope_key(object_of(cloud.check(response), "data"))


def _statuses(response: Response) -> None:
    for entry in list_of(object_of(cloud.check(response), "data"), "devices"):
        cloud.parse_device(entry, "")


def _tokens(response: Response) -> Iterator[str]:
    token = account._tokens(response).access
    token.encode("ascii")  # it is sent in a header
    yield account.account_id(None, token, cloud.Inventory((), ())) or ""


_SITE: Final = json.dumps(Site("Home", controllers=[_full()]).describe())
_SITES: Final[Json] = _success({"sites": [json.loads(_SITE)]})
_OTHER: Final[tuple[Json, ...]] = (
    {"status": "SUCCESS"},
    {"status": "FAILED", "message": "device busy: retry after 1m0s"},
    {"status": "FAILED", "message": "the access token has expired"},
    {"status": "PENDING", "data": {}},
)
_TOKEN: Final[Json] = {
    "access_token": "e30.eyJzdWIiOiAidXNlci0xIn0.c2ln",
    "refresh_token": "abc",
    "expires_in": 86400,
    "token_type": "Bearer",
}
_KEYS: Final[tuple[Json, ...]] = (
    _success({"key_hex": _KEY.hex()}),
    _success({"key": "AAECAwQFBgcICQoLDA0ODw=="}),
    _success({"envelope_key": " 000 102 030 405 060 708 090 a0b 0c0 d0e 0f\n"}),
)


def _of_cloud() -> Iterator[Parser[Any]]:
    known = _known()
    for name, merge in _MERGES.items():
        make = _response([*_read(name), *_OTHER])
        for title, state in ((name, known), (f"{name} at first", PoolState())):
            yield Parser(title, make, partial(_merged, merge, state), _ANSWERS)
    writes = (*_ANSWERS, err.UnconfirmedError)
    yield Parser("answer to a write", _response(_OTHER), _write, writes)
    yield Parser("inventory", _response([_SITES]), _inventory, _ANSWERS)
    online: Json = {"deviceId": "AA_BB_CC_0A_0B_0C", "online": True}
    statuses = _response([_success({"devices": [online]})])
    yield Parser("online statuses", statuses, _statuses, _ANSWERS)
    keys = (err.EnvelopeError, *_ANSWERS)
    yield Parser("envelope key", _response(_KEYS), _envelope_key, keys)
    key = partial(mutate_text, text=_KEY.hex())
    yield Parser("text of a key", key, parse_key, (err.EnvelopeError,))
    tokens = err.AuthenticationError, err.BusyError, err.ProtocolError, err.ServiceError
    yield Parser("token", _response([_TOKEN, *_OTHER]), _tokens, tokens)
    yield Parser("any JSON", partial(mutated_answer, value=_SITES), parse_object)


# --- The network ------------------------------------------------------------------

_TXT_LENGTH: Final = 255  # RFC 6763 section 6.1
_TXT: Final = Announcement.of(_full()).text


def _announcement(chance: Random) -> ZeroconfServiceInfo:
    """Return an announcement with an odd TXT record, name or port."""
    text: dict[str, str | None] = dict(_TXT)
    for _ in range(chance.randint(0, 3)):
        name = chance.choice([*_TXT, "", "x", "ID"])
        value = mutate_text(chance, text.get(name) or "")
        text[name] = chance.choice((value[:_TXT_LENGTH], None))
    found, kind = ip_address("127.0.0.2"), "_ctrl._tcp.local."
    name = chance.choice(("ctrl-0a0b0c", mutate_text(chance, "ctrl-0a0b0c")))
    return ZeroconfServiceInfo(
        ip_address=found,
        ip_addresses=[found],
        port=chance.choice((8080, 0, None)),
        hostname=f"{name}.local.",
        type=kind,
        name=f"{name}.{kind}",
        properties=text,
    )


def _observed_address(info: ZeroconfServiceInfo) -> None:
    if (seen := ObservedAddress.from_zeroconf(info)) is not None:
        firmware_supported(seen.firmware)
        assert cloud.is_device_id(seen.device_id)


_SEEN: Final = _frames()
_BASELINE: Final = IncomingCounter()


def parsers() -> list[Parser[Any]]:
    """Return all parsers."""
    announced = Parser("TXT record", _announcement, _observed_address)
    return [*_lan(), *_of_cloud(), announced]
