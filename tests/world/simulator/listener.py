"""A TCP server that can be closed, and opened again on the same port."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
import socket


class Listener:
    """One listening socket.

    `open` and `close` act at once, so that a plain call can switch a fault. A
    connection that arrives before asyncio serves the socket waits in its backlog.
    """

    def __init__(self, factory: Callable[[], asyncio.BaseProtocol]) -> None:
        self._factory = factory
        self._socket: socket.socket | None = None
        self._serving: asyncio.Task[asyncio.Server] | None = None
        self.host = ""
        self.port = 0

    def bind(self, host: str, port: int) -> None:
        """Listen on an address; port 0 takes any free port, and keeps it."""
        self.close()
        self.host, self.port = host, port
        self.open()

    def open(self) -> None:
        """Listen (again) on the address last bound."""
        if self._socket is not None:
            return
        # Also resolves IPv6 addresses with a zone.
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        family, *_, address = found[0]
        self._socket = socket.create_server(address, family=family, backlog=64)
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]
        loop = asyncio.get_running_loop()
        self._serving = loop.create_task(
            loop.create_server(self._factory, sock=self._socket)
        )

    def close(self) -> None:
        """Stop listening, and drop every connection as a pulled cable does."""
        if self._socket is None or self._serving is None:
            return
        if self._serving.done():
            server = self._serving.result()
            server.close()
            server.abort_clients()
        else:
            self._serving.cancel()
        self._socket.close()
        self._socket = None

    async def stop(self) -> None:
        """Close, and wait until the server's task has ended."""
        self.close()
        if self._serving is not None:
            with suppress(asyncio.CancelledError):
                await self._serving
            self._serving = None
