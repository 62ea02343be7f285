"""Holds: the commands that are sent, and the releases at their end."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
import json

import pytest

from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.holds.hold import Hold
from custom_components.poolctl.client.wire.equipment import Role
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    PoolctlError,
)
from tests.client.conftest import Rig
from tests.world.simulator import actions, schedules as sim
from tests.world.simulator.pool import Pool

SLOT = 2
"""The waterfall of the small pool."""


def window(pool: Pool, minutes: int, slot: int = SLOT, *, begun: int = 30) -> None:
    """Replace the first schedule: it began `begun` minutes ago, and ends in `minutes`."""
    now = pool.local_time()
    start, end = (
        (now.hour * 60 + now.minute + offset) % 1440 for offset in (-begun, minutes)
    )
    aux_type, speed = pool.slots[slot].aux_type, 75 if slot == 0 else 0
    pool.schedules[0] = sim.Schedule(
        slot, aux_type, 0, speed, start, end, weekdays=127, name="Window", enabled=True
    )


async def switch(rig: Rig, on: bool, slot: int = SLOT) -> None:
    """Switch an output as a user does."""
    await rig.controller.holds.switch(rig.output(slot), on)


async def hold(
    rig: Rig, on: bool, minutes: float, slot: int = SLOT, speed: int | None = None
) -> None:
    """Hold an output for some time."""
    duration = timedelta(minutes=minutes)
    await rig.controller.holds.hold(rig.output(slot), on, duration, speed)


def holds(rig: Rig) -> dict[int, bool]:
    """Return the outputs that are held with an end, and whether they are on."""
    return {h.slot: h.on for h in rig.controller.holds.shown if h.until}


def ends(rig: Rig) -> list[datetime | None]:
    """Return the ends of all holds."""
    return [h.until for h in rig.controller.holds.shown]


def lasts(rig: Rig) -> float:
    """Return the minutes that the only hold still lasts."""
    (until,) = ends(rig)
    assert until is not None
    return round((until - rig.pool.pool.local_time()).total_seconds() / 60)


def payloads(rig: Rig) -> list[bytes]:
    """Return the payloads of every `aux` that the LAN received."""
    return [r.payload for r in rig.asked("a") if r.name == "aux" and r.payload]


async def start(rig: Rig) -> Rig:
    """Read the state and all slow data."""
    await rig.read()
    rig.forget()
    return rig


async def test_off_outside_and_inside_of_a_window(rig: Rig) -> None:
    window(rig.pool.pool, -10)
    await start(rig)
    await switch(rig, True)
    assert ends(rig) == [None]
    await switch(rig, False)
    assert (payloads(rig), ends(rig)) == ([b"\2\1\1", b"\2\0\0"], [])
    window(rig.pool.pool, 20, begun=0)
    await rig.polls(5)
    assert rig.pool.pool.relays[SLOT]  # its next schedule runs
    await rig.read()
    await switch(rig, False)
    assert lasts(rig) == 20
    await rig.controller.holds.resume_all()
    assert ends(rig) == []
    await switch(rig, False)
    await switch(rig, True)
    assert ends(rig) == [None]


async def test_until_given_back(make_rig: Callable[..., Rig]) -> None:
    """With this option, off is held regardless of schedules, without an end."""
    rig = make_rig(holds_end=False)
    window(rig.pool.pool, 20)
    await start(rig)
    await switch(rig, False)
    await switch(rig, False, 3)
    assert payloads(rig) == [b"\2\0\1", b"\3\0\1"]
    await rig.polls(3600)
    assert rig.controller.holds.wait is None
    # A duration that a user chose still counts, up to a year.
    await hold(rig, True, 5)
    assert holds(rig) == {SLOT: True}
    await hold(rig, True, 366 * 1440)
    assert rig.controller.holds.wait == pytest.approx(366 * 86400, abs=60)
    for minutes in (10**7, 0, -1):
        with pytest.raises(InvalidCommandError, match="at most 366 days"):
            await hold(rig, True, minutes)


@pytest.mark.row("L5", "L6")
@pytest.mark.parametrize("seconds", [1.0, 10.0])
@pytest.mark.parametrize(
    "dialects", [(), ("pump_off_clears",), ("pump_aux_declined", "pump_off_clears")]
)
async def test_the_pump(
    rig: Rig,
    dialects: tuple[str, ...],
    seconds: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Off outside a window is not held; on for a time runs and ends."""
    monkeypatch.setattr(actions, "RELAY_DELAY", seconds)
    rig.pool.dialects |= set(dialects)
    pump, slot = rig.pool.pool.pump, rig.pool.pool.slots[0]
    window(rig.pool.pool, -10, 0)
    await start(rig)
    assert not pump.running
    # An override that shows only later is released, too.
    await switch(rig, False, 0)
    await rig.polls(20)
    await rig.controller.holds.work()
    await rig.polls(5)
    assert (slot.held, ends(rig)) == (False, [])

    await hold(rig, True, 60, 0, speed=60)
    await rig.polls(15)
    assert (rig.shown.readings.pump_speed, holds(rig)) == (60, {0: True})
    await switch(rig, False, 0)
    await rig.polls(15)
    await rig.controller.holds.work()
    await rig.polls(5)
    assert (slot.held, pump.running, ends(rig)) == (False, False, [])

    await hold(rig, True, 60, 0)
    rig.time.advance(61 * 60)
    await rig.controller.holds.work()
    await rig.polls(15)
    assert (slot.held, pump.running) == (False, False)
    window(rig.pool.pool, 20, 0, begun=0)
    await rig.polls(15)
    assert pump.mode == 1


