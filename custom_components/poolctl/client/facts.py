"""Events as typed facts: each is emitted once, to all listeners.

Listeners only observe: they cannot affect processing, and their failures have no
effect. No fact contains a token. Answers may contain names, addresses and keys; a
listener that keeps answers removes them.
"""

from collections.abc import Callable
import logging
from typing import Any, Final, NamedTuple

from .wire.exceptions import PoolctlError
from .wire.http import Response

__all__ = [
    "SERVICE",
    "Change",
    "CloudRequest",
    "Facts",
    "Frame",
    "LanRequest",
    "Poll",
    "TokenAnswer",
]

_LOGGER = logging.getLogger(__name__)


class LanRequest(NamedTuple):
    """A request to a controller, and its outcome."""

    op: str
    name: str
    payload: bytes | None
    """The signed payload, `None` if nothing was signed."""
    response: Response | None
    reply: bytes
    """The verified payload of the answer, empty if there is none."""
    seconds: float
    error: PoolctlError | None


class Frame(NamedTuple):
    """A verified state frame, whether it decodes or not."""

    counter: int
    payload: bytes
    at: float
    """Unix time."""
    replayed: bool
    """Whether it was discarded because it is older than another frame."""


class CloudRequest(NamedTuple):
    """A request to the service, and its outcome."""

    method: str
    endpoint: str
    body: bytes
    response: Response | None
    seconds: float
    error: PoolctlError | None


class TokenAnswer(NamedTuple):
    """The answer of the token endpoint, without its tokens."""

    grant: str
    status: int
    rotated: bool
    """Whether it contains a refresh token."""
    error: PoolctlError | None


class Poll(NamedTuple):
    """One read of the state with its retries."""

    by_lan: bool
    seconds: float
    error: PoolctlError | None


class Change(NamedTuple):
    """Something changed that explains what comes after it."""

    what: str
    """`source`, `address`, `key`, `online`, `access`, `counter` (skipped by so many while
    a command waits), or the key of a problem."""
    to: str | int | None
    """The new value: a path, a truth value or a status. It never identifies anybody."""


type Fact = LanRequest | Frame | CloudRequest | TokenAnswer | Poll | Change

SERVICE: Final = ""
"""Identifier of the service in place of the identifier of a controller."""


class Facts:
    """Passes the facts of one controller, or of the service, to listeners."""

    def __init__(self) -> None:
        self._listeners: dict[type[object], tuple[Callable[[Any], None], ...]] = {}
        self._failed = False

    def listen[F: Fact](self, kind: type[F], listener: Callable[[F], None]) -> None:
        """Call a listener with each fact of a kind."""
        self._listeners[kind] = (*self._listeners.get(kind, ()), listener)

    def emit(self, fact: Fact) -> None:
        """Report a fact; never raises."""
        for listener in self._listeners.get(type(fact), ()):
            try:
                listener(fact)
            except Exception as err:  # noqa: BLE001 - observers must have no effect
                self._report(err)

    def _report(self, error: Exception) -> None:
        """Log the first failure without its message, which may contain private data."""
        if not self._failed:
            self._failed = True
            _LOGGER.error("An observer failed: %s", type(error).__name__)


type FactsOf = Callable[[str], Facts]
"""Returns the facts of a controller by its identifier, or of `SERVICE`."""
