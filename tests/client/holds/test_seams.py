"""Promises of each kind across what goes wrong between their beginning and their end.

A lost answer through the cloud alone, a clock that is corrected, a report without its
settings, a fault of our own, a start exactly at the end, two requests at once.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.holds.claim import Why
from custom_components.poolctl.client.pool.dosing import ACID
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import PoolctlError
from tests.client.conftest import Rig, Service
from tests.client.holds.test_holds import hold, start, window
from tests.client.holds.test_promises import (
    DOSERS,
    LASTS,
    MINUTES,
    Disk,
    Kind,
    lost,
    prepared,
)
from tests.world.simulator.pool import POOL_HEATER, SOLAR

PUMP, OUTPUT, CLEANER, SLIDE = 0, 3, 9, 21
"""Slots of the full pool."""
HOUR = timedelta(hours=1)


class Wall:
    """A wall clock that may be wrong, beside a steady one."""

    def __init__(self, service: Service, hours: float, since: float | None = None):
        self._service, self.error = service, hours * 3600
        steady = service.clock.monotonic
        self.clock = Clock(since=since, wall=self.time, steady=steady)

    def time(self) -> float:
        return self._service.clock.time() + self.error

    async def correct(self, rig: Rig) -> None:
        """Set it right, and have the service confirm that."""
        self.error = 0.0
        await rig.polls(1)
        now = datetime.fromtimestamp(self._service.clock.time(), UTC)
        self.clock.confirm(format_datetime(now))


def started_again(
    make_rig: Callable[..., Rig], rig: Rig, disk: Disk, **options: Any
) -> Rig:
    """Return the controller after a start with what is on disk."""
    rig.pool.pool.update()
    new = make_rig(full=True, stored=disk.read(), **options)
    before, after = rig.controller.paths.lan, new.controller.paths.lan
    assert before is not None and after is not None
    after.counters = before.counters
    return new


def solar(rig: Rig) -> bool:
    return bool(int(rig.settings["heating"]) & SOLAR)


async def test_a_lost_answer_through_the_cloud_alone(away: Rig) -> None:
    """Its output was switched off at its end, as copies show: what the app does stays."""
    await hold(away, True, 30, OUTPUT)
    away.service.cloud.faults.on("truncated_json", "manualSet")
    await away.live(32, 30)
    away.service.cloud.faults.clear()
    await away.live(10, 30)
    assert not away.pool.pool.relays[OUTPUT]
    away.pool.pool.switch(OUTPUT, True)
    await away.live(40, 30)
    assert away.pool.pool.relays[OUTPUT]


@pytest.mark.parametrize("hours", [3, -3])
async def test_a_clock_that_is_corrected(
    make_rig: Callable[..., Rig], service: Service, hours: float
) -> None:
    """The ends of all who want an output follow it, and its beginning."""
    wall = Wall(service, hours)
    rig = await prepared(make_rig, clock=wall.clock)
    await hold(rig, True, MINUTES, OUTPUT)
    until = wall.clock.now() + 4 * HOUR
    await rig.controller.holds.claim(rig.output(OUTPUT), "another", until)
    await wall.correct(rig)
    await rig.live(1)
    (held,) = rig.controller.holds.all
    assert timedelta() < wall.clock.now() - held.since < timedelta(minutes=5)
    rig.controller.holds.drop("another")
    await rig.live(MINUTES - 5, 60)
    assert rig.pool.pool.slots[OUTPUT].held
    await rig.live(6, 60)
    assert not rig.pool.pool.slots[OUTPUT].held


@pytest.mark.parametrize("lasts", [2, MINUTES + 2])
async def test_reports_without_settings(full: Rig, kind: Kind, lasts: float) -> None:
    """They do not show that nothing is selected: neither before nor at the end."""
    full.service.cloud.faults.on("refuse")
    full.pool.faults.on("no_config")
    full.pool.faults.on("close_mid_body", "a")
    await lost(kind.promise(full))
    full.pool.faults.off("close_mid_body")
    await full.live(lasts)
    if lasts < MINUTES and kind is not DOSERS:  # what a user did not get ends soon
        assert kind.changed(full) and kind.claims(full).all
    full.pool.faults.clear()
    await full.live(MINUTES + 5 - lasts, 30)
    assert not kind.changed(full)


async def test_a_fault_of_our_own(full: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised once the others were tried, and waits like any failure."""
    for slot in (OUTPUT, CLEANER):
        await hold(full, True, 10, slot)
    holds, tried = full.controller.holds, list[int]()
    release = full.controller.outputs.resume_schedule

    async def wrong(slot: int) -> None:
        tried.append(slot)
        if slot == OUTPUT:
            raise ZeroDivisionError("of a test")
        await release(slot)

    monkeypatch.setattr(full.controller.outputs, "resume_schedule", wrong)
    full.time.advance(601)
    with pytest.raises(ZeroDivisionError):
        await holds.work()
    assert tried == [OUTPUT, CLEANER] and [h.slot for h in holds.all] == [OUTPUT]
    assert holds.wait == pytest.approx(60, abs=5)
    left = await holds.leave()
    assert [each.slot for each in left] == [OUTPUT]
    monkeypatch.undo()


