"""A closed season: the time while a user has disabled polling.

Home Assistant then reads nothing by itself, so an old state would not be noticed. A
state that expires is read once more: a pool that answers stays usable, and one that
does not is unavailable and is not read again until a user asks (chosen).
"""

from collections.abc import Awaitable, Callable
from datetime import datetime

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later

from ..client.control.store import Store
from ..client.pool.state import PoolState

_ENTITIES_FIRST = 5.0
"""Seconds until the first read: entities are first created from the stored state."""


class ExpiryWatch:
    """Reads the state of one controller once more when it expires."""

    def __init__(
        self, hass: HomeAssistant, store: Store, read: Callable[[], Awaitable[None]]
    ) -> None:
        """Prepare; `read` reads the state now."""
        self._hass = hass
        self._store = store
        self._read = read
        self._cancel: CALLBACK_TYPE | None = None

    @callback
    def async_start(self) -> CALLBACK_TYPE:
        """Start with a first read soon; return a function that stops the watch."""
        self._plan(_ENTITIES_FIRST)
        unfollow = self._store.add_read_listener(self._was_read)

        @callback
        def stop() -> None:
            unfollow()
            self._give_up()

        return stop

    @callback
    def _was_read(self, state: PoolState, at: float) -> None:
        self._plan(self._store.expires_in)

    @callback
    def _plan(self, seconds: float) -> None:
        self._give_up()
        self._cancel = async_call_later(self._hass, seconds, self._expired)

    @callback
    def _give_up(self) -> None:
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    async def _expired(self, now: datetime) -> None:
        self._cancel = None
        await self._read()
        if self._store.expires_in <= 0:
            # One answer may get lost, and the cloud is read only after a second miss.
            await self._read()
