"""Warming rates of pool and spa, and the time until they are warm, from frames."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from custom_components.poolctl.client.pool.from_cloud import merge_dashboard
from custom_components.poolctl.client.pool.from_lan import merge_frame
from custom_components.poolctl.client.pool.heating import (
    POOL,
    SPA,
    Body,
    sources_to_select,
)
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.frame import (
    Configuration,
    StateFrame,
    Telemetry,
)
from custom_components.poolctl.learned.warming import Warming, warm_in

HEATER, SOLAR, SPA_HEATER = HeatSource
POLL = 15.0
HOUR = 3600.0
FLAGS = {HEATER: 1, SOLAR: 2, SPA_HEATER: 4}
STABLE = 1 << 5 | 3 << 13 | 1 << 15
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SPA_RETURN = 20
TYPES = (31, 2, 17, 19, SPA_RETURN)
"""Pump, pool heater, solar heating, spa heater, spa actuator."""


NOTHING = PoolState()


@dataclass(frozen=True)
class Lesson:
    """A state, and the warming that was learned from the reads until then."""

    state: PoolState = NOTHING
    pool: Warming = field(default_factory=Warming)
    spa: Warming = field(default_factory=Warming)

    def of(self, body: Body) -> Warming:
        return self.pool if body is POOL else self.spa

    def then(self, state: PoolState, at: datetime) -> Lesson:
        pool, spa = deepcopy((self.pool, self.spa))
        pool.take(POOL, state, at.timestamp())
        spa.take(SPA, state, at.timestamp())
        return Lesson(state, pool, spa)

    def left(self, body: Body = POOL) -> tuple[float, float] | None:
        return warm_in(self.of(body), self.state, body)

    def rate(self, body: Body) -> float | None:
        return self.of(body).expected([*sources_to_select(self.state, body, True)])


def read(
    lesson: Lesson,
    at: datetime,
    water: float,
    *heating: HeatSource,
    spa: bool = False,
    stable: bool = True,
    types: tuple[int, ...] = TYPES,
) -> Lesson:
    """Return the lesson after a frame."""
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
    frame = StateFrame(telemetry, configuration, ())
    return lesson.then(merge_frame(lesson.state, frame, at), at)


def moments(minutes: float, begin: datetime = NOW) -> Iterator[datetime]:
    """Yield the moments at which the controller is read."""
    for number in range(round(minutes * 60 / POLL) + 1):
        yield begin + timedelta(seconds=number * POLL)


def heated(
    minutes: float,
    rate: float,
    *heating: HeatSource,
    lesson: Lesson | None = None,
    spa: bool = False,
    stable: bool = True,
    begin: datetime = NOW,
    types: tuple[int, ...] = TYPES,
) -> Lesson:
    """Return the lesson after some time of heating, from 25 °C on."""
    lesson = lesson or Lesson()
    for at in moments(minutes, begin):
        water = 25 + rate * (at - begin).total_seconds() / HOUR
        lesson = read(lesson, at, water, *heating, spa=spa, stable=stable, types=types)
    return lesson


def found(lesson: Lesson, body: Body) -> dict[tuple[HeatSource, ...], float]:
    """Return the rates learned for a body once the heating is over."""
    lesson = read(lesson, NOW + timedelta(days=1), 25)
    return {e.sources: round(e.per_hour, 1) for e in lesson.of(body).rates}


def test_the_pool_is_heated() -> None:
    lesson = heated(60, 1.2, HEATER)
    assert found(lesson, POOL) == {(HEATER,): 1.2}
    assert found(lesson, SPA) == {}


def test_the_spa_is_heated() -> None:
    """A rate is learned for the spa heater, alone and with solar heating."""
    lesson = heated(60, 6.0, SPA_HEATER, spa=True)
    assert found(lesson, SPA) == {(SPA_HEATER,): 6.0}
    assert found(lesson, POOL) == {}
    lesson = heated(60, 6.0, SPA_HEATER, SOLAR, spa=True)
    assert found(lesson, SPA) == {(SOLAR, SPA_HEATER): 6.0}


def test_a_spa_that_only_the_sun_heats() -> None:
    """A rate learned while the water goes to the pool belongs to the pool."""
    types = (31, 2, 17, 20)
    lesson = heated(60, 1.0, SOLAR, spa=True, types=types)
    assert found(lesson, SPA) == {(SOLAR,): 1.0}
    assert found(lesson, POOL) == {}
    lesson = heated(60, 1.0, SOLAR, types=types)
    assert found(lesson, SPA) == {}
    assert found(lesson, POOL) == {(SOLAR,): 1.0}


def test_probes_in_still_water_teach_nothing() -> None:
    assert found(heated(60, 1.2, HEATER, stable=False), POOL) == {}


def test_water_that_warms_by_itself_teaches_nothing() -> None:
    assert found(heated(60, 1.2), POOL) == {}


def test_valves_that_turn_end_a_session() -> None:
    lesson = heated(20, 6.0, HEATER)
    lesson = heated(60, 6.0, SPA_HEATER, spa=True, lesson=lesson, begin=NOW + HALF)
    assert found(lesson, POOL) == {(HEATER,): 6.0}
    assert found(lesson, SPA) == {(SPA_HEATER,): 6.0}


HALF = timedelta(minutes=30)


def test_the_cloud_teaches_nothing() -> None:
    """A read of the cloud does not change the session; the gap in LAN reads ends it."""
    lesson = heated(10, 6.0, HEATER)
    dashboard = {"heater_state": True, "chemistry_stable": True}
    cloud = merge_dashboard(lesson.state, dashboard, NOW + HALF)
    assert lesson.then(cloud, NOW + HALF).pool.session == lesson.pool.session


# How long it takes


def test_warm_in() -> None:
    lesson = heated(60, 1.2, HEATER)
    left = lesson.left()
    assert left is not None
    assert left[0] == pytest.approx((28 - 26.2) / 1.2 * HOUR, rel=0.05)
    assert left[1] == pytest.approx(0.1 / 1.2 * HOUR, rel=0.05)
    assert lesson.left(SPA) is None


def test_when_it_is_known() -> None:
    learning = heated(10, 1.2, HEATER)
    assert learning.left() is None  # not learned yet
    lesson = heated(60, 1.2, HEATER)
    later = NOW + timedelta(hours=1, seconds=POLL)
    assert read(lesson, later, 26.2).left() is None  # nothing heats
    assert read(lesson, later, 26.2, SOLAR).left() is None  # not learned
    assert read(lesson, later, 27.9, HEATER).left() is not None
    for water in (28.0, 28.3):  # heated beyond its target
        warm = read(lesson, later, water, HEATER).left()
        assert warm is not None
        assert warm[0] == 0
    no_target = replace(lesson, state=replace(lesson.state, pool_target=None))
    assert no_target.left() is None


def test_the_rate_before_heating_begins() -> None:
    lesson = heated(60, 6.0, SPA_HEATER, spa=True)
    assert lesson.rate(SPA) is None  # while the first session lasts
    lesson = read(lesson, NOW + timedelta(days=1), 25)
    assert lesson.rate(SPA) == pytest.approx(6.0, rel=0.02)
    assert lesson.rate(POOL) is None
    heat = {**lesson.state.heat, SPA_HEATER: False}
    off = replace(lesson, state=replace(lesson.state, heat=heat))
    assert off.rate(SPA) == lesson.rate(SPA)
