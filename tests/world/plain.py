"""What tests without Home Assistant replace of its harness: that takes longer than they.

A folder of such tests has a `conftest.py` that imports everything from here.
"""

import inspect

import pytest

from tests.world.loops import never_waiting

__all__ = [
    "configure_event_loop",
    "disable_http_server",
    "no_spacing",
    "pytest_asyncio_loop_factories",
    "verify_cleanup",
]

pytest_asyncio_loop_factories = never_waiting


@pytest.fixture(autouse=True)
def configure_event_loop() -> None:
    """Replace the harness's fixture: only tests that need a loop get one."""


@pytest.fixture(autouse=True)
def disable_http_server() -> None:
    """Replace the harness's fixture: no test here starts Home Assistant's server."""


@pytest.fixture
def no_spacing() -> None:
    """Replace the fixture of tests with a home: pauses are what is tested."""


@pytest.fixture(autouse=True)
def verify_cleanup(request: pytest.FixtureRequest) -> None:
    """Run the harness's check for leftovers, if installed, after tests with a loop."""
    harness = request.config.pluginmanager.has_plugin("homeassistant")
    if harness and inspect.iscoroutinefunction(request.function):
        request.getfixturevalue("verify_cleanup")
