"""The Home Assistant of a family, and what all of the fortnight share."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
import time
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.upkeep.memory import DATA_MEMORY, Memory
from tests.simulator import Controller, Pool

from .diary import Diary
from .pool import ZONE, Meter, Sums, minus


@dataclass
class Home:
    """A family's Home Assistant and its pool."""

    hass: HomeAssistant
    controller: Controller
    entry: MockConfigEntry
    diary: Diary = field(init=False)
    meter: Meter = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    """When Home Assistant began to start, in s of the epoch."""
    up_since: datetime | None = None
    """`None` while it does not run."""
    unseen: list[Sums] = field(default_factory=list)
    """What the pool did each time it did not run."""
    acted: float = 0.0
    """When somebody last did something (s of the epoch)."""

    def __post_init__(self) -> None:
        pool = self.controller.pool
        self.diary, self.meter = Diary(pool), Meter(pool)

    @property
    def pool(self) -> Pool:
        """The pool, brought to the time it is."""
        return self.controller.pool

    @property
    def now(self) -> datetime:
        """The time on the wall."""
        return datetime.fromtimestamp(time.time(), ZONE)

    def note(self, what: str) -> None:
        """Keep what went wrong, and when."""
        self.wrong.append(f"{self.now:%a %d %H:%M:%S} {what}")

    async def until(self, at: datetime) -> None:
        """Wait for a time."""
        await asyncio.sleep(max(0.0, at.timestamp() - time.time()))

    # --- Home Assistant ---

    async def start(self) -> None:
        """Start it with what was written when it stopped."""
        self.starts.append(time.time())
        self.hass.data[DATA_MEMORY] = Memory(self.hass)
        await self.hass.data[DATA_MEMORY].async_load()
        await self.hass.config_entries.async_setup(self.entry.entry_id)
        if self.entry.state is not ConfigEntryState.LOADED:
            self.note(f"not set up: {self.entry.reason}")
        self.up_since = self.now

    async def stop(self) -> None:
        """Stop it, as an update of it does."""
        self.up_since = None
        await self.hass.config_entries.async_unload(self.entry.entry_id)
        self.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
        await asyncio.sleep(5)

    async def restart(self, seconds: float) -> None:
        """Let it be down for some time."""
        self.counts["restarts"] += 1
        before = self.meter.read()
        await self.stop()
        await asyncio.sleep(seconds)
        await self.start()
        self.unseen.append(minus(self.meter.read(), before))

    # --- Entities ---

    def entity_id(self, domain: str, key: str) -> str:
        """Return the entity of the controller with a key."""
        unique_id = f"{self.controller.device_id}_{key}"
        registry = er.async_get(self.hass)
        found = registry.async_get_entity_id(domain, DOMAIN, unique_id)
        assert found is not None, f"no {domain} {key}"
        return found

    def enable(self, key: str) -> None:
        """Have a sensor enabled from its beginning that nobody gets unasked."""
        er.async_get(self.hass).async_get_or_create(
            "sensor",
            DOMAIN,
            f"{self.controller.device_id}_{key}",
            config_entry=self.entry,
        )

    def state(self, domain: str, key: str) -> State | None:
        """Return the state of an entity."""
        return self.hass.states.get(self.entity_id(domain, key))

    async def act(self, action: str, domain: str, key: str, **data: Any) -> None:
        """Do something with an entity; nothing is in the way of it."""
        self.counts["commands"] += 1
        kind, _, name = action.partition(".")
        target = {"entity_id": self.entity_id(domain, key)}
        await self.hass.services.async_call(kind, name, target | data, blocking=True)
        self.acted = time.time()