async def test_a_person_changed_it_meanwhile(rig: Rig) -> None:
    """Our hold is over once the vendor's app switches the output or releases it."""
    window(rig.pool.pool, 60)
    await start(rig)
    await switch(rig, False)
    rig.pool.pool.switch(SLOT, True)
    await rig.polls(15, times=2)
    assert holds(rig) == {}
    assert [h.on for h in rig.controller.holds.shown] == [True]
    rig.pool.pool.switch(SLOT, False, hold=False)
    await rig.polls(15, times=2)
    assert ends(rig) == [] and rig.controller.holds.wait is None


@pytest.mark.row("L33")
async def test_an_output_of_another_controller(
    rig: Rig, make_rig: Callable[..., Rig]
) -> None:
    """Its number stands for other equipment here: each command refuses it."""
    other = await start(make_rig(full=True))
    await start(rig)
    control, minute = rig.controller.holds, timedelta(minutes=1)
    for slot in (0, SLOT):
        output = other.output(slot)
        for command in (
            control.switch(output, True),
            control.hold(output, True, minute),
            control.claim(output, "somebody", rig.controller.clock.now() + minute),
            control.resume(output),
        ):
            with pytest.raises(InvalidCommandError):
                await command
    assert rig.asked("a") == [] and control.all == ()


async def test_what_cannot_be_held(rig: Rig) -> None:
    with pytest.raises(NotSupportedError):
        await rig.controller.holds.switch(None, True)
    await start(rig)
    for slot, on, speed in ((SLOT, True, 60), (0, False, 60), (0, True, 30)):
        with pytest.raises(InvalidCommandError):
            await hold(rig, on, 5, slot, speed)
    assert rig.asked("a") == [] and ends(rig) == []


@pytest.mark.parametrize(
    ("minutes", "by_hand", "holds_end", "ends"),
    [
        (40, False, True, True),
        (40, True, True, False),
        (-10, True, True, False),
        (40, False, False, False),
    ],
)
async def test_the_speed_of_the_pump(
    make_rig: Callable[..., Rig],
    minutes: int,
    by_hand: bool,
    holds_end: bool,
    ends: bool,
) -> None:
    """It ends with the schedule that runs the pump; what runs by hand, goes on."""
    rig = make_rig(holds_end=holds_end)
    pool, pump = rig.pool.pool, rig.pool.pool.pump
    window(pool, minutes, 0)
    if by_hand:
        pool.switch(0, True)
    await start(rig)
    await rig.polls(120)
    await rig.polls(15)
    assert pump.mode == (99 if by_hand else 1)
    for speed in (55, 90):
        await rig.controller.holds.set_speed(speed)
        await rig.live(1)
        assert (pump.mode, pump.speed) == (99, speed)
    await rig.live(33)
    assert (pump.mode, pump.speed) == (99, 90)
    (held,) = rig.controller.holds.shown
    assert (held.on, held.follows_schedules) == (True, ends)
    await rig.live(6)
    assert (pool.slots[0].held, pump.running) == (not ends, not ends)


