"""Dialects of the cloud: behaviour that is not documented and can be either way.

Each is named after its row in protocol.md. A dialect is not a fault: a service that
speaks it works as it should.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from enum import auto
from functools import partial
import json
import re
from typing import TYPE_CHECKING, Any, Final, override

from aiohttp import web

from .dialects import Described
from .pipeline import failed

if TYPE_CHECKING:
    from .cloud import Cloud


class CloudDialect(Described):
    """All are off by default; `C1_MISSING` is the dialect `C1_missing`."""

    @override
    @staticmethod
    def _generate_next_value_(
        name: str, start: int, count: int, last_values: list[Any]
    ) -> str:
        return name.capitalize()

    C1_MISSING = auto(), "a write that was done is answered without a `status`"
    C1_PENDING = auto(), "a write that was done is answered with `PENDING`"
    C1_QUEUED = auto(), "a write that was done is answered with `QUEUED`"
    C1_NULL = auto(), "a write that was done is answered with `status: null`"
    C1_FAILED = auto(), "a write that was not done is answered with `failed`"
    C1_201 = auto(), "a write that was done is answered with 201 and `SUCCESS`"
    C1_202 = auto(), "a write that was done is answered with 202 and `SUCCESS`"
    C2_403 = auto(), "a dead access token is told by 403"
    C2_400 = auto(), "a dead access token is told by 400"
    C2_FAILED = auto(), "a dead access token is told by words and 200 `FAILED`"
    C3_KEPT = auto(), "a renewal brings no refresh token: the old one lives on"
    C3_FAILED = auto(), "the token endpoint refuses with 200 `FAILED`"
    C3_NULL = auto(), "the token endpoint refuses with 200 `null`"
    C3_LIST = auto(), "the token endpoint refuses with 200 and a list"
    C3_CONTROL = auto(), "the token endpoint refuses with 200 and control characters"
    C4_403 = auto(), "`userinfo` is forbidden"
    C4_405 = auto(), "`userinfo` is not allowed"
    C4_HTML = auto(), "`userinfo` is a web page with 200"
    C5_503_ONCE = auto(), "the first question for each key is answered with 503"
    C5_KEY = auto(), "the key is in `data.key`"
    C5_ENVELOPE_KEY = auto(), "the key is in `data.envelope_key`"
    C5_BASE64 = auto(), "the key is written in base64"
    C5_SPACES = auto(), "the key is written with spaces"
    C6_STALE = auto(), "`online` is false, whatever the controller does"
    C6_ABSENT = auto(), "`online` is not told"
    C7_ZERO_NORMAL = auto(), "`dry_run_status` is 0 if all is well, 4 if it runs dry"
    C8_FAILED = auto(), "a controller that does not answer is told by 200 `FAILED`"
    C8_408 = auto(), "a controller that does not answer is told by 408"
    C8_500 = auto(), "a controller that does not answer is told by 500"
    C9_HUGE = auto(), "a 429 asks to wait for 99999999 s"
    C9_NEGATIVE = auto(), "a 429 asks to wait for -1 s"
    C9_DATE = auto(), "a 429 tells an HTTP date"
    C9_NOTHING = auto(), "a 429 does not say how long"
    C10_SURROGATES = auto(), "texts hold lone surrogates"
    C10_CONTROL = auto(), "texts hold control characters"
    C10_LONG = auto(), "texts are 20,000 characters long"
    C10_MARKDOWN = auto(), "texts hold Markdown"
    C10_HTML = auto(), "texts hold HTML"
    C11_EMPTY_ONCE = auto(), "the next inventory has no site, later ones are right"
    C11_SHORTER_ONCE = auto(), "the next inventory lacks its last controller"
    C11_MOVED = auto(), "every controller is listed at another site"
    C12_FRESH = auto(), "a write makes the next reads fresh, not up to 30 s old"
    C13_REDIRECT = auto(), "the token endpoint redirects (307) to `cloud.elsewhere`"
    C14_400 = auto(), "the endpoints of `cloud.failing` answer 400"
    C14_401 = auto(), "they answer 401, whatever the token"
    C14_403 = auto(), "they answer 403 with a web page"
    C14_404 = auto(), "they answer 404"
    C14_405 = auto(), "they answer 405"
    C14_429 = auto(), "they answer 429 and ask to wait a minute"
    C14_500 = auto(), "they answer 500"
    C14_503 = auto(), "they answer 503 with a web page"
    C14_SILENT = auto(), "they never answer"
    C14_HTML = auto(), "they answer a web page with 200"
    C14_JSON = auto(), "they answer other JSON with 200"
    C15_V1 = auto(), "the key is served under v1 alone"
    C15_BARE = auto(), "the key is served without a version alone"
    C17_PUBLISHED = auto(), "what is not published answers 404"
    C18_404 = auto(), "a proxy answers the next request for a token with a 404 page"
    C18_403 = auto(), "a proxy answers the next request for a token with a 403 page"
    C18_502 = auto(), "a proxy answers the next request for each path with a 502 page"
    C19_LATIN_1 = auto(), "tags hold a byte of Latin-1"
    C20_OLD = auto(), "for 5 min after a write, reads are copies from before it"
    C22_NEXT = auto(), "the last site is on another page, which `next` names"
    C22_COUNT = auto(), "the last site is on another page, and a count tells"
    C23_SLOW = auto(), "a write is answered after 25 s"


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
    if D.C5_503_ONCE not in spoken or (D.C5_503_ONCE, path) in cloud.told_once:
        return None
    cloud.told_once.add((D.C5_503_ONCE, path))
    return web.json_response(failed("try later"), status=503)


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
    if (body := _json(response)) is None:
        return response
    if (form := _FORMS.get(name)) is not None:
        body = form(cloud, body)
    data = json.dumps(_each(body, partial(_texts, spoken))).encode()
    if D.C19_LATIN_1 in spoken:
        data = re.sub(rb'(?<="tag": ")([^"]+)', lambda tag: tag[1] + b" \xe9", data)
    response.body = data
    return response


def _json(response: web.Response) -> dict[str, Any] | None:
    try:
        body = json.loads(response.text or "")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


_REFUSED_TOKENS: Final = {
    D.C3_FAILED: json.dumps(failed("the refresh token is not valid")),
    D.C3_NULL: "null",
    D.C3_LIST: "[]",
    D.C3_CONTROL: '{"error": "invalid\x01grant", "access_token": "a\x00b\nc"}',
}


def _token(spoken: set[CloudDialect], response: web.Response) -> web.Response:
    if response.status in (400, 401):
        for dialect, text in _REFUSED_TOKENS.items():
            if dialect in spoken:
                return web.Response(text=text, content_type="application/json")
    return response


def refused(cloud: Cloud, response: web.Response) -> web.Response:
    """Return 401, 429 and 504, also of a fault, in the form that dialects give them."""
    for dialect, status, now, words, headers in _REFUSALS:
        if dialect in cloud.dialects and response.status == status:
            return web.json_response(failed(words), status=now, headers=headers)
    return response


_AFTER: Final = "Retry-After"
_BUSY: Final = "device busy: device is cooling down after timeouts"
_REFUSALS: Final[tuple[tuple[CloudDialect, int, int, str, dict[str, str]], ...]] = (
    (D.C2_403, 401, 403, "forbidden", {}),
    (D.C2_400, 401, 400, "bad request", {}),
    (D.C2_FAILED, 401, 200, "the access token is invalid or has expired", {}),
    (D.C8_FAILED, 504, 200, _SILENT, {}),
    (D.C8_408, 504, 408, _SILENT, {}),
    (D.C8_500, 504, 500, _SILENT, {}),
    (D.C9_HUGE, 429, 429, f"{_BUSY}, retry after 99999999s", {_AFTER: "99999999"}),
    (D.C9_NEGATIVE, 429, 429, f"{_BUSY}, retry after -1s", {_AFTER: "-1"}),
    (D.C9_DATE, 429, 429, _BUSY, {_AFTER: "Fri, 31 Dec 2100 23:59:59 GMT"}),
    (D.C9_NOTHING, 429, 429, _BUSY, {}),
)
"""Dialect, status, the status that replaces it, words and headers."""


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


def _key(cloud: Cloud, body: dict[str, Any]) -> dict[str, Any]:
    spoken = cloud.dialects
    if "key_hex" not in body.get("data", {}):
        return body
    text = str(body["data"]["key_hex"])
    if D.C5_BASE64 in spoken:
        text = b64encode(bytes.fromhex(text)).decode()
    if D.C5_SPACES in spoken:
        text = " " + " ".join(text[at : at + 3] for at in range(0, len(text), 3)) + "\n"
    name = "key_hex"
    if D.C5_KEY in spoken:
        name = "key"
    elif D.C5_ENVELOPE_KEY in spoken:
        name = "envelope_key"
    return body | {"data": {name: text}}


def _dry_run(cloud: Cloud, body: dict[str, Any]) -> dict[str, Any]:
    if D.C7_ZERO_NORMAL in cloud.dialects:
        dashboard = body["data"]["dashboard"]
        status = dashboard["dry_run_status"]
        dashboard["dry_run_status"] = {3: 0, 2: 4}.get(status, status)
    return body


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
    return _online(cloud, body)


def _each(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return JSON in which every object is changed, at any depth."""
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _each(item, change) for name, item in change(value).items()}


