"""A dose is noticed soon, without more queries than one every five minutes."""

import pytest

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


def asked(rig: Rig) -> tuple[int, int]:
    """Return how often each settings object was queried."""
    names = rig.names("q")
    return names.count(PH_SETTINGS.query), names.count(CHLORINE_SETTINGS.query)


@pytest.mark.parametrize(
    ("settings", "seconds", "doses", "queries"),
    [
        ({}, 120, 1, 1),
        ({"ph_dosing_time": 3}, 60, 1, 1),  # no poll reads its flag, but its drum
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
    assert pool.reported.signals.ph_dosing is (queries == 0)
    assert pool.reported.chlorine.doses == pool.pool.pool.chlorine.doses == 1
    assert asked(pool)[1] == 1


async def test_doses_cost_no_queries(pool: Rig) -> None:
    """Background queries stay within twelve an hour each (protocol.md O1)."""
    pool.settings["ph_dose_interval"] = 10
    pool.pool.pool.water.ph, pool.pool.pool.water.orp = 8.3, 400
    for hour in (1, 2):
        await live(pool, 3600)
        assert max(asked(pool)) <= 12 * hour
        assert pool.names("q").count("aux_names") >= 11 * hour
    assert pool.reported.acid.doses == pool.pool.pool.acid.doses == 6
