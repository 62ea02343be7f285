"""scripts/develop: a Home Assistant with poolctl beside a simulated pool service."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
import socket
import sys
from typing import Final

from aiohttp import ClientError
from homeassistant.const import RESTART_EXIT_CODE

from .api import HomeAssistant, new_session, probe
from .errors import HomeError
from .past import add_past, until_recorded
from .processes import Program, StoppedError, keep_running, until_signal
from .provision import (
    DASHBOARD,
    START_TIMEOUT,
    add_account,
    add_dashboard,
    leave_kinds,
    live_in,
    onboard,
    prepare,
    reset,
    store_credentials,
    store_past,
    until_fitted,
    until_running,
)
from .settings import (
    CONTROLLER_HOSTS,
    HOME_USER,
    LOOPBACK,
    OAUTH_CLIENT,
    POOL_OWNER,
    PORTS,
    READY_LINE,
    REPOSITORY,
    Settings,
    option,
)
from .waiting import until

DESCRIPTION: Final = f"""\
Start a Home Assistant with this integration beside a simulated pool service with two
controllers. Nothing outside the data folder is written; Ctrl-C stops everything.

  Home Assistant   user {HOME_USER.name}, password {HOME_USER.password}
  pool service     user {POOL_OWNER.name}, password {POOL_OWNER.password}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the development home until it is stopped; return the exit code."""
    options = _parse(arguments)
    ports = {port: getattr(options, port) for port in PORTS}
    settings = Settings(data=options.data.resolve(), **ports)
    for port in PORTS:
        _check_free(port, getattr(settings, port))
    if options.reset or options.from_scratch or options.demo or options.report:
        reset(settings)
    prepare(settings, demo=options.demo)
    return asyncio.run(_run(settings, options))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    default = Settings()
    parser = argparse.ArgumentParser(
        prog="scripts/develop",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    start = parser.add_mutually_exclusive_group()
    for group, name, meaning in (
        (parser, "reset", "start over: delete the data of earlier starts"),
        (parser, "issues-at-once", "show a problem under Repairs at once, not later"),
        (start, "ready", "also sign in to the pool service: the entities are there"),
        (start, "from-scratch", "start over as a newcomer: without credentials"),
        (start, "demo", "start over with both pools, a dashboard and weeks of history"),
    ):
        group.add_argument(f"--{name}", action="store_true", help=meaning)
    start.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help="start over with the pool of a diagnostics file, which is played back",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=default.data,
        metavar="DIR",
        help=f"where to keep everything (default {default.data.name})",
    )
    for port, owner in PORTS.items():
        number = getattr(default, port)
        parser.add_argument(
            option(port),
            type=int,
            default=number,
            metavar="N",
            help=f"port of {owner} (default {number})",
        )
    return parser.parse_args(arguments)


def _check_free(port: str, number: int) -> None:
    """Exit with a clear message if a port is in use."""
    for host in CONTROLLER_HOSTS if port == "lan_port" else (LOOPBACK,):
        try:
            socket.create_server((host, number)).close()
        except (OSError, OverflowError) as error:
            raise SystemExit(
                f"Port {number} on {host} cannot be used for {PORTS[port]}: {error}\n"
                f"Stop what uses it, or choose another port with {option(port)}."
            ) from None


async def _run(settings: Settings, options: argparse.Namespace) -> int:
    """Keep everything running; the first task to end stops the others."""
    failures: tuple[Exception, ...] = ()
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(until_signal())
            tasks.create_task(keep_running(_simulator(settings, options)))
            core = _home_assistant(settings, issues_at_once=options.issues_at_once)
            tasks.create_task(keep_running(core))
            tasks.create_task(_provision(settings, options))
    except* StoppedError:
        pass
    except* (HomeError, ClientError) as group:
        failures = group.exceptions
    for failure in failures:
        _say(f"Failed: {failure}")
    _say("Everything is stopped.")
    return 1 if failures else 0


def _simulator(settings: Settings, options: argparse.Namespace) -> Program:
    report: Path | None = options.report
    module = "tests.controllers.served" if report else "tests.world.simulator"
    return Program(
        name="the simulated service",
        command=(
            *(sys.executable, "-m", module),
            *((f"--report={report.resolve()}",) if report else ()),
            *settings.port_options("cloud_port", "control_port", "lan_port"),
            # Home Assistant keeps its sign-in, so the service must keep it, too.
            f"--state={settings.data / 'service.json'}",
            # Home Assistant does not look for controllers on the loopback network.
            "--announce-everywhere",
            *((f"--past={settings.past}",) if options.demo else ()),
        ),
        folder=REPOSITORY,
    )


def _home_assistant(settings: Settings, *, issues_at_once: bool) -> Program:
    return Program(
        name="Home Assistant",
        # -P: it must not import the modules beside core.py. --skip-pip: it must not
        # install packages, which are in the environment already.
        command=(
            *(sys.executable, "-P", str(Path(__file__).with_name("core.py"))),
            *("--config", str(settings.config), "--skip-pip"),
            *(("--issues-at-once",) if issues_at_once else ()),
        ),
        folder=settings.config,
        restart_code=RESTART_EXIT_CODE,
    )


async def _provision(settings: Settings, options: argparse.Namespace) -> None:
    """Prepare both programs for the user, then print how to go on."""
    async with new_session() as session:
        await until(
            lambda: probe(session, f"{settings.control_url}/api/state"),
            lambda status: status is not None,
            what="the simulated service answers",
            seconds=START_TIMEOUT,
        )
        await onboard(session, settings)
    async with HomeAssistant.signed_in(settings.home_url) as home:
        await until_running(home)
        if not options.from_scratch:
            await store_credentials(home)
        if options.demo:
            store_past(settings)
        if options.ready or options.demo or options.report:
            await add_account(home, settings)
            await until_fitted(home)
            if options.demo or options.issues_at_once:
                # Without, the first thing that an owner sees is the question.
                await leave_kinds(home)
        if options.demo:
            await until_recorded(settings)
            await add_past(home, settings)
            # Afterwards: the past has the attributes of now.
            await live_in(home)
            await add_dashboard(home)
    _say(_invitation(settings, options))


def _invitation(settings: Settings, options: argparse.Namespace) -> str:
    if options.demo:
        steps = f"""\
The dashboard: {settings.home_url}/{DASHBOARD}   (nobody has to sign in)"""
    elif options.ready or options.report:
        steps = """\
The pools are set up: Settings > Devices & services > Pool Controller."""
    elif options.from_scratch:
        steps = f"""\
Settings > Devices & services shows both pools as discovered. Choose "Add" on one of
them. Home Assistant asks for application credentials: the client ID is
{OAUTH_CLIENT.name}, the client secret {OAUTH_CLIENT.password}. Then choose the pool,
enter the service address {settings.service_url} and sign in there."""
    else:
        steps = f"""\
Settings > Devices & services shows both pools as discovered. Choose "Add" on one of
them, enter the service address {settings.service_url} and sign in there."""
    return f"""
Home Assistant   {settings.home_url}   {HOME_USER.name} / {HOME_USER.password}
Pool service     {settings.service_url}   {POOL_OWNER.name} / {POOL_OWNER.password}
Simulated pools  {settings.control_url}

{steps}
{READY_LINE}
"""


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
