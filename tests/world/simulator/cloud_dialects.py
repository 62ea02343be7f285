"""Dialects of the cloud: behaviour that is not documented and can be either way.

Each is named after its row in protocol.md. A dialect is not a fault: a service that
speaks it works as it should.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from enum import auto
import json
import re
from typing import TYPE_CHECKING, Any, Final, override

from aiohttp import web

from .answers import NONE, failed, page, success
from .dialects import Described
from .wire import Json

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
    C2_403 = auto(), "a dead access token is reported by 403"
    C2_400 = auto(), "a dead access token is reported by 400"
    C2_FAILED = auto(), "a dead access token is reported in words and by 200 `FAILED`"
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
    C6_ABSENT = auto(), "`online` is not reported"
    C7_ZERO_NORMAL = auto(), "`dry_run_status` is 0 if all is well, 4 if it runs dry"
    C8_FAILED = auto(), "a controller that does not answer is reported by 200 `FAILED`"
    C8_408 = auto(), "a controller that does not answer is reported by 408"
    C8_500 = auto(), "a controller that does not answer is reported by 500"
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
    C26_NO_DATA = auto(), "they answer `SUCCESS` without `data`"
    C26_EMPTY = auto(), "they answer `SUCCESS` with empty `data`"
    C26_OTHER = auto(), "they answer `SUCCESS` with other `data`"
    C26_LIST = auto(), "they answer `SUCCESS` with a list"
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
    cloud.answered_once = {each for each in cloud.answered_once if each[0] != dialect}
    if on:
        cloud.dialects.add(dialect)
    else:
        cloud.dialects.discard(dialect)


FAILING: Final = frozenset({"deviceOnlineStatuses", "userinfo", "pumpInfo"})
"""Endpoints that the integration can do without."""


def silent(cloud: Cloud, name: str) -> bool:
    """Return whether an endpoint never answers."""
    return D.C14_SILENT in cloud.dialects and name in cloud.failing


def _spoken[T](cloud: Cloud, table: Mapping[CloudDialect, T]) -> T | None:
    """Return the value of the first dialect of a table that is spoken."""
    return next((table[each] for each in table if each in cloud.dialects), None)


def _once(cloud: Cloud, dialect: CloudDialect, where: str = "") -> bool:
    """Return whether a dialect that acts once does so now."""
    if dialect not in cloud.dialects or (dialect, where) in cloud.answered_once:
        return False
    cloud.answered_once.add((dialect, where))
    return True


# --- Instead of the answer of an endpoint -----------------------------------------

_PUBLISHED: Final = frozenset(
    {"authorize", "token", "login", "sites", "refreshSite", "dashboardInfo"}
) | {"setPumpInfo"}
_PAGE: Final = "Sign in"
_MINUTE: Final = "device busy: device is cooling down after timeouts, retry after 1m0s"
_FAILURES: Final[Mapping[CloudDialect, Callable[[], web.Response]]] = {
    D.C14_400: lambda: failed("bad request", 400),
    D.C14_401: lambda: failed("unauthorized", 401),
    D.C14_403: lambda: page(_PAGE, 403),
    D.C14_404: lambda: failed("no such endpoint", 404),
    D.C14_405: lambda: web.Response(text="Method Not Allowed", status=405),
    D.C14_429: lambda: failed(_MINUTE, 429),
    D.C14_500: lambda: failed("internal error", 500),
    D.C14_503: lambda: page(_PAGE, 503),
    D.C14_HTML: lambda: page(_PAGE),
    D.C14_JSON: lambda: web.json_response({"hello": ["world"]}),
    D.C26_NO_DATA: lambda: web.json_response({"status": "SUCCESS"}),
    D.C26_EMPTY: lambda: web.json_response(success({})),
    D.C26_OTHER: lambda: web.json_response(success({"pump": {"hello": ["world"]}})),
    D.C26_LIST: lambda: web.json_response({"status": "SUCCESS", "data": []}),
}
"""Answer of a failing endpoint, by dialect."""
_NO_USER_INFO: Final[Mapping[CloudDialect, Callable[[], web.Response]]] = {
    D.C4_403: lambda: failed("forbidden", 403),
    D.C4_405: _FAILURES[D.C14_405],
    D.C4_HTML: _FAILURES[D.C14_HTML],
}
_KEY_PATHS: Final = {D.C15_V1: "/v1/", D.C15_BARE: "api-gateway/iot"}


def instead(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    """Return the answer of a dialect that replaces the endpoint's, if there is one."""
    for answer in (_lacking, _proxy_page, _of_endpoint):
        if (response := answer(cloud, request, name)) is not None:
            return response
    return failed("not offered", 404) if name in cloud.not_offered else None


