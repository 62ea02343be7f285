"""A TCP server that can be closed, and opened again on the same port."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
import socket
from typing import Final, override

MAX_HEAD: Final = 8192


class Listener:
    """One listening socket.

    `open` and `close` act at once, so that a plain call can switch a fault. A
    connection that arrives before asyncio serves the socket waits in its backlog.
    """

    def __init__(
        self,
        factory: Callable[[], asyncio.BaseProtocol],
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """Prepare to listen; port 0 takes any free port, and keeps it."""
        self._factory = factory
        self._socket: socket.socket | None = None
        self._reserved: socket.socket | None = None
        """Keeps the port while it is closed: else a connection may take it."""
        self._serving: asyncio.Task[asyncio.Server] | None = None
        self.host, self.port = host, port

    def open(self) -> None:
        """Listen (again)."""
        if self._socket is not None:
            return
        # Also resolves IPv6 addresses with a zone.
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        family, *_, address = found[0]
        self._release()
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
        address, family = self._socket.getsockname(), self._socket.family
        if self._serving.done():
            server = self._serving.result()
            server.close()
            server.abort_clients()
        else:
            self._serving.cancel()
        self._socket.close()
        self._socket = None
        self._reserved = socket.socket(family)
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(address)

    def _release(self) -> None:
        if self._reserved is not None:
            self._reserved.close()
            self._reserved = None

    async def stop(self) -> None:
        """Close, and wait until the server's task has ended."""
        self.close()
        self._release()
        if self._serving is not None:
            with suppress(asyncio.CancelledError):
                await self._serving
            self._serving = None


class StreamListener(Listener):
    """A listener that serves each connection in a task of its own."""

    def __init__(
        self,
        serve: Callable[
            [asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]
        ],
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        super().__init__(self._protocol, host, port)
        self._serve = serve
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None]) -> None:
        """Run work until it ends, or until `stop`."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @override
    async def stop(self) -> None:
        await super().stop()
        for task in tuple(self._tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _protocol(self) -> asyncio.BaseProtocol:
        reader = asyncio.StreamReader(limit=MAX_HEAD)
        return asyncio.StreamReaderProtocol(
            reader, lambda reader, writer: self.start(self._serve(reader, writer))
        )
