"""Parsing of service answers: errors and inventory (protocol.md 2.1 to 2.4, 7.1)."""

from base64 import b64decode
from collections.abc import Container, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
import re

from .envelope import parse_key
from .exceptions import (
    AuthenticationError,
    BusyError,
    CommandFailedError,
    ForbiddenError,
    NotOfferedError,
    NotSupportedError,
    PoolctlError,
    ProtocolError,
    ServiceError,
    UnconfirmedError,
)
from .http import Response
from .json_values import Answer, clean_text, has_any, list_of, number, text

DEFAULT_RETRY_AFTER = 5.0
"""Seconds to wait after a 429 that reports no time (protocol.md 7.1)."""
MAX_RETRY_AFTER = 300.0
"""Maximum wait in seconds; the longest published wait is 60."""
SUCCESS = "SUCCESS"
FAILED = "FAILED"
_MAX_MESSAGE = 200
"""Maximum length of a message in characters."""


@dataclass(frozen=True, slots=True)
class Device:
    """A controller in an account's inventory (protocol.md 2.4)."""

    device_id: str
    name: str
    online: bool | None
    site: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """The sites and controllers of an account (protocol.md 2.3)."""

    site_ids: tuple[str, ...]
    devices: tuple[Device, ...]
    complete: bool = field(default=True, compare=False)
    """Whether all of the answer was parsed: only then are missing controllers gone."""


_DEVICE_ID = re.compile(r"(?:[0-9A-F]{2}_){5}[0-9A-F]{2}")
_RETRY_AFTER = re.compile(
    r"retry after\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?!s))?\s*(?:(\d+(?:\.\d+)?)\s*s)?",
    re.IGNORECASE,
)


def is_device_id(text: object) -> bool:
    """Return whether a text looks like a controller identifier (protocol.md 2.4)."""
    return isinstance(text, str) and _DEVICE_ID.fullmatch(text) is not None


def parse_retry_after(message: str, header: str | None) -> float:
    """Return the seconds to wait after a 429, 5 minutes at most (protocol.md 7.1).

    The message is read first (`5s`, `10s`, `1m0s`, `5 s`), then the header, which may
    contain seconds or a date.
    """
    seconds = _seconds_of_header(header or "")
    if (found := _RETRY_AFTER.search(message)) and any(found.groups()):
        hours, minutes, rest = (float(part or 0) for part in found.groups())
        seconds = hours * 3600 + minutes * 60 + rest
    return min(seconds, MAX_RETRY_AFTER) if seconds > 0 else DEFAULT_RETRY_AFTER


