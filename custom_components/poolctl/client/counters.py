"""Counters of envelopes: what is signed next, and what is a replay (protocol.md O1).

Requests that use them are sent one at a time.
"""

from collections.abc import Callable
from enum import Enum, auto
import logging

from .clock import Clock
from .turns import Turns
from .wire.envelope import MAX_COUNTER
from .wire.exceptions import ClockError, ReplayError

_LOGGER = logging.getLogger(__name__)

_LAN_PATIENCE = 2.5
"""Seconds in which a controller that is there answers (protocol.md 7.2; chosen)."""
_FAR = 5 * 365 * 24 * 60 * 60
"""Seconds that a counter may exceed an accepted one before our clock counts as wrong:
longer than a house stands empty (chosen)."""


class ClockFault(Enum):
    """A clock error that makes our signed requests fail."""

    OURS = auto()
    """Our clock is far from the counters the controller accepted: nothing is signed."""
    OTHERS = auto()
    """The controller refuses our counters: another client's clock is ahead of ours."""


class IncomingCounter:
    """Detects replays: a counter lower than the last verified one.

    If the controller restarts its counter, the first lower one is refused. The second one
    is accepted if it is higher than the first.
    """

    def __init__(self) -> None:
        self.newest: int | None = None
        """The newest accepted counter, `None` if there was none."""
        self._candidate: int | None = None

    def accept(self, counter: int) -> None:
        """Check the counter of a verified envelope; raises ReplayError for a replay."""
        if self.newest is None or counter >= self.newest:
            self.newest, self._candidate = counter, None
        elif self._candidate is not None and counter > self._candidate:
            _LOGGER.warning("The controller restarted its message counter")
            self.newest, self._candidate = counter, None
        else:
            self._candidate = counter
            raise ReplayError("envelope is older than one already seen")


class Counters:
    """All counters of one controller, kept when its address or key changes.

    Those of signed requests increase strictly, near Unix time (protocol.md O1). One far
    above the accepted ones is never used: a controller that accepted it would refuse
    every client until that time.
    """

    def __init__(
        self,
        last: int = 0,
        *,
        clock: Clock | None = None,
        used: Callable[[], None] = lambda: None,
    ) -> None:
        """Start above `last`, the newest used one; `used` is called after each use."""
        self.last = last
        self.clock = clock or Clock()
        self._used = used
        self.accepted: int | None = None
        """Newest counter that the controller accepted, `None` if there was none yet."""
        self.clock_fault: ClockFault | None = None
        """The last clock error, `None` once the controller accepted a counter."""
        self.frames = IncomingCounter()
        self.turns = Turns(_LAN_PATIENCE)
        """The controller handles one request at a time (protocol.md 4.2 rule 8)."""
        self.answered: tuple[str, bytes] | None = None
        """Name and payload of a query that it answered, and would answer again."""

    @property
    def ahead(self) -> int:
        """Seconds that the newest counter is ahead of the clock, 0 if it is not."""
        return max(0, self.last - int(self.clock.time()))

    def next(self) -> int:
        """Return an unused counter; raises ClockError if the clock is far off."""
        return self._use(max(self.last + 1, int(self.clock.time())))

    def skip(self, seconds: int) -> None:
        """Skip counters because another client is ahead of us; raises ClockError."""
        self._use(self.last + seconds)

    def take_back(self, last: int) -> None:
        """Return to an earlier counter: the controller refused all later ones."""
        self.last = last
        self._used()

    def accept(self, counter: int) -> None:
        """Note that the controller has accepted a counter."""
        self.accepted, self.clock_fault = counter, None

    def refused(self) -> None:
        """Note that counters are refused: by our clock's fault unless it is trusted."""
        trusted = self.clock.trusted
        self.clock_fault = ClockFault.OTHERS if trusted else ClockFault.OURS

    def _use(self, counter: int) -> int:
        known = self.accepted or self.last
        if counter > MAX_COUNTER or (known and counter > known + _FAR):
            self.clock_fault = ClockFault.OURS
            raise ClockError("the clock is far from what the controller accepted")
        self.last = counter
        self._used()
        return counter
