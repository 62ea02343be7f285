"""An endpoint that is not published affects only itself, however it fails.

The endpoints come from the client's own table and the failures from the simulator's: a
new one of either is included automatically. Each endpoint has every eighth failure, and
every failure with `POOLCTL_ODD_ANSWERS` (see CONTRIBUTING).
"""

import asyncio
from collections.abc import Callable
from itertools import pairwise
import os

import pytest

from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.endpoints import (
    ENDPOINTS,
    KEY,
    READS,
    STATUSES,
    USER_INFO,
    Endpoint,
)
from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    PoolctlError,
)
from tests.client.conftest import KEY as FULL_KEY, Rig, Service, set_pump
from tests.world.simulator.cloud_dialects import CloudDialect as D

UNPUBLISHED = [each for each in ENDPOINTS.values() if not each.published]
FAILURES = [each for each in D if each.startswith(("C14", "C26"))]
EVERY = 1 if os.environ.get("POOLCTL_ODD_ANSWERS") else 8
CASES = [
    pytest.param(endpoint, failure, id=f"{endpoint.name}-{failure}")
    for place, endpoint in enumerate(UNPUBLISHED)
    for failure in FAILURES[place % EVERY :: EVERY]
]


async def failure_of(
    cloud: CloudClient, device_id: str, endpoint: Endpoint
) -> PoolctlError | None:
    """Call an endpoint the way the client does, and return what it raises."""
    try:
        if endpoint is STATUSES:
            await cloud.online(device_id)
        elif endpoint is USER_INFO:
            await cloud.user_id()
        elif endpoint is KEY:
            await cloud.envelope_key(device_id)
        elif endpoint.name in READS:
            await cloud.read(device_id, endpoint.name)
        else:
            await cloud.write(device_id, endpoint.name, {})
    except PoolctlError as err:
        return err
    return None


def answers(rig: Rig, name: str) -> list[int]:
    """Return the statuses of the answers of an endpoint."""
    return [r.status for r in rig.service.cloud.requests if r.name == name]


@pytest.mark.row("C4", "C14", "C26")
@pytest.mark.parametrize(("endpoint", "failure"), CASES)
async def test_a_failure_affects_only_itself(
    make_rig: Callable[..., Rig], endpoint: Endpoint, failure: D
) -> None:
    rig = make_rig(full=True, lan=False)
    service, device_id = rig.service, rig.pool.device_id
    client = rig.controller.paths.cloud
    assert client is not None
    await client.inventory()
    service.cloud.not_offered.clear()
    service.cloud.dialects, service.cloud.failing = {failure}, {endpoint.name}
    service.cloud.requests.clear()
    error = await failure_of(client, device_id, endpoint)
    assert not isinstance(error, AuthenticationError)
    for _ in range(4):
        await rig.polls(31)
        await asyncio.sleep(20)  # so long is one silent, which no poll waits for

    # The token stays, the others are read, and this one is asked less and less often.
    assert all(refused is None for refused in service.tokens.refused)
    dashboards = [r for r in service.cloud.requests if r.name == "dashboardInfo"]
    assert [r.status for r in dashboards] == [200] * 4
    assert all(b.at - a.at >= 30 for a, b in pairwise(dashboards))
    for name in {*READS} - {endpoint.name}:
        assert answers(rig, name) and set(answers(rig, name)) == {200}
    assert len(answers(rig, endpoint.name)) <= 3
    assert rig.controller.paths.cloud_error is None
    state = rig.controller.live.state
    assert state.readings.ph is not None
    temperature = state.readings.water_temperature
    assert (temperature is None) is (endpoint.name == "ambientTemp")

    # The account and all other endpoints work, after a wait that was asked for.
    rig.time.advance(60)
    assert len((await client.inventory()).devices) == 2
    assert await client.user_id() == (None if endpoint is USER_INFO else "user-1")
    if endpoint is not KEY:
        assert await client.envelope_key(device_id) == FULL_KEY[::-1]
    await set_pump(client, device_id, 0, True, 60)
    for other in UNPUBLISHED:
        if other is not endpoint and "Schedule" not in other.name:
            await failure_of(client, device_id, other)  # the body is empty
            assert answers(rig, other.name)[-1] == 200
    assert all(refused is None for refused in service.tokens.refused)


async def test_all_requests_are_in_the_table(away: Rig, service: Service) -> None:
    """Otherwise the tests above would miss an endpoint."""
    controller = away.controller
    for _ in range(3):
        await away.polls(31)
    await controller.pump.switch(True)
    await controller.outputs.switch(2, True)
    requested = {request.name for request in service.cloud.requests}
    assert requested - ENDPOINTS.keys() <= {"token"}


async def test_a_busy_endpoint_is_waited_out(away: Rig) -> None:
    """All observed reads wait; then the one that was busy comes last (protocol.md 7.1)."""
    away.service.cloud.rate_limited.message = "device busy: retry after 1m0s"
    away.service.cloud.faults.once("rate_limited", 1, "auxInfo")
    names = ("auxInfo", "scheduleInfo", "ambientTemp")
    for seconds in (400, 31):  # the schedules are due
        await away.polls(seconds)
        assert [answers(away, name) for name in names] == [[429], [], []]
    await away.polls(90)
    assert [answers(away, name) for name in names[:2]] == [[429, 200], [200]]
    asked = [r.name for r in away.service.cloud.requests if r.name in READS]
    assert asked.index("ambientTemp") < len(asked) - 1 - asked[::-1].index("auxInfo")


@pytest.mark.parametrize(
    ("failure", "after", "asked"),
    [
        (D.C26_OTHER, (0, 31, 31, 91, 301, 301, 3601), [1, 2, 2, 3, 3, 4, 5]),
        (D.C14_500, (0, 31, 31, 91, 301, 301, 3601), [1, 2, 2, 3, 3, 4, 5]),
        (D.C14_404, (0, 31, 3601, 43200, 43200), [1, 1, 1, 1, 2]),
    ],
)
async def test_how_often_it_is_asked_again(
    make_rig: Callable[..., Rig],
    failure: D,
    after: tuple[float, ...],
    asked: list[int],
) -> None:
    rig = make_rig(full=True, lan=False)
    rig.service.cloud.not_offered.clear()
    rig.service.cloud.dialects, rig.service.cloud.failing = {failure}, {"ambientTemp"}
    counts = []
    for seconds in after:
        await rig.polls(seconds)
        counts.append(len(answers(rig, "ambientTemp")))
    assert counts == asked


@pytest.mark.row("C15")
@pytest.mark.parametrize("dialect", [D.C15_V1, D.C15_BARE])
async def test_the_path_of_the_key(service: Service, dialect: D) -> None:
    """Each path is tried; the one that worked is tried first the next time."""
    service.cloud.dialects = {dialect}
    client = service.cloud_client()
    for controller in (service.full, service.small):
        assert await client.envelope_key(controller.device_id) == controller.key
    assert service.requests("envelope-key") == (3 if dialect is D.C15_V1 else 4)
