"""The proof that a controller is at a new address (protocol.md H1, L18, L23)."""

from itertools import pairwise

import pytest

from custom_components.poolctl.client import clock as clock_module
from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.counters import Counters
from custom_components.poolctl.client.lan import LanClient
from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.client.wire.exceptions import ReplayError
from custom_components.poolctl.network.proof import Proof
from tests.client.conftest import Service, facts, service, session
from tests.world import simulator as sim
from tests.world.plain import no_spacing
from tests.world.simulator.dialects import REPLY_COUNTERS, Dialect
from tests.world.simulator.lan import Request

__all__ = ["facts", "no_spacing", "service", "session"]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> sim.Clock:
    """Give every client the time of the service."""
    clock = sim.Clock(start=sim.NOON)
    monkeypatch.setattr(clock_module, "wall_clock", clock.time)
    monkeypatch.setattr(clock_module, "steady_clock", clock.monotonic)
    return clock


@pytest.fixture
def lan(service: Service, clock: sim.Clock) -> LanClient:
    counters = Counters(clock=Clock())
    return service.lan_client(service.small, counter=counters)


def signed(service: Service) -> list[Request]:
    return [request for request in service.small.requests if request.op == "q"]


@pytest.mark.row("L18")
@pytest.mark.parametrize("dialect", [None, *sorted(REPLY_COUNTERS)])
async def test_the_controller_at_a_new_address(
    service: Service, lan: LanClient, dialect: str | None
) -> None:
    """One signed query is enough, however the controller counts its replies."""
    if dialect:
        service.small.dialects.add(dialect)
    await Proof().async_verify(lan)
    assert len(signed(service)) == 1
    assert service.small.accepted_counter <= service.clock.time()
    assert lan.counters.last <= service.clock.time()


@pytest.mark.parametrize("request_number", [1, 2, 3])
async def test_a_port_that_is_closed_for_some_seconds(
    service: Service, lan: LanClient, request_number: int
) -> None:
    """An address that answered a moment ago is retried (protocol.md 4.2 rule 9)."""
    service.small.dialects.add(Dialect.SOMETIMES_CLOSED)
    service.small.trouble_with_next(request_number)
    await Proof().async_verify(lan)


@pytest.mark.row("L23", "L24")
@pytest.mark.parametrize("refused", [1, 3])
async def test_any_query_proves_it(
    service: Service, lan: LanClient, refused: int
) -> None:
    """A firmware refuses some queries for good; another one is asked a second later."""
    names = [query.name for query in QUERIES]
    service.small.refused_queries = set(names[:refused])
    await Proof().async_verify(lan)
    assert [request.name for request in signed(service)] == names[: refused + 1]
    times = [request.at for request in signed(service)]
    assert all(later - earlier >= 0.99 for earlier, later in pairwise(times))
    assert service.small.accepted_counter <= service.clock.time()


async def test_what_proves_nothing(service: Service, lan: LanClient) -> None:
    """A firmware that refuses all, and frames older than those received."""
    service.small.refused_queries = {query.name for query in QUERIES}
    with pytest.raises(ReplayError):
        await Proof().async_verify(lan)
    service.small.refused_queries = set()
    service.small.requests.clear()
    lan.counters.frames.accept(2**31)
    with pytest.raises(ReplayError):
        await Proof().async_verify(lan)
    assert signed(service) == []
