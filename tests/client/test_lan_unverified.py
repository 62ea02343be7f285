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


async def read(session: ClientSession, raw: RawServer, envelope: object) -> bytes:
    raw.say(200, json.dumps({"ok": True, "env": envelope}))
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
        assert (await read(session, raw, envelope)).hex() == payload
    assert b'"op":"state"' in raw.requests[0].replace(b" ", b"")
    for odd in (None, 7, "01" * 8, ""):
        with pytest.raises(ProtocolError):
            await read(session, raw, odd)
    with pytest.raises(EnvelopeError):
        await read(session, raw, "xy" * 20)
