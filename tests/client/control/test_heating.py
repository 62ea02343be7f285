"""Changing the heating: targets and heat sources, written as one whole."""

import asyncio
from dataclasses import replace

import pytest

from custom_components.poolctl.client.pool.heating import (
    POOL,
    SPA,
    Body,
    fitted_sources,
    may_heat,
)
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    ReplyError,
)
from tests.client.conftest import Rig
from tests.world.simulator import pool as sim_pool, settings as sim_settings
from tests.world.simulator.raw import until

POOL_HEATER, SOLAR, SPA_HEATER = HeatSource
BITS = {
    SOLAR: sim_pool.SOLAR,
    POOL_HEATER: sim_pool.POOL_HEATER,
    SPA_HEATER: sim_pool.SPA_HEATER,
}


def selected(rig: Rig) -> set[HeatSource]:
    """Return the heat sources that may run in the simulated pool."""
    return {it for it, bit in BITS.items() if int(rig.settings["heating"]) & bit}


def select(rig: Rig, *sources: HeatSource) -> None:
    """Change the heat sources in the app."""
    rig.settings["heating"] = sum(BITS[source] for source in sources)


def changed(rig: Rig, before: dict[str, float]) -> dict[str, float]:
    """Return the changed settings, without the levels of the drums."""
    changes = dict(rig.settings.items() - before.items())
    return {key: value for key, value in changes.items() if "_remaining" not in key}


# One write


@pytest.mark.parametrize(
    ("water", "setting", "key"),
    [(POOL, "pool_target", "desire_pool_temp"), (SPA, "spa_target", "desire_spa_temp")],
)
async def test_a_target(pool: Rig, water: Body, setting: str, key: str) -> None:
    """The whole object is read, changed and written back."""
    settings, probes = dict(pool.settings), dict(pool.pool.pool.probes)
    await pool.controller.heating.change(water, target=31)
    assert pool.names() == ["v2_temp_get", "cmd", "state"]
    whole: dict[str, float] = {
        f"is_{it}_heater_selected": True for it in ("solar", "pool", "spa")
    }
    whole |= {"desire_pool_temp": 28, "desire_spa_temp": 36}
    whole |= {"temp2_ch": 1, "temp3_ch": 2}
    assert pool.sent() == [("v2_temp_set", whole | {key: 31})]
    assert changed(pool, settings) == {setting: 31}
    assert pool.pool.pool.probes == probes
    assert water.target(pool.reported) == 31
    # Shown at once, although the reply carries no configuration.
    assert {water.target(state) for state in pool.published} == {31}
    assert sum(pool.time.slept) == pytest.approx(2)  # read back after 2 s


async def test_targets_are_possible_whole_degrees(pool: Rig) -> None:
    change = pool.controller.heating.change
    for water in (POOL, SPA):
        for target in (9, 41, 28.5, -1, 256, float("nan"), float("inf")):
            with pytest.raises(InvalidCommandError, match="from 10 to 40 °C"):
                await change(water, target=target, heat=True)
    assert pool.asked("q", "a") == []
    for wanted in (10, 40, 29.0):
        await change(POOL, target=wanted)
        assert pool.reported.pool_target == wanted


# Off, and on again


async def heat(rig: Rig, on: bool, body: Body = POOL) -> set[HeatSource]:
    """Have a body heated or not; return the sources that may run then."""
    await rig.controller.heating.change(body, heat=on)
    return selected(rig)


def remember(rig: Rig, *last: HeatSource) -> None:
    """Let these sources have heated the pool last."""
    rig.controller.live.update(lambda known: replace(known, pool_sources=last))


async def test_off_and_on_again(pool: Rig) -> None:
    """The pool is heated again by what heated it last."""
    await pool.controller.heating.choose(SOLAR, False)
    assert await heat(pool, False) == {SPA_HEATER}
    assert pool.reported.pool_sources == (POOL_HEATER,)
    assert await heat(pool, True) == {SPA_HEATER, POOL_HEATER}
    # Off is off, whatever was selected in the app meanwhile.
    select(pool, *HeatSource)
    assert await heat(pool, False) == {SPA_HEATER}
    # One of the last two does not heat the pool; or nobody knows what heated it.
    for last, heated in ([SPA_HEATER, SOLAR], {SOLAR}), ([], set(POOL.sources)):
        select(pool)
        await pool.polls(15)
        remember(pool, *last)
        assert await heat(pool, True) == heated


