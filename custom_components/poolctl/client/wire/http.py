"""One HTTP exchange with this package's errors and a limit on the response size."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
import re
from typing import override

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientRequest,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
)
from aiohttp.connector import Connection
from yarl import URL

from .exceptions import ProtocolError, UnreachableError
from .json_values import Answer, parse_object

_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)[ \t]*\r\n", re.IGNORECASE)


class _OneAnswer(asyncio.Protocol):
    """Passes one answer on without the bytes that follow it (protocol.md L28).

    aiohttp would discard an answer that the rest of the sender's buffer follows.
    """

    def __init__(self, reader: asyncio.Protocol) -> None:
        self._reader, self._received, self._passed = reader, b"", 0

    @override
    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, _ = self._received.partition(b"\r\n\r\n")
        end = len(self._received)
        if found and (length := _LENGTH.search(head + b"\r\n")):
            end = min(end, len(head) + len(found) + int(length[1]))
        if end > self._passed:
            passed, self._passed = self._passed, end
            self._reader.data_received(self._received[passed:end])

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._reader.connection_lost(exc)

    @override
    def eof_received(self) -> bool | None:
        return self._reader.eof_received()

    @override
    def pause_writing(self) -> None:
        self._reader.pause_writing()

    @override
    def resume_writing(self) -> None:
        self._reader.resume_writing()


class ClosingRequest(ClientRequest):
    """A request whose connection is not reused, and has one answer.

    A server that closes after each response may not announce it: such a connection,
    reused from a pool, may break just as the next command is sent.
    """

    @override
    async def send(self, conn: Connection) -> ClientResponse:
        """Send the request and let its connection close at the end."""
        if conn.protocol is not None and conn.transport is not None:
            conn.protocol.force_close()
            conn.transport.set_protocol(_OneAnswer(conn.protocol))
        return await super().send(conn)


_TO_CONNECT = 0.9
"""Part of the time that a connection may take: the answer needs the rest. If it takes
longer, nothing was sent, which the end of the whole time would not show."""


@dataclass(frozen=True)
class Response:
    """A response with its whole body."""

    status: int
    headers: Mapping[str, str]
    data: bytes

    @cached_property
    def json(self) -> Answer | None:
        """The JSON object of the body, `None` if it is anything else."""
        return parse_object(self.data)


async def exchange(
    session: ClientSession,
    method: str,
    url: URL,
    *,
    data: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float,
    silence: float | None = None,
    limit: int,
) -> Response:
    """Send one request, without redirects; raises ProtocolError above `limit` bytes.

    It may take `timeout` seconds in all, and `silence` seconds without a byte.
    """
    to_connect = _TO_CONNECT * timeout
    try:
        async with session.request(
            method,
            url,
            data=data,
            headers=headers,
            timeout=ClientTimeout(
                total=timeout,
                sock_connect=to_connect,
                sock_read=silence,
                ceil_threshold=timeout + 1,  # else it may end a second later
            ),
            allow_redirects=False,
        ) as response:
            body = bytearray()
            async for chunk in response.content.iter_any():
                body += chunk
                if len(body) > limit:
                    raise ProtocolError("the answer is too long")
            return Response(response.status, response.headers, bytes(body))
    except (ClientConnectorError, ConnectionTimeoutError) as err:
        raise UnreachableError(
            f"no connection ({type(err).__name__})", ran=False
        ) from None
    except (ClientError, TimeoutError) as err:
        raise UnreachableError(f"no answer ({type(err).__name__})") from None
    except RuntimeError:
        if not session.closed:
            raise
        raise UnreachableError("the session is closed", ran=False) from None
