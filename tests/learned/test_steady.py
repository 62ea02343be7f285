"""Shown values of noisy probes."""

from dataclasses import replace
from itertools import accumulate

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Doser, Dosing
from custom_components.poolctl.client.pool.state import PoolState, Source
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.steady import BANDS, LASTS, SteadyReadings

POLL = 15.0
STEPS = 0.1, 1.0, 0.1, 0.05
"""Steps by which each probe varies in these tests."""
CENTRE = 7.4, 700.0, 25.0, 20.0
STATE = PoolState(
    source=Source.LAN,
    outputs=Outputs(types=(31, 2)),  # pump and pool heater
    signals=Signals(chemistry_stable=True, pool_heater=True),
    pool_target=28,
    spa_target=36,
    acid=Doser(desired=7.4),
    chlorine=Doser(desired=700),
    chlorinator=Dosing(desired=700),
    readings=Readings(
        ph=CENTRE[0],
        orp=CENTRE[1],
        water_temperature=CENTRE[2],
        ambient_temperature=CENTRE[3],
    ),
)


Probes = tuple[float | None, ...]


def shown_by(steady: SteadyReadings, state: PoolState) -> Probes:
    """Return the shown values of the probes."""
    return probes_of(steady.shown(state).readings)


def probes_of(of: Readings) -> Probes:
    return of.ph, of.orp, of.water_temperature, of.ambient_temperature


def take(steady: SteadyReadings, state: PoolState, at: float) -> None:
    """Take a read."""
    steady.take(state.readings, at)


def with_probes(state: PoolState, probes: Probes) -> PoolState:
    """Return the state with other values of the probes."""
    ph, orp, water, ambient = probes
    readings = Readings(
        ph=ph, orp=orp, water_temperature=water, ambient_temperature=ambient
    )
    return replace(state, readings=readings)


def _values(middle: float, step: float) -> st.SearchStrategy[float | None]:
    offsets = st.integers(-8, 8).map(lambda steps: round(middle + steps * step, 2))
    return st.none() | offsets


_PROBES = st.tuples(*map(_values, CENTRE, STEPS, strict=True))
_READS = st.lists(st.tuples(_PROBES, st.floats(1, LASTS)), min_size=1, max_size=60)


@given(reads=_READS, more=st.floats(LASTS + 1, 2 * LASTS))
def test_no_shown_value_is_farther_than_its_band(
    reads: list[tuple[Probes, float]], more: float
) -> None:
    """A value is within its band, and true 5 minutes after its reading last changed."""
    steady, since = SteadyReadings(), [0.0] * len(STEPS)
    previous: Probes = CENTRE
    times = accumulate(seconds for _, seconds in reads)
    for (true, _), at in zip(reads, times, strict=True):
        state = with_probes(STATE, true)
        take(steady, state, at)
        shown = shown_by(steady, state)
        for probe, band in enumerate(BANDS):
            value, reading = shown[probe], true[probe]
            assert (value is None) is (reading is None)
            if value is not None and reading is not None:
                assert abs(value - reading) < band
            if reading != previous[probe]:
                since[probe] = at
            if at - since[probe] >= LASTS:
                assert value == reading
        previous = true
    take(steady, state, at + more)
    assert shown_by(steady, state) == previous


@pytest.mark.parametrize(
    ("first", "within", "beyond"),
    [
        (Readings(ph=7.3), Readings(ph=7.4), Readings(ph=7.1)),
        (Readings(orp=700), Readings(orp=704), Readings(orp=705)),
        (
            Readings(water_temperature=25.0),
            Readings(water_temperature=25.1),
            Readings(water_temperature=24.8),
        ),
        (
            Readings(ambient_temperature=20.0),
            Readings(ambient_temperature=20.19),
            Readings(ambient_temperature=20.2),
        ),
    ],
)
def test_a_band(first: Readings, within: Readings, beyond: Readings) -> None:
    steady, shown = SteadyReadings(), []
    states = [replace(STATE, readings=each) for each in (first, within, beyond)]
    for number, state in enumerate(states):
        take(steady, state, number * POLL)
        shown.append(shown_by(steady, state))
    assert shown == [
        probes_of(states[0].readings),
        probes_of(states[0].readings),
        probes_of(states[2].readings),
    ]


def test_a_small_difference_that_lasts() -> None:
    """The time runs from when the reading last was the shown one, even if it varies."""
    steady = SteadyReadings()
    readings = [700, 702, 700, *(702 + number % 2 for number in range(21))]
    shown: list[float | None] = []
    for number, orp in enumerate(readings):
        state = replace(STATE, readings=Readings(orp=orp))
        take(steady, state, number * POLL)
        shown.append(steady.shown(state).readings.orp)
    assert shown == [700] * 23 + [702]


def test_a_reading_that_came_since_the_newest_read() -> None:
    """A command changes a state in between: the filter is the same."""
    steady = SteadyReadings()
    take(steady, STATE, 0)
    small = Readings(ph=7.5, orp=701, water_temperature=25.1, ambient_temperature=20.01)
    assert shown_by(steady, replace(STATE, readings=small)) == CENTRE
    large = Readings(ph=7.6, orp=None, water_temperature=25.2, ambient_temperature=20.3)
    assert shown_by(steady, replace(STATE, readings=large)) == probes_of(large)


def test_readings_as_they_are() -> None:
    steady = SteadyReadings()
    take(steady, STATE, 0)
    small = replace(STATE, readings=replace(STATE.readings, orp=701))
    take(steady, small, POLL)
    assert steady.shown(small).readings.orp == 700
    steady.show(small)
    assert steady.shown(small).readings.orp == 701


def test_odd_water_is_shown_once_it_is_confirmed() -> None:
    steady, shown = SteadyReadings(), []
    for number, (water, odd) in enumerate(
        ((25.0, False), (60.0, True), (25.0, False), (60.0, True), (60.0, False))
    ):
        readings = Readings(water_temperature=water)
        steady.take(readings, number * POLL, odd_water=odd)
        shown.append(shown_by(steady, replace(STATE, readings=readings))[2])
    assert shown == [25.0, 25.0, 25.0, 25.0, 60.0]


def test_unknown_is_shown_at_once() -> None:
    steady = SteadyReadings()
    for number, orp in enumerate((700, None, 701)):
        state = replace(STATE, readings=Readings(orp=orp))
        take(steady, state, number * POLL)
        assert steady.shown(state).readings.orp == orp
