"""Run the whole simulated service by hand."""

import argparse
import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import signal

from zeroconf import InterfaceChoice

from . import Account, Clock, Cloud, Controller, Pool, Site, cloud_dialects
from .control import ControlPage
from .controller import DEVICE_ID
from .dialects import Dialect
from .mdns import Announcer
from .past import clock_of_the_past, live

DEFAULT_HOST = "127.0.0.1"

DESCRIPTION = """\
Run a simulated pool service: a cloud with a sign-in page, two controllers that serve
the LAN protocol and are announced over mDNS, and a page to watch them and to switch
faults on.

  account        demo@example.com, password demo
  application    client id poolctl-demo, secret poolctl-demo-secret
  controllers    "Home pool" (everything fitted) on 127.0.0.1,
                 "Beach house" (a small pool) on 127.0.0.2; with --host, both on that
                 address, the second one at the next port
  keys           the cloud gives them to who has signed in, as the real one does; they
                 are printed, too. --key sets that of "Home pool".
  control page   GET /api/state shows everything as JSON, with all names of faults and
                 dialects. POST /api/fault and /api/dialect {target, name, on},
                 where target is "cloud" or a device id; /api/situation likewise;
                 /api/action {target, name, ...}, such as
                 {"target": "AA_BB_CC_0A_0B_0C", "name": "switch", "slot": 3};
                 /api/advance {seconds}
  announcements  mDNS tells only of addresses that controllers listen on, and only there:
                 with 127.0.0.1 no other machine hears of them
"""


@dataclass(slots=True)
class Demo:
    """The running parts of the service."""

    cloud: Cloud
    control: ControlPage
    controllers: list[Controller]

    def describe(self) -> str:
        lines = [f"cloud        {self.cloud.base_url}"]
        for controller in self.controllers:
            where = f"{controller.host}:{controller.port}"
            lines.append(f"controller   {where}  {controller.name}")
            lines.append(f"             {controller.device_id}  {controller.key.hex()}")
        lines.append(f"control page {self.control.url}")
        return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.world.simulator",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--host", default=DEFAULT_HOST, help="address of the web pages and controllers")
    add("--cloud-port", type=int, default=8100)
    add("--control-port", type=int, default=8101)
    add("--lan-port", type=int, default=8080, help="of the controllers")
    speed = (
        "simulated seconds in a real one, also of time-outs: with 10, a request has to"
    )
    add(
        "--speed", type=float, default=1.0, help=f"{speed} arrive within 0.3 s, not 3 s"
    )
    add("--id", type=_device_id, help='of "Home pool": AA_BB_...')
    add("--key", type=_key, help="of it, as 32 hex digits")
    add("--firmware", help="of it, such as 2.5.46")
    for what in ("dialect", "fault"):
        meaning = f"a {what} of it or of the cloud; may be repeated"
        add(f"--{what}", action="append", default=[], metavar="NAME", help=meaning)
    past = "let the pools live through three weeks first, and write samples of it"
    add("--past", type=Path, metavar="FILE", help=past)
    state = "where to keep sign-ins between runs"
    add("--state", type=Path, metavar="FILE", help=state)
    add("--no-mdns", action="store_true", help="do not announce")
    everywhere = "announce on all networks, though only this machine may reach it"
    add("--announce-everywhere", action="store_true", help=everywhere)
    return parser


def _device_id(text: str) -> str:
    if not DEVICE_ID.fullmatch(text):
        raise argparse.ArgumentTypeError("six bytes in hex, with _ between them")
    return text


def _key(text: str) -> bytes:
    key = bytes.fromhex(text)
    if len(key) != 16:
        raise argparse.ArgumentTypeError("16 bytes in hex")
    return key


type Make = Callable[[Clock, int, Path | None], list[Controller]]
"""Makes the controllers, from the clock, the LAN port, and the file for a past."""

HOME, BEACH = "AA_BB_CC_0A_0B_0C", "AA_BB_CC_0D_0E_0F"


