"""Lines of the system health page: how the controllers of all accounts are reached."""

from collections import Counter
from typing import Final

from homeassistant.components import system_health
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.translation import async_translate_state

from .account import AccountCoordinator, PoolctlConfigEntry
from .const import DOMAIN
from .status.connection import reason

_STARTED: Final = {ConfigEntryState.LOADED, ConfigEntryState.SETUP_RETRY}
"""States with runtime data; in a retry of the set-up, all controllers are lost."""


@callback
def async_register(
    hass: HomeAssistant, register: system_health.SystemHealthRegistration
) -> None:
    """Register the lines of this integration for the page."""
    register.async_register_info(
        system_health_info, f"/config/integrations/integration/{DOMAIN}"
    )


async def system_health_info(hass: HomeAssistant) -> dict[str, object]:
    """Return one value per line. It sends no request, but uses the newest polls."""
    entries: list[PoolctlConfigEntry] = hass.config_entries.async_entries(DOMAIN)
    accounts = [entry.runtime_data for entry in entries if entry.state in _STARTED]
    reached = Counter(
        controller.state.source if controller.view.reached else "lost"
        for account in accounts
        for controller in account.controllers.values()
    )
    return {
        "accounts": len(accounts),
        "on_lan": reached["lan"],
        "on_cloud": reached["cloud"],
        "lost": reached["lost"],
        "cloud_reachable": next(filter(None, map(_failure, accounts)), "ok"),
    }


def _failure(account: AccountCoordinator) -> dict[str, str] | None:
    """Return why the service did not answer the last request, `None` if it did."""
    statistics = account.observers.service
    if not (error := statistics.last_error) or not statistics.misses_in_a_row:
        return None
    # In the words of the sensor of the same connection
    words = async_translate_state(
        account.hass, reason(error), "sensor", DOMAIN, "cloud_service", None
    )
    return {"type": "failed", "error": f"{words} ({error.__name__})"}
