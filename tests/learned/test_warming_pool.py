"""Warming rates of pool and spa, and the time until they are warm, from frames."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

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
HALF = timedelta(minutes=30)
SPA_RETURN = 20
TYPES = (31, 2, 17, 19, SPA_RETURN)
"""Pump, pool heater, solar heating, spa heater, spa actuator."""


@dataclass(frozen=True)
class Lesson:
    """A state, and the warming that was learned from the reads until then."""

    state: PoolState = field(default_factory=PoolState)
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


def heated(
    minutes: float,
    rate: float,
    *heating: HeatSource,
    lesson: Lesson | None = None,
    begin: datetime = NOW,
    **how: Any,
) -> Lesson:
    """Return the lesson after some time of heating, from 25 °C on."""
    lesson = lesson or Lesson()
    for number in range(round(minutes * 60 / POLL) + 1):
        seconds = number * POLL
        at = begin + timedelta(seconds=seconds)
        lesson = read(lesson, at, 25 + rate * seconds / HOUR, *heating, **how)
    return lesson


def rates(lesson: Lesson) -> list[dict[tuple[HeatSource, ...], float]]:
    """Return the rates learned for pool and spa once the heating is over."""
    lesson = read(lesson, NOW + timedelta(days=1), 25)
    return [
        {each.sources: round(each.per_hour, 1) for each in lesson.of(body).rates}
        for body in (POOL, SPA)
    ]


WITHOUT_SPA_HEATER = (31, 2, 17, SPA_RETURN)


@pytest.mark.parametrize(
    ("rate", "heating", "how", "of_pool", "of_spa"),
    [
        (1.2, (HEATER,), {}, {(HEATER,): 1.2}, {}),
        (6.0, (SPA_HEATER,), {"spa": True}, {}, {(SPA_HEATER,): 6.0}),
        (6.0, (SPA_HEATER, SOLAR), {"spa": True}, {}, {(SOLAR, SPA_HEATER): 6.0}),
        # The sun heats whichever the water goes to.
        (
            1.0,
            (SOLAR,),
            {"spa": True, "types": WITHOUT_SPA_HEATER},
            {},
            {(SOLAR,): 1.0},
        ),
        (1.0, (SOLAR,), {"types": WITHOUT_SPA_HEATER}, {(SOLAR,): 1.0}, {}),
        # Probes in still water, and water that warms by itself, teach nothing.
        (1.2, (HEATER,), {"stable": False}, {}, {}),
        (1.2, (), {}, {}, {}),
    ],
)
def test_an_hour_of_heating(
    rate: float,
    heating: tuple[HeatSource, ...],
    how: dict[str, Any],
    of_pool: dict[tuple[HeatSource, ...], float],
    of_spa: dict[tuple[HeatSource, ...], float],
) -> None:
    assert rates(heated(60, rate, *heating, **how)) == [of_pool, of_spa]


def test_valves_that_turn_end_a_session() -> None:
    lesson = heated(20, 6.0, HEATER)
    lesson = heated(60, 6.0, SPA_HEATER, spa=True, lesson=lesson, begin=NOW + HALF)
    assert rates(lesson) == [{(HEATER,): 6.0}, {(SPA_HEATER,): 6.0}]


def test_the_cloud_teaches_nothing() -> None:
    """A read of the cloud does not change the session; the gap in LAN reads ends it."""
    lesson = heated(10, 6.0, HEATER)
    dashboard = {"heater_state": True, "chemistry_stable": True}
    cloud = merge_dashboard(lesson.state, dashboard, NOW + HALF)
    assert lesson.then(cloud, NOW + HALF).pool.session == lesson.pool.session


# How long it takes


def test_warm_in() -> None:
    assert heated(10, 1.2, HEATER).left() is None  # not learned yet
    lesson = heated(60, 1.2, HEATER)
    left, within = (28 - 26.2) / 1.2 * HOUR, 0.1 / 1.2 * HOUR
    assert lesson.left() == pytest.approx((left, within), rel=0.05)
    assert lesson.left(SPA) is None
    no_target = replace(lesson, state=replace(lesson.state, pool_target=None))
    assert no_target.left() is None


@pytest.mark.parametrize(
    ("water", "heating", "known"),
    [
        (26.2, (), False),  # nothing heats
        (26.2, (SOLAR,), False),  # not learned
        (27.9, (HEATER,), True),
        # Heated to and beyond its target.
        (28.0, (HEATER,), True),
        (28.3, (HEATER,), True),
    ],
)
def test_when_it_is_known(
    water: float, heating: tuple[HeatSource, ...], known: bool
) -> None:
    later = NOW + timedelta(hours=1, seconds=POLL)
    left = read(heated(60, 1.2, HEATER), later, water, *heating).left()
    assert (left is not None) is known
    if left is not None and water >= 28:
        assert left[0] == 0


def test_the_rate_before_heating_begins() -> None:
    lesson = heated(60, 6.0, SPA_HEATER, spa=True)
    assert lesson.rate(SPA) is None  # while the first session lasts
    lesson = read(lesson, NOW + timedelta(days=1), 25)
    assert lesson.rate(SPA) == pytest.approx(6.0, rel=0.02)
    assert lesson.rate(POOL) is None
    heat = {**lesson.state.heat, SPA_HEATER: False}
    off = replace(lesson, state=replace(lesson.state, heat=heat))
    assert off.rate(SPA) == lesson.rate(SPA)
