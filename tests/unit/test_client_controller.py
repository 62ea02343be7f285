"""What a person commands, and which way it goes (design.md 4)."""

from collections.abc import Callable
import logging

import pytest

from custom_components.poolctl.client.equipment import Slot
from custom_components.poolctl.client.exceptions import (
    BusyError,
    InvalidCommandError,
    LanBusyError,
    NotAppliedError,
    NotSupportedError,
    RefusedError,
)
from custom_components.poolctl.client.frame import Configuration
from custom_components.poolctl.client.pool.state import Source
from tests.simulator import wire

from .conftest import Rig

WATERFALL, GARDEN = 2, 3


@pytest.fixture
async def pool(rig: Rig) -> Rig:
    """Read the small pool once, over the LAN."""
    await rig.controller.poller.poll()
    rig.pool.requests.clear()
    rig.published.clear()
    return rig


@pytest.fixture
async def away(pool: Rig) -> Rig:
    """Lose the LAN: the cloud is the source now."""
    pool.pool.faults.on("refuse")
    await pool.polls(15)
    await pool.polls(15)
    assert pool.controller.store.state.source is Source.CLOUD
    pool.service.cloud.forget_on_write = True
    pool.service.cloud.requests.clear()
    pool.published.clear()
    pool.time.slept.clear()
    return pool


def slot(rig: Rig, index: int) -> Slot:
    found = rig.controller.store.state.outputs.slot(index)
    assert found is not None
    return found


def held(rig: Rig) -> list[int]:
    return list(rig.controller.store.state.outputs.held or ())


def done(rig: Rig) -> list[str]:
    """Name what went over the LAN, in order."""
    return [request.name or request.op for request in rig.asked()]


def writes(rig: Rig) -> list[str]:
    """Name the commands that went through the cloud."""
    return [r.name for r in rig.service.cloud.requests if r.method == "POST"]


def pump_is_on(rig: Rig) -> bool | None:
    return rig.controller.store.state.pump_on


# Slots


@pytest.mark.parametrize("on", [True, False])
async def test_a_slot_costs_one_request(pool: Rig, on: bool) -> None:
    await pool.controller.outputs.switch(WATERFALL, on)
    assert done(pool) == ["aux"]
    assert pool.asked()[0].payload == bytes((WATERFALL, on, 1))
    assert pool.pool.pool.relays[WATERFALL] is on
    assert slot(pool, WATERFALL).on is on and slot(pool, WATERFALL).held is True
    assert (
        pool.controller.store.known == pool.controller.store.state
    )  # confirmed, not pending
    assert len(pool.published) == 1 and pool.time.slept == []
    assert pool.service.cloud.requests == []


async def test_a_person_wins_against_a_schedule(pool: Rig) -> None:
    await pool.controller.outputs.switch(WATERFALL, True)
    for _ in range(4):
        await pool.polls(15)
        assert slot(pool, WATERFALL).on is True


async def test_an_action_without_a_frame_is_read_back(pool: Rig) -> None:
    pool.pool.faults.once("truncated_frame", 1, "aux")
    await pool.controller.outputs.switch(WATERFALL, True)
    assert done(pool) == ["aux", "state"] and pool.time.slept == [2]
    assert pool.published[0].slot(WATERFALL).on is True  # shown while it is pending
    assert pool.controller.store.known == pool.controller.store.state


async def test_a_slot_goes_back_to_its_schedules(pool: Rig) -> None:
    await pool.controller.outputs.switch(WATERFALL, True)
    await pool.controller.outputs.resume_schedule(WATERFALL)
    assert pool.asked()[-1].payload == bytes((WATERFALL, 0, 0))
    assert slot(pool, WATERFALL).held is False
    assert done(pool) == ["aux", "aux"]


async def test_a_slot_is_shown_as_given_back_until_that_is_read(pool: Rig) -> None:
    await pool.controller.outputs.switch(WATERFALL, True)
    pool.published.clear()
    pool.pool.faults.once("truncated_frame", 1, "aux")
    await pool.controller.outputs.resume_schedule(WATERFALL)
    assert [state.outputs.held for state in pool.published] == [(), ()]
    assert pool.controller.store.known == pool.controller.store.state
    assert slot(pool, WATERFALL).on is False


