"""State of the two paths to a controller, and why one of them is not in use."""

from enum import StrEnum
from typing import Final

from ..client.wire.exceptions import (
    AuthenticationError,
    BusyError,
    EnvelopeError,
    PoolctlError,
    ProtocolError,
    ReplayError,
    SignatureError,
    UnreachableError,
)
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
