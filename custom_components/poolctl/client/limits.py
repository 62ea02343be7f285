"""When the endpoints of the service may be requested again (protocol.md 7.1 and 8)."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
import time

from .endpoints import ServiceRequest
from .wire.exceptions import BusyError, NotOfferedError, PoolctlError


@dataclass(slots=True)
class _Failure:
    """Failures in a row of one path; `not_before` is monotonic, in seconds."""

    error: PoolctlError
    not_before: float
    count: int


@dataclass(slots=True)
class Gate:
    """The limits of one controller, times are monotonic in seconds."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_write: float = 0.0
    busy_until: float = 0.0
    """End of the wait that the service asked for (protocol.md 7.1)."""
    read_busy_until: float = 0.0
    """The same for published reads: their copies are served during a cool-down."""
    last_busy: str = ""
    """Endpoint that started the last wait."""
    failures: dict[str, _Failure] = field(default_factory=dict)
    """Failures by path."""

    def check(self, request: ServiceRequest) -> None:
        """Raise the error that keeps a request from being sent now."""
        now = time.monotonic()
        copied = request.endpoint.published and request.data is None
        until = self.read_busy_until if copied else self.busy_until
        if until > now:
            raise BusyError("the service asked to wait", retry_after=until - now)
        failure = self.failures.get(request.path)
        if failure is None or now >= failure.not_before:
            return
        if not request.urgent or isinstance(failure.error, NotOfferedError):
            if isinstance(failure.error, BusyError):
                left = failure.not_before - now
                raise BusyError("the endpoint asked to wait", retry_after=left)
            # The same error is raised repeatedly: its traceback would grow.
            raise failure.error.with_traceback(None)

    def answered(self, request: ServiceRequest, error: PoolctlError | None) -> None:
        """Note an answer: a 404 lasts a day, a 429 as long as it says.

        Other failures delay only the reads of unpublished endpoints.
        """
        now, endpoint = time.monotonic(), request.endpoint
        if isinstance(error, BusyError):
            self.last_busy = endpoint.name
            self.busy_until = max(self.busy_until, now + (error.retry_after or 0.0))
            if endpoint.published and request.data is None:
                self.read_busy_until = self.busy_until
        previous = self.failures.pop(request.path, None)
        if error is None or endpoint.published:
            return
        count = previous.count + 1 if previous else 0
        wait = endpoint.again[min(count, len(endpoint.again) - 1)]
        if isinstance(error, NotOfferedError):
            wait = endpoint.absent_for
        elif request.data is not None:
            return
        self.failures[request.path] = _Failure(error, now + wait, count)


type Gates = defaultdict[str, Gate]
"""The gates of an account by controller, `SERVICE` for the account itself.

They may outlast the client: a wait ends neither with a reload nor a failed set-up."""