def _seconds_of_header(header: str) -> float:
    """Return the seconds in `Retry-After`, 0 if it cannot be read."""
    if header.strip().isdecimal():
        return float(header)
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    # A date without a zone is in UTC, too.
    return (until.replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds()


def parse_device(entry: object, site: str) -> Device | None:
    """Return a listed controller (protocol.md 2.4), `None` if it cannot be parsed."""
    if not isinstance(entry, dict) or not is_device_id(entry.get("deviceId")):
        return None
    online = entry.get("online")
    return Device(
        entry["deviceId"],
        text(entry, "tag") or "",
        online if isinstance(online, bool) else None,
        site,
    )


def parse_inventory(answer: Answer) -> Inventory:
    """Return the sites and their controllers (protocol.md 2.3)."""
    data = _object_in(answer, "data")
    sites = list_of(data, "sites")
    complete = _has_all(data, "sites", sites) and not _is_page(answer, len(sites))
    site_ids, devices = [], []
    for site in sites:
        if site_id := text(site, "objectId"):
            site_ids.append(site_id)
        entries = list_of(site, "device_list")
        name = text(site, "name") or ""
        found = [parse_device(entry, name) for entry in entries]
        complete &= _has_all(site, "device_list", entries) and None not in found
        complete &= not _is_page(site, len(entries))
        devices += [device for device in found if device is not None]
    return Inventory(tuple(site_ids), tuple(devices), complete)


def _has_all(answer: Answer, key: str, objects: list[Answer]) -> bool:
    """Return whether a list of an answer contains only these objects."""
    found = answer.get(key)
    return isinstance(found, list) and len(found) == len(objects)


_AROUND = re.compile("data|pag(e|ing|ination)|meta|_?links", re.IGNORECASE)
_NEXT = re.compile("next|more|cursor", re.IGNORECASE)
_COUNT = re.compile("total|count", re.IGNORECASE)


def _is_page(answer: Answer, received: int) -> bool:
    """Return whether more pages follow: a link to one, or a higher count (chosen)."""
    for name, value in answer.items():
        if isinstance(value, dict):
            if _AROUND.fullmatch(name) and _is_page(value, received):
                return True
        elif (value and _NEXT.search(name)) or (
            _COUNT.search(name) and (number(answer, name) or 0) > received
        ):
            return True
    return False


_KEY_FIELDS = ("key_hex", "key", "envelope_key")
_BASE64_KEY = 22
"""Length of 16 bytes in base64, without padding."""
_URL_SAFE = str.maketrans("-_", "+/")


def parse_envelope_key(data: Answer) -> bytes:
    """Return the 16 bytes of a controller's key (observed, protocol.md O5).

    It may have any of several likely names, and be in hex or base64, with or without
    white space. Raises EnvelopeError if there is none.
    """
    texts = (data.get(name) for name in _KEY_FIELDS)
    text = next((text for text in texts if isinstance(text, str)), "")
    text = "".join(text.split())
    bare = text.rstrip("=").translate(_URL_SAFE)
    if len(bare) == _BASE64_KEY:
        with suppress(ValueError):
            text = b64decode(f"{bare}==", validate=True).hex()
    return parse_key(text)


ERRORS: Mapping[int, type[PoolctlError]] = {
    HTTPStatus.UNAUTHORIZED: AuthenticationError,
    HTTPStatus.FORBIDDEN: ForbiddenError,
    HTTPStatus.NOT_FOUND: NotOfferedError,
    HTTPStatus.METHOD_NOT_ALLOWED: NotOfferedError,
    HTTPStatus.REQUEST_TIMEOUT: ServiceError,
    HTTPStatus.TOO_MANY_REQUESTS: BusyError,
    **dict.fromkeys(range(HTTPStatus.INTERNAL_SERVER_ERROR, 1000), ServiceError),
}
"""Errors by status, whatever the body is; of all others, the body decides."""
_NO_ANSWER = re.compile(
    r"(did|does) ?n[o']t (answer|respond|reply|acknowledge)|no (answer|response|reply)"
    r"|time ?out|timed out|unreachable|not (be )?(reach|connected)|offline",
    re.IGNORECASE,
)
"""Messages about a controller that did not answer, and so declined nothing."""
_TOKEN = re.compile(
    r"token|bearer|jwt|credential|session|authenticat|unauthori[sz]ed|not authori[sz]ed"
    r"|(sign|signed|log|logged)[ -]?(in|on)\b",
    re.IGNORECASE,
)
"""Messages about an invalid access token."""


def check(response: Response) -> Answer:
    """Return the answer's JSON object, or raise its error (protocol.md 7.1)."""
    status, answer = response.status, response.json
    message = _message(response)
    if error := ERRORS.get(status):
        if error is not BusyError:
            raise error(f"the service says HTTP {status}")
        wait = parse_retry_after(message, response.headers.get("Retry-After"))
        raise BusyError("the service asks to wait", retry_after=wait)
    if answer is None:
        raise ProtocolError(f"HTTP {status} without a JSON object")
    if _is_good(status) and not has_failed(answer):
        return answer
    if _NO_ANSWER.search(message):
        raise ServiceError("the service got no answer from the controller")
    raise CommandFailedError(message)


def data_of(response: Response, fields: Container[str] = ()) -> Answer:
    """Return the `data` of an answer (protocol.md 2.1), or raise its error.

    Without any of the `fields`, the service does not have what was requested.
    """
    data = _object_in(check(response), "data")
    if fields and not has_any(data, fields):
        raise NotSupportedError("the answer has no known field")
    return data


def dashboard_of(response: Response, fields: Container[str]) -> Answer:
    """Return the dashboard of an answer (protocol.md 2.5), or raise its error."""
    dashboard = _object_in(data_of(response), "dashboard")
    if not has_any(dashboard, fields):
        raise ProtocolError("the dashboard has no known field")
    return dashboard


def _object_in(answer: Answer, name: str) -> Answer:
    found = answer.get(name)
    if not isinstance(found, dict):
        raise ProtocolError(f"the answer has no {name}")
    return found


def check_write(response: Response) -> None:
    """Raise the error of the answer to a write, unless the write was done.

    Only `SUCCESS` means done (protocol.md 4.1 rule 2). Raises UnconfirmedError if the
    answer reports neither success nor failure.
    """
    try:
        answer = check(response)
    except ProtocolError:
        if not _is_good(response.status):
            raise
        answer = {}
    if answer.get("status") != SUCCESS:
        raise UnconfirmedError("the service did not say whether it was done")


def may_blame_token(response: Response) -> bool:
    """Return whether a refusal may be caused by the access token.

    How the service reports that is not documented (protocol.md 7.1): 401 means it, 400
    and 403 may mean it, and a `FAILED` with status 2xx is checked by its message.
    """
    if not _is_good(response.status):
        return response.status in _OF_A_TOKEN
    failed = has_failed(response.json or {})
    return failed and _TOKEN.search(_message(response)) is not None


_OF_A_TOKEN = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def _is_good(status: int) -> bool:
    return HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES


def has_failed(answer: Answer) -> bool:
    """Return whether the status of an answer is `FAILED` (protocol.md 2.1)."""
    return str(answer.get("status")).upper() == FAILED


def _message(response: Response) -> str:
    if (answer := response.json) is None:
        message = response.data[:_MAX_MESSAGE].decode("utf-8", "replace")
    else:
        message = str(answer.get("message") or answer.get("error") or "no reason given")
    # The service's messages contain the controller's identifier: hide it in dialogs.
    return _DEVICE_ID.sub("**", clean_text(message, _MAX_MESSAGE))