def _lacking(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    if D.C17_PUBLISHED in cloud.dialects and name not in _PUBLISHED:
        return failed("no such endpoint", 404)
    failure = _spoken(cloud, _FAILURES)
    return failure() if failure and name in cloud.failing else None


def _proxy_page(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    for dialect, status in ((D.C18_404, 404), (D.C18_403, 403)):
        if name == "token" and _once(cloud, dialect):
            return page(_PAGE, status)
    return page(_PAGE, 502) if _once(cloud, D.C18_502, request.path) else None


def _of_endpoint(cloud: Cloud, request: web.Request, name: str) -> web.Response | None:
    if name == "token" and D.C13_REDIRECT in cloud.dialects:
        return web.Response(status=307, headers={"Location": cloud.elsewhere})
    if name == "userinfo" and (failure := _spoken(cloud, _NO_USER_INFO)):
        return failure()
    if name == "envelope-key":
        return _no_key(cloud, request.path)
    if _is_write(request) and D.C1_FAILED in cloud.dialects:
        return web.json_response({"status": "failed", "message": "it did not work"})
    return None


def _no_key(cloud: Cloud, path: str) -> web.Response | None:
    """Return the error of a path that does not serve the key, or not yet."""
    if (_spoken(cloud, _KEY_PATHS) or "/v2/") not in path:
        return failed("no such endpoint", 404)
    if _once(cloud, D.C5_503_ONCE, path):
        return failed("try later", 503)
    return None


def _is_write(request: web.Request) -> bool:
    return request.method == "POST" and "device_id" in request.match_info


# --- The same answer in another form ----------------------------------------------


def reworded(
    cloud: Cloud, response: web.StreamResponse, request: web.Request, name: str
) -> web.StreamResponse:
    """Return an answer in the form that the dialects give it."""
    if not cloud.dialects or not isinstance(response, web.Response):
        return response
    if name == "token":
        return _token(cloud, response)
    if response.status != 200:
        return refused(cloud, response)
    if _is_write(request):
        response = _write(cloud, response)
    if (body := _json(response)) is None:
        return response
    if (form := _FORMS.get(name)) is not None:
        form(cloud, body)
    data = json.dumps(_each(body, lambda answer: _odd_texts(cloud, answer))).encode()
    if D.C19_LATIN_1 in cloud.dialects:
        data = re.sub(rb'(?<="tag": ")([^"]+)', lambda tag: tag[1] + b" \xe9", data)
    response.body = data
    return response


def _json(response: web.Response) -> Json | None:
    try:
        body = json.loads(response.text or "")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


_REFUSED_TOKENS: Final = {
    D.C3_FAILED: '{"status": "FAILED", "message": "the refresh token is not valid"}',
    D.C3_NULL: "null",
    D.C3_LIST: "[]",
    D.C3_CONTROL: '{"error": "invalid\x01grant", "access_token": "a\x00b\nc"}',
}


def _token(cloud: Cloud, response: web.Response) -> web.Response:
    text = _spoken(cloud, _REFUSED_TOKENS)
    if text is None or response.status not in (400, 401):
        return response
    return web.Response(text=text, content_type="application/json")


def refused(cloud: Cloud, response: web.Response) -> web.Response:
    """Return 401, 429 and 504, also of a fault, in the form that dialects give them."""
    for dialect, status, now, words, headers in _REFUSALS:
        if dialect in cloud.dialects and response.status == status:
            return failed(words, now, headers)
    return response


_AFTER: Final = "Retry-After"
_SILENT: Final = "timeout: device did not answer"
_BUSY: Final = "device busy: device is cooling down after timeouts"
_REFUSALS: Final[tuple[tuple[CloudDialect, int, int, str, Mapping[str, str]], ...]] = (
    (D.C2_403, 401, 403, "forbidden", NONE),
    (D.C2_400, 401, 400, "bad request", NONE),
    (D.C2_FAILED, 401, 200, "the access token is invalid or has expired", NONE),
    (D.C8_FAILED, 504, 200, _SILENT, NONE),
    (D.C8_408, 504, 408, _SILENT, NONE),
    (D.C8_500, 504, 500, _SILENT, NONE),
    (D.C9_HUGE, 429, 429, f"{_BUSY}, retry after 99999999s", {_AFTER: "99999999"}),
    (D.C9_NEGATIVE, 429, 429, f"{_BUSY}, retry after -1s", {_AFTER: "-1"}),
    (D.C9_DATE, 429, 429, _BUSY, {_AFTER: "Fri, 31 Dec 2100 23:59:59 GMT"}),
    (D.C9_NOTHING, 429, 429, _BUSY, NONE),
)
"""Dialect, status, the status that replaces it, words and headers."""

_SUCCESSES: Final[Mapping[CloudDialect, tuple[int, Json]]] = {
    D.C1_MISSING: (200, {}),
    D.C1_PENDING: (200, {"status": "PENDING", "data": {}}),
    D.C1_QUEUED: (200, {"status": "QUEUED", "data": {}}),
    D.C1_NULL: (200, {"status": None, "data": {}}),
    D.C1_201: (201, success()),
    D.C1_202: (202, success()),
}
"""Status and body of the answer to a write that was done."""


def _write(cloud: Cloud, response: web.Response) -> web.Response:
    """Return another form of a successful write's answer; failures stay as they are."""
    answer = _spoken(cloud, _SUCCESSES)
    if answer is None or (_json(response) or {}).get("status") != "SUCCESS":
        return response
    return web.json_response(answer[1], status=answer[0])


_KEY_NAMES: Final = {D.C5_KEY: "key", D.C5_ENVELOPE_KEY: "envelope_key"}


def _key(cloud: Cloud, body: Json) -> None:
    if "key_hex" not in body.get("data", {}):
        return
    text = str(body["data"]["key_hex"])
    if D.C5_BASE64 in cloud.dialects:
        text = b64encode(bytes.fromhex(text)).decode()
    if D.C5_SPACES in cloud.dialects:
        text = " " + " ".join(text[at : at + 3] for at in range(0, len(text), 3)) + "\n"
    body["data"] = {_spoken(cloud, _KEY_NAMES) or "key_hex": text}


def _dry_run(cloud: Cloud, body: Json) -> None:
    if D.C7_ZERO_NORMAL in cloud.dialects:
        dashboard = body["data"]["dashboard"]
        status = dashboard["dry_run_status"]
        dashboard["dry_run_status"] = {3: 0, 2: 4}.get(status, status)


def _inventory(cloud: Cloud, body: Json) -> None:
    sites = body["data"]["sites"]
    if _once(cloud, D.C11_EMPTY_ONCE):
        sites.clear()
    if _once(cloud, D.C11_SHORTER_ONCE) and sites:
        del sites[-1]["device_list"][-1:]
    more: dict[CloudDialect, Json] = {
        D.C22_NEXT: {"next": "/user/sites?page=2"},
        D.C22_COUNT: {"pagination": {"total": len(sites)}},
    }
    if len(sites) > 1 and (texts := _spoken(cloud, more)):
        body["data"] |= texts
        sites.pop()
    if D.C11_MOVED in cloud.dialects:
        devices = [device for site in sites for device in site["device_list"]]
        where = {"objectId": "0moved", "name": "Moved", "city": "", "state": ""}
        body["data"]["sites"] = [{**where, "device_list": devices}]
    _online(cloud, body)


def _online(cloud: Cloud, body: Json) -> None:
    data = body.get("data", {})
    listed = [each for site in data.get("sites", []) for each in site["device_list"]]
    for device in (*listed, *data.get("devices", [])):
        if D.C6_STALE in cloud.dialects:
            device["online"] = False
        if D.C6_ABSENT in cloud.dialects:
            del device["online"]


_FORMS: Final[Mapping[str, Callable[[Cloud, Json], None]]] = {
    "sites": _inventory,
    "deviceOnlineStatuses": _online,
    "envelope-key": _key,
    "dashboardInfo": _dry_run,
}


def _each(value: Any, change: Callable[[Json], Json]) -> Any:
    """Return JSON in which every object is changed, at any depth."""
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _each(item, change) for name, item in change(value).items()}


_WORDS: Final = frozenset(
    ("name", "city", "state", "tag", "message", "aux_tag", "schedule_name")
) | {f"pump_{what}" for what in ("type", "brand", "model")}
"""Fields with free text, such as names that a user entered."""
_ODD: Final[Mapping[CloudDialect, Callable[[str], str]]] = {
    D.C10_SURROGATES: lambda text: f"\ud83d{text}\udc00",
    D.C10_CONTROL: lambda text: f"\x00{text}\r\n\x1b[31m\u202e\u2028",
    D.C10_LONG: lambda text: text + "x" * (20_000 - len(text)),
    D.C10_MARKDOWN: lambda text: f"{text} ![x](http://evil.example/x.png) `a` [b](//c)",
    D.C10_HTML: lambda text: f"{text} <img src=x onerror=alert(1)>",
}


def _odd_texts(cloud: Cloud, answer: Json) -> Json:
    if (odd := _spoken(cloud, _ODD)) is None:
        return answer
    texts = {name: answer[name] for name in _WORDS & answer.keys()}
    # Empty fields stay empty.
    return answer | {n: odd(t) for n, t in texts.items() if t and isinstance(t, str)}
