"""A store that keeps the data it can read and sets aside the rest, without failing."""

from collections.abc import Mapping
from contextlib import suppress
import logging
from pathlib import Path
from typing import Any, override

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from ..const import DOMAIN

_LOGGER = logging.getLogger(__name__)

_VERSION = 1
_ANY_VERSION = 1_000_000
SET_ASIDE = f"{DOMAIN}.set_aside"
"""Key of the store, and name of its file, for what could not be read."""
_UNREADABLE = (HomeAssistantError, OSError, KeyError, TypeError, AttributeError)
"""Errors that Home Assistant raises for a file that is not a valid store."""


class TolerantStore(Store[Mapping[str, Any]]):
    """Home Assistant's store, which sets aside data that this version cannot read."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Prepare; nothing is read yet."""
        super().__init__(hass, _VERSION, DOMAIN, max_readable_version=_ANY_VERSION)

    async def async_load_any(self) -> Mapping[str, Any]:
        """Return the data stored by any version, empty if it cannot be read."""
        try:
            found: object = await self.async_load()
        except _UNREADABLE as err:
            _LOGGER.warning("The store cannot be read (%s)", type(err).__name__)
            with suppress(OSError):  # the folder may be read-only
                await self.hass.async_add_executor_job(self._move_away)
            return {}
        if isinstance(found, Mapping):
            return found
        if found is not None:
            await self.async_set_aside(found)
        return {}

    async def async_set_aside(self, odd: object) -> None:
        """Add data that cannot be read to the store `SET_ASIDE`."""
        store: Store[list[Any]] = Store(self.hass, _VERSION, SET_ASIDE)
        try:
            kept = await store.async_load()
        except _UNREADABLE:
            kept = None
        entry = {"at": dt_util.utcnow().isoformat(), "data": odd}
        with suppress(OSError):
            await store.async_save([*(kept or []), entry])
        _LOGGER.warning(
            "Some of what is remembered of pool controllers cannot be read by this"
            " version; it is kept in the file %s",
            store.path,
        )

    def _move_away(self) -> None:
        path = Path(self.path)
        if path.exists():
            path.rename(f"{path}.unreadable.{dt_util.utcnow().isoformat()}")

    @override
    async def _async_migrate_func(
        self,
        old_major_version: int,
        old_minor_version: int,
        old_data: object,
    ) -> Mapping[str, Any]:
        """Set another version's data aside; keep counters, which all versions share."""
        await self.async_set_aside({"version": old_major_version, "data": old_data})
        if not isinstance(old_data, Mapping):
            return {}
        return {
            device_id: {"counters": stored["counters"]}
            for device_id, stored in old_data.items()
            if isinstance(stored, Mapping) and "counters" in stored
        }
