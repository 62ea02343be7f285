"""Holds: how long off is held, and what is given back when its time is over."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    RefusedError,
    UnreachableError,
)
from custom_components.poolctl.client.frame import Readings
from custom_components.poolctl.client.pool.holds import held_outputs, off_until
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Hold, Schedules
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.schedule import ALL_WEEK, LAST_MINUTE, Schedule
from tests.simulator import schedules as sim

from .conftest import Rig

PUMP, LIGHT, WATERFALL, CLEANER = 0, 1, 2, 3
"""Slots of the pool of the first tests."""
MONDAY = datetime(2026, 7, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)


def schedule(
    start: float, end: float, slot: int = WATERFALL, *, days: int = ALL_WEEK
) -> Schedule:
    """Return an armed schedule between two hours of the day."""
    return Schedule(
        slot=slot,
        aux_type=1,
        start=round(start * 60),
        end=min(round(end * 60), LAST_MINUTE),
        weekdays=days,
        name="",
    )


def pool(
    *schedules: Schedule,
    mode: int = 99,
    pump: int | None = None,
    armed: tuple[int, ...] | None = None,
    known: bool = True,
) -> PoolState:
    """Return a pool with these schedules, whose waterfall has a mode."""
    every = tuple(range(len(schedules)))
    return PoolState(
        readings=Readings(main_pump_mode=pump),
        outputs=Outputs(types=(31, 13, 1, 3), modes=(0, 0, mode, 0), held=()),
        schedules=Schedules(
            records=schedules if known else None,
            armed=every if armed is None else armed,
        ),
    )


def until(state: PoolState, hours: float, slot: int = WATERFALL) -> float | None:
    """Return until when off is held that is asked for on Monday, in hours."""
    found = state.outputs.slot(slot)
    assert found is not None
    end = off_until(state, found, MONDAY + hours * HOUR)
    return None if end is None else (end - MONDAY) / HOUR


@pytest.mark.parametrize(
    ("schedules", "hours", "expected"),
    [
        ([], 10, None),
        ([schedule(8, 16)], 10, 16),
        ([schedule(8, 16)], 7.99, None),
        ([schedule(8, 16)], 8, 16),
        ([schedule(8, 16)], 16, None),
        ([schedule(8, 16, LIGHT)], 10, None),  # of another output
        ([schedule(8, 16, days=0b10)], 10, None),  # on Tuesdays
        ([schedule(8, 16), schedule(9, 18)], 10, 18),
        ([schedule(8, 16), schedule(16, 18)], 10, 16),  # the next one runs
        ([schedule(22, 6)], 23, 30),
        ([schedule(22, 6)], 5, 6),  # it began on Sunday
        ([schedule(0, 24)], 10, 24),
        ([schedule(8, 24)], 10, 24),
    ],
)
def test_how_long_off_is_held(
    schedules: list[Schedule], hours: float, expected: float | None
) -> None:
    assert until(pool(*schedules), hours) == expected


def test_a_schedule_that_is_not_armed() -> None:
    assert until(pool(schedule(8, 16), armed=()), 10) is None


@pytest.mark.parametrize(
    ("schedules", "hours", "expected"),
    [
        ([schedule(8, 16)], 10, 16),
        # The controller is the one who knows what runs: its clock may differ from ours.
        ([schedule(8, 16)], 7.9, 16),
        ([schedule(8, 16)], 16.1, 24),
        ([schedule(8, 16)], 20, 24),
        ([schedule(8, 16, LIGHT)], 10, 16),
        ([], 10, 24),
    ],
)
def test_a_schedule_that_runs(
    schedules: list[Schedule], hours: float, expected: float
) -> None:
    """What the controller says that runs is held off, whatever we know of it."""
    assert until(pool(*schedules, mode=1), hours) == expected
    assert until(pool(*schedules, mode=0), 3) is None


def test_schedules_that_are_not_known() -> None:
    """Off is held only where a schedule is known to run it, until the day is over."""
    unknown = pool(schedule(8, 16), known=False)
    assert until(unknown, 10) is None
    assert until(pool(schedule(8, 16), known=False, mode=1), 10) == 24


def test_what_starts_the_pump() -> None:
    """Its own schedules, and those of what runs only with it; its slot says nothing."""
    state = pool(schedule(8, 16, CLEANER), schedule(9, 10, PUMP), pump=0)
    assert until(state, 8.5, PUMP) == 16
    assert until(pool(pump=3), 10, PUMP) == 24
    assert until(pool(schedule(8, 16, PUMP), pump=99), 10, PUMP) == 16


@pytest.mark.parametrize(
    ("now", "window", "expected"),
    [
        # The clock goes from 2 to 3 o'clock.
        ("2026-03-29 01:30", (1, 5), "2026-03-29 03:00"),
        ("2026-03-29 01:30", (1, 2.5), "2026-03-29 01:00"),
        ("2026-03-28 23:30", (23, 4), "2026-03-29 02:00"),
        # It goes back from 3 to 2 o'clock: the first 2:30 counts.
        ("2026-10-25 01:30", (1, 5), "2026-10-25 04:00"),
        ("2026-10-25 01:30", (1, 2.5), "2026-10-25 00:30"),
        ("2026-10-24 23:30", (23, 4), "2026-10-25 03:00"),
    ],
)
def test_daylight_saving(now: str, window: tuple[float, float], expected: str) -> None:
    """Schedules run by the wall clock of the pool; the end is given in UTC."""
    berlin = ZoneInfo("Europe/Berlin")
    state = pool(schedule(*window))
    slot = state.outputs.slot(WATERFALL)
    assert slot is not None
    found = off_until(state, slot, datetime.fromisoformat(now).replace(tzinfo=berlin))
    assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)


def test_what_counts_as_held() -> None:
    state = pool()
    assert held_outputs(PoolState()) is None
    outputs = replace(state.outputs, types=(31, 6, 1, 0), held=(0, 1, 2, 3))
    held = held_outputs(replace(state, outputs=outputs)) or ()
    assert [slot.index for slot in held] == [0, 2]


# What is sent, and what is given back

SLOT = 2
"""The waterfall of the small pool."""


def window(rig: Rig, minutes: int, slot: int = SLOT, *, begun: int = 30) -> None:
    """Arm one schedule alone, which began before and ends in some minutes."""
    now = rig.pool.pool.local_time()
    start, end = (
        (now.hour * 60 + now.minute + offset) % 1440 for offset in (-begun, minutes)
    )
    rig.pool.pool.schedules[0] = sim.Schedule(
        slot=slot,
        aux_type=rig.pool.pool.slots[slot].aux_type,
        start=start,
        end=end,
        weekdays=127,
        name="Window",
        enabled=True,
        speed=75 if slot == 0 else 0,
    )


async def switch(rig: Rig, on: bool, slot: int = SLOT) -> None:
    """Switch an output as a person does."""
    await rig.controller.holds.switch(rig.controller.store.state.outputs.slot(slot), on)


async def hold(
    rig: Rig, on: bool, minutes: float, slot: int = SLOT, speed: int | None = None
) -> None:
    """Hold an output for some time."""
    await rig.controller.holds.hold(
        rig.controller.store.state.outputs.slot(slot),
        on,
        timedelta(minutes=minutes),
        speed,
    )


def holds(rig: Rig) -> dict[int, bool]:
    """Return what is held with an end, on or off."""
    return {h.slot: h.on for h in rig.controller.store.state.holds if h.until}


def ends(rig: Rig) -> list[datetime | None]:
    """Return the ends of all holds."""
    return [h.until for h in rig.controller.store.state.holds]


def lasts(rig: Rig) -> float:
    """Return the minutes that the only hold still lasts."""
    (found,) = rig.controller.store.state.holds
    assert found.until is not None
    return round((found.until - rig.pool.pool.local_time()).total_seconds() / 60)


def payloads(rig: Rig) -> list[bytes]:
    """Return the payloads of every `aux` that the LAN has had."""
    return [r.payload for r in rig.asked("a") if r.name == "aux" and r.payload]


async def start(rig: Rig) -> Rig:
    """Read all there is."""
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    rig.forget()
    return rig


async def test_off_inside_a_window(rig: Rig) -> None:
    window(rig, 20)
    await start(rig)
    await switch(rig, False)
    assert payloads(rig) == [b"\2\0\1"]
    assert (holds(rig), lasts(rig)) == ({SLOT: False}, 20)
    await rig.polls(19 * 60)
    assert rig.controller.holds.due == []
    assert not rig.pool.pool.relays[SLOT]
    rig.time.advance(61)
    assert len(rig.controller.holds.due) == 1
    for _ in range(2):
        await rig.controller.holds.give_back()
    assert payloads(rig) == [b"\2\0\1", b"\2\0\0"]
    assert ends(rig) == []
    await rig.polls(5)
    assert not rig.pool.pool.slots[SLOT].held


async def test_off_outside_of_any_window(rig: Rig) -> None:
    window(rig, -10)
    await start(rig)
    await switch(rig, True)
    assert ends(rig) == [None]
    await switch(rig, False)
    assert payloads(rig) == [b"\2\1\1", b"\2\0\0"]
    assert ends(rig) == []
    window(rig, 20, begun=0)
    await rig.polls(5)
    assert rig.pool.pool.relays[SLOT]  # its next schedule runs


async def test_until_given_back(make_rig: Callable[..., Rig]) -> None:
    """The option: off is held, whatever schedules say, and nothing ends by itself."""
    rig = make_rig(holds_end=False)
    window(rig, 20)
    await start(rig)
    await switch(rig, False)
    await switch(rig, False, 3)
    assert payloads(rig) == [b"\2\0\1", b"\3\0\1"]
    await rig.polls(3600)
    assert rig.controller.holds.due == [] and rig.controller.holds.next_end is None
    # What a person said is another matter.
    await hold(rig, True, 5)
    assert holds(rig) == {SLOT: True}


@pytest.mark.parametrize("on", [True, False])
async def test_for_a_time(rig: Rig, on: bool) -> None:
    await start(rig)
    await hold(rig, on, 90)
    assert payloads(rig) == [bytes((SLOT, on, 1))]
    assert (holds(rig), lasts(rig)) == ({SLOT: on}, 90)
    window(rig, 60, begun=0)
    await rig.polls(30)
    assert rig.pool.pool.relays[SLOT] is on
    assert holds(rig) == {SLOT: on}
    rig.time.advance(90 * 60)
    await rig.controller.holds.give_back()
    assert payloads(rig)[1:] == [bytes((SLOT, 0, 0))]
    await rig.polls(5)
    assert not rig.pool.pool.relays[SLOT]


@pytest.mark.parametrize(
    "dialects",
    [
        (),
        ("pump_off_clears",),
        ("pump_aux_declined", "pump_off_clears"),
    ],
)
async def test_the_pump(rig: Rig, dialects: tuple[str, ...]) -> None:
    """L5 and L6: off outside a window is not held; on for a time runs and ends."""
    for dialect in dialects:
        rig.pool.dialects.add(dialect)
    window(rig, -10, 0)
    await start(rig)
    await hold(rig, True, 60, 0, speed=60)
    assert rig.controller.store.state.readings.pump_speed == 60
    assert holds(rig) == {0: True}
    await switch(rig, False, 0)
    await rig.polls(5)
    assert not rig.pool.pool.slots[0].held and not rig.pool.pool.pump.running
    assert ends(rig) == []

    await hold(rig, True, 60, 0)
    rig.time.advance(61 * 60)
    await rig.controller.holds.give_back()
    await rig.polls(5)
    assert not rig.pool.pool.slots[0].held and not rig.pool.pool.pump.running
    window(rig, 20, 0, begun=0)
    await rig.polls(5)
    assert rig.pool.pool.pump.mode == 1


@pytest.mark.parametrize("dialects", [(), ("pump_off_clears",), ("pump_aux_declined",)])
async def test_the_pump_off_inside_a_window(
    rig: Rig, dialects: tuple[str, ...]
) -> None:
    """It stays off, whatever `v2_manual_set` does with the override."""
    for dialect in dialects:
        rig.pool.dialects.add(dialect)
    window(rig, 20, 0)
    await start(rig)
    assert rig.pool.pool.pump.mode == 1
    await switch(rig, False, 0)
    await rig.polls(60)
    assert not rig.pool.pool.pump.running
    assert holds(rig) == {0: False}


@pytest.mark.parametrize("minutes", [10, 30])
async def test_a_person_changed_it_meanwhile(rig: Rig, minutes: float) -> None:
    """On again, or given back, by the vendor's app: nothing of ours is left."""
    window(rig, 60)
    await start(rig)
    await switch(rig, False)
    rig.pool.pool.switch(SLOT, True)
    await rig.polls(15)
    assert holds(rig) == {}
    assert [h.on for h in rig.controller.store.state.holds] == [True]
    rig.pool.pool.switch(SLOT, False, hold=False)
    await rig.polls(15)
    assert ends(rig) == []
    rig.forget()
    rig.time.advance(3600)
    await rig.controller.holds.give_back()
    assert rig.asked("a") == []


