"""Dialects of the cloud: behaviour that is not documented and can be either way.

Each is named after its row in protocol.md. A dialect is not a fault: a service that
speaks it works as it should.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from enum import StrEnum
import json
import re
from typing import TYPE_CHECKING, Any, Final, Self

from aiohttp import web

from .pipeline import failed

if TYPE_CHECKING:
    from .cloud import Cloud


class CloudDialect(StrEnum):
    """Name and meaning of each dialect; all are off by default."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member

    C1_MISSING = "C1_missing", "a write that was done is answered without a `status`"
    C1_PENDING = "C1_pending", "a write that was done is answered with `PENDING`"
    C1_QUEUED = "C1_queued", "a write that was done is answered with `QUEUED`"
    C1_NULL = "C1_null", "a write that was done is answered with `status: null`"
    C1_FAILED = "C1_failed", "a write that was not done is answered with `failed`"
    C1_201 = "C1_201", "a write that was done is answered with 201 and `SUCCESS`"
    C1_202 = "C1_202", "a write that was done is answered with 202 and `SUCCESS`"
    C2_403 = "C2_403", "a dead access token is told by 403"
    C2_400 = "C2_400", "a dead access token is told by 400"
    C2_FAILED = (
        "C2_failed",
        "a dead access token is told by 200 `FAILED`, with words on the token",
    )
    C3_KEPT = (
        "C3_kept",
        "a renewal brings no refresh token: the old one lives on, for 30 days",
    )
    C3_FAILED = "C3_failed", "the token endpoint refuses with 200 `FAILED`"
    C3_NULL = "C3_null", "the token endpoint refuses with 200 `null`"
    C3_LIST = "C3_list", "the token endpoint refuses with 200 and a list"
    C3_CONTROL = (
        "C3_control",
        "the token endpoint refuses with 200 and control characters",
    )
    C4_403 = "C4_403", "`userinfo` is forbidden"
    C4_405 = "C4_405", "`userinfo` is not allowed"
    C4_HTML = "C4_html", "`userinfo` is a web page with 200"
    C5_503_ONCE = "C5_503_once", "the first question for each key is answered with 503"
    C5_KEY = "C5_key", "the key is in `data.key`"
    C5_ENVELOPE_KEY = "C5_envelope_key", "the key is in `data.envelope_key`"
    C5_BASE64 = "C5_base64", "the key is written in base64"
    C5_SPACES = "C5_spaces", "the key is written with spaces"
    C6_STALE = "C6_stale", "`online` is false, whatever the controller does"
    C6_ABSENT = "C6_absent", "`online` is not told"
    C7_ZERO_NORMAL = (
        "C7_zero_normal",
        "`dry_run_status` is 0 where all is well, 4 where it runs dry",
    )
    C8_FAILED = "C8_failed", "a controller that does not answer is told by 200 `FAILED`"
    C8_408 = "C8_408", "a controller that does not answer is told by 408"
    C8_500 = "C8_500", "a controller that does not answer is told by 500"
    C9_HUGE = "C9_huge", "a 429 asks to wait for 99999999 s"
    C9_NEGATIVE = "C9_negative", "a 429 asks to wait for -1 s"
    C9_DATE = "C9_date", "a 429 tells an HTTP date"
    C9_NOTHING = "C9_nothing", "a 429 does not say how long"
    C10_SURROGATES = "C10_surrogates", "texts hold lone surrogates"
    C10_CONTROL = "C10_control", "texts hold control characters"
    C10_LONG = "C10_long", "texts are 20,000 characters long"
    C10_MARKDOWN = "C10_markdown", "texts hold Markdown"
    C10_HTML = "C10_html", "texts hold HTML"
    C11_EMPTY_ONCE = (
        "C11_empty_once",
        "the next inventory has no site, later ones are right",
    )
    C11_SHORTER_ONCE = (
        "C11_shorter_once",
        "the next inventory lacks its last controller",
    )
    C11_MOVED = "C11_moved", "every controller is listed at another site"
    C12_FRESH = (
        "C12_fresh",
        "a write makes the next reads fresh; else copies are up to 30 s old",
    )
    C13_REDIRECT = (
        "C13_redirect",
        "the token endpoint redirects (307) to `cloud.elsewhere`",
    )
    C14_400 = "C14_400", "the endpoints of `cloud.failing` answer 400"
    C14_401 = "C14_401", "they answer 401, whatever the token"
    C14_403 = "C14_403", "they answer 403 with a web page"
    C14_404 = "C14_404", "they answer 404"
    C14_405 = "C14_405", "they answer 405"
    C14_429 = "C14_429", "they answer 429 and ask to wait a minute"
    C14_500 = "C14_500", "they answer 500"
    C14_503 = "C14_503", "they answer 503 with a web page"
    C14_SILENT = "C14_silent", "they never answer"
    C14_HTML = "C14_html", "they answer a web page with 200"
    C14_JSON = "C14_json", "they answer other JSON with 200"
    C15_V1 = "C15_v1", "the key is served under v1 alone"
    C15_BARE = "C15_bare", "the key is served without a version alone"
    C17_PUBLISHED = "C17_published", "what is not published answers 404"
    C18_404 = "C18_404", "a proxy answers the next request for a token with a 404 page"
    C18_403 = "C18_403", "a proxy answers the next request for a token with a 403 page"
    C18_502 = (
        "C18_502",
        "a proxy answers the next request for each path with a 502 page",
    )
    C19_LATIN_1 = "C19_latin_1", "tags hold a byte of Latin-1"
    C20_OLD = "C20_old", "for 5 min after a write, reads are copies from before it"
    C22_NEXT = "C22_next", "the last site is on another page, which `next` names"
    C22_COUNT = "C22_count", "the last site is on another page, and a count tells"
    C23_SLOW = "C23_slow", "a write is answered after 25 s"


