"""One HTTP exchange, over real sockets."""

import asyncio
import socket

from aiohttp import ClientSession
import pytest
from yarl import URL

from custom_components.poolctl.client.wire.exceptions import (
    ProtocolError,
    UnreachableError,
)
from custom_components.poolctl.client.wire.http import Response, exchange


async def get(
    session: ClientSession, port: int, *, timeout: float = 5, limit: int = 1000
) -> Response:
    """Send a GET request to a server on this machine."""
    return await exchange(
        session,
        "GET",
        URL(f"http://127.0.0.1:{port}/"),
        data=None,
        headers={},
        timeout=timeout,
        limit=limit,
    )


async def test_an_answer_in_pieces(session: ClientSession) -> None:
    """All pieces are returned, and all count against the limit."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
        for piece in (b"ab", b"cd", b"ef"):
            await writer.drain()
            await asyncio.sleep(0.02)
            writer.write(piece)
        writer.close()

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert (await get(session, port, limit=6)).data == b"abcdef"
        with pytest.raises(ProtocolError, check=lambda err: type(err) is ProtocolError):
            await get(session, port, limit=5)


async def test_a_server_that_takes_no_connection(
    session: ClientSession,
) -> None:
    """The connection is given up shortly before the timeout; nothing was sent."""
    with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)  # one connection fits, and is never accepted
        for other in (first, second):
            other.setblocking(False)
            other.connect_ex(deaf.getsockname())
        async with asyncio.timeout(5):
            with pytest.raises(UnreachableError) as caught:
                await get(session, deaf.getsockname()[1], timeout=0.5)
    assert caught.value.ran is False
    assert str(caught.value) == "no connection (ConnectionTimeoutError)"


@pytest.mark.row("L28")
def test_json() -> None:
    """A controller may send the rest of its buffer."""
    for data in (
        *(b'{"a": 1}', b' \r\n{"a": 1}\x00', b'{"a": 1}\r\n\x00 \x00'),
        *(
            b'{"a": 1}\x00rest"}',
            b'{"a": 1}{"a": 2}',
            b'{"a": 1} rest',
            b'{"a": 1}\xff',
        ),
    ):
        assert Response(200, {}, data).json == {"a": 1}, data
    assert Response(200, {}, b"{}").json == {}
    for data in (
        *(b"[]", b"1", b"", b"\xff", b'rest {"a": 1}', b'{"a": 1'),
        b"[" * 100_000,
    ):
        assert Response(200, {}, data).json is None, data[:9]
