"""Fitted heat sources, and how a pump starts (protocol.md L10 and L13)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from custom_components.poolctl.client.pool.heating import (
    POOL,
    SPA,
    fitted_sources,
    heated,
    heats,
)
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import HeatSource
from tests.client.conftest import Rig
from tests.client.dialects.conftest import Speak


@pytest.mark.row("L10")
async def test_a_spa_with_solar_heating_alone(speak: Speak) -> None:
    """The spa has a target, and its heat source can be selected."""
    rig = await speak("spa_by_solar")
    known = rig.reported
    assert heated(known, SPA) is True and known.spa_target == 36
    assert fitted_sources(known, SPA) == (HeatSource.SOLAR,)
    assert heats(known, SPA) is False  # the water goes to the pool
    await rig.controller.heating.change(SPA, target=33, heat=True)
    assert rig.settings["spa_target"] == 33
    assert int(rig.settings["heating"]) & 1
    sun = replace(known.signals, solar=True)
    assert heats(replace(known, signals=sun), SPA) is False
    await rig.controller.holds.switch(rig.shown.outputs.spa, True)
    in_spa = replace(rig.reported, signals=sun)
    assert in_spa.spa_mode is True and heats(in_spa, SPA) is True


@pytest.mark.parametrize(
    ("types", "spa", "pool"),
    [
        ((17, 20), True, True),
        ((17,), False, True),  # solar heating without a spa
        ((20,), False, False),
        ((19,), True, False),
        (None, None, None),
    ],
)
def test_what_is_heated(
    types: tuple[int, ...] | None, spa: bool | None, pool: bool | None
) -> None:
    state = replace(PoolState(), outputs=Outputs(types=types))
    assert heated(state, SPA) is spa
    assert heated(state, POOL) is pool


@pytest.mark.row("L13")
async def test_the_first_speed(make_rig: Callable[..., Rig]) -> None:
    """A pump that never reported a speed starts at the lowest."""
    rig = make_rig(full=True)
    rig.pool.dialects.add("pump_at_rest")
    await rig.pool.stop()
    await rig.pool.start()
    await rig.controller.poller.poll()
    # Its spa heater leaves solar heating to the pool.
    known = rig.reported
    assert fitted_sources(known, SPA) == (HeatSource.SPA_HEATER,)
    assert known.pump_on is False
    await rig.controller.pump.switch(True)
    assert rig.sent()[0][1]["pump_speed"] == 40


@pytest.mark.row("L19")
async def test_priming_at_full_speed(small: Rig) -> None:
    """The chosen speed is sent once, and priming does not overwrite it."""
    small.pool.dialects.add("primes_at_full_speed")
    pump = small.controller.pump
    await pump.switch(False)
    await small.controller.holds.set_speed(50)
    await pump.switch(True)
    assert small.pool.pool.pump.speed == 0
    assert small.reported.last_speed == 75
    await small.polls(60)
    assert small.pool.pool.pump.speed == small.reported.readings.pump_speed == 100
    assert small.controller.live.choices.pump_speed == 50
    assert small.reported.last_speed == 75
    await small.polls(240)
    await small.polls(15)
    assert small.reported.readings.pump_speed == small.reported.last_speed == 50
    assert small.names().count("cmd") == 1


@pytest.mark.row("L19")
async def test_a_chosen_speed_stays_chosen(small: Rig) -> None:
    """A reading of another speed, as set in the app, does not overwrite it."""
    pump, pool = small.controller.pump, small.pool.pool
    await pump.switch(False)
    await small.controller.holds.set_speed(50)
    pool.set_speed(75)
    pool.switch(0, True)
    await small.polls(300)
    assert small.reported.last_speed == 75
    await pump.switch(False)
    await pump.switch(True)
    assert pool.pump.asked == 50
