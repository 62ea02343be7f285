"""The door: what only one frame shows is asked again (protocol.md L15, L25)."""

from collections.abc import Callable
from dataclasses import fields
from typing import get_type_hints

import pytest

from custom_components.poolctl.client.wire.frame import Readings, fields_of
from tests.client.conftest import Rig
from tests.world.simulator import wire


def test_how_far_each_reading_may_move() -> None:
    """Without a drift, each new value of a measurement is read again as a surprise."""
    kinds = get_type_hints(Readings)
    drifts = {
        each.name: at.drift
        for each, at in zip(fields(Readings), fields_of(Readings)[1], strict=True)
        if kinds[each.name] == float | None
    }
    assert len(drifts) > 10 and all(drifts.values()), drifts


# With a controller


def outputs(rig: Rig) -> tuple[object, ...]:
    state = rig.shown
    return state.outputs, state.schedules, state.signals, state.acid.desired


@pytest.mark.row("L15")
@pytest.mark.parametrize("again", [False, True], ids=["once", "a good one between"])
async def test_an_odd_frame_is_read_again(small: Rig, again: bool) -> None:
    before = outputs(small)
    for spoil in SPOILED:
        small.forget()
        good: list[Spoil] = [lambda frame: None]
        small.pool.odd[:] = [spoil, *[*good, spoil] * again]
        await small.polls(15, times=1 + again)
        assert (small.pool.odd, outputs(small)) == ([], before)
        count = 2 + 2 * again
        assert (small.names("state"), small.time.slept) == (
            ["state"] * count,
            [2.0] * (1 + again),
        )


type Spoil = Callable[[wire.Frame], None]


def _set(section: str, **values: int) -> Spoil:
    return lambda frame: getattr(frame, section).update(values)


def _no_types(frame: wire.Frame) -> None:
    frame.aux_types[:] = [0 for _ in frame.aux_types]


def _no_modes(frame: wire.Frame) -> None:
    frame.aux_modes[:] = [0 for _ in frame.aux_modes]


SPOILED: list[Spoil] = [
    _no_types,
    _no_modes,
    _set("telemetry", flags=0),
    _set("telemetry", main_pump_mode=0),
    _set("configuration", desired_ph=0),
]


async def test_two_odd_frames_in_a_row(small: Rig) -> None:
    """They are believed until the next one; types need one poll more."""
    before = outputs(small)
    small.pool.odd[:] = [_no_types, _no_types]
    await small.polls(15)
    assert outputs(small) == before
    await small.polls(15)
    assert outputs(small) == before
    small.pool.odd[:] = [_no_modes, _no_modes]
    await small.polls(15)
    assert outputs(small) != before
    await small.polls(15)
    assert outputs(small) == before


async def test_two_reads_at_once_are_one(small: Rig) -> None:
    before = outputs(small)
    small.pool.odd[:] = [_no_modes, _no_modes]
    small.time.advance(15)
    for _ in range(2):
        await small.controller.poller.read_lan(again=False)
        small.time.advance(0.1)
    assert outputs(small) == before


async def test_a_change_elsewhere_is_shown_2_s_later(small: Rig) -> None:
    small.pool.pool.settings["pool_target"] = 31
    await small.polls(15)
    assert (small.shown.pool_target, small.time.slept) == (31, [2.0])
    await small.polls(15)
    assert len(small.names("state")) == 3


async def test_a_quiet_hour_costs_no_read(small: Rig) -> None:
    await small.polls(15, times=240)
    assert len(small.names("state")) == 240 and small.time.slept == []


async def test_a_controller_that_flaps(small: Rig) -> None:
    """It costs one read a poll, and is shown as it is."""
    for number in range(10):
        small.pool.pool.switch(2, number % 2 == 0)
        await small.polls(15)
        assert small.output(2).on is (number % 2 == 0)
    assert len(small.names("state")) == 20


async def test_a_command_does_not_wait_for_a_second_read(small: Rig) -> None:
    """Its reply confirms it, whatever else that frame or the one before shows."""
    small.pool.odd[:] = [_set("configuration", desired_ph=0)] * 2
    small.time.advance(15)
    await small.controller.poller.read_lan(again=False)
    small.forget()
    await small.controller.outputs.switch(2, True)
    assert (small.names(), small.time.slept) == (["aux"], [])
    assert small.output(2).on and small.settled
    await small.polls(15)
    assert small.output(2).on and small.shown.acid.desired != 0


def _others_released(frame: wire.Frame) -> None:
    frame.held_slots[:] = [slot for slot in frame.held_slots if slot != HELD]


LIGHT, HELD = 1, 3
"""Slots of the fully equipped pool."""


@pytest.mark.parametrize(
    "spoil",
    [
        _set("telemetry", main_pump_mode=0),
        _set("telemetry", flags=0),
        _no_modes,
        _others_released,
    ],
)
@pytest.mark.parametrize("slot", [LIGHT, 17])
async def test_a_command_explains_only_what_it_moves(
    pool: Rig, slot: int, spoil: Spoil
) -> None:
    """While it is busy, an odd frame is read again as at any other time."""
    control = pool.controller
    await control.outputs.switch(HELD, True)
    await pool.polls(15)
    if slot == LIGHT:
        await control.lights.show(slot, "oceanic_views")
    else:
        await control.outputs.switch(slot, True)
    before = pool.shown
    pool.pool.odd[:] = [spoil]
    await pool.polls(3)
    now = pool.shown
    assert not pool.pool.odd and pool.output(slot).on
    assert (now.pump_on, now.signals) == (True, before.signals)
    assert pool.output(HELD).held


@pytest.mark.parametrize("spoil", [_others_released, _set("telemetry", flags2=0)])
async def test_the_pump_explains_the_water_alone(pool: Rig, spoil: Spoil) -> None:
    control = pool.controller
    await control.outputs.switch(HELD, True)
    await pool.polls(15)
    pool.pool.odd[:] = [spoil]
    await control.pump.switch(False)
    assert not pool.pool.odd and pool.shown.pump_on is False
    assert pool.output(HELD).held and pool.shown.signals.wifi
    await pool.polls(15)
    assert pool.shown.pump_on is False and pool.output(HELD).held


async def test_one_odd_answer_of_the_cloud(on_cloud: Rig) -> None:
    """It waits for the next one; what two of them have is shown."""
    before = on_cloud.shown.readings
    water = on_cloud.pool.pool.water
    usual = before.ph or 0.0
    for ph, expected in ((3.0, usual), (usual, usual)):
        water.ph = ph
        await on_cloud.renewed(31)
        assert on_cloud.shown.readings.ph == expected
    on_cloud.pool.pool.pump.dry_run_status = 1
    await on_cloud.renewed(31)
    assert not on_cloud.shown.signals.dry_run
    await on_cloud.renewed(31)
    assert on_cloud.shown.signals.dry_run