def pools(clock: Clock, port: int, past: Path | None = None) -> list[Controller]:
    """Make the two controllers of the demo; write samples of a past to `past`."""
    wired = {HOME: Pool.full(), BEACH: Pool.small()}
    if past is not None:
        past.write_text(json.dumps(live(wired, clock)))
    named = (
        (HOME, "6f1d2c3b4a5968778695a4b3c2d1e0f1", "Home pool"),
        (BEACH, "1f0e1d2c3b4a59687786958493a2b1c0", "Beach house"),
    )
    return [
        Controller(
            device_id=device_id,
            key=bytes.fromhex(key),
            name=name,
            pool=wired[device_id],
            clock=clock,
            host=f"127.0.0.{number}",
            port=port,
        )
        for number, (device_id, key, name) in enumerate(named, 1)
    ]


async def arrange(options: argparse.Namespace, controllers: list[Controller]) -> None:
    """Give the controllers their place, and the first one what it was given."""
    if options.host != DEFAULT_HOST:
        for number, controller in enumerate(controllers):
            port = options.lan_port and options.lan_port + number
            await controller.move(options.host, port)
    first = controllers[0]
    first.device_id, first.key = options.id or first.device_id, options.key or first.key
    first.firmware = options.firmware or first.firmware


def speak(options: argparse.Namespace, cloud: Cloud, controller: Controller) -> None:
    """Switch on the dialects and faults; raises ValueError for an unknown name."""
    for name in options.dialect:
        if name in {*Dialect}:
            controller.dialects.add(name)
        else:
            cloud_dialects.switch(cloud, name, True)
    for name in options.fault:
        (controller if name in controller.faults.known else cloud).faults.on(name)


@contextmanager
def stored(cloud: Cloud, file: Path | None) -> Generator[None]:
    """Keep the sign-ins in a file, for the next run."""
    if file is not None and file.exists():
        accounts = {account.email: account for account in cloud.accounts}
        cloud.sign_ins.load(json.loads(file.read_text()), accounts)
    yield
    if file is not None:
        file.write_text(json.dumps(cloud.sign_ins.dump()))


@asynccontextmanager
async def demo(options: argparse.Namespace, make: Make = pools) -> AsyncGenerator[Demo]:
    """Start everything, and stop it again in reverse."""
    clock = clock_of_the_past(options.speed) if options.past else Clock(options.speed)
    controllers = make(clock, options.lan_port, options.past)
    await arrange(options, controllers)
    sites = [Site("Home", "Sydney", "NSW", controllers[:1])]
    if len(controllers) > 1:
        sites.append(Site("Beach house", "Kiama", "NSW", controllers[1:]))
    cloud = Cloud(
        clock=clock,
        clients={"poolctl-demo": "poolctl-demo-secret"},
        accounts=[Account("demo@example.com", "demo", name="Demo", sites=sites)],
    )
    control = ControlPage(cloud, controllers)
    speak(options, cloud, controllers[0])
    async with AsyncExitStack() as stack:
        # Before anything answers: a sign-in that is not known yet would be refused.
        stack.enter_context(stored(cloud, options.state))
        for controller in controllers:
            await controller.start()
            stack.push_async_callback(controller.stop)
        await cloud.start(options.host, options.cloud_port)
        stack.push_async_callback(cloud.stop)
        await control.start(options.host, options.control_port)
        stack.push_async_callback(control.stop)
        if not options.no_mdns:
            everywhere = InterfaceChoice.All if options.announce_everywhere else None
            announcer = Announcer(controllers, everywhere)
            stack.push_async_callback(announcer.stop)
            await announcer.start()
        yield Demo(cloud, control, controllers)


async def main(options: argparse.Namespace, make: Make = pools) -> None:
    """Run until interrupted."""
    interrupted = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, interrupted.set)
    async with demo(options, make) as running:
        print(running.describe(), flush=True)
        print("Ctrl-C stops it.", flush=True)
        await interrupted.wait()


if __name__ == "__main__":
    asyncio.run(main(parser().parse_args()))
