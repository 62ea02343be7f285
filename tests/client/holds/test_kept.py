"""Holds end in spite of odd reads, edits and clocks (unknowns L15, L17, C20)."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from custom_components.poolctl.client.holds.claims import REFUSED_AGAIN
from custom_components.poolctl.client.pool.state import Source
from tests.client.conftest import Rig
from tests.client.holds.test_holds import (
    SLOT,
    hold,
    holds,
    lasts,
    payloads,
    start,
    switch,
    window,
)
from tests.world.simulator.cloud_dialects import CloudDialect as D

CLEANER, LIGHT, OZONE, SPA = 9, 1, 26, 10
"""Slots of the full pool."""


@pytest.mark.row("L15", "L25")
@pytest.mark.parametrize(
    ("dialect", "slot", "on"),
    [
        ("odd_no_override", 3, True),
        ("odd_no_override", 3, False),
        ("odd_pump_off", 0, True),
        ("odd_no_types", 3, True),
        ("odd_light_pulse", LIGHT, True),
        ("odd_no_flow", OZONE - 17, True),
    ],
)
async def test_one_odd_frame(
    make_rig: Callable[..., Rig], dialect: str, slot: int, on: bool
) -> None:
    """A hold keeps its beginning and its end after one odd frame."""
    rig = await start(make_rig(full=True))
    await hold(rig, on, 30, slot)
    (begun,) = rig.controller.holds.shown
    rig.pool.dialects.add(dialect)
    rig.pool.frames = 0
    for _ in range(2):
        await rig.live(0.25)
        (found,) = rig.controller.holds.shown
        assert found == begun and found.doubted_at is None
    await rig.live(31)
    assert not rig.pool.pool.slots[slot].held
    assert rig.controller.holds.shown == ()


@pytest.mark.row("L32")
@pytest.mark.parametrize(
    ("slot", "on", "lasts"), [(3, True, 30), (3, False, 30), (3, True, 0)]
)
async def test_an_output_that_is_not_reported(
    make_rig: Callable[..., Rig], slot: int, on: bool, lasts: int
) -> None:
    """For two minutes its type reads 0: what is not said is no answer."""
    rig = await start(make_rig(full=True))
    if lasts:
        await hold(rig, on, lasts, slot)
    else:
        until = rig.controller.clock.now() + timedelta(minutes=30)
        await rig.controller.holds.claim(rig.output(slot), "somebody", until)
    ended = list[str]()
    rig.controller.holds.on_ended = lambda claimant, index: ended.append(claimant)
    wired = rig.pool.pool.slots[slot]
    aux_type, wired.aux_type = wired.aux_type, 0
    await rig.live(2)
    wired.aux_type = aux_type
    await rig.live(1)
    (found,) = rig.controller.holds.shown
    assert found.origins and found.until and not ended
    await rig.live(30)
    assert not rig.pool.pool.slots[slot].held and rig.controller.holds.all == ()


@pytest.mark.row("L21")
async def test_spa_mode_stops_a_cleaner(make_rig: Callable[..., Rig]) -> None:
    """A held cleaner is listed as stopped until spa mode ends; nothing is sent."""
    rig = await start(make_rig(full=True))
    rig.pool.dialects.add("spa_takes_over")
    holds, pool = rig.controller.holds, rig.pool.pool
    await hold(rig, True, 120, CLEANER)
    sent = len(rig.names("a"))
    pool.switch(SPA, True)
    await rig.live(1)
    assert not pool.slots[CLEANER].on and pool.pump.running
    assert [each.slot for each in holds.stopped_by_spa] == [CLEANER]
    assert CLEANER not in [each.slot for each in holds.shown]
    pool.switch(SPA, False)
    await rig.live(1)
    assert (holds.stopped_by_spa, len(rig.names("a"))) == ((), sent)
    # Without spa mode, another client decides, and nothing is listed.
    await hold(rig, True, 120, CLEANER)
    pool.switch(CLEANER, False)
    await rig.live(1)
    assert holds.stopped_by_spa == ()


@pytest.mark.row("C20")
@pytest.mark.parametrize("on", [True, False])
async def test_a_hold_while_copies_stay_old(rig: Rig, on: bool) -> None:
    """Copies from before a write, served for 5 minutes, do not change its hold."""
    rig.service.cloud.not_offered.clear()
    rig.service.cloud.dialects = {D.C20_OLD}
    rig.pool.pool.switch(SLOT, not on)
    await start(rig)
    await rig.controller.poller.read_cloud()
    rig.pool.faults.on("refuse")
    await rig.live(2)
    assert rig.shown.source is Source.CLOUD
    await hold(rig, on, 30)
    (begun,) = rig.controller.holds.shown
    for _ in range(24):
        await rig.live(0.25)
        (found,) = rig.controller.holds.shown
        assert (found.on, found.until) == (on, begun.until)
        assert rig.pool.pool.relays[SLOT] is on
    await rig.live(20)
    assert holds(rig) == {SLOT: on}
    rig.pool.faults.clear()
    await rig.live(6)
    assert not rig.pool.pool.slots[SLOT].held
    assert rig.controller.holds.shown == ()


@pytest.mark.parametrize(
    ("minutes", "changes"),
    [
        (80, {"end": 80}),
        (20, {"end": 20}),
        (0, {"start": 180, "end": 300}),
        (0, {"enabled": False}),
        (0, {"slot": 99}),
    ],
    ids=["longer", "shorter", "moved", "disabled", "deleted"],
)
async def test_the_schedule_is_edited(
    rig: Rig, minutes: int, changes: dict[str, Any]
) -> None:
    """An edit of the schedule's window moves the end at once."""
    window(rig.pool.pool, 60)
    await start(rig)
    await switch(rig, False)
    now = rig.pool.pool.local_time()
    for name, value in changes.items():
        after = now.hour * 60 + now.minute if name in ("start", "end") else 0
        setattr(rig.pool.pool.schedules[0], name, after + value)
    await rig.read()
    await rig.polls(1)
    if minutes:
        assert lasts(rig) == minutes
        await rig.live(minutes - 5)  # a slow machine adds its own seconds to each poll
        assert payloads(rig) == [b"\2\0\1"]
    await rig.live(6)
    assert payloads(rig) == [b"\2\0\1", b"\2\0\0"]
    assert not rig.pool.pool.slots[SLOT].held


