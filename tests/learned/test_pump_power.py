"""Power of the pump: what is usual, what spoils a measurement, what is a problem."""

from datetime import UTC, datetime, timedelta

import pytest

from custom_components.poolctl.client.codec import to_stored
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.filter import (
    FAR,
    LONG,
    MAX_POWER,
    MIN_POWER,
    NOISE,
    OF_USUAL,
    STEADY,
    PumpPower,
)
from custom_components.poolctl.learned.read import Read

NOW = datetime(2026, 7, 1, 8, tzinfo=UTC)
POLL = 15.0
READS = round(STEADY / POLL)
"""Reads after the first one that make a measurement."""
PUMP, SOLAR_WITH_PUMP, SOLAR = 31, 17, 18


class Bench(PumpPower):
    """A pump whose power a test sets."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.signals = Signals()
        self.types: tuple[int, ...] = (PUMP,)

    def read(
        self,
        watts: float | None,
        speed: float | None = 75,
        *,
        after: float | None = POLL,
        times: int = 1,
    ) -> list[bool]:
        """Take reads; return whether each changed a shown value."""
        changed = []
        for _ in range(times):
            self.now += timedelta(seconds=after or 0)
            state = PoolState(
                readings=Readings(pump_power=watts, pump_speed=speed),
                signals=self.signals,
                outputs=Outputs(types=self.types),
            )
            changed.append(self.take(Read(state, after, self.now)))
        return changed

    def measure(
        self, watts: float, speed: float | None = 75, times: int = 1
    ) -> bool | None:
        """Let the pump run for some measurements; return whether it changed."""
        self.read(None)  # a measurement in progress is discarded
        self.now -= timedelta(seconds=POLL)
        self.read(watts, speed, times=1 + times * READS)
        return self.changed

    def learn(self, watts: float = 600.0, speed: float | None = 75) -> None:
        """Let the pump run for an hour."""
        self.measure(watts, speed, OF_USUAL)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_usual_is_the_mean_of_an_hour(bench: Bench) -> None:
    for watts in range(600, 600 + OF_USUAL):
        bench.measure(watts)
        assert (bench.change, bench.changed) == (None, None)
    assert bench.usual[75].watts == pytest.approx(605.5)
    assert bench.usual[75].times == OF_USUAL
    bench.measure(605.5)
    assert (bench.change, bench.changed) == (0, False)


def test_every_speed_has_its_own(bench: Bench) -> None:
    bench.learn(600, 75)
    bench.learn(150, 40)
    for watts, speed, change in (
        (120, 40, -20),
        (660, 75, 10),
        (900, 50, 10),  # it was never measured at this speed
    ):
        bench.measure(watts, speed)
        assert bench.change == change
    assert set(bench.usual) == {75, 40, 50}


@pytest.mark.parametrize("speed", [None, 0])
def test_a_pump_of_one_speed(bench: Bench, speed: float | None) -> None:
    bench.learn(1100, speed)
    assert set(bench.usual) == {100}


def test_a_measurement_needs_five_minutes_at_one_speed(bench: Bench) -> None:
    for speed in (75, 80):
        bench.read(600, speed, times=READS)
        assert not bench.usual
    bench.read(600, 80)
    assert bench.usual == {80: (600, 1)}


def test_a_speed_that_wavers(bench: Bench) -> None:
    """The speed of a drive varies around its setpoint, so the mean counts."""
    for one, other, usual in ((74, 77, {76}), (75, 78, set())):
        bench.cleaned()
        bench.read(600, 75)
        for _ in range(READS // 2):
            bench.read(600, one)
            bench.read(600, other)
        assert set(bench.usual) == usual


def test_the_mean_goes_by_time(bench: Bench) -> None:
    bench.read(600)
    bench.read(500, after=100)
    bench.read(800, after=200)
    assert bench.usual == {75: (700, 1)}


@pytest.mark.parametrize(
    ("watts", "counts"),
    [
        (MIN_POWER, True),
        (MIN_POWER - 1, False),
        (MAX_POWER, True),
        (None, False),
        (MAX_POWER + 1, False),
    ],
)
def test_power_that_counts(bench: Bench, watts: float | None, counts: bool) -> None:
    bench.read(watts, times=READS + 1)
    assert bool(bench.usual) is counts


def test_a_gap_begins_again(bench: Bench) -> None:
    for after in (None, 150, None, 150, 149):
        bench.read(600, after=after)
        assert not bench.usual
    bench.read(600, after=1)
    assert bench.usual


@pytest.mark.parametrize(
    ("signals", "types", "counts"),
    [
        (Signals(pump_priming=True), (PUMP,), False),
        (Signals(solar=True), (PUMP, SOLAR), False),
        (Signals(solar=True), (PUMP, SOLAR_WITH_PUMP), True),
        (Signals(solar=False), (PUMP, SOLAR), True),
    ],
)
def test_other_ways_of_the_water(
    bench: Bench, signals: Signals, types: tuple[int, ...], counts: bool
) -> None:
    bench.signals, bench.types = signals, types
    bench.measure(600)
    assert bool(bench.usual) is counts


def test_noise_is_not_shown(bench: Bench) -> None:
    bench.learn(100)
    for watts, change in ((104, 4), (104 + NOISE - 0.1, 4), (104 + NOISE, 7)):
        bench.measure(watts)
        assert bench.change == change


@pytest.mark.parametrize("sign", [1, -1])
def test_far_from_usual_for_days(bench: Bench, sign: int) -> None:
    bench.learn(100)
    far = 100 + sign * (FAR + 0.5)
    bench.measure(far)
    begun = bench.now
    bench.now = begun + LONG - timedelta(seconds=STEADY + 3 * POLL)
    assert [bench.measure(far), bench.measure(far)] == [False, True]
    assert bench.far_since == begun


def test_one_usual_measurement_ends_it(bench: Bench) -> None:
    bench.learn(100)
    bench.measure(70)
    bench.now += LONG
    assert [bench.measure(100 - FAR), bench.measure(70)] == [False, False]
    bench.now += LONG
    assert bench.changed is False, "three days in which it did not run"
    assert bench.measure(70) is True


def test_which_reads_change_a_shown_value(bench: Bench) -> None:
    bench.learn(100)
    assert bench.read(70, times=READS) == [False] * (READS - 1) + [True]
    bench.now += LONG
    assert bench.read(70, times=READS).count(True) == 1
    assert bench.changed is True


def test_a_clean_filter_begins_anew(bench: Bench) -> None:
    bench.learn(100)
    bench.measure(70)
    bench.read(70, times=READS - 1)
    bench.cleaned()
    assert to_stored(bench) == to_stored(PumpPower())
    bench.read(70)
    # What was measured before does not count.
    assert to_stored(bench) == to_stored(PumpPower())
