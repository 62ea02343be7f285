"""Commands of a user: the path that they take, and their errors."""

from contextlib import nullcontext
from dataclasses import replace
import logging
from typing import Any

import pytest

from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.equipment import Slot
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


def slot(rig: Rig, index: int, state: PoolState | None = None) -> Slot:
    """Return a slot as it is shown now, or in another state."""
    found = (state or rig.controller.store.state).outputs.slot(index)
    assert found is not None
    return found


def held(rig: Rig) -> list[int]:
    return list(rig.controller.store.state.outputs.held or ())


# Slots


@pytest.mark.parametrize("on", [True, False])
async def test_a_slot_costs_one_request(small: Rig, on: bool) -> None:
    await small.controller.outputs.switch(WATERFALL, on)
    assert small.names() == ["aux"]
    assert small.asked()[0].payload == bytes((WATERFALL, on, 1))
    assert small.pool.pool.relays[WATERFALL] is on
    assert slot(small, WATERFALL).on is on and slot(small, WATERFALL).held is True
    assert small.settled
    assert len(small.published) == 1 and small.time.slept == []
    assert small.service.cloud.requests == []


async def test_an_action_without_a_frame_is_read_back(small: Rig) -> None:
    """Meanwhile, what was asked is shown: held, or switched and not held."""
    for on, hold in ((True, True), (False, False)):
        small.forget()
        small.pool.faults.once("truncated_frame", 1, "aux")
        await small.controller.outputs.switch(WATERFALL, on, hold=hold)
        assert small.names() == ["aux", "state"] and small.time.slept == [2]
        pending = slot(small, WATERFALL, small.published[0])
        assert (pending.on, pending.held, small.settled) == (on, hold, True)


async def test_a_slot_goes_back_to_its_schedules(small: Rig) -> None:
    await small.controller.outputs.switch(WATERFALL, True)
    await small.controller.outputs.resume_schedule(WATERFALL)
    assert small.asked()[-1].payload == bytes((WATERFALL, 0, 0))
    assert slot(small, WATERFALL).held is False
    assert small.names() == ["aux", "aux"]
    await small.controller.outputs.switch(WATERFALL, True)
    await small.controller.outputs.switch(GARDEN, False)
    small.published.clear()
    small.pool.faults.once("truncated_frame", 1, "aux")
    await small.controller.outputs.resume_schedule(WATERFALL)
    # The others stay held.
    assert [state.outputs.held for state in small.published] == [(GARDEN,), (GARDEN,)]
    small.pool.faults.on("ignore_writes")
    with pytest.raises(NotAppliedError):
        await small.controller.outputs.resume_schedule(GARDEN)
    assert held(small) == [GARDEN]