def _online(cloud: Cloud, body: dict[str, Any]) -> dict[str, Any]:
    def change(told: dict[str, Any]) -> dict[str, Any]:
        if D.C6_ABSENT in cloud.dialects:
            return {name: value for name, value in told.items() if name != "online"}
        stale = D.C6_STALE in cloud.dialects and "online" in told
        return told | {"online": False} if stale else told

    return dict(_each(body, change))


_FORMS: Final[Mapping[str, Callable[[Cloud, dict[str, Any]], dict[str, Any]]]] = {
    "sites": _inventory,
    "deviceOnlineStatuses": _online,
    "envelope-key": _key,
    "dashboardInfo": _dry_run,
}
_WORDS: Final = {
    "name",
    "city",
    "state",
    "tag",
    "message",
    "aux_tag",
    "schedule_name",
} | {f"pump_{what}" for what in ("type", "brand", "model")}
"""Fields with free text, such as names that a user entered."""

_ODD: Final[Mapping[CloudDialect, Callable[[str], str]]] = {
    D.C10_SURROGATES: lambda text: f"\ud83d{text}\udc00",
    D.C10_CONTROL: lambda text: f"\x00{text}\r\n\x1b[31m\u202e\u2028",
    D.C10_LONG: lambda text: text + "x" * (20_000 - len(text)),
    D.C10_MARKDOWN: lambda text: f"{text} ![x](http://evil.example/x.png) `a` [b](//c)",
    D.C10_HTML: lambda text: f"{text} <img src=x onerror=alert(1)>",
}


def _texts(spoken: set[CloudDialect], told: dict[str, Any]) -> dict[str, Any]:
    texts = {name: told[name] for name in _WORDS & told.keys()}
    return told | {
        name: _odd(spoken, text)
        for name, text in texts.items()
        if isinstance(text, str)
    }


def _odd(spoken: set[CloudDialect], text: str) -> str:
    for dialect, make in _ODD.items():
        if dialect in spoken and text:  # empty fields stay empty
            text = make(text)
    return text
