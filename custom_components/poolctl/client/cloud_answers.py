"""What the service's answers say: errors, and who is listed (interface.md 2.1 to 2.4, 7.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
import re

from .exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    ForbiddenError,
    NotOfferedError,
    PoolctlError,
    ServiceError,
    UnexpectedResponseError,
)
from .http import Response
from .json_values import Answer, list_of

DEFAULT_RETRY_AFTER = 5.0
"""s, where a 429 does not say (interface.md 7.1)."""


@dataclass(frozen=True, slots=True)
class Device:
    """A controller as the account lists it (interface.md 2.4)."""

    device_id: str
    name: str
    online: bool | None
    site: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """What an account owns (interface.md 2.3)."""

    site_ids: tuple[str, ...]
    devices: tuple[Device, ...]
    complete: bool = field(default=True, compare=False)
    """Whether all of the answer was understood: only then is what it lacks gone."""


_DEVICE_ID = re.compile(r"(?:[0-9A-F]{2}_){5}[0-9A-F]{2}")
_RETRY_AFTER = re.compile(
    r"retry after\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?!s))?\s*(?:(\d+(?:\.\d+)?)\s*s)?",
    re.IGNORECASE,
)


def is_device_id(text: object) -> bool:
    """Tell whether a text has the form of a controller identifier (interface.md 2.4)."""
    return isinstance(text, str) and _DEVICE_ID.fullmatch(text) is not None


def parse_retry_after(message: str, header: str | None = None) -> float:
    """Return the seconds to wait after a 429 (interface.md 7.1).

    The message is asked first (`5s`, `10s`, `1m0s`, `5 s`), then the header.
    """
    if (found := _RETRY_AFTER.search(message)) and any(found.groups()):
        hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return hours * 3600 + minutes * 60 + seconds
    if header is not None and header.strip().isdecimal():
        return float(header)
    return DEFAULT_RETRY_AFTER


def parse_device(entry: object, site: str) -> Device | None:
    """Return a listed controller (interface.md 2.4), `None` where it is not understood."""
    if not isinstance(entry, dict) or not is_device_id(entry.get("deviceId")):
        return None
    online = entry.get("online")
    return Device(
        entry["deviceId"],
        str(entry.get("tag") or ""),
        online if isinstance(online, bool) else None,
        site,
    )


def parse_inventory(data: Answer) -> Inventory:
    """Return the sites and their controllers (interface.md 2.3)."""
    sites = list_of(data, "sites")
    complete = _has_all(data, "sites", sites)
    site_ids, devices = [], []
    for site in sites:
        if site.get("objectId"):
            site_ids.append(str(site["objectId"]))
        entries = list_of(site, "device_list")
        name = str(site.get("name") or "")
        found = [parse_device(entry, name) for entry in entries]
        complete &= _has_all(site, "device_list", entries) and None not in found
        devices += [device for device in found if device is not None]
    return Inventory(tuple(site_ids), tuple(devices), complete)


def _has_all(answer: Answer, key: str, objects: list[Answer]) -> bool:
    """Tell whether a list of an answer holds nothing but these objects."""
    found = answer.get(key)
    return isinstance(found, list) and len(found) == len(objects)


_STATUS_ERRORS: Mapping[int, type[PoolctlError]] = {
    HTTPStatus.UNAUTHORIZED: AuthenticationError,
    HTTPStatus.FORBIDDEN: ForbiddenError,
    HTTPStatus.NOT_FOUND: NotOfferedError,
}


def check(response: Response) -> Answer:
    """Return the answer's JSON object, or raise what it says (interface.md 7.1)."""
    status, answer = response.status, response.json()
    message = response.data.decode("utf-8", "replace")
    if answer is not None:
        message = str(answer.get("message") or answer.get("error") or "no reason given")
    # The service names the controller in its messages; a dialog need not.
    message = _DEVICE_ID.sub("**", message)[:200]
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        header = response.headers.get("Retry-After")
        raise BusyError(
            "the service asks to wait", retry_after=parse_retry_after(message, header)
        )
    if error := _STATUS_ERRORS.get(status):
        raise error(f"the service says HTTP {status}")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ServiceError(f"the service says HTTP {status}")
    if answer is None:
        raise UnexpectedResponseError(f"HTTP {status} without a JSON object")
    if status != HTTPStatus.OK or answer.get("status") == "FAILED":
        raise CommandFailedError(message)
    return answer
