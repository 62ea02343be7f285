"""What a person must see to, as issues of Home Assistant.

They come and go with live data: an issue is created once its problem has lasted long
enough, and deleted as soon as the data say that it is gone. While the data say neither,
such as while nothing answers at all, it is left as it is.

When and after how long is our own choice. An issue's id ends with the identifier of the
device in Home Assistant: the controller's own would get into diagnostics.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
import time
from typing import TYPE_CHECKING

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, issue_registry as ir

from ..client.control.dosing import CHLORINE, PH, SettingsObject
from ..client.equipment import LIQUID_CHLORINE, PH_DOSERS
from ..client.exceptions import (
    BusyError,
    EnvelopeError,
    FrameError,
    ReplayError,
    SignatureError,
)
from ..client.pool.drums import drum
from ..const import DOMAIN, MIN_FIRMWARE
from .records import async_sightings, firmware_supported

if TYPE_CHECKING:
    from ..coordinator import ControllerCoordinator

_SITE = "https://github.com/poolctl/poolctl"
REQUIREMENTS_URL = f"{_SITE}#requirements"
REPORT_URL = f"{_SITE}/issues/new/choose"

_PATIENCE = 300.0
"""s: twenty polls of the LAN. Nothing here is urgent, and most of it heals by itself."""
_ADDRESS_PATIENCE = 900.0
"""s: a controller may be switched off for work at the pool, or update its firmware."""

type _Exists = Callable[[ControllerCoordinator], bool | None]
type _Placeholders = Callable[[ControllerCoordinator], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One kind of issue."""

    key: str
    """Of its texts; its id begins with it."""
    exists: _Exists
    """Whether there is the problem, `None` where that cannot be told now."""
    patience: float = _PATIENCE
    """s for which it must have lasted."""
    severity: ir.IssueSeverity = ir.IssueSeverity.WARNING
    fixable: bool = True
    learn_more_url: str | None = None
    placeholders: _Placeholders = lambda coordinator: {}
    """What its texts are filled with, beside `name`."""


def _key_rejected(coordinator: ControllerCoordinator) -> bool | None:
    """Frames do not verify, and asking the account for the key did not help."""
    if (found := _lan_problem(coordinator, SignatureError)) is not True:
        return found
    return coordinator.healer.key_asked or None


def _frame_not_understood(coordinator: ControllerCoordinator) -> bool | None:
    """Frames verify, or claim to be envelopes, but do not decode."""
    return _lan_problem(coordinator, FrameError, EnvelopeError)


def _lan_problem(
    coordinator: ControllerCoordinator, *errors: type[Exception]
) -> bool | None:
    """Tell whether the LAN's last word was one of some errors; silence tells nothing."""
    controller = coordinator.controller
    if controller.lan is None or controller.lan_error is None:
        return False
    if isinstance(controller.lan_error, errors):
        return True
    # What verified under the key cannot have been rejected.
    verified = isinstance(controller.lan_error, FrameError | ReplayError)
    return False if verified else None


def _firmware_too_old(coordinator: ControllerCoordinator) -> bool:
    """Nothing known of it says a firmware that serves the LAN, nor does the LAN work."""
    works = coordinator.controller.statistics.lan.works
    versions = _firmware_versions(coordinator)
    return (
        coordinator.uses_lan
        and not works
        and bool(versions)
        and not any(firmware_supported(version) for version in versions)
    )


def _firmware_versions(coordinator: ControllerCoordinator) -> list[str]:
    """Return the versions it was announced with, or told itself, newest news first."""
    record = coordinator.record
    seen = async_sightings(coordinator.hass).get(record.device_id)
    told = (
        seen and seen.firmware,
        coordinator.data.configuration.firmware,
        record.firmware,
    )
    return [version for version in told if version]


def _versions(coordinator: ControllerCoordinator) -> Mapping[str, str]:
    return {"firmware": _firmware_versions(coordinator)[0], "minimum": MIN_FIRMWARE}


