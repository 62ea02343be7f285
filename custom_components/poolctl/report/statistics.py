"""Statistics of the two paths to a controller, for troubleshooting.

They have only numbers, times and kinds of errors: nothing identifies a controller.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
import logging

from ..client import BusyError, FrameError, PoolctlError, RefusedError, UnconfirmedError
from ..client.facts import SERVICE, CloudRequest, Facts, Frame, Poll
from ..client.wire import FRAME_VERSIONS
from .recorder import Recorder

_LOGGER = logging.getLogger(__name__)

_ANSWERS = (RefusedError, BusyError, UnconfirmedError)
"""Errors after which the service counts as reached."""


@dataclass(slots=True)
class LinkStatistics:
    """Statistics of a path to a controller, or to the service, since its first use.

    A poll is one read with its retries, a miss is a poll that failed. Only polls that
    were answered count towards the latency.
    """

    polls: int = 0
    misses: int = 0
    misses_in_a_row: int = 0
    latency_total: float = 0.0
    """Seconds, of all answered polls."""
    latency_worst: float = 0.0
    """Seconds."""
    last_answer_at: datetime | None = None
    last_error: type[PoolctlError] | None = None
    """Type only, as the message may contain text from the other side."""
    last_error_at: datetime | None = None

    @property
    def latency_average(self) -> float | None:
        """Average latency in seconds, `None` until a poll was answered."""
        answers = self.polls - self.misses
        return self.latency_total / answers if answers else None

    def add(self, seconds: float, error: PoolctlError | None) -> None:
        """Count a poll."""
        self.polls += 1
        if error is not None:
            self.misses += 1
            self.misses_in_a_row += 1
            self.last_error, self.last_error_at = type(error), datetime.now(UTC)
            return
        self.misses_in_a_row = 0
        self.latency_total += seconds
        self.latency_worst = max(self.latency_worst, seconds)
        self.last_answer_at = datetime.now(UTC)

    def add_request(self, request: CloudRequest) -> None:
        """Count a request to the service: a refusal is an answer, too."""
        answered = isinstance(request.error, _ANSWERS)
        self.add(request.seconds, None if answered else request.error)


@dataclass(slots=True)
class ControllerStatistics:
    """Statistics of both paths to one controller, and its newest frames on the LAN."""

    lan: LinkStatistics = field(default_factory=LinkStatistics)
    cloud: LinkStatistics = field(default_factory=LinkStatistics)
    last_frame: Frame | None = None
    """Newest frame that verified, whether it decodes or not."""
    undecoded_frame: Frame | None = None
    """Newest frame that ended a poll because it did not decode."""
    unknown_frame_version: int | None = None
    """Newest frame version that is not documented."""

    def add_frame(self, frame: Frame) -> None:
        """Keep a frame, and log a frame version that is not documented, once."""
        if frame.replayed:
            return
        self.last_frame, version = frame, (*frame.payload[:1], None)[0]
        if version not in (None, *FRAME_VERSIONS, self.unknown_frame_version):
            self.unknown_frame_version = version
            _LOGGER.warning(
                "The controller sends state frames of version %d, which is not known:"
                " please report whether the values are right",
                version,
            )

    def add_poll(self, poll: Poll) -> None:
        """Count a poll by its path, and keep the frame that it could not decode."""
        (self.lan if poll.by_lan else self.cloud).add(poll.seconds, poll.error)
        if isinstance(poll.error, FrameError):
            if self.undecoded_frame is None:
                _LOGGER.warning(
                    "The controller answers in a form that is not understood: please"
                    " report it with the diagnostics of its device, which hold the answer"
                )
            self.undecoded_frame = self.last_frame


class Observers:
    """The listeners to the facts of one account and its controllers."""

    def __init__(self) -> None:
        self.service = LinkStatistics()
        """Statistics of all requests to the service."""
        self.statistics = defaultdict[str, ControllerStatistics](ControllerStatistics)
        """Statistics of each controller, by device ID."""
        self.recorders: dict[str, Recorder] = {}
        """Flight recorders by device ID; the one of `SERVICE` is the account's."""
        self._facts: dict[str, Facts] = {}
        self.facts()

    def facts(self, device_id: str = SERVICE) -> Facts:
        """Return the facts of a controller, or of the service, with their listeners."""
        if (facts := self._facts.get(device_id)) is None:
            facts = self._facts[device_id] = Facts()
            facts.listen(CloudRequest, self.service.add_request)
            self.recorders[device_id] = Recorder(facts)
            if device_id != SERVICE:
                facts.listen(Frame, self.statistics[device_id].add_frame)
                facts.listen(Poll, self.statistics[device_id].add_poll)
        return facts
