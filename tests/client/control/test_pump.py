"""The main pump: on, off, and its speed, by the LAN and by the cloud."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from custom_components.poolctl.client.facts import CloudRequest
from custom_components.poolctl.client.pool.state import Source
from custom_components.poolctl.client.wire.exceptions import InvalidCommandError
from tests.client.conftest import Rig
from tests.world.simulator.cloud_dialects import CloudDialect as D


def pump_is_on(rig: Rig) -> bool | None:
    return rig.controller.store.state.pump_on


async def test_pump_off_and_on(small: Rig) -> None:
    assert pump_is_on(small) is True
    await small.controller.pump.switch(False)
    assert [(r.name, r.payload) for r in small.asked()] == [("aux", b"\0\0\1")]
    assert small.time.slept == []
    assert [state.pump_on for state in small.published] == [False]
    assert small.controller.store.reported.pump_on is False
    small.forget()
    await small.controller.pump.switch(True)
    assert small.names() == ["cmd", "state"] and small.time.slept == [2]
    body = {"aux_switch_state": True, "aux_slot_num": 0, "pump_speed": 75}
    assert small.sent() == [("v2_manual_set", body)]
    # Shown at once, although the reply's frame still has the old state.
    assert {state.pump_on for state in small.published} == {True}
    assert pump_is_on(small) is True
    assert small.controller.store.state.readings.pump_speed == 75  # its last speed


async def test_the_pump_through_the_cloud(on_cloud: Rig) -> None:
    """protocol.md 4.1 row 7, 4.1 rule 2."""
    requests: list[CloudRequest] = []
    facts = on_cloud.service.observers.facts(on_cloud.pool.device_id)
    facts.listen(CloudRequest, requests.append)
    await on_cloud.controller.pump.switch(False)
    # The bytes are compared, because Python considers 0 and false equal.
    assert [request.body for request in requests] == [
        b'{"aux_switch_state":0,"aux_type_code":31,"pump_speed":75,"aux_slot_num":0}'
    ]
    assert on_cloud.written() == ["setPumpInfo"] and on_cloud.names() == []
    assert pump_is_on(on_cloud) is False  # shown until a read that is certainly newer
    assert on_cloud.time.slept == []
    assert not on_cloud.settled
    await on_cloud.polls(35)
    assert on_cloud.controller.store.reported.pump_on is False
    await on_cloud.controller.pump.set_speed(85)  # stopped: kept for the next start
    assert on_cloud.written() == ["setPumpInfo"]
    await on_cloud.controller.pump.switch(True)
    on_cloud.time.advance(5)
    assert on_cloud.written() == ["setPumpInfo"] * 2
    assert on_cloud.pool.pool.pump.asked == 85


async def test_the_pump_by_the_cloud_then_by_the_lan(on_cloud: Rig) -> None:
    on_cloud.pool.faults.clear()
    on_cloud.service.cloud.faults.on("refuse")
    await on_cloud.controller.pump.switch(False)
    assert on_cloud.names()[0] == "aux" and pump_is_on(on_cloud) is False
    assert on_cloud.controller.store.state.source is Source.LAN


async def test_published_endpoints_only(make_rig: Callable[..., Rig]) -> None:
    """Off, on and speed are sent by `setPumpInfo`, for the first slot (C17)."""
    rig = make_rig(lan=False)
    rig.service.cloud.dialects = {D.C17_PUBLISHED}
    await rig.controller.poller.poll()
    await rig.controller.pump.set_speed(60)
    rig.time.advance(5)
    for on in (False, True):
        await rig.controller.pump.switch(on)
        rig.time.advance(5)
    assert rig.written() == ["setPumpInfo"] * 3
    pump = rig.pool.pool.pump
    assert (pump.mode, pump.asked) == (99, 60)


async def test_pump_off_while_the_heater_cools_down(
    make_rig: Callable[..., Rig],
) -> None:
    rig = make_rig(full=True)
    rig.pool.pool.water.temperature = 20
    rig.time.advance(60)
    await rig.controller.poller.poll()
    assert rig.controller.store.state.signals.pool_heater is True
    await rig.controller.pump.switch(False)
    known = rig.controller.store.reported
    assert known.signals.pump_cooling_down is True and known.readings.pump_speed == 75
    assert rig.time.slept == []


async def test_a_pump_that_runs_on_counts_as_off(small: Rig) -> None:
    """The mode of the pump may stay unchanged until the heater has cooled down."""
    small.pool.faults.on("ignore_writes")
    small.pool.pool.pump.run_on = 120
    await small.controller.pump.switch(False)
    assert small.controller.store.reported.signals.pump_cooling_down is True
    assert small.names() == ["aux"]


async def test_a_pump_switched_off_is_not_shown_at_another_speed(small: Rig) -> None:
    small.controller.store.choose(lambda choices: replace(choices, pump_speed=55))
    await small.controller.pump.switch(False)
    speeds = [state.readings.pump_speed for state in small.published]
    assert speeds == [75, 0]


@pytest.mark.parametrize(
    ("speed", "sent"), [(40, 40), (100, 100), (62, 60), (63, 65), (98, 100)]
)
async def test_pump_speed(small: Rig, speed: int, sent: int) -> None:
    await small.controller.pump.set_speed(speed)
    assert small.pool.pool.pump.speed == sent
    assert small.controller.store.reported.readings.pump_speed == sent
    assert small.names() == ["cmd", "state"]


@pytest.mark.parametrize("speed", [39, 0, -1, 101, 255])
async def test_speeds_out_of_range(small: Rig, speed: int) -> None:
    with pytest.raises(InvalidCommandError):
        await small.controller.pump.set_speed(speed)
    assert small.asked() == []


async def test_the_speed_of_a_pump_that_stands(small: Rig) -> None:
    await small.controller.pump.switch(False)
    small.pool.requests.clear()
    await small.controller.pump.set_speed(55)
    assert small.asked() == [] and small.controller.store.choices.pump_speed == 55
    await small.polls(15)
    assert small.controller.store.choices.pump_speed == 55
    await small.controller.pump.switch(True)
    assert small.pool.pool.pump.speed == 55


@pytest.mark.parametrize("on", [True, False])
async def test_a_speed_no_person_can_choose(small: Rig, on: bool) -> None:
    small.pool.pool.schedules[0].speed = 33
    await small.polls(15)
    assert small.controller.store.state.readings.pump_speed == 33
    await small.controller.pump.switch(on)
