"""The simulated service of the benchmarks: any number of fully equipped pools.

An account has at most 50 pools: Home Assistant limits the number of entities. An extra
account has one pool, for costs that only the first pool causes in Home Assistant.

`Service` runs in this process; `elsewhere` runs one in another process, so that its
work is not counted as Home Assistant's. This file does not import Home Assistant.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack, contextmanager
from itertools import batched
import multiprocessing
from multiprocessing.connection import Connection
from typing import Any, Final, Self

from tests.world.service import CLIENT_ID, CLIENT_SECRET, record, token
from tests.world.simulator import Account, Clock, Cloud, Controller, Pool, Site

MOST: Final = 50
SETTLED: Final = 600.0
"""Seconds until pumps are primed and the chemistry is stable."""


class Service:
    """A running service."""

    def __init__(self, controllers: int, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        first, *self.controllers = [
            Controller(
                device_id=f"AA_BB_CC_00_00_{number:02X}",
                key=bytes([number]) * 16,
                name=f"Pool {number}",
                pool=Pool.full(),
                clock=self.clock,
            )
            for number in range(1, controllers + 2)
        ]
        self.accounts = [
            _account(f"demo{number}", list(owned))
            for number, owned in enumerate(
                batched(self.controllers, MOST, strict=False)
            )
        ]
        self.first_account = _account("first", [first])
        self.cloud = Cloud(
            clock=self.clock,
            clients={CLIENT_ID: CLIENT_SECRET},
            accounts=[*self.accounts, self.first_account],
        )
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self.cloud.start()
        self._stack.push_async_callback(self.cloud.stop)
        for controller in _controllers(self.first_account) + self.controllers:
            await controller.start()
            self._stack.push_async_callback(controller.stop)
        self.clock.advance(SETTLED)
        # The wall clock must agree with Home Assistant's.
        self.clock.set_back(SETTLED)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def entry_data(self, account: Account | None = None) -> dict[str, Any]:
        """Return the data of an account's config entry, with its controllers."""
        account = account or self.accounts[0]
        return {
            "auth_implementation": "poolctl",
            "url": self.cloud.base_url,
            "token": token(self.cloud, account),
            "controllers": {c.device_id: record(c) for c in _controllers(account)},
        }


def _account(name: str, controllers: list[Controller]) -> Account:
    site = Site("Home", controllers=controllers)
    return Account(f"{name}@example.com", name, sub=name, sites=[site])


def _controllers(account: Account) -> list[Controller]:
    return [each for site in account.sites for each in site.controllers]


# --- In a process of its own ------------------------------------------------------


class Elsewhere:
    """A service in another process."""

    first_entry_data: dict[str, Any]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.entries_data, self.first_entry_data = connection.recv()

    @property
    def entry_data(self) -> dict[str, Any]:
        """Data of the first account's config entry."""
        data: dict[str, Any] = self.entries_data[0]
        return data

    def ask[T](self, question: Callable[[Service], T]) -> T:
        """Call a module-level function with the service, and return its result."""
        self._connection.send(question)
        answer: T = self._connection.recv()
        return answer


@contextmanager
def elsewhere(controllers: int) -> Generator[Elsewhere]:
    """Run a service in another process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, controllers))
    process.start()
    # Without our copy of its end, reads fail once the process has ended.
    theirs.close()
    try:
        yield Elsewhere(ours)
    finally:
        ours.close()
        process.join(10)
        process.kill()


def _serve(connection: Connection, controllers: int) -> None:
    asyncio.run(_answer(connection, controllers))


async def _answer(connection: Connection, controllers: int) -> None:
    async with Service(controllers) as service:
        entries = [service.entry_data(account) for account in service.accounts]
        connection.send((entries, service.entry_data(service.first_account)))
        while True:
            try:
                question = await asyncio.to_thread(connection.recv)
            except EOFError:
                return
            connection.send(question(service))
