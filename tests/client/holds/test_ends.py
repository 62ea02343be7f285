"""Ends that follow what they depend on: a pump, schedules that were edited, a time zone."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.wire.exceptions import UndoneLaterError
from tests.client.conftest import Rig
from tests.client.holds.test_holds import SLOT, ends, hold, lasts, start, switch, window
from tests.client.holds.test_promises import Disk, prepared
from tests.client.holds.test_seams import CLEANER, OUTPUT, PUMP, started_again


def runs(rig: Rig, slot: int = CLEANER) -> tuple[bool, bool]:
    """Return whether an output is on, and whether the pump runs."""
    return rig.pool.pool.slots[slot].on, rig.pool.pool.pump.running


def is_held(rig: Rig, slot: int = OUTPUT) -> bool:
    return rig.pool.pool.slots[slot].held


async def at_rest(make_rig: Callable[..., Rig]) -> Rig:
    """Return a pool without schedules, whose pump stands still."""
    rig = await prepared(make_rig)
    for schedule in rig.pool.pool.schedules:
        schedule.enabled = False
    await rig.read()
    await rig.live(3)
    assert runs(rig) == (False, False)
    return rig


async def test_what_starts_the_pump(make_rig: Callable[..., Rig]) -> None:
    """O2.4: a cleaner runs only with the pump, which is given back with it."""
    rig = await at_rest(make_rig)
    await hold(rig, True, 10, CLEANER)
    await rig.live(9)
    assert runs(rig) == (True, True)
    await rig.live(2)
    assert (runs(rig), rig.controller.holds.all) == ((False, False), ())


async def test_a_user_runs_the_pump_for_longer(make_rig: Callable[..., Rig]) -> None:
    """A cleaner beside it ends by itself; with a running pump, nothing else is sent."""
    rig = await at_rest(make_rig)
    await hold(rig, True, 10, CLEANER)
    await hold(rig, True, 30, PUMP)
    rig.forget()
    await hold(rig, True, 20, CLEANER)
    assert rig.names("a") == ["aux"]
    await rig.live(22, 30)
    assert runs(rig) == (False, True)
    await rig.live(10, 30)
    assert (runs(rig), rig.controller.holds.all) == ((False, False), ())


async def test_the_pump_follows_what_it_runs_for(make_rig: Callable[..., Rig]) -> None:
    """It runs for as long as the cleaner, which a user holds for longer or switches off."""
    rig = await at_rest(make_rig)
    await hold(rig, True, 10, CLEANER)
    await rig.live(1)
    await hold(rig, True, 20, CLEANER)
    await rig.live(18, 30)
    assert runs(rig) == (True, True)
    await switch(rig, False, CLEANER)
    await rig.live(1)
    assert (runs(rig), rig.controller.holds.all) == ((False, False), ())


async def test_the_time_zone_is_corrected(make_rig: Callable[..., Rig]) -> None:
    """Schedules are in the zone of the pool, so the end of a hold follows it at once."""
    zones = [ZoneInfo("UTC")]
    rig = make_rig(full=True)
    object.__setattr__(rig.controller.times, "zone", lambda: zones[-1])
    await start(rig)
    window(rig.pool.pool, 180)
    await rig.read()
    await rig.live(1)
    await switch(rig, False)
    (before,) = rig.controller.holds.all
    zones.append(ZoneInfo("Europe/Berlin"))
    await rig.live(1)
    (after,) = rig.controller.holds.all
    assert before.follows_schedules and before.until and after.until
    assert before.until - after.until == timedelta(hours=2)


@pytest.mark.parametrize(("left", "lasts"), [(0, 0), (60, 60), (180, 180)])
async def test_a_schedule_is_edited_while_home_assistant_is_down(
    make_rig: Callable[..., Rig], left: int, lasts: int
) -> None:
    """Disabled, shorter, or longer."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    window(rig.pool.pool, 120, OUTPUT)
    await rig.read()
    await rig.live(1)
    await switch(rig, False, OUTPUT)
    await disk.save()
    await rig.controller.close()
    window(rig.pool.pool, left or 120, OUTPUT)
    rig.pool.pool.schedules[0].enabled = bool(left)
    rig.time.advance(60)
    rig = started_again(make_rig, rig, disk)
    await rig.read()
    await rig.live(max(lasts - 5, 0), 60)
    assert is_held(rig) or not left
    await rig.live(7, 30)
    assert not is_held(rig)