async def test_changed_right_before_the_end(rig: Rig) -> None:
    """It is looked at before it is given back."""
    window(rig, 20)
    await start(rig)
    await switch(rig, False)
    rig.time.advance(1201)
    rig.pool.pool.switch(SLOT, True)
    rig.forget()
    await rig.controller.holds.give_back()
    assert rig.names() == ["state"]
    assert rig.pool.pool.slots[SLOT].held


async def test_given_back_by_a_person(rig: Rig) -> None:
    window(rig, 20)
    await start(rig)
    await switch(rig, False)
    await rig.controller.outputs.resume_schedules()
    assert ends(rig) == []
    await switch(rig, False)
    await switch(rig, True)
    assert ends(rig) == [None]


async def test_nobody_answers_at_the_end(rig: Rig) -> None:
    window(rig, 20)
    await start(rig)
    await switch(rig, False)
    rig.pool.faults.on("refuse")
    rig.service.cloud.faults.on("refuse")
    rig.time.advance(1201)
    with pytest.raises(UnreachableError):
        await rig.controller.holds.give_back()
    assert len(rig.controller.holds.due) == 1
    rig.pool.faults.clear()
    rig.forget()
    await rig.controller.holds.give_back()
    assert payloads(rig) == [b"\2\0\0"]


async def test_the_controller_restarts(rig: Rig) -> None:
    """An override that it forgets is over; one that it keeps is given back."""
    window(rig, 20)
    await start(rig)
    await switch(rig, False)
    await hold(rig, True, 20, 1)
    rig.pool.restart()
    rig.pool.pool.slots[1].hand, rig.pool.pool.slots[1].held = None, False
    for _ in range(3):
        await rig.polls(15)
    assert holds(rig) == {SLOT: False}


