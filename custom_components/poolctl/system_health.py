"""The lines of the system health page: how the accounts are connected."""

from collections.abc import Callable, Iterator

from homeassistant.components import system_health
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, callback

from .account import AccountCoordinator, PoolctlConfigEntry
from .client.pool.state import Source
from .client.statistics import LinkStatistics
from .const import DOMAIN
from .coordinator import ControllerCoordinator

type _Value = int | str | dict[str, str]

_STARTED = {ConfigEntryState.LOADED, ConfigEntryState.SETUP_RETRY}
"""While an entry retries its set-up nothing answers: its controllers are lost."""
_MANAGE_URL = f"/config/integrations/integration/{DOMAIN}"


@callback
def async_register(
    hass: HomeAssistant, register: system_health.SystemHealthRegistration
) -> None:
    """Have this integration asked when somebody opens the page."""
    register.async_register_info(system_health_info, _MANAGE_URL)


async def system_health_info(hass: HomeAssistant) -> dict[str, object]:
    """Return one value per line; with several accounts, those of all, in the order of set-up.

    It sends no request: the newest polls have told.
    """
    entries: list[PoolctlConfigEntry] = hass.config_entries.async_entries(DOMAIN)
    accounts = [entry.runtime_data for entry in entries if entry.state in _STARTED]
    if len(accounts) == 1:
        return {key: value(accounts[0]) for key, value in _LINES.items()}
    return {
        "accounts": len(accounts),
        **{
            key: ", ".join(_words(value(account)) for account in accounts)
            for key, value in _LINES.items()
            if accounts
        },
    }


def _count(
    fits: Callable[[ControllerCoordinator], bool],
) -> Callable[[AccountCoordinator], int]:
    return lambda account: sum(map(fits, account.controllers.values()))


def _on(source: Source) -> Callable[[ControllerCoordinator], bool]:
    return lambda controller: (
        controller.last_update_success and controller.data.source is source
    )


def _cloud(account: AccountCoordinator) -> str | dict[str, str]:
    """Tell whether the service answered what it was asked last."""
    statistics = account.cloud.statistics
    if statistics.works is False:
        return {"type": "failed", "error": str(statistics.last_error)}
    return "ok" if statistics.works else "unknown"


def _links(account: AccountCoordinator) -> Iterator[tuple[str, LinkStatistics]]:
    yield "cloud", account.cloud.statistics
    for controller in account.controllers.values():
        yield "LAN", controller.controller.paths.statistics.lan
        yield "cloud", controller.controller.paths.statistics.cloud


def _last_error(account: AccountCoordinator) -> str:
    """Return the newest error of all links, even one that is long over."""
    errors = [
        (link.last_error_at, link.last_error, name)
        for name, link in _links(account)
        if link.last_error_at and link.last_error
    ]
    if not errors:
        return "none"
    at, error, name = max(errors)
    return f"{error} ({name}, {at.isoformat(timespec='seconds')})"


_LINES: dict[str, Callable[[AccountCoordinator], _Value]] = {
    "on_lan": _count(_on(Source.LAN)),
    "on_cloud": _count(_on(Source.CLOUD)),
    "lost": _count(lambda controller: not controller.last_update_success),
    "cloud_reachable": _cloud,
    "last_error": _last_error,
}


def _words(value: _Value) -> str:
    return f"failed: {value['error']}" if isinstance(value, dict) else str(value)
