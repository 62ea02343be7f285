"""Commands of a user: the path that they take, and their errors."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.wire.exceptions import (
    BusyError,
    CommandFailedError,
    DeclinedError,
    InvalidCommandError,
    LanBusyError,
    NotAppliedError,
    NotSupportedError,
    PoolctlError,
    RefusedError,
    UnreachableError,
)
from tests.client.conftest import Rig

WATERFALL, GARDEN = 2, 3


# Slots


@pytest.mark.parametrize("on", [True, False])
async def test_a_slot_costs_one_request(small: Rig, on: bool) -> None:
    await small.controller.outputs.switch(WATERFALL, on)
    assert small.names() == ["aux"]
    assert small.asked()[0].payload == bytes((WATERFALL, on, 1))
    assert small.pool.pool.relays[WATERFALL] is on
    assert small.output(WATERFALL).on is on and small.output(WATERFALL).held is True
    assert small.settled
    assert len(small.published) == 1 and small.time.slept == []
    assert small.service.cloud.requests == []


async def test_a_slot_or_path_that_is_not_known(small: Rig) -> None:
    outputs, paths = small.controller.outputs, small.controller.paths
    with pytest.raises(NotSupportedError):
        await outputs.resume_schedule(None)
    with pytest.raises(InvalidCommandError):
        await outputs.switch(256, True)
    assert small.asked() == []
    paths.lan = paths.cloud = None
    for command in (
        outputs.switch(WATERFALL, True),
        small.controller.pump.switch(True),
    ):
        with pytest.raises(NotSupportedError):
            await command


# Refusals, failures, and the other path


async def test_a_refusal_of_the_cloud_is_final(on_cloud: Rig) -> None:
    on_cloud.pool.faults.clear()
    on_cloud.service.cloud.faults.on("failed")
    with pytest.raises(RefusedError):
        await on_cloud.controller.pump.switch(False)
    assert on_cloud.written() == ["setPumpInfo"] and on_cloud.names() == []


@pytest.mark.parametrize(
    ("fault", "again"),
    [("refuse", True), ("busy", True), ("reset", False), ("close_mid_body", False)],
)
async def test_then_the_other_path(small: Rig, fault: str, again: bool) -> None:
    """The LAN is tried once more, unless the request may have arrived."""
    small.pool.faults.on(fault, *(["aux"] if fault == "busy" else []))
    await small.controller.pump.switch(False)
    assert (small.time.slept[:1] == [0.5]) is again
    assert len(small.names("a")) <= 1 + again
    assert small.written() == ["setPumpInfo"]  # idempotent, so the other path is safe
    assert small.shown.pump_on is False


@pytest.mark.parametrize(
    ("fault", "then", "error"),
    [
        ("close_mid_body", None, None),
        ("refuse", None, None),
        ("close_mid_body", "decline", DeclinedError),
        ("close_mid_body", "close_mid_body", UnreachableError),
        ("refuse", "refuse", CommandFailedError),
    ],
)
async def test_a_failure_of_the_service_after_a_loss_is_no_answer(
    small: Rig,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    then: str | None,
    error: type[PoolctlError] | None,
) -> None:
    """The LAN is tried again: it may have run it, or may be able to in a moment.

    The error is the LAN's refusal, an unknown outcome, or the cloud's refusal.
    """
    small.service.cloud.faults.on("failed")
    small.pool.faults.on(fault)
    send = CloudClient.write

    async def send_and_change(*args: Any, **end: Any) -> None:
        small.pool.faults.off(fault)
        if then is not None:
            small.pool.faults.on(then)
        await send(*args, **end)

    monkeypatch.setattr(CloudClient, "write", send_and_change)
    with pytest.raises(error) if error else nullcontext() as caught:
        await small.controller.outputs.switch(WATERFALL, True)
    assert small.written() == ["manualSet"]
    if caught is None:
        assert set(small.names("a")) == {"aux"} and small.output(WATERFALL).on is True
    else:
        assert type(caught.value) is error


@pytest.mark.row("8 row 14")
@pytest.mark.parametrize("times", [1, 2])
async def test_a_busy_controller_is_asked_once_more(small: Rig, times: int) -> None:
    small.controller.paths.cloud = None
    small.pool.faults.once("busy", times, "aux")
    with pytest.raises(LanBusyError) if times == 2 else nullcontext():
        await small.controller.outputs.switch(WATERFALL, True)
    assert small.names("a") == ["aux"] * 2
    assert small.time.slept[0] == 0.5 and small.settled


async def test_the_first_error_is_raised(small: Rig) -> None:
    small.pool.faults.on("busy", "aux")
    small.service.cloud.faults.on("refuse")
    with pytest.raises(LanBusyError):
        await small.controller.pump.switch(False)
    small.controller.paths.lan = None
    small.service.cloud.faults.clear()
    small.service.cloud.rate_limited.message = "retry after 1m0s"
    small.service.cloud.faults.on("rate_limited")
    with pytest.raises(BusyError) as caught:
        await small.controller.pump.switch(False)
    assert caught.value.retry_after == 60


@pytest.mark.parametrize("why", ["revoked", "not offered", "wiring not known"])
async def test_a_cloud_that_cannot_leaves_the_lan_working(
    on_cloud: Rig, why: str
) -> None:
    on_cloud.pool.faults.clear()
    if why == "revoked":
        on_cloud.service.cloud.faults.on("revoked")
    elif why == "not offered":
        on_cloud.service.cloud.not_offered.add("manualSet")
    else:
        on_cloud.controller.live.update(lambda known: replace(known, outputs=Outputs()))
    await on_cloud.controller.outputs.switch(WATERFALL, True)
    assert on_cloud.names()[0] == "aux"


# Accepted, but nothing happens


async def test_a_value_that_never_came_is_dropped(small: Rig) -> None:
    """A value that is not confirmed is shown for 20 s at most."""
    small.pool.faults.on("ignore_writes")
    begun = small.time.now
    with pytest.raises(NotAppliedError):
        await small.controller.outputs.switch(WATERFALL, True)
    assert small.time.now - begun == 20
    assert small.names() == ["aux", *["state"] * 5]
    modes = [(state.outputs.modes or ())[WATERFALL] for state in small.published]
    assert (modes, small.settled) == ([99] * 6 + [0], True)
    # Nor is it kept when nobody can tell.
    small.controller.paths.cloud = None
    small.pool.faults.on("garbage", "state")
    with pytest.raises(UnreachableError) as caught:
        await small.controller.outputs.switch(WATERFALL, True)
    assert caught.value.ran is True and small.output(WATERFALL).on is False


async def test_what_a_script_leaves_behind(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(holds_end=False)
    async with rig.controller.running() as pool:
        outputs = pool.state.outputs
        await pool.holds.switch(outputs.slot(GARDEN), False)
        await pool.holds.hold(outputs.named("Waterfall"), True, timedelta(minutes=30))
        assert pool.state.outputs.held == (WATERFALL, GARDEN)
        with pytest.raises(NotSupportedError):
            outputs.named("Fountain")
    # Nothing would end the hold later; what was switched by hand stays.
    await rig.controller.poller.poll()
    assert rig.shown.outputs.held == (GARDEN,)


async def test_a_script_without_a_pool(small: Rig) -> None:
    small.pool.faults.on("refuse")
    small.time.advance(100)
    small.controller.paths.cloud = None
    with pytest.raises(UnreachableError):
        async with small.controller.running():
            pytest.fail("nothing was read")
    with pytest.raises(UnreachableError):
        assert small.controller.state
