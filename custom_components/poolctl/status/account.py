"""Problems of an account: its service, its sign-in, controllers that were left out."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntry
from homeassistant.const import CONF_TOKEN
from homeassistant.core import callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util import dt as dt_util

from ..application_credentials import CONF_REFRESH_SINCE
from ..client import AuthenticationError
from ..client.facts import Facts
from ..devices.parts import registered_controller
from ..network.record import ControllerRecord
from .active import ActiveProblems
from .rows import REPAIR, SIGN_IN, Problem, Repair, Severity, Subject

_SIGN_IN_LASTS = timedelta(days=30)
"""Lifetime of a refresh token (protocol.md 8)."""
_WARNING = timedelta(days=7)
"""Notice before the end of the sign-in: a user may be on holiday (chosen)."""
SILENCE = 24 * 60 * 60.0
"""Seconds: a service that is silent for longer may have ended for good (chosen)."""
_INTERVAL = timedelta(minutes=10)
"""Interval between tests: listeners are not called for repeated failures to read."""

type _Account = DataUpdateCoordinator[Mapping[str, ControllerRecord]]


@dataclass(frozen=True, kw_only=True)
class AccountSituation(Subject):
    """State of an account at one moment, the input of the problem tests."""

    answers: bool | None
    """Whether the service answered the last read, even if it refused the sign-in."""
    sign_in_needed: bool
    sign_in_ends: datetime | None
    """End of the sign-in, if it is near and the sign-in is not renewed."""
    left_out: tuple[str, ...]
    """Names of the controllers that could not be loaded."""
    shared: tuple[str, ...]
    """Names of the controllers that another account runs."""
    unread: bool
    """Whether what was stored cannot be read, so nothing is saved."""
    unwritten: bool
    """Whether the newest save failed."""


ACCOUNT_PROBLEMS: Final[tuple[Problem[AccountSituation], ...]] = (
    # Home Assistant's own repair asks for the sign-in.
    Problem("sign_in_needed", lambda account: account.sign_in_needed, action=SIGN_IN),
    Problem(
        "sign_in_ends",
        lambda account: account.sign_in_ends is not None,
        lambda account: {
            "date": dt_util.as_local(end).date().isoformat()
            if (end := account.sign_in_ends)
            else ""
        },
        severity=Severity.NOTICE,
        action=REPAIR,
        repair=Repair(patience=0.0),
    ),
    Problem(
        "service_silent",
        lambda account: None if account.answers is None else not account.answers,
        severity=Severity.NOTICE,
        patience=SILENCE,
        repair=Repair(patience=SILENCE),
    ),
    Problem(
        "controllers_left_out",
        lambda account: bool(account.left_out),
        lambda account: {"names": ", ".join(account.left_out)},
        action=REPAIR,
        repair=Repair(patience=0.0, severity=ir.IssueSeverity.ERROR),
    ),
    Problem(
        "controllers_shared",
        lambda account: bool(account.shared),
        lambda account: {"names": ", ".join(account.shared)},
        severity=Severity.NOTICE,
        repair=Repair(patience=0.0),
    ),
    Problem(
        "store_unread",
        lambda account: account.unread,
        action=REPAIR,
        repair=Repair(patience=0.0, severity=ir.IssueSeverity.ERROR),
    ),
    Problem("store_unwritten", lambda account: account.unwritten),
)
"""The table of possible problems of an account."""


class AccountProblems(ActiveProblems[AccountSituation]):
    """The active problems of one account."""

    def __init__(
        self,
        entry: ConfigEntry,
        account: _Account,
        facts: Facts,
        changed: Callable[[], None],
    ) -> None:
        """Observe an account; emit each change to `facts`, then call `changed`."""
        super().__init__(account.hass, ACCOUNT_PROBLEMS, facts, entry.entry_id)
        self._entry, self._account = entry, account
        self._changed = changed
        self._left_out: tuple[str, ...] = ()
        self._shared: tuple[str, ...] = ()
        self._was_read = False

    @callback
    def async_start(self) -> None:
        """Test from now on until the entry is unloaded."""
        test = async_track_time_interval(self._hass, self._async_test_now, _INTERVAL)
        self._entry.async_on_unload(test)
        self._entry.async_on_unload(self._account.async_add_listener(self._async_read))

    @callback
    def async_report(self, left_out: Collection[str], shared: Collection[str]) -> None:
        """Report controllers not loaded, by ID, and run by other accounts, by name."""
        self._left_out = tuple(sorted(map(self._name, left_out)))
        self._shared = tuple(sorted(shared))
        self._async_test_now()

    @callback
    def _async_read(self) -> None:
        self._was_read = True
        self._async_test_now()

    @callback
    def _async_test_now(self, now: datetime | None = None) -> None:
        previous = self.active
        self.async_test(self._situation())
        if self.active != previous:
            self._changed()

    def _situation(self) -> AccountSituation:
        closed, account = self._entry.pref_disable_polling, self._account
        failure = account.last_exception
        refused = failure and isinstance(failure.__cause__, AuthenticationError)
        answers = account.last_update_success or bool(refused)
        flows = self._entry.async_get_active_flows(self._hass, {SOURCE_REAUTH})
        return AccountSituation(
            subject_id=self._entry.entry_id,
            title=self._entry.title,
            answers=answers if self._was_read else None,
            sign_in_needed=not closed and any(flows),
            sign_in_ends=None if closed else self._sign_in_ends(),
            left_out=self._left_out,
            shared=self._shared,
            unread=self._memory.unread,
            unwritten=self._memory.unwritten,
        )

    def _sign_in_ends(self) -> datetime | None:
        """Return the end of a sign-in not renewed for weeks, `None` if not near."""
        if not (since := self._entry.data[CONF_TOKEN].get(CONF_REFRESH_SINCE)):
            return None
        end, now = dt_util.utc_from_timestamp(since) + _SIGN_IN_LASTS, self._clock.now()
        return end if end - _WARNING <= now < end else None

    def _name(self, device_id: str) -> str:
        device = registered_controller(self._hass, self._entry.entry_id, device_id)
        return (device and (device.name_by_user or device.name)) or device_id
