"""Queries: slow data that is read from the LAN at intervals.

A dose is noticed soon, what a user waits for goes ahead of background queries, and a
command that reads before it writes reads only what may be stale.
"""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from custom_components.poolctl.client.controller import Controller
from custom_components.poolctl.client.pool.dosing import ACID
from custom_components.poolctl.client.pool.heating import POOL
from custom_components.poolctl.client.wire.commands import (
    CHLORINE_SETTINGS,
    PH_SETTINGS,
    PumpIdentity,
)
from custom_components.poolctl.client.wire.exceptions import PoolctlError
from tests.client.conftest import Rig
from tests.world.simulator import settings as sim_settings

PH, LIGHTS = "get_ph_settings", "get_pool_light_switch_mode"
SMALL = ["aux_names", "pump_id", "schedules", LIGHTS]
"""Queries to a pool that neither doses nor chlorinates."""
FULL = [*SMALL[:3], PH, "get_chlorine_settings", LIGHTS]


def due(rig: Rig) -> bool:
    return rig.controller.queries.due


async def test_what_the_lan_is_asked(rig: Rig) -> None:
    refresh = rig.controller.queries.refresh
    # The LAN has not answered yet.
    assert not due(rig) and not rig.controller.queries.names_due
    await rig.polls()
    assert due(rig)
    await refresh()
    assert (rig.names("q"), due(rig)) == (SMALL, False)
    assert rig.time.slept == [1, 1, 1]  # queries are signed, hence 1 s apart
    assert rig.shown.outputs.names[2] == "Waterfall"
    assert rig.shown.pump == PumpIdentity("Variable Speed", "Acme", "VSX-2")
    assert rig.shown.pool_lights == (99, 99)
    assert [one.name for one in rig.shown.schedules.used.values()] == ["Filter"]
    await refresh()
    assert rig.names("q") == SMALL
    # Again after five minutes; the first one was sent three seconds earlier.
    for seconds, again in ((296.5, False), (0.5, True)):
        rig.time.advance(seconds)
        assert due(rig) is again
    await rig.read()
    # After a change of the equipment, too.
    await rig.polls(15)
    assert not due(rig)
    rig.pool.pool.slots[4].aux_type, rig.pool.pool.slots[4].name = 1, "Fountain"
    await rig.polls(15, times=2)
    assert due(rig)
    await refresh()
    assert rig.shown.outputs.names[4] == "Fountain"


