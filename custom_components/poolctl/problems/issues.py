"""What a person must see to, as issues of Home Assistant.

They come and go with live data: an issue is created once its problem has lasted long
enough, and deleted as soon as the data say that it is gone. While the data say neither,
such as while nothing answers at all, it is left as it is.

Which problems are issues, and after how long, is our own choice. An issue's id ends with
the identifier of the device in Home Assistant: diagnostics would show the controller's
own.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
import time

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_TOKEN
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.util import dt as dt_util

from ..application_credentials import CONF_REFRESH_SINCE
from ..client.envelope import ClockFault
from ..client.exceptions import (
    BusyError,
    EnvelopeError,
    FrameError,
    ReplayError,
    SignatureError,
)
from ..const import DOMAIN, MIN_FIRMWARE
from ..network.health import Health
from ..network.record import firmware_supported
from .dosing import DOSING_PROBLEMS
from .problem import Exists, Problem
from .service import async_forget_service

_SITE = "https://github.com/poolctl/poolctl"
REQUIREMENTS_URL = f"{_SITE}#supported-devices"
REPORT_URL = f"{_SITE}/issues/new/choose"

_CLOCK_PATIENCE = 600.0
"""s: a clock that is a few minutes ahead is caught up with."""
_KEY_PATIENCE = 600.0
"""s: until then the key is asked for again every few minutes."""
_ADDRESS_PATIENCE = 900.0
"""s: a controller may be switched off for work at the pool, or update its firmware."""
_FORGOTTEN = timedelta(days=1)
"""Of an output that is held off: a pool without its pump turns green (chosen)."""


def _key_rejected(health: Health) -> bool | None:
    """Frames do not verify, and asking the account for the key did not help."""
    if (found := _lan_problem(health, SignatureError)) is not True:
        return found
    return health.key_asked or None


def _lan_problem(health: Health, *errors: type[Exception]) -> bool | None:
    """Tell whether the last poll of the LAN ended with one of some errors.

    `None` where it ended with another one that does not rule these out: silence, say.
    """
    if not health.lan_possible or health.lan_error is None:
        return False
    if isinstance(health.lan_error, errors):
        return True
    return False if _verified(health) else None


def _verified(health: Health) -> bool:
    """Tell whether the last poll of the LAN failed with a frame that verified."""
    return isinstance(health.lan_error, FrameError | ReplayError)


def _firmware_too_old(health: Health) -> bool:
    """No version known of it serves the LAN, and the LAN does not work."""
    versions = _firmware_versions(health)
    return (
        health.lan_allowed
        and not health.lan_works
        and bool(versions)
        and not any(firmware_supported(version) for version in versions)
    )


def _firmware_versions(health: Health) -> list[str]:
    """Return the versions it was announced with, or told itself, newest news first."""
    told = (
        health.announced and health.announced.firmware,
        health.state.firmware,
        health.record.firmware,
    )
    return [version for version in told if version]


def _versions(health: Health) -> Mapping[str, str]:
    return {"firmware": _firmware_versions(health)[0], "minimum": MIN_FIRMWARE}


def _address_lost(health: Health) -> bool | None:
    """Nobody answers at a typed address, though the controller seems to be alive."""
    if not health.record.by_hand or not health.lan_possible:
        return False
    if health.lan_error is None or _verified(health):
        return False
    somebody = isinstance(health.lan_error, SignatureError | EnvelopeError | BusyError)
    if health.on_lan or somebody:
        return None
    # Where the cloud does not reach it either, it is the controller that is away.
    away = health.cloud_allowed and health.cloud_error is not None
    return None if away else True


def _host(health: Health) -> Mapping[str, str]:
    return {"host": health.record.host or ""}


def _clock(fault: ClockFault) -> Exists:
    """Return whether nothing that we sign is taken, for one of the reasons."""

    def exists(health: Health) -> bool | None:
        if not health.lan_possible or health.clock_fault is not fault:
            return False
        # While the controller is not heard, nobody asks it.
        return True if health.on_lan else None

    return exists


def _no_key(health: Health) -> bool | None:
    """Tell whether the account has no key of a controller that could serve the LAN."""
    if not health.lan_allowed or health.record.key is not None:
        return False
    if _firmware_too_old(health):
        return False
    return None if health.cloud_error is not None else True


def _held_off(health: Health) -> list[str]:
    """Return the outputs that have been held off for so long that nobody may know."""
    forgotten = dt_util.utcnow() - _FORGOTTEN
    outputs = health.state.outputs
    return [
        (slot.name if (slot := outputs.slot(hold.slot)) else "") or f"#{hold.slot + 1}"
        for hold in health.state.holds
        if not hold.on and hold.since <= forgotten
    ]


PROBLEMS = (
    Problem(
        key="key_rejected",
        exists=_key_rejected,
        severity=ir.IssueSeverity.ERROR,
    ),
    Problem(
        key="no_key",
        exists=_no_key,
        patience=_KEY_PATIENCE,
        fixable=False,
        learn_more_url=REPORT_URL,
    ),
    Problem(
        key="clock_wrong",
        exists=_clock(ClockFault.OURS),
        patience=_CLOCK_PATIENCE,
        severity=ir.IssueSeverity.ERROR,
        fixable=False,
    ),
    Problem(
        key="clock_ahead",
        exists=_clock(ClockFault.OTHERS),
        patience=_CLOCK_PATIENCE,
        fixable=False,
    ),
    Problem(
        key="firmware_too_old",
        exists=_firmware_too_old,
        fixable=False,
        learn_more_url=REQUIREMENTS_URL,
        placeholders=_versions,
    ),
    Problem(
        key="address_lost",
        exists=_address_lost,
        patience=_ADDRESS_PATIENCE,
        placeholders=_host,
    ),
    *DOSING_PROBLEMS,
    Problem(
        key="held_off",
        exists=lambda health: bool(_held_off(health)),
        patience=0.0,
        placeholders=lambda health: {"outputs": ", ".join(_held_off(health))},
    ),
)
"""The table of all issues; ids, texts and fix flows go by `key`."""


SIGN_IN_ENDS = "sign_in_ends"
"""The issue of an account; its id ends with that of the entry."""
_SIGN_IN_LASTS = timedelta(days=30)
"""As long as a refresh token (interface.md 8)."""
_WARNING = timedelta(days=7)
"""Before its end: somebody may be on holiday (chosen)."""


@callback
def async_check_sign_in(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Tell when the sign-in ends where the service has not renewed it for weeks.

    Once it has ended, Home Assistant itself asks for another one.
    """
    issue_id = f"{SIGN_IN_ENDS}_{entry.entry_id}"
    since = entry.data[CONF_TOKEN].get(CONF_REFRESH_SINCE)
    end = dt_util.utc_from_timestamp(since) + _SIGN_IN_LASTS if since else None
    closed = entry.pref_disable_polling
    if end is None or closed or not end - _WARNING <= dt_util.utcnow() < end:
        ir.async_delete_issue(hass, DOMAIN, issue_id)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key=SIGN_IN_ENDS,
        translation_placeholders={
            "name": entry.title,
            "date": dt_util.as_local(end).date().isoformat(),
        },
    )