async def test_one_odd_frame_chooses_nothing(pool: Rig) -> None:
    """Heating is off, and one frame shows the heater: the sun heated the pool last."""
    await pool.controller.heating.choose(POOL_HEATER, False)
    assert await heat(pool, False) == {SPA_HEATER}
    select(pool, POOL_HEATER)
    pool.time.advance(15)
    await pool.controller.poller.read_lan(again=False)
    select(pool)
    await pool.polls(15, times=2)
    assert await heat(pool, True) == {SOLAR}
    # What two frames show was chosen in the app; what a user chooses here counts at once.
    select(pool, POOL_HEATER)
    await pool.polls(15, times=2)
    assert [*pool.reported.pool_sources] == [POOL_HEATER]
    await pool.controller.heating.choose(SOLAR, True)
    assert [*pool.reported.pool_sources] == [POOL_HEATER, SOLAR]


async def test_only_what_is_wired_is_touched(pool: Rig) -> None:
    """A shared heater is selected separately for the pool and for the spa."""
    slots = pool.pool.pool.slots
    slots[5].aux_type = 0  # solar
    await pool.polls(15, times=3)
    assert may_heat(pool.reported, POOL)
    assert await heat(pool, False) == {SPA_HEATER, SOLAR}
    assert may_heat(pool.reported, POOL) is False
    assert await heat(pool, True) == set(HeatSource)
    slots[4].aux_type, slots[12].aux_type = 32, 0
    await pool.polls(15, times=2)
    assert fitted_sources(pool.reported, POOL) == (POOL_HEATER,)
    assert fitted_sources(pool.reported, SPA) == (SPA_HEATER,)
    await heat(pool, False)
    assert may_heat(pool.reported, SPA)
    assert await heat(pool, False, SPA) == {SOLAR}


async def test_without_equipment(rig: Rig) -> None:
    with pytest.raises(NotSupportedError):
        await heat(rig, True, SPA)
    assert rig.asked() == []


# Several at once


async def test_changes_at_once_are_sent_together_and_the_newest_counts(
    pool: Rig,
) -> None:
    before, heating = dict(pool.settings), pool.controller.heating
    await asyncio.gather(
        heating.change(POOL, target=30),
        heating.choose(SOLAR, False),
        heating.change(SPA, target=38, heat=False),
    )
    assert len(pool.sent()) == 1
    targets = {"pool_target": 30, "spa_target": 38}
    assert changed(pool, before) == targets | {"heating": sim_pool.POOL_HEATER}
    await asyncio.gather(
        heating.change(POOL, heat=False),
        heating.change(POOL, heat=True),
        heating.change(POOL, heat=False),
        heating.change(POOL, target=33),
        heating.change(POOL, heat=True),
    )
    assert (selected(pool), pool.settings["pool_target"]) == ({POOL_HEATER}, 33)


@pytest.mark.parametrize("lost", [False, True])
async def test_a_change_while_one_is_under_way(pool: Rig, lost: bool) -> None:
    """One that got lost goes again with the next, and is not undone by its read."""
    if lost:
        pool.pool.faults.once("ignore_writes", 1, "cmd")
    before, heating = dict(pool.settings), pool.controller.heating
    first = asyncio.create_task(heating.change(POOL, target=30))
    await until(lambda: bool(pool.published if lost else pool.asked("q")))
    await asyncio.gather(first, heating.select(POOL_HEATER, False))
    assert len(pool.sent()) == 2
    assert changed(pool, before) == {"pool_target": 30, "heating": 0b101}
    assert {state.pool_target for state in pool.published} == {30}


async def test_an_edit_in_the_app_is_not_overwritten(pool: Rig) -> None:
    probes = {"temp2_ch": 3, "temp3_ch": 0}
    pool.settings["spa_target"] = 33
    select(pool, POOL_HEATER)
    pool.pool.pool.probes |= probes
    before = dict(pool.settings)
    assert pool.reported.spa_target == 36  # not read yet
    await pool.controller.heating.change(POOL, target=30)
    assert changed(pool, before) == {"pool_target": 30}
    await pool.polls(15)
    assert (pool.pool.pool.probes, pool.reported.spa_target) == (probes, 33)
    # What was confirmed is not written again.
    pool.settings["pool_target"] = 25
    await pool.polls(4)
    await pool.controller.heating.choose(SOLAR, False)
    assert pool.settings["pool_target"] == 25


# Failures


async def test_a_target_that_nothing_reports(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing values would become 0, so nothing is written."""
    whole = sim_settings.read_temperature(pool.pool.pool)
    reported = whole | {"temperature": whole["temperature"][:1], "of_next_year": 7}
    monkeypatch.setattr(sim_settings, "read_temperature", lambda pool: reported)
    pool.controller.live.update(lambda state: replace(state, spa_target=None))
    with pytest.raises(ReplyError):
        await pool.controller.heating.change(POOL, target=30)
    assert pool.asked("a") == []
    # Keys that nobody knows are kept.
    pool.controller.live.update(lambda state: replace(state, spa_target=36))
    await pool.controller.heating.change(POOL, target=30)
    ((_, body),) = pool.sent()
    assert (body["of_next_year"], "temperature" in body) == (7, False)
