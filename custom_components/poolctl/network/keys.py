"""Fetching the envelope keys of an account's controllers, with retries."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
import logging

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later

from ..client.cloud import CloudClient
from ..client.wire.exceptions import ForbiddenError, NotOfferedError, PoolctlError

_LOGGER = logging.getLogger(__name__)

KEY_RETRIES = (30.0, 120.0, 300.0)
"""Seconds until a key that could not be fetched is requested again; then hourly."""
_AT_ONCE = 4
_FIRST_LIMIT = 5.0
"""Seconds for a key in a reading of the inventory: set-up waits for that."""


class Keys:
    """Fetches keys as hex text, and retries those that could not be fetched."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry,
        cloud: CloudClient,
        adopt: Callable[[str, str], None],
    ) -> None:
        """`adopt` takes the device ID and the key that a retry fetched."""
        self._hass, self._entry = hass, entry
        self._cloud, self._adopt = cloud, adopt
        self._wanted: set[str] = set()
        """Controllers whose keys are to be requested again soon."""
        self._cancel_retry: CALLBACK_TYPE = lambda: None
        entry.async_on_unload(lambda: self._cancel_retry())  # noqa: PLW0108 - it changes

    async def async_fetch(
        self, wanted: Iterable[str], limit: float | None = _FIRST_LIMIT
    ) -> dict[str, str]:
        """Return the keys of controllers, without those that could not be fetched.

        `limit` is the time for each in s; a retry in the background needs none.
        """
        slots = asyncio.Semaphore(_AT_ONCE)
        self._wanted.clear()
        keys: dict[str, str] = {}

        async def fetch(device_id: str) -> None:
            try:
                async with slots, asyncio.timeout(limit):
                    keys[device_id] = (await self._cloud.envelope_key(device_id)).hex()
            except (ForbiddenError, NotOfferedError) as err:
                _LOGGER.debug("No envelope key, next try in an hour: %s", err)
            except (PoolctlError, TimeoutError) as err:
                self._wanted.add(device_id)
                _LOGGER.debug("No envelope key just now: %s", err)

        await asyncio.gather(*map(fetch, wanted))
        return keys

    @callback
    def async_plan_retry(self, tries: int = 0) -> None:
        """Schedule a retry for the keys that could not be fetched."""
        self._cancel_retry()
        if not self._wanted or tries >= len(KEY_RETRIES):
            return

        @callback
        def retry(now: datetime) -> None:
            self._entry.async_create_background_task(
                self._hass, self._async_retry(tries), "poolctl keys"
            )

        self._cancel_retry = async_call_later(self._hass, KEY_RETRIES[tries], retry)

    async def _async_retry(self, tries: int) -> None:
        keys = await self.async_fetch(tuple(self._wanted), None)
        for device_id, key in keys.items():
            self._adopt(device_id, key)
        self.async_plan_retry(tries + 1)
