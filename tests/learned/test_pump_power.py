"""Power of the pump: what is usual, what spoils a measurement, what is a problem."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

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
PUMP, SOLAR_WITH_PUMP, SOLAR = 31, 17, 18


class Bench:
    """A pump whose power a test sets."""

    def __init__(self) -> None:
        self.power = PumpPower()
        self.now = NOW
        self.signals = Signals()
        self.types: tuple[int, ...] = (PUMP,)

    def changed(self) -> bool | None:
        return self.power.changed

    def read(
        self,
        watts: float | None,
        speed: float | None = 75,
        *,
        after: float | None = POLL,
    ) -> bool:
        """Take a read; return whether a shown value changed."""
        self.now += timedelta(seconds=after or 0)
        state = PoolState(
            readings=replace(Readings(), pump_power=watts, pump_speed=speed),
            signals=self.signals,
            outputs=Outputs(types=self.types),
        )
        return self.power.take(Read(state, after, self.now))

    def measure(self, watts: float, speed: float | None = 75, times: int = 1) -> None:
        """Let the pump run for some measurements."""
        self.read(None)  # a measurement in progress is discarded
        self.now -= timedelta(seconds=POLL)
        self.read(watts, speed)
        for _ in range(times * round(STEADY / POLL)):
            self.read(watts, speed)

    def learn(self, watts: float = 600.0, speed: float | None = 75) -> None:
        """Let the pump run for an hour."""
        self.measure(watts, speed, OF_USUAL)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_usual_is_the_mean_of_an_hour(bench: Bench) -> None:
    for watts in range(600, 600 + OF_USUAL):
        bench.measure(watts)
        assert bench.power.change is None
        assert bench.changed() is None
    assert bench.power.usual[75].watts == pytest.approx(605.5)
    assert bench.power.usual[75].times == OF_USUAL
    bench.measure(605.5)
    assert bench.power.change == 0
    assert bench.changed() is False


def test_every_speed_has_its_own(bench: Bench) -> None:
    bench.learn(600, 75)
    bench.learn(150, 40)
    bench.measure(120, 40)
    assert bench.power.change == -20
    bench.measure(660, 75)
    assert bench.power.change == 10
    bench.measure(900, 50)
    assert bench.power.change == 10, "it was never measured at this speed"
    assert set(bench.power.usual) == {75, 40, 50}


@pytest.mark.parametrize("speed", [None, 0])
def test_a_pump_of_one_speed(bench: Bench, speed: float | None) -> None:
    bench.learn(1100, speed)
    assert set(bench.power.usual) == {100}


def test_a_measurement_needs_five_minutes_at_one_speed(bench: Bench) -> None:
    bench.read(600)
    for _ in range(round(STEADY / POLL) - 1):
        bench.read(600)
    assert not bench.power.usual
    bench.read(600, 80)
    for _ in range(round(STEADY / POLL) - 1):
        bench.read(600, 80)
    assert not bench.power.usual
    bench.read(600, 80)
    assert bench.power.usual == {80: (600, 1)}


def test_a_speed_that_wavers(bench: Bench) -> None:
    """The speed of a drive varies around its setpoint, so the mean counts."""
    bench.read(600, 75)
    for _ in range(round(STEADY / POLL) // 2):
        bench.read(600, 74)
        bench.read(600, 77)
    assert set(bench.power.usual) == {76}
    bench.power.cleaned()
    bench.read(600, 75)
    for _ in range(round(STEADY / POLL)):
        bench.read(600, 75)
        bench.read(600, 78)
    assert not bench.power.usual


def test_the_mean_goes_by_time(bench: Bench) -> None:
    bench.read(600)
    bench.read(500, after=100)
    bench.read(800, after=200)
    assert bench.power.usual == {75: (700, 1)}


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
    for _ in range(round(STEADY / POLL) + 1):
        bench.read(watts)
    assert bool(bench.power.usual) is counts


def test_a_gap_begins_again(bench: Bench) -> None:
    for after in (None, 150, None, 150, 149):
        bench.read(600, after=after)
        assert not bench.power.usual
    bench.read(600, after=1)
    assert bench.power.usual


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
    assert bool(bench.power.usual) is counts


def test_noise_is_not_shown(bench: Bench) -> None:
    bench.learn(100)
    bench.measure(104)
    assert bench.power.change == 4
    bench.measure(104 + NOISE - 0.1)
    assert bench.power.change == 4
    bench.measure(104 + NOISE)
    assert bench.power.change == 7


@pytest.mark.parametrize("sign", [1, -1])
def test_far_from_usual_for_days(bench: Bench, sign: int) -> None:
    bench.learn(100)
    far = 100 + sign * (FAR + 0.5)
    bench.measure(far)
    begun = bench.now
    assert bench.power.far_since == begun
    bench.now = begun + LONG - timedelta(seconds=STEADY + 3 * POLL)
    bench.measure(far)
    assert bench.changed() is False
    bench.measure(far)
    assert bench.changed() is True
    assert bench.power.far_since == begun


def test_one_usual_measurement_ends_it(bench: Bench) -> None:
    bench.learn(100)
    bench.measure(70)
    bench.now += LONG
    bench.measure(100 - FAR)
    assert bench.changed() is False
    bench.measure(70)
    assert bench.changed() is False
    bench.now += LONG
    assert bench.changed() is False, "three days in which it did not run"
    bench.measure(70)
    assert bench.changed() is True


def test_what_take_returns(bench: Bench) -> None:
    """`take` returns whether a shown value changed."""
    bench.learn(100)
    for _ in range(round(STEADY / POLL) - 1):
        assert bench.read(70) is False
    assert bench.read(70) is True
    bench.now += LONG
    news = [bench.read(70) for _ in range(round(STEADY / POLL))]
    assert news.count(True) == 1
    assert bench.changed() is True


def test_a_clean_filter_begins_anew(bench: Bench) -> None:
    bench.learn(100)
    bench.measure(70)
    for _ in range(round(STEADY / POLL) - 1):
        bench.read(70)
    bench.power.cleaned()
    assert bench.power == PumpPower()
    bench.read(70)
    assert bench.power == PumpPower(), "what was measured before does not count"
