"""Faults of the cloud, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
import json
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from . import odd_replies
from .answers import failed, page, success

if TYPE_CHECKING:
    from .cloud import Cloud

# Only `refuse`, `hang`, `revoked` and `token_5xx` affect the sign-in (authorize, token,
# login), unless a fault is switched on for it by name: `faults.on("html", "token")`.
FAULTS: Final = {
    "refuse": "the port is closed",
    "hang": "requests are taken and never answered",
    "trickle": "answers come byte by byte, each after `cloud.seconds_a_byte`",
    "error_500": "500 with a JSON message",
    "error_503": "503 with a web page, as from a proxy",
    "unauthorized": "401, whatever the token",
    "revoked": "access tokens get 401, refresh tokens `invalid_grant`",
    "token_5xx": "the token endpoint answers 503",
    "rate_limited": "429 with the message and headers of `cloud.rate_limited`",
    "html": "a web page with 200",
    "truncated_json": "JSON cut in the middle",
    "wrong_types": "numbers where texts belong, and the reverse",
    "failed": "200 with `status: FAILED` and the message of `cloud.complaint`",
    "empty": "`SUCCESS` without any data",
    "no_body": "200 without a body",
    **odd_replies.ODD,
}


@dataclass(slots=True)
class RateLimited:
    message: str = "device busy: device is cooling down after timeouts, retry after 5s"
    retry_after: str | None = None
    text: bool = False  # plain text instead of the JSON envelope


def _rate_limited(cloud: Cloud) -> web.Response:
    limit = cloud.rate_limited
    headers = {"Retry-After": limit.retry_after} if limit.retry_after else {}
    if limit.text:
        return web.Response(text=limit.message, status=429, headers=headers)
    return failed(limit.message, 429, headers)


_INSTEAD: Final[dict[str, Callable[[Cloud], web.Response]]] = {
    "error_500": lambda _: failed("internal error", 500),
    "error_503": lambda _: page("Please wait", 503),
    "unauthorized": lambda _: failed("unauthorized", 401),
    "rate_limited": _rate_limited,
    "html": lambda _: page("Please wait"),
    "failed": lambda cloud: failed(cloud.complaint),
    "empty": lambda _: web.json_response(success()),
    "no_body": lambda _: web.Response(content_type="application/json"),
}


def instead(cloud: Cloud, name: str, *, explicit: bool) -> web.Response | None:
    """Return the answer of a fault that replaces the endpoint's, if there is one."""
    if name == "token" and cloud.faults.take("token_5xx"):
        return page("Please wait", 503)
    for fault, answer in _INSTEAD.items():
        if cloud.faults.take(fault, name, explicit=explicit):
            return answer(cloud)
    return None


async def trickled(
    cloud: Cloud, request: web.Request, response: web.StreamResponse
) -> web.StreamResponse:
    """Send an answer byte by byte."""
    body = response.body if isinstance(response, web.Response) else b""
    slow = web.StreamResponse(status=response.status, headers=response.headers)
    slow.content_length = len(data := bytes(body or b""))  # type: ignore[arg-type]
    await slow.prepare(request)
    for byte in data:
        await cloud.clock.sleep(cloud.seconds_a_byte)
        await slow.write(bytes([byte]))
    return slow


def _wrong(body: bytes) -> bytes:
    # A dialect may have added a byte of Latin-1 (protocol.md C19).
    text = (body or b"null").decode(errors="replace")
    try:
        answer = json.loads(text)
    except ValueError:
        return body  # a web page of a dialect
    return json.dumps(_mistyped(answer)).encode()


def _mistyped(value: Any) -> Any:
    """Keep the shape and the envelope's status, change the type of everything else."""
    if isinstance(value, dict):
        return {
            name: item if name == "status" else _mistyped(item)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_mistyped(item) for item in value]
    return 7 if isinstance(value, str) else "seven"


def _odd(body: bytes, fault: str) -> bytes:
    """Make the data of an answer odd, and leave its status."""
    answer = json.loads(body)
    odd = {"data": odd_replies.spoil_json(answer.get("data"), fault)}
    return json.dumps(answer | odd).encode()


_MANGLE: Final[dict[str, Callable[[bytes], bytes]]] = {
    **{fault: partial(_odd, fault=fault) for fault in odd_replies.ODD},
    "truncated_json": lambda body: body[: len(body) * 2 // 3],
    "wrong_types": _wrong,
}


def mangled(
    cloud: Cloud, response: web.StreamResponse, name: str, *, explicit: bool
) -> web.StreamResponse:
    """Damage a good answer if a fault demands it."""
    if not isinstance(response, web.Response) or response.status != 200:
        return response
    for fault, spoil in _MANGLE.items():
        if cloud.faults.take(fault, name, explicit=explicit):
            assert isinstance(response.body, bytes)
            response.body = spoil(response.body)
    return response
