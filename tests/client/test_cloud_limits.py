"""CloudClient: refused tokens, and the limits of a controller (protocol.md 7, 8)."""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
import json
import time
from typing import Any

from aiohttp import ClientSession
import pytest

from custom_components.poolctl.client import cloud as cloud_module
from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.endpoints import READS, Gate, Gates
from custom_components.poolctl.client.wire.exceptions import (
    AuthenticationError,
    BusyError,
    ServiceError,
    UnreachableError,
)
from tests.client.conftest import FakeTime, RawServer, Service, set_pump
from tests.world.simulator.raw import until

OTHER_ID = "AA_BB_CC_FF_FF_FF"


def soon() -> float:
    """Return when a user's command gives up."""
    return time.monotonic() + cloud_module.QUEUE_TIMEOUT


# Tokens


@pytest.mark.row("7.1 rule 4")
async def test_a_token_refused_twice(service: Service, cloud: CloudClient) -> None:
    service.cloud.faults.on("unauthorized")
    with pytest.raises(AuthenticationError):
        await cloud.inventory()
    assert len(service.cloud.requests) == 2
    assert len(service.tokens.refused) == 2 and service.tokens.refused[0] is None


async def test_a_provider_that_fails(session: ClientSession, raw: RawServer) -> None:
    async def failing(*, refused: str | None = None) -> str:
        raise UnreachableError("the service is away")

    cloud = CloudClient(session, f"http://127.0.0.1:{raw.port}", failing)
    with pytest.raises(UnreachableError):
        await cloud.inventory()
    assert raw.connections == 0


# The limits of a controller


@pytest.mark.row("8 row 4", "8 rule 3", "C23")
async def test_one_request_at_a_time(raw_cloud: CloudClient, raw: RawServer) -> None:
    data = {"dashboard": {"actual_ph": 74}, "key_hex": "00" * 16}
    raw.say(200, json.dumps({"status": "SUCCESS", "data": data}))
    raw.delay = 0.01
    await asyncio.gather(
        set_pump(raw_cloud, OTHER_ID, 0, True, 50),
        raw_cloud.dashboard(OTHER_ID),
        raw_cloud.envelope_key(OTHER_ID),
    )
    assert (raw.connections, raw.most_open) == (3, 1)
    raw.most_open = 0
    await asyncio.gather(
        raw_cloud.dashboard(OTHER_ID),
        raw_cloud.dashboard("AA" + OTHER_ID[2:-2] + "00"),
    )
    assert raw.most_open == 2  # controllers do not wait for each other


@pytest.mark.row("8 row 5", "8 rule 3")
async def test_writes_keep_2_s_apart(
    service: Service, cloud: CloudClient, fake_time: FakeTime
) -> None:
    small, full = service.small.device_id, service.full.device_id
    await set_pump(cloud, small, 0, True, 50)
    assert fake_time.slept == []
    await set_pump(cloud, full, 0, True, 50)  # another controller
    assert fake_time.slept == []
    fake_time.advance(0.5)
    await set_pump(cloud, small, 0, True, 60)
    assert fake_time.slept == [1.5]
    fake_time.advance(2)
    await set_pump(cloud, small, 0, True, 70)
    assert fake_time.slept == [1.5]


def cool(service: Service, wait: str, *endpoints: str, times: int = 0) -> None:
    """Let the service answer that a controller cools down, some times or always."""
    text = f"device busy: cooling down, retry after {wait}"
    service.cloud.not_offered.clear()
    service.cloud.rate_limited.message = text
    if times:
        service.cloud.faults.once("rate_limited", times)
    else:
        service.cloud.faults.on("rate_limited", *endpoints)


async def busy(work: Coroutine[Any, Any, object]) -> float | None:
    with pytest.raises(BusyError) as caught:
        await work
    return caught.value.retry_after


@pytest.mark.row("3.2 row 2", "3.2 row 3", "7.1 rule 2")
@pytest.mark.parametrize(
    ("wait", "slept"), [("7s", [7, 7]), ("1m0s", [60])], ids=["seconds", "the longest"]
)
async def test_a_busy_controller_is_waited_out(
    service: Service,
    cloud: CloudClient,
    fake_time: FakeTime,
    wait: str,
    slept: list[float],
) -> None:
    cool(service, wait, times=len(slept))
    await set_pump(cloud, service.small.device_id, 0, True, 60)
    assert fake_time.slept == slept
    assert [r.status for r in service.cloud.requests] == [429] * len(slept) + [200]