def _address_lost(coordinator: ControllerCoordinator) -> bool | None:
    """Nobody answers at a typed address, though the controller lives, as far as known."""
    controller = coordinator.controller
    if not coordinator.record.by_hand or controller.lan is None:
        return False
    if controller.lan_error is None:
        return False
    if isinstance(controller.lan_error, FrameError | ReplayError):
        return False
    if controller.on_lan or isinstance(
        controller.lan_error, SignatureError | EnvelopeError | BusyError
    ):
        return None
    # Where the cloud does not reach it either, it is the controller that is away.
    return True if controller.cloud is None or not controller.cloud_error else None


def _host(coordinator: ControllerCoordinator) -> Mapping[str, str]:
    return {"host": coordinator.record.host or ""}


def _drum_low(of: SettingsObject, fitted: frozenset[int]) -> Problem:
    """Return the row of a drum that is nearly empty, as its binary sensor says."""

    def exists(coordinator: ControllerCoordinator) -> bool | None:
        state = coordinator.data
        return False if state.fitted(fitted) is False else drum(state, of).low

    return Problem(
        key=f"{of.substance}_low",
        exists=exists,
        placeholders=lambda coordinator: {
            "litres": f"{drum(coordinator.data, of).litres_left:.1f}"
        },
    )


PROBLEMS = (
    Problem(
        key="key_rejected",
        exists=_key_rejected,
        severity=ir.IssueSeverity.ERROR,
    ),
    Problem(
        key="firmware_too_old",
        exists=_firmware_too_old,
        fixable=False,
        learn_more_url=REQUIREMENTS_URL,
        placeholders=_versions,
    ),
    Problem(
        key="frame_not_understood",
        exists=_frame_not_understood,
        severity=ir.IssueSeverity.ERROR,
        fixable=False,
        learn_more_url=REPORT_URL,
    ),
    Problem(
        key="address_lost",
        exists=_address_lost,
        patience=_ADDRESS_PATIENCE,
        placeholders=_host,
    ),
    _drum_low(PH, PH_DOSERS),
    _drum_low(CHLORINE, LIQUID_CHLORINE),
)
"""The table of all issues; ids, texts and fix flows go by `key`."""


class Issues:
    """The issues of one controller."""

    def __init__(self, coordinator: ControllerCoordinator) -> None:
        """Prepare; nothing was looked at yet."""
        self._coordinator = coordinator
        self._since: dict[str, float] = {}
        self._stopped = False

    @callback
    def async_check(self) -> None:
        """Create and delete issues as the newest data are."""
        if self._stopped:
            return
        coordinator, now = self._coordinator, time.monotonic()
        for problem in PROBLEMS:
            if (exists := problem.exists(coordinator)) is None:
                continue
            if not exists:
                self._since.pop(problem.key, None)
                self._delete(problem)
            elif now - self._since.setdefault(problem.key, now) >= problem.patience:
                self._create(problem)

    @callback
    def async_stop(self) -> None:
        """Leave them as they are: a poll that still ends has nothing more to say."""
        self._stopped = True

    @callback
    def async_clear(self) -> None:
        """Delete all of them: the controller is gone."""
        self.async_stop()
        for problem in PROBLEMS:
            self._delete(problem)

    def _create(self, problem: Problem) -> None:
        coordinator = self._coordinator
        device_id = coordinator.registered_id
        ir.async_create_issue(
            coordinator.hass,
            DOMAIN,
            _issue_id(problem, device_id),
            data={"problem": problem.key, "device_id": device_id},
            is_fixable=problem.fixable,
            learn_more_url=problem.learn_more_url,
            severity=problem.severity,
            translation_key=problem.key,
            translation_placeholders={
                "name": coordinator.title,
                **problem.placeholders(coordinator),
            },
        )

    def _delete(self, problem: Problem) -> None:
        coordinator = self._coordinator
        ir.async_delete_issue(
            coordinator.hass, DOMAIN, _issue_id(problem, coordinator.registered_id)
        )


@callback
def async_clear_issues(hass: HomeAssistant, entry_id: str) -> None:
    """Delete the issues of all controllers of an entry that is deleted or disabled."""
    for device in dr.async_entries_for_config_entry(dr.async_get(hass), entry_id):
        for problem in PROBLEMS:
            ir.async_delete_issue(hass, DOMAIN, _issue_id(problem, device.id))


def _issue_id(problem: Problem, device_id: str) -> str:
    return f"{problem.key}_{device_id}"
