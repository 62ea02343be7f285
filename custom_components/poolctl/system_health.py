"""Lines of the system health page: the connections of the accounts."""

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Final

from homeassistant.components import system_health
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.translation import (
    async_get_cached_translations,
    async_translate_state,
)
from homeassistant.util import dt as dt_util

from .account import AccountCoordinator, PoolctlConfigEntry
from .client.exceptions import PoolctlError
from .client.pool.state import Source
from .const import DOMAIN
from .coordinator import ControllerCoordinator
from .network.links import reason
from .observed.statistics import LinkStatistics

type _Value = int | str | dict[str, str]

_STARTED = {ConfigEntryState.LOADED, ConfigEntryState.SETUP_RETRY}
"""States with runtime data; in a retry of the set-up, all controllers are lost."""
_LAN: Final = "local_network"
_CLOUD: Final = "cloud_service"
"""Keys of the sensors whose translated states describe the two paths."""
_MANAGE_URL = f"/config/integrations/integration/{DOMAIN}"


@callback
def async_register(
    hass: HomeAssistant, register: system_health.SystemHealthRegistration
) -> None:
    """Register the lines of this integration for the page."""
    register.async_register_info(system_health_info, _MANAGE_URL)


async def system_health_info(hass: HomeAssistant) -> dict[str, object]:
    """Return one value per line; those of several accounts are in the order of set-up.

    It sends no request, but uses the results of the newest polls.
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
    """Return whether the service answered the last request."""
    statistics = account.observers.service
    if (error := statistics.last_error) and statistics.works is False:
        words = f"{_reason(account, error, _CLOUD)} ({error.__name__})"
        return {"type": "failed", "error": words}
    return "ok" if statistics.works else "unknown"


def _links(account: AccountCoordinator) -> Iterator[tuple[str, LinkStatistics]]:
    yield _CLOUD, account.observers.service
    for device_id in account.controllers:
        statistics = account.observers.statistics[device_id]
        yield from ((_LAN, statistics.lan), (_CLOUD, statistics.cloud))


def _last_error(account: AccountCoordinator) -> str:
    """Return the newest error of all links, even if the link works again."""
    errors = [
        (link.last_error_at, link.last_error, key)
        for key, link in _links(account)
        if link.last_error_at and link.last_error
    ]
    if not errors:
        return "none"
    at, error, key = max(errors, key=itemgetter(0))
    when = dt_util.as_local(at).isoformat(" ", "seconds")
    words = _reason(account, error, key)
    return f"{words} ({_name(account, key)}, {when}, {error.__name__})"


def _reason(account: AccountCoordinator, error: type[PoolctlError], sensor: str) -> str:
    """Return an error in the words of the sensor of its path."""
    state = reason(error)
    return async_translate_state(account.hass, state, "sensor", DOMAIN, sensor, None)


def _name(account: AccountCoordinator, sensor: str) -> str:
    language = account.hass.config.language
    texts = async_get_cached_translations(account.hass, language, "entity", DOMAIN)
    return texts.get(f"component.{DOMAIN}.entity.sensor.{sensor}.name", sensor)


_LINES: dict[str, Callable[[AccountCoordinator], _Value]] = {
    "on_lan": _count(_on(Source.LAN)),
    "on_cloud": _count(_on(Source.CLOUD)),
    "lost": _count(lambda controller: not controller.last_update_success),
    "cloud_reachable": _cloud,
    "last_error": _last_error,
}


def _words(value: _Value) -> str:
    return f"failed: {value['error']}" if isinstance(value, dict) else str(value)
