"""The trusted time of this home: one clock for all controllers."""

from contextlib import suppress
from typing import Final, Self

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from ..client.clock import Clock
from ..client.cloud import CloudClient
from ..client.envelope import MAX_COUNTER
from ..client.exceptions import PoolctlError
from ..client.stored import Stored, number
from .memory import DATA_MEMORY, Memory, Section

_HOME: Final = "home"
"""Stands in the store where the identifiers of controllers do."""


class KeptClock:
    """The clock; the newest trusted moment is stored whenever anything is."""

    def __init__(self, since: float | None) -> None:
        """Go on from the trusted moment that was stored, in Unix seconds."""
        self.clock = Clock(since=since)

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(stored.get("trusted", number(0, MAX_COUNTER), None))

    def as_dict(self) -> dict[str, object]:
        """Return what to store."""
        return {"trusted": self.clock.time()}


_CLOCK: Final = Section("clock", KeptClock.from_dict)


def clock_in(memory: Memory) -> Clock:
    """Return the clock, the same one every time."""
    kept = memory.in_use(_HOME, _CLOCK.name)
    if not isinstance(kept, KeptClock):
        kept = memory.read(_HOME, _CLOCK)
    return kept.clock


@callback
def clock_of(hass: HomeAssistant) -> Clock:
    """Return the clock of the store that was read."""
    return clock_in(hass.data[DATA_MEMORY])


@callback
def async_ask_the_time(
    hass: HomeAssistant, entry: ConfigEntry, cloud: CloudClient
) -> None:
    """Have the service confirm or deny each jump of the clock, until the entry ends."""

    async def ask() -> None:
        with suppress(PoolctlError):
            await cloud.inventory()

    def jumped() -> None:
        entry.async_create_background_task(hass, ask(), "poolctl clock")

    entry.async_on_unload(clock_of(hass).add_listener(jumped))
