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


def reads(rig: Rig, name: str) -> int:
    """Return how often a query was sent."""
    return rig.names("q").count(name)


async def test_it_is_read_again_after_a_while(pool: Rig) -> None:
    await pool.controller.queries.ask(PH)
    pool.forget()
    pool.time.advance(FRESH - 0.1)
    await pool.controller.dosing.set_drum(ACID, 18_000)
    assert pool.names("q", "a") == ["cmd"]
    pool.time.advance(0.2)
    await pool.controller.dosing.set_drum(ACID, 19_000)
    assert reads(pool, PH) == 1


async def test_our_own_writes_contradict_nothing(pool: Rig) -> None:
    """A later write contains our earlier one, although the reply is older than both."""
    dosing, settings = pool.controller.dosing, pool.pool.pool.settings
    await dosing.set_drum(ACID, 18_000)
    await pool.polls(5)
    await dosing.set_desired(ACID, 7.5)
    await pool.polls(1)
    await dosing.enable(ACID, False)
    # The second query confirms the flag, which no frame reports.
    assert pool.names("q") == [PH, PH]
    assert (settings["acid_drum"], settings["desired_ph"]) == (18_000, 75)
    assert settings["ph_dosing"] == 0


async def test_a_frame_that_differs_is_believed(pool: Rig) -> None:
    await pool.controller.queries.ask(PH)
    pool.forget()
    pool.pool.pool.settings |= {"desired_ph": 76, "max_ph_doses": 4}  # in the app
    await pool.polls(1)
    await pool.controller.dosing.set_drum(ACID, 18_000)
    assert reads(pool, PH) == 1
    assert pool.pool.pool.settings["max_ph_doses"] == 4
    assert pool.pool.pool.settings["desired_ph"] == 76


async def test_a_dose_is_never_undone(pool: Rig) -> None:
    """An object contains the level of the drum, which a write must not raise again."""
    await pool.controller.queries.ask(PH)
    pool.forget()
    pool.pool.pool.settings["acid_remaining"] -= 100
    left = pool.pool.pool.settings["acid_remaining"]
    await pool.polls(1)
    await pool.controller.dosing.set_drum(ACID, 18_000)
    assert reads(pool, PH) == 1
    assert pool.pool.pool.settings["acid_remaining"] == left


async def test_each_object_is_as_fresh_as_itself(pool: Rig) -> None:
    await pool.controller.queries.ask(PH)
    pool.forget()
    await pool.controller.dosing.set_drum(CHLORINE, 18_000)
    assert pool.names("q") == ["get_chlorine_settings"]


async def test_after_a_write_that_failed_it_is_read(pool: Rig) -> None:
    await pool.controller.queries.ask(PH)
    pool.forget()
    pool.pool.faults.on("decline")
    with pytest.raises(PoolctlError):
        await pool.controller.dosing.set_drum(ACID, 18_000)
    pool.pool.faults.off("decline")
    before = reads(pool, PH)
    await pool.controller.dosing.set_drum(ACID, 18_000)
    assert reads(pool, PH) == before + 1


async def test_what_never_took_effect_is_not_written_again(pool: Rig) -> None:
    """Later frames show that the write was not done: the object is read again."""
    pool.pool.faults.on("ignore_writes")
    with pytest.raises(PoolctlError):
        await pool.controller.dosing.set_drum(ACID, 18_000)
    pool.pool.faults.off("ignore_writes")
    await pool.polls(1)
    pool.forget()
    await pool.controller.dosing.set_desired(ACID, 7.5)
    assert reads(pool, PH) == 1
    assert pool.pool.pool.settings["acid_drum"] != 18_000


async def test_the_heating_is_read_once_for_several_changes(pool: Rig) -> None:
    heating, settings = pool.controller.heating, pool.pool.pool.settings
    await heating.change(POOL, target=30)
    await pool.polls(3)
    await heating.change(SPA, target=36)
    await pool.polls(3)
    await heating.select(HeatSource.SOLAR, False)
    assert reads(pool, HEATING) == 1
    assert (settings["pool_target"], settings["spa_target"]) == (30, 36)
    assert pool.controller.store.reported.heat[HeatSource.SOLAR] is False


async def test_two_at_once_read_once(pool: Rig) -> None:
    await asyncio.gather(
        pool.controller.dosing.set_drum(ACID, 18_000),
        pool.controller.dosing.set_desired(ACID, 7.5),
    )
    assert reads(pool, PH) == 1
    assert pool.pool.pool.settings["acid_drum"] == 18_000
    assert pool.pool.pool.settings["desired_ph"] == 75
