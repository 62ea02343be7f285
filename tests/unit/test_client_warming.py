"""How fast water gets warmer: learned out of readings as coarse as a probe's."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
import random
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
from custom_components.poolctl.client.pool.warming import LearnedRate, Warming

HEATER, SOLAR, SPA_HEATER = HeatSource
BEGIN = 1_800_000_000.0
POLL = 15.0
HOUR = 3600.0
MIXES = 300.0
"""s after which readings count."""


def heat(
    warming: Warming,
    minutes: float,
    rate: float,
    *,
    sources: tuple[HeatSource, ...] = (HEATER,),
    begin: float = BEGIN,
    start: float = 25.0,
    noise: float = 0.0,
    seed: int = 1,
) -> Warming:
    """Let water warm at a rate (°C an hour), as a probe of 0.1 °C reads it."""
    chance = random.Random(seed)
    for number in range(round(minutes * 60 / POLL) + 1):
        at = number * POLL
        real = start + rate * at / HOUR + chance.uniform(-noise, noise)
        warming = warming.then(sources, begin + at, round(real, 1))
    return warming


def after(warming: Warming, at: float = BEGIN + 24 * HOUR) -> Warming:
    """Let the session end."""
    return warming.then((), at, 25.0)


def learned(*rates: float, sources: tuple[HeatSource, ...] = (HEATER,)) -> Warming:
    """Return what was learned of sessions of these rates, one a day."""
    warming = Warming()
    for day, rate in enumerate(rates):
        begin = BEGIN + day * 24 * HOUR
        warming = heat(warming, 180, rate, sources=sources, begin=begin)
        warming = after(warming, begin + 4 * HOUR)
    return warming


# One session


@pytest.mark.parametrize("rate", [0.3, 0.8, 1.5, 6.0, 19.0])
@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_a_session(rate: float, noise: float) -> None:
    """Neither the resolution of a probe nor its noise counts for much."""
    warming = after(heat(Warming(), 180, rate, noise=noise))
    assert warming.session is None
    (found,) = warming.rates
    assert found.sources == (HEATER,)
    assert found.per_hour == pytest.approx(rate, rel=0.05)
    assert warming.rate((HEATER,)) == found.per_hour


@pytest.mark.parametrize(
    ("minutes", "rate", "tells"),
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
def test_what_tells_a_rate(minutes: float, rate: float, tells: bool) -> None:
    warming = heat(Warming(), minutes, rate)
    assert (warming.rate((HEATER,)) is not None) is tells
    assert bool(after(warming).rates) is tells


def test_a_rate_that_is_too_slow() -> None:
    """In half a day at most, as then another session begins."""
    assert not after(heat(Warming(), 13 * 60, 0.045)).rates
    (found,) = after(heat(Warming(), 13 * 60, 0.06)).rates
    assert found.per_hour == pytest.approx(0.06, rel=0.05)


def test_what_is_read_before_the_water_has_mixed() -> None:
    """Pipes hold water of their own: it does not count."""
    warming = Warming()
    for at in range(0, int(MIXES), 15):
        warming = warming.then((HEATER,), BEGIN + at, 20.0 + at / 60)
    for at in range(int(MIXES), 2 * 3600, 15):
        now = round(25.0 + 1.2 * (at - MIXES) / HOUR, 1)
        warming = warming.then((HEATER,), BEGIN + at, now)
    assert warming.rate((HEATER,)) == pytest.approx(1.2, rel=0.02)


def test_days_without_a_break() -> None:
    """What a heat pump did first is learned while it still runs."""
    warming = heat(Warming(), 12 * 60, 0.4)
    assert not warming.rates
    warming = heat(warming, 60, 0.4, begin=BEGIN + 12 * HOUR + 15, start=29.8)
    (found,) = warming.rates
    assert found.per_hour == pytest.approx(0.4, rel=0.02)


def test_readings_of_one_moment() -> None:
    warming = Warming()
    for _ in range(3):
        warming = warming.then((HEATER,), BEGIN, 25.0)
    session = warming.session
    assert session is not None
    assert session.rate is None
    assert session.line.slope == 0


# Where a session ends


def kept(warming: Warming) -> int:
    """Return how many readings count for the session that lasts."""
    assert warming.session is not None
    return warming.session.line.number


@pytest.mark.parametrize(
    ("seconds", "change", "goes_on"),
    [
        (300, 0.0, True),
        (301, 0.0, False),  # a gap
        (-1, 0.0, False),  # a clock that was put back
        (15, 0.5, True),
        (15, 0.6, False),  # other water
        (15, -0.6, False),
    ],
)
def test_what_ends_a_session(seconds: float, change: float, goes_on: bool) -> None:
    warming = heat(Warming(), 60, 0.0)
    count, end = kept(warming), BEGIN + HOUR
    warming = warming.then((HEATER,), end + seconds, 25.0 + change)
    assert kept(warming) == (count + 1 if goes_on else 0)


def test_what_a_session_told_is_kept_where_it_is_cut() -> None:
    warming = heat(Warming(), 60, 1.5)
    warming = warming.then((HEATER,), BEGIN + HOUR + 15, 20.0)
    (found,) = warming.rates
    assert found.per_hour == pytest.approx(1.5, rel=0.05)
    assert kept(warming) == 0


def test_a_temperature_that_is_not_known() -> None:
    warming = heat(Warming(), 60, 1.5).then((HEATER,), BEGIN + HOUR + 15, None)
    assert warming.session is None
    assert len(warming.rates) == 1


def test_nothing_heats() -> None:
    warming = Warming()
    assert warming.then((), BEGIN, 25.0) is warming


# Several sessions


def test_a_newer_session_counts_more() -> None:
    assert learned(1.0, 2.0).rate((HEATER,)) == pytest.approx(1.3, rel=0.02)
    assert learned(1.0, 2.0, 2.0).rate((HEATER,)) == pytest.approx(1.51, rel=0.02)


def test_the_session_that_lasts_counts_too() -> None:
    """As soon as it tells a rate."""
    warming = heat(learned(1.0), 10, 2.0)
    assert warming.rate((HEATER,)) == pytest.approx(1.0, rel=0.02)
    warming = heat(learned(1.0), 60, 2.0)
    assert warming.rate((HEATER,)) == pytest.approx(1.3, rel=0.02)
    # What is promised before heating begins stays the same meanwhile.
    assert warming.expected([HEATER]) == pytest.approx(1.0, rel=0.02)


def test_heat_sources_are_not_mixed() -> None:
    warming = learned(1.0)
    both = (HEATER, SOLAR)
    warming = after(heat(warming, 90, 2.0, sources=both, begin=BEGIN + 99 * HOUR))
    assert warming.rate((HEATER,)) == pytest.approx(1.0, rel=0.02)
    assert warming.rate(both) == pytest.approx(2.0, rel=0.02)
    assert warming.rate((SOLAR,)) is None
    assert heat(warming, 60, 3.0, sources=(SOLAR,)).rate((HEATER,)) == pytest.approx(
        1.0, rel=0.02
    )


def test_another_heat_source_ends_a_session() -> None:
    warming = heat(Warming(), 60, 1.5)
    warming = warming.then((HEATER, SOLAR), BEGIN + HOUR + 15, 26.5)
    assert kept(warming) == 0
    assert [each.sources for each in warming.rates] == [(HEATER,)]


def test_more_than_what_has_heated_before() -> None:
    """It gets warm at least as fast, until it is known how fast."""
    both = (HEATER, SOLAR)
    assert learned(1.0).rate(both) == pytest.approx(1.0, rel=0.02)
    warming = heat(learned(1.0), 10, 2.0, sources=both)
    assert warming.rate(both) == pytest.approx(1.0, rel=0.02)
    warming = heat(learned(1.0), 60, 2.0, sources=both)
    assert warming.rate(both) == pytest.approx(2.0, rel=0.02)
    assert after(warming).rate(both) == pytest.approx(2.0, rel=0.02)
    assert learned(1.0, sources=both).rate((HEATER,)) is None


def rates(*found: tuple[tuple[HeatSource, ...], float]) -> Warming:
    return Warming(tuple(LearnedRate(*each) for each in found))


@pytest.mark.parametrize(
    ("known", "wanted", "rate"),
    [
        ((), (HEATER,), None),
        ((((HEATER,), 1.0),), (HEATER,), 1.0),
        ((((HEATER,), 1.0),), (SOLAR,), None),
        ((((HEATER, SOLAR), 1.4),), (HEATER,), None),
        # The sun may not shine.
        ((((HEATER, SOLAR), 1.4), ((HEATER,), 1.0)), (HEATER, SOLAR), 1.0),
        ((((SOLAR,), 0.4), ((HEATER,), 1.0)), (HEATER, SOLAR), 1.0),
        # Nothing else is known.
        ((((SOLAR,), 0.4), ((HEATER, SOLAR), 1.4)), (HEATER, SOLAR), 1.4),
        ((((HEATER, SOLAR), 1.4), ((SOLAR,), 0.4)), (SOLAR,), 0.4),
    ],
)
def test_what_heating_will_bring(
    known: Iterable[tuple[tuple[HeatSource, ...], float]],
    wanted: tuple[HeatSource, ...],
    rate: float | None,
) -> None:
    assert rates(*known).expected(wanted) == rate


def test_a_session_alone_makes_no_difference() -> None:
    """Or every reading would be news."""
    assert heat(Warming(), 60, 1.5) == Warming()
    assert after(heat(Warming(), 60, 1.5)) != Warming()


# In a pool

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
