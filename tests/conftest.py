"""Settings and fixtures of all tests."""

import gc

from hypothesis import settings
import ifaddr
import pytest
import pytest_socket

# Imported ahead of the test harness, whose own `custom_components` would hide ours.
import custom_components.poolctl  # noqa: F401

# Collecting garbage while tests run took a tenth of the time. The test harness collects
# before each file of tests, to get the warnings about leftovers.
gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "only tests that carry this row of docs/protocol.md: L15, or '4.2 rule 9'"
    parser.addoption("--row", action="append", default=[], help=text)


def pytest_configure(config: pytest.Config) -> None:
    line = "row(*names): the rows of docs/protocol.md that the test checks"
    config.addinivalue_line("markers", line)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out what carries none of the wanted rows."""
    if wanted := {*config.getoption("row")}:
        chosen = [
            item
            for item in items
            if any(wanted & {*mark.args} for mark in item.iter_markers("row"))
        ]
        config.hook.pytest_deselected(items=[*{*items} - {*chosen}])
        items[:] = chosen


def pytest_unconfigure() -> None:
    """Collect the leftovers of the last tests, and skip the collection at exit."""
    gc.collect()
    gc.freeze()


# Benchmarks measure speed: a slow machine must not fail a property test. Nor may chance
# fail a change that did not cause it: --hypothesis-profile=random looks for more.
settings.register_profile("poolctl", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None)
settings.load_profile("poolctl")


@pytest.fixture(autouse=True)
def enable_event_loop_debug() -> None:
    """Leave asyncio's debug mode off: it takes half the time, for unused stacks."""


# Read before any test replaces the network that Home Assistant sees.
_IPV6 = {
    str(ip.ip[0]): f"{ip.ip[0]}%{adapter.name}" if ip.ip[2] else str(ip.ip[0])
    for adapter in ifaddr.get_adapters()
    for ip in adapter.ips
    if isinstance(ip.ip, tuple) and ip.ip[0].startswith(("::1", "fe80:"))
}
"""IPv6 loopback and link-local addresses of this machine, without and with zone."""


@pytest.fixture
def own_ipv6(socket_enabled: None) -> list[str]:
    """Return this machine's IPv6 addresses, and allow connections to them."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", *_IPV6])
    return list(_IPV6.values())
