"""LanClient over real sockets (protocol.md 4.2, 7.2, 8)."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
import json
from typing import Any

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.counters import Counters
from custom_components.poolctl.client.lan import PORT, LanClient, unverified_state
from custom_components.poolctl.client.wire.commands import encode_aux
from custom_components.poolctl.client.wire.exceptions import (
    DeclinedError,
    EnvelopeError,
    FrameError,
    InvalidCommandError,
    LanBusyError,
    LanRequestError,
    PoolctlError,
    ProtocolError,
    ReplayError,
    SignatureError,
    UnreachableError,
)
from custom_components.poolctl.client.wire.frame import decode_frame
from tests.client.conftest import FRAME, KEY, RawServer, Service, answer, signed
from tests.world.simulator import wire

# Answers, byte by byte

REASONS = [
    *((403, "not served on LAN"), (405, "POST only"), (400, "invalid Content-Length")),
    *((400, "short body"), (408, "slow headers"), (200, "bad json"), (200, "bad op")),
]
ROWS = [
    *((status, answer(ok=False, err=reason), LanRequestError)
      for status, reason in REASONS),
    (200, answer(ok=False, err="busy"), LanBusyError),
    (200, answer(ok=False), DeclinedError),
    (200, answer(ok=False, env=signed()), DeclinedError),
    (200, answer(ok=False, err="someone@example.com is not amused"), DeclinedError),
    (200, answer(ok=False, err=["busy"]), DeclinedError),
    (403, answer(ok=False, err="busy"), DeclinedError),  # no row of the table
    (500, answer(ok=False), DeclinedError),
    (500, answer(env=signed()), DeclinedError),
]  # fmt: skip


@pytest.mark.row(
    "4.2 rule 2",
    "7.2 row 1",
    "7.2 row 2",
    "7.2 row 3",
    "7.2 row 4",
    "7.2 row 5",
    "7.2 row 6",
    "7.2 row 7",
    "7.2 row 8",
    "7.2 row 9",
    "8 row 13",
)
@pytest.mark.parametrize(("status", "body", "error"), ROWS)
@pytest.mark.parametrize("op", ["state", "query", "action"])
async def test_errors(
    lan: LanClient,
    raw: RawServer,
    op: str,
    status: int,
    body: str,
    error: type[PoolctlError],
) -> None:
    raw.say(status, body)
    calls: dict[str, Callable[[], Awaitable[Any]]] = {
        "state": lan.state,
        "query": lambda: lan.query("aux_names"),
        "action": lambda: lan.action("aux", encode_aux(1, True, True)),
    }
    with pytest.raises(error) as caught:
        await calls[op]()
    assert type(caught.value) is error
    assert raw.connections == 1
    # Errors get into logs: they repeat only the harmless texts of protocol.md 7.2.
    assert "someone" not in repr(caught.value)
    if isinstance(caught.value, LanRequestError):
        reason = json.loads(body)["err"]
        assert caught.value.err == reason in str(caught.value)


UNREADABLE: dict[type[PoolctlError], list[tuple[int, str | bytes]]] = {
    ProtocolError: [
        (200, answer()),
        (200, answer(ok=True)),  # right for an action
        *((200, text) for text in ("", "[]", '{"env": 01', "[" * 10_000)),
        (200, b"\xff\xfe\x00"),
        *((status, "<html>Router</html>") for status in (200, 404)),
        (204, ""),
    ],
    EnvelopeError: [
        (200, answer(env=env))
        for env in (None, "", "zz", signed()[:16], "02" + signed()[2:])
    ],
    SignatureError: [
        (200, answer(env=signed()[:-2] + "00")),
        (200, answer(env=wire.wrap(KEY[::-1], 1, FRAME).hex())),
    ],
    FrameError: [
        (200, answer(env=signed(payload=FRAME[:-1]))),
        (200, answer(env=signed(payload=b""))),
    ],
}


@pytest.mark.row("4.2 rule 1", "5.2 rule 4")
@pytest.mark.parametrize("error", UNREADABLE)
async def test_answers_that_do_not_decode(
    lan: LanClient, raw: RawServer, error: type[PoolctlError]
) -> None:
    for status, body in UNREADABLE[error]:
        raw.say(status, body)
        with pytest.raises(error) as caught:
            await lan.state()
        assert type(caught.value) is error, body


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 abc X\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Encoding: br\r\n\r\n\xff\xff\xff\xff",
        b"\x15\x03\x01\x00\x02\x02\x16",
    ],
)
async def test_answers_that_are_hardly_http(
    lan: LanClient, raw: RawServer, data: bytes
) -> None:
    raw.answer = data
    with pytest.raises(UnreachableError) as caught:
        await lan.state()
    assert caught.value.ran is None


@pytest.mark.row("L28")
@pytest.mark.parametrize("after", [b"\0", b"\r\n", b"  ", b"\xff\xfe", b"{}", b"HTTP"])
@pytest.mark.parametrize("counted", [True, False])
async def test_bytes_after_an_answer(
    lan: LanClient, raw: RawServer, after: bytes, counted: bool
) -> None:
    """They are dropped, whether the length counts them or not."""
    raw.say(200, answer(env=signed()).encode() + after)
    if not counted:
        raw.say(200, answer(env=signed()))
        raw.answer += after
    assert (await lan.state()).telemetry is not None


async def test_a_body_above_16_kib_is_refused(lan: LanClient, raw: RawServer) -> None:
    """It is not read to its end."""
    body, most = answer(env=signed()), 16 * 1024
    raw.say(200, body[:-1] + " " * (most - len(body)) + "}")
    await lan.state()
    raw.say(200, body[:-1] + " " * (most - len(body) + 1) + "}")
    with pytest.raises(ProtocolError, match="too long"):
        await lan.state()
    raw.say(200, b"x" * 100)
    raw.answer = raw.answer.replace(b"100", b"9" * 12) + b"x" * 1_000_000
    with pytest.raises(ProtocolError, match="too long"):
        await lan.state()


async def test_redirects_are_not_followed(lan: LanClient, raw: RawServer) -> None:
    raw.say(302, "", f"Location: http://127.0.0.1:{raw.port}/elsewhere")
    with pytest.raises(ProtocolError, check=lambda err: type(err) is ProtocolError):
        await lan.state()
    assert raw.connections == 1


# Answers after an action has run


@pytest.mark.row("4.2 row 3")
@pytest.mark.parametrize(
    "body",
    [
        answer(ok=True),
        answer(ok=True, env=signed(payload=FRAME[:-1])),
        answer(ok=True, env=signed(counter=1)),  # older than a frame already received
    ],
)
async def test_an_action_counts_as_run_without_a_readable_frame(
    lan: LanClient, raw: RawServer, body: str
) -> None:
    raw.say(200, answer(env=signed(counter=50)))
    await lan.state()
    raw.say(200, body)
    assert await lan.action("aux", encode_aux(1, True, True)) is None


@pytest.mark.row("5.2 rule 4")
async def test_replays(lan: LanClient, raw: RawServer) -> None:
    raw.say(200, answer(env=wire.wrap(KEY[::-1], 0xFFFF_FFFF, FRAME).hex()))
    with pytest.raises(SignatureError):  # a forged counter is no baseline
        await lan.state()
    for counter, good in ((9, True), (9, True), (4, False), (4, False), (10, True),
                          (2, False), (3, True), (4, True)):  # fmt: skip
        raw.say(200, answer(env=signed(counter)))
        with nullcontext() if good else pytest.raises(ReplayError):
            await lan.state()


# Against the simulated controller


@pytest.mark.row("4.2 row 3")
async def test_state_action_query(service: Service) -> None:
    lan = service.lan_client(service.full)
    frame = await lan.state()
    assert frame.telemetry and frame.configuration
    assert frame.configuration.firmware == "2.5.46"
    after = await lan.action("aux", encode_aux(3, True, True))
    assert after is not None and after.telemetry is not None
    assert after.telemetry.aux_modes is not None and after.telemetry.aux_modes[3] == 99
    assert service.full.pool.relays[3] is True
    assert b"Filter Pump" in await lan.query("aux_names")
    assert (lan.host, lan.port) == ("127.0.0.1", service.full.port)


@pytest.mark.parametrize("address", ["", "http://", "127.0.0.1:x", "a:0", "two words"])
def test_an_address_that_cannot_be_one(service: Service, address: str) -> None:
    with pytest.raises(InvalidCommandError, match="a host name or an IP address"):
        LanClient(service.session, address, KEY)


@pytest.mark.parametrize("key", [b"8 bytes!", "0011", KEY.hex()[:-1], "x" * 32, ""])
def test_a_key_that_cannot_be_one(service: Service, key: bytes | str) -> None:
    with pytest.raises(
        InvalidCommandError, match="16 bytes, or 32 hex digits"
    ) as error:
        LanClient(service.session, "pool.local", key)
    assert not key or str(key) not in str(error.value)


async def test_an_address_and_a_key_as_people_type_them(service: Service) -> None:
    address = f" http://127.0.0.1:{service.small.port}/ "
    lan = LanClient(service.session, address, service.small.key.hex(" ").upper())
    await lan.query("pump_id")
    assert (await lan.state()).telemetry


async def test_ipv6(service: Service, own_ipv6: list[str]) -> None:
    """State, query and action work over IPv6, also at a link-local address if any."""
    counters = Counters()
    assert LanClient(service.session, "fe80::1", KEY).port == PORT == 8080
    for host in own_ipv6:
        await service.small.move(host)
        lan = service.lan_client(service.small, counter=counters)
        assert lan.host == host
        await lan.state()
        await lan.query("pump_id")
        assert await lan.action("aux", encode_aux(0, True, True)) is not None


# Without a key


async def read_unverified(
    session: ClientSession, raw: RawServer, envelope: object
) -> bytes:
    raw.say(200, answer(ok=True, env=envelope))
    return await unverified_state(session, "127.0.0.1", raw.port, timeout=5)


async def test_what_a_controller_shows_to_anybody(service: Service) -> None:
    """protocol.md 5.2 rule 1: reading its state needs no credential."""
    pool = service.small
    payload = await unverified_state(service.session, pool.host, pool.port, timeout=5)
    frame = decode_frame(payload)
    assert frame.telemetry is not None and frame.configuration is not None
    assert [(r.op, r.name) for r in pool.requests] == [("state", "")]
    pool.faults.on("hang")
    with pytest.raises(UnreachableError):
        await unverified_state(service.session, pool.host, pool.port, timeout=0.1)


async def test_it_takes_the_frame_out_of_the_envelope(
    session: ClientSession, raw: RawServer
) -> None:
    """protocol.md O1: version, counter, payload, tag."""
    for payload in ("aabbcc", ""):
        envelope = "01" + "00000007" + payload + "ffffffff"
        assert (await read_unverified(session, raw, envelope)).hex() == payload
    assert b'"op":"state"' in raw.requests[0].replace(b" ", b"")
    for odd in (None, 7, "01" * 8, ""):
        with pytest.raises(ProtocolError):
            await read_unverified(session, raw, odd)
    with pytest.raises(EnvelopeError):
        await read_unverified(session, raw, "xy" * 20)
