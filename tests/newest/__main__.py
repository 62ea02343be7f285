"""Compare the newest Home Assistant with the pinned one: `python -m tests.newest`."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from itertools import pairwise
import os
from pathlib import Path
import re
import sys
from tempfile import TemporaryDirectory
import time
from typing import Final

from aiohttp import ClientError

from tests.world.home.api import HomeAssistant
from tests.world.home.complaints import is_complaint
from tests.world.home.errors import HomeError
from tests.world.home.running import development_home, new_settings
from tests.world.home.settings import REPOSITORY, Settings

from .exercise import Exercise
from .picture import Picture, differences, take

PRIVATE_API: Final = "tests/newest/test_private_api.py"
PINNED: Final = REPOSITORY / ".venv" / "bin" / "python"
NEWEST: Final = REPOSITORY / ".venv-newest" / "bin" / "python"

# Seconds for all three homes and the type check.
TIMEOUT: Final = 600
# Seconds between two pictures: longer than between two polls, so that names arrive.
PAUSE: Final = 18
LOOKS: Final = 3

_TIME: Final = re.compile(r"^\d{4}-\d\d-\d\d [\d:.+]+ ", re.MULTILINE)


@dataclass(slots=True)
class Findings:
    """Everything that is wrong, as lines of text."""

    lines: list[str] = field(default_factory=list)

    def add(self, where: str, lines: list[str]) -> None:
        for line in lines:
            _say(f"FAIL  {where}: {line}")
        self.lines += lines


async def visit(
    python: Path, settings: Settings, *options: str, like: Picture | None = None
) -> Picture:
    """Start a home, take its picture, exercise it and stop it; return the picture."""
    command = (str(python), "-m", "tests.world.home")
    async with (
        development_home("--ready", *options, settings=settings, command=command),
        HomeAssistant.signed_in(settings.home_url) as home,
    ):
        picture = await _settled(home, like)
        await Exercise(home, await home.entities()).run()
    return picture


async def _settled(home: HomeAssistant, like: Picture | None) -> Picture:
    """Return the picture once it equals `like`, or without `like` once it is stable."""
    picture = await take(home)
    for _ in range(LOOKS):
        if like is not None and not differences(like, picture):
            break
        await asyncio.sleep(PAUSE)
        before, picture = picture, await take(home)
        if like is None and not differences(before, picture):
            break
    return picture


def complaints(settings: Settings) -> list[str]:
    """Return the complaints about the integration in the log, each once."""
    log = (settings.config / "home-assistant.log").read_text()
    starts = [match.start() for match in _TIME.finditer(log)] + [len(log)]
    records = [log[start:end].strip() for start, end in pairwise(starts)]
    # Without the time, which differs.
    found = (_TIME.sub("", record) for record in records if is_complaint(record))
    return list(dict.fromkeys(found))


async def code() -> list[str]:
    """Return mypy's errors and missing private API with the newest Home Assistant."""
    cache = str(REPOSITORY / ".mypy_cache" / "newest")
    mypy = (str(PINNED), "-m", "mypy", "--no-error-summary", "--cache-dir", cache)
    found = await _lines(*mypy, "--python-executable", str(NEWEST))
    # Without the test harness, which is made for the pinned version.
    plugins = ("-p", "pytest_asyncio.plugin", "-p", "pytest_socket")
    test = (str(NEWEST), "-m", "pytest", "--quiet", *plugins, PRIVATE_API)
    found += [line for line in await _lines(*test) if re.match("FAILED|ERROR", line)]
    return found


async def _lines(*command: str) -> list[str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=REPOSITORY,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return output.decode().splitlines()


async def compare(findings: Findings) -> None:
    """Visit the three homes, and add what differs."""
    with TemporaryDirectory(prefix="poolctl-newest-") as folder:
        lived_in = new_settings(Path(folder) / "pinned")
        before = await _timed("pinned", visit(PINNED, lived_in))
        findings.add("pinned", complaints(lived_in))
        fresh = new_settings(Path(folder) / "newest")
        after = await _timed("newest", visit(NEWEST, fresh, like=before))
        findings.add("newest", differences(before, after))
        findings.add("newest", complaints(fresh))
        after = await _timed("updated", visit(NEWEST, lived_in, like=before))
        findings.add("updated", differences(before, after))
        findings.add("updated", complaints(lived_in))


async def _timed[T](name: str, run: Awaitable[T]) -> T:
    start = time.monotonic()
    result = await run
    _say(f"{name}: {time.monotonic() - start:.0f} s")
    return result


async def run(findings: Findings) -> None:
    """Compare the homes, and check the code at the same time."""
    async with asyncio.timeout(TIMEOUT), asyncio.TaskGroup() as tasks:
        checked = tasks.create_task(_timed("code", code()))
        tasks.create_task(compare(findings))
    findings.add("newest", checked.result())


def main() -> int:
    """Run the comparison; return the exit code."""
    findings = Findings()
    try:
        asyncio.run(run(findings))
    except* (HomeError, ClientError) as group:
        findings.add("newest", [str(error) for error in group.exceptions])
    except* TimeoutError:
        findings.add("newest", [f"not done within {TIMEOUT} s"])
    _say(f"newest: {len(findings.lines) or 'no'} differences")
    return bool(findings.lines)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
