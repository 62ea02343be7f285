"""How the two ways to a controller have worked, for whoever looks for a fault.

Numbers, times and kinds of errors only: nothing here tells whose controller it is.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
import time
from typing import NamedTuple

from .envelope import Envelope
from .exceptions import PoolctlError


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class LinkStatistics:
    """One way to a controller, or to the service, since it was first used.

    A poll is one reading with whatever it retries, a miss one that told nothing. Only
    polls that were answered count for the latency.
    """

    polls: int = 0
    misses: int = 0
    misses_in_a_row: int = 0
    latency_total: float = 0.0
    """s."""
    latency_worst: float = 0.0
    """s."""
    last_answer_at: datetime | None = None
    last_error: type[PoolctlError] | None = None
    """Without its words: they may be the other side's."""
    last_error_at: datetime | None = None

    @property
    def latency_average(self) -> float | None:
        """Seconds, `None` while nothing was answered."""
        answers = self.polls - self.misses
        return self.latency_total / answers if answers else None

    @property
    def works(self) -> bool | None:
        """Whether the last poll was answered, `None` where there was none."""
        return self.misses_in_a_row == 0 if self.polls else None

    @contextmanager
    def poll(self, *answers: type[PoolctlError]) -> Generator[None]:
        """Count what happens inside as one poll; one that is cancelled is none.

        Some errors may be `answers`: a "no" tells that somebody is there.
        """
        started = time.monotonic()
        try:
            yield
        except PoolctlError as err:
            if isinstance(err, answers):
                self._answered(started)
            else:
                self._missed(err)
            raise
        self._answered(started)

    def _missed(self, error: PoolctlError) -> None:
        self.polls += 1
        self.misses += 1
        self.misses_in_a_row += 1
        self.last_error, self.last_error_at = type(error), _now()

    def _answered(self, started: float) -> None:
        latency = time.monotonic() - started
        self.polls += 1
        self.misses_in_a_row = 0
        self.latency_total += latency
        self.latency_worst = max(self.latency_worst, latency)
        self.last_answer_at = _now()


class RawFrame(NamedTuple):
    """A verified state frame as it came, with the counter it was signed with."""

    counter: int
    payload: bytes
    at: datetime

    @classmethod
    def of(cls, envelope: Envelope) -> RawFrame:
        """Keep what an envelope held; its tag would tell of the key."""
        return cls(envelope.counter, envelope.payload, _now())


@dataclass(slots=True)
class ControllerStatistics:
    """Both ways to one controller, and what could not be read."""

    lan: LinkStatistics = field(default_factory=LinkStatistics)
    cloud: LinkStatistics = field(default_factory=LinkStatistics)
    undecoded_frame: RawFrame | None = None
    """The newest frame of the LAN that verified but did not decode."""
    unknown_frame_version: int | None = None
    """The newest version of a frame that is not the one we know."""