async def test_the_newest_of_several_speeds(rig: Rig) -> None:
    window(rig.pool.pool, 40, 0)
    await start(rig)
    await rig.polls(120)
    speeds = [rig.controller.holds.set_speed(speed) for speed in (50, 60, 70, 80)]
    await asyncio.gather(*speeds)
    await rig.live(2)
    assert rig.pool.pool.pump.speed == 80
    assert lasts(rig) == pytest.approx(36, abs=1)
    # Whoever switches it off, means that, whatever its slider does then.
    off = switch(rig, False, 0)
    await asyncio.gather(rig.controller.holds.set_speed(55), off)
    off = switch(rig, False, 0)
    await asyncio.gather(off, rig.controller.holds.set_speed(60))
    await rig.live(2)
    assert not rig.pool.pool.pump.running


async def test_what_schedules_cannot_switch(make_rig: Callable[..., Rig]) -> None:
    """The override of a heater or doser is left alone: the firmware runs them."""
    rig = await start(make_rig(full=True))
    await switch(rig, True, 3)
    roles = {Role.DOSING, Role.HEATING}
    others = [each.index for each in rig.shown.outputs.slots if each.role in roles]
    assert others
    for index in others:
        rig.pool.pool.slots[index].held = True
    await rig.polls(15)
    assert {*others} < {*(rig.reported.outputs.held or ())}
    rig.forget()
    await rig.controller.holds.resume_all()
    assert payloads(rig) == [b"\3\0\0"]


async def test_who_asked_for_it(rig: Rig) -> None:
    """A hold is in the name of whoever needs it last: its end is theirs."""
    await start(rig)
    holds, now = rig.controller.holds, rig.controller.clock.now()
    pump = rig.output(0)

    def named() -> tuple[str, int]:
        (held,) = holds.shown
        assert held.until is not None
        return held.origin.name, round((held.until - now).total_seconds() / 60)

    await holds.hold(pump, True, timedelta(minutes=20), requester="Anna")
    assert named() == ("Anna", 20)
    await holds.claim(pump, "warm_by pool", now + timedelta(hours=2), "Warm pool by")
    assert named() == ("Warm pool by", 120)
    await holds.hold(pump, True, timedelta(minutes=20), requester="Ben")
    assert named() == ("Warm pool by", 120)
    await holds.hold(pump, True, timedelta(hours=4), requester="Cleo")
    assert named() == ("Cleo", 240)
    await holds.hold(pump, True, timedelta(minutes=10), requester="Dora")
    assert named() == ("Warm pool by", 120)
    holds.drop("warm_by pool")
    assert named()[0] == "Dora"


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_who_asked_first(make_rig: Callable[..., Rig], where: str) -> None:
    """Who started an output stays who did, whoever else wants it, and over a restart."""
    rig = await start(make_rig(full=True))
    rig.time.advance(120)
    holds, now = rig.controller.holds, rig.controller.clock.now()
    if where == "here":
        await holds.switch(rig.output(3), True, "Anna")
    else:
        rig.pool.pool.switch(3, True)
        await rig.live(1)
    (begun,) = holds.shown
    for name in ("Warm pool by", ""):
        until = now + timedelta(hours=2)
        await holds.claim(rig.output(3), f"warm_by {name}", until, name)
        await rig.live(1)
        (held,) = holds.shown
        assert held.origin == begun.origin and held.origin.where == where
    stored = to_stored(holds.all, tuple[Hold, ...])
    (kept,) = from_stored(tuple[Hold, ...], json.loads(json.dumps(stored)))
    assert kept.origins == held.origins and len(kept.origins) == 3
    holds.drop("warm_by ")
    (held,) = holds.shown
    assert {*held.origins} == {"", "warm_by Warm pool by"}


@pytest.mark.row("W12")
async def test_requests_without_an_answer_in_a_row(rig: Rig) -> None:
    """None of them ran: what is in effect ends when it was last wanted to."""
    await start(rig)
    await hold(rig, True, 30)
    rig.service.cloud.faults.on("refuse")
    rig.pool.faults.on("hang", "a")
    for on in (False, True, False):
        with pytest.raises(PoolctlError):
            await hold(rig, on, 60)
    rig.pool.faults.clear()
    await rig.live(3)
    (held,) = rig.controller.holds.shown
    assert held.on
    await rig.live(50, 60)
    assert rig.pool.pool.slots[SLOT].held
    await rig.live(12, 60)
    assert not rig.pool.pool.slots[SLOT].held
