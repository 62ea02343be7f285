"""Problems of the connection to a controller: address, key, clocks and cloud."""

from collections.abc import Callable, Mapping
from typing import Final

from homeassistant.helpers import issue_registry as ir

from ..client.clock import OFF
from ..client.counters import ClockFault
from ..client.pool.heating import BODIES, heated
from ..client.pool.state import Source
from ..client.wire.exceptions import (
    BusyError,
    EnvelopeError,
    FrameError,
    ReplayError,
    SignatureError,
)
from ..const import MIN_FIRMWARE
from ..network.record import firmware_supported
from .health import Health
from .links import Link, links_of
from .problem import REPAIR, SETTINGS, Problem, Repair, Severity, Step, Variant

_SITE = "https://github.com/poolctl/poolctl"
REQUIREMENTS_URL: Final = f"{_SITE}#supported-devices"
REPORT_URL: Final = f"{_SITE}/issues/new/choose"

_CLOCK_PATIENCE = 600.0
"""Seconds: our clock catches up with one that is a few minutes ahead."""
_KEY_PATIENCE = 600.0
"""Seconds in which the key is requested again every few minutes."""
_ADDRESS_PATIENCE = 900.0
"""Seconds: a controller may be off for work at the pool, or update its firmware."""
_LAN_PATIENCE = 300.0
"""Seconds without the LAN: a controller that restarts is back sooner."""


def _unreachable(health: Health) -> bool:
    return (health.silent or not health.reached) and not health.closed_season


def _cloud_only(health: Health) -> bool:
    silent = health.silent or not health.reached
    return health.state.source is Source.CLOUD and not silent


def _lan_is(*links: Link) -> Callable[[Health], bool]:
    """Return a test of why the LAN is not used."""
    return lambda health: links_of(health).lan in links


def _key_rejected(health: Health) -> bool | None:
    """Return whether frames do not verify; `None` if the last poll left it open."""
    if not health.lan_possible or health.lan_error is None:
        return False
    if isinstance(health.lan_error, SignatureError):
        return True
    return False if _verified(health) else None


def _verified(health: Health) -> bool:
    """Return whether the last LAN poll failed although its reply verified."""
    return isinstance(health.lan_error, FrameError | ReplayError)


def _firmware_too_old(health: Health) -> bool:
    """Return whether the LAN does not work and no reported version supports it."""
    versions = _firmware_versions(health)
    return (
        health.lan_allowed
        and not health.lan_works
        and bool(versions)
        and not any(firmware_supported(version) for version in versions)
    )


def _firmware_versions(health: Health) -> list[str]:
    """Return the versions that were announced or reported, the newest report first."""
    reported = (
        health.announced and health.announced.firmware,
        health.state.firmware,
        health.record.firmware,
    )
    return [version for version in reported if version]


def _versions(health: Health) -> Mapping[str, str]:
    return {"firmware": _firmware_versions(health)[0], "minimum": MIN_FIRMWARE}


def _address_lost(health: Health) -> bool | None:
    """Return whether a typed address is silent though the controller seems to work."""
    if not health.record.by_hand or not health.lan_possible:
        return False
    if health.lan_error is None or _verified(health):
        return False
    other_device = isinstance(
        health.lan_error, SignatureError | EnvelopeError | BusyError
    )
    if health.on_lan or other_device:
        return None
    # If the cloud does not reach it either, the controller itself is offline.
    away = health.cloud_allowed and health.cloud_error is not None
    return None if away else True


def _clock(fault: ClockFault) -> Callable[[Health], bool | None]:
    """Return a test of whether all signed requests are refused for this reason."""

    def exists(health: Health) -> bool | None:
        if not health.lan_possible or health.clock_fault is not fault:
            return False
        # Without the LAN, no signed request is sent that could show a change.
        return True if health.on_lan else None

    return exists


def _clock_wrong(health: Health) -> bool | None:
    """Return whether our clock jumped, or all requests signed by it are refused."""
    jumped = abs(health.clock_ahead) >= OFF
    return jumped or _clock(ClockFault.OURS)(health)


def _no_key(health: Health) -> bool | None:
    """Return whether the account has no key for a controller that supports the LAN."""
    if not health.lan_allowed or health.record.key is not None:
        return False
    if _firmware_too_old(health):
        return False
    return None if health.cloud_error is not None else True


CONNECTION_PROBLEMS: Final = (
    Problem(
        key="unreachable",
        exists=_unreachable,
        variants=(
            Variant(
                key="unreachable_unknown",
                applies=lambda health: health.last_answer is None,
            ),
        ),
        values=lambda health: {"time": at} if (at := health.last_answer) else {},
    ),
    Problem(
        key="key_rejected",
        exists=_key_rejected,
        repair=Repair(
            # Until the account has answered, a new key may still solve the problem.
            wanted=lambda health: health.key_asked or None,
            severity=ir.IssueSeverity.ERROR,
            fixable=True,
        ),
    ),
    Problem(
        key="no_key",
        exists=_no_key,
        patience=_KEY_PATIENCE,
        repair=Repair(patience=_KEY_PATIENCE, learn_more_url=REPORT_URL),
    ),
    Problem(
        key="clock_wrong",
        exists=_clock_wrong,
        repair=Repair(patience=_CLOCK_PATIENCE, severity=ir.IssueSeverity.ERROR),
    ),
    Problem(
        key="clock_ahead",
        exists=_clock(ClockFault.OTHERS),
        patience=_CLOCK_PATIENCE,
        repair=Repair(patience=_CLOCK_PATIENCE),
    ),
    Problem(
        key="firmware_too_old",
        exists=_firmware_too_old,
        patience=_LAN_PATIENCE,
        values=_versions,
        repair=Repair(learn_more_url=REQUIREMENTS_URL),
    ),
    Problem(
        key="address_lost",
        exists=_address_lost,
        patience=_LAN_PATIENCE,
        values=lambda health: {"host": health.record.host or ""},
        action=REPAIR,
        repair=Repair(patience=_ADDRESS_PATIENCE, fixable=True),
    ),
    Problem(
        key="cloud_only",
        exists=_cloud_only,
        severity=Severity.NOTICE,
        variants=(
            Variant(
                key="cloud_only_unheated",
                severity=Severity.NOTICE,
                applies=lambda health: (
                    not any(heated(health.state, body) for body in BODIES)
                ),
            ),
        ),
        steps=(
            Step(key="lan_off", applies=_lan_is(Link.OFF), action=SETTINGS),
            Step(key="lan_no_address", applies=_lan_is(Link.NO_ADDRESS)),
            Step(key="lan_no_key", applies=_lan_is(Link.NO_KEY)),
            Step(key="lan_not_verified", applies=_lan_is(Link.NOT_VERIFIED)),
            Step(
                key="lan_not_usable",
                applies=_lan_is(Link.BUSY, Link.NOT_UNDERSTOOD, Link.REFUSED),
            ),
        ),
    ),
)
"""Rows of the connection in the table of possible problems."""
