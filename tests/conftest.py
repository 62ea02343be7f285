"""What every test may use."""

import gc

from hypothesis import settings
import ifaddr
import pytest
import pytest_socket

# Imported ahead of the test harness, whose own `custom_components` would hide ours.
import custom_components.poolctl  # noqa: F401

# A tenth of the time went into looking for garbage while tests run. The test harness looks for
# it ahead of each file of tests, for the warnings of what was left.
gc.disable()


def pytest_unconfigure() -> None:
    """Collect what the last tests left, too; what stays now ends with the process."""
    gc.collect()
    gc.freeze()


# Speed is measured in benchmarks; a slow machine is no failed property.
settings.register_profile("poolctl", deadline=None)
settings.load_profile("poolctl")


@pytest.fixture(autouse=True)
def enable_event_loop_debug() -> None:
    """Leave asyncio's debug mode off: it takes half the time, for stacks nobody reads."""


# Asked before a test shows Home Assistant another network.
_IPV6 = {
    str(ip.ip[0]): f"{ip.ip[0]}%{adapter.name}" if ip.ip[2] else str(ip.ip[0])
    for adapter in ifaddr.get_adapters()
    for ip in adapter.ips
    if isinstance(ip.ip, tuple) and ip.ip[0].startswith(("::1", "fe80:"))
}
"""This machine's loopback and link-local addresses: as sockets name them, and with their zone."""


@pytest.fixture
def own_ipv6(socket_enabled: None) -> list[str]:
    """Return addresses of this machine that are not of IPv4, and let tests connect to them."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", *_IPV6])
    return list(_IPV6.values())
