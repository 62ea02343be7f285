"""A dose is noticed soon, without more queries than one every five minutes."""

from custom_components.poolctl.client.wire.commands import (
    CHLORINE_SETTINGS,
    PH_SETTINGS,
)
from tests.client.conftest import Rig


async def live(rig: Rig, seconds: float) -> None:
    """Poll every 15 s for a while, and query slow data as the coordinator does."""
    end = rig.time.now + seconds
    while rig.time.now < end:
        await rig.polls(15)
        if rig.controller.queries.due:
            await rig.controller.queries.refresh()


def asked(rig: Rig, query: str) -> int:
    return rig.names("q").count(query)


async def test_a_dose_is_seen_soon(pool: Rig) -> None:
    pool.pool.pool.water.ph = 7.9
    pool.pool.pool.water.orp = 600
    seen: list[tuple[int, int]] = []
    for _ in range(8):
        await live(pool, 15)
        seen.append((pool.pool.pool.acid.doses, pool.pool.pool.chlorine.doses))
    known = pool.controller.store.reported
    assert seen[-1] == (1, 1) == (known.acid.doses, known.chlorine.doses)
    assert asked(pool, PH_SETTINGS.query) == asked(pool, CHLORINE_SETTINGS.query) == 1


async def test_a_dose_shorter_than_a_poll(pool: Rig) -> None:
    """A dose whose flag no poll reads is noticed by the level of its drum."""
    pool.pool.pool.settings |= {"ph_dosing_time": 3}
    pool.pool.pool.water.ph = 7.9
    await live(pool, 60)
    assert pool.controller.store.reported.acid.doses == 1
    assert asked(pool, PH_SETTINGS.query) == 1


async def test_nothing_is_asked_while_a_dose_goes_on(pool: Rig) -> None:
    pool.pool.pool.settings |= {"ph_dosing_time": 120}
    pool.pool.pool.water.ph = 7.9
    await live(pool, 90)
    assert pool.controller.store.reported.signals.ph_dosing is True
    assert pool.controller.store.reported.acid.doses == 0
    assert asked(pool, PH_SETTINGS.query) == 0


async def test_doses_cost_no_queries(pool: Rig) -> None:
    """Background queries stay within twelve an hour each (protocol.md O1)."""
    pool.pool.pool.settings |= {"ph_dose_interval": 10}
    pool.pool.pool.water.ph = 8.3
    pool.pool.pool.water.orp = 400
    for hour in (1, 2):
        await live(pool, 3600)
        assert asked(pool, PH_SETTINGS.query) <= 12 * hour
        assert asked(pool, CHLORINE_SETTINGS.query) <= 12 * hour
        assert asked(pool, "aux_names") >= 11 * hour
    assert pool.controller.store.reported.acid.doses == pool.pool.pool.acid.doses == 6
