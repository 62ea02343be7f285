"""Warming rates of pool and spa, and the time until they are warm, from reads."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from custom_components.poolctl.client.pool.heating import (
    POOL,
    SPA,
    Body,
    sources_to_select,
)
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.warming import Warming, warm_in

HEATER, SOLAR, SPA_HEATER = HeatSource
POLL = 15.0
HOUR = 3600.0
SPA_RETURN = 20
TYPES = (31, 2, 17, 19, SPA_RETURN)
"""Pump, pool heater, solar heating, spa heater, spa actuator."""
WITHOUT_SPA_HEATER = (31, 2, 17, SPA_RETURN)

type Rates = dict[tuple[HeatSource, ...], float]


@dataclass
class Lesson:
    """The warming that was learned from reads until now, and the last of them."""

    state: PoolState = field(default_factory=PoolState)
    now: float = 0.0
    warming: dict[Body, Warming] = field(
        default_factory=lambda: {POOL: Warming(), SPA: Warming()}
    )

    def read(
        self,
        seconds: float,
        water: float,
        *heating: HeatSource,
        spa: bool = False,
        stable: bool = True,
        types: tuple[int, ...] = TYPES,
        source: Source = Source.LAN,
    ) -> None:
        """Take a read, some seconds after the previous one."""
        self.now += seconds
        modes = tuple(99 if spa and code == SPA_RETURN else 0 for code in types)
        self.state = PoolState(
            source=source,
            readings=Readings(water_temperature=round(water, 1)),
            signals=Signals(
                chemistry_stable=stable,
                pool_heater=HEATER in heating,
                solar=SOLAR in heating,
                spa_heater=SPA_HEATER in heating,
            ),
            outputs=Outputs(types=types, modes=modes),
            pool_target=28,
            spa_target=37,
            heat=dict.fromkeys(HeatSource, True),
        )
        for body, warming in self.warming.items():
            warming.take(body, self.state, self.now)

    def heat(
        self, minutes: float, rate: float, *heating: HeatSource, **how: Any
    ) -> Lesson:
        """Heat water of 25 °C for some time."""
        for number in range(round(minutes * 60 / POLL) + 1):
            self.read(POLL, 25 + rate * number * POLL / HOUR, *heating, **how)
        return self

    def rates(self) -> list[Rates]:
        """Return the rates learned for pool and spa once the heating is over."""
        self.read(24 * HOUR, 25)
        return [
            {each.sources: round(each.per_hour, 1) for each in warming.rates}
            for warming in self.warming.values()
        ]

    def left(self, body: Body = POOL) -> tuple[float, float] | None:
        return warm_in(self.warming[body], self.state, body)

    def expected(self, body: Body) -> float | None:
        sources = [*sources_to_select(self.state, body, True)]
        return self.warming[body].expected(sources)


@pytest.mark.parametrize(
    ("rate", "heating", "how", "of_pool", "of_spa"),
    [
        (1.2, [HEATER], {}, {(HEATER,): 1.2}, {}),
        (6.0, [SPA_HEATER], {"spa": True}, {}, {(SPA_HEATER,): 6.0}),
        (6.0, [SPA_HEATER, SOLAR], {"spa": True}, {}, {(SOLAR, SPA_HEATER): 6.0}),
        # The sun heats whichever the water goes to.
        (1.0, [SOLAR], {"spa": True, "types": WITHOUT_SPA_HEATER}, {}, {(SOLAR,): 1.0}),
        (1.0, [SOLAR], {"types": WITHOUT_SPA_HEATER}, {(SOLAR,): 1.0}, {}),
        # Probes in still water, and water that warms by itself, teach nothing.
        (1.2, [HEATER], {"stable": False}, {}, {}),
        (1.2, [], {}, {}, {}),
    ],
)
def test_an_hour_of_heating(
    rate: float, heating: list[HeatSource], how: Any, of_pool: Rates, of_spa: Rates
) -> None:
    assert Lesson().heat(60, rate, *heating, **how).rates() == [of_pool, of_spa]


def test_valves_that_turn_end_a_session() -> None:
    lesson = Lesson().heat(20, 6.0, HEATER)
    lesson.now += 10 * 60
    lesson.heat(60, 6.0, SPA_HEATER, spa=True)
    assert lesson.rates() == [{(HEATER,): 6.0}, {(SPA_HEATER,): 6.0}]


def test_the_cloud_teaches_nothing() -> None:
    """A read of the cloud does not change the session; the gap in LAN reads ends it."""
    lesson = Lesson().heat(10, 6.0, HEATER)
    session = lesson.warming[POOL].session
    assert session is not None
    before = replace(session)
    lesson.read(20 * 60, 26, HEATER, source=Source.CLOUD)
    assert lesson.warming[POOL].session == before


def test_warm_in() -> None:
    assert Lesson().heat(10, 1.2, HEATER).left() is None  # not learned yet
    lesson = Lesson().heat(60, 1.2, HEATER)
    left, within = (28 - 26.2) / 1.2 * HOUR, 0.1 / 1.2 * HOUR
    assert lesson.left() == pytest.approx((left, within), rel=0.05)
    assert lesson.left(SPA) is None
    lesson.state = replace(lesson.state, pool_target=None)
    assert lesson.left() is None


@pytest.mark.parametrize(
    ("water", "heating", "known"),
    [
        (26.2, [], False),  # nothing heats
        (26.2, [SOLAR], False),  # not learned
        (27.9, [HEATER], True),
        # Heated to and beyond its target.
        (28.0, [HEATER], True),
        (28.3, [HEATER], True),
    ],
)
def test_when_it_is_known(water: float, heating: list[HeatSource], known: bool) -> None:
    lesson = Lesson().heat(60, 1.2, HEATER)
    lesson.read(POLL, water, *heating)
    left = lesson.left()
    assert (left is not None) is known
    if left is not None and water >= 28:
        assert left[0] == 0


def test_the_rate_before_heating_begins() -> None:
    lesson = Lesson().heat(60, 6.0, SPA_HEATER, spa=True)
    assert lesson.expected(SPA) is None  # while the first session lasts
    lesson.read(24 * HOUR, 25)
    rate = lesson.expected(SPA)
    assert rate == pytest.approx(6.0, rel=0.02)
    assert lesson.expected(POOL) is None
    lesson.state = replace(lesson.state, heat={**lesson.state.heat, SPA_HEATER: False})
    assert lesson.expected(SPA) == rate