@pytest.mark.row("L17")
@pytest.mark.parametrize(
    ("dialect", "ahead"), [("clock_hour_behind", -60), ("clock_hour_ahead", 60)]
)
async def test_the_clock_of_the_controller_is_wrong(
    rig: Rig, dialect: str, ahead: int
) -> None:
    """From the third start on, an output is held off until its schedule ends."""
    rig.pool.dialects.add(dialect)
    window(rig.pool.pool, 60 + ahead, begun=-5 - ahead)
    await start(rig)
    for day in (1, 2, 3):
        assert rig.controller.controller_clock.offset is None
        await rig.live(10, 30)  # from 5 min before its beginning
        if day < 3:
            rig.time.advance(86400 - 600)
    await switch(rig, False)
    for minutes, held in ((48, True), (4, False)):
        await rig.live(minutes, 30)
        assert rig.pool.pool.slots[SLOT].held is held
        assert not rig.pool.pool.slots[SLOT].on


@pytest.mark.row("L6", "L22")
async def test_what_could_not_be_released(rig: Rig) -> None:
    """It does not affect the next hold, and other firmware is tried at once."""
    await start(rig)
    for last in ("stuck", "overdue"):
        rig.pool.dialects.add("pump_aux_declined")
        await hold(rig, False, 1, 0)
        await rig.live(3)
        (left,) = rig.controller.holds.shown
        assert left.failures.backoff is REFUSED_AGAIN
        if last == "stuck":
            rig.pool.dialects.clear()
            await hold(rig, False, 5, 0)
            await rig.live(6)
            assert holds(rig) == {} and not rig.pool.pool.slots[0].held
    await rig.live(87)
    assert [each.slot for each in rig.controller.holds.overdue] == [0]
    rig.pool.dialects.clear()
    rig.pool.firmware = "2.6.0"
    await rig.live(1)
    assert holds(rig) == {} and rig.controller.holds.overdue == ()


@pytest.mark.row("W4")
async def test_300_toggles(rig: Rig) -> None:
    """The last of many requests counts, and only a few are sent."""
    await start(rig)
    toggles = [switch(rig, number % 2 == 0) for number in range(299)]
    await asyncio.gather(*toggles, hold(rig, True, 20))
    assert len(rig.asked("a")) <= 3
    assert rig.pool.pool.relays[SLOT]
    assert lasts(rig) == 20
