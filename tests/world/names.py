"""Names on a network of loopback addresses, which has no way out of this machine."""

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
import socket
from typing import override
from unittest.mock import patch

from aiohttp.abc import AbstractResolver, ResolveResult


class Names(AbstractResolver):
    """Replaces mDNS and DNS: look-ups of names without an address fail at once."""

    def __init__(self) -> None:
        self.addresses = {"localhost": "127.0.0.1"}
        self.asked = deque[str](maxlen=100)

    @override
    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        self.asked.append(host)
        if (address := self.addresses.get(host)) is None:
            raise OSError(f"no such name: {host}")
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=family, proto=0, flags=0
            )
        ]

    @override
    async def close(self) -> None:
        """Do nothing: nothing is open."""

    real_close = close


@contextmanager
def known_names() -> Generator[Names]:
    """Replace Home Assistant's resolver, which would query the network."""
    found = Names()
    with patch(
        "homeassistant.helpers.aiohttp_client._async_make_resolver", return_value=found
    ):
        yield found
