"""Hostile neighbours: rows H1 to H4 of protocol.md.

None of them has a controller's key. All can listen, announce, and answer.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
import json
from typing import Final, Self

from .controller import Controller
from .listener import StreamListener

MARKDOWN: Final = (
    "**Pool** [sign in](https://evil.example) ![x](http://evil.example/x.png) "
    "<img src=x> <b>now</b> `rm` evil@evil.example www.evil.example"
)
"""Text that takes effect in a dialog that does not escape it."""
PROTOCOL_VERSION: Final = "2"
UNSIGNED: Final = b"\x01" + bytes(40)
"""An envelope of the right form without a valid tag (protocol.md O1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """An mDNS announcement, which may be false (protocol.md 2.8)."""

    device_id: str
    mac: str
    firmware: str
    host: str
    port: int
    hostname: str
    name: str
    protocol: str = PROTOCOL_VERSION
    other_hosts: tuple[str, ...] = ()
    """Addresses of a second interface with the same identity (protocol.md 2.8)."""

    @classmethod
    def of(cls, controller: Controller) -> Self:
        """Return the announcement that a controller itself makes."""
        return cls(
            device_id=controller.device_id,
            mac=controller.announced_mac,
            firmware=controller.firmware,
            host=controller.host,
            port=controller.port,
            hostname=f"{controller.hostname}.",
            name=f"ctrl-{controller.announced_mac[-6:]}",
        )

    @property
    def text(self) -> dict[str, str]:
        return {
            "id": self.device_id,
            "mac": self.mac,
            "fw": self.firmware,
            "pv": self.protocol,
        }


class Replayer:
    """H1, H4: answers every request with frames that it recorded.

    Until it has recorded one, its envelopes have no valid signature (H3).
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.envelopes: list[bytes] = []
        self.connections = 0
        self._listener = StreamListener(self._answer, host)

    @property
    def port(self) -> int:
        return self._listener.port

    def start(self) -> None:
        self._listener.open()

    async def stop(self) -> None:
        await self._listener.stop()

    def listen_to(self, controller: Controller, frames: int = 1) -> None:
        """Record state frames of a controller; reading them needs no key."""
        self.envelopes += [controller.signed_state("state") for _ in range(frames)]

    def announces(self, controller: Controller) -> Announcement:
        """Return an announcement of a controller that leads to this replayer."""
        here = self._listener
        return replace(Announcement.of(controller), host=here.host, port=here.port)

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        with suppress(ConnectionError, EOFError, asyncio.LimitOverrunError):
            await reader.readuntil(b"\r\n\r\n")
            # One after the other, and then always the last one.
            heard = self.envelopes or [UNSIGNED]
            envelope = heard.pop(0) if len(heard) > 1 else heard[0]
            body = json.dumps({"env": envelope.hex()}).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
        writer.close()


def under_another_mac(controller: Controller, mac: str) -> Announcement:
    """H2: a controller's identifier with the MAC address of another device."""
    return replace(Announcement.of(controller), mac=mac)


def crowd(size: int) -> Iterator[Announcement]:
    """H3: controllers that do not exist, with `MARKDOWN` in their texts."""
    for number in range(size):
        mac = f"0e0000{number:06x}"
        octets = [mac[at : at + 2].upper() for at in range(0, 12, 2)]
        yield Announcement(
            device_id="_".join(octets),
            mac=mac,
            firmware=f"9.9.9 {MARKDOWN}" + "x" * 200,
            host="127.0.0.1",
            port=1,
            hostname=f"ctrl-{mac[-6:]}.local.",
            name=f"{number} {MARKDOWN}",
        )


def lure(controller: Controller, ports: range) -> Iterator[Announcement]:
    """H4: a controller's name at one port after another."""
    for port in ports:
        yield replace(Announcement.of(controller), port=port)
