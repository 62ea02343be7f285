"""The example of the client's README, run as it is printed.

The simulator and the example are processes of their own. The example imports a package
that contains nothing but the client.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
import inspect
import json
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import time
from typing import Any
from urllib.request import urlopen

import pytest
import pytest_socket

from custom_components.poolctl.client import Controller, PoolState, __all__ as names

CLIENT = Path(inspect.getfile(Controller)).parent
README = (CLIENT / "README.md").read_text()
ROOT = Path(__file__).parents[2]
KEY = "000102030405060708090a0b0c0d0e0f"
ADDRESS = f"127.7.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 1}"
"""An address of this machine that no other simulator uses, as the port is fixed."""


def example() -> str:
    """Return the first script that the README shows."""
    return blocks()[0]


def blocks() -> list[str]:
    """Return the Python that the README shows: a script, then functions and a class."""
    return re.findall(r"```python\n(.+?)```", README, re.DOTALL)


def program() -> str:
    """Return a program that runs each function and class of the README."""
    parts = "\n\n".join(blocks()[1:])
    used = sorted({*re.findall(r"\w+", parts + MAIN)} & {*names})
    return (
        "import asyncio\nfrom contextlib import suppress\n"
        "from datetime import time, timedelta\nimport os\n\n"
        "from aiohttp import ClientSession\n"
        f"from poolctl_client import {', '.join(used)}\n\n"
        f'SERVICE = os.environ["POOL_SERVICE"]\n\n\n{parts}\n\n{MAIN}'
    )


MAIN = """
async def main() -> None:
    async with ClientSession(request_class=ClosingRequest) as session:
        lan = LanClient(session, os.environ["POOL_ADDRESS"], os.environ["POOL_KEY"])
        async with Controller(lan=lan).running() as pool:
            with suppress(TimeoutError):
                await asyncio.wait_for(print_readings(pool), 0.1)
            await hold_the_waterfall(pool)
            await add_a_schedule(pool)
            await switch_on(pool)
        access = Access(session, os.environ["POOL_REFRESH_TOKEN"])
        print((await CloudClient(session, SERVICE, access).inventory()).devices[0].name)


asyncio.run(main())
"""


@contextmanager
def started(*command: str, **options: Any) -> Generator[subprocess.Popen[str]]:
    """Run Python in a process of its own."""
    with subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def simulated() -> dict[str, Any]:
    """Return the state of the waterfall."""
    with urlopen(f"http://{ADDRESS}:8101/api/state", timeout=10) as answer:
        first, _ = json.load(answer)["controllers"]
    (waterfall,) = (each for each in first["slots"] if each["name"] == "Waterfall")
    return dict(waterfall)


def until(reached: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is the case."""
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture
def simulator(socket_enabled: None) -> Generator[None]:
    pytest_socket.socket_allow_hosts(["127.0.0.1", ADDRESS])
    options = ("--host", ADDRESS, "--key", KEY, "--no-mdns")
    with started("-m", "tests.world.simulator", *options, cwd=ROOT) as process:
        assert process.stdout is not None and process.stdout.readline()
        yield


@pytest.mark.usefixtures("simulator", "heeds_interrupts")
def test_the_example_runs_as_it_is_printed(tmp_path: Path) -> None:
    (tmp_path / "poolctl_client").symlink_to(CLIENT)
    environ = {"POOL_ADDRESS": ADDRESS, "POOL_KEY": KEY, "PYTHONPATH": str(tmp_path)}
    with started("-c", example(), cwd=tmp_path, env=environ) as script:
        assert script.stdout is not None
        assert re.fullmatch(r"pH [6-8]\.\d+\n", script.stdout.readline())
        until(lambda: simulated()["on"] and simulated()["held"])
        # Somebody stops the script: what nothing would end later is undone.
        script.send_signal(signal.SIGINT)
        _, errors = script.communicate(timeout=60)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert not simulated()["on"] and not simulated()["held"]


def test_the_page_needs_only_the_names_of_the_package() -> None:
    (imported,) = re.findall(r"from poolctl_client import (.+)", example())
    constants = re.findall(r"[(\[]([A-Z]\w+)", README.partition("## Commands")[2])
    errors = re.findall(r"`(\w+Error)`", README)
    assert constants and errors
    used = {*imported.split(", "), *constants, *errors} - {"SERVICE"}
    assert used <= {*names}


def test_the_fields_commands_and_modules_of_the_page_exist() -> None:
    rows = re.findall(r"^\| (`.+?`) \| (.+?) \|", README, re.MULTILINE)
    fields = {field for field in dir(PoolState) if not field.startswith("_")}
    controller = Controller()
    assert len(rows) > 30
    for name, text in rows:
        words = re.findall(r"`([a-z_]+)`", name)
        for module in re.findall(r"`(\w+(?:/|\.py))`", name):
            assert (CLIENT / module).exists()
        if commands := re.findall(r"`(\w+)\(", text):
            part = (
                PoolState().outputs
                if words == ["outputs"]
                else getattr(controller, words[0])
            )
            assert all(callable(getattr(part, command)) for command in commands)
        elif words:
            assert {*words} <= fields
