"""A second read soon after one that changed a problem, not with the next poll."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later

from ..client.control.live_state import LiveState

_AFTER: Final = 2.5
"""Seconds after the first read (chosen): one odd frame is over then."""


class SecondRead:
    """Reads once more after a read that a second one has to confirm."""

    def __init__(
        self,
        hass: HomeAssistant,
        live: LiveState,
        read: Callable[[], Awaitable[object]],
    ) -> None:
        """Call `read` for the second read, unless another one comes first."""
        self._hass, self._live, self._read = hass, live, read
        self._followed: float | None = None
        """Time of the newest read that was followed (monotonic, s)."""
        self.async_cancel: CALLBACK_TYPE = lambda: None
        """Cancels the second read, if one is to come."""

    @callback
    def async_follow(
        self, checking: Mapping[str, float], read_at: float | None
    ) -> None:
        """Follow a read if it changed one of the problems, given with their first read."""
        if read_at == self._followed or read_at not in checking.values():
            return
        self._followed = read_at
        self.async_cancel()
        self.async_cancel = async_call_later(self._hass, _AFTER, self._again)

    async def _again(self, now: datetime) -> None:
        if self._live.read_at == self._followed:
            await self._read()
