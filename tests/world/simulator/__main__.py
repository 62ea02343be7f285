"""Run the whole simulated service by hand."""

import argparse
import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import signal

from . import Account, Clock, Cloud, Controller, Pool, Site
from .control import ControlPage
from .mdns import Announcer
from .past import clock_of_the_past, live

DESCRIPTION = """\
Run a simulated pool service: a cloud with a sign-in page, two controllers that serve
the LAN protocol and are announced over mDNS, and a page to watch them and to switch
faults on.

  account        demo@example.com, password demo
  application    client id poolctl-demo, secret poolctl-demo-secret
  controllers    "Home pool" (everything fitted) on 127.0.0.1,
                 "Beach house" (a small pool) on 127.0.0.2
"""


@dataclass(slots=True)
class Demo:
    """The running parts of the service."""

    cloud: Cloud
    control: ControlPage
    controllers: list[Controller]

    def describe(self) -> str:
        """Return the addresses of all parts."""
        lines = [f"cloud        {self.cloud.base_url}"]
        for controller in self.controllers:
            where = f"{controller.host}:{controller.port}"
            lines.append(f"controller   {where}  {controller.name}")
        lines.append(f"control page {self.control.url}")
        return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.world.simulator",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address of the web pages")
    parser.add_argument("--cloud-port", type=int, default=8100)
    parser.add_argument("--control-port", type=int, default=8101)
    parser.add_argument("--lan-port", type=int, default=8080, help="of the controllers")
    parser.add_argument(
        "--speed", type=float, default=1.0, help="simulated seconds in a real one"
    )
    parser.add_argument(
        "--state", type=Path, metavar="FILE", help="where to keep sign-ins between runs"
    )
    parser.add_argument(
        "--past",
        type=Path,
        metavar="FILE",
        help="let the pools live through three weeks first, and write samples of it",
    )
    parser.add_argument("--no-mdns", action="store_true", help="do not announce")
    return parser


type Make = Callable[[Clock, int, Path | None], list[Controller]]
"""Makes the controllers, from the clock, the LAN port, and the file for a past."""

HOME, BEACH = "AA_BB_CC_0A_0B_0C", "AA_BB_CC_0D_0E_0F"


def pools(clock: Clock, port: int, past: Path | None = None) -> list[Controller]:
    """Make the two controllers of the demo; write samples of a past to `past`."""
    wired = {HOME: Pool.full(), BEACH: Pool.small()}
    if past is not None:
        past.write_text(json.dumps(live(wired, clock)))
    return [
        Controller(
            device_id=HOME,
            key=bytes.fromhex("6f1d2c3b4a5968778695a4b3c2d1e0f1"),
            name="Home pool",
            pool=wired[HOME],
            clock=clock,
            host="127.0.0.1",
            port=port,
        ),
        Controller(
            device_id=BEACH,
            key=bytes.fromhex("1f0e1d2c3b4a59687786958493a2b1c0"),
            name="Beach house",
            pool=wired[BEACH],
            clock=clock,
            host="127.0.0.2",
            port=port,
        ),
    ]


@contextmanager
def remembered(cloud: Cloud, file: Path | None) -> Generator[None]:
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
    sites = [Site("Home", "Sydney", "NSW", controllers[:1])]
    if len(controllers) > 1:
        sites.append(Site("Beach house", "Kiama", "NSW", controllers[1:]))
    cloud = Cloud(
        clock=clock,
        clients={"poolctl-demo": "poolctl-demo-secret"},
        accounts=[Account("demo@example.com", "demo", name="Demo", sites=sites)],
    )
    control = ControlPage(cloud, controllers)
    async with AsyncExitStack() as stack:
        for controller in controllers:
            await controller.start()
            stack.push_async_callback(controller.stop)
        await cloud.start(options.host, options.cloud_port)
        stack.push_async_callback(cloud.stop)
        await control.start(options.host, options.control_port)
        stack.push_async_callback(control.stop)
        if not options.no_mdns:
            announcer = Announcer(controllers)
            stack.push_async_callback(announcer.stop)
            await announcer.start()
        with remembered(cloud, options.state):
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