@pytest.mark.row("8 row 6")
async def test_patience_has_an_end(
    service: Service, cloud: CloudClient, fake_time: FakeTime
) -> None:
    cool(service, "7s")
    assert await busy(set_pump(cloud, service.small.device_id, 0, True, 60)) == 7
    assert fake_time.slept == [7] * 9


async def test_a_longer_wait_is_an_error_at_once(
    service: Service, cloud: CloudClient, fake_time: FakeTime
) -> None:
    """The next write is, too, until the rest of the wait is short enough."""
    cool(service, "2m0s", times=1)
    for left in (120, 110):
        assert await busy(set_pump(cloud, service.small.device_id, 0, True, 60)) == left
        assert fake_time.slept == []
        fake_time.advance(10)
    fake_time.advance(40)
    await set_pump(cloud, service.small.device_id, 0, True, 60)
    assert fake_time.slept == [60] and service.requests("setPumpInfo") == 2


async def test_all_observed_reads_of_a_busy_controller_wait(
    service: Service, cloud: CloudClient, fake_time: FakeTime
) -> None:
    """A copy of the dashboard is served, and the account and others are not busy."""
    small, full = service.small.device_id, service.full.device_id
    cool(service, "1m0s", "auxInfo")
    assert await busy(cloud.read(small, "auxInfo")) == 60
    fake_time.advance(59)
    for name in READS:
        assert await busy(cloud.read(small, name)) == 1
    assert await busy(cloud.envelope_key(small)) == 1
    assert len(service.cloud.requests) == 1
    await cloud.dashboard(small)
    await cloud.inventory()
    await cloud.read(full, "ambientTemp")
    # A write waits for it, too.
    await set_pump(cloud, small, 0, True, 60)
    assert fake_time.slept == [1]
    await cloud.read(small, "ambientTemp")
    await cloud.envelope_key(small)


async def test_everything_waits_after_a_busy_dashboard(
    service: Service, session: ClientSession, fake_time: FakeTime
) -> None:
    """Requests of a user wait, and are sent then; the wait outlasts a client."""
    small = service.small.device_id
    gates: Gates = defaultdict(Gate)
    cool(service, "1m0s", "dashboardInfo")
    for left in (60, 40):
        cloud = CloudClient(
            session, service.cloud.base_url, service.tokens, gates=gates
        )
        assert await busy(cloud.dashboard(small)) == left
        fake_time.advance(20 if left == 60 else 0)
    assert await busy(cloud.envelope_key(small)) == 40
    assert len(service.cloud.requests) == 1 and fake_time.slept == []
    await cloud.read(small, "auxInfo", give_up=soon())
    assert fake_time.slept == [40]


async def test_a_busy_account_is_not_asked(
    service: Service, cloud: CloudClient, fake_time: FakeTime
) -> None:
    cool(service, "1m0s", "sites")
    assert await busy(cloud.inventory()) == 60
    assert await busy(cloud.inventory()) == 60
    assert await cloud.user_id() is None
    assert len(service.cloud.requests) == 1
    await cloud.dashboard(service.small.device_id)


@pytest.mark.row("3.2 row 1", "3.2 row 4", "8 row 7", "8 row 8")
async def test_a_real_cool_down(
    service: Service, cloud: CloudClient, fake_time: FakeTime
) -> None:
    """A write without an answer starts the simulator's cool-down; the next waits."""
    service.small.cloud_link = False
    write = asyncio.create_task(set_pump(cloud, service.small.device_id, 0, True, 60))
    await until(lambda: bool(service.cloud.pipeline(service.small).commands))
    service.clock.advance(10)
    with pytest.raises(ServiceError):
        await write
    service.small.cloud_link = True
    await set_pump(cloud, service.small.device_id, 0, True, 60)
    assert [r.status for r in service.cloud.requests] == [504, 429, 200]
