"""Integration for pool controllers on the LAN, with the vendor's cloud as fallback."""

import asyncio
import logging

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv, device_registry as dr
from homeassistant.helpers.typing import ConfigType

from .account import AccountCoordinator, PoolctlConfigEntry, async_name_all, cloud_of
from .const import CONF_CONTROLLERS, DOMAIN, Connection
from .dashboard import (
    async_offer_dashboard,
    async_setup_dashboard,
    async_withdraw_dashboard,
)
from .hold_timer import async_leave_all
from .options import options_of
from .report.statistics import Observers
from .services import async_setup_services
from .status.table import async_delete_repairs_of_entry
from .store.memory import DATA_MEMORY, Memory
from .websocket_api import async_setup_plan

PLATFORMS = [
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.CALENDAR,
    Platform.CLIMATE,
    Platform.LIGHT,
    Platform.NUMBER,
    Platform.SELECT,
    Platform.SENSOR,
    Platform.SWITCH,
]

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


def _above_debug(record: logging.LogRecord) -> bool:
    """Leave out what Home Assistant writes for us: its debug lines contain identifiers.

    Our modules log under their own names.
    """
    return record.levelno > logging.DEBUG


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register the actions and load the stored data; both outlive any entry."""
    logging.getLogger(__package__).addFilter(_above_debug)
    async_setup_services(hass)
    async_setup_plan(hass)
    await _async_memory(hass)
    await async_setup_dashboard(hass)
    return True


async def _async_memory(hass: HomeAssistant) -> Memory:
    """Return the stored data; load it if setup did not run (all accounts disabled)."""
    if DATA_MEMORY not in hass.data:
        memory = Memory(hass)
        await memory.async_load()
        hass.data.setdefault(DATA_MEMORY, memory)
    return hass.data[DATA_MEMORY]


async def async_setup_entry(hass: HomeAssistant, entry: PoolctlConfigEntry) -> bool:
    """Set up from the stored data; the account is read in the background."""
    await async_offer_dashboard(hass)
    account = AccountCoordinator(hass, entry)
    entry.runtime_data = account
    await account.async_start()
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    async_name_all(hass)
    return True


async def async_remove_entry(hass: HomeAssistant, entry: PoolctlConfigEntry) -> None:
    """Forget a deleted account; remove the dashboard with the last account."""
    memory = await _async_memory(hass)
    others = hass.config_entries.async_entries(DOMAIN, include_ignore=False)
    others = [other for other in others if other.entry_id != entry.entry_id]
    shared = {each for other in others for each in other.data.get(CONF_CONTROLLERS, {})}
    await async_leave_all(hass, entry, shared, cloud_of(hass, entry, Observers()))
    for device_id in entry.data.get(CONF_CONTROLLERS, {}):
        if device_id not in shared:
            memory.forget(device_id)
    memory.forget(entry.entry_id)
    async_delete_repairs_of_entry(hass, entry.entry_id)
    async_name_all(hass)
    if not others:
        await async_withdraw_dashboard(hass)


async def async_remove_config_entry_device(
    hass: HomeAssistant, entry: PoolctlConfigEntry, device: dr.AnyDeviceEntry
) -> bool:
    """Allow a device to be deleted by hand unless it is a controller of the account."""
    if isinstance(device, dr.ChildDeviceEntry):
        return False  # a part of the pool is removed once it has no entities
    known = {(DOMAIN, device_id) for device_id in entry.data.get(CONF_CONTROLLERS, {})}
    return device.identifiers.isdisjoint(known)


async def async_unload_entry(hass: HomeAssistant, entry: PoolctlConfigEntry) -> bool:
    """Unload the entry; first release what could not be released afterwards."""
    controllers = entry.runtime_data.controllers.values()
    if entry.disabled_by:
        await asyncio.gather(*(each.async_leave() for each in controllers))
        # Not on a reload: the repairs would come back, and a user who had ignored them
        # would have to ignore them again.
        async_delete_repairs_of_entry(hass, entry.entry_id)
    elif options_of(entry).connection is Connection.CLOUD:
        # Releases the holds that need the LAN; a repair names those that remain.
        by_lan = [each.warm_by for each in controllers if each.options.uses_lan]
        await asyncio.gather(*(each.leave(only_lan=True) for each in by_lan))
    unloaded = await hass.config_entries.async_unload_platforms(entry, PLATFORMS)
    # The next start shows what was learned until now: it must survive a power cut.
    hass.data[DATA_MEMORY].save(at_once=True)
    return unloaded
