"""Spa mode and the state of heating: where the water goes, and what heats it."""

import pytest

from custom_components.poolctl.client.pool.heating import POOL, SPA, heats, temperature
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from tests.client.conftest import Rig

SPA_ACTUATORS = RETURN, SUCTION, _, _ = 10, 11, 19, 20
"""The slots of the spa actuators."""


async def switch_spa(rig: Rig, on: bool) -> None:
    """Send the water to the spa, or back to the pool."""
    await rig.controller.holds.switch(rig.shown.outputs.spa, on)


def spa_mode(rig: Rig) -> tuple[bool | None, set[bool]]:
    """Return whether the water goes to the spa, and the positions of its actuators."""
    rig.pool.pool.update()
    return rig.shown.spa_mode, {rig.pool.pool.slots[slot].on for slot in SPA_ACTUATORS}


async def test_spa_mode(pool: Rig) -> None:
    """It takes one command: the firmware moves all actuators, and heating follows."""
    assert spa_mode(pool) == (False, {False})
    await switch_spa(pool, True)
    assert [r.payload for r in pool.asked()] == [bytes([RETURN, 1, 1])]
    assert spa_mode(pool) == (True, {True})
    pool.pool.pool.water.ambient = 40  # solar heating runs, too: for the spa
    await pool.polls(15)
    assert heats(pool.shown, SPA) and pool.shown.signals.solar
    assert heats(pool.shown, POOL) is False
    assert temperature(pool.shown, POOL) is None
    assert temperature(pool.shown, SPA) is None  # the probe settles
    await pool.polls(300)
    water = pool.shown.readings.water_temperature
    assert temperature(pool.shown, SPA) == water is not None
    # It goes back to the schedules as a whole.
    assert {RETURN, SUCTION} <= set(pool.shown.outputs.held or ())
    pool.forget()
    await pool.controller.holds.resume_all()
    assert [r.payload for r in pool.asked("a")] == [bytes([RETURN, 0, 0])]
    await pool.polls(15)
    assert pool.shown.outputs.held == ()
    assert spa_mode(pool) == (False, {False})
    assert not heats(pool.shown, SPA) and heats(pool.shown, POOL)
    assert temperature(pool.shown, SPA) is None


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
        modes = tuple(on * (number == slot) for number in range(37))
        state = PoolState(outputs=Outputs(types=types, modes=modes))
        found = state.outputs.spa
        assert (found and found.index) == slot
        assert state.spa_mode is (None if slot is None else bool(on))
