"""The table of possible problems: everything that reports problems reads it."""

from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, issue_registry as ir

from ..const import DOMAIN
from .account import ACCOUNT_PROBLEMS
from .connection import CONNECTION_PROBLEMS, LOSSES
from .pool import POOL_PROBLEMS
from .rows import Problem
from .situation import Situation

PROBLEMS: Final[tuple[Problem[Situation], ...]] = (
    *LOSSES,
    *POOL_PROBLEMS,
    *CONNECTION_PROBLEMS,
)
"""Rows of a controller, of equal severity the worst for its owner first; texts, repairs
and automations refer to their `key`."""
KEYS: Final = (
    *(row.key for row in PROBLEMS),
    *(row.key for row in ACCOUNT_PROBLEMS),
)
"""Keys of all problems that a controller can show."""


@callback
def async_delete_repairs(hass: HomeAssistant, *subject_ids: str) -> None:
    """Delete the repairs of controllers or accounts that are gone or disabled."""
    for subject_id in subject_ids:
        for key in KEYS:
            ir.async_delete_issue(hass, DOMAIN, f"{key}_{subject_id}")


@callback
def async_delete_repairs_of_entry(hass: HomeAssistant, entry_id: str) -> None:
    """Delete all repairs of an entry that is deleted or disabled."""
    devices = dr.async_entries_for_config_entry(dr.async_get(hass), entry_id)
    async_delete_repairs(hass, entry_id, *(device.id for device in devices))
