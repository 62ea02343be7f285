"""Pauses of dosing end by themselves, and resume only the dosers they stopped."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from custom_components.poolctl.client.clock import Clock
from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.holds.claims import Reads
from custom_components.poolctl.client.holds.pauses import Pause, Pauses
from custom_components.poolctl.client.pool.dosing import (
    ACID,
    CHLORINATOR,
    CHLORINE,
    DOSING,
    AnyDosing,
)
from custom_components.poolctl.client.pool.state import Source
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    PoolctlError,
)
from tests.client.conftest import Rig

HALF_AN_HOUR = timedelta(minutes=30)


def is_on(rig: Rig) -> bool:
    """Return whether the acid doser of the simulated pool is on."""
    return bool(rig.settings["ph_dosing"])


def switch(rig: Rig, on: bool) -> None:
    """Switch the acid doser as the vendor's app does."""
    rig.settings["ph_dosing"] = int(on)


async def read(rig: Rig) -> None:
    """Read all slow data, and a state that is newer."""
    await rig.read()
    await rig.polls(15)


async def pause(rig: Rig, minutes: float = 30) -> None:
    await rig.controller.pauses.begin([ACID], timedelta(minutes=minutes))


def writes(rig: Rig) -> int:
    return len(rig.sent())


def kinds(pauses: Iterable[Pause]) -> list[AnyDosing]:
    return [pause.kind for pause in pauses]


def stored(rig: Rig) -> Any:
    return to_stored(rig.controller.pauses.all, tuple[Pause, ...])


def again(rig: Rig, kept: Any, clock: Clock | None = None) -> Pauses:
    """Return the pauses as a new run of Home Assistant restores them."""
    controller = rig.controller
    times = replace(controller.times, clock=clock or controller.clock)
    pauses = from_stored(tuple[Pause, ...], kept)
    reads = Reads(controller.poller, controller.paths, controller.live)
    return Pauses(reads, controller.dosing, times, pauses)


async def test_a_second_pause_moves_the_end(pool: Rig) -> None:
    pauses = pool.controller.pauses
    await pause(pool, 30)
    first = pauses.until(ACID)
    await pool.live(10, 60)
    await pause(pool, 60)
    second = pauses.until(ACID)
    assert first is not None and second is not None and writes(pool) == 1
    assert (second - first) / timedelta(minutes=40) == pytest.approx(1, abs=0.01)
    await pool.live(58, 60)
    assert not is_on(pool)
    await pause(pool, 1)
    await pool.live(2, 60)
    assert is_on(pool) and writes(pool) == 2
    # It stays confirmed: a doser that is switched on ends it at once.
    await pause(pool, 30)
    await pool.live(10, 60)
    await pause(pool, 60)
    switch(pool, True)
    await read(pool)
    assert pauses.until(ACID) is None


async def test_only_what_is_on_is_taken(pool: Rig) -> None:
    switch(pool, False)
    await read(pool)
    with pytest.raises(
        InvalidCommandError, check=lambda e: e.reason == "dosing_is_off"
    ):
        await pause(pool)
    await pool.controller.pauses.begin(DOSING, HALF_AN_HOUR)
    assert {*kinds(pool.controller.pauses.shown)} == {CHLORINATOR, CHLORINE}
    await pool.live(31, 60)
    assert not is_on(pool) and pool.controller.pauses.shown == ()


@pytest.mark.parametrize(
    ("who", "on", "sent"),
    [("app", True, 1), ("app, unread", True, 1), ("user", True, 2), ("user", False, 2)],
)
async def test_switched_meanwhile(pool: Rig, who: str, on: bool, sent: int) -> None:
    """The pause ends when the change is known, else at its end, and sends nothing."""
    pauses = pool.controller.pauses
    await pause(pool)
    await pool.live(5, 60)
    if who == "user":
        await pauses.enable(ACID, on)
    else:
        switch(pool, on)
    if who == "app":
        await read(pool)
    assert (pauses.shown == ()) is (who != "app, unread")
    await pool.live(31, 60)
    assert (pauses.shown, is_on(pool), writes(pool)) == ((), on, sent)


