"""The Home Assistant of a family, which all parts of the fortnight share."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
import time
from typing import Any, override

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import State

from tests.world.simulator import Controller, Pool

from ..engine import MINUTE, Run
from .diary import Diary
from .pool import ZONE, Meter


@dataclass(eq=False)
class Home(Run):
    """A family's Home Assistant and its pool."""

    diary: Diary = field(init=False)
    meter: Meter = field(init=False)
    starts: list[float] = field(default_factory=list)
    """Times at which Home Assistant began to start (seconds since the epoch)."""
    up_since: datetime | None = None
    """`None` while Home Assistant is down."""
    acted: float = 0.0
    """Time of the last action (seconds since the epoch)."""

    @override
    def __post_init__(self) -> None:
        super().__post_init__()
        self.diary, self.meter = Diary(self.pool), Meter(self.pool)

    @property
    def controller(self) -> Controller:
        return self.service.full

    @property
    def pool(self) -> Pool:
        """The pool, updated to the current time."""
        return self.controller.pool

    @property
    def now(self) -> datetime:
        return self.after(0)

    def after(self, minutes: float) -> datetime:
        """Return the local time some real minutes from now."""
        return datetime.fromtimestamp(time.time() + minutes * MINUTE, ZONE)

    async def until(self, at: datetime) -> None:
        """Wait for a time."""
        await asyncio.sleep(max(0.0, at.timestamp() - time.time()))

    @override
    async def start(self) -> None:
        self.starts.append(time.time())
        await super().start()
        if self.entry.state is not ConfigEntryState.LOADED:
            self.note(f"not set up: {self.entry.reason}")
        self.up_since = self.now
        self.meter.read()
        self.meter.visible = True

    async def restart(self, minutes: float) -> None:
        """Restart Home Assistant after a downtime."""
        self.meter.read()
        self.meter.visible, self.up_since = False, None
        await self.stop()
        await asyncio.sleep(minutes * MINUTE)
        await self.start()

    def entity_id(self, domain: str, key: str) -> str:
        """Return the ID of the entity with a key."""
        found = self.find(self.controller, domain, key)
        assert found is not None, f"no {domain} {key}"
        return found

    def state(self, domain: str, key: str) -> State | None:
        return self.hass.states.get(self.entity_id(domain, key))

    async def use(self, action: str, domain: str, key: str, **data: Any) -> None:
        """Run an action on an entity; nothing prevents it."""
        await self.act(self.entity_id(domain, key), action, **data)
        self.acted = time.time()