async def test_one_that_went_with_another_is_left_out(
    small: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of slots released together, as spa actuators are, the second is skipped."""
    slots = (1, WATERFALL, GARDEN)
    for slot in slots:
        await small.controller.outputs.switch(slot, True)
    act, first, second, last = small.pool.act, *sorted(slots)

    def together(name: str, payload: bytes) -> None:
        act(name, payload)
        if payload == bytes((first, 0, 0)):
            act(name, bytes((second, 0, 0)))

    monkeypatch.setattr(small.pool, "act", together)
    small.forget()
    await small.controller.holds.resume_all()
    assert held(small) == []
    given_back = [bytes((slot, 0, 0)) for slot in (first, last)]
    assert [request.payload for request in small.asked("a")] == given_back


async def test_a_slot_that_stays_held_does_not_keep_others_held(small: Rig) -> None:
    await small.controller.outputs.switch(WATERFALL, True)
    await small.controller.outputs.switch(GARDEN, False)
    small.pool.faults.once("decline", 2)
    with pytest.raises(RefusedError):
        await small.controller.holds.resume_all()
    assert held(small) == [WATERFALL]


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


async def test_no_connection_once(small: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """protocol.md 4.2 rule 9."""
    small.pool.faults.on("refuse")
    sleep = small.time.sleep

    async def sleep_and_heal(seconds: float) -> None:
        small.pool.faults.off("refuse")
        await sleep(seconds)

    monkeypatch.setattr(small.time, "sleep", sleep_and_heal)
    await small.controller.outputs.switch(WATERFALL, True)
    assert small.names() == ["aux"]


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
    assert small.controller.store.state.pump_on is False


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

    async def send_and_change(*args: Any) -> None:
        small.pool.faults.off(fault)
        if then is not None:
            small.pool.faults.on(then)
        await send(*args)

    monkeypatch.setattr(CloudClient, "write", send_and_change)
    with pytest.raises(error) if error else nullcontext() as caught:
        await small.controller.outputs.switch(WATERFALL, True)
    assert small.written() == ["manualSet"]
    if caught is None:
        assert set(small.names("a")) == {"aux"} and slot(small, WATERFALL).on is True
    else:
        assert type(caught.value) is error


@pytest.mark.parametrize("times", [1, 2])
async def test_a_busy_controller_is_asked_once_more(small: Rig, times: int) -> None:
    """protocol.md 8 row 14."""
    small.controller.paths.cloud = None
    small.pool.faults.once("busy", times, "aux")
    with pytest.raises(LanBusyError) if times == 2 else nullcontext():
        await small.controller.outputs.switch(WATERFALL, True)
    assert small.names("a") == ["aux"] * 2
    assert small.time.slept[0] == 0.5


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


async def test_a_command_by_the_lan_makes_it_the_source(on_cloud: Rig) -> None:
    on_cloud.pool.faults.clear()
    on_cloud.controller.paths.cloud = None
    await on_cloud.controller.outputs.switch(WATERFALL, True)
    assert on_cloud.controller.store.state.source is Source.LAN
    assert slot(on_cloud, WATERFALL).on is True


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
        on_cloud.controller.store.update(
            lambda known: replace(known, outputs=Outputs())
        )
    await on_cloud.controller.outputs.switch(WATERFALL, True)
    assert on_cloud.names()[0] == "aux"


async def test_a_command_by_the_cloud_between_two_by_the_lan(small: Rig) -> None:
    """Cloud and LAN share one counter: a value used by the cloud is not used again."""
    await small.controller.outputs.switch(WATERFALL, True)
    small.pool.faults.on("refuse")
    await small.polls(15)
    await small.polls(15)
    await small.controller.pump.switch(False)
    small.pool.faults.clear()
    await small.polls(30)
    await small.controller.outputs.switch(WATERFALL, False)
    assert [request.ok for request in small.asked("a")] == [True, True]


# Accepted, but nothing happens


async def test_a_value_that_never_came_is_dropped(small: Rig) -> None:
    """A value that is not confirmed is shown for 20 s at most."""
    small.pool.faults.on("ignore_writes")
    begun, before = small.time.now, small.controller.store.state
    with pytest.raises(NotAppliedError):
        await small.controller.outputs.switch(WATERFALL, True)
    assert small.time.now - begun == 20
    assert small.names() == ["aux", *["state"] * 5]
    assert slot(small, WATERFALL, small.published[0]).on is True
    shown = small.controller.store.state
    assert slot(small, WATERFALL).on is False
    assert before.outputs.modes == shown.outputs.modes
    assert small.published[-1] == shown and small.settled
    # Nor is it kept when nobody can tell.
    small.controller.paths.cloud = None
    small.pool.faults.on("garbage", "state")
    with pytest.raises(NotAppliedError):
        await small.controller.outputs.switch(WATERFALL, True)
    assert slot(small, WATERFALL).on is False


async def test_a_cloud_write_that_is_never_seen(
    on_cloud: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    """Only a later poll disproves a cloud write: the cloud's copy may be 30 s old."""
    on_cloud.pool.faults.on("ignore_writes")
    await on_cloud.controller.pump.switch(False)
    assert on_cloud.time.slept == []
    shown = [on_cloud.controller.store.state.pump_on]
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            await on_cloud.polls(30)
            shown.append(on_cloud.controller.store.state.pump_on)
    assert shown == [False, False, True]
    assert "never took effect" in caplog.text