async def test_all_slots_go_back(pool: Rig) -> None:
    await pool.controller.outputs.switch(WATERFALL, True)
    await pool.controller.outputs.switch(GARDEN, False)
    assert held(pool) == [WATERFALL, GARDEN]
    await pool.controller.outputs.resume_schedules()
    assert held(pool) == []
    assert done(pool) == ["aux"] * 4


async def test_a_slot_that_is_not_known(pool: Rig) -> None:
    with pytest.raises(NotSupportedError):
        await pool.controller.outputs.resume_schedule(None)
    with pytest.raises(InvalidCommandError):
        await pool.controller.outputs.switch(256, True)
    assert pool.asked() == []


# Refusals, failures, and the other path


@pytest.mark.parametrize("command", ["slot", "pump", "speed"])
async def test_a_refusal_is_final(pool: Rig, command: str) -> None:
    """interface.md 4.2 rule 2."""
    calls = {
        "slot": lambda: pool.controller.outputs.switch(WATERFALL, True),
        "pump": lambda: pool.controller.pump.switch(False),
        "speed": lambda: pool.controller.pump.set_speed(60),
    }
    pool.pool.faults.on("decline")
    before = pool.controller.store.state
    with pytest.raises(RefusedError):
        await calls[command]()
    # Once more, for no query was answered that would tell whether it is the counter.
    assert [request.op for request in pool.asked()] == ["a", "a"]
    assert pool.service.cloud.requests == []
    assert pool.controller.store.state == before  # nothing is pending


async def test_a_refusal_of_the_cloud_is_final(away: Rig) -> None:
    away.pool.faults.clear()
    away.service.cloud.faults.on("failed")
    with pytest.raises(RefusedError):
        await away.controller.pump.switch(False)
    assert writes(away) == ["setPumpInfo"] and done(away) == []


async def test_no_connection_then_the_other_path(pool: Rig) -> None:
    pool.pool.faults.on("refuse")
    await pool.controller.pump.switch(False)
    assert writes(pool) == ["setPumpInfo"]
    assert pool.time.slept[0] == 0.5  # between the two attempts on the LAN
    assert pump_is_on(pool) is False


