"""The service with the pool of one family."""

from collections.abc import AsyncGenerator
import time

import pytest

from tests.integration.service import FULL_ID, SMALL_ID, Service
from tests.simulator import Controller, Pool

from ..network import Network
from ..timelapse import SharedClock
from . import pool


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was found, of tests in other processes, too."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            found = dict(report.user_properties).get("fortnight")
            if report.when == "call" and found is not None:
                terminalreporter.write_line(f"\n{found}")


@pytest.fixture
async def service(lan: Network, lan_port: int) -> AsyncGenerator[Service]:
    """Run the simulated service: one account that owns the pool of the family."""
    clock = SharedClock()
    found = Service(
        clock,
        Controller(
            device_id=SMALL_ID,
            pool=Pool.small(),
            clock=clock,
            host="127.0.0.2",
            port=lan_port,
        ),
        Controller(
            device_id=FULL_ID,
            key=bytes(range(16, 32)),
            name="Home pool",
            pool=pool.pool(),
            clock=clock,
            host="127.0.0.3",
            port=lan_port,
        ),
    )
    found.account.sites = [
        site for site in found.account.sites if found.full in site.controllers
    ]
    async with found.running():
        clock.set_back(clock.time() - time.time())  # all clocks are right
        await found.small.stop()
        yield found
