"""Changing the heating: targets and heat sources, written as one whole."""

import asyncio
from dataclasses import replace
from typing import Any

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
    UnreachableError,
)
from tests.client.conftest import Rig
from tests.world.simulator import pool as sim_pool, settings as sim_settings

POOL_HEATER, SOLAR, SPA_HEATER = HeatSource
BITS = {
    SOLAR: sim_pool.SOLAR,
    POOL_HEATER: sim_pool.POOL_HEATER,
    SPA_HEATER: sim_pool.SPA_HEATER,
}


def selected(rig: Rig) -> set[HeatSource]:
    """Return the heat sources that may run in the simulated pool."""
    flags = int(rig.pool.pool.settings["heating"])
    return {source for source, bit in BITS.items() if flags & bit}


def select(rig: Rig, *sources: HeatSource) -> None:
    """Change the heat sources in the app."""
    rig.pool.pool.settings["heating"] = sum(BITS[source] for source in sources)


def bodies(rig: Rig) -> list[dict[str, Any]]:
    """Return the bodies of the commands that the controller received."""
    return [body for _, body in rig.sent()]


def changed(rig: Rig, before: dict[str, float]) -> dict[str, float]:
    """Return the changed settings, without the levels of the drums."""
    return {
        name: value
        for name, value in rig.pool.pool.settings.items()
        if value != before.get(name) and not name.endswith("_remaining")
    }


# One write


@pytest.mark.parametrize(
    ("water", "setting", "key"),
    [(POOL, "pool_target", "desire_pool_temp"), (SPA, "spa_target", "desire_spa_temp")],
)
async def test_a_target(pool: Rig, water: Body, setting: str, key: str) -> None:
    """The whole object is read, changed and written back."""
    settings, probes = dict(pool.pool.pool.settings), dict(pool.pool.pool.probes)
    await pool.controller.heating.change(water, target=31)
    assert pool.names() == ["v2_temp_get", "cmd", "state"]
    whole = {
        "desire_pool_temp": 28,
        "desire_spa_temp": 36,
        "is_solar_heater_selected": True,
        "is_pool_heater_selected": True,
        "is_spa_heater_selected": True,
        "temp2_ch": 1,
        "temp3_ch": 2,
    }
    assert pool.sent() == [("v2_temp_set", whole | {key: 31})]
    assert changed(pool, settings) == {setting: 31}
    assert pool.pool.pool.probes == probes
    assert water.target(pool.controller.store.reported) == 31
    # Shown at once, although the reply carries no configuration.
    shown = [water.target(state) for state in pool.published]
    assert shown == [31] * len(shown) and shown
    assert sum(pool.time.slept) == pytest.approx(2)  # read back after 2 s


@pytest.mark.parametrize(
    ("wanted", "got"), [(10, 10), (40, 40), (29.4, 29), (28.7, 29)]
)
async def test_targets_are_whole_degrees(pool: Rig, wanted: float, got: int) -> None:
    await pool.controller.heating.change(POOL, target=wanted)
    assert pool.controller.store.reported.pool_target == got


@pytest.mark.parametrize("target", [9, 41, 0, -1, 256, float("nan"), float("inf")])
@pytest.mark.parametrize("water", [POOL, SPA])
async def test_impossible_targets_are_not_sent(
    pool: Rig, water: Body, target: float
) -> None:
    with pytest.raises(InvalidCommandError):
        await pool.controller.heating.change(water, target=target, heat=True)
    assert pool.asked("q", "a") == []


# Off, and on again


async def test_the_pool_is_heated_again_by_what_heated_it_last(pool: Rig) -> None:
    heating = pool.controller.heating
    await heating.select(SOLAR, False)
    await heating.change(POOL, heat=False)
    assert selected(pool) == {SPA_HEATER}
    assert pool.controller.store.reported.pool_sources == (POOL_HEATER,)
    await heating.change(POOL, heat=True)
    assert selected(pool) == {SPA_HEATER, POOL_HEATER}


async def test_what_heated_last_is_remembered(pool: Rig) -> None:
    select(pool)
    await pool.controller.poller.poll()
    last = (SPA_HEATER, SOLAR)  # one of them does not heat the pool
    pool.controller.store.update(lambda known: replace(known, pool_sources=last))
    await pool.controller.heating.change(POOL, heat=True)
    assert selected(pool) == {SOLAR}


async def test_nobody_knows_what_heated_last(pool: Rig) -> None:
    select(pool)
    await pool.controller.poller.poll()
    pool.controller.store.update(lambda known: replace(known, pool_sources=()))
    await pool.controller.heating.change(POOL, heat=True)
    assert selected(pool) == set(POOL.sources)


