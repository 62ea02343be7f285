"""Shown values of noisy probes."""

from itertools import accumulate

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.frame import Readings
from custom_components.poolctl.learned.steady import (
    BANDS,
    DIFFERENCE_LASTS,
    SteadyReadings,
)

POLL = 15.0
STEPS = 0.1, 1.0, 0.1, 0.05, 1.0, 1.0, 5.0, 1.0
"""Steps by which each probe varies in these tests."""
CENTRE = 7.4, 700.0, 25.0, 20.0, 150.0, 60.0, 400.0, 45.0

type Probes = tuple[float | None, ...]
"""pH, ORP, temperature of the water and of the air; flow, pressure, power, drive."""


def readings(probes: Probes) -> Readings:
    ph, orp, water, ambient, flow, pressure, power, drive = probes
    return Readings(
        ph=ph,
        orp=orp,
        water_temperature=water,
        ambient_temperature=ambient,
        flow_rate=flow,
        pressure=pressure,
        pump_power=power,
        drive_temperature=drive,
    )


def shown(steady: SteadyReadings, probes: Probes) -> Probes:
    found = steady.shown(PoolState(readings=readings(probes))).readings
    probes = found.ph, found.orp, found.water_temperature, found.ambient_temperature
    pump = found.flow_rate, found.pressure, found.pump_power, found.drive_temperature
    return *probes, *pump


def one(probe: int, value: float | None) -> Probes:
    """Return the values of probes of which only one has a value."""
    return (None,) * probe + (value,) + (None,) * (len(CENTRE) - 1 - probe)


def _values(middle: float, step: float) -> st.SearchStrategy[float | None]:
    offsets = st.integers(-8, 8).map(lambda steps: round(middle + steps * step, 2))
    return st.none() | offsets


_PROBES = st.tuples(*map(_values, CENTRE, STEPS, strict=True))
_READS = st.lists(
    st.tuples(_PROBES, st.floats(1, DIFFERENCE_LASTS)), min_size=1, max_size=60
)


@given(reads=_READS, more=st.floats(DIFFERENCE_LASTS + 1, 2 * DIFFERENCE_LASTS))
def test_no_shown_value_is_farther_than_its_band(
    reads: list[tuple[Probes, float]], more: float
) -> None:
    """A value is within its band, and true 5 minutes after its reading last changed."""
    steady, since = SteadyReadings(), [0.0] * len(STEPS)
    previous: Probes = CENTRE
    times = accumulate(seconds for _, seconds in reads)
    for (true, _), at in zip(reads, times, strict=True):
        steady.add_readings(readings(true), at)
        for probe, (value, reading, band) in enumerate(
            zip(shown(steady, true), true, BANDS, strict=True)
        ):
            assert (value is None) is (reading is None)
            if value is not None and reading is not None:
                assert bool(value) is bool(reading)
                assert abs(value - reading) < band
            if reading != previous[probe]:
                since[probe] = at
            if at - since[probe] >= DIFFERENCE_LASTS:
                assert value == reading
        previous = true
    steady.add_readings(readings(previous), at + more)
    assert shown(steady, previous) == previous


@pytest.mark.parametrize(
    ("probe", "values", "expected"),
    [
        # At 0, something stopped, and above it, something runs.
        (4, (2, 1, 0, 1), (2, 2, 0, 1)),
        (6, (0, 5, 6, 0), (0, 5, 5, 0)),
        # The time runs from when the reading last was the shown one, even if it varies.
        (
            1,
            (700, 702, 700, *(702 + number % 2 for number in range(21))),
            (700,) * 23 + (702,),
        ),
    ],
)
def test_values_every_15_seconds(probe: int, values: Probes, expected: Probes) -> None:
    steady, found = SteadyReadings(), []
    for number, value in enumerate(values):
        steady.add_readings(readings(one(probe, value)), number * POLL)
        found.append(shown(steady, one(probe, value))[probe])
    assert tuple(found) == expected


def test_a_reading_that_came_since_the_newest_read() -> None:
    """A command changes a state in between: the filter is the same."""
    steady = SteadyReadings()
    steady.add_readings(readings(CENTRE), 0)
    assert shown(steady, (7.5, 701, 25.1, 20.01, 151, 61, 401, 46)) == CENTRE
    large = 7.6, None, 25.2, 20.3, 0, 57, None, 47
    assert shown(steady, large) == large


def test_readings_as_they_are() -> None:
    steady = SteadyReadings()
    for number, orp in enumerate((700, 701)):
        steady.add_readings(readings(one(1, orp)), number * POLL)
    assert shown(steady, one(1, 701)) == one(1, 700)
    steady.show(PoolState(readings=readings(one(1, 701))))
    assert shown(steady, one(1, 701)) == one(1, 701)
