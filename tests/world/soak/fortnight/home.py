"""The Home Assistant of a family, which all parts of the fortnight share."""

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
from custom_components.poolctl.store.memory import DATA_MEMORY, Memory
from tests.world.simulator import Controller, Pool

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
    """Times at which Home Assistant began to start (seconds since the epoch)."""
    up_since: datetime | None = None
    """`None` while Home Assistant is down."""
    unseen: list[Sums] = field(default_factory=list)
    """What the pool did during each downtime of Home Assistant."""
    acted: float = 0.0
    """Time of the last action (seconds since the epoch)."""

    def __post_init__(self) -> None:
        pool = self.controller.pool
        self.diary, self.meter = Diary(pool), Meter(pool)

    @property
    def pool(self) -> Pool:
        """The pool, updated to the current time."""
        return self.controller.pool

    @property
    def now(self) -> datetime:
        """The local time."""
        return datetime.fromtimestamp(time.time(), ZONE)

    def note(self, what: str) -> None:
        """Record an error with its time."""
        self.wrong.append(f"{self.now:%a %d %H:%M:%S} {what}")

    async def until(self, at: datetime) -> None:
        """Wait for a time."""
        await asyncio.sleep(max(0.0, at.timestamp() - time.time()))

    # --- Home Assistant ---

    async def start(self) -> None:
        """Start Home Assistant with the data that it wrote when it stopped."""
        self.starts.append(time.time())
        self.hass.data[DATA_MEMORY] = Memory(self.hass)
        await self.hass.data[DATA_MEMORY].async_load()
        await self.hass.config_entries.async_setup(self.entry.entry_id)
        if self.entry.state is not ConfigEntryState.LOADED:
            self.note(f"not set up: {self.entry.reason}")
        self.up_since = self.now

    async def stop(self) -> None:
        """Stop Home Assistant as an update does."""
        self.up_since = None
        await self.hass.config_entries.async_unload(self.entry.entry_id)
        self.hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
        await asyncio.sleep(5)

    async def restart(self, seconds: float) -> None:
        """Restart Home Assistant after a downtime of some seconds."""
        self.counts["restarts"] += 1
        before = self.meter.read()
        await self.stop()
        await asyncio.sleep(seconds)
        await self.start()
        self.unseen.append(minus(self.meter.read(), before))

    # --- Entities ---

    def entity_id(self, domain: str, key: str) -> str:
        """Return the ID of the controller's entity with a key."""
        unique_id = f"{self.controller.device_id}_{key}"
        registry = er.async_get(self.hass)
        found = registry.async_get_entity_id(domain, DOMAIN, unique_id)
        assert found is not None, f"no {domain} {key}"
        return found

    def enable(self, key: str) -> None:
        """Enable a sensor that is disabled by default, before it is created."""
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
        """Run an action on an entity; nothing prevents it."""
        self.counts["commands"] += 1
        kind, _, name = action.partition(".")
        target = {"entity_id": self.entity_id(domain, key)}
        await self.hass.services.async_call(kind, name, target | data, blocking=True)
        self.acted = time.time()
