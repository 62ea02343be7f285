"""The simulated service that all tests use."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
import time
from typing import Any, Self

from tests.world.simulator import Account, Clock, Cloud, Controller, Pool, Site

CLIENT_ID, CLIENT_SECRET = "client-id", "client-secret"
SMALL_ID, FULL_ID = "AA_BB_CC_00_00_01", "AA_BB_CC_00_00_02"


@dataclass
class Service:
    """One account with a small and a fully equipped pool."""

    clock: Clock
    small: Controller
    full: Controller
    account: Account = field(init=False)
    cloud: Cloud = field(init=False)

    def __post_init__(self) -> None:
        sites = [
            Site("Home", controllers=[self.small]),
            Site("Beach", controllers=[self.full]),
        ]
        self.account = Account("demo@example.com", "demo", sub="user-1", sites=sites)
        self.cloud = Cloud(
            clock=self.clock,
            clients={CLIENT_ID: CLIENT_SECRET},
            accounts=[self.account],
        )

    @property
    def controllers(self) -> list[Controller]:
        return [self.small, self.full]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Self]:
        """Run the service, from when pumps are primed and the chemistry is stable."""
        await self.cloud.start()
        for controller in self.controllers:
            await controller.start()
        self.clock.advance(600)
        try:
            yield self
        finally:
            for controller in self.controllers:
                await controller.stop()
            await self.cloud.stop()

    def token(self) -> dict[str, Any]:
        """Sign in; return the token as an entry holds it."""
        return token(self.cloud, self.account)


def token(cloud: Cloud, account: Account) -> dict[str, Any]:
    """Sign an account in; return its token as an entry holds it."""
    redirect = "https://ha.example"
    answer = cloud.sign_ins.token(
        {
            "grant_type": "authorization_code",
            "code": cloud.sign_ins.code(account, CLIENT_ID, redirect),
            "redirect_uri": redirect,
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
        }
    )
    return {**answer, "expires_at": time.time() + answer["expires_in"]}


def record(controller: Controller, **changes: Any) -> dict[str, Any]:
    """Return an entry's record of a controller."""
    return {
        "device_id": controller.device_id,
        "name": controller.name,
        "site": "Home",
        "mac": ":".join(controller.device_id.lower().split("_")),
        "firmware": controller.firmware,
        "host": controller.host,
        "port": controller.port,
        "key": controller.key.hex(),
        **changes,
    }


def two_controllers(clock: Clock, *keys: bytes) -> tuple[Controller, Controller]:
    """Return a small and a fully equipped pool, with these keys."""
    small, full = keys
    return (
        Controller(device_id=SMALL_ID, key=small, name="Home pool", clock=clock),
        Controller(
            device_id=FULL_ID,
            key=full,
            name="Beach pool",
            pool=Pool.full(),
            clock=clock,
        ),
    )
