"""How fast the water of a pool gets warmer, and when it is warm: learned from frames."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.equipment import HeatSource
from custom_components.poolctl.client.frame import Configuration, StateFrame, Telemetry
from custom_components.poolctl.client.pool.from_cloud import merge_dashboard
from custom_components.poolctl.client.pool.from_lan import merge_frame
from custom_components.poolctl.client.pool.heating import (
    POOL,
    SPA,
    Body,
    expected_rate,
    warm_in,
)
from custom_components.poolctl.client.pool.parts import Heater
from custom_components.poolctl.client.pool.state import PoolState

HEATER, SOLAR, SPA_HEATER = HeatSource
POLL = 15.0
HOUR = 3600.0
FLAGS = {HEATER: 1, SOLAR: 2, SPA_HEATER: 4}
STABLE = 1 << 5 | 3 << 13 | 1 << 15
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SPA_RETURN = 20
TYPES = (31, 2, 17, 19, SPA_RETURN)
"""Pump, pool heater, solar heating, spa heater, spa actuator."""


def read(
    state: PoolState,
    at: datetime,
    water: float,
    *heating: HeatSource,
    spa: bool = False,
    stable: bool = True,
    types: tuple[int, ...] = TYPES,
) -> PoolState:
    """Return the state after a frame."""
    telemetry = Telemetry(
        flags=(STABLE if stable else 0) | sum(FLAGS[source] for source in heating),
        water_temperature=round(water, 1),
        main_pump_mode=99,
        aux_modes=tuple(99 if spa and code == SPA_RETURN else 0 for code in types),
    )
    configuration = Configuration(
        pool_target=28,
        spa_target=37,
        pool_heater_selected=True,
        solar_selected=True,
        spa_heater_selected=True,
        aux_types=types,
    )
    return merge_frame(state, StateFrame(telemetry, configuration, ()), at)


def moments(minutes: float, begin: datetime = NOW) -> Iterator[datetime]:
    """Return when the controller is read."""
    for number in range(round(minutes * 60 / POLL) + 1):
        yield begin + timedelta(seconds=number * POLL)


def heated(
    minutes: float,
    rate: float,
    *heating: HeatSource,
    state: PoolState | None = None,
    spa: bool = False,
    stable: bool = True,
    begin: datetime = NOW,
    types: tuple[int, ...] = TYPES,
) -> PoolState:
    """Return the state after some time of heating, from 25 °C on."""
    state = state or PoolState()
    for at in moments(minutes, begin):
        water = 25 + rate * (at - begin).total_seconds() / HOUR
        state = read(state, at, water, *heating, spa=spa, stable=stable, types=types)
    return state


def found(state: PoolState, body: Body) -> dict[tuple[HeatSource, ...], float]:
    """Return what was learned of a body once the heating is over."""
    state = read(state, NOW + timedelta(days=1), 25)
    return {e.sources: round(e.per_hour, 1) for e in body.of(state).warming.rates}


def test_the_pool_is_heated() -> None:
    state = heated(60, 1.2, HEATER)
    assert found(state, POOL) == {(HEATER,): 1.2}
    assert found(state, SPA) == {}


def test_the_spa_is_heated() -> None:
    """The sun may help it."""
    state = heated(60, 6.0, SPA_HEATER, spa=True)
    assert found(state, SPA) == {(SPA_HEATER,): 6.0}
    assert found(state, POOL) == {}
    state = heated(60, 6.0, SPA_HEATER, SOLAR, spa=True)
    assert found(state, SPA) == {(SOLAR, SPA_HEATER): 6.0}


def test_a_spa_that_only_the_sun_heats() -> None:
    """What it learns while the water goes to the pool is of the pool."""
    types = (31, 2, 17, 20)
    state = heated(60, 1.0, SOLAR, spa=True, types=types)
    assert found(state, SPA) == {(SOLAR,): 1.0}
    assert found(state, POOL) == {}
    state = heated(60, 1.0, SOLAR, types=types)
    assert found(state, SPA) == {}
    assert found(state, POOL) == {(SOLAR,): 1.0}


def test_probes_in_still_water_teach_nothing() -> None:
    assert found(heated(60, 1.2, HEATER, stable=False), POOL) == {}


def test_water_that_warms_by_itself_teaches_nothing() -> None:
    assert found(heated(60, 1.2), POOL) == {}


def test_valves_that_turn_end_a_session() -> None:
    state = heated(20, 6.0, HEATER)
    state = heated(60, 6.0, SPA_HEATER, spa=True, state=state, begin=NOW + HALF)
    assert found(state, POOL) == {(HEATER,): 6.0}
    assert found(state, SPA) == {(SPA_HEATER,): 6.0}


HALF = timedelta(minutes=30)


def test_clocks_that_are_put_back_in_autumn() -> None:
    """An hour has only 60 minutes, whatever a wall clock says."""
    begin = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    state = PoolState()
    for at in moments(120, begin):
        water = 25 + 1.2 * (at - begin).total_seconds() / HOUR
        local = at.astimezone(ZoneInfo("Europe/Berlin"))
        state = read(state, local, water, HEATER)
    assert found(state, POOL) == {(HEATER,): 1.2}


def test_the_cloud_teaches_nothing() -> None:
    """It ends what was learned on the network, for a gap does that."""
    state = heated(10, 6.0, HEATER)
    before = state.pool.warming.session
    dashboard = {"heater_state": True, "chemistry_stable": True}
    state = merge_dashboard(state, dashboard, NOW + HALF)
    assert state.pool.warming.session is before


def test_it_is_kept_by_a_frame_with_other_settings() -> None:
    state = read(heated(60, 1.2, HEATER), NOW + timedelta(days=1), 25)
    told = Configuration(pool_target=30, aux_types=TYPES)
    state = merge_frame(state, StateFrame(None, told, None), NOW)
    assert state.pool.target == 30
    assert state.pool.warming.rates


# How long it takes


def test_warm_in() -> None:
    state = heated(60, 1.2, HEATER)
    left = warm_in(state, POOL)
    assert left is not None
    assert left.seconds == pytest.approx((28 - 26.2) / 1.2 * HOUR, rel=0.05)
    assert left.step == pytest.approx(0.1 / 1.2 * HOUR, rel=0.05)
    assert warm_in(state, SPA) is None


def test_when_it_is_known() -> None:
    learning = heated(10, 1.2, HEATER)
    assert warm_in(learning, POOL) is None  # not learned yet
    state = heated(60, 1.2, HEATER)
    later = NOW + timedelta(hours=1, seconds=POLL)
    assert warm_in(read(state, later, 26.2), POOL) is None  # nothing heats
    assert warm_in(read(state, later, 26.2, SOLAR), POOL) is None  # not learned
    assert warm_in(read(state, later, 27.9, HEATER), POOL) is not None
    for water in (28.0, 28.3):  # heated beyond its target
        warm = warm_in(read(state, later, water, HEATER), POOL)
        assert warm is not None
        assert warm.seconds == 0
    no_target = replace(state, pool=replace(state.pool, target=None))
    assert warm_in(no_target, POOL) is None


def test_it_comes_nearer() -> None:
    """Every reading says about the same time of the day."""
    state, ends = heated(40, 1.2, HEATER), list[float]()
    begin = NOW + timedelta(minutes=40, seconds=POLL)
    for at in moments(60, begin):
        state = read(state, at, 25 + 1.2 * (at - NOW).total_seconds() / HOUR, HEATER)
        left = warm_in(state, POOL)
        assert left is not None
        ends.append((at - NOW).total_seconds() + left.seconds)
    assert max(ends) - min(ends) < 15 * 60
    assert all(abs(one - other) < 6 * 60 for one, other in pairwise(ends))
    assert ends[-1] == pytest.approx(3 / 1.2 * HOUR, abs=5 * 60)


def test_the_rate_before_heating_begins() -> None:
    state = heated(60, 6.0, SPA_HEATER, spa=True)
    assert expected_rate(state, SPA) is None  # while the first session lasts
    state = read(state, NOW + timedelta(days=1), 25)
    assert expected_rate(state, SPA) == pytest.approx(6.0, rel=0.02)
    assert expected_rate(state, POOL) is None
    off = replace(state, heat={**state.heat, SPA_HEATER: Heater(False)})
    assert expected_rate(off, SPA) == expected_rate(state, SPA)
