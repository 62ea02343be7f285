"""Events as typed facts: each is emitted once, to all listeners.

Listeners only observe: they cannot affect processing, and their failures have no
effect. No fact contains a token. Answers may contain names, addresses and keys; a
listener that keeps answers removes them.
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
    """The signed payload, `None` if nothing was signed."""
    response: Response | None
    """`None` if there was none."""
    reply: bytes
    """The verified payload of the answer, empty if there is none."""
    seconds: float
    error: PoolctlError | None


class Frame(NamedTuple):
    """A verified state frame, whether it decodes or not."""

    counter: int
    payload: bytes
    layout: bytes
    """The payload without measured values (`frame_parts.without_readings`)."""
    at: float
    """Unix time."""
    replayed: bool
    """Whether it was discarded because it is older than another frame."""


class Reply(NamedTuple):
    """The verified reply to a query."""

    name: str
    sent_counter: int
    """Counter of the query."""
    counter: int
    payload: bytes
    replayed: bool


class Rejected(NamedTuple):
    """An envelope that does not verify, from any sender."""

    envelope: str
    error: PoolctlError


class CounterBehind(NamedTuple):
    """A refusal was caused by another client whose counter is ahead."""

    seconds: int | None
    """Seconds that we skipped, `None` if it is further ahead than we follow."""


class BusyChecked(NamedTuple):
    """The state was read to find out whether a command ran despite `busy`."""

    ran: bool


class ScheduleTimes(NamedTuple):
    """Three starts of schedules agree on the offset of the controller's clock."""

    ahead: int
    """Minutes that it is ahead of ours, 0 unless it counts as wrong."""


class OverMidnight(NamedTuple):
    """A running schedule whose end is before its start reached midnight."""

    went_on: bool


# In the cloud


class CloudRequest(NamedTuple):
    """A request to the service, and its outcome."""

    method: str
    endpoint: str
    body: bytes
    response: Response | None
    """`None` if there was none."""
    answer: Answer | None
    """JSON object of a read that succeeded."""
    seconds: float
    error: PoolctlError | None


class InventoryRead(NamedTuple):
    """The inventory of the account was read."""

    inventory: Inventory


class AccessRenewed(NamedTuple):
    """An access token was refused, and the next one was accepted."""

    status: int
    """HTTP status of the refusal."""


class TokenAnswer(NamedTuple):
    """The answer of the token endpoint, without its tokens."""

    grant: str
    status: int
    rotated: bool
    """Whether it contains a refresh token."""
    error: PoolctlError | None


class Online(NamedTuple):
    """`online` of a controller was read from the service."""

    online: bool | None
    changed: bool
    """Whether the dashboard has changed since the previous such read."""


class WriteShown(NamedTuple):
    """A later read showed a write to the cloud, or did not show it in time."""

    in_time: bool


# On either path


class Poll(NamedTuple):
    """One read of the state with its retries."""

    by_lan: bool
    seconds: float
    error: PoolctlError | None


class SourceChange(NamedTuple):
    """The source of the state changed to another path."""

    source: str


class RecordChange(NamedTuple):
    """An address or a key of a controller was replaced; its value is not included."""

    what: str
    """`address` or `key`."""


class ProblemChange(NamedTuple):
    """A problem began or ended."""

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
"""Identifier of the service in place of the identifier of a controller."""


class Facts:
    """Passes the facts of one controller, or of the service, to listeners."""

    def __init__(self) -> None:
        """Start without listeners."""
        self.listeners: dict[type[object], tuple[Callable[[Any], None], ...]] = {}
        """Listeners by kind of fact. Frequent emitters check this first."""
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
        """Log the first failure without its message, which may contain private data."""
        if not self._failed:
            self._failed = True
            _LOGGER.error("An observer failed: %s", type(error).__name__)


type FactsOf = Callable[[str], Facts]
"""Returns the facts of a controller by its identifier, or of `SERVICE`."""


def unobserved(device_id: str) -> Facts:
    """Return facts without listeners."""
    return Facts()
