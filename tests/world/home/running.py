"""Runs scripts/develop on free ports, in a folder that is deleted at the end."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
import signal
import socket
import sys
from tempfile import TemporaryDirectory
from typing import Final

from .errors import HomeError
from .processes import Program, keep_running
from .settings import LOOPBACK, PORTS, READY_LINE, REPOSITORY, Settings
from .waiting import until

START_TIMEOUT: Final = 150
SHOWN_OUTPUT: Final = 8000


def new_settings(folder: Path) -> Settings:
    """Return the settings of a home in a folder, on ports that are free now."""
    servers = [socket.create_server((LOOPBACK, 0)) for _ in PORTS]
    numbers = [server.getsockname()[1] for server in servers]
    for server in servers:
        server.close()
    return Settings(data=folder / "data", **dict(zip(PORTS, numbers, strict=True)))


@asynccontextmanager
async def development_home(
    *options: str,
    settings: Settings | None = None,
    command: Sequence[str] = (str(REPOSITORY / "scripts" / "develop"),),
) -> AsyncIterator[Settings]:
    """Run scripts/develop while the block runs, which starts once it is ready.

    Its output is shown when the block, or scripts/develop itself, fails. `command` runs
    it in another way.
    """
    with TemporaryDirectory(prefix="poolctl-") as folder:
        output = Path(folder) / "output.txt"
        settings = settings or new_settings(Path(folder))
        output.touch()
        _cancel_on_sigterm()
        places = f"--data={settings.data}", *settings.port_options(*PORTS)
        program = Program(
            name="scripts/develop",
            command=(*command, *options, *places),
            folder=REPOSITORY,
            output=output,
            stop_seconds=40,  # it stops two programs itself
        )
        running = asyncio.create_task(keep_running(program))
        try:
            await until(
                lambda: asyncio.to_thread(output.read_text),
                lambda text: READY_LINE in text or running.done(),
                what="scripts/develop is ready",
                seconds=START_TIMEOUT,
            )
            if running.done():
                running.result()
            yield settings
        except BaseException:
            sys.stderr.write(output.read_text()[-SHOWN_OUTPUT:])
            raise
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError, HomeError):
                await running


def _cancel_on_sigterm() -> None:
    """Let this program clean up on SIGTERM, as it does after Ctrl-C."""
    if task := asyncio.current_task():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
