"""Requests of LanClient, byte by byte, and their order (protocol.md 4.2, 8)."""

import asyncio
import json
from typing import Any

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.counters import Counters
from custom_components.poolctl.client.lan import LAN_PATH, LanClient
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    RefusedError,
    SignatureError,
)
from tests.client.conftest import (
    COMMANDS,
    KEY,
    RawServer,
    UnixTime,
    answer,
    because,
    signed,
)
from tests.world.simulator import wire


def bodies(raw: RawServer) -> list[Any]:
    """Return the bodies of the requests."""
    return [json.loads(each.partition(b"\r\n\r\n")[2]) for each in raw.requests]


@pytest.mark.row("4.2 row 1", "4.2 rule 3")
@pytest.mark.parametrize("row", COMMANDS["actions"], ids=lambda row: row["counter"])
async def test_requests_of_the_vectors(
    session: ClientSession,
    raw: RawServer,
    unix_time: UnixTime,
    row: dict[str, Any],
) -> None:
    counter = Counters(row["counter"] - 1)
    lan = LanClient(session, "127.0.0.1", KEY, port=raw.port, counter=counter)
    raw.say(200, answer(ok=True))
    assert await lan.action(row["name"], bytes.fromhex(row["payload"])) is None
    head, _, body = raw.requests[0].partition(b"\r\n\r\n")
    assert json.loads(body) == row["request"]
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert first == f"POST {LAN_PATH} HTTP/1.1"
    assert headers["content-length"] == str(len(body))
    assert headers["content-type"] == "application/json"
    assert headers["connection"] == "close"
    assert "transfer-encoding" not in headers


@pytest.mark.row("4.2 row 2", "5.2 rule 1")
async def test_a_state_request_is_not_signed(lan: LanClient, raw: RawServer) -> None:
    raw.say(200, answer(env=signed()))
    await lan.state()
    assert bodies(raw) == [{"op": "state", "name": "", "env": ""}]


@pytest.mark.row("4.2 row 4")
async def test_a_query_request(
    unix_time: UnixTime, lan: LanClient, raw: RawServer
) -> None:
    raw.say(200, answer(env=signed(payload=b"reply")))
    assert await lan.query("aux_names") == b"reply"
    env = wire.wrap(KEY, 500, b"").hex()
    assert bodies(raw) == [{"op": "q", "name": "aux_names", "env": env}]


@pytest.mark.row("8 row 12")
async def test_a_body_of_1024_bytes_is_sent(lan: LanClient, raw: RawServer) -> None:
    raw.say(200, answer(ok=True))
    size = len('{"op": "a", "name": "", "env": ""}') + 18
    await lan.action("x" * ((1024 - size) % 2), bytes((1024 - size) // 2))
    assert len(raw.requests[0].partition(b"\r\n\r\n")[2]) == 1024


@pytest.mark.row("8 row 12")
async def test_a_longer_body_is_not_sent(
    unix_time: UnixTime, lan: LanClient, raw: RawServer
) -> None:
    """Nor does it cost a counter."""
    for call in (lan.action("cmd", bytes(600)), lan.query("x" * 1024)):
        with pytest.raises(InvalidCommandError, check=because("request_too_large")):
            await call
    assert raw.connections == 0
    assert lan.counters.next() == 500


@pytest.mark.row("4.2 rule 8", "8 row 15")
async def test_one_request_at_a_time(session: ClientSession, raw: RawServer) -> None:
    """A client with another address or key waits for those of its predecessor, too."""
    raw.say(200, answer(env=signed()))
    raw.delay = 0.01
    counters = Counters()
    before, after = (
        LanClient(session, host, key, port=raw.port, counter=counters)
        for host, key in (("127.0.0.1", KEY), ("localhost", KEY[::-1]))
    )
    state, rejected, *replies = await asyncio.gather(
        *(before.state(), after.state(), before.query("aux_names")),
        before.action("aux", b"123"),
        return_exceptions=True,
    )
    assert isinstance(rejected, SignatureError)
    assert not any(isinstance(each, Exception) for each in (state, *replies))
    assert (raw.connections, raw.most_open) == (4, 1)


@pytest.mark.row("4.2 rule 8", "8 row 15")
async def test_a_connection_is_never_used_twice(lan: LanClient, raw: RawServer) -> None:
    """The controller closes after each answer, even if no header announces it."""
    raw.say(200, answer(env=signed()), "Server: pool")
    for _ in range(5):
        await lan.state()


@pytest.mark.row("5.2 rule 2")
async def test_counters_strictly_increase(lan: LanClient, raw: RawServer) -> None:
    raw.say(200, answer(ok=True, env=signed()))
    await asyncio.gather(
        *(lan.action("aux", bytes(3)) for _ in range(5)), lan.query("aux_names")
    )
    raw.say(200, answer(ok=False))
    with pytest.raises(RefusedError):
        await lan.query("aux_names")
    raw.say(200, answer(ok=True))
    await lan.action("aux", bytes(3))
    envelopes = [bytes.fromhex(body["env"]) for body in bodies(raw)]
    counters = [wire.unwrap(KEY, envelope)[0] for envelope in envelopes]
    assert counters == sorted(set(counters)) and len(counters) == 8