async def test_replies_that_disagree_with_the_frames_are_no_news(
    make_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries do not become more frequent, however often the two disagree."""
    rig = make_rig(full=True)
    rig.pool.pool.acid.doses = rig.pool.pool.chlorine.doses = 99  # no dose meanwhile
    rig.settings["other_acid"] = rig.settings["acid_remaining"] + 9
    for key in ("remain_acid_volume", "acid_drum_volume"):
        monkeypatch.setitem(sim_settings.PH, key, sim_settings.Key("other_acid"))
    await rig.polls()
    for _ in range(20):
        await rig.controller.queries.refresh()
        await rig.polls(1)
    twice = [each for each in FULL[3:5] for _ in range(2)]  # in each run
    assert rig.names("q") == [*FULL[:3], *twice, *FULL[5:]]
    dosing = (rig.shown.acid, rig.shown.chlorine)
    assert [(each.enabled, each.doses) for each in dosing] == [(True, 99)] * 2
    assert rig.shown.chlorinator.enabled is True


async def test_a_pump_is_asked_who_it_is_until_it_says_so(rig: Rig) -> None:
    """The identity is queried every 5 minutes until reported, then hourly."""
    rig.pool.restart()
    await rig.polls()
    asked = []
    for seconds in (300, 300, 300, 3900, 0):
        await rig.controller.queries.refresh()
        asked.append(rig.names("q").count("pump_id"))
        await rig.polls(seconds)
    assert rig.shown.variable_speed
    assert asked == [1, 3, 3, 3, 4]  # a reply that differs is asked again


# Doses


async def live(rig: Rig, seconds: float) -> None:
    """Poll every 15 s for a while, and query slow data as the coordinator does."""
    end = rig.time.now + seconds
    while rig.time.now < end:
        await rig.polls(15)
        if rig.controller.queries.due:
            await rig.controller.queries.refresh()


def asked(rig: Rig) -> tuple[int, int]:
    """Return how often each settings object was queried."""
    names = rig.names("q")
    return names.count(PH_SETTINGS.query), names.count(CHLORINE_SETTINGS.query)


@pytest.mark.parametrize(
    ("settings", "seconds", "doses", "queries"),
    [
        ({}, 120, 1, 1),
        # No poll reads its flag, but its drum; a change in the app is asked again.
        ({"ph_dosing_time": 3}, 60, 1, 2),
        ({"ph_dosing_time": 120}, 90, 0, 0),  # while it goes on
    ],
)
async def test_a_dose_is_seen_soon(
    pool: Rig, settings: dict[str, float], seconds: int, doses: int, queries: int
) -> None:
    pool.pool.pool.settings |= settings
    pool.pool.pool.water.ph, pool.pool.pool.water.orp = 7.9, 600
    await live(pool, seconds)
    assert pool.reported.acid.doses == doses
    assert asked(pool)[0] == queries
    assert pool.reported.signals.ph_dosing is (doses == 0)
    assert pool.reported.chlorine.doses == pool.pool.pool.chlorine.doses == 1
    assert asked(pool)[1] == 1


async def test_doses_cost_no_queries(pool: Rig) -> None:
    """Background queries stay within twelve an hour each (protocol.md O1)."""
    pool.settings["ph_dose_interval"] = 10
    pool.pool.pool.water.ph, pool.pool.pool.water.orp = 8.3, 400
    await live(pool, 3600)
    assert max(asked(pool)) <= 12
    assert pool.names("q").count("aux_names") >= 11
    assert pool.reported.acid.doses == pool.pool.pool.acid.doses > 3


# What a user waits for


BACKGROUND = ("pump_id", "schedules")


@pytest.mark.parametrize(
    ("fault", "work", "first"),
    [
        ("", lambda it: it.queries.ask("aux_names"), ("aux_names", *BACKGROUND)),
        ("", lambda it: it.raw.query("aux_names", b""), ("aux_names", *BACKGROUND)),
        ("", lambda it: it.heating.change(POOL, target=29), ("v2_temp_get",)),
        # Only one goes ahead of the proof, while the refusal is read: that it was not
        # the counter is proved by the query that was answered last.
        (
            "decline",
            lambda it: it.outputs.switch(3, True),
            ("aux", "pump_id", "get_pool_light_switch_mode"),
        ),
    ],
    ids=["ask", "raw query", "read before a change", "proof after a refusal"],
)
async def test_ahead_of_background_queries(
    pool: Rig,
    fault: str,
    work: Callable[[Controller], Awaitable[object]],
    first: tuple[str, ...],
) -> None:
    if fault:
        pool.pool.faults.once(fault)
    lan = pool.controller.paths.lan
    assert lan is not None
    async with lan.counters.turns.held(urgent=False):
        queries = [asyncio.create_task(lan.query(name)) for name in BACKGROUND]
        await asyncio.sleep(0)
        person = asyncio.ensure_future(work(pool.controller))
        for _ in range(20):
            await asyncio.sleep(0)
    await asyncio.gather(*queries, person)
    assert tuple(pool.names()[: len(first)]) == first


# What is read before it is written


@pytest.fixture
async def fresh(pool: Rig) -> Rig:
    """Read the settings of pH doses just now."""
    await pool.controller.queries.ask(PH)
    pool.forget()
    return pool


@pytest.mark.parametrize(
    "elsewhere", [{"desired_ph": 76, "max_ph_doses": 4}, {"acid_remaining": 9_000}]
)
async def test_a_frame_that_differs_is_believed(
    fresh: Rig, elsewhere: dict[str, float]
) -> None:
    """A dose is not undone either: an object contains the level of the drum."""
    fresh.pool.pool.settings |= elsewhere
    await fresh.polls(1)
    await fresh.controller.dosing.set_drum(ACID, 18_000)
    assert fresh.names("q") == [PH] * 2  # the first one differs
    assert fresh.settings.items() >= elsewhere.items()


@pytest.mark.parametrize("fault", ["decline", "ignore_writes"])
async def test_after_a_write_that_failed_it_is_read(fresh: Rig, fault: str) -> None:
    """What never took effect is not written again."""
    fresh.pool.faults.on(fault)
    with pytest.raises(PoolctlError):
        await fresh.controller.dosing.set_drum(ACID, 18_000)
    fresh.pool.faults.clear()
    if fault == "ignore_writes":
        await fresh.polls(1)  # later frames show that it was not done
    fresh.forget()
    await fresh.controller.dosing.set_desired(ACID, 7.5)
    assert fresh.names("q") == [PH]
    assert (fresh.settings["acid_drum"], fresh.settings["desired_ph"]) == (20_000, 75)