@pytest.mark.row("C29", "C20")
async def test_old_copies(pool: Rig, away: Rig) -> None:
    """Copies from before the command end no pause, nor does the LAN's return."""
    for rig in (pool, away):
        rig.service.cloud.not_offered.clear()
        switch(rig, True)
        await read(rig)
        card = dict(rig.settings)
        await pause(rig, 20)
        if rig is pool:
            rig.pool.faults.on("refuse")
        rig.settings.update(card)  # what the cloud still has
        await rig.live(4, 30)
        assert rig.shown.source is Source.CLOUD and is_on(rig)
        switch(rig, False)
        rig.pool.faults.clear()
        await rig.live(10, 30)
        assert not is_on(rig) and kinds(rig.controller.pauses.shown) == [ACID]
        await rig.live(8, 30)
        assert is_on(rig) and rig.controller.pauses.shown == ()


@pytest.mark.parametrize(("ran", "doses"), [(True, False), (False, True)])
async def test_a_user_switches_it_off_for_good(
    pool: Rig, ran: bool, doses: bool
) -> None:
    """Its answer is lost: it stays off at the end of the pause, if that may have run."""
    await pool.controller.pauses.begin([ACID], HALF_AN_HOUR)
    pool.service.cloud.faults.on("refuse")
    pool.pool.faults.on("close_mid_body" if ran else "decline", "a")
    with pytest.raises(PoolctlError) as caught:
        await pool.controller.pauses.enable(ACID, False)
    assert (caught.value.ran is False) is not ran
    pool.pool.faults.clear()
    await pool.live(35)
    assert bool(pool.settings["ph_dosing"]) is doses


async def test_nobody_answers_at_its_end(pool: Rig) -> None:
    """Overdue an hour after the end, restarts or not; the first answer resumes it."""
    pauses = pool.controller.pauses
    await pause(pool)
    kept = stored(pool)
    pool.pool.faults.on("refuse")
    await pool.live(80, 60)
    assert not is_on(pool) and not pauses.overdue
    restarted = again(pool, kept)
    await restarted.work()
    assert not restarted.overdue
    await pool.live(12, 60)
    assert kinds(pauses.overdue) == kinds(restarted.overdue) == [ACID]
    # The waits of an outage have doubled, but none of them outlasts it.
    pool.pool.faults.clear()
    await pool.live(1, 60)
    assert is_on(pool) and not pauses.overdue


@pytest.mark.parametrize(
    ("fault", "sent"),
    [("refuse", 0), ("close_mid_body", 2), ("ignore_writes", 1), ("decline", 2)],
)
async def test_a_beginning_that_fails(pool: Rig, fault: str, sent: int) -> None:
    """After an error was raised, no pause remains, and the doser does not stay off."""
    pool.pool.faults.on(fault, *(["a"] * (fault != "refuse")))
    with pytest.raises(PoolctlError):
        await pause(pool)
    pool.pool.faults.clear()
    if fault != "refuse":  # with it, it certainly did not run
        await pool.live(4, 60)
    assert pool.controller.pauses.shown == () and is_on(pool)
    assert writes(pool) == sent


async def test_one_that_fails_keeps_no_other_from_its_pause(pool: Rig) -> None:
    pool.pool.faults.on("garbage", "get_ph_settings")
    with pytest.raises(PoolctlError):
        await pool.controller.pauses.begin(DOSING, HALF_AN_HOUR)
    assert not pool.settings["orp_flags"]
    await pool.live(31, 60)
    assert pool.settings["orp_flags"] == 3


async def test_made_longer_where_no_new_read_shows_it(pool: Rig, away: Rig) -> None:
    """An old read does not show that the doser is off: the request is sent again."""
    for rig, fault in ((pool, ""), (pool, "q"), (away, "q")):
        switch(rig, True)
        await rig.live(2, 30)  # two copies have to show what the app did
        await pause(rig)
        await rig.live(5, 60)
        switch(rig, True)
        if fault:
            rig.pool.faults.on("close_mid_body", fault)
        await pause(rig, 60)
        rig.pool.faults.clear()
        assert not is_on(rig)
        await rig.live(58, 60)
        assert not is_on(rig)
        await rig.live(4, 60)
        assert is_on(rig)


@pytest.mark.row("L31")
@pytest.mark.parametrize("fault", ["odd_zeros", "odd_count", "odd_text"])
async def test_leaving_by_the_cloud_with_one_odd_card(away: Rig, fault: str) -> None:
    """It is read again within the time of leaving."""
    switch(away, True)
    await read(away)
    before = dict(away.settings)
    await pause(away)
    await away.live(3, 31)
    assert not is_on(away)
    away.service.cloud.faults.once(fault, 1, "chemistryCard")
    left = away.time.now
    assert (await away.controller.leave()).pauses == ()
    assert is_on(away) and away.time.now - left <= 10
    assert away.settings.items() >= {**before, "ph_dosing": 1}.items()
