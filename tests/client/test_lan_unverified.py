"""Reading the state of a controller without its key."""

import json

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client.lan import unverified_state
from custom_components.poolctl.client.wire.exceptions import (
    EnvelopeError,
    ProtocolError,
    UnreachableError,
)
from custom_components.poolctl.client.wire.frame import decode_frame
from tests.client.conftest import RawServer, Service


async def look(session: ClientSession, raw: RawServer) -> bytes:
    return await unverified_state(session, "127.0.0.1", raw.port, timeout=5)


async def test_what_a_controller_shows_to_anybody(service: Service) -> None:
    """protocol.md 5.2 rule 1: reading its state needs no credential."""
    pool = service.small
    payload = await unverified_state(service.session, pool.host, pool.port, timeout=5)
    frame = decode_frame(payload)
    assert frame.telemetry is not None and frame.configuration is not None
    assert [(r.op, r.name) for r in pool.requests] == [("state", "")]


async def test_it_takes_the_frame_out_of_the_envelope(
    session: ClientSession, raw: RawServer
) -> None:
    """protocol.md O1: version, counter, payload, tag."""
    raw.say(
        200, json.dumps({"ok": True, "env": "01" + "00000007" + "aabbcc" + "ffffffff"})
    )
    assert await look(session, raw) == b"\xaa\xbb\xcc"
    raw.say(200, json.dumps({"ok": True, "env": "01" + "00000007" + "ffffffff"}))
    assert await look(session, raw) == b""
    assert b'"op":"state"' in raw.requests[0].replace(b" ", b"")


@pytest.mark.parametrize(
    ("envelope", "error"),
    [
        (None, ProtocolError),
        (7, ProtocolError),
        ("01" * 8, ProtocolError),
        ("", ProtocolError),
        ("xy" * 20, EnvelopeError),
    ],
)
async def test_what_is_no_envelope(
    session: ClientSession,
    raw: RawServer,
    envelope: object,
    error: type[Exception],
) -> None:
    raw.say(200, json.dumps({"ok": True, "env": envelope}))
    with pytest.raises(error):
        await look(session, raw)


async def test_nobody_waits_for_long(service: Service) -> None:
    pool = service.small
    pool.faults.on("hang")
    with pytest.raises(UnreachableError):
        await unverified_state(service.session, pool.host, pool.port, timeout=0.1)
