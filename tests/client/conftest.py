"""Fixtures of the client's unit tests: a simulated service, a session and a clock."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
import json
from pathlib import Path
import re
import signal
import sys
import time
from types import ModuleType
from typing import Any

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client import clock as clock_module, lan as lan_module
from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.controller import Controller
from custom_components.poolctl.client.facts import Facts, FactsOf
from custom_components.poolctl.client.lan import LanClient
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.equipment import Slot
from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    PoolctlError,
)
from custom_components.poolctl.client.wire.http import ClosingRequest
from tests.world import service as shared, simulator as sim
from tests.world.plain import *  # noqa: F403 - its fixtures
from tests.world.simulator import wire
from tests.world.simulator.cloud_dialects import CloudDialect
from tests.world.simulator.lan import Request

CLIENT = "custom_components.poolctl.client."
FIXTURES = Path(__file__).parents[1] / "fixtures"
COMMANDS: dict[str, Any] = json.loads((FIXTURES / "commands.json").read_text())
FRAMES: list[dict[str, Any]] = json.loads((FIXTURES / "state_frames.json").read_text())
KEY = bytes.fromhex(COMMANDS["key"])

_REDIRECT = "https://ha.example"


class FakeTime:
    """Replaces `time` and `asyncio`: a sleep only advances the simulated clock."""

    def __init__(self, clock: sim.Clock) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._clock = clock
        self._sleep = asyncio.sleep

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    def monotonic(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
        self._clock.advance(seconds)

    @contextmanager
    def later(self, seconds: float) -> Generator[None]:
        """Let some time pass inside the block only."""
        self.now += seconds
        yield
        self.now -= seconds

    async def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self.slept.append(seconds)
            self.advance(seconds)
        await self._sleep(0)


@dataclass
class UnixTime:
    """Replaces the clock that outgoing counters are made from."""

    now: float = 500.0

    def time(self) -> float:
        return self.now


@dataclass
class Tokens:
    """The token provider of one account."""

    service: Service
    access: str = ""
    refresh: str = ""
    refused: list[str | None] = field(default_factory=list)

    async def __call__(self, *, refused: str | None = None) -> str:
        self.refused.append(refused)
        if refused is None and self.access:
            return self.access
        sign_ins = self.service.cloud.sign_ins
        form = {"client_id": "client-id", "client_secret": "client-secret"}
        if self.refresh:
            form |= {"grant_type": "refresh_token", "refresh_token": self.refresh}
        else:
            code = sign_ins.code(self.service.account, "client-id", _REDIRECT)
            form |= {"grant_type": "authorization_code", "code": code}
            form |= {"redirect_uri": _REDIRECT}
        try:
            answer = sign_ins.token(form)
        except Exception as err:
            raise AuthenticationError("the sign-in was revoked") from err
        self.access = answer["access_token"]
        self.refresh = answer.get("refresh_token", self.refresh)
        return self.access


async def set_pump(
    cloud: CloudClient, device_id: str, slot: int, on: bool, speed: int
) -> None:
    """Run or stop the pump, as a command does (protocol.md 2.6)."""
    body = {"aux_switch_state": int(on), "aux_type_code": 31}
    body |= {"pump_speed": speed, "aux_slot_num": slot}
    await cloud.write(device_id, "setPumpInfo", body)


async def some_token(*, refused: str | None = None) -> str:
    return "token"


class Service(shared.Service):
    """The simulated service, and what a client needs for it."""

    def __init__(
        self, session: ClientSession, clock: sim.Clock, facts: FactsOf | None = None
    ) -> None:
        super().__init__(clock, *shared.two_controllers(clock, KEY, KEY[::-1]))
        self.session = session
        self.tokens = Tokens(self)
        self.facts: FactsOf = facts or defaultdict[str, Facts](Facts).__getitem__

    def cloud_client(self) -> CloudClient:
        return CloudClient(self.session, self.cloud.base_url, self.tokens, self.facts)

    def lan_client(self, controller: sim.Controller, **options: Any) -> LanClient:
        options.setdefault("port", controller.port)
        options.setdefault("facts", self.facts(controller.device_id))
        return LanClient(self.session, controller.host, controller.key, **options)

    def requests(self, name: str) -> int:
        """Return the number of requests that the cloud received."""
        return sum(request.name == name for request in self.cloud.requests)


@pytest.fixture
async def session(socket_enabled: None) -> AsyncGenerator[ClientSession]:
    async with ClientSession(request_class=ClosingRequest) as session:
        yield session


@pytest.fixture
def clock() -> sim.Clock:
    # So fast that the cloud's pauses stay below shortened timeouts. It begins at noon,
    # because the doses of a day are counted anew at midnight.
    return sim.Clock(speed=10, start=sim.NOON)


@pytest.fixture
def facts() -> FactsOf | None:
    """Return where the facts go; a folder whose tests listen replaces this."""
    return None


@pytest.fixture
async def service(
    session: ClientSession, clock: sim.Clock, facts: FactsOf | None
) -> AsyncGenerator[Service]:
    async with Service(session, clock, facts).running() as service:
        yield service


@pytest.fixture
def cloud(service: Service) -> CloudClient:
    return service.cloud_client()


@pytest.fixture
def unix_time(monkeypatch: pytest.MonkeyPatch) -> UnixTime:
    fake = UnixTime()
    for name in ("wall_clock", "steady_clock"):
        monkeypatch.setattr(clock_module, name, lambda: fake.time())  # noqa: PLW0108 - it may be replaced
    return fake


@cache
def uses_of_time() -> list[tuple[ModuleType, str]]:
    """Return the modules of the client that use the time, except as the time of day."""
    modules = [each for name, each in sys.modules.items() if name.startswith(CLIENT)]
    return [
        (module, name)
        for module in set(modules) - {clock_module, lan_module}
        for name, real in (("asyncio", asyncio), ("time", time))
        if vars(module).get(name) is real
    ]


def replace_time(clock: sim.Clock, patch: pytest.MonkeyPatch) -> FakeTime:
    """Replace the time in the client."""
    fake = FakeTime(clock)
    for module, name in uses_of_time():
        patch.setattr(module, name, fake)
    return fake


@pytest.fixture
def fake_time(clock: sim.Clock, monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    return replace_time(clock, monkeypatch)


@dataclass
class Rig:
    """A controller under test with both its paths, and the states that it published."""

    service: Service
    time: FakeTime
    pool: sim.Controller
    controller: Controller
    published: list[PoolState]

    @property
    def shown(self) -> PoolState:
        return self.controller.live.state

    @property
    def reported(self) -> PoolState:
        return self.controller.live.reported

    @property
    def settings(self) -> dict[str, float]:
        """Settings of the simulated pool."""
        return self.pool.pool.settings

    def output(self, slot: int) -> Slot:
        """Return what is shown of an output."""
        found = self.shown.outputs.slot(slot)
        assert found is not None
        return found

    def asked(self, *ops: str) -> list[Request]:
        """Return the requests that the LAN received."""
        return [r for r in self.pool.requests if r.op in (ops or ("state", "a", "q"))]

    def names(self, *ops: str) -> list[str]:
        """Return their names; one without a name goes by its op."""
        return [request.name or request.op for request in self.asked(*ops)]

    def sent(self) -> list[tuple[str, wire.Json]]:
        """Return the name and body of every command that the LAN received."""
        return [wire.decode_cmd(r.payload) for r in self.asked("a") if r.payload]

    def written(self) -> list[str]:
        """Return the names of the writes that the cloud received."""
        posts = [r for r in self.service.cloud.requests if r.method == "POST"]
        return [request.name for request in posts if request.name != "token"]

    def forget(self) -> None:
        """Forget the requests of the LAN, the published states and the sleeps."""
        self.pool.requests.clear()
        self.published.clear()
        self.time.slept.clear()

    @property
    def settled(self) -> bool:
        """Whether nothing is pending: the state shown is the state reported."""
        return self.reported == self.shown

    async def polls(self, seconds: float = 0, times: int = 1) -> None:
        """Let some time pass and poll."""
        for _ in range(times):
            self.time.advance(seconds)
            await self.controller.poller.poll()

    async def renewed(self, seconds: float) -> None:
        """Let some time pass, in which the cloud renews its copies, and poll."""
        await self.service.clock.sleep(seconds)
        self.time.now += seconds
        await self.polls()

    async def read(self) -> None:
        """Read the state and all slow data."""
        await self.controller.poller.poll()
        self.controller.queries.expire()
        await self.controller.queries.refresh()

    async def live(self, minutes: float, step: float = 15) -> None:
        """Let time pass with polls, and with the work that is due.

        The steps in s are a minute at least, except in the first and last three minutes.
        """
        left = whole = minutes * 60
        while left > step / 2:
            part = step if left <= 180 or left > whole - 180 else max(step, 60)
            left -= part
            await self.polls(part)
            control = self.controller
            for owner in (control.heat, control.pauses, control.holds):
                if owner.wait is not None and owner.wait <= 0:
                    await owner.work()

    async def loses_lan(self, seconds: float = 15) -> None:
        """Refuse connections, and poll until the cloud is the source."""
        self.pool.faults.on("refuse")
        await self.polls(seconds, times=2)


@pytest.fixture
async def make_rig(
    service: Service, fake_time: FakeTime
) -> AsyncGenerator[Callable[..., Rig]]:
    rigs: list[Rig] = []
    # Published endpoints only (protocol.md 4.1), unless a test adds some.
    unpublished = {"auxInfo", "ambientTemp", "chemistryCard", "pumpInfo"}
    service.cloud.not_offered |= unpublished | {"scheduleInfo"}

    def make(
        *,
        full: bool = False,
        lan: bool = True,
        cloud: bool = True,
        holds_end: bool = True,
        clock: Clock | None = None,
        **options: Any,
    ) -> Rig:
        pool = service.full if full else service.small
        published: list[PoolState] = []
        controller = Controller(
            pool.device_id,
            lan=service.lan_client(pool) if lan else None,
            cloud=service.cloud_client() if cloud else None,
            facts=service.facts(pool.device_id),
            publish=lambda: published.append(controller.live.state),
            clock=clock or Clock(wall=pool.clock.time, steady=pool.clock.time),
            zone=lambda: pool.pool.tz,
            holds_end=holds_end,
            **options,
        )
        rigs.append(Rig(service, fake_time, pool, controller, published))
        return rigs[-1]

    yield make
    for rig in rigs:
        await rig.controller.poller.stop()


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    return make_rig()


@pytest.fixture
async def small(rig: Rig) -> Rig:
    """Read the small pool once, over the LAN."""
    await rig.polls()
    rig.forget()
    return rig


@pytest.fixture
async def cloud_only(make_rig: Callable[..., Rig]) -> Rig:
    """Read the small pool once, by the cloud alone."""
    rig = make_rig(lan=False)
    await rig.polls()
    return rig


@pytest.fixture
async def on_cloud(small: Rig) -> Rig:
    """Lose the LAN of the small pool: the cloud is the source now."""
    await small.loses_lan()
    assert small.shown.source is Source.CLOUD
    small.service.cloud.dialects.add(CloudDialect.C12_FRESH)
    small.service.cloud.requests.clear()
    small.forget()
    return small


@pytest.fixture
async def pool(make_rig: Callable[..., Rig]) -> Rig:
    """Read the fully equipped pool once, over the LAN, with all its slow data."""
    rig = make_rig(full=True)
    await rig.read()
    rig.time.advance(15)
    rig.forget()
    return rig


@pytest.fixture
async def away(make_rig: Callable[..., Rig]) -> Rig:
    """Read the fully equipped pool once, by the cloud alone, with all its endpoints."""
    rig = make_rig(full=True, lan=False)
    rig.service.cloud.not_offered.clear()
    await rig.polls()
    rig.service.cloud.requests.clear()
    return rig


@dataclass
class RawServer:
    """Answers every connection with the same bytes."""

    answer: bytes = b""
    port: int = 0
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    open: int = 0
    most_open: int = 0
    delay: float = 0.0

    def say(self, status: int, body: bytes | str, *headers: str) -> None:
        """Answer with an HTTP response from now on."""
        data = body.encode() if isinstance(body, str) else body
        headers = headers or ("Connection: close",)
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", *headers]
        self.answer = "\r\n".join([*lines, "", ""]).encode() + data

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"\r\ncontent-length:\s*(\d+)", head.lower())
            body = await reader.readexactly(int(length[1]) if length else 0)
            self.requests.append(head + body)
            await asyncio.sleep(self.delay)
            writer.write(self.answer)
            await writer.drain()
        except ConnectionError, EOFError:
            pass
        finally:
            self.open -= 1
            writer.close()


@pytest.fixture
async def raw(socket_enabled: None) -> AsyncGenerator[RawServer]:
    raw = RawServer()
    server = await asyncio.start_server(raw.serve, "127.0.0.1", 0)
    raw.port = server.sockets[0].getsockname()[1]
    yield raw
    server.close()
    server.close_clients()
    await server.wait_closed()


FRAME = bytes.fromhex(FRAMES[0]["payload"])


def because(reason: str) -> Callable[[PoolctlError], bool]:
    """Return a check of an error: its sentence is the one of a reason."""
    return lambda error: error.reason == reason


def signed(counter: int = 1, payload: bytes = FRAME) -> str:
    return wire.wrap(KEY, counter, payload).hex()


def answer(**body: Any) -> str:
    return json.dumps(body)


@pytest.fixture
def lan(session: ClientSession, raw: RawServer) -> LanClient:
    return LanClient(session, "127.0.0.1", KEY, port=raw.port)


@pytest.fixture
def raw_cloud(session: ClientSession, raw: RawServer) -> CloudClient:
    return CloudClient(session, f"http://127.0.0.1:{raw.port}", some_token)


@pytest.fixture
def heeds_interrupts() -> Generator[None]:
    """Let processes heed Ctrl+C, which a suite in the background ignores."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)