@pytest.mark.parametrize("fault", ["odd_count", "odd_zeros", "odd_half"])
@pytest.mark.parametrize("path", ["lan", "cloud"])
async def test_the_first_schedules_after_a_start_are_odd(
    make_rig: Callable[..., Rig], path: str, fault: str
) -> None:
    """Nothing is known to compare them with, but the armed ones of the frames."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    rig.service.cloud.not_offered.clear()
    window(rig.pool.pool, 120, OUTPUT)
    schedules = rig.pool.pool.schedules
    schedules[12] = replace(schedules[0], slot=30, aux_type=1, name="Other")
    await rig.read()
    await switch(rig, False, OUTPUT)
    await disk.save()
    await rig.controller.close()
    rig.time.advance(60)
    rig = started_again(make_rig, rig, disk)
    if path == "cloud":
        rig.pool.faults.on("refuse")
        rig.service.cloud.faults.once(fault, 1, "scheduleInfo")
    else:
        rig.pool.faults.once(fault, 1, "schedules")
    await rig.polls()
    await rig.controller.queries.refresh()
    await rig.live(3)
    rig.pool.faults.clear()
    await rig.live(3)
    assert is_held(rig) and lasts(rig) in (112, 113)


@pytest.mark.row("L33")
@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize(
    ("slot", "name", "begun", "ends"),
    [(2, "Window", 30, 300), (OUTPUT, "Another", 10, 300), (OUTPUT, "Window", 60, 40)],
    ids=["other equipment", "made again", "the next one"],
)
async def test_its_place_holds_another_run(
    make_rig: Callable[..., Rig],
    slot: int,
    name: str,
    begun: int,
    ends: int,
    down: bool,
) -> None:
    """A hold follows its schedule, not what has its place since, nor a later run."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    window(rig.pool.pool, 120, OUTPUT)
    await rig.read()
    await rig.live(1)
    await switch(rig, False, OUTPUT)
    await disk.save()
    if down:
        await rig.controller.close()
    # The run of the next day is the same record: its time comes.
    next_day = (slot, name) == (OUTPUT, "Window")
    rig.time.advance(86400 if next_day else 60)
    if not next_day:
        window(rig.pool.pool, ends, slot, begun=begun)
        rig.pool.pool.schedules[0].name = name
    if down:
        rig = started_again(make_rig, rig, disk)
    await rig.read()
    await rig.live(2)
    assert not is_held(rig)


async def test_a_schedule_follows_another(rig: Rig) -> None:
    """Off is held until the output would stop; the end follows each of them."""
    await start(rig)
    window(rig.pool.pool, 20)
    first, minute = rig.pool.pool.schedules[0], rig.pool.pool.schedules[0].end
    later = replace(first, start=minute, end=(minute + 40) % 1440)
    rig.pool.pool.schedules[1] = later
    await rig.read()
    await switch(rig, False)
    assert lasts(rig) == 60
    await rig.live(30, 30)
    assert (is_held(rig, SLOT), runs(rig, SLOT)[0]) == (True, False)
    later.end = (minute + 20) % 1440
    await rig.read()
    await rig.live(6, 30)
    assert (is_held(rig, SLOT), lasts(rig)) == (True, 4)
    await rig.live(6, 30)
    assert not is_held(rig, SLOT)


async def test_a_schedule_that_never_ends(rig: Rig) -> None:
    """Off is held until a user gives it back, or until the schedule has an end."""
    await start(rig)
    window(rig.pool.pool, 20)
    always = rig.pool.pool.schedules[0]
    always.start, always.end = 0, 1439
    await rig.read()
    await switch(rig, False)
    assert ends(rig) == [None]
    await rig.live(30 * 60, 900)
    assert (is_held(rig, SLOT), runs(rig, SLOT)[0]) == (True, False)
    window(rig.pool.pool, 30)
    await rig.read()
    await rig.live(6, 30)
    assert lasts(rig) == 24
    rig.pool.pool.schedules[0].enabled = False
    await rig.read()
    await rig.live(2, 30)
    assert (is_held(rig, SLOT), ends(rig)) == (False, [])


async def test_the_app_starts_a_timer(make_rig: Callable[..., Rig]) -> None:
    """The end of the timer ends the hold, too: nothing is sent."""
    rig = await start(make_rig(full=True))
    await hold(rig, True, 60, OUTPUT)
    rig.pool.pool.start_timer(OUTPUT, 600)
    rig.forget()
    await rig.live(15)
    assert not rig.pool.pool.slots[OUTPUT].held
    assert (rig.controller.holds.all, rig.names("a")) == ((), [])


async def test_a_claimant_ends_what_it_wants(make_rig: Callable[..., Rig]) -> None:
    """Whoever asks for that is told only if this is not possible now."""
    rig = await at_rest(make_rig)
    holds, later = rig.controller.holds, timedelta(hours=1)

    async def claim() -> None:
        until = rig.controller.clock.now() + later
        await holds.claim(rig.output(OUTPUT), "somebody", until)
        await rig.polls(15)

    rig.pool.dialects.add("pump_aux_declined")
    await hold(rig, True, 1, PUMP)
    await claim()
    rig.time.advance(120)
    await holds.end("somebody")  # that the pump is refused is not about it
    assert (is_held(rig), is_held(rig, PUMP)) == (False, True)
    await claim()
    await asyncio.gather(holds.end("somebody"), switch(rig, False, OUTPUT))
    rig.pool.dialects.clear()
    await claim()
    rig.pool.pool.switch(OUTPUT, False)  # somebody was faster, as one read shows
    await rig.polls(15)
    await holds.end("somebody")
    await claim()
    rig.pool.faults.on("refuse")
    rig.service.cloud.faults.on("error_500")
    with pytest.raises(UndoneLaterError):
        await holds.end("somebody")
    rig.pool.faults.clear()
    await rig.live(5)
    assert not is_held(rig)
