"""Warming rates of water are learned from readings as coarse as a probe's."""

from collections.abc import Iterable
import random

import pytest

from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.learned.warming import LearnedRate, Warming

HEATER, SOLAR, SPA_HEATER = HeatSource
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
    seed: int = 1,
) -> Warming:
    """Let water warm at a rate (°C an hour), as a probe of 0.1 °C reads it."""
    chance = random.Random(seed)
    for number in range(round(minutes * 60 / POLL) + 1):
        at = number * POLL
        real = start + rate * at / HOUR + chance.uniform(-noise, noise)
        warming.take_reading(sources, begin + at, round(real, 1))
    return warming


def after(warming: Warming, at: float = BEGIN + 24 * HOUR) -> Warming:
    """Let the session end."""
    warming.take_reading((), at, 25.0)
    return warming


def learned(*rates: float, sources: tuple[HeatSource, ...] = (HEATER,)) -> Warming:
    """Return the result of sessions at these rates, one a day."""
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
    """The rate is right within 5 % despite the resolution and noise of a probe."""
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
    """Water must warm enough within half a day, because then another session begins."""
    assert not after(heat(Warming(), 13 * 60, 0.045)).rates
    (found,) = after(heat(Warming(), 13 * 60, 0.06)).rates
    assert found.per_hour == pytest.approx(0.06, rel=0.05)


def test_what_is_read_before_the_water_has_mixed() -> None:
    """The water that stood in the pipes does not count."""
    warming = Warming()
    for at in range(0, int(MIXES), 15):
        warming.take_reading((HEATER,), BEGIN + at, 20.0 + at / 60)
    for at in range(int(MIXES), 2 * 3600, 15):
        now = round(25.0 + 1.2 * (at - MIXES) / HOUR, 1)
        warming.take_reading((HEATER,), BEGIN + at, now)
    assert warming.rate((HEATER,)) == pytest.approx(1.2, rel=0.02)


def test_days_without_a_break() -> None:
    """The first half day of a heat pump is learned while it still runs."""
    warming = heat(Warming(), 12 * 60, 0.4)
    assert not warming.rates
    warming = heat(warming, 60, 0.4, begin=BEGIN + 12 * HOUR + 15, start=29.8)
    (found,) = warming.rates
    assert found.per_hour == pytest.approx(0.4, rel=0.02)


# The end of a session


def kept(warming: Warming) -> float:
    """Return the number of readings that count for the current session."""
    assert warming.session is not None
    return warming.session.sums[0]


@pytest.mark.parametrize(
    ("seconds", "change", "goes_on"),
    [
        (90, 0.0, True),
        (91, 0.0, False),  # a gap
        (-1, 0.0, False),  # a clock that was put back
        (15, 0.5, True),
        (15, 0.6, False),  # other water
        (15, -0.6, False),
    ],
)
def test_what_ends_a_session(seconds: float, change: float, goes_on: bool) -> None:
    warming = heat(Warming(), 60, 0.0)
    count, end = kept(warming), BEGIN + HOUR
    warming.take_reading((HEATER,), end + seconds, 25.0 + change)
    assert kept(warming) == (count + 1 if goes_on else 0)


def test_a_temperature_that_is_not_known() -> None:
    warming = heat(Warming(), 60, 1.5)
    warming.take_reading((HEATER,), BEGIN + HOUR + 15, None)
    assert warming.session is None
    assert len(warming.rates) == 1


# Several sessions


def test_a_newer_session_counts_more() -> None:
    assert learned(1.0, 2.0).rate((HEATER,)) == pytest.approx(1.3, rel=0.02)
    assert learned(1.0, 2.0, 2.0).rate((HEATER,)) == pytest.approx(1.51, rel=0.02)


def test_the_session_that_lasts_counts_too() -> None:
    """The current session counts as soon as it has a rate."""
    warming = heat(learned(1.0), 10, 2.0)
    assert warming.rate((HEATER,)) == pytest.approx(1.0, rel=0.02)
    warming = heat(learned(1.0), 60, 2.0)
    assert warming.rate((HEATER,)) == pytest.approx(1.3, rel=0.02)
    # The rate expected before heating begins stays the same meanwhile.
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
    warming.take_reading((HEATER, SOLAR), BEGIN + HOUR + 15, 26.5)
    assert kept(warming) == 0
    assert [each.sources for each in warming.rates] == [(HEATER,)]


def test_more_than_what_has_heated_before() -> None:
    """Until more sources have a rate of their own, that of fewer sources counts."""
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
        # There is no rate without the sun.
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
    """The session does not count for equality, or every reading would be a change."""
    assert heat(Warming(), 60, 1.5) == Warming()
    assert after(heat(Warming(), 60, 1.5)) != Warming()
