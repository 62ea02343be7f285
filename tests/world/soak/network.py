"""A network of loopback addresses: its own names, and no way out of this machine."""

from collections.abc import Generator
from contextlib import contextmanager
import socket
from typing import override
from unittest.mock import patch

from aiohttp.abc import AbstractResolver, ResolveResult


class Network(AbstractResolver):
    """Replaces mDNS and DNS: only the names in `names` exist."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    @override
    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        if (address := self.names.get(host)) is None:
            raise OSError(f"no such name: {host}")
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=family, proto=0, flags=0
            )
        ]

    @override
    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    real_close = close


@contextmanager
def network() -> Generator[Network]:
    """Replace Home Assistant's resolver, which would use the real network."""
    found = Network()
    with patch(
        "homeassistant.helpers.aiohttp_client._async_make_resolver", return_value=found
    ):
        yield found
