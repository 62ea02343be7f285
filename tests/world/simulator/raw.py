"""A minimal client of the LAN endpoint, for the simulator's own tests."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
import json
from typing import Any

from . import wire
from .controller import Controller
from .lan import PATH


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response as it came over the socket."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def request(
    body: bytes = b"", *, method: str = "POST", path: str = PATH, length: object = ...
) -> bytes:
    """Build an HTTP request; `length` None leaves Content-Length out."""
    size = len(body) if length is ... else length
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: pool",
        "Content-Type: application/json",
    ]
    if size is not None:
        lines.append(f"Content-Length: {size}")
    return "\r\n".join([*lines, "", ""]).encode() + body


async def exchange(controller: Controller, data: bytes, *, eof: bool = False) -> Reply:
    """Send bytes, and read until the controller closes the connection."""
    reader, writer = await asyncio.open_connection(controller.host, controller.port)
    try:
        writer.write(data)
        if eof:
            writer.write_eof()
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    first, *lines = head.decode().split("\r\n")
    pairs = (line.partition(": ") for line in lines)
    headers = {name.lower(): value for name, _, value in pairs}
    return Reply(int(first.split(" ")[1]), headers, body)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true, for at most 5 s."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - anything may be waited for
            await asyncio.sleep(0.001)


class Signer:
    """A client with the key of a controller."""

    def __init__(self, controller: Controller, counter: int = 0) -> None:
        self.controller, self.counter = controller, counter

    def envelope(self, payload: bytes = b"") -> str:
        """Sign a payload with the next counter."""
        self.counter += 1
        return wire.wrap(self.controller.key, self.counter, payload).hex()

    async def call(self, op: str, name: str = "", env: str = "") -> Reply:
        body = json.dumps({"op": op, "name": name, "env": env}).encode()
        return await exchange(self.controller, request(body))

    async def state(self) -> Reply:
        return await self.call("state")

    async def action(self, name: str, payload: bytes = b"") -> Reply:
        return await self.call("a", name, self.envelope(payload))

    async def query(self, name: str) -> Reply:
        return await self.call("q", name, self.envelope())

    def payload(self, reply: Reply) -> bytes:
        """Return the payload of a reply's envelope, verified."""
        return wire.unwrap(self.controller.key, wire.from_hex(reply.json["env"]))[1]

    def frame(self, reply: Reply) -> wire.Frame:
        return wire.decode_frame(self.payload(reply))