async def test_a_command_that_fails_changes_no_hold(rig: Rig) -> None:
    window(rig, 20)
    await start(rig)
    await hold(rig, True, 60)
    for fault in ("decline", "ignore_writes"):
        rig.pool.faults.on(fault)
        with pytest.raises(RefusedError):
            await switch(rig, False)
        rig.pool.faults.clear()
        await rig.polls(15)
        assert holds(rig) == {SLOT: True}


@pytest.mark.parametrize("ran", [True, False])
async def test_an_answer_that_is_lost(make_rig: Callable[..., Rig], ran: bool) -> None:
    """The next read tells what came of it, and so which hold there is."""
    rig = make_rig(cloud=False)
    window(rig, 20)
    await start(rig)
    await hold(rig, True, 60)
    rig.pool.faults.on("close_mid_body" if ran else "hang")
    with pytest.raises(UnreachableError):
        await switch(rig, False)
    rig.pool.faults.clear()
    await rig.polls(15)
    assert holds(rig) == {SLOT: not ran}
    if ran:
        assert lasts(rig) < 21


@pytest.mark.parametrize("told", [True, False])
async def test_by_the_cloud(rig: Rig, told: bool) -> None:
    """On for a time ends as the vendor's app would end it, told or not that it runs."""
    if told:
        rig.service.cloud.not_offered.clear()
    rig.service.cloud.forget_on_write = True
    await start(rig)
    rig.pool.faults.on("refuse")
    for _ in range(2):
        await rig.polls(30)
    await hold(rig, True, 60)
    await rig.polls(35)
    assert holds(rig) == {SLOT: True} and rig.pool.pool.relays[SLOT]
    rig.time.advance(3600)
    await rig.controller.holds.give_back()
    assert rig.written() == ["manualSet"] * 2
    assert not any(rig.controller.holds.due)
    # The LAN tells whether it is held off.
    rig.pool.faults.clear()
    await rig.polls(60)
    assert rig.pool.pool.slots[SLOT].held
    await rig.controller.holds.give_back()
    assert payloads(rig) == [b"\2\0\0"]
    assert ends(rig) == []