async def test_no_connection_once(pool: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """interface.md 4.2 rule 9."""
    pool.pool.faults.on("refuse")
    sleep = pool.time.sleep

    async def sleep_and_heal(seconds: float) -> None:
        pool.pool.faults.off("refuse")
        await sleep(seconds)

    monkeypatch.setattr(pool.time, "sleep", sleep_and_heal)
    await pool.controller.outputs.switch(WATERFALL, True)
    assert done(pool) == ["aux"]


@pytest.mark.parametrize("fault", ["reset", "close_mid_body"])
async def test_a_request_that_may_have_arrived_is_not_sent_again(
    pool: Rig, fault: str
) -> None:
    pool.pool.faults.on(fault)
    await pool.controller.pump.switch(False)
    assert pool.time.slept.count(0.5) == 0
    assert done(pool).count("cmd") <= 1
    assert writes(pool) == ["setPumpInfo"]  # idempotent, so the other path is safe


@pytest.mark.parametrize(("times", "attempts"), [(1, 2), (2, 2)])
async def test_a_busy_controller_is_asked_once_more(
    pool: Rig, times: int, attempts: int
) -> None:
    """interface.md 8 row 14."""
    pool.controller.paths.cloud = None
    pool.pool.faults.once("busy", times, "aux")
    if times == 1:
        await pool.controller.outputs.switch(WATERFALL, True)
    else:
        with pytest.raises(LanBusyError):
            await pool.controller.outputs.switch(WATERFALL, True)
    assert pool.names("a") == ["aux"] * attempts
    assert pool.time.slept[0] == 0.5


async def test_busy_then_the_other_path(pool: Rig) -> None:
    pool.pool.faults.on("busy", "cmd")
    await pool.controller.pump.switch(False)
    assert writes(pool) == ["setPumpInfo"]


async def test_the_first_error_is_told(pool: Rig) -> None:
    pool.pool.faults.on("busy", "cmd")
    pool.service.cloud.faults.on("refuse")
    with pytest.raises(LanBusyError):
        await pool.controller.pump.switch(False)
    pool.controller.paths.lan = None
    pool.service.cloud.faults.clear()
    pool.service.cloud.rate_limited.message = "retry after 1m0s"
    pool.service.cloud.faults.on("rate_limited")
    with pytest.raises(BusyError) as caught:
        await pool.controller.pump.switch(False)
    assert caught.value.retry_after == 60


async def test_no_path_at_all(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(lan=False, cloud=False)
    with pytest.raises(NotSupportedError):
        await rig.controller.outputs.switch(WATERFALL, True)
    with pytest.raises(NotSupportedError):
        await rig.controller.pump.switch(True)


async def test_a_command_by_the_lan_makes_it_the_source(away: Rig) -> None:
    away.pool.faults.clear()
    away.controller.paths.cloud = None
    await away.controller.outputs.switch(WATERFALL, True)
    assert away.controller.store.state.source is Source.LAN
    assert slot(away, WATERFALL).on is True


@pytest.mark.parametrize("why", ["revoked", "not offered", "wiring not known"])
async def test_a_cloud_that_cannot_leaves_the_lan_working(away: Rig, why: str) -> None:
    away.pool.faults.clear()
    if why == "revoked":
        away.service.cloud.faults.on("revoked")
    elif why == "not offered":
        away.service.cloud.not_offered.add("manualSet")
    else:
        away.controller.update(configuration=Configuration())
    await away.controller.outputs.switch(WATERFALL, True)
    assert done(away)[0] == "aux"


# Accepted, but nothing happens


@pytest.mark.parametrize("command", ["slot", "pump", "speed"])
async def test_accepted_but_never_done(pool: Rig, command: str) -> None:
    calls = {
        "slot": lambda: pool.controller.outputs.switch(WATERFALL, True),
        "pump": lambda: pool.controller.pump.switch(False),
        "speed": lambda: pool.controller.pump.set_speed(60),
    }
    pool.pool.faults.on("ignore_writes")
    before = pool.controller.store.state
    with pytest.raises(NotAppliedError):
        await calls[command]()
    assert pool.controller.store.state.outputs.modes == before.aux_modes
    assert pool.controller.store.state.readings.pump_speed == before.readings.pump_speed


async def test_a_value_that_never_came_is_dropped(pool: Rig) -> None:
    """It is shown for 20 s at most."""
    pool.pool.faults.on("ignore_writes")
    begun, before = pool.time.now, pool.controller.store.state
    with pytest.raises(NotAppliedError):
        await pool.controller.outputs.switch(WATERFALL, True)
    assert pool.time.now - begun == 20
    assert done(pool) == ["aux", *["state"] * 5]
    assert pool.published[0].slot(WATERFALL).on is True
    assert slot(pool, WATERFALL).on is False and before.aux_modes == (
        pool.controller.store.state.outputs.modes
    )
    assert (
        pool.published[-1] == pool.controller.store.state == pool.controller.store.known
    )


async def test_not_applied_when_nobody_can_tell(pool: Rig) -> None:
    pool.controller.paths.cloud = None
    pool.pool.faults.on("ignore_writes")
    pool.pool.faults.on("garbage", "state")
    with pytest.raises(NotAppliedError):
        await pool.controller.outputs.switch(WATERFALL, True)
    assert slot(pool, WATERFALL).on is False


async def test_a_cloud_write_that_is_never_seen(
    away: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    """The cloud's copy may be 30 s old: only a later poll can disprove it."""
    away.pool.faults.on("ignore_writes")
    await away.controller.pump.switch(False)
    assert away.time.slept == [2] and pump_is_on(away) is False
    await away.polls(30)
    assert pump_is_on(away) is False
    with caplog.at_level(logging.WARNING):
        await away.polls(30)
    assert pump_is_on(away) is True
    assert "never took effect" in caplog.text


# The pump


async def test_pump_off_and_on(pool: Rig) -> None:
    assert pump_is_on(pool) is True
    await pool.controller.pump.switch(False)
    assert done(pool) == ["cmd", "state"] and pool.time.slept == [2]
    name, body = wire.decode_cmd(pool.asked()[0].payload or b"")
    assert name == "v2_manual_set"
    assert body == {"aux_switch_state": False, "aux_slot_num": 0, "pump_speed": 75}
    # Shown at once, although the reply's frame still has the old state.
    assert [state.pump_on for state in pool.published] == [False, False]
    assert pool.controller.store.known.pump_on is False
    await pool.controller.pump.switch(True)
    assert pump_is_on(pool) is True
    assert pool.controller.store.state.readings.pump_speed == 75  # as it was before


async def test_the_pump_through_the_cloud(away: Rig) -> None:
    """interface.md 4.1 rule 2."""
    await away.controller.pump.switch(False)
    assert writes(away) == ["setPumpInfo"] and done(away) == []
    assert pump_is_on(away) is False and away.controller.store.known.pump_on is False
    assert away.time.slept == [2]  # one look, and later polls decide
    away.time.advance(5)
    await away.controller.pump.set_speed(85)  # it stands: for next time
    assert writes(away) == ["setPumpInfo"]
    await away.controller.pump.switch(True)
    assert writes(away) == ["setPumpInfo"] * 2
    assert away.pool.pool.pump.asked == 85


async def test_the_pump_by_the_cloud_then_by_the_lan(away: Rig) -> None:
    away.pool.faults.clear()
    away.service.cloud.faults.on("refuse")
    await away.controller.pump.switch(False)
    assert done(away)[0] == "cmd" and pump_is_on(away) is False
    assert away.controller.store.state.source is Source.LAN


async def test_a_pump_whose_slot_is_not_known(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(lan=False)
    await rig.controller.poller.poll()
    with pytest.raises(NotSupportedError):
        await rig.controller.pump.switch(False)
    with pytest.raises(NotSupportedError):
        await rig.controller.pump.set_speed(60)
    assert writes(rig) == []


async def test_pump_off_while_the_heater_cools_down(
    make_rig: Callable[..., Rig],
) -> None:
    rig = make_rig(full=True)
    rig.pool.pool.water.temperature = 20
    rig.time.advance(60)
    await rig.controller.poller.poll()
    assert rig.controller.store.state.signals.pool_heater is True
    await rig.controller.pump.switch(False)
    readings = rig.controller.store.known.readings
    assert readings.pump_cooling_down is True and readings.pump_speed == 75
    assert rig.time.slept == [2]


async def test_a_pump_that_runs_on_counts_as_off(pool: Rig) -> None:
    """Its mode may stay what it was until the heater has cooled down."""
    pool.pool.faults.on("ignore_writes")
    pool.pool.pool.pump.run_on = 120
    await pool.controller.pump.switch(False)
    assert pool.controller.store.known.signals.pump_cooling_down is True
    assert done(pool) == ["cmd"]


async def test_a_pump_switched_off_is_not_shown_at_another_speed(pool: Rig) -> None:
    pool.controller.update(start_speed=55)
    await pool.controller.pump.switch(False)
    speeds = [state.readings.pump_speed for state in pool.published]
    assert speeds == [75, 75, 0]


@pytest.mark.parametrize(
    ("speed", "sent"), [(40, 40), (100, 100), (62, 60), (63, 65), (98, 100)]
)
async def test_pump_speed(pool: Rig, speed: int, sent: int) -> None:
    await pool.controller.pump.set_speed(speed)
    assert pool.pool.pool.pump.speed == sent
    assert pool.controller.store.known.readings.pump_speed == sent
    assert done(pool) == ["cmd", "state"]


@pytest.mark.parametrize("speed", [39, 0, -1, 101, 255])
async def test_speeds_out_of_range(pool: Rig, speed: int) -> None:
    with pytest.raises(InvalidCommandError):
        await pool.controller.pump.set_speed(speed)
    assert pool.asked() == []


async def test_the_speed_of_a_pump_that_stands(pool: Rig) -> None:
    await pool.controller.pump.switch(False)
    pool.pool.requests.clear()
    await pool.controller.pump.set_speed(55)
    assert pool.asked() == [] and pool.controller.store.state.start_speed == 55
    await pool.polls(15)
    assert pool.controller.store.state.start_speed == 55
    await pool.controller.pump.switch(True)
    assert pool.pool.pool.pump.speed == 55


@pytest.mark.parametrize("on", [True, False])
async def test_a_speed_no_person_can_choose(pool: Rig, on: bool) -> None:
    pool.pool.pool.schedules[0].speed = 33
    await pool.polls(15)
    assert pool.controller.store.state.readings.pump_speed == 33
    await pool.controller.pump.switch(on)


async def test_a_command_by_the_cloud_between_two_by_the_lan(pool: Rig) -> None:
    """Cloud and LAN share one counter: what the cloud used must not be used again."""
    await pool.controller.outputs.switch(2, True)
    pool.pool.faults.on("refuse")
    await pool.polls(15)
    await pool.polls(15)
    await pool.controller.pump.switch(False)
    pool.pool.faults.clear()
    await pool.polls(30)
    await pool.controller.outputs.switch(2, False)
    assert [request.ok for request in pool.pool.requests if request.op == "a"] == [
        True,
        True,
    ]
