"""The demo: discovery, the control page, and `python -m tests.world.simulator`."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
import re
import signal
import socket
import sys
from typing import Any

import aiohttp
import pytest
from zeroconf import ServiceInfo
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from tests.world.simulator import Controller, mdns
from tests.world.simulator.__main__ import demo, parser, speak
from tests.world.simulator.control import ACTIONS, PAGE, ControlPage
from tests.world.simulator.mdns import SERVICE, Announcer
from tests.world.simulator.raw import exchange, request
from tests.world.simulator.situations import SITUATIONS
from tests.world.simulator.visitor import Visitor

pytestmark = pytest.mark.usefixtures("socket_enabled")

ROOT = Path(__file__).parents[3]
INVITATION = ROOT / "tests/world/home/__main__.py"
INTERFACES = ["127.0.0.1"]
"""The interface to use, as Home Assistant's test harness hides the real ones."""
PORTS = ("--cloud-port=0", "--control-port=0", "--lan-port=0", "--no-mdns")
STATE = request(b'{"op":"state","name":"","env":""}')


def multicast() -> bool:
    """Return whether this machine supports multicast."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            member = socket.inet_aton("224.0.0.251") + socket.inet_aton("127.0.0.1")
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        except OSError:
            return False
    return True


async def look_up(name: str) -> ServiceInfo:
    """Return the record of a service, as another device on the network does."""
    network = AsyncZeroconf(interfaces=INTERFACES)
    info = AsyncServiceInfo(SERVICE, f"{name}.{SERVICE}")
    assert await info.async_request(network.zeroconf, 5000)
    await network.async_close()
    return info


async def test_controllers_are_announced_and_followed() -> None:
    """protocol.md 2.8."""
    if not multicast():
        pytest.skip("no multicast on this machine")
    # IDs that only this test uses, so that a running demo does not interfere.
    home = Controller(device_id="AA_BB_CC_E0_00_01")
    beach = Controller(device_id="AA_BB_CC_E0_00_02", host="127.0.0.2")
    announcer = Announcer([home, beach], interfaces=INTERFACES)
    await home.start()
    await beach.start()
    try:
        await announcer.start()
        found = await look_up("ctrl-e00001")
        assert found.server == "ctrl-e00001.local."
        assert (found.parsed_addresses(), found.port) == (["127.0.0.1"], home.port)
        assert found.decoded_properties == {
            "id": "AA_BB_CC_E0_00_01", "mac": "aabbcce00001", "fw": "2.5.46", "pv": "2"
        }  # fmt: skip
        assert (await look_up("ctrl-e00002")).parsed_addresses() == ["127.0.0.2"]
        await home.move("127.0.0.3")
        found = await look_up("ctrl-e00001")
        assert (found.parsed_addresses(), found.port) == (["127.0.0.3"], home.port)
    finally:
        await announcer.stop()
        await home.stop()
        await beach.stop()
    assert home.moved == []


@pytest.fixture
async def page(service: Visitor) -> AsyncGenerator[ControlPage]:
    page = ControlPage(service.cloud, [service.controller])
    await page.start()
    yield page
    await page.stop()


type Post = Callable[..., Awaitable[tuple[int, Any]]]


@pytest.fixture
def post(service: Visitor, page: ControlPage) -> Post:
    """Return a function that posts to the page, for the controller unless another is given."""

    async def post(what: str, **body: object) -> tuple[int, Any]:
        body = {"target": service.controller.device_id, **body}
        url = f"{page.url}/api/{what}"
        async with service.session.post(url, json=body) as response:
            return response.status, await response.json()

    return post


async def test_actions(service: Visitor, page: ControlPage, post: Post) -> None:
    controller, key = service.controller, service.controller.key

    async def act(name: str, **body: object) -> dict[str, Any]:
        """Run an action on the controller; return what the page then shows of it."""
        status, state = await post("action", name=name, **body)
        assert status == 200
        return dict(state["controllers"][0])

    async with service.session.get(page.url + "/api/state") as response:
        (shown,) = (await response.json())["controllers"]
    relays = {str(slot): on for slot, on in controller.pool.relays.items()}
    assert (shown["relays"], shown["name"]) == (relays, "Home")
    assert (shown["ph"], shown["pump_speed"]) == (7.45, 75)
    assert (await act("switch", slot=3))["relays"]["3"] is True
    assert (await act("switch", slot=3, on=False))["relays"]["3"] is False
    assert (await act("cloud_link"))["cloud_link"] is False
    await act("rotate_key")
    assert controller.key != key
    await act("rotate_key", key="00" * 16)
    assert controller.key == bytes(16)
    await exchange(controller, STATE)
    await act("restart", counter=5)
    assert controller.counter == 5
    before = controller.host
    shown = await act("move")
    assert shown["address"] == f"{controller.host}:{controller.port}"
    assert controller.host != before
    assert set(ACTIONS) == {"switch", "cloud_link", "rotate_key", "restart", "move"}
    then = service.clock.monotonic()
    assert (await post("advance", seconds=3600))[0] == 200
    assert service.clock.monotonic() - then >= 3600


@pytest.mark.parametrize(
    ("what", "of_controller", "of_cloud"),
    [("fault", "refuse", "refuse"), ("dialect", "busy_after", "C11_empty_once")],
)
async def test_faults_and_dialects(
    service: Visitor, post: Post, what: str, of_controller: str, of_cloud: str
) -> None:
    service.cloud.answered_once = {("C11_empty_once", ""), ("C5_503_once", "/key")}
    for target, owner, name in (
        (service.controller.device_id, service.controller, of_controller),
        ("cloud", service.cloud, of_cloud),
    ):
        on = owner.faults if what == "fault" else owner.dialects
        status, state = await post(what, target=target, name=name)
        shown = state["cloud"] if target == "cloud" else state["controllers"][0]
        assert (status, set(on), shown[f"{what}s"]) == (200, {name}, [name])
        assert shown["known" if what == "fault" else "known_dialects"][name]
        await post(what, target=target, name=name, on=False)
        assert not on
    if what == "dialect":
        # One that is switched on again starts from its beginning.
        assert service.cloud.answered_once == {("C5_503_once", "/key")}


async def test_situations(service: Visitor, post: Post) -> None:
    """Each situation can be started and ended repeatedly."""
    for name, situation in SITUATIONS.items():
        for on in (True, False, True):
            status, state = await post("situation", name=name, on=on)
            service.clock.advance(2)  # schedules win a second later
            assert situation.exists(service.controller.pool) is on
            shown = state["controllers"][0]["situations"][name]
            assert (status, shown) == (200, {"title": situation.title, "on": on})


@pytest.mark.parametrize(
    ("host", "announced"),
    [
        ("127.0.0.1", ["127.0.0.1"]),
        ("192.0.2.7", ["192.0.2.7"]),
        ("0.0.0.0", ["192.0.2.7", "198.51.100.3"]),
    ],
)
def test_only_addresses_that_it_listens_on(
    monkeypatch: pytest.MonkeyPatch, host: str, announced: list[str]
) -> None:
    """Nobody hears of a loopback address outside of it."""
    monkeypatch.setattr(mdns, "own_addresses", lambda: ["192.0.2.7", "198.51.100.3"])
    controller = Controller(host=host, port=8080)
    assert mdns.service(controller).parsed_addresses() == announced
    assert mdns.interfaces_of([controller]) == announced


async def test_options() -> None:
    """One address for both controllers, and the first one as it was asked for."""
    given = ("--id=AA_BB_CC_00_00_09", f"--key={'ab' * 16}", "--firmware=2.6.0")
    spoken = ("--dialect=env_null", "--dialect=C1_pending", "--fault=busy")
    options = parser().parse_args([*PORTS, *given, *spoken, "--host=0.0.0.0"])
    async with demo(options) as running:
        first, second = running.controllers
        assert (first.device_id, first.firmware) == ("AA_BB_CC_00_00_09", "2.6.0")
        assert first.key.hex() in running.describe()
        assert first.dialects == {"env_null"} and set(first.faults) == {"busy"}
        assert running.cloud.dialects == {"C1_pending"}
        assert first.host == second.host == "0.0.0.0" and first.port != second.port
    with pytest.raises(ValueError, match="unheard_of"):
        speak(parser().parse_args(["--dialect=unheard_of"]), running.cloud, first)


@pytest.mark.real_time
async def test_demo_starts_and_stops() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.world.simulator", *PORTS),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        lines = [(await process.stdout.readline()).decode() for _ in range(7)]
        urls = {line.split()[0]: line.split()[-1] for line in lines if "http" in line}
        async with (
            aiohttp.ClientSession() as session,
            session.get(urls["control"] + "/api/state") as response,
        ):
            state = await response.json()
        names = [each["name"] for each in state["controllers"]]
        assert names == ["Home pool", "Beach house"]
        assert urls["cloud"] == state["cloud"]["url"]
    finally:
        process.send_signal(signal.SIGINT)
    _, errors = await asyncio.wait_for(process.communicate(), 10)
    assert (process.returncode, errors) == (0, b"")


def test_the_tour_names_buttons_that_exist() -> None:
    """What docs/dashboard.md tells a visitor of the demo to press is there."""
    page = (
        (ROOT / "docs/dashboard.md").read_text().partition("## A tour of the demo")[2]
    )
    pressed = re.findall(r'[Pp]ress\s+"([^"]+)"', " ".join(page.split()))
    assert len(pressed) > 2
    shown = PAGE.read_text() + " ".join(each.title for each in SITUATIONS.values())
    assert [each for each in pressed if each not in shown] == []
    assert "Simulated pools" in INVITATION.read_text()