D = CloudDialect


def switch(cloud: Cloud, name: str, on: bool) -> None:
    """Switch a dialect on or off; raises ValueError for an invalid name."""
    dialect = CloudDialect(name)
    cloud.told_once = {told for told in cloud.told_once if told[0] != dialect}
    if on:
        cloud.dialects.add(dialect)
    else:
        cloud.dialects.discard(dialect)


FAILING: Final = frozenset({"deviceOnlineStatuses", "userinfo", "pumpInfo"})
"""Endpoints that the integration can do without."""


def silent(cloud: Cloud, name: str) -> bool:
    """Return whether an endpoint never answers."""
    return D.C14_SILENT in cloud.dialects and name in cloud.failing


_REACHED: Final = {"deviceOnlineStatuses", "sites"}
_PAGE: Final = "<!doctype html><title>Sign in</title><h1>Sign in</h1>"
_SILENT: Final = "timeout: device did not answer"

# --- Instead of the answer of an endpoint -----------------------------------------


def instead(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    """Return the answer of a dialect that replaces the endpoint's, if there is one."""
    for answer in (_lacking, _proxy_page, _of_endpoint):
        if (response := answer(cloud, request, name)) is not None:
            return response
    return None


def _lacking(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    """Return the error of an endpoint that is not offered, or fails."""
    spoken = cloud.dialects
    if D.C17_PUBLISHED in spoken and name not in _PUBLISHED:
        return web.json_response(failed("no such endpoint"), status=404)
    if name in cloud.failing and (failure := spoken & _FAILURES.keys()):
        return _FAILURES[failure.pop()]()
    return None


def _of_endpoint(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    spoken = cloud.dialects
    if name == "token" and D.C13_REDIRECT in spoken:
        return web.Response(status=307, headers={"Location": cloud.elsewhere})
    if name == "userinfo" and (no := spoken & _NO_USER_INFO.keys()):
        return _NO_USER_INFO[no.pop()]()
    if name == "envelope-key":
        return _key_elsewhere(cloud, request.path)
    if _is_write(request) and D.C1_FAILED in spoken:
        return web.json_response({"status": "failed", "message": "it did not work"})
    return None


_PUBLISHED: Final = frozenset(
    {"authorize", "token", "login", "sites", "refreshSite", "dashboardInfo"}
) | {"setPumpInfo"}


def _proxy_page(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    """Return a proxy's page instead of the service's answer, once."""
    for dialect, status in ((D.C18_404, 404), (D.C18_403, 403), (D.C18_502, 502)):
        everywhere = dialect is D.C18_502
        once = (dialect, request.path if everywhere else "")
        if dialect not in cloud.dialects or once in cloud.told_once:
            continue
        if everywhere or name == "token":
            cloud.told_once.add(once)
            return _html(status)
    return None


def _key_elsewhere(cloud: Cloud, path: str) -> web.Response | None:
    """Return the error of a path that does not serve the key, or not yet."""
    spoken, version = cloud.dialects, "/v2/"
    if D.C15_V1 in spoken:
        version = "/v1/"
    elif D.C15_BARE in spoken:
        version = "api-gateway/iot"
    if version not in path:
        return web.json_response(failed("no such endpoint"), status=404)
    if D.C5_503_ONCE in spoken:
        return _once(cloud, (D.C5_503_ONCE, path), failed("try later"), 503)
    return None


def _html(status: int = 200) -> web.Response:
    return web.Response(text=_PAGE, status=status, content_type="text/html")


_MINUTE: Final = "device busy: device is cooling down after timeouts, retry after 1m0s"
_FAILURES: Final[Mapping[CloudDialect, Callable[[], web.Response]]] = {
    D.C14_400: lambda: web.json_response(failed("bad request"), status=400),
    D.C14_401: lambda: web.json_response(failed("unauthorized"), status=401),
    D.C14_403: lambda: _html(403),
    D.C14_404: lambda: web.json_response(failed("no such endpoint"), status=404),
    D.C14_405: lambda: web.Response(text="Method Not Allowed", status=405),
    D.C14_429: lambda: web.json_response(failed(_MINUTE), status=429),
    D.C14_500: lambda: web.json_response(failed("internal error"), status=500),
    D.C14_503: lambda: _html(503),
    D.C14_HTML: _html,
    D.C14_JSON: lambda: web.json_response({"hello": ["world"]}),
}
"""Answer of a failing endpoint, by dialect."""
_NO_USER_INFO: Final[Mapping[CloudDialect, Callable[[], web.Response]]] = {
    D.C4_403: lambda: web.json_response(failed("forbidden"), status=403),
    D.C4_405: _FAILURES[D.C14_405],
    D.C4_HTML: _html,
}


def _once(
    cloud: Cloud, what: tuple[str, str], body: dict[str, Any], status: int
) -> web.Response | None:
    if what in cloud.told_once:
        return None
    cloud.told_once.add(what)
    return web.json_response(body, status=status)


def _is_write(request: web.Request) -> bool:
    return request.method == "POST" and "device_id" in request.match_info


# --- The same answer in another form ----------------------------------------------


def reworded(
    cloud: Cloud, response: web.StreamResponse, request: web.Request, name: str
) -> web.StreamResponse:
    """Return an answer in the form that the dialects give it."""
    spoken = cloud.dialects
    if not spoken or not isinstance(response, web.Response):
        return response
    if name == "token":
        return _token(spoken, response)
    if response.status != 200:
        return refused(cloud, response)
    if _is_write(request):
        response = _write(spoken, response)
    body = _json(response)
    if body is None:
        return response
    if name == "sites":
        body = _inventory(cloud, body)
    if name in _REACHED:
        body = _online(spoken, body)
    elif name == "envelope-key":
        body["data"] = _key(spoken, body.get("data", {}))
    elif name == "dashboardInfo" and D.C7_ZERO_NORMAL in spoken:
        dashboard = body["data"]["dashboard"]
        normal = {3: 0, 2: 4}
        dry_run = dashboard["dry_run_status"]
        dashboard["dry_run_status"] = normal.get(dry_run, dry_run)
    return _with(spoken, response, _texts(spoken, body))


def _json(response: web.Response) -> dict[str, Any] | None:
    try:
        body = json.loads(response.text or "")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _with(
    spoken: set[CloudDialect], response: web.Response, body: object
) -> web.Response:
    data = json.dumps(body).encode()
    if D.C19_LATIN_1 in spoken:
        data = re.sub(rb'(?<="tag": ")([^"]+)', lambda tag: tag[1] + b" \xe9", data)
    response.body = data
    return response


_REFUSED_TOKENS: Final = {
    D.C3_FAILED: json.dumps(failed("the refresh token is not valid")),
    D.C3_NULL: "null",
    D.C3_LIST: "[]",
    D.C3_CONTROL: '{"error": "invalid\x01grant", "access_token": "a\x00b\nc"}',
}


def _token(spoken: set[CloudDialect], response: web.Response) -> web.Response:
    if response.status not in (400, 401):
        return response
    for dialect, text in _REFUSED_TOKENS.items():
        if dialect in spoken:
            return web.Response(text=text, content_type="application/json")
    return response


def refused(cloud: Cloud, response: web.Response) -> web.Response:
    """Return 401, 429 and 504, also of a fault, in the form that dialects give them."""
    spoken = cloud.dialects
    message = str((_json(response) or {}).get("message", ""))
    for dialect, status, now, words in _REFUSALS:
        if dialect in spoken and response.status == status:
            return web.json_response(failed(words or message), status=now)
    if response.status == 429:
        return _busy(spoken, response)
    return response


_REFUSALS: Final = (
    (D.C2_403, 401, 403, "forbidden"),
    (D.C2_400, 401, 400, "bad request"),
    (D.C2_FAILED, 401, 200, "the access token is invalid or has expired"),
    (D.C8_FAILED, 504, 200, _SILENT),
    (D.C8_408, 504, 408, _SILENT),
    (D.C8_500, 504, 500, _SILENT),
)

_BUSY: Final = "device busy: device is cooling down after timeouts"
_WAITS: Final[Mapping[CloudDialect, tuple[str, dict[str, str]]]] = {
    D.C9_HUGE: (f"{_BUSY}, retry after 99999999s", {"Retry-After": "99999999"}),
    D.C9_NEGATIVE: (f"{_BUSY}, retry after -1s", {"Retry-After": "-1"}),
    D.C9_DATE: (_BUSY, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}),
    D.C9_NOTHING: (_BUSY, {}),
}


def _busy(spoken: set[CloudDialect], response: web.Response) -> web.Response:
    for dialect, (message, headers) in _WAITS.items():
        if dialect in spoken:
            return web.json_response(failed(message), status=429, headers=headers)
    return response


_STATUSES: Final[Mapping[CloudDialect, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    D.C1_MISSING: lambda body: {},
    D.C1_PENDING: lambda body: body | {"status": "PENDING"},
    D.C1_QUEUED: lambda body: body | {"status": "QUEUED"},
    D.C1_NULL: lambda body: body | {"status": None},
}


def _write(spoken: set[CloudDialect], response: web.Response) -> web.Response:
    """Return another form of a successful write's answer; failures stay as they are."""
    body = _json(response)
    if body is None or body.get("status") != "SUCCESS":
        return response
    for dialect, say in _STATUSES.items():
        if dialect in spoken:
            return web.json_response(say(body))
    for dialect, status in ((D.C1_201, 201), (D.C1_202, 202)):
        if dialect in spoken:
            return web.json_response(body, status=status)
    return response


def _key(spoken: set[CloudDialect], data: dict[str, Any]) -> dict[str, Any]:
    if "key_hex" not in data:
        return data
    text = str(data["key_hex"])
    if D.C5_BASE64 in spoken:
        text = b64encode(bytes.fromhex(text)).decode()
    if D.C5_SPACES in spoken:
        text = " " + " ".join(text[at : at + 3] for at in range(0, len(text), 3)) + "\n"
    name = "key_hex"
    if D.C5_KEY in spoken:
        name = "key"
    elif D.C5_ENVELOPE_KEY in spoken:
        name = "envelope_key"
    return {name: text}


def _inventory(cloud: Cloud, body: dict[str, Any]) -> dict[str, Any]:
    sites, once = body["data"]["sites"], cloud.told_once
    for dialect in (D.C11_EMPTY_ONCE, D.C11_SHORTER_ONCE):
        if dialect not in cloud.dialects or (dialect, "") in once:
            continue
        once.add((dialect, ""))
        if dialect is D.C11_EMPTY_ONCE:
            sites.clear()
        elif sites:
            sites[-1]["device_list"] = sites[-1]["device_list"][:-1]
    if {D.C22_NEXT, D.C22_COUNT} & cloud.dialects and len(sites) > 1:
        body["data"] |= (
            {"next": "/user/sites?page=2"}
            if D.C22_NEXT in cloud.dialects
            else {"pagination": {"total": len(sites)}}
        )
        sites.pop()
    if D.C11_MOVED in cloud.dialects:
        devices = [device for site in sites for device in site["device_list"]]
        where = {"objectId": "0moved", "name": "Moved", "city": "", "state": ""}
        body["data"]["sites"] = [{**where, "device_list": devices}]
    return body


def _online(spoken: set[CloudDialect], value: Any) -> Any:
    """Change or remove every `online`, at any depth."""
    if isinstance(value, list):
        return [_online(spoken, each) for each in value]
    if not isinstance(value, dict):
        return value
    if "online" in value:
        if D.C6_ABSENT in spoken:
            value = {name: told for name, told in value.items() if name != "online"}
        elif D.C6_STALE in spoken:
            value = value | {"online": False}
    return {name: _online(spoken, told) for name, told in value.items()}


_WORDS: Final = frozenset(
    {
        "name",
        "city",
        "state",
        "tag",
        "message",
        "aux_tag",
        "schedule_name",
        "pump_type",
        "pump_brand",
        "pump_model",
    }
)
"""Fields with free text, such as names that a user entered."""

_ODD: Final[Mapping[CloudDialect, Callable[[str], str]]] = {
    D.C10_SURROGATES: lambda text: f"\ud83d{text}\udc00",
    D.C10_CONTROL: lambda text: f"\x00{text}\r\n\x1b[31m\u202e\u2028",
    D.C10_LONG: lambda text: text + "x" * (20_000 - len(text)),
    D.C10_MARKDOWN: lambda text: f"{text} ![x](http://evil.example/x.png) `a` [b](//c)",
    D.C10_HTML: lambda text: f"{text} <img src=x onerror=alert(1)>",
}


def _texts(spoken: set[CloudDialect], value: Any) -> Any:
    """Make free text odd, at any depth."""
    if isinstance(value, list):
        return [_texts(spoken, each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _odd(spoken, told)
        if name in _WORDS and isinstance(told, str)
        else _texts(spoken, told)
        for name, told in value.items()
    }


def _odd(spoken: set[CloudDialect], text: str) -> str:
    for dialect, make in _ODD.items():
        if dialect in spoken and text:  # empty fields stay empty
            text = make(text)
    return text