async def test_a_start_in_the_middle_of_a_release(
    make_rig: Callable[..., Rig], kind: Kind
) -> None:
    """The release ran, its answer was lost, the power failed: the app's change stays."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    await kind.promise(rig)
    rig.service.cloud.faults.on("refuse")
    rig.time.advance(LASTS.total_seconds() + 1)
    await rig.polls()
    rig.pool.faults.on("close_mid_body", "a")
    await kind.claims(rig).work()
    assert not kind.changed(rig)
    await disk.save()
    await rig.controller.close()
    rig.pool.faults.clear()
    rig = started_again(make_rig, rig, disk)
    await rig.read()
    await rig.polls(15)
    kind.change(rig, True)
    await rig.live(30)
    assert kind.changed(rig)


async def test_the_controller_was_without_power(full: Rig) -> None:
    """It holds nothing any more: the hold is over, and nothing is sent."""
    await hold(full, True, MINUTES, OUTPUT)
    full.pool.faults.on("refuse")
    full.service.cloud.faults.on("refuse")
    full.time.advance(60)
    for slot in full.pool.pool.slots:
        slot.hand, slot.held = None, False
    full.pool.pool.settle()
    for faults in (full.pool.faults, full.service.cloud.faults):
        faults.clear()
    full.forget()
    await full.live(MINUTES + 5, 30)
    assert full.controller.holds.all == () and full.names("a") == []


async def test_the_app_ends_it_and_begins_it_again(full: Rig, kind: Kind) -> None:
    await kind.promise(full)
    await full.live(5)
    for changed in (False, True):
        kind.change(full, changed)
        await full.read()
        await full.live(6)
    await full.live(MINUTES, 30)
    assert kind.changed(full)


async def test_why_it_ended(full: Rig, kind: Kind) -> None:
    """Each change has its reason, and the reads behind it."""
    claims = kind.claims(full)

    def changes() -> list[tuple[str, Why | None]]:
        found = [(each.do.value, each.why) for each in claims.changes]
        claims.changes = ()
        return found

    await kind.promise(full)
    await full.live(2)
    assert changes() == [("keep", Why.NOT_OVER)]
    # The controller declines to undo it, and then does.
    full.service.cloud.faults.on("refuse")
    full.pool.faults.on("decline", "a")
    await full.live(MINUTES)
    full.pool.faults.clear()
    await full.live(20)
    assert not kind.changed(full)
    found = changes()
    # However often that failed, it is one change.
    assert found == [("keep", Why.FAILED), ("undo", None)]
    # Somebody else ends it.
    await kind.promise(full)
    await full.live(1)
    kind.change(full, False)
    await full.read()
    await full.live(1)
    ended = claims.changes[-1]
    assert (ended.do, ended.why) == ("drop", Why.NOT_SHOWN) and ended.reads
    assert all(
        ended.claim.since < at <= ended.at and not ours for at, ours in ended.reads
    )


async def test_what_was_chosen_before_a_start(make_rig: Callable[..., Rig]) -> None:
    """A thermostat selects again what a user chose, whoever else wanted it then."""
    disk = Disk()
    rig = disk.rig = await prepared(make_rig, save=disk.save)
    until = rig.controller.clock.now() + HOUR
    await rig.controller.heat.claim(HeatSource.SOLAR, "somebody", until)
    await rig.controller.close()
    chosen = PoolState(pool_sources=(HeatSource.SOLAR,))
    again = make_rig(full=True, stored=disk.read()._replace(state=chosen))
    await again.live(2)
    assert solar(again)
    assert again.reported.pool_sources == (HeatSource.SOLAR,)


async def test_a_user_deselects_it_while_it_is_requested(full: Rig) -> None:
    """The user decided last: a second request is confirmed by no answer to the first."""
    heat, source = full.controller.heat, HeatSource.SOLAR
    until = full.controller.clock.now() + timedelta(minutes=30)
    full.forget()
    first = asyncio.create_task(heat.claim(source, "somebody", until))
    while not full.asked("a"):  # noqa: ASYNC110
        await asyncio.sleep(0)
    with heat.following([source], False):
        await full.controller.heating.choose(source, False)
    await first
    await full.live(2)
    assert not solar(full) and heat.all == ()


@pytest.mark.parametrize("then", [10, 50])
async def test_a_speed_and_then_a_hold(
    make_rig: Callable[..., Rig], then: float
) -> None:
    """The hold counts from now on; its end gives the pump back to its schedule."""
    rig = await start(make_rig(full=True))
    window(rig.pool.pool, 40, PUMP)
    await rig.read()
    await rig.live(1)
    await rig.controller.holds.set_speed(90)
    await hold(rig, True, then, PUMP, 50)
    await rig.live(then - 2, 60)
    assert rig.pool.pool.pump.speed == 50
    await rig.live(4, 60)
    assert rig.controller.holds.all == () and not rig.pool.pool.slots[PUMP].held
    assert rig.pool.pool.pump.running is (then < 40)


async def test_the_sign_in_ended_through_the_cloud_alone(away: Rig) -> None:
    """It is tried again; on leaving, what could not be undone is named."""
    await hold(away, True, 30, OUTPUT)
    away.service.cloud.faults.on("unauthorized")
    away.time.advance(31 * 60)
    failures = await away.controller.holds.work()
    assert len(failures) == 1 and away.pool.pool.relays[OUTPUT]
    left = await away.controller.leave()
    assert [each.slot for each in left.holds] == [OUTPUT]
    away.service.cloud.faults.clear()
    await away.live(20, 30)
    assert not away.pool.pool.relays[OUTPUT]


@pytest.mark.row("W3")
async def test_the_lan_is_given_up(full: Rig) -> None:
    """What the cloud undoes stays until its end; what only the LAN can is undone now."""
    pool, leave = full.pool.pool, full.controller.leave
    await hold(full, True, 10, OUTPUT)
    await hold(full, False, 10, SLIDE)
    full.time.advance(15)
    assert (await leave(only_lan=True)).holds == ()
    assert (pool.slots[OUTPUT].held, pool.slots[SLIDE].held) == (True, False)
    full.time.advance(600)
    assert (await leave(only_lan=True)).holds == ()
    assert not pool.slots[OUTPUT].held


@pytest.mark.parametrize("hangs", ["a", "cmd"])
async def test_what_hangs_on_leaving(full: Rig, hangs: str) -> None:
    """What was not undone in 10 s is named, and keeps nothing else from being undone."""
    until = full.controller.clock.now() + HOUR
    await full.controller.heat.claim(HeatSource.POOL_HEATER, "somebody", until)
    await hold(full, True, MINUTES, OUTPUT)
    await full.controller.pauses.begin([ACID], LASTS)
    full.service.cloud.faults.on("refuse")
    full.pool.faults.on("hang", hangs)
    left = await full.controller.leave()
    found = [bool(each) for each in left]
    assert found == ([True, True, True] if hangs == "a" else [True, False, True])
    name = full.output(OUTPUT).name
    assert left.names(full.shown) == [name] * found[1] + [
        "pool_heater (heating)",
        "acid (dosing)",
    ]
    assert int(full.settings["heating"]) & POOL_HEATER


async def test_leaving_while_a_request_hangs(full: Rig, kind: Kind) -> None:
    """Its command may have run: that is undone, too, or named."""
    full.service.cloud.faults.on("refuse")
    full.pool.faults.once("hang", 1, "a")
    full.forget()
    asked = asyncio.create_task(kind.promise(full))
    while not full.asked("a"):  # noqa: ASYNC110
        await asyncio.sleep(0)
    kind.change(full, True)
    left = await full.controller.leave()
    with pytest.raises(PoolctlError):
        await asked
    assert not kind.changed(full) and not any(left)
