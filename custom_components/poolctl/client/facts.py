"""What happens, as typed facts: each is emitted once, to whoever listens.

Listeners observe: nothing waits for them, and a listener that fails has no effect. No fact
holds a token. Names, addresses and keys may be part of an answer; a listener that keeps
answers removes them.
"""

from collections.abc import Callable
import logging
from typing import Any, Final, NamedTuple

from .cloud_answers import Inventory
from .exceptions import PoolctlError
from .http import Response
from .json_values import Answer

_LOGGER = logging.getLogger(__name__)


# On the LAN


class LanRequest(NamedTuple):
    """A request to a controller, and its outcome."""

    op: str
    name: str
    payload: bytes | None
    """That was signed, `None` if nothing was."""
    response: Response | None
    """`None` where none came."""
    reply: bytes
    """The verified payload of the answer, empty where there is none."""
    seconds: float
    error: PoolctlError | None


class Frame(NamedTuple):
    """A state frame that verified, whether it decodes or not."""

    counter: int
    payload: bytes
    layout: bytes
    """The payload without measured values (`frame_parts.without_readings`)."""
    at: float
    """Unix time."""
    replayed: bool
    """Whether it is older than another one, and so was discarded."""


class Reply(NamedTuple):
    """The reply to a query, verified."""

    name: str
    sent_counter: int
    """That of the query."""
    counter: int
    payload: bytes
    replayed: bool


class Rejected(NamedTuple):
    """An envelope that does not verify, whoever sent it."""

    envelope: str
    error: PoolctlError


class CounterBehind(NamedTuple):
    """A refusal was found to be caused by another client whose counter is ahead."""

    seconds: int | None
    """`None`: further than we follow."""


class BusyChecked(NamedTuple):
    """A state was read to see what `busy` meant."""

    ran: bool


class ScheduleTimes(NamedTuple):
    """Three starts of schedules agree on how far the controller's clock is off."""

    ahead: int
    """Minutes, 0 while it does not count as wrong."""


class OverMidnight(NamedTuple):
    """A schedule that ends before it starts was there at midnight."""

    went_on: bool


# In the cloud


class CloudRequest(NamedTuple):
    """A request to the service, and its outcome."""

    method: str
    endpoint: str
    body: bytes
    response: Response | None
    """`None` where none came."""
    answer: Answer | None
    """Of a read that succeeded."""
    seconds: float
    error: PoolctlError | None


class InventoryRead(NamedTuple):
    """What the account owns was read."""

    inventory: Inventory


class AccessRenewed(NamedTuple):
    """An access token was refused, and the next one accepted."""

    status: int
    """HTTP, of the refusal."""


class TokenAnswer(NamedTuple):
    """The answer of the token endpoint, without its tokens."""

    grant: str
    status: int
    rotated: bool
    """Whether it has a refresh token."""
    error: PoolctlError | None


class Online(NamedTuple):
    """The service was asked whether it reaches a controller."""

    online: bool | None
    changed: bool
    """Whether the dashboard has changed since it was asked before."""


class WriteShown(NamedTuple):
    """A write to the cloud was, or was not, part of a later read."""

    in_time: bool


# By either


class Poll(NamedTuple):
    """One read of the state with its retries."""

    by_lan: bool
    seconds: float
    error: PoolctlError | None


class SourceChange(NamedTuple):
    """Another path is the source of the state."""

    source: str


class RecordChange(NamedTuple):
    """An address or a key of a controller was replaced; this does not contain it."""

    what: str
    """`address` or `key`."""


class ProblemChange(NamedTuple):
    """A problem began, or ended."""

    problem: str
    active: bool


type Fact = (
    LanRequest
    | Frame
    | Reply
    | Rejected
    | CounterBehind
    | BusyChecked
    | ScheduleTimes
    | OverMidnight
    | CloudRequest
    | InventoryRead
    | AccessRenewed
    | TokenAnswer
    | Online
    | WriteShown
    | Poll
    | SourceChange
    | RecordChange
    | ProblemChange
)

SERVICE: Final = ""
"""Stands for the service where facts are asked for by the identifier of a controller."""


class Facts:
    """The facts of one controller, or of the service, on their way to the listeners."""

    def __init__(self) -> None:
        """Start without listeners."""
        self.listeners: dict[type[object], tuple[Callable[[Any], None], ...]] = {}
        """By kind. Emitters that are called often look here first."""
        self._failed = False

    def listen[F: Fact](self, kind: type[F], listener: Callable[[F], None]) -> None:
        """Call a listener with each fact of a kind."""
        self.listeners[kind] = (*self.listeners.get(kind, ()), listener)

    def emit(self, fact: Fact) -> None:
        """Report a fact; never raises."""
        for listener in self.listeners.get(type(fact), ()):
            try:
                listener(fact)
            except Exception as err:  # noqa: BLE001 - observers must have no effect
                self._report(err)

    def _report(self, error: Exception) -> None:
        """Log the first failure, without its words: they may hold data."""
        if not self._failed:
            self._failed = True
            _LOGGER.error("An observer failed: %s", type(error).__name__)


type FactsOf = Callable[[str], Facts]
"""Returns the facts of a controller by its identifier, or of `SERVICE`."""


def unobserved(device_id: str) -> Facts:
    """Return facts without listeners."""
    return Facts()