async def test_off_by_the_cloud_that_holds(rig: Rig) -> None:
    """Nothing had to be held; where the cloud held it all the same, the LAN tells."""
    rig.service.cloud.not_offered.clear()
    rig.service.cloud.forget_on_write = True
    await start(rig)
    rig.pool.faults.on("refuse")
    for _ in range(2):
        await rig.polls(30)
    await switch(rig, True)
    await rig.polls(35)
    await switch(rig, False)
    await rig.polls(35)
    assert rig.controller.holds.due == []  # the cloud has no way to give it back
    rig.pool.faults.clear()
    await rig.polls(60)
    assert rig.pool.pool.slots[SLOT].held
    await rig.controller.holds.give_back()
    assert payloads(rig) == [b"\2\0\0"]
    assert ends(rig) == []


async def test_by_the_cloud_alone(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(lan=False)
    rig.service.cloud.not_offered.clear()
    window(rig, 20)
    await rig.controller.poller.poll()
    rig.service.cloud.forget_on_write = True
    await switch(rig, False)
    await rig.polls(35)
    assert holds(rig) == {SLOT: False}
    rig.time.advance(1300)
    await rig.controller.holds.give_back()
    assert holds(rig) == {}
    assert rig.written() == ["manualSet"]


async def test_what_cannot_be_held(rig: Rig) -> None:
    with pytest.raises(NotSupportedError):
        await rig.controller.holds.switch(None, True)
    await start(rig)
    for slot, on in ((SLOT, True), (0, False)):
        with pytest.raises(InvalidCommandError):
            await hold(rig, on, 5, slot, speed=60)
    with pytest.raises(InvalidCommandError):
        await hold(rig, True, 5, 0, speed=30)
    assert rig.asked("a") == [] and ends(rig) == []


def test_a_hold_is_a_value() -> None:
    assert Hold(slot=1, on=True, since=MONDAY) == Hold(slot=1, on=True, since=MONDAY)


async def test_what_nothing_gives_back_is_in_nobodys_way(rig: Rig) -> None:
    """L6 without L5: the pump waits for another firmware, others are given back."""
    await start(rig)
    rig.pool.dialects.add("pump_aux_declined")
    pump = rig.controller.store.known.outputs.slot(0)
    await rig.controller.holds.hold(pump, False, timedelta(minutes=1))
    await hold(rig, True, 1)
    await rig.polls(61)
    await rig.controller.holds.give_back()
    await rig.polls(15)
    assert holds(rig) == {0: False} and rig.controller.holds.due == []
    await hold(rig, True, 1)
    await rig.polls(61)
    assert [each.slot for each in rig.controller.holds.due] == [SLOT]
    await rig.controller.holds.give_back()
    rig.pool.dialects.clear()
    await rig.polls(6 * 3600)
    assert [each.slot for each in rig.controller.holds.due] == [0]
    await rig.controller.holds.give_back()
    assert holds(rig) == {}
