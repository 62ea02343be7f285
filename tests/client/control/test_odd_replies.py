"""Odd replies (protocol.md L31): they are asked again, not shown, and never written."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from custom_components.poolctl.client.pool.dosing import ACID, CHLORINE, DoserKind
from custom_components.poolctl.client.pool.heating import POOL, SPA
from custom_components.poolctl.client.pool.queries import QUERIES
from custom_components.poolctl.client.wire.exceptions import (
    BusyError,
    InvalidCommandError,
    NotSupportedError,
)
from custom_components.poolctl.client.wire.schedule import Schedule
from tests.client.conftest import Rig
from tests.world.simulator.odd_replies import ODD

PH = "get_ph_settings"
NAMES = [query.name for query in QUERIES]


def settings(rig: Rig) -> dict[str, float]:
    """Return the settings of the simulated pool, without the levels of its drums."""
    found = rig.settings | rig.pool.pool.probes
    return {key: value for key, value in found.items() if "_remaining" not in key}


def replied(rig: Rig) -> tuple[object, ...]:
    """Return what replies report, without the levels of the drums."""
    state = rig.shown
    dosers = [replace(each, remaining_ml=0) for each in (state.acid, state.chlorine)]
    lights = state.pool_lights, state.spa_lights
    return state.outputs, state.pump, state.schedules, *dosers, *lights


def odd(rig: Rig, *at: str, times: int = 1) -> Iterator[str]:
    """Make each fault happen to the next replies at some places, one by one."""
    for fault in ODD:
        rig.pool.faults.clear()
        rig.pool.faults.once(fault, times, *at)
        yield fault
        rig.pool.faults.clear()


@pytest.mark.row("L31")
@pytest.mark.parametrize("name", NAMES)
async def test_nothing_follows_from_an_odd_reply(pool: Rig, name: str) -> None:
    before = replied(pool)
    for fault in odd(pool, name):
        for _ in range(2):  # with a good one between
            pool.pool.faults.once(fault, 1, name)
            await pool.controller.queries.ask(name)
            assert replied(pool) == before, fault
            await pool.polls(15)


@pytest.mark.parametrize("name", NAMES)
async def test_an_odd_reply_after_a_restart(rig: Rig, pool: Rig, name: str) -> None:
    """What the frames and the store report shows that the first one is odd."""
    before = replied(pool)
    for fault in odd(pool, name):
        pool.controller.queries.expire()
        await pool.controller.queries.ask(name)
        assert replied(pool) == before, fault


@pytest.mark.row("L31")
@pytest.mark.parametrize("fresh", [False, True], ids=["later", "first of a run"])
async def test_no_odd_settings_are_written_back(pool: Rig, fresh: bool) -> None:
    control, size = pool.controller, 10_000
    names = PH, "get_chlorine_settings", "v2_temp_get"
    await control.heating.change(POOL, target=24)
    for fault in odd(pool):
        for _ in range(2):  # with a good one between
            for name in names:
                pool.pool.faults.clear()
                pool.pool.faults.once(fault, 1, name)
                pool.time.advance(60)
                await pool.polls()
                if fresh:
                    control.queries.expire()
                before, size = settings(pool), size + 100
                if name == PH:
                    await control.dosing.set_drum(ACID, size)
                    before |= {"acid_drum": size}
                elif name == "v2_temp_get":
                    target = 24 + before["pool_target"] % 2
                    await control.heating.change(POOL, target=target)
                    before |= {"pool_target": target}
                else:
                    await control.dosing.set_drum(CHLORINE, size)
                    before |= {"chlorine_drum": size}
                assert settings(pool) == before, (fault, name)


async def test_what_two_replies_share_is_written_only_if_it_can_be(pool: Rig) -> None:
    before = settings(pool)
    pool.pool.faults.on("odd_zeros")
    for change in (
        pool.controller.dosing.set_drum(ACID, 18_000),
        pool.controller.heating.change(POOL, heat=False),
    ):
        with pytest.raises(InvalidCommandError) as refused:
            await change
        assert refused.value.reason == "impossible_settings"
    assert (settings(pool), pool.asked("a")) == (before, [])


@pytest.mark.parametrize(
    ("kind", "key"), [(ACID, "ph_dose_rate"), (CHLORINE, "liquid_dose_rate")]
)
async def test_a_write_after_a_reply_in_doubt(
    pool: Rig, kind: DoserKind, key: str
) -> None:
    """The accepted one is asked for again: the owner may just have changed it."""
    query = kind.keys.settings.query
    await pool.controller.queries.ask(query)
    pool.settings[key] = 33
    pool.pool.faults.once("odd_text", 1, query)
    pool.pool.faults.once("odd_zeros", 2, query)
    assert not await pool.controller.queries.ask(query)
    before = settings(pool)
    await pool.controller.dosing.set_drum(kind, 9_000)
    assert settings(pool) == before | {f"{kind.key}_drum": 9_000}


@pytest.mark.row("L31")
@pytest.mark.parametrize("ours", [True, False], ids=["ours", "of the app"])
@pytest.mark.parametrize("key", ["desired_ph", "acid_drum", "pool_target"])
async def test_a_reply_from_before_a_change(
    pool: Rig, monkeypatch: pytest.MonkeyPatch, key: str, ours: bool
) -> None:
    """It is what was accepted last, but the frames since have the change."""
    control, answer = pool.controller, pool.pool.signed_reply
    await control.heating.change(POOL, target=24)
    await control.queries.ask(PH)
    old = pool.settings[key]
    if not ours:
        pool.settings[key] = {"desired_ph": 70, "acid_drum": 9_000}.get(key, 25)
    elif key == "desired_ph":
        await control.dosing.set_desired(ACID, 7.0)
    elif key == "acid_drum":
        await control.dosing.set_drum(ACID, 9_000)
    else:
        await control.heating.change(POOL, target=25)
    await pool.polls(15, times=4)
    before, stale = settings(pool), [old]

    def signed_reply(name: str) -> bytes:
        if stale and name == ("v2_temp_get" if key == "pool_target" else PH):
            pool.settings[key] = stale.pop()
        try:
            return answer(name)
        finally:
            pool.settings[key] = before[key]

    monkeypatch.setattr(pool.pool, "signed_reply", signed_reply)
    if key == "pool_target":
        await control.heating.change(SPA, target=35)
        before |= {"spa_target": 35}
    elif key == "acid_drum":
        await control.dosing.set_desired(ACID, 7.3)
        before |= {"desired_ph": 73}
    else:
        await control.dosing.set_drum(ACID, 18_000)
        before |= {"acid_drum": 18_000}
    assert (settings(pool), before[key] != old) == (before, True)


# By the cloud, whose copies are renewed every 30 s


def odd_cloud(rig: Rig, fault: str, *at: str) -> None:
    rig.service.cloud.faults.clear()
    rig.service.cloud.faults.once(fault, 1, *at)


@pytest.mark.row("L31")
async def test_no_odd_card_is_shown_or_written_back(away: Rig) -> None:
    await away.renewed(31)
    size = 10_000
    for fault in ODD:
        for _ in range(2):  # with a good one between
            shown = away.shown.acid.drum_ml, away.shown.acid.enabled
            odd_cloud(away, fault, "chemistryCard")
            await away.renewed(31)
            assert (away.shown.acid.drum_ml, away.shown.acid.enabled) == shown
            await away.renewed(31)
            odd_cloud(away, fault, "chemistryCard")
            before, size = settings(away), size + 100
            try:
                await away.controller.dosing.set_drum(ACID, size)
            except BusyError, NotSupportedError:
                assert settings(away) == before, fault
                await away.renewed(31)
                await away.controller.dosing.set_drum(ACID, size)
            assert settings(away) == before | {"acid_drum": size}, fault


async def test_no_odd_answer_of_the_cloud_changes_the_wiring(pool: Rig) -> None:
    pool.service.cloud.not_offered.clear()
    await pool.loses_lan()
    slots, types = pool.pool.pool.slots, pool.shown.outputs.types
    light = slots[1].aux_type
    for shown, wired in ((light, 22), (light, light), (light, 22), (22, 22)):
        slots[1].aux_type = wired
        await pool.renewed(31)
        assert types and pool.output(1).type_code == shown, wired


async def test_no_odd_schedules_of_the_cloud_are_shown(away: Rig) -> None:
    before = used(away)
    assert before
    for fault in ODD:
        for _ in range(2):  # with a good one between
            odd_cloud(away, fault, "scheduleInfo")
            for _ in range(2):  # they are read every five minutes
                await away.renewed(310)
                assert used(away) == before, fault
            assert not away.service.cloud.faults


def used(rig: Rig) -> dict[int, Schedule]:
    return dict(rig.shown.schedules.used)
