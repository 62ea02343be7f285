"""The service with the pool of one family."""

from collections.abc import AsyncGenerator

import pytest

from tests.world.assistant.service import Service
from tests.world.names import Names
from tests.world.simulator import Pool

from ..service import running, service_of
from . import pool


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the reports of all tests, including those in other processes."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            found = dict(report.user_properties).get("fortnight")
            if report.when == "call" and found is not None:
                terminalreporter.write_line(f"\n{found}")


@pytest.fixture
async def service(lan: Names, lan_port: int) -> AsyncGenerator[Service]:
    """Run the simulated service: one account that owns the pool of the family."""
    small, full = ("Not theirs", Pool.small()), ("Home pool", pool.pool())
    found = service_of(small, full, lan_port)
    found.account.sites = [
        site for site in found.account.sites if found.full in site.controllers
    ]
    async with running(found):
        await found.small.stop()
        yield found
