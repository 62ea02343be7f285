"""A service that has not answered for long: it may have ended for good.

The controllers on the LAN go on without it, so this is told once for an account, and no
sooner than a day after it fell silent (chosen).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
import time

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from ..const import DOMAIN
from ..network.record import ControllerRecord

SERVICE_SILENT = "service_silent"
"""Key of its texts; its id begins with it."""
PATIENCE = 24 * 60 * 60.0
"""s."""
_LOOK = timedelta(minutes=10)
"""Between two looks: an account does not say each time that it could not be read."""

type _Account = DataUpdateCoordinator[Mapping[str, ControllerRecord]]


class ServiceWatch:
    """Tells when the service of one account has been silent for long."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry, account: _Account
    ) -> None:
        """Take the account that reads it; nothing is known yet."""
        self._hass, self._entry, self._account = hass, entry, account
        self._silent_since: float | None = None

    @callback
    def async_start(self) -> CALLBACK_TYPE:
        """Look from now on; return what ends it."""
        stops = (
            self._account.async_add_listener(self._async_look),
            async_track_time_interval(self._hass, self._async_look, _LOOK),
        )

        @callback
        def stop() -> None:
            for each in stops:
                each()

        return stop

    @callback
    def _async_look(self, now: datetime | None = None) -> None:
        if self._answers:
            self._silent_since = None
            async_forget_service(self._hass, self._entry.entry_id)
            return
        if self._silent_since is None:
            self._silent_since = time.monotonic()
        if time.monotonic() - self._silent_since >= PATIENCE:
            self._tell()

    @property
    def _answers(self) -> bool:
        """Whether it answered last time, if only to ask for a new sign-in."""
        account = self._account
        refused = isinstance(account.last_exception, ConfigEntryAuthFailed)
        return account.last_update_success or refused

    def _tell(self) -> None:
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            _issue_id(self._entry.entry_id),
            is_fixable=False,
            # A restart does not make it answer: nobody should have to wait another day.
            is_persistent=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key=SERVICE_SILENT,
            translation_placeholders={"name": self._entry.title},
        )


@callback
def async_forget_service(hass: HomeAssistant, entry_id: str) -> None:
    """Delete the issue of an account."""
    ir.async_delete_issue(hass, DOMAIN, _issue_id(entry_id))


def _issue_id(entry_id: str) -> str:
    return f"{SERVICE_SILENT}_{entry_id}"
