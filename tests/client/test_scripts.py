"""Scripts that a person wrote from the client's page, each in a process of its own.

They need the wheel: `scripts/client` runs them, and checks their types with mypy and
Pyright.
"""

from collections.abc import Callable, Generator
from importlib.util import find_spec
import json
from pathlib import Path
import re
import signal
from typing import Any
from urllib.request import Request, urlopen

import pytest
import pytest_socket

from tests.client.test_readme import ADDRESS, KEY, ROOT, program, started

pytestmark = pytest.mark.skipif(
    find_spec("poolctl_client") is None, reason="scripts/client installs the wheel"
)
SCRIPTS = Path(__file__).parent / "scripts"
HOME, BEACH_KEY = "AA_BB_CC_0A_0B_0C", "1f0e1d2c3b4a59687786958493a2b1c0"
ENVIRON = {
    "POOL_ADDRESS": ADDRESS,
    "POOL_KEY": KEY,
    "POOL_ADDRESSES": f"{ADDRESS}:8080 {ADDRESS}:8081",
    "POOL_KEYS": f"{KEY} {BEACH_KEY}",
    "POOL_SERVICE": f"http://{ADDRESS}:8100",
    "POOL_REFRESH_TOKEN": "refresh-token-of-the-owner",
    "POOL_CLIENT": "poolctl-demo",
    "POOL_SECRET": "poolctl-demo-secret",
}

type Run = Callable[..., tuple[str, str]]


@pytest.fixture
def simulator(socket_enabled: None, tmp_path: Path) -> Generator[None]:
    pytest_socket.socket_allow_hosts(["127.0.0.1", ADDRESS])
    sign_ins = tmp_path / "sign_ins.json"
    token = {ENVIRON["POOL_REFRESH_TOKEN"]: ["demo@example.com", "poolctl-demo", 9999]}
    sign_ins.write_text(json.dumps({"refresh": token}))
    options = ("--host", ADDRESS, "--key", KEY, "--no-mdns", "--state", str(sign_ins))
    with started("-m", "tests.world.simulator", *options, cwd=ROOT) as process:
        assert process.stdout is not None and process.stdout.readline()
        yield


@pytest.fixture
def run(simulator: None, heeds_interrupts: None, tmp_path: Path) -> Run:
    """Return a function that runs a script, and returns what it printed."""

    def run(
        name: str, *options: str, interrupt_after: str | None = None, **environ: str
    ) -> tuple[str, str]:
        env = ENVIRON | environ
        command = (str(SCRIPTS / f"{name}.py"), *options)
        if name == "page":
            command = ("-c", program())
        with started(*command, cwd=tmp_path, env=env) as script:
            assert script.stdout is not None
            if interrupt_after is not None:
                assert script.stdout.readline().strip() == interrupt_after
                script.send_signal(signal.SIGINT)
            return script.communicate(timeout=90)

    return run


def slots(controller: int = 0) -> dict[str, dict[str, Any]]:
    """Return the outputs of a simulated controller by their names."""
    with urlopen(f"http://{ADDRESS}:8101/api/state", timeout=10) as answer:
        found = json.load(answer)["controllers"][controller]
    return {each["name"]: each for each in found["slots"]}


def switch_fault(name: str, on: bool) -> None:
    data = json.dumps({"target": HOME, "name": name, "on": on}).encode()
    urlopen(Request(f"http://{ADDRESS}:8101/api/fault", data), timeout=10).close()


def test_the_functions_of_the_page(run: Run) -> None:
    shown, errors = run("page")
    assert re.match(r"[\d.]+ L/min [\d.]+ W\nuntil 20.+\noff\n", shown), errors
    assert re.search(r"\n\d+ Night 02:00:00 04:00:00\n", shown)
    assert shown.endswith("Home pool\n")
    assert slots()["Waterfall"]["on"]


def test_reading(run: Run) -> None:
    shown, errors = run("reading", "0.1", "3")
    assert re.fullmatch(r"(pH [67]\.\d \d\d\.\d °C\n){3}", shown), errors


def test_holding(run: Run) -> None:
    shown, errors = run("holding", "Waterfall", "3")
    first, *until_then, last = shown.splitlines()
    assert (first, last) == ("Waterfall on", "Waterfall off"), errors
    assert until_then and all(line.startswith("until 20") for line in until_then)
    assert not slots()["Waterfall"]["on"] and not slots()["Waterfall"]["held"]


def test_planning(run: Run) -> None:
    shown, errors = run("planning")
    assert "made Night 02:00:00 04:00:00 (5, 6)\nmoved Night 02:30:00" in shown, errors
    assert "Night" not in shown.splitlines()[-1]


def test_command_line(run: Run) -> None:
    shown, _ = run("command_line", "status")
    assert re.search(r"^\d+ Waterfall off$", shown, re.MULTILINE)
    assert run("command_line", "on", "Waterfall") == ("", "")
    assert slots()["Waterfall"]["on"]
    assert run("command_line", "back", "Waterfall") == ("", "")
    assert not slots()["Waterfall"]["on"]
    _, errors = run("command_line", "on", "Waterfal")
    assert errors == (
        "NotSupportedError: no output has the name Waterfal (it did not run)\n"
    )


def test_failures(run: Run, subtests: pytest.Subtests) -> None:
    cases: tuple[tuple[dict[str, str], str | None, str], ...] = (
        ({}, "decline", "refused: "),
        ({}, None, "it works\n"),
        ({"POOL_KEY": "00" * 8}, None, "mistake: an envelope key has 16 bytes"),
        ({"POOL_KEY": KEY[:-1]}, None, "mistake: an envelope key has 16 bytes"),
        ({"POOL_ADDRESS": "my pool"}, None, "mistake: an address is a host name"),
        ({"POOL_KEY": "00" * 16}, None, "not understood: SignatureError"),
        ({"POOL_ADDRESS": f"{ADDRESS}:9"}, None, "try again: no connection"),
        ({}, "html", "not understood: ProtocolError"),
        ({}, "truncated_frame", "not understood: "),
    )
    for environ, fault, shown in cases:
        with subtests.test(shown, fault=fault):
            if fault:
                switch_fault(fault, True)
            found, errors = run("failures", **environ)
            if fault:
                switch_fault(fault, False)
            assert found.startswith(shown), errors
            assert not errors


def test_through_the_cloud(run: Run) -> None:
    shown, errors = run("through_the_cloud")
    assert "a key of 16 bytes\n" in shown, errors
    assert re.search(r"pH [67]\.\d cloud\npump (off|cooling_down)\n$", shown), errors


def test_two_controllers(run: Run) -> None:
    shown, errors = run("two_controllers")
    refused = "refused: This output belongs to another controller."
    assert [refused, "True", "True"] == shown.splitlines()[1:], errors


def test_cancelled(run: Run) -> None:
    """Ctrl+C, or a timeout of the script's own: what has an end is undone."""
    _, errors = run("cancelled", interrupt_after="held")
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert not slots()["Waterfall"]["on"] and not slots()["Waterfall"]["held"]
    _, errors = run("cancelled", POOL_PATIENCE="0.5")
    assert "TimeoutError" in errors
    assert not slots()["Waterfall"]["held"]