async def test_heat_again_before_off_was_confirmed(pool: Rig) -> None:
    """Of several requests at once, the newest counts."""
    heating = pool.controller.heating
    await asyncio.gather(
        heating.change(POOL, heat=False),
        heating.change(POOL, heat=True),
        heating.change(POOL, heat=False),
        heating.change(POOL, target=33),
        heating.change(POOL, heat=True),
    )
    assert selected(pool) == set(HeatSource)
    assert pool.pool.pool.settings["pool_target"] == 33


async def test_heat_again_while_a_source_is_being_deselected(pool: Rig) -> None:
    """Two requests, as from a scene, do not undo each other, sent together or not."""
    heating = pool.controller.heating
    await asyncio.gather(heating.select(SOLAR, False), heating.change(POOL, heat=True))
    assert selected(pool) == {POOL_HEATER, SPA_HEATER}
    pool.published.clear()
    first = asyncio.create_task(heating.select(POOL_HEATER, False))
    again = asyncio.create_task(heating.select(SOLAR, True))
    while not pool.published:  # noqa: ASYNC110
        await asyncio.sleep(0)
    await asyncio.gather(first, again, heating.change(POOL, heat=True))
    assert selected(pool) == {SOLAR, SPA_HEATER}


async def test_off_is_off_whatever_was_selected_in_the_app(pool: Rig) -> None:
    select(pool, POOL_HEATER)
    await pool.controller.poller.poll()
    select(pool, POOL_HEATER, SOLAR, SPA_HEATER)
    await pool.controller.heating.change(POOL, heat=False)
    assert selected(pool) == {SPA_HEATER}


async def test_only_what_is_wired_is_touched(pool: Rig) -> None:
    pool.pool.pool.slots[5].aux_type = 0  # solar
    await pool.polls(15)
    await pool.polls(15)
    assert may_heat(pool.controller.store.reported, POOL)
    await pool.controller.heating.change(POOL, heat=False)
    assert selected(pool) == {SPA_HEATER, SOLAR}
    assert may_heat(pool.controller.store.reported, POOL) is False
    await pool.controller.heating.change(POOL, heat=True)
    assert selected(pool) == set(HeatSource)


async def test_a_heater_shared_by_pool_and_spa(pool: Rig) -> None:
    """A shared heater is selected separately for the pool and for the spa."""
    pool.pool.pool.slots[4].aux_type = 32
    for slot in (5, 12):
        pool.pool.pool.slots[slot].aux_type = 0
    await pool.polls(15)
    await pool.polls(15)
    known = pool.controller.store.reported
    assert fitted_sources(known, POOL) == (POOL_HEATER,)
    assert fitted_sources(known, SPA) == (SPA_HEATER,)
    await pool.controller.heating.change(POOL, heat=False)
    assert may_heat(pool.controller.store.reported, SPA)
    await pool.controller.heating.change(SPA, heat=False)
    assert selected(pool) == {SOLAR}


async def test_without_equipment(rig: Rig) -> None:
    with pytest.raises(NotSupportedError):
        await rig.controller.heating.change(SPA, heat=True)
    assert rig.asked() == []


# Several at once


async def test_two_changes_at_once(pool: Rig) -> None:
    before = dict(pool.pool.pool.settings)
    heating = pool.controller.heating
    await asyncio.gather(
        heating.change(POOL, target=30),
        heating.select(SOLAR, False),
        heating.change(SPA, target=38, heat=False),
    )
    assert len(bodies(pool)) == 1  # requested together, sent together
    assert changed(pool, before) == {
        "pool_target": 30,
        "spa_target": 38,
        "heating": sim_pool.POOL_HEATER,
    }


async def test_a_change_while_one_is_under_way(pool: Rig) -> None:
    before = dict(pool.pool.pool.settings)
    heating = pool.controller.heating
    first = asyncio.create_task(heating.change(POOL, target=30))
    while not pool.asked("q"):  # noqa: ASYNC110
        await asyncio.sleep(0)
    await asyncio.gather(first, heating.select(POOL_HEATER, False))
    assert len(bodies(pool)) == 2
    assert changed(pool, before) == {"pool_target": 30, "heating": 0b101}


async def test_an_edit_in_the_app_is_not_overwritten(pool: Rig) -> None:
    settings, probes = pool.pool.pool.settings, pool.pool.pool.probes
    settings["spa_target"] = 33
    select(pool, POOL_HEATER)
    probes |= {"temp2_ch": 3, "temp3_ch": 0}
    before = dict(settings)
    assert pool.controller.store.reported.spa_target == 36  # not read yet
    await pool.controller.heating.change(POOL, target=30)
    assert changed(pool, before) == {"pool_target": 30}
    assert pool.pool.pool.probes == {"temp2_ch": 3, "temp3_ch": 0}
    assert pool.controller.store.reported.spa_target == 33


