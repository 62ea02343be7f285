"""One HTTP exchange with this package's errors and a limit on the response size."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
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


class ClosingRequest(ClientRequest):
    """A request whose connection is not reused.

    A server that closes after each response may not announce it: such a connection,
    reused from a pool, may break just as the next command is sent.
    """

    @override
    async def send(self, conn: Connection) -> ClientResponse:
        """Send the request and let its connection close at the end."""
        if conn.protocol is not None:
            conn.protocol.force_close()
        return await super().send(conn)


_CONNECT_TIMEOUT = 4.0
"""Seconds; leaves time for a second attempt within one poll."""


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
    limit: int,
) -> Response:
    """Send one request, without redirects; raises ProtocolError above `limit` bytes."""
    try:
        async with session.request(
            method,
            url,
            data=data,
            headers=headers,
            timeout=ClientTimeout(total=timeout, sock_connect=_CONNECT_TIMEOUT),
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
