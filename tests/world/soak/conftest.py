"""Fixtures of Home Assistant and the service, both in simulated time."""

from collections.abc import AsyncGenerator, Generator
import gc
from pathlib import Path
import socket
import time
from typing import Any

from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
import pytest_socket

from custom_components.poolctl.network import addresses
from tests.world.assistant.fixtures import credentials
from tests.world.assistant.service import Service, two_controllers
from tests.world.names import Names, known_names

from .timelapse import SharedClock

__all__ = ["credentials"]


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave these tests out of a run that does not name them: they take hours."""
    named = any("soak" in argument for argument in config.args)
    return None if named else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the reports of all tests, including those in other processes."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            if text := dict(report.user_properties).get("soak"):
                terminalreporter.write_line(f"\n{text}")


@pytest.fixture(autouse=True)
def _garbage_is_collected() -> Generator[None]:
    """Collect garbage during the long runs, as Home Assistant does."""
    gc.enable()
    yield
    gc.disable()


@pytest.fixture(autouse=True)
def lan(
    enable_custom_integrations: None,
    socket_enabled: None,
    mock_zeroconf_resolver: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[Names]:
    """Let Home Assistant load the integration, and allow loopback addresses only."""
    pytest_socket.socket_allow_hosts(["127.0.0.0/8"])
    monkeypatch.setattr(addresses, "LOOPBACK", True)
    with known_names() as names:
        yield names


@pytest.fixture
def lan_port(monkeypatch: pytest.MonkeyPatch) -> int:
    """Use a free port instead of 8080, which other processes may use."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    monkeypatch.setattr(addresses, "PORT", port)
    return port


@pytest.fixture
def hass_config_dir(tmp_path: Path) -> str:
    """Give this Home Assistant a directory of its own."""
    return str(tmp_path)


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Write real files: the mock of the harness would keep all calls of a week."""
    return {}


@pytest.fixture
async def service(lan: Names, lan_port: int) -> AsyncGenerator[Service]:
    """Run the simulated service, with its clock set to the current time."""
    clock = SharedClock()
    controllers = two_controllers(clock, bytes(range(16)), bytes(range(16, 32)))
    for number, controller in enumerate(controllers, 2):
        await controller.move(f"127.0.0.{number}", lan_port)
    async with Service(clock, *controllers).running() as service:
        clock.set_back(clock.time() - time.time())
        yield service


@pytest.fixture
async def entry(
    hass: HomeAssistant, service: Service, credentials: None
) -> MockConfigEntry:
    """Add the entry of an account with its stored controllers."""
    entry = service.entry(*service.controllers)
    entry.add_to_hass(hass)
    return entry
