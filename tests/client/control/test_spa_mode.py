"""Spa mode and the state of heating: where the water goes, and what heats it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from custom_components.poolctl.client.pool.heating import (
    POOL,
    SPA,
    heats,
    may_heat,
    selected_sources,
    temperature,
)
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.frame import Signals
from tests.client.conftest import Rig

RETURN, SUCTION, EXTRA_1, EXTRA_2 = 10, 11, 19, 20
"""The slots of the spa actuators."""


def spa_mode(rig: Rig) -> bool | None:
    """Return whether the water goes to the spa, `None` if that is unknown."""
    return rig.controller.store.state.spa_mode


async def switch_spa(rig: Rig, on: bool) -> None:
    """Send the water to the spa, or back to the pool."""
    await rig.controller.holds.switch(rig.controller.store.state.outputs.spa, on)


async def test_spa_mode(pool: Rig) -> None:
    """It takes one command: the firmware moves all actuators, and heating follows."""
    assert spa_mode(pool) is False
    await switch_spa(pool, True)
    assert [r.payload for r in pool.asked()] == [bytes([RETURN, 1, 1])]
    slots = pool.pool.pool.slots
    assert all(slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    assert spa_mode(pool) is True
    pool.pool.pool.water.ambient = 40  # solar heating runs, too: for the spa
    await pool.polls(15)
    assert heats(pool.controller.store.state, SPA)
    assert pool.controller.store.state.signals.solar
    assert heats(pool.controller.store.state, POOL) is False
    assert temperature(pool.controller.store.state, POOL) is None
    assert temperature(pool.controller.store.state, SPA) is None  # the probe settles
    await pool.polls(300)
    water = pool.controller.store.state.readings.water_temperature
    assert temperature(pool.controller.store.state, SPA) == water is not None

    await switch_spa(pool, False)
    assert not any(slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    await pool.polls(15)
    assert not heats(pool.controller.store.state, SPA)
    assert heats(pool.controller.store.state, POOL)
    assert temperature(pool.controller.store.state, SPA) is None


async def test_spa_mode_goes_back_to_the_schedules_as_a_whole(pool: Rig) -> None:
    await switch_spa(pool, True)
    assert {RETURN, SUCTION} <= set(pool.controller.store.state.outputs.held or ())
    await pool.controller.holds.resume_all()
    assert pool.asked("a")[-1].payload == bytes([RETURN, 0, 0])
    assert len(pool.asked("a")) == 2  # the other actuators followed
    await pool.polls(2)
    assert pool.controller.store.state.outputs.held == ()
    assert spa_mode(pool) is False


@pytest.mark.parametrize(
    ("wiring", "slot"),
    [
        ({3: 20, 4: 21}, 3),
        ({3: 21, 4: 20}, 4),
        ({3: 34, 4: 33, 5: 21}, 5),
        ({3: 34, 4: 33}, 4),
        ({3: 34}, 3),
        ({3: 21, 4: 21}, 3),
        ({26: 20, 27: 34}, 27),  # 26 has no relay
        ({}, None),
    ],
)
def test_the_first_fitted_actuator_is_spa_mode(
    wiring: dict[int, int], slot: int | None
) -> None:
    types = tuple(wiring.get(number, 0) for number in range(37))
    for on in (0, 1):
        state = PoolState(
            outputs=Outputs(
                types=types,
                modes=tuple(on * (number == slot) for number in range(37)),
            )
        )
        found = state.outputs.spa
        assert (found and found.index) == slot
        assert state.spa_mode is (None if slot is None else bool(on))


async def test_spa_mode_by_way_of_the_cloud(make_rig: Callable[..., Rig]) -> None:
    rig = make_rig(full=True, lan=False)
    rig.service.cloud.not_offered.clear()
    await rig.controller.poller.poll()
    assert spa_mode(rig) is False
    await switch_spa(rig, True)
    assert spa_mode(rig) is True
    writes = [r for r in rig.service.cloud.requests if r.method == "POST"]
    assert [r.name for r in writes] == ["manualSet"]
    rig.time.advance(2)
    rig.pool.pool.update()
    assert all(rig.pool.pool.slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))


# The state of heating


@pytest.mark.parametrize(
    ("heater", "solar", "expected"),
    [
        (True, True, True),
        (True, None, True),
        (None, True, True),
        (False, True, True),
        (False, False, False),
        (False, None, None),
        (None, None, None),
    ],
)
def test_partly_known(
    heater: bool | None, solar: bool | None, expected: bool | None
) -> None:
    state = PoolState(
        outputs=Outputs(types=(2, 17, 19)),
        heat={
            HeatSource.POOL_HEATER: heater,
            HeatSource.SOLAR: solar,
            HeatSource.SPA_HEATER: None,
        },
    )
    assert may_heat(state, POOL) is expected
    signals = Signals(pool_heater=heater, solar=solar)
    assert heats(replace(state, signals=signals), POOL) is expected
    assert may_heat(state, SPA) is None


async def test_nothing_known_is_nothing_remembered(pool: Rig) -> None:
    """A frame without a configuration keeps the selected heat sources."""
    known = pool.controller.store.reported
    assert known.pool_sources == POOL.sources
    assert selected_sources(known, SPA) == SPA.sources
    pool.pool.faults.on("no_config")
    await pool.controller.poller.poll()
    assert pool.controller.store.reported.pool_sources == POOL.sources
    assert may_heat(pool.controller.store.reported, POOL) is True
