"""The endpoints of the service, and when they may be requested (protocol.md 7.1, 8).

The paths of the published ones are in protocol.md 4.1; the other paths are observed
(protocol.md O5), though some of their names are published (protocol.md 4.1 rule 5).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPMethod
import math
import time
from typing import Final, NamedTuple

from .backoff import NO_FAILURES, Backoff, Failures
from .facts import SERVICE
from .turns import Turns
from .wire.exceptions import BusyError, NotOfferedError, PoolctlError

V1 = "api-gateway/v1"
_V2 = "api-gateway/v2"
_SHORTEST = 0.1
"""Seconds: aiohttp takes no time at all for no limit."""
_DEVICE = "iot-shadow/device/{device_id}"
MISSING_AGAIN: Final = Backoff(20.0, 3600.0, factor=5.0)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint; `{device_id}` in a path stands for a controller."""

    name: str
    paths: tuple[str, ...]
    """Paths to try in turn; only the envelope key has more than one."""
    published: bool = False
    """Whether its path is published; if not, its errors affect only itself."""
    fields: frozenset[str] = frozenset()
    """Fields of which an answer that means something has one at least."""
    again: Backoff = MISSING_AGAIN
    """Waits of an unpublished read that failed."""
    absent_for: float = 86400.0
    """Seconds for which an unpublished endpoint is not requested after a 404 or 405."""


class ServiceRequest(NamedTuple):
    """A request to an endpoint."""

    endpoint: Endpoint
    device_id: str = SERVICE
    number: int = 0
    """Index of the path."""
    data: bytes | None = None
    """The body of a write, `None` for a read."""
    give_up: float | None = None
    """When the user's command that it is part of ends (monotonic, s), `None` if none."""
    silence: float | None = None
    """Seconds without a byte after which it is not answered any more."""

    @property
    def urgent(self) -> bool:
        """Whether it is part of a user's command."""
        return self.give_up is not None

    def seconds(self, most: float = math.inf) -> float:
        """Return the seconds that it may take."""
        if self.give_up is None:
            return most
        return max(_SHORTEST, min(most, self.give_up - time.monotonic()))

    @property
    def method(self) -> HTTPMethod:
        """Method of HTTP."""
        return HTTPMethod.GET if self.data is None else HTTPMethod.POST

    @property
    def queued(self) -> bool:
        """Whether it may wait behind other commands of the controller (protocol.md 8).

        Reads that are not published may not: they would delay the next dashboard.
        """
        return self.device_id != SERVICE and (self.endpoint.published or self.urgent)

    @property
    def path(self) -> str:
        """Path for its controller."""
        return self.endpoint.paths[self.number].format(device_id=self.device_id)


def _device(name: str, fields: str = "", *, published: bool = False) -> Endpoint:
    return Endpoint(
        name, (f"{V1}/{_DEVICE}/{name}",), published, frozenset(fields.split())
    )


SITES: Final = Endpoint("sites", (f"{V1}/user/sites",), published=True)
STATUSES: Final = Endpoint(
    "deviceOnlineStatuses",
    (f"{V1}/user/deviceOnlineStatuses",),
    fields=frozenset({"deviceId"}),
)
USER_INFO: Final = Endpoint(
    "userinfo", (f"{V1}/oauth/userinfo",), again=Backoff(0.0, 0.0)
)
DASHBOARD: Final = _device(
    "dashboardInfo",
    """actual_ph actual_orp d_ph d_orp_mineral actual_pump_speed actual_flow_rate
    main_pump_status heater_state chemistry_stable""",
    published=True,
)
KEY: Final = Endpoint(
    "envelope-key",
    (
        f"{_V2}/{_DEVICE}/envelope-key",
        f"{V1}/{_DEVICE}/envelope-key",
        f"api-gateway/{_DEVICE}/envelope-key",
    ),
    again=Backoff(30.0, 3600.0, factor=4.0),
)

TOKEN: Final = ServiceRequest(
    Endpoint("token", (f"{V1}/oauth/token",), again=Backoff(30.0, 60.0)), "token"
)
"""Renewal of the sign-in. Its limits are its own, as if it were a controller."""

READS: Final = {
    "auxInfo": "aux_slot_num",
    "ambientTemp": "water_temp ambient_temp",
    "chemistryCard": "phSettings chlorineSettings",
    "pumpInfo": "pump_type pump_cooldown pump_cooldown_left",
    "scheduleInfo": "schedules",
}
"""Observed reads with fields of their answers."""
WRITES: Final = (
    "setPhSettings",
    "setChlorineSettings",
    "changeScheduleStatus",
    "createSchedule",
    "updateSchedule",
    "deleteSchedule",
)
ENDPOINTS: Final[Mapping[str, Endpoint]] = {
    endpoint.name: endpoint
    for endpoint in (
        SITES,
        STATUSES,
        USER_INFO,
        DASHBOARD,
        KEY,
        _device("setPumpInfo", published=True),
        Endpoint("manualSet", (f"{V1}/{_DEVICE}/manualSet",), absent_for=0.0),
        *(_device(name, fields) for name, fields in READS.items()),
        *map(_device, WRITES),
    )
}
"""All endpoints by name; only the sign-in (`account.py`) uses others."""


class _Failure(NamedTuple):
    """The newest failure of one path, and those in a row."""

    error: PoolctlError
    failures: Failures


@dataclass(slots=True)
class Gate:
    """The limits of one controller, times are monotonic in seconds."""

    turns: Turns = field(default_factory=lambda: Turns(patience=0.0))
    next_write: float = 0.0
    busy_until: float = 0.0
    """End of the wait that the service asked for (protocol.md 7.1)."""
    read_busy_until: float = 0.0
    """The same for published reads: their copies are served during a cool-down."""
    last_busy: str = ""
    """Endpoint that started the last wait."""
    failures: dict[str, _Failure] = field(default_factory=dict)
    wait_began: Callable[[float], None] = lambda seconds: None
    """Called when the service asks to wait."""

    def check(self, request: ServiceRequest) -> None:
        """Raise the error that keeps a request from being sent now."""
        now = time.monotonic()
        copied = request.endpoint.published and request.data is None
        until = self.read_busy_until if copied else self.busy_until
        if until > now:
            raise BusyError("the service asked to wait", retry_after=until - now)
        failure = self.failures.get(request.path)
        if failure is None or now >= failure.failures.retry_at:
            return
        if not request.urgent or isinstance(failure.error, NotOfferedError):
            if isinstance(failure.error, BusyError):
                left = failure.failures.retry_at - now
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
            self.wait_began(self.busy_until - now)
        previous = self.failures.pop(request.path, None)
        if error is None or endpoint.published:
            return
        backoff = endpoint.again
        if isinstance(error, NotOfferedError):
            backoff = Backoff(endpoint.absent_for, endpoint.absent_for)
        elif request.data is not None:
            return
        failures = previous.failures if previous else NO_FAILURES
        self.failures[request.path] = _Failure(error, failures.failed(backoff, now))


type Gates = defaultdict[str, Gate]
"""The gates of an account by controller, `SERVICE` for the account itself.

They outlast the client: a wait ends neither with a reload nor a failed set-up."""
