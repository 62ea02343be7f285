"""The main pump: on, off, and its speed, by the LAN and by the cloud."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from custom_components.poolctl.client.endpoints import ENDPOINTS
from custom_components.poolctl.client.facts import CloudRequest
from custom_components.poolctl.client.pool.state import Source
from custom_components.poolctl.client.wire.exceptions import InvalidCommandError
from tests.client.conftest import Rig
from tests.world.simulator.cloud_dialects import CloudDialect as D


async def test_the_pump_by_the_lan(small: Rig) -> None:
    pump = small.controller.pump
    assert small.shown.pump_on is True
    await pump.switch(False)
    assert [(r.name, r.payload) for r in small.asked()] == [("aux", b"\0\0\1")]
    assert small.time.slept == []
    assert [state.pump_on for state in small.published] == [False]
    assert small.reported.pump_on is False
    small.forget()
    await pump.switch(True)
    assert (small.names(), small.time.slept) == (["cmd", "state"], [2])
    body = {"aux_switch_state": True, "aux_slot_num": 0, "pump_speed": 75}
    assert small.sent() == [("v2_manual_set", body)]
    # Shown at once, although the reply's frame still has the old state.
    assert {state.pump_on for state in small.published} == {True}
    assert small.shown.readings.pump_speed == 75  # its last speed
    await small.polls(60)  # primed
    for speed in (40, 65, 100):
        small.forget()
        await small.controller.holds.set_speed(speed)
        assert small.pool.pool.pump.speed == speed
        assert small.reported.readings.pump_speed == speed
        assert small.names() == ["cmd", "state"]
    small.forget()
    for speed in (39, 0, -1, 101, 255, 62):
        with pytest.raises(InvalidCommandError, match="40 to 100 % in steps of 5"):
            await small.controller.holds.set_speed(speed)
    # Switched off, it is not shown at the speed that was chosen for its next start.
    small.controller.live.choose(lambda choices: replace(choices, pump_speed=55))
    await pump.switch(False)
    assert [state.readings.pump_speed for state in small.published] == [100, 0]
    await small.polls(15)
    small.forget()
    await small.controller.holds.set_speed(60)
    assert small.asked() == []
    await small.polls(15)
    assert small.controller.live.choices.pump_speed == 60
    await pump.switch(True)
    assert small.pool.pool.pump.speed == 60


@pytest.mark.row("4.1 row 7", "4.1 rule 2")
async def test_the_pump_through_the_cloud(on_cloud: Rig) -> None:
    requests: list[CloudRequest] = []
    facts = on_cloud.service.facts(on_cloud.pool.device_id)
    facts.listen(CloudRequest, requests.append)
    pump = on_cloud.controller.pump
    await pump.switch(False)
    # The bytes are compared, because Python considers 0 and false equal.
    assert [request.body for request in requests] == [
        b'{"aux_switch_state":0,"aux_type_code":31,"pump_speed":75,"aux_slot_num":0}'
    ]
    assert on_cloud.written() == ["setPumpInfo"] and on_cloud.names() == []
    # Shown until a read that is certainly newer.
    assert (on_cloud.shown.pump_on, on_cloud.settled) == (False, False)
    assert on_cloud.time.slept == []
    await on_cloud.polls(35)
    assert on_cloud.reported.pump_on is False
    await on_cloud.controller.holds.set_speed(85)  # stopped: kept for the next start
    assert on_cloud.written() == ["setPumpInfo"]
    await pump.switch(True)
    on_cloud.time.advance(5)
    assert on_cloud.written() == ["setPumpInfo"] * 2
    assert on_cloud.pool.pool.pump.asked == 85
    # Then by the LAN.
    on_cloud.pool.faults.clear()
    on_cloud.service.cloud.faults.on("refuse")
    await pump.switch(False)
    assert on_cloud.names()[0] == "aux" and on_cloud.shown.pump_on is False
    assert on_cloud.shown.source is Source.LAN


@pytest.mark.row("C17", "C26")
@pytest.mark.parametrize(
    "failure", [D.C17_PUBLISHED, D.C14_401, D.C14_429, D.C14_SILENT, D.C26_OTHER]
)
async def test_published_endpoints_only(
    make_rig: Callable[..., Rig], failure: D
) -> None:
    """Off, on and speed are sent by `setPumpInfo`, for the first slot (C14, C17, C26)."""
    rig = make_rig(lan=False)
    rig.service.cloud.dialects = {failure}
    rig.service.cloud.failing = {n for n, e in ENDPOINTS.items() if not e.published}
    await rig.polls()
    await asyncio.sleep(120)  # each is silent for 20 s, or busy for 60 s
    rig.time.advance(60)
    await rig.controller.holds.set_speed(60)
    for on in (False, True):
        rig.time.advance(5)
        await rig.controller.pump.switch(on)
    rig.time.advance(5)
    assert rig.written() == ["setPumpInfo"] * 3
    pump = rig.pool.pool.pump
    assert (pump.mode, pump.asked) == (99, 60)


async def test_a_pump_that_runs_on_counts_as_off(small: Rig) -> None:
    """The mode of the pump may stay unchanged until the heater has cooled down."""
    small.pool.faults.on("ignore_writes")
    small.pool.pool.pump.run_on = 120
    await small.controller.pump.switch(False)
    assert small.reported.signals.pump_cooling_down is True
    assert small.names() == ["aux"]


@pytest.mark.parametrize("on", [True, False])
async def test_a_speed_no_person_can_choose(small: Rig, on: bool) -> None:
    small.pool.pool.schedules[0].speed = 33
    await small.polls(15)
    assert small.shown.readings.pump_speed == 33
    await small.controller.pump.switch(on)
    assert small.shown.pump_on is on
