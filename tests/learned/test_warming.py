"""Warming rates of water, and the time until it is warm: learned from coarse readings."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
import random
from typing import Any

import pytest

from custom_components.poolctl.client.codec import from_stored, to_stored
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
from custom_components.poolctl.learned.warming import LearnedRate, Warming, warm_in

HEATER, SOLAR, SPA_HEATER = HeatSource
BOTH = (HEATER, SOLAR)
BEGIN = 1_800_000_000.0
POLL = 15.0
HOUR = 3600.0
MIXES = 300.0
"""Seconds after which readings count."""


def heat(
    warming: Warming,
    minutes: float,
    rate: float,
    *,
    sources: tuple[HeatSource, ...] = (HEATER,),
    begin: float = BEGIN,
    start: float = 25.0,
    noise: float = 0.0,
) -> Warming:
    """Let water warm at a rate (°C an hour), as a probe of 0.1 °C reads it."""
    chance = random.Random(1)
    for number in range(round(minutes * 60 / POLL) + 1):
        at = number * POLL
        real = start + rate * at / HOUR + chance.uniform(-noise, noise)
        warming.add_reading(sources, begin + at, round(real, 1))
    return warming


def after(warming: Warming, at: float = BEGIN + 24 * HOUR) -> Warming:
    warming.add_reading((), at, 25.0)
    return warming


def learned(*rates: float, sources: tuple[HeatSource, ...] = (HEATER,)) -> Warming:
    """Return the result of sessions at these rates, one a day."""
    warming = Warming()
    for day, rate in enumerate(rates):
        begin = BEGIN + day * 24 * HOUR
        heat(warming, 180, rate, sources=sources, begin=begin)
        after(warming, begin + 4 * HOUR)
    return warming


def near(rate: float | None, rel: float = 0.02) -> Any:
    return pytest.approx(rate, rel=rel)


# One session


@pytest.mark.parametrize("rate", [0.3, 0.8, 1.5, 6.0, 19.0])
@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_a_session(rate: float, noise: float) -> None:
    """The rate is right within 5 % despite the resolution and noise of a probe."""
    warming = heat(Warming(), 180, rate, noise=noise)
    # The session does not count for equality, or every reading would be a change.
    assert warming == Warming()
    after(warming)
    assert warming != Warming()
    assert warming.session is None
    (found,) = warming.rates
    assert found.sources == (HEATER,)
    assert found.per_hour == near(rate, 0.05)
    assert warming.rate((HEATER,)) == found.per_hour


@pytest.mark.parametrize(
    ("minutes", "rate", "known"),
    [
        (14.5, 6.0, False),  # too short
        (15.5, 6.0, True),
        (15.5, 1.0, False),  # too little
        (34, 1.0, False),
        (36, 1.0, True),
        (180, 0.0, False),
        (180, -2.0, False),
        (60, 30.0, False),  # not possible
    ],
)
def test_whether_a_session_has_a_rate(minutes: float, rate: float, known: bool) -> None:
    warming = heat(Warming(), minutes, rate)
    assert (warming.rate((HEATER,)) is not None) is known
    assert bool(after(warming).rates) is known


def test_half_a_day() -> None:
    """The first half day of a heat pump is learned while it still runs.

    Water must warm enough within that time, because then another session begins.
    """
    assert not after(heat(Warming(), 13 * 60, 0.045)).rates
    (found,) = after(heat(Warming(), 13 * 60, 0.06)).rates
    assert found.per_hour == near(0.06, 0.05)
    warming = heat(Warming(), 12 * 60, 0.4)
    assert not warming.rates
    heat(warming, 60, 0.4, begin=BEGIN + 12 * HOUR + 15, start=29.8)
    (found,) = warming.rates
    assert found.per_hour == near(0.4)


def test_what_is_read_before_the_water_has_mixed() -> None:
    """The water that stood in the pipes does not count."""
    warming = Warming()
    for at in range(0, int(MIXES), 15):
        warming.add_reading((HEATER,), BEGIN + at, 20.0 + at / 60)
    for at in range(int(MIXES), 2 * 3600, 15):
        now = round(25.0 + 1.2 * (at - MIXES) / HOUR, 1)
        warming.add_reading((HEATER,), BEGIN + at, now)
    assert warming.rate((HEATER,)) == near(1.2)


@pytest.mark.parametrize(
    ("sources", "seconds", "change", "goes_on"),
    [
        ((HEATER,), 90, 0.0, True),
        ((HEATER,), 91, 0.0, False),  # a gap
        ((HEATER,), -1, 0.0, False),  # a clock that was put back
        ((HEATER,), 15, 0.5, True),
        ((HEATER,), 15, 0.6, False),  # other water
        ((HEATER,), 15, -0.6, False),
        (BOTH, 15, 0.0, False),
    ],
)
def test_what_ends_a_session(
    sources: tuple[HeatSource, ...], seconds: float, change: float, goes_on: bool
) -> None:
    warming = heat(Warming(), 60, 1.5)
    assert warming.session is not None
    count = warming.session.sums[0]
    warming.add_reading(sources, BEGIN + HOUR + seconds, 26.5 + change)
    assert warming.session.sums[0] == (count + 1 if goes_on else 0)
    ended = [] if goes_on else [(HEATER,)]
    assert [each.sources for each in warming.rates] == ended


# Several sessions


@pytest.mark.parametrize(
    ("before", "minutes", "rate"),
    [
        ((1.0, 2.0), 0, 1.3),  # a newer session counts more
        ((1.0, 2.0, 2.0), 0, 1.51),
        ((1.0,), 10, 1.0),
        ((1.0,), 60, 1.3),  # the current session counts as soon as it has a rate
    ],
)
def test_newer_sessions(before: tuple[float, ...], minutes: float, rate: float) -> None:
    """The rate expected before heating begins stays the same meanwhile."""
    warming = learned(*before)
    expected = warming.expected([HEATER])
    if minutes:
        heat(warming, minutes, 2.0)
    assert warming.rate((HEATER,)) == near(rate)
    assert warming.expected([HEATER]) == expected is not None


def test_heat_sources_are_not_mixed() -> None:
    """Until more sources have a rate of their own, that of fewer sources counts."""
    warming = learned(1.0)
    assert warming.rate(BOTH) == near(1.0)
    begin = BEGIN + 99 * HOUR
    heat(warming, 10, 2.0, sources=BOTH, begin=begin)
    assert warming.rate(BOTH) == near(1.0)
    heat(warming, 90, 2.0, sources=BOTH, begin=begin)
    for each in (warming, after(warming, begin + 24 * HOUR)):
        assert each.rate(BOTH) == near(2.0)
        assert each.rate((HEATER,)) == near(1.0)
        assert each.rate((SOLAR,)) is None
    heat(warming, 60, 3.0, sources=(SOLAR,), begin=begin + 48 * HOUR)
    assert warming.rate((HEATER,)) == near(1.0)
    assert learned(1.0, sources=BOTH).rate((HEATER,)) is None


@pytest.mark.parametrize(
    ("known", "wanted", "rate"),
    [
        ((), (HEATER,), None),
        ((((HEATER,), 1.0),), (HEATER,), 1.0),
        ((((HEATER,), 1.0),), (SOLAR,), None),
        (((BOTH, 1.4),), (HEATER,), None),
        # The sun may not shine.
        (((BOTH, 1.4), ((HEATER,), 1.0)), BOTH, 1.0),
        ((((SOLAR,), 0.4), ((HEATER,), 1.0)), BOTH, 1.0),
        # There is no rate without the sun.
        ((((SOLAR,), 0.4), (BOTH, 1.4)), BOTH, 1.4),
        (((BOTH, 1.4), ((SOLAR,), 0.4)), (SOLAR,), 0.4),
    ],
)
def test_what_heating_will_bring(
    known: Iterable[tuple[tuple[HeatSource, ...], float]],
    wanted: tuple[HeatSource, ...],
    rate: float | None,
) -> None:
    warming = Warming(tuple(LearnedRate(*each) for each in known))
    assert warming.expected(wanted) == rate


# Reads of pool and spa, and the time until they are warm

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
            warming.add_read(body, self.state, self.now)

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


# The hours of the sun


def by_the_sun(*rates: float) -> Warming:
    """Let the sun heat from 9 o'clock (UTC), at a rate in each hour."""
    warming, water = Warming(), 25.0
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    for number in range(round(len(rates) * HOUR / POLL)):
        seconds = number * POLL
        now = midnight + timedelta(hours=9, seconds=seconds)
        warming.add_reading((SOLAR,), BEGIN + seconds, round(water, 1), now)
        water += rates[int(seconds // HOUR)] * POLL / HOUR
    return warming


def test_what_the_sun_does_in_each_hour() -> None:
    """The hour in progress is learned when it is over; other hours have no sun."""
    warming = by_the_sun(0.2, 0.6, 0.8, 0.1)
    assert [each.hour for each in warming.sun] == [9, 10, 11]
    warming.add_reading(
        (), BEGIN + 5 * HOUR, 27.0, datetime(2026, 5, 1, 14, tzinfo=UTC)
    )
    assert [each.hour for each in warming.sun] == [9, 10, 11, 12]
    morning = datetime(2026, 5, 3, 6, tzinfo=UTC)
    all_day = warming.sun_gain(morning, morning + timedelta(hours=14))
    assert all_day == pytest.approx(1.7, abs=0.1)
    noon = morning + timedelta(hours=5.5)
    left = warming.sun_gain(noon, noon + timedelta(hours=8))
    assert left == pytest.approx(0.4 + 0.1, abs=0.1)
    assert warming.sun_gain(noon, noon) == 0
    assert warming.sun_gain(noon + timedelta(hours=4), noon + timedelta(hours=9)) == 0
    # They outlast a restart, and those of a later day count more than their share.
    again = from_stored(Warming, to_stored(warming))
    assert again == warming
    for step in range(round(HOUR / POLL) + 60):
        now = datetime(2026, 5, 2, 9, tzinfo=UTC) + timedelta(seconds=step * POLL)
        again.add_reading((SOLAR,), BEGIN + 24 * HOUR + step * POLL, 25.0, now)
    rates = {each.hour: each.per_hour for each in again.sun}
    assert 0 < rates[9] < 0.17
