"""A closed season: the time while a user has disabled polling.

Home Assistant then reads nothing by itself, so an old state would not be noticed. A
state that expires is read once more: a pool that answers stays usable. One that does not
answer is unavailable, and the next read is the one that a user asks for (chosen).
"""

from collections.abc import Awaitable, Callable
from datetime import datetime

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later

from ..client.control.live_state import LiveState
from ..client.pool.state import PoolState

_ENTITIES_FIRST = 5.0
"""Seconds until the first read: entities are first created from the stored state."""


@callback
def async_watch_expiry(
    hass: HomeAssistant, live: LiveState, read: Callable[[], Awaitable[None]]
) -> CALLBACK_TYPE:
    """Read the state soon and whenever it expires; return a function that stops it."""

    async def expired(now: datetime) -> None:
        await read()
        if live.expires_in <= 0:
            # One answer may get lost, and the cloud is read only after a second miss.
            await read()

    cancel = async_call_later(hass, _ENTITIES_FIRST, expired)

    @callback
    def was_read(state: PoolState, at: float) -> None:
        nonlocal cancel
        cancel()
        cancel = async_call_later(hass, live.expires_in, expired)

    @callback
    def stop() -> None:
        unfollow()
        cancel()

    unfollow = live.add_read_listener(was_read)
    return stop
