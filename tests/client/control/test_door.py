"""The door: what only one frame shows is asked again (protocol.md L15, L25)."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, get_type_hints

import pytest

from custom_components.poolctl.client.control.frames import (
    FrameDoor,
    accepted,
    surprises,
)
from custom_components.poolctl.client.wire.frame import (
    Configuration,
    Readings,
    StateFrame,
    Telemetry,
    Timer,
    fields_of,
)
from tests.client.conftest import Rig
from tests.world.simulator import wire

USUAL: dict[str, Any] = {
    "flags": 1 << 5 | 3 << 13,
    "flags2": 1 << 2,
    "ph": 7.2,
    "orp": 650,
    "water_temperature": 26.0,
    "main_pump_mode": 99,
    "aux_modes": (99, 0, 0),
    "held_slots": (0,),
    "pool_target": 28,
    "acid_drum_ml": 900,
    "acid_remaining_ml": 700,
    "schedules_enabled": (0, 1),
    "aux_types": (31, 1, 22),
}


def test_how_far_each_reading_may_move() -> None:
    """Without a drift, each new value of a measurement is read again as a surprise."""
    kinds = get_type_hints(Readings)
    drifts = {
        each.name: at.drift
        for each, at in zip(fields(Readings), fields_of(Readings)[1], strict=True)
        if kinds[each.name] == float | None
    }
    assert len(drifts) > 10 and all(drifts.values()), drifts


def frame(**changes: Any) -> StateFrame:
    values = USUAL | changes
    of = {kind: {*kind.__dataclass_fields__} for kind in (Telemetry, Configuration)}
    parts: list[Any] = [
        kind(**{name: value for name, value in values.items() if name in names})
        for kind, names in of.items()
    ]
    telemetry, configuration = parts
    return StateFrame(telemetry, configuration, ())


LAST = frame()
ODD = [
    {"main_pump_mode": 0},
    {"held_slots": ()},
    {"aux_modes": (99, 0, 99)},
    {"aux_types": (0, 0, 0)},
    {"flags": 1 << 5},
    {"water_temperature": 60.0},
    {"ph": 0.5},
    {"acid_drum_ml": 0},
    {"schedules_enabled": ()},
    {"pool_target": 5},
]


@pytest.mark.row("L15")
@pytest.mark.parametrize("odd", ODD)
def test_what_one_frame_has_is_nothing(odd: dict[str, Any]) -> None:
    assert surprises(LAST, frame(**odd))
    assert accepted(LAST, frame(**odd), LAST) == LAST
    # The second one may be the odd one, with something else that is odd.
    assert accepted(LAST, frame(firmware="9.9.9"), frame(**odd)) == LAST


@pytest.mark.parametrize("news", ODD)
def test_what_two_frames_have_is_true(news: dict[str, Any]) -> None:
    assert accepted(LAST, frame(**news), frame(**news)) == frame(**news)


def test_each_slot_and_each_bit_is_a_fact_of_its_own() -> None:
    first = frame(aux_modes=(99, 1, 0), held_slots=(0, 1))
    second = frame(aux_modes=(99, 1, 99), held_slots=(1, 2))
    telemetry = accepted(LAST, first, second).telemetry
    assert telemetry is not None
    assert (telemetry.aux_modes, telemetry.held_slots) == ((99, 1, 0), (0, 1))


def test_the_newest_of_three_that_differ() -> None:
    found = accepted(LAST, frame(pool_target=5), frame(pool_target=9)).configuration
    assert found is not None and found.pool_target == 9


@pytest.mark.parametrize(
    "usual",
    [
        {"ph": 7.3, "orp": 640, "water_temperature": 26.4},
        {"acid_remaining_ml": 640},
        {"flags": USUAL["flags"] | 1 << 7},  # an unknown bit
        {"ph": None, "aux_types": None, "held_slots": None},
    ],
)
def test_no_surprise(usual: dict[str, Any]) -> None:
    assert not surprises(LAST, frame(**usual))
    assert not surprises(LAST, StateFrame(None, None, None))


def test_a_timer_of_one_frame() -> None:
    odd = LAST._replace(timers=(Timer(1, 60, 60),))
    assert surprises(LAST, odd)
    assert accepted(LAST, LAST, odd) == LAST
    assert accepted(LAST, odd, odd) == odd


def admit(
    door: FrameDoor, odd: StateFrame, at: float, *explained: str
) -> StateFrame | None:
    def moved(last: Telemetry, new: Telemetry) -> Telemetry:
        return replace(last, **{name: getattr(new, name) for name in explained})

    return door.admit_frame(odd, at, moved)


def test_the_door() -> None:
    door, odd = FrameDoor(USUAL["aux_types"]), frame(main_pump_mode=0)
    assert admit(door, LAST, 0) == LAST
    assert admit(door, odd, 15) is None
    assert admit(door, odd, 15.1) is None  # of the same moment
    assert admit(door, LAST, 17) == LAST
    assert admit(door, odd, 30, "main_pump_mode") == odd
    # A frame without a section neither surprises nor forgets it.
    partly = LAST._replace(configuration=None)
    assert admit(door, LAST, 45, "main_pump_mode") == LAST
    assert admit(door, partly, 60) == partly
    assert admit(door, frame(pool_target=5), 75) is None


def test_what_the_second_frame_adds_is_in_doubt() -> None:
    door, first = FrameDoor(None), frame(pool_target=30)
    second = frame(pool_target=30, held_slots=())
    assert admit(door, LAST, 0) == LAST and admit(door, first, 15) is None
    assert (admit(door, second, 17), door.doubted is None) == (first, False)
    assert (admit(door, second, 30), door.doubted is None) == (second, True)


def test_what_is_in_doubt_is_as_old_as_the_frame_that_showed_it() -> None:
    door, off = FrameDoor(None), frame(main_pump_mode=0)
    seen = [
        (admit(door, each, at), door.shown_at)
        for each, at in (
            (LAST, 0),
            (off, 15),
            (frame(main_pump_mode=0, pool_target=30), 17),
        )
    ]
    assert seen == [(LAST, 0), (None, 0), (off, 15)]
    assert (admit(door, LAST, 30), door.shown_at) == (off, 17)
    assert (admit(door, LAST, 32), door.shown_at) == (LAST, 32)


def test_other_types_need_one_poll_more() -> None:
    """Two odd frames in a row take no devices away, nor does the first of a run."""
    odd = frame(aux_types=(0, 0, 0))
    for first in (LAST, odd):
        door = FrameDoor(USUAL["aux_types"])
        assert admit(door, first, 0) == LAST
        for at in (15, 30):
            assert admit(door, odd, at) is None
            found = admit(door, odd, at + 2)
            assert found == (LAST if at == 15 and first is LAST else odd)
            if first is odd:
                break


def test_measurements_of_two_frames() -> None:
    for newest, kept in ((7.0, 7.0), (0.5, 7.1)):
        found = accepted(LAST, frame(ph=7.1), frame(ph=newest)).telemetry
        usual = frame().telemetry
        assert usual and found == replace(usual, ph=kept)


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


def _clear(section: str) -> Spoil:
    return lambda frame: getattr(frame, section).clear()


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
        await later(on_cloud)
        assert on_cloud.shown.readings.ph == expected
    on_cloud.pool.pool.pump.dry_run_status = 1
    await later(on_cloud)
    assert not on_cloud.shown.signals.dry_run
    await later(on_cloud)
    assert on_cloud.shown.signals.dry_run


async def later(rig: Rig) -> None:
    await rig.service.clock.sleep(31)
    rig.time.now += 31
    await rig.polls()
