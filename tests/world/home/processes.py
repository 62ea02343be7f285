"""Child processes that never outlive the program that started them."""

import asyncio
from contextlib import ExitStack, suppress
from dataclasses import dataclass
import os
from pathlib import Path
import signal
from typing import NoReturn

from .errors import ChildEndedError


class StoppedError(Exception):
    """A signal asked this program to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A program to keep running."""

    name: str
    command: tuple[str, ...]
    folder: Path
    output: Path | None = None
    """File for the output of the program; None for the terminal."""
    restart_code: int | None = None
    """The exit code with which the program asks to be started again."""
    stop_seconds: float = 20.0
    """Seconds to stop in: Home Assistant first saves its states and its database."""


async def keep_running(program: Program) -> NoReturn:
    """Run a program until this task is cancelled, then stop it.

    Raises ChildEndedError when the program ends by itself.
    """
    while True:
        process = await _start(program)
        try:
            code = await process.wait()
        finally:
            await _stop(process, program.stop_seconds)
        if code != program.restart_code:
            raise ChildEndedError(f"{program.name} ended with exit code {code}")


async def until_signal() -> NoReturn:
    """Wait for a signal such as Ctrl-C, then raise StoppedError."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
            continue  # started with nohup
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    raise StoppedError


async def _start(program: Program) -> asyncio.subprocess.Process:
    """Start a child in a session of its own.

    Ctrl-C in the terminal reaches only this program, which then stops its children.
    """
    with ExitStack() as files:
        path = program.output
        output = files.enter_context(path.open("ab")) if path else None
        return await asyncio.create_subprocess_exec(
            *program.command,
            cwd=program.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


async def _stop(process: asyncio.subprocess.Process, seconds: float) -> None:
    """End a child and everything it started."""
    with suppress(ProcessLookupError):
        if process.returncode is None:
            process.terminate()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await process.wait()
        # What is left of its session: the child itself if it hangs, and its children.
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
