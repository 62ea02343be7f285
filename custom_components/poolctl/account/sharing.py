"""Controllers that several accounts own (of two people, for example): one runs each.

A second coordinator would double the polls and move the entities back and forth.
"""

from collections.abc import Callable

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigEntryState,
)
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from ..const import CONF_CONTROLLERS, DOMAIN
from ..devices.parts import registered_controller


@callback
def async_on_release(
    hass: HomeAssistant, released: Callable[[], None]
) -> CALLBACK_TYPE:
    """Call `released` when an account was disabled or deleted and has stopped."""

    @callback
    def changed(change: ConfigEntryChange, entry: ConfigEntry) -> None:
        gone = change is ConfigEntryChange.REMOVED or (
            entry.disabled_by and entry.state is ConfigEntryState.NOT_LOADED
        )
        if entry.domain == DOMAIN and gone:
            released()

    return async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed)


@callback
def async_runs_elsewhere(
    hass: HomeAssistant, entry: ConfigEntry, device_id: str
) -> bool:
    """Return whether another account runs a controller.

    The account that has its device runs it, else the first account that owns it.
    """
    entries = hass.config_entries.async_entries(
        DOMAIN, include_ignore=False, include_disabled=False
    )
    accounts = [
        each for each in entries if device_id in each.data.get(CONF_CONTROLLERS, {})
    ]
    owners = [e for e in entries if registered_controller(hass, e.entry_id, device_id)]
    runners = owners or accounts
    return bool(runners) and runners[0].entry_id != entry.entry_id


@callback
def async_take_over(hass: HomeAssistant, entry: ConfigEntry, device_id: str) -> None:
    """Remove a controller's device from other accounts, with its entities.

    Home Assistant restores their names and IDs when they are added again.
    """
    for other in hass.config_entries.async_entries(DOMAIN):
        device = registered_controller(hass, other.entry_id, device_id)
        if other.entry_id != entry.entry_id and device is not None:
            dr.async_get(hass).async_remove_device(device.id)
