"""Counters of envelopes: what is signed next, and what is a replay (protocol.md O1).

Requests that use them are sent one at a time.
"""

from collections.abc import Callable
from enum import Enum, auto
import logging

from .clock import AGREEMENT, Clock
from .turns import Turns
from .wire.envelope import MAX_COUNTER
from .wire.exceptions import ClockError, ReplayError

_LOGGER = logging.getLogger(__name__)

_LAN_PATIENCE = 2.5
"""Seconds in which a controller that is there answers (protocol.md 7.2; chosen)."""
_STOP = 35 * 60 * 60.0
"""Longest stop in seconds, of Home Assistant or of its machine, after which requests are
signed by a clock that nothing confirms."""
_FAR = 5 * 365 * 24 * 60 * 60
"""Seconds by which the clock may exceed the counters before it counts as wrong: longer
than a house stands empty (chosen)."""


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

    Those of signed requests increase strictly, near Unix time (protocol.md O1). A
    controller that accepted one of the future would refuse every client until then.
    So the clock signs only if the service's `Date` explains it, or, without one, a
    stop of 35 h since a counter that was accepted, now or before the start. Else that
    counter goes on with the seconds since then.
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
        self._accepted = last, self.clock.steady()
        """A counter that was accepted, 0 if there was none, and its monotonic time."""
        self._refused: ClockFault | None = None
        self.frames = IncomingCounter()
        self.turns = Turns(_LAN_PATIENCE)
        """The controller handles one request at a time (protocol.md 4.2 rule 8)."""
        self.answered: tuple[str, bytes] | None = None
        """Name and payload of a query that it answered, and would answer again."""

    @property
    def clock_fault(self) -> ClockFault | None:
        """The clock error, `None` once the controller accepted a counter."""
        earliest = self._earliest
        far = earliest and self.clock.time() > earliest + _FAR
        return ClockFault.OURS if far else self._refused

    @property
    def _earliest(self) -> float:
        """The earliest time in Unix seconds, as an accepted counter shows; 0 without."""
        counter, at = self._accepted
        return counter and counter + self.clock.steady() - at

    @property
    def _now(self) -> float:
        """The time in Unix seconds to sign with."""
        ours, earliest = self.clock.time(), self._earliest
        if (service := self.clock.service_time) is not None:
            return min(ours, max(earliest, service))
        return ours if not earliest or ours <= earliest + _STOP else earliest

    @property
    def ahead(self) -> int:
        """Seconds that the newest counter is ahead of the time, 0 if it is not."""
        return max(0, self.last - int(self._now))

    def next(self) -> int:
        """Return an unused counter; raises ClockError if there is none."""
        return self._use(max(self.last + 1, int(self._now)))

    def skip(self, seconds: int) -> None:
        """Skip counters because another client is ahead of us; raises ClockError."""
        self._use(self.last + seconds)

    def take_back(self, last: int) -> None:
        """Return to an earlier counter: the controller refused all later ones."""
        self.last = last
        self._used()

    def accept(self, counter: int) -> None:
        """Note that the controller has accepted a counter."""
        self._refused = None
        # A burst of requests runs ahead by seconds, which must not add up.
        if abs(counter - self._earliest) > AGREEMENT:
            self._accepted = counter, self.clock.steady()

    def refused(self) -> None:
        """Note that counters are refused: by our clock's fault unless it is trusted."""
        trusted = self.clock.trusted
        self._refused = ClockFault.OTHERS if trusted else ClockFault.OURS

    def _use(self, counter: int) -> int:
        if counter > MAX_COUNTER:
            raise ClockError("the clock is later than any counter")
        self.last = counter
        self._used()
        return counter
