"""A network of loopback addresses: the names it knows, and no way out of this machine."""

from collections.abc import Generator
from contextlib import contextmanager
import socket
from typing import override
from unittest.mock import patch

from aiohttp.abc import AbstractResolver, ResolveResult


class Network(AbstractResolver):
    """Stands in for multicast and DNS: names and addresses; other names do not exist."""

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
        """Have nothing to close."""

    real_close = close


@contextmanager
def network() -> Generator[Network]:
    """Take the place of Home Assistant's resolver, which would ask the real one."""
    found = Network()
    with patch(
        "homeassistant.helpers.aiohttp_client._async_make_resolver", return_value=found
    ):
        yield found
