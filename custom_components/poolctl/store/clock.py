"""The trusted time of this home: one clock for all controllers."""

from contextlib import suppress
from typing import Final, Self

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from ..client.clock import Clock
from ..client.cloud import CloudClient
from ..client.stored import Stored, number
from ..client.wire.envelope import MAX_COUNTER
from ..client.wire.exceptions import PoolctlError
from .memory import DATA_MEMORY, Memory, Section

_HOME: Final = "home"
"""Key in the store, in place of a device ID."""


class KeptClock:
    """The clock; its trusted time is stored with every save of the store."""

    def __init__(self, since: float | None) -> None:
        """Continue from the stored trusted time, in Unix seconds."""
        self.clock = Clock(since=since)

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored clock."""
        return cls(stored.get("trusted", number(0, MAX_COUNTER), None))

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        return {"trusted": self.clock.time()}


_CLOCK: Final = Section("clock", KeptClock.from_dict)


def clock_in(memory: Memory) -> Clock:
    """Return the clock, always the same object."""
    kept = memory.in_use(_HOME, _CLOCK.name)
    if not isinstance(kept, KeptClock):
        kept = memory.read(_HOME, _CLOCK)
    return kept.clock


@callback
def clock_of(hass: HomeAssistant) -> Clock:
    """Return the clock of the store that Home Assistant has loaded."""
    return clock_in(hass.data[DATA_MEMORY])


@callback
def async_ask_the_time(
    hass: HomeAssistant, entry: ConfigEntry, cloud: CloudClient
) -> None:
    """Check each jump of the clock against the service's time, until the entry ends."""

    async def ask() -> None:
        with suppress(PoolctlError):
            await cloud.inventory()

    def jumped() -> None:
        entry.async_create_background_task(hass, ask(), "poolctl clock")

    entry.async_on_unload(clock_of(hass).add_listener(jumped))
