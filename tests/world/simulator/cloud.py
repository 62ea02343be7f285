"""The cloud service (protocol.md 4.1, 5.1, 7.1 and 8), served by aiohttp."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any, Final

from aiohttp import web

from . import cloud_dialects, cloud_faults, devices, pages
from .accounts import Account, RateLimit
from .actions import DeclinedError
from .answers import failed, success
from .auth import OAuthError, SignIns
from .clock import Clock
from .cloud_dialects import CloudDialect
from .controller import DEVICE_ID, Controller
from .faults import Faults
from .listener import Listener
from .pipeline import ApiError, Pipeline
from .wire import parse_json

V1: Final = "/api-gateway/v1"
V2: Final = "/api-gateway/v2"
OPEN: Final = frozenset({"authorize", "token", "login"})  # need no bearer token
_MINUTE: Final = {"Retry-After": "60"}

type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class CloudRequest:
    """A request that reached the cloud; `status` is 0 if it got no answer."""

    method: str
    name: str  # last part of the path
    device_id: str | None
    status: int
    at: float


class Cloud:
    """The service of one vendor: accounts, sites, controllers."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        clients: Mapping[str, str] | None = None,
        accounts: Sequence[Account] = (),
    ) -> None:
        self.clock = clock or Clock()
        self.clients = dict(clients or {"client-id": "client-secret"})
        self.accounts = list(accounts)
        self.seconds_a_byte = 1.0
        self.dialects: set[CloudDialect] = set()  # can change while it runs
        self.answered_once: set[tuple[str, str]] = set()  # single answers already given
        self.failing = set(cloud_dialects.FAILING)  # endpoints that C14 affects
        self.elsewhere = "http://127.0.0.1:9/"  # target of the redirect of C13
        self.date: Callable[[], float] | None = None  # replaces the `Date` header
        self.requests: list[CloudRequest] = []
        self.not_offered: set[str] = set()
        self.rate_limited = cloud_faults.RateLimited()
        self.complaint: str = "the service says no"  # the message of the fault `failed`
        self.faults = Faults(cloud_faults.FAULTS, self._plug)
        self.sign_ins = SignIns(self.clock, self.clients)
        self._logins = RateLimit(self.clock, 10)
        self._refreshes = RateLimit(self.clock, 1)
        self._pipelines: dict[str, Pipeline] = {}
        self._runner: web.AppRunner | None = None
        self._listener: Listener | None = None

    # --- Start and stop ---

    @property
    def base_url(self) -> str:
        """Base URL for clients: `{base_url}` in protocol.md 4.1."""
        if self._listener is None:
            raise RuntimeError("the cloud was never started")
        return f"http://{self._listener.host}:{self._listener.port}"

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Start the service; port 0 takes any free port."""
        app = web.Application(middlewares=[self._outermost])
        app.add_routes(self._routes())
        self._runner = web.AppRunner(
            app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None
        )
        await self._runner.setup()
        assert self._runner.server is not None
        self._listener = Listener(self._runner.server, host, port)
        self._plug()

    async def stop(self) -> None:
        for pipeline in self._pipelines.values():
            await pipeline.stop()
        if self._listener is not None:
            await self._listener.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def expire_tokens(self) -> None:
        self.sign_ins.access.clear()

    def revoke(self, account: Account) -> None:
        self.sign_ins.revoke(account)

    def pipeline(self, controller: Controller) -> Pipeline:
        return self._pipelines.setdefault(
            controller.device_id, Pipeline(controller, self.clock)
        )

    def _plug(self) -> None:
        if self._listener is None or self._runner is None:
            return
        if "refuse" in self.faults:
            self._listener.close()
        else:
            self._listener.open()

    def _routes(self) -> list[web.RouteDef]:
        device = "/iot-shadow/device/{device_id}"
        return [
            web.get(f"{V1}/oauth/authorize", self._sign_in_page),
            web.post(f"{V1}/oauth/authorize", self._sign_in),
            web.post(f"{V1}/oauth/token", self._token),
            web.post(f"{V1}/auth/login", self._login),
            web.get(f"{V1}/oauth/userinfo", self._user_info),
            web.get(f"{V1}/user/sites", self._sites),
            web.get(f"{V1}/user/deviceOnlineStatuses", self._online),
            web.post(f"{V1}/user/refreshSite", self._refresh_site),
            *(
                web.get(f"{base}{device}/envelope-key", self._envelope_key)
                for base in (V2, V1, V1.removesuffix("/v1"))
            ),
            web.get(f"{V1}{device}/{{name}}", self._read),
            web.post(f"{V1}{device}/{{name}}", self._write),
        ]

    # --- Around every request ---

    @web.middleware
    async def _outermost(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """Record every request, and set the date of its answer."""
        name, status = request.path.rpartition("/")[2], 0
        at = self.clock.time()
        try:
            response = await self._answer(request, handler, name)
            status = response.status
            if self.date is not None:
                response.headers["Date"] = formatdate(self.date(), usegmt=True)
        finally:
            device_id = request.match_info.get("device_id")
            self.requests.append(
                CloudRequest(request.method, name, device_id, status, at)
            )
        return response

    async def _answer(
        self, request: web.Request, handler: Handler, name: str
    ) -> web.StreamResponse:
        faults, apart = self.faults, name in OPEN
        response: web.StreamResponse
        if faults.take("hang", name) or cloud_dialects.silent(self, name):
            await asyncio.Event().wait()
        if instead := cloud_faults.instead(self, name, explicit=apart):
            return cloud_dialects.refused(self, instead)
        try:
            response = cloud_dialects.instead(self, request, name) or await handler(
                request
            )
        except ApiError as err:
            response = failed(err.message, err.status)
        except OAuthError as err:
            response = web.json_response(err.body, status=err.status)
        except DeclinedError as err:
            response = failed(f"device refused: {err}")
        except web.HTTPNotFound, web.HTTPMethodNotAllowed:
            response = failed("no such endpoint", 404)
        response = cloud_dialects.reworded(self, response, request, name)
        response = cloud_faults.mangled(self, response, name, explicit=apart)
        if faults.take("trickle", name, explicit=apart):
            return await cloud_faults.trickled(self, request, response)
        return response

    def _account(self, request: web.Request) -> Account:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        account = self.sign_ins.account(token) if scheme == "Bearer" else None
        if account is None or "revoked" in self.faults:
            raise ApiError(401, "invalid or expired access token")
        return account

    def _controller(self, request: web.Request) -> Controller:
        account, device_id = self._account(request), request.match_info["device_id"]
        if not DEVICE_ID.fullmatch(device_id):
            raise ApiError(400, "deviceId is not of the form XX_XX_XX_XX_XX_XX")
        owned = {each.device_id: each for each in account.controllers}
        if device_id not in owned:
            raise ApiError(403, f"device {device_id} is not on this account")
        return owned[device_id]

    # --- Signing in ---

    async def _sign_in_page(self, request: web.Request) -> web.Response:
        fields = dict(request.query)
        return self._bad_request(fields) or self._page(fields)

    async def _sign_in(self, request: web.Request) -> web.StreamResponse:
        if not self._logins.allow(request.remote or ""):
            return _too_many("attempts")
        fields = dict(request.query)
        fields |= {name: str(value) for name, value in (await request.post()).items()}
        email, password = fields.pop("email", ""), fields.pop("password", "")
        if error := self._bad_request(fields):
            return error
        account = self._known(email, password)
        if account is None:
            return self._page(fields, email, "Wrong email or password.")
        client_id, uri = fields["client_id"], fields["redirect_uri"]
        code = self.sign_ins.code(account, client_id, uri)
        state = fields.get("state", "")
        return web.Response(
            status=302,
            headers={"Location": pages.redirect_to(uri, code=code, state=state)},
        )

    def _page(
        self, fields: Mapping[str, str], email: str = "", error: str = ""
    ) -> web.Response:
        return web.Response(
            text=pages.sign_in(fields, email=email, error=error),
            content_type="text/html",
            status=401 if error else 200,
        )

    def _bad_request(self, fields: Mapping[str, str]) -> web.Response | None:
        """Refuse a request that must not be redirected anywhere (RFC 6749 4.1.2.1)."""
        for wrong, why in (
            (fields.get("client_id") not in self.clients, "unknown client_id"),
            (not pages.is_redirect(fields.get("redirect_uri", "")), "no redirect_uri"),
            (fields.get("response_type") != "code", "response_type is not code"),
        ):
            if wrong:
                return web.Response(text=f"Cannot sign in: {why}", status=400)
        return None

    def _known(self, email: str, password: str) -> Account | None:
        known = {(each.email, each.password): each for each in self.accounts}
        return known.get((email, password))

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        if "revoked" in self.faults and form.get("grant_type") == "refresh_token":
            raise OAuthError("invalid_grant", "the fault `revoked`")
        headers = {"Cache-Control": "no-store"}
        self.sign_ins.rotates = CloudDialect.C3_KEPT not in self.dialects
        return web.json_response(self.sign_ins.token(form), headers=headers)

    async def _login(self, request: web.Request) -> web.Response:
        if not self._logins.allow(request.remote or ""):
            return _too_many("attempts")
        form = await request.post()
        known = self._known(str(form.get("email")), str(form.get("password")))
        if known is None:
            raise ApiError(401, "wrong email or password")
        return web.json_response(success(self.sign_ins.login(known)))

    # --- The account ---

    async def _user_info(self, request: web.Request) -> web.Response:
        account = self._account(request)
        info = {"sub": account.sub, "email": account.email, "name": account.name}
        info |= {"preferred_username": account.email, "role": "owner"}
        return web.json_response(info)

    async def _sites(self, request: web.Request) -> web.Response:
        sites = [site.describe() for site in self._account(request).sites]
        return web.json_response(success({"sites": sites}))

    async def _online(self, request: web.Request) -> web.Response:
        online = [
            {"deviceId": controller.device_id, "online": controller.online}
            for controller in self._account(request).controllers
        ]
        return web.json_response(success({"devices": online}))

    async def _refresh_site(self, request: web.Request) -> web.Response:
        if not self._refreshes.allow(self._account(request).sub):
            return _too_many("requests")
        return web.json_response(success())

    # --- Its controllers ---

    async def _envelope_key(self, request: web.Request) -> web.Response:
        controller = self._controller(request)
        if not controller.serves_lan:
            raise ApiError(404, f"device {controller.device_id} has no key")
        return web.json_response(success({"key_hex": controller.key.hex()}))

    async def _read(self, request: web.Request) -> web.Response:
        controller, name = self._controller(request), request.match_info["name"]
        if (endpoint := devices.READS.get(name)) is None:
            raise web.HTTPNotFound
        data = await self.pipeline(controller).read(name, endpoint)
        return web.json_response(success(data))

    async def _write(self, request: web.Request) -> web.Response:
        controller, name = self._controller(request), request.match_info["name"]
        if (endpoint := devices.WRITES.get(name)) is None:
            raise web.HTTPNotFound
        pipeline = self.pipeline(controller)
        await pipeline.write(name, endpoint, await _body(request))
        if CloudDialect.C23_SLOW in self.dialects:
            await self.clock.sleep(25)
        if CloudDialect.C20_OLD in self.dialects:
            pipeline.keep_copies(300)
        elif CloudDialect.C12_FRESH in self.dialects:
            pipeline.forget()
        return web.json_response(success())


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        body = parse_json(await request.text())
    except ValueError:
        body = None
    if request.content_type != "application/json" or not isinstance(body, dict):
        raise ApiError(400, "the body is not a JSON object")
    return body


def _too_many(what: str) -> web.Response:
    text = f"Too many {what}, please try again later"
    return web.Response(text=text, status=429, headers=_MINUTE)
