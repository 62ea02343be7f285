"""A closed season: the time while a user has disabled polling.

Nothing is read then but what a user asks for. Once such a state has expired, the pool is
unavailable, not stale (chosen).
"""

from collections.abc import Callable
from datetime import datetime

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later

from ..client import LiveState
from ..client.pool import PoolState


@callback
def async_watch_expiry(
    hass: HomeAssistant, live: LiveState, show: Callable[[], None]
) -> CALLBACK_TYPE:
    """Show a state that has expired; return a function that stops it."""
    cancel: CALLBACK_TYPE | None = None

    @callback
    def expired(now: datetime) -> None:
        show()

    @callback
    def was_read(state: PoolState, at: float) -> None:
        nonlocal cancel
        if cancel is not None:
            cancel()
        cancel = async_call_later(hass, live.expires_in, expired)

    @callback
    def stop() -> None:
        unfollow()
        if cancel is not None:
            cancel()

    unfollow = live.add_read_listener(was_read)
    return stop
