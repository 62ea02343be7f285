"""The endpoints of the service that are used, and the retries of failed ones.

The paths of the published ones are in protocol.md 4.1; the other paths are observed
(protocol.md O5), though some of their names are published (protocol.md 4.1 rule 5).
"""

from collections.abc import Mapping
from dataclasses import dataclass
import time
from typing import Final

from .wire.exceptions import BusyError, NotOfferedError, PoolctlError

V1 = "api-gateway/v1"
_V2 = "api-gateway/v2"
_DEVICE = "iot-shadow/device/{device_id}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint; `{device_id}` in a path stands for a controller."""

    name: str
    paths: tuple[str, ...]
    """Paths to try in turn; only the envelope key has more than one."""
    published: bool = False
    """Whether its path is published; if not, its errors affect only itself."""

    def path(self, device_id: str, number: int = 0) -> str:
        """Return a path for a controller."""
        return self.paths[number].format(device_id=device_id)


def _account(name: str, path: str, *, published: bool = False) -> Endpoint:
    return Endpoint(name, (f"{V1}/{path}",), published)


def _device(name: str, *, published: bool = False) -> Endpoint:
    return Endpoint(name, (f"{V1}/{_DEVICE}/{name}",), published)


SITES: Final = _account("sites", "user/sites", published=True)
STATUSES: Final = _account("deviceOnlineStatuses", "user/deviceOnlineStatuses")
USER_INFO: Final = _account("userinfo", "oauth/userinfo")
DASHBOARD: Final = _device("dashboardInfo", published=True)
SET_PUMP: Final = _device("setPumpInfo", published=True)
MANUAL_SET: Final = _device("manualSet")
KEY: Final = Endpoint(
    "envelope-key",
    (
        f"{_V2}/{_DEVICE}/envelope-key",
        f"{V1}/{_DEVICE}/envelope-key",
        f"api-gateway/{_DEVICE}/envelope-key",
    ),
)

READS: Final = ("auxInfo", "ambientTemp", "chemistryCard", "pumpInfo", "scheduleInfo")
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
        *(SITES, STATUSES, USER_INFO, DASHBOARD, SET_PUMP, MANUAL_SET, KEY),
        *map(_device, (*READS, *WRITES)),
    )
}
"""All endpoints by name; only the sign-in (`account.py`) uses others."""

_DAY = 86400.0
_AGAIN = (20.0, 120.0, 300.0, 3600.0)
"""Seconds until a failed endpoint is requested again: in the next read cycle, then less
and less often (chosen)."""


@dataclass(slots=True)
class Attempts:
    """Recent failures of an endpoint."""

    error: PoolctlError | None = None
    """Error of the newest attempt, `None` if it succeeded."""
    not_before: float = 0.0
    """Earliest time of the next request (monotonic, in seconds)."""
    failures: int = 0

    def check(self) -> None:
        """Raise the last error unless the endpoint may be requested again."""
        if self.error is None or time.monotonic() >= self.not_before:
            return
        if isinstance(self.error, BusyError):
            raise BusyError("the endpoint asked to wait")
        # The same error is raised repeatedly: its traceback would grow.
        raise self.error.with_traceback(None)

    def failed(self, error: PoolctlError) -> None:
        """Count a failure: a 404 lasts a day, a 429 at least its `retry_after`."""
        wait = _AGAIN[min(self.failures, len(_AGAIN) - 1)]
        if isinstance(error, NotOfferedError):
            wait = _DAY
        elif isinstance(error, BusyError):
            wait = max(wait, error.retry_after or 0.0)
        self.error, self.failures = error, self.failures + 1
        self.not_before = time.monotonic() + wait

    def worked(self) -> None:
        """Forget earlier failures."""
        self.error, self.failures = None, 0
