"""A command that reads before it writes reads only what may be stale."""

import asyncio

import pytest

from custom_components.poolctl.client.control.queries import FRESH
from custom_components.poolctl.client.pool.dosing import ACID, CHLORINE
from custom_components.poolctl.client.pool.heating import POOL, SPA
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.exceptions import PoolctlError
from tests.client.conftest import Rig

PH, HEATING = "get_ph_settings", "v2_temp_get"


@pytest.fixture
async def fresh(pool: Rig) -> Rig:
    """Read the settings of pH doses just now."""
    await pool.controller.queries.ask(PH)
    pool.forget()
    return pool


async def test_it_is_read_again_after_a_while(fresh: Rig) -> None:
    dosing = fresh.controller.dosing
    fresh.time.advance(FRESH - 0.1)
    await dosing.set_drum(ACID, 18_000)
    assert fresh.names("q", "a") == ["cmd"]
    # Each object is as fresh as itself.
    await dosing.set_drum(CHLORINE, 18_000)
    assert fresh.names("q") == ["get_chlorine_settings"]
    fresh.forget()
    fresh.time.advance(0.2)
    await dosing.set_drum(ACID, 19_000)
    assert fresh.names("q") == [PH]


async def test_our_own_writes_contradict_nothing(pool: Rig) -> None:
    """A later write contains our earlier one, although the reply is older than both."""
    dosing = pool.controller.dosing
    await dosing.set_drum(ACID, 18_000)
    await pool.polls(5)
    await dosing.set_desired(ACID, 7.5)
    await pool.polls(1)
    await dosing.enable(ACID, False)
    # The second query confirms the flag, which no frame reports.
    assert pool.names("q") == [PH, PH]
    expected = {"acid_drum": 18_000, "desired_ph": 75, "ph_dosing": 0}
    assert pool.settings.items() >= expected.items()


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
    assert fresh.names("q") == [PH]
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


async def test_several_changes_read_once(pool: Rig) -> None:
    dosing, heating = pool.controller.dosing, pool.controller.heating
    await asyncio.gather(dosing.set_drum(ACID, 18_000), dosing.set_desired(ACID, 7.5))
    assert pool.names("q") == [PH]
    await heating.change(POOL, target=30)
    await pool.polls(3)
    await heating.change(SPA, target=36)
    await pool.polls(3)
    await heating.select(HeatSource.SOLAR, False)
    assert pool.names("q") == [PH, HEATING]
    expected = {"acid_drum": 18_000, "desired_ph": 75}
    expected |= {"pool_target": 30, "spa_target": 36}
    assert pool.settings.items() >= expected.items()
    assert pool.reported.heat[HeatSource.SOLAR] is False