class Issues:
    """The issues of one controller."""

    def __init__(self, hass: HomeAssistant, health: Callable[[], Health]) -> None:
        """Prepare; nothing was looked at yet."""
        self._hass = hass
        self._health = health
        self._since: dict[str, float] = {}
        self._stopped = False

    @callback
    def async_check(self) -> None:
        """Create and delete issues by the newest data."""
        if self._stopped:
            return
        health, now = self._health(), time.monotonic()
        for problem in PROBLEMS:
            if (exists := problem.exists(health)) is None:
                continue
            if not exists:
                self._since.pop(problem.key, None)
                _delete(self._hass, problem, health.registered_id)
            elif now - self._since.setdefault(problem.key, now) >= problem.patience:
                _create(self._hass, problem, health)

    @callback
    def async_stop(self) -> None:
        """Leave them as they are from now on: a poll may still be under way."""
        self._stopped = True

    @callback
    def async_clear(self) -> None:
        """Delete all of them: the controller is gone."""
        self.async_stop()
        _delete_all(self._hass, self._health().registered_id)


@callback
def async_clear_issues(hass: HomeAssistant, entry_id: str) -> None:
    """Delete all issues of an entry that is deleted or disabled."""
    async_forget_service(hass, entry_id)
    ir.async_delete_issue(hass, DOMAIN, f"{SIGN_IN_ENDS}_{entry_id}")
    for device in dr.async_entries_for_config_entry(dr.async_get(hass), entry_id):
        _delete_all(hass, device.id)


def _create(hass: HomeAssistant, problem: Problem, health: Health) -> None:
    ir.async_create_issue(
        hass,
        DOMAIN,
        _issue_id(problem, health.registered_id),
        data={"problem": problem.key, "device_id": health.registered_id},
        is_fixable=problem.fixable,
        learn_more_url=problem.learn_more_url,
        severity=problem.severity,
        translation_key=problem.key,
        translation_placeholders={
            "name": health.record.title,
            **problem.placeholders(health),
        },
    )


def _delete_all(hass: HomeAssistant, device_id: str) -> None:
    for problem in PROBLEMS:
        _delete(hass, problem, device_id)


def _delete(hass: HomeAssistant, problem: Problem, device_id: str) -> None:
    ir.async_delete_issue(hass, DOMAIN, _issue_id(problem, device_id))


def _issue_id(problem: Problem, device_id: str) -> str:
    return f"{problem.key}_{device_id}"
