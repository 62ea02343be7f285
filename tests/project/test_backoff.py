"""Each wait after a failure is a row of one table, which says what the code does."""

from importlib import import_module
from itertools import islice
import pkgutil
import re

import pytest

import custom_components.poolctl as package
from custom_components.poolctl.client import backoff
from custom_components.poolctl.client.backoff import Backoff, Failures
from custom_components.poolctl.client.endpoints import Endpoint, ServiceRequest

ROW = re.compile(r"\| `([\w.]+)\.(\w+)` \| ([\d ,.…]+) \|")


def waits_of(value: object) -> Backoff | None:
    """Return the backoff that a constant is or has."""
    match value:
        case ServiceRequest():
            return value.endpoint.again
        case Endpoint():
            return value.again
    return value if isinstance(value, Backoff) else None


BACKOFFS = {
    (info.name, name): again
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    for name, value in vars(import_module(info.name)).items()
    if (again := waits_of(value)) is not None
}
"""All constants that are a backoff or have one, before a fixture shortens any."""


def test_the_table_says_how_long_to_wait() -> None:
    rows = set()
    for module, name, waits in ROW.findall(backoff.__doc__ or ""):
        found = BACKOFFS[f"{package.__name__}.{module}", name]
        rows.add(found)
        shown = [float(each) for each in re.findall(r"[\d.]+", waits)]
        used = [*islice(found, 40)]
        if "…" in waits:
            assert [*used[: len(shown) - 1], used[-1]] == shown
        else:
            rest = [] if found.most else [shown[-1]] * (len(used) - len(shown))
            assert used == shown + rest, name
    assert [key for key, again in BACKOFFS.items() if again not in rows] == []


@pytest.mark.parametrize("failures", [31, 1023, 10**6])
def test_failures_without_end(failures: int) -> None:
    """After days without an answer, it is still tried."""
    assert Backoff(60, 900).after(failures) == 900
    assert Backoff(0.5, 4, factor=3, most=4).after(failures) == float("inf")


def test_failures_of_another_kind_begin_anew() -> None:
    lost, refused = Backoff(60, 900), Backoff(900, 6 * 3600)
    twice = Failures().failed(lost, 1000).failed(lost, 1060)
    assert (twice.count, twice.retry_at) == (2, 1180)
    assert twice.failed(refused, 2000) == Failures(refused, 1, 2900)
