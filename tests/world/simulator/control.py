"""A web page to watch the simulated pools, and to switch faults and dialects."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
import json
from pathlib import Path
from secrets import token_bytes
from typing import Final

from aiohttp import web

from . import cloud_dialects
from .cloud import Cloud
from .cloud_dialects import CloudDialect
from .controller import Controller
from .dialects import Described, Dialect
from .situations import SITUATIONS, situations
from .telemetry import overview
from .wire import Json

PAGE: Final = Path(__file__).parent / "control.html"


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
        raise ValueError(f"slot {slot} is not switched by hand")
    on = bool(body.get("on", not controller.pool.slots[slot].on))
    controller.pool.switch(slot, on)


ACTIONS: Final[dict[str, tuple[str, Callable[[Controller, Json], Awaitable[None]]]]] = {
    "restart": ("Restart", _restart),
    "move": ("Move to another address", _move),
    "rotate_key": ("Rotate the key", _rotate_key),
    "cloud_link": ("Cut or mend its link to the cloud", _link),
    "switch": ("Switch a slot by hand", _switch),
}
"""Title and effect of the actions of the page on a controller."""


class ControlPage:
    """Serves the page at `GET /` and a JSON interface.

    `GET /api/state` shows everything. `POST /api/fault {target, name, on}` switches a
    fault, where `target` is `cloud` or a device id, and `POST /api/dialect` likewise a
    dialect. `POST /api/situation` of the same form starts or ends a pool's situation.
    `POST /api/action {target, name, …}` runs an action on a controller,
    `POST /api/advance {seconds}` jumps ahead in time.
    """

    def __init__(self, cloud: Cloud, controllers: Sequence[Controller]) -> None:
        self.cloud = cloud
        self.controllers = {item.device_id: item for item in controllers}
        self.url = ""
        self._runner: web.AppRunner | None = None
        self._changes = {
            "fault": self._fault,
            "dialect": self._dialect,
            "situation": self._situation,
            "action": self._action,
            "advance": self._advance,
        }

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        app = web.Application(middlewares=[_errors])
        app.add_routes(
            [
                web.get("/", self._page),
                web.get("/api/state", self._state),
                web.post("/api/{change}", self._post),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        port = self._runner.addresses[0][1]
        self.url = f"http://{host}:{port}"

    async def stop(self) -> None:
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
                **_switches(self.cloud, CloudDialect),
            },
            "actions": {name: title for name, (title, _) in ACTIONS.items()},
            "controllers": [_describe(item) for item in self.controllers.values()],
        }

    async def _page(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(PAGE)

    async def _state(self, request: web.Request) -> web.Response:
        return web.json_response(self.state())

    async def _post(self, request: web.Request) -> web.Response:
        """Change something; return everything that the page shows afterwards."""
        body = json.loads(await request.text())
        change = self._changes[request.match_info["change"]]
        await change({"target": None, "name": None, **body})
        return web.json_response(self.state())

    async def _fault(self, body: Json) -> None:
        of_cloud = body["target"] == "cloud"
        faults = (self.cloud if of_cloud else self._controller(body)).faults
        (faults.on if body.get("on", True) else faults.off)(str(body["name"]))

    async def _dialect(self, body: Json) -> None:
        name = str(body["name"])
        if body["target"] == "cloud":
            cloud_dialects.switch(self.cloud, name, bool(body.get("on", True)))
            return
        dialects = self._controller(body).dialects
        dialects.add(name)
        if not body.get("on", True):
            dialects.discard(name)

    async def _situation(self, body: Json) -> None:
        pool, name = self._controller(body).pool, str(body["name"])
        if name not in situations(pool):
            raise ValueError(f"this pool is never in the situation {name}")
        SITUATIONS[name].make(pool, bool(body.get("on", True)))
        pool.settle()

    async def _action(self, body: Json) -> None:
        if (name := str(body["name"])) not in ACTIONS:
            raise ValueError(f"no action {name}")
        await ACTIONS[name][1](self._controller(body), body)

    async def _advance(self, body: Json) -> None:
        self.cloud.clock.advance(max(0.0, float(body["seconds"])))

    def _controller(self, body: Json) -> Controller:
        device_id = str(body["target"])
        if device_id not in self.controllers:
            raise ValueError(f"no controller {device_id}")
        return self.controllers[device_id]


@web.middleware
async def _errors(
    request: web.Request,
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> web.StreamResponse:
    """Answer an invalid request with status 400 and the error."""
    try:
        return await handler(request)
    except (ValueError, KeyError, TypeError, OSError) as err:
        return web.json_response({"error": str(err)}, status=400)


def _switches(owner: Cloud | Controller, dialects: Iterable[Described]) -> Json:
    return {
        "faults": sorted(owner.faults),
        "known": owner.faults.known,
        "dialects": sorted(owner.dialects),
        "known_dialects": {each: each.meaning for each in dialects},
    }


def _describe(controller: Controller) -> Json:
    return {
        "device_id": controller.device_id,
        "name": controller.name,
        "address": f"{controller.host}:{controller.port}",
        "firmware": controller.firmware,
        "cloud_link": controller.cloud_link,
        "requests": len(controller.requests),
        **_switches(controller, Dialect),
        "situations": {
            name: {"title": SITUATIONS[name].title, "on": on}
            for name, on in situations(controller.pool).items()
        },
        **overview(controller.pool),
    }
