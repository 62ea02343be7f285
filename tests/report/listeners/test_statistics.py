"""Statistics of both paths: polls, misses, latencies, errors and newest frames."""

from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.poolctl.client.wire.commands import encode_aux
from custom_components.poolctl.client.wire.exceptions import (
    BusyError,
    ForbiddenError,
    NotOfferedError,
    ProtocolError,
    UnconfirmedError,
    UnreachableError,
)
from custom_components.poolctl.report.statistics import (
    ControllerStatistics,
    LinkStatistics,
    Observers,
)
from tests.client.conftest import Rig, Service, set_pump
from tests.world.simulator.cloud_dialects import CloudDialect


def test_answers_and_misses(freezer: FrozenDateTimeFactory) -> None:
    link = LinkStatistics()
    assert (link.latency_average, link.last_error) == (None, None)
    for seconds in (1, 3):
        link.add(seconds, None)
    freezer.tick(10)
    for misses in (1, 2, 3):
        link.add(10, UnreachableError("silence"))
        assert (link.polls, link.misses) == (2 + misses, misses)
        assert link.misses_in_a_row == misses
    # Latencies are those of answers; the last error is kept.
    assert (link.latency_average, link.latency_worst) == pytest.approx((2, 3))
    assert link.last_error_at is not None and link.last_answer_at is not None
    assert (link.last_error_at - link.last_answer_at).total_seconds() == 10
    link.add(1, None)
    assert (link.misses, link.misses_in_a_row) == (3, 0)
    assert link.last_error is UnreachableError
    link.add(1, UnreachableError("silence"))
    assert (link.polls, link.misses, link.misses_in_a_row) == (7, 4, 1)


async def test_a_poll_of_the_lan_and_its_retry_count_once(
    rig: Rig, statistics: ControllerStatistics
) -> None:
    lan = statistics.lan
    await rig.polls(15)
    rig.pool.faults.once("garbage")
    await rig.polls(15)
    assert (lan.polls, lan.misses) == (2, 0)
    rig.pool.faults.once("garbage", 2)
    await rig.polls(15)
    assert (lan.polls, lan.misses, lan.last_error) == (3, 1, ProtocolError)
    assert statistics.cloud.polls == 0


async def test_requests_for_an_account(service: Service, observers: Observers) -> None:
    """A refusal counts as an answer: not offered, not allowed, or too busy."""
    client = service.cloud_client()
    device_id = service.small.device_id
    await client.inventory()
    service.cloud.not_offered.add("auxInfo")
    with pytest.raises(NotOfferedError):
        await client.read(device_id, "auxInfo")
    assert client.not_offered == {"auxInfo"}
    service.cloud.faults.once("rate_limited")
    with pytest.raises(BusyError):
        await client.dashboard(device_id)
    with pytest.raises(ForbiddenError):
        await client.envelope_key("AA_BB_CC_DD_EE_FF")
    service.cloud.dialects = {CloudDialect.C1_PENDING}
    with pytest.raises(UnconfirmedError):
        await set_pump(client, device_id, 0, True, 85)
    assert (observers.service.polls, observers.service.misses) == (7, 0)
    service.cloud.faults.on("refuse")
    with pytest.raises(UnreachableError):
        await client.inventory()
    assert observers.service.misses_in_a_row


async def test_the_last_frame(
    service: Service, statistics: ControllerStatistics
) -> None:
    """It is of a state or an action, never of a query, whose reply may have names."""
    lan = service.lan_client(service.small)
    for _ in range(2):
        await lan.state()
    previous = statistics.last_frame
    assert previous is not None and previous.counter == service.small.counter
    await lan.query("aux_names")
    for fault in ("bad_tag", "wrong_key", "replay"):  # what does not verify is not kept
        service.small.faults.on(fault)
        with pytest.raises(Exception, match=r"envelope"):
            await lan.state()
        service.small.faults.clear()
        assert statistics.last_frame is previous
    await lan.action("aux", encode_aux(2, True, True))
    assert statistics.last_frame is not None
    assert statistics.last_frame.counter == service.small.counter > previous.counter
    names = [slot.name.encode() for slot in service.small.pool.slots if slot.name]
    assert names
    assert not [name for name in names if name in statistics.last_frame.payload]


@pytest.mark.row("L3")
@pytest.mark.parametrize("version", [0, 1, 2, 3])
async def test_another_frame_version(
    rig: Rig,
    statistics: ControllerStatistics,
    caplog: pytest.LogCaptureFixture,
    version: int,
) -> None:
    """It is logged once, and kept for diagnostics."""
    known = version == 1
    rig.pool.dialects |= set() if known else {f"frame_version_{version}"}
    await rig.polls(15, times=2)
    assert statistics.unknown_frame_version == (None if known else version)
    assert caplog.text.count(f"state frames of version {version}") == (not known)
    assert ("version" in caplog.text) is not known


async def test_a_frame_that_does_not_decode_is_kept(
    rig: Rig, statistics: ControllerStatistics
) -> None:
    await rig.polls(15)
    before = statistics.undecoded_frame
    rig.pool.faults.once("truncated_frame", 2)
    await rig.polls(15)
    bad = statistics.undecoded_frame
    assert before is None is not bad
    await rig.polls(15)
    assert statistics.last_frame is not bad
    assert statistics.undecoded_frame is bad
