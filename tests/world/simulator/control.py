"""A web page to watch the simulated pools, and to switch faults and dialects."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
import json
from pathlib import Path
from secrets import token_bytes
from typing import Any, Final

from aiohttp import web

from . import cloud_dialects
from .cloud import Cloud
from .cloud_dialects import CloudDialect
from .controller import Controller
from .dialects import Dialect
from .situations import SITUATIONS, situations
from .telemetry import overview
from .wire import Json

PAGE: Final = Path(__file__).parent / "control.html"


class WrongRequestError(Exception):
    """The control page sent an invalid request."""


@dataclass(frozen=True, slots=True)
class _Action:
    """An action of the page on a controller."""

    title: str
    run: Callable[[Controller, Json], Awaitable[None]]


async def _rotate_key(controller: Controller, body: Json) -> None:
    key = body.get("key")
    controller.rotate_key(bytes.fromhex(key) if key else token_bytes(16))


async def _restart(controller: Controller, body: Json) -> None:
    controller.restart(int(body.get("counter", 0)))


async def _move(controller: Controller, body: Json) -> None:
    """Move to the address given, or to the next one of the loopback network."""
    network, _, last = controller.host.rpartition(".")
    host = str(body.get("host") or f"{network}.{(int(last) + 9) % 250 + 1}")
    await controller.move(host, int(body.get("port") or controller.port))


async def _link(controller: Controller, body: Json) -> None:
    controller.cloud_link = bool(body.get("on", not controller.cloud_link))


async def _switch(controller: Controller, body: Json) -> None:
    slot = int(body["slot"])
    if not controller.pool.can_switch(slot):
        raise WrongRequestError(f"slot {slot} is not switched by hand")
    on = bool(body.get("on", not controller.pool.slots[slot].on))
    controller.pool.switch(slot, on)


ACTIONS: Final[dict[str, _Action]] = {
    "restart": _Action("Restart", _restart),
    "move": _Action("Move to another address", _move),
    "rotate_key": _Action("Rotate the key", _rotate_key),
    "cloud_link": _Action("Cut or mend its link to the cloud", _link),
    "switch": _Action("Switch a slot by hand", _switch),
}


class ControlPage:
    """Serves the page at `GET /` and a JSON interface.

    `GET /api/state` shows everything. `POST /api/fault {target, name, on}` switches a
    fault, where `target` is `cloud` or a device id, and `POST /api/dialect` likewise a
    dialect. `POST /api/situation` of the same form starts or ends a pool's situation.
    `POST /api/action {target, name, …}` runs an action on a controller,
    `POST /api/advance {seconds}` jumps ahead in time.
    """

    def __init__(self, cloud: Cloud, controllers: Sequence[Controller]) -> None:
        """Prepare a page for a cloud and its controllers."""
        self.cloud = cloud
        self.controllers = {item.device_id: item for item in controllers}
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve the page."""
        app = web.Application(middlewares=[_errors])
        app.add_routes(
            [
                web.get("/", self._page),
                web.get("/api/state", self._state),
                web.post("/api/fault", self._fault),
                web.post("/api/dialect", self._dialect),
                web.post("/api/situation", self._situation),
                web.post("/api/action", self._action),
                web.post("/api/advance", self._advance),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        port = self._runner.addresses[0][1]
        self.url = f"http://{host}:{port}"

    async def stop(self) -> None:
        """Stop serving."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def state(self) -> Json:
        """Return everything that the page shows."""
        return {
            "time": self.cloud.clock.time(),
            "cloud": {
                "url": self.cloud.base_url,
                "requests": len(self.cloud.requests),
                "faults": sorted(self.cloud.faults),
                "known": self.cloud.faults.known,
                "dialects": sorted(self.cloud.dialects),
                "known_dialects": {each: each.meaning for each in CloudDialect},
            },
            "actions": {name: action.title for name, action in ACTIONS.items()},
            "controllers": [_describe(item) for item in self.controllers.values()],
        }

    async def _page(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(PAGE)

    async def _state(self, request: web.Request) -> web.Response:
        return web.json_response(self.state())

    async def _fault(self, request: web.Request) -> web.Response:
        body = await _body(request)
        target, name = str(body.get("target")), str(body.get("name"))
        owner = self.cloud if target == "cloud" else self._controller(target)
        switch = owner.faults.on if body.get("on", True) else owner.faults.off
        switch(name)
        return web.json_response(self.state())

    async def _dialect(self, request: web.Request) -> web.Response:
        body = await _body(request)
        target, name = str(body.get("target")), str(body.get("name"))
        on = bool(body.get("on", True))
        if target == "cloud":
            cloud_dialects.switch(self.cloud, name, on)
        else:
            controller = self._controller(target)
            controller.dialects.add(name)
            if not on:
                controller.dialects.discard(name)
        return web.json_response(self.state())

    async def _situation(self, request: web.Request) -> web.Response:
        body = await _body(request)
        pool = self._controller(str(body.get("target"))).pool
        name = str(body.get("name"))
        if name not in situations(pool):
            raise WrongRequestError(f"this pool is never in the situation {name}")
        SITUATIONS[name].make(pool, bool(body.get("on", True)))
        pool.settle()
        return web.json_response(self.state())

    async def _action(self, request: web.Request) -> web.Response:
        body = await _body(request)
        action = ACTIONS.get(str(body.get("name")))
        if action is None:
            raise WrongRequestError(f"no action {body.get('name')}")
        await action.run(self._controller(str(body.get("target"))), body)
        return web.json_response(self.state())

    async def _advance(self, request: web.Request) -> web.Response:
        self.cloud.clock.advance(max(0.0, float((await _body(request))["seconds"])))
        return web.json_response(self.state())

    def _controller(self, device_id: str) -> Controller:
        if device_id not in self.controllers:
            raise WrongRequestError(f"no controller {device_id}")
        return self.controllers[device_id]


@web.middleware
async def _errors(
    request: web.Request,
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> web.StreamResponse:
    """Answer an invalid request with status 400 and the error."""
    try:
        return await handler(request)
    except (WrongRequestError, ValueError, KeyError, OSError) as err:
        return web.json_response({"error": str(err)}, status=400)


async def _body(request: web.Request) -> dict[str, Any]:
    body = json.loads(await request.text())
    if not isinstance(body, dict):
        raise WrongRequestError("the body is not a JSON object")
    return body


def _describe(controller: Controller) -> Json:
    return {
        "device_id": controller.device_id,
        "name": controller.name,
        "address": f"{controller.host}:{controller.port}",
        "firmware": controller.firmware,
        "cloud_link": controller.cloud_link,
        "requests": len(controller.requests),
        "faults": sorted(controller.faults),
        "known": controller.faults.known,
        "dialects": sorted(controller.dialects),
        "known_dialects": {each: each.meaning for each in Dialect},
        "situations": {
            name: {"title": SITUATIONS[name].title, "on": on}
            for name, on in situations(controller.pool).items()
        },
        **overview(controller.pool),
    }
