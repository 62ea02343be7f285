"""The endpoints of the service that are used.

The paths of the published ones are in protocol.md 4.1; the other paths are observed
(protocol.md O5), though some of their names are published (protocol.md 4.1 rule 5).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPMethod
from typing import Final, NamedTuple

from .facts import SERVICE

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
    again: tuple[float, ...] = (20.0, 120.0, 300.0, 3600.0)
    """Seconds until an unpublished read that failed is requested again: in the next
    read cycle, then less and less often (chosen)."""
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
    urgent: bool = False
    """Whether it is part of a user's command."""

    @property
    def method(self) -> HTTPMethod:
        """Method of HTTP."""
        return HTTPMethod.GET if self.data is None else HTTPMethod.POST

    @property
    def path(self) -> str:
        """Path for its controller."""
        return self.endpoint.paths[self.number].format(device_id=self.device_id)


def _account(name: str, path: str, *, published: bool = False) -> Endpoint:
    return Endpoint(name, (f"{V1}/{path}",), published)


def _device(name: str, *, published: bool = False) -> Endpoint:
    return Endpoint(name, (f"{V1}/{_DEVICE}/{name}",), published)


SITES: Final = _account("sites", "user/sites", published=True)
STATUSES: Final = _account("deviceOnlineStatuses", "user/deviceOnlineStatuses")
USER_INFO: Final = Endpoint("userinfo", (f"{V1}/oauth/userinfo",), again=(0.0,))
DASHBOARD: Final = _device("dashboardInfo", published=True)
KEY: Final = Endpoint(
    "envelope-key",
    (
        f"{_V2}/{_DEVICE}/envelope-key",
        f"{V1}/{_DEVICE}/envelope-key",
        f"api-gateway/{_DEVICE}/envelope-key",
    ),
    again=(30.0, 120.0, 300.0),
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
        *(SITES, STATUSES, USER_INFO, DASHBOARD, KEY),
        _device("setPumpInfo", published=True),
        Endpoint("manualSet", (f"{V1}/{_DEVICE}/manualSet",), absent_for=0.0),
        *map(_device, (*READS, *WRITES)),
    )
}
"""All endpoints by name; only the sign-in (`account.py`) uses others."""
