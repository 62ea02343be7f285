"""What both scripts of the soak need: a Home Assistant and a service in simulated time.

A script is a run of an entry with two controllers. It counts what happened and notes
what is wrong; `finish` reports the one and fails because of the other.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
import os
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.store.memory import DATA_MEMORY, Memory
from tests.world.assistant.service import Service
from tests.world.simulator import Controller

from .log import LogWatch
from .timelapse import timelapse

MINUTE, HOUR = 60.0, 3600.0
SEED: Final = int(os.environ.get("POOLCTL_SOAK_SEED", "1"))
SHOWN: Final = 50
"""Number of violations that are shown, the first ones: they are causes of others."""


@dataclass(eq=False)
class Run:
    """A run: `counts` has the number of each event, `wrong` the violations."""

    hass: HomeAssistant
    service: Service
    entry: MockConfigEntry
    counts: Counter[str] = field(default_factory=Counter, kw_only=True)
    wrong: dict[str, str] = field(default_factory=dict, kw_only=True)
    """Violations, each with the time at which it was noted first."""
    watch: LogWatch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = LogWatch(self.secrets, self.note, self.counts)

    def secrets(self) -> list[str]:
        """Return the texts that no log line may contain."""
        token = self.entry.data["token"]
        return [
            *(token["access_token"], token["refresh_token"]),
            self.service.account.email,
            *(controller.key.hex() for controller in self.service.controllers),
        ]

    @contextmanager
    def in_simulated_time(self, freezer: FrozenDateTimeFactory) -> Generator[None]:
        """Jump from timer to timer, and read the log."""
        with timelapse(freezer), self.watch.reading():
            yield

    def note(self, *violations: str) -> None:
        """Record violations with their time, each once."""
        for what in violations:
            self.wrong.setdefault(what, f"{dt_util.now():%a %d %H:%M:%S}")

    def finish(self, record_property: Callable[[str, object], None]) -> None:
        """Report what happened, and fail if anything is wrong."""
        counted = (f"{name} {number}" for name, number in sorted(self.counts.items()))
        record_property("soak", f"seed {SEED}: {', '.join(counted)}")
        wrong = [f"{when} {what}" for what, when in self.wrong.items()]
        assert not wrong, "\n".join(["", *wrong[:SHOWN]])

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
