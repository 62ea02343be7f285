"""Load of the filter and power of the pump: how they are measured, and what spoils it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
import random

import pytest

from custom_components.poolctl.client.codec import to_stored
from custom_components.poolctl.client.pool.from_cloud import merge_dashboard
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.filter import (
    FAR,
    LONG,
    MIN_FLOW,
    MIN_POWER,
    MIN_PRESSURE,
    NOISE,
    OF_USUAL,
    STEADY,
    Filter,
    PumpPower,
)
from custom_components.poolctl.learned.read import Read

NOW = datetime(2026, 7, 1, 8, tzinfo=UTC)
POLL = 15
CLEAN = 1 / 1500
"""Resistance of a clean filter in kPa/(L/min)²."""
PUMP, SPA_RETURN = 31, 20


class Bench:
    """A pool with a filter whose resistance a test sets."""

    def __init__(self, *, cleaned: bool = True) -> None:
        self.filter = Filter()
        if cleaned:
            self.filter.cleaned(NOW)

    def add_read(self, state: PoolState, after: float | None) -> None:
        """Take a read of a state, some seconds after the previous one."""
        before = replace(self.filter)
        changed = self.filter.add_read(Read(state, after, NOW))
        assert changed is (self.filter != before)

    def read(
        self,
        flow: float | None,
        pressure: float | None,
        *,
        after: float | None = POLL,
        priming: bool = False,
        spa: bool = False,
    ) -> None:
        """Take a read with these values, some seconds after the previous one."""
        modes = (99, 99 if spa else 0)
        state = PoolState(
            readings=Readings(flow_rate=flow, pressure=pressure, main_pump_mode=99),
            signals=Signals(flow=True, pump_priming=priming),
            outputs=Outputs(types=(PUMP, SPA_RETURN), modes=modes),
        )
        self.add_read(state, after)

    def run(
        self,
        seconds: float = STEADY,
        *,
        flow: float = 300,
        resistance: float = CLEAN,
        spa: bool = False,
    ) -> None:
        """Let the pump run evenly; values are whole numbers, as on the wire."""
        for _ in range(round(seconds / POLL)):
            self.read(flow, round(flow**2 * resistance), spa=spa)


@pytest.fixture
def bench() -> Bench:
    """Return a pool whose filter was reported clean and then measured."""
    found = Bench()
    found.run(STEADY + POLL)
    assert found.filter.load == 0
    return found


def test_clean_is_the_first_measurement_after_it_was_cleaned() -> None:
    bench = Bench(cleaned=False)
    bench.run(2 * STEADY)
    assert bench.filter == Filter(measurable=True)
    bench.run(STEADY)  # a measurement of the dirty filter began
    bench.filter.cleaned(NOW)
    assert bench.filter.cleaned_at == NOW
    bench.run(STEADY, resistance=CLEAN / 2)  # the first read only begins the next one
    assert (bench.filter.clean, bench.filter.load) == (None, None)
    bench.run(POLL, resistance=CLEAN / 2)
    assert bench.filter.clean == pytest.approx(CLEAN / 2, rel=0.01)
    assert bench.filter.load == 0


@pytest.mark.parametrize("flow", [160, 200, 240, 300, 400])
@pytest.mark.parametrize("more", [0.0, 0.2, 0.5, 1.0])
def test_the_same_at_every_speed(bench: Bench, flow: float, more: float) -> None:
    """From 40 to 100 % of speed, the pressure alone differs by a factor of six."""
    bench.run(2 * STEADY, flow=flow, resistance=CLEAN * (1 + more))
    assert bench.filter.load == pytest.approx(more * 100, abs=4)


@pytest.mark.parametrize(
    ("resistance", "spa"),
    [
        # It was reported clean too early; the load is never below 0.
        (0.7 * CLEAN, False),
        # The spa has other pipes.
        (3 * CLEAN, True),
    ],
)
def test_no_load(bench: Bench, resistance: float, spa: bool) -> None:
    bench.run(4 * STEADY, resistance=resistance, spa=spa)
    assert bench.filter.load == 0


@pytest.mark.parametrize(
    ("flow", "pressure"),
    [(None, 60), (300, None), (MIN_FLOW - 1, 60), (300, MIN_PRESSURE - 1)],
)
def test_too_little_to_measure(flow: float | None, pressure: float | None) -> None:
    bench = Bench()
    for _ in range(50):
        bench.read(flow, pressure)
    assert bench.filter == Filter(cleaned_at=NOW)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda it: it.read(0, 0),
        lambda it: it.read(300, 60, after=None),
        lambda it: it.read(400, 107),
        lambda it: it.read(300, 60, spa=True),
        lambda it: it.read(300, 60, priming=True),
    ],
    ids=["stopped", "not read", "backwash", "spa", "priming"],
)
def test_what_spoils_a_measurement(spoil: Callable[[Bench], None]) -> None:
    """The measurement begins anew."""
    bench = Bench()
    bench.run(STEADY)
    spoil(bench)
    bench.run(STEADY - POLL)
    assert bench.filter.clean is None
    bench.run(2 * POLL)
    assert bench.filter.clean is not None


def test_noise() -> None:
    """With noise of some per cent, the load is right within 4 and rarely changes."""
    chance, bench = random.Random(7), Bench()
    shown: list[int | None] = []
    for turn in range(8 * 3600 // POLL):
        real = CLEAN if turn < 100 else 1.3 * CLEAN
        flow, pressure = 300 * chance.gauss(1, 0.02), 300**2 * real
        bench.read(round(flow), round(pressure * chance.gauss(1, 0.03)))
        if not shown or shown[-1] != bench.filter.load:
            shown.append(bench.filter.load)
    assert shown[-1] == pytest.approx(30, abs=4)
    assert len(shown) <= 12


def test_through_the_cloud() -> None:
    """Reads of the cloud, every half minute, give the same result."""
    bench = Bench()
    dashboard = {"actual_flow_rate": 300, "actual_pressure": 60, "main_pump_status": 99}
    state = PoolState(outputs=Outputs(types=(PUMP,)))
    for _ in range(12):
        # Twice, as when the cloud takes over.
        for after in (30, 0):
            state = merge_dashboard(state, dashboard, NOW)
            bench.add_read(state, after)
    assert bench.filter.clean == pytest.approx(CLEAN)


# The power of the pump, which a dirty filter changes

READS = round(STEADY / POLL)
"""Reads after the first one that make a measurement."""
SOLAR_WITH_PUMP, SOLAR = 17, 18


class Pump(PumpPower):
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
            changed.append(self.add_read(Read(state, after, self.now)))
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
def pump() -> Pump:
    return Pump()


def test_usual_is_the_mean_of_an_hour(pump: Pump) -> None:
    for watts in range(600, 600 + OF_USUAL):
        pump.measure(watts)
        assert (pump.change, pump.changed) == (None, False)
    assert pump.usual[75].watts == pytest.approx(605.5)
    assert pump.usual[75].times == OF_USUAL
    pump.measure(605.5)
    assert (pump.change, pump.changed) == (0, False)


def test_every_speed_has_its_own(pump: Pump) -> None:
    pump.learn(600, 75)
    pump.learn(150, 40)
    for watts, speed, change in (
        (120, 40, -20),
        (660, 75, 10),
        (900, 50, 10),  # it was never measured at this speed
    ):
        pump.measure(watts, speed)
        assert pump.change == change
    assert set(pump.usual) == {75, 40, 50}


def test_a_measurement_needs_five_minutes_at_one_speed(pump: Pump) -> None:
    for speed in (75, 80):
        pump.read(600, speed, times=READS)
        assert not pump.usual
    pump.read(600, 80)
    assert pump.usual == {80: (600, 1)}


def test_a_speed_that_wavers(pump: Pump) -> None:
    """The speed of a drive varies around its setpoint, so the mean counts."""
    for one, other, usual in ((74, 77, {76}), (75, 78, set())):
        pump.cleaned()
        pump.read(600, 75)
        for _ in range(READS // 2):
            pump.read(600, one)
            pump.read(600, other)
        assert set(pump.usual) == usual


@pytest.mark.parametrize(
    ("watts", "counts"),
    [
        (MIN_POWER, True),
        (MIN_POWER - 1, False),
        (None, False),
    ],
)
def test_power_that_counts(pump: Pump, watts: float | None, counts: bool) -> None:
    pump.read(watts, times=READS + 1)
    assert bool(pump.usual) is counts


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
    pump: Pump, signals: Signals, types: tuple[int, ...], counts: bool
) -> None:
    pump.signals, pump.types = signals, types
    pump.measure(600)
    assert bool(pump.usual) is counts


def test_noise_is_not_shown(pump: Pump) -> None:
    pump.learn(100)
    for watts, change in ((104, 4), (104 + NOISE - 0.1, 4), (104 + NOISE, 7)):
        pump.measure(watts)
        assert pump.change == change


@pytest.mark.parametrize("sign", [1, -1])
def test_far_from_usual_for_days(pump: Pump, sign: int) -> None:
    pump.learn(100)
    far = 100 + sign * (FAR + 0.5)
    pump.measure(far)
    begun = pump.now
    pump.now = begun + LONG - timedelta(seconds=STEADY + 3 * POLL)
    assert [pump.measure(far), pump.measure(far)] == [False, True]
    assert pump.far_since == begun


def test_one_usual_measurement_ends_it(pump: Pump) -> None:
    pump.learn(100)
    pump.measure(70)
    pump.now += LONG
    assert [pump.measure(100 - FAR), pump.measure(70)] == [False, False]
    pump.now += LONG
    assert pump.changed is False, "three days in which it did not run"
    assert pump.measure(70) is True


def test_a_clean_filter_begins_anew(pump: Pump) -> None:
    pump.learn(100)
    pump.measure(70)
    pump.read(70, times=READS - 1)
    pump.cleaned()
    assert to_stored(pump) == to_stored(PumpPower())
    pump.read(70)
    # What was measured before does not count.
    assert to_stored(pump) == to_stored(PumpPower())
