"""What every script of the soak needs: a Home Assistant and a service in simulated time.

A script is a run of an entry with two controllers. It notes what is wrong, counts what
happened, and reports both at the end.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
import logging
import time
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.store.memory import DATA_MEMORY, Memory
from tests.world.assistant.service import FULL_ID, SMALL_ID, Service
from tests.world.simulator import Controller, Pool

from .timelapse import SharedClock, timelapse
from .watch import LogWatch, watching

MINUTE, HOUR = 60.0, 3600.0


def service_of(small: tuple[str, Pool], full: tuple[str, Pool], port: int) -> Service:
    """Return the service of two pools with their names; it is not running yet."""
    clock = SharedClock()
    named = (
        (SMALL_ID, bytes(range(16)), *small),
        (FULL_ID, bytes(range(16, 32)), *full),
    )
    return Service(
        clock,
        *(
            Controller(
                device_id=device_id,
                key=key,
                name=name,
                pool=pool,
                clock=clock,
                host=f"127.0.0.{number}",
                port=port,
            )
            for number, (device_id, key, name, pool) in enumerate(named, 2)
        ),
    )


@asynccontextmanager
async def running(service: Service) -> AsyncGenerator[Service]:
    """Run the service, with its clock set to the current time."""
    async with service.running():
        service.clock.set_back(service.clock.time() - time.time())
        yield service


@dataclass(eq=False)
class Run:
    """A run: `counts` has the number of each event, `wrong` the violations."""

    hass: HomeAssistant
    service: Service
    entry: MockConfigEntry
    counts: Counter[str] = field(default_factory=Counter, kw_only=True)
    wrong: list[str] = field(default_factory=list, kw_only=True)
    watch: LogWatch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = LogWatch(self.secrets)

    def secrets(self) -> list[str]:
        """Return the texts that no log line may contain."""
        token = self.entry.data["token"]
        return [
            *(token["access_token"], token["refresh_token"]),
            self.service.account.email,
            *(controller.key.hex() for controller in self.service.controllers),
        ]

    @contextmanager
    def in_simulated_time(
        self, freezer: FrozenDateTimeFactory, level: int = logging.DEBUG
    ) -> Generator[None]:
        """Jump from timer to timer, and read the log from a level on."""
        with timelapse(freezer), watching(self.watch, level):
            yield

    def note(self, what: str) -> None:
        """Record a violation with its time, once."""
        line = f"{dt_util.now():%a %d %H:%M:%S} {what}"
        if line not in self.wrong:
            self.wrong.append(line)

    async def start(self) -> None:
        """Start Home Assistant with nothing but what was written when it stopped."""
        self.hass.data[DATA_MEMORY] = Memory(self.hass)
        await self.hass.data[DATA_MEMORY].async_load()
        await self.hass.config_entries.async_setup(self.entry.entry_id)

    async def stop(self) -> None:
        """Stop Home Assistant as an update does."""
        await self.hass.config_entries.async_unload(self.entry.entry_id)
        self.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
        await asyncio.sleep(5)

    def find(self, controller: Controller, domain: str, key: str) -> str | None:
        """Return the ID of a controller's entity with a key."""
        unique_id = f"{controller.device_id}_{key}"
        return er.async_get(self.hass).async_get_entity_id(domain, DOMAIN, unique_id)

    async def act(self, entity_id: str, action: str, **data: Any) -> None:
        """Run an action like `switch.turn_on` on an entity."""
        domain, _, name = action.partition(".")
        target = {"entity_id": entity_id}
        await self.hass.services.async_call(domain, name, target | data, blocking=True)
