"""The paths to a controller: their state, and the problems of address, key and clocks."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from homeassistant.helpers import issue_registry as ir

from ..client import (
    OFF,
    AuthenticationError,
    BusyError,
    ClockFault,
    EnvelopeError,
    FrameError,
    PoolctlError,
    ProtocolError,
    ReplayError,
    SignatureError,
    UnreachableError,
)
from ..client.pool import BODIES, Source, heated
from ..const import MIN_FIRMWARE
from ..network.record import firmware_supported
from .rows import REPAIR, SETTINGS, Form, Problem, Repair, Severity
from .situation import Situation


class Link(StrEnum):
    """State of a path to a controller, by the key of its text in the translations."""

    WORKS = "works"
    NOT_NEEDED = "not_needed"
    OFF = "off"
    """The options of the entry do not allow this path."""
    NO_ADDRESS = "no_address"
    NO_KEY = "no_key"
    NO_ANSWER = "no_answer"
    BUSY = "busy"
    NOT_VERIFIED = "not_verified"
    NOT_UNDERSTOOD = "not_understood"
    SIGN_IN = "sign_in"
    REFUSED = "refused"


_REASONS: Final[tuple[tuple[tuple[type[PoolctlError], ...], Link], ...]] = (
    ((AuthenticationError,), Link.SIGN_IN),
    ((EnvelopeError, SignatureError, ReplayError), Link.NOT_VERIFIED),
    ((ProtocolError,), Link.NOT_UNDERSTOOD),
    ((BusyError,), Link.BUSY),
    ((UnreachableError,), Link.NO_ANSWER),
)
"""State of a path by the error of its last use; the first match counts."""


def lan_link(pool: Situation) -> Link | None:
    """Return the state of the LAN, `None` while it was not tried."""
    paths = pool.paths
    if not pool.options.uses_lan:
        return Link.OFF
    if pool.record.host is None:
        return Link.NO_ADDRESS
    if pool.record.key is None:
        return Link.NO_KEY
    if paths.on_lan:
        # A single missed poll is ignored.
        return None if paths.lan_works is None else Link.WORKS
    return None if paths.lan_error is None else reason(type(paths.lan_error))


def cloud_link(pool: Situation) -> Link:
    """Return the state of the cloud."""
    paths = pool.paths
    if paths.cloud is None:
        return Link.OFF
    if paths.on_lan:
        return Link.NOT_NEEDED
    return Link.WORKS if paths.cloud_error is None else reason(type(paths.cloud_error))


def reason(error: type[PoolctlError]) -> Link:
    """Return the state of a path whose last use ended with an error of this kind."""
    fitting = (link for errors, link in _REASONS if issubclass(error, errors))
    return next(fitting, Link.REFUSED)


# Problems

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


def _lan_is(*links: Link) -> Callable[[Situation], bool]:
    """Return a test of why the LAN is not used."""
    return lambda pool: lan_link(pool) in links


def _key_rejected(pool: Situation) -> bool | None:
    """Return whether frames do not verify; `None` if the last poll left it open."""
    if pool.paths.lan is None or pool.paths.lan_error is None:
        return False
    if isinstance(pool.paths.lan_error, SignatureError):
        return True
    return False if _verified(pool) else None


def _verified(pool: Situation) -> bool:
    """Return whether the last LAN poll failed although its reply verified."""
    return isinstance(pool.paths.lan_error, FrameError | ReplayError)


def _firmware_too_old(pool: Situation) -> bool:
    """Return whether the LAN does not work and no reported version supports it."""
    supported = [firmware_supported(each) for each in _firmware_versions(pool)]
    unused = pool.options.uses_lan and not pool.paths.lan_works
    return unused and bool(supported) and not any(supported)


def _firmware_versions(pool: Situation) -> list[str]:
    """Return the versions that were announced or reported, the newest report first."""
    reported = (
        pool.announced and pool.announced.firmware,
        pool.state.firmware,
        pool.record.firmware,
    )
    return [version for version in reported if version]


def _address_lost(pool: Situation) -> bool | None:
    """Return whether a typed address is silent though the controller seems to work."""
    paths, error = pool.paths, pool.paths.lan_error
    tried = paths.lan is not None and error is not None and not _verified(pool)
    if not (pool.record.by_hand and tried):
        return False
    other_device = isinstance(error, SignatureError | EnvelopeError | BusyError)
    if paths.on_lan or other_device:
        return None
    # If the cloud does not reach it either, the controller itself is offline.
    away = paths.cloud is not None and paths.cloud_error is not None
    return None if away else True


def _clock(pool: Situation, fault: ClockFault) -> bool | None:
    """Return whether all signed requests are refused for this reason."""
    if pool.paths.lan is None or pool.clock_fault is not fault:
        return False
    # Without the LAN, no signed request is sent that could show a change.
    return True if pool.paths.on_lan else None


def _no_key(pool: Situation) -> bool | None:
    """Return whether the account has no key for a controller that supports the LAN."""
    lacks = pool.options.uses_lan and pool.record.key is None
    if not lacks or _firmware_too_old(pool):
        return False
    return None if pool.paths.cloud_error is not None else True


LOSSES: Final[tuple[Problem[Situation], ...]] = (
    Problem(
        "unreachable",
        lambda pool: not pool.answers and not pool.closed_season,
        lambda pool: {"time": at} if (at := pool.last_answer) else {},
        variants=(Form("unreachable_unknown", lambda pool: pool.last_answer is None),),
        began=lambda pool: pool.last_answer,
    ),
    Problem(
        "cloud_only",
        lambda pool: pool.state.source is Source.CLOUD and pool.answers,
        severity=Severity.NOTICE,
        variants=(
            Form(
                "cloud_only_unheated",
                lambda pool: not any(heated(pool.state, body) for body in BODIES),
                severity=Severity.NOTICE,
            ),
        ),
        steps=(
            Form("lan_off", _lan_is(Link.OFF), action=SETTINGS),
            Form("lan_no_address", _lan_is(Link.NO_ADDRESS)),
            Form("lan_no_key", _lan_is(Link.NO_KEY)),
            Form("lan_not_verified", _lan_is(Link.NOT_VERIFIED)),
            Form(
                "lan_not_usable",
                _lan_is(Link.BUSY, Link.NOT_UNDERSTOOD, Link.REFUSED),
            ),
        ),
    ),
)
"""Rows of what does not work without the controller or its network."""
CONNECTION_PROBLEMS: Final[tuple[Problem[Situation], ...]] = (
    Problem(
        "key_rejected",
        _key_rejected,
        repair=Repair(
            # Until the account has answered, a new key may still solve the problem.
            wanted=lambda pool: pool.key_asked or None,
            severity=ir.IssueSeverity.ERROR,
            fixable=True,
        ),
    ),
    Problem(
        "no_key",
        _no_key,
        patience=_KEY_PATIENCE,
        repair=Repair(patience=_KEY_PATIENCE, learn_more_url=REPORT_URL),
    ),
    Problem(
        "clock_wrong",
        # Our clock jumped, or all requests signed by it are refused.
        lambda pool: abs(pool.clock_ahead) >= OFF or _clock(pool, ClockFault.OURS),
        repair=Repair(patience=_CLOCK_PATIENCE, severity=ir.IssueSeverity.ERROR),
    ),
    Problem(
        "clock_ahead",
        lambda pool: _clock(pool, ClockFault.OTHERS),
        patience=_CLOCK_PATIENCE,
        repair=Repair(patience=_CLOCK_PATIENCE),
    ),
    Problem(
        "firmware_too_old",
        _firmware_too_old,
        lambda pool: {
            "firmware": _firmware_versions(pool)[0],
            "minimum": MIN_FIRMWARE,
        },
        patience=_LAN_PATIENCE,
        repair=Repair(learn_more_url=REQUIREMENTS_URL),
    ),
    Problem(
        "address_lost",
        _address_lost,
        lambda pool: {"host": pool.record.host or ""},
        patience=_LAN_PATIENCE,
        action=REPAIR,
        repair=Repair(patience=_ADDRESS_PATIENCE, fixable=True),
    ),
)
"""Rows of the connection in the table of possible problems."""