async def test_a_change_that_got_lost_goes_again_with_the_next(pool: Rig) -> None:
    """A change that is not confirmed yet is not undone by what the next one reads."""
    pool.pool.faults.once("ignore_writes", 1, "cmd")
    heating = pool.controller.heating
    first = asyncio.create_task(heating.change(POOL, target=30))
    while not pool.published:  # noqa: ASYNC110
        await asyncio.sleep(0)
    await asyncio.gather(first, heating.select(SOLAR, False))
    assert pool.pool.pool.settings["pool_target"] == 30
    assert selected(pool) == {POOL_HEATER, SPA_HEATER}
    shown = [state.pool_target for state in pool.published]
    assert set(shown) == {30}


async def test_what_was_confirmed_is_not_written_again(pool: Rig) -> None:
    await pool.controller.heating.change(POOL, target=30)
    pool.pool.pool.settings["pool_target"] = 25  # in the app
    await pool.polls(4)
    await pool.controller.heating.select(SOLAR, False)
    assert pool.pool.pool.settings["pool_target"] == 25


# Failures


@pytest.mark.parametrize("place", ["v2_temp_get", "cmd"])
async def test_the_lan_dies(pool: Rig, place: str) -> None:
    pool.pool.faults.on("close_mid_body", place)
    with pytest.raises(UnreachableError):
        await pool.controller.heating.change(POOL, target=30)
    # Only the answer was cut off: a command may have run, and is not sent again.
    target = 30 if place == "cmd" else 28
    assert pool.pool.pool.settings["pool_target"] == target
    assert len(pool.asked("a")) == (place == "cmd")
    assert pool.controller.store.state.pool_target == 28
    pool.pool.faults.clear()
    await pool.controller.poller.poll()
    assert pool.controller.store.state.pool_target == target


FLAGS = ("is_solar_heater_selected", "is_pool_heater_selected")


@pytest.mark.parametrize(
    "reply",
    [
        {"temperature": None},
        {"temperature": []},
        {"temperature": [{"category": "spa", "target_temp": 36}]},
        {"temperature": [{"category": ["pool"], "target_temp": 36}]},
        {"pool": {"target_temp": None}},
        *({"pool": {key: "yes"}} for key in ("target_temp", *FLAGS)),
        {"spa": {"target_temp": None}},
        {"spa": {"target_temp": "warm"}},
        {"spa": {"category": "jacuzzi"}},
    ],
    ids=str,
)
async def test_a_reply_without_all_of_it(
    pool: Rig, monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any]
) -> None:
    """Frames report what the reply lacks: a target, off and a source are written."""
    whole = sim_settings.read_temperature(pool.pool.pool)
    entries = [
        entry | reply.get(str(entry["category"]), {}) for entry in whole["temperature"]
    ]
    told = whole | {"temperature": entries} | reply
    monkeypatch.setattr(sim_settings, "read_temperature", lambda pool: told)
    before = dict(pool.pool.pool.settings)
    await pool.controller.heating.change(POOL, target=30)
    assert changed(pool, before) == {"pool_target": 30}
    await pool.controller.heating.select(SOLAR, True)
    assert SOLAR in selected(pool)
    await pool.controller.heating.change(POOL, heat=False)
    assert not selected(pool) & {SOLAR, POOL_HEATER}
    assert changed(pool, before).keys() <= {"pool_target", "heating"}


async def test_a_target_that_nothing_reports(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing values would become 0, so nothing is written."""
    whole = sim_settings.read_temperature(pool.pool.pool)
    told = whole | {"temperature": whole["temperature"][:1]}
    monkeypatch.setattr(sim_settings, "read_temperature", lambda pool: told)
    pool.controller.store.update(lambda state: replace(state, spa_target=None))
    with pytest.raises(ReplyError):
        await pool.controller.heating.change(POOL, target=30)
    assert pool.asked("a") == []


async def test_unknown_keys_are_kept(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = sim_settings.read_temperature
    monkeypatch.setattr(
        sim_settings, "read_temperature", lambda pool: read(pool) | {"of_next_year": 7}
    )
    await pool.controller.heating.change(POOL, target=30)
    assert bodies(pool)[0]["of_next_year"] == 7
    assert "temperature" not in bodies(pool)[0]
