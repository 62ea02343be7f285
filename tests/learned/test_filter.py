"""How the load of the filter is measured, and what spoils a measurement."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
import random

import pytest

from custom_components.poolctl.client.pool.from_cloud import merge_dashboard
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.filter import (
    MIN_FLOW,
    MIN_PRESSURE,
    STEADY,
    Filter,
)
from custom_components.poolctl.learned.learned import Learned
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

    def take(self, state: PoolState, after: float | None) -> None:
        """Take a read of a state, some seconds after the previous one."""
        before = replace(self.filter)
        changed = self.filter.take(Read(state, after, NOW))
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
        self.take(state, after)

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


def test_dirt_does_not_go_away_while_the_pump_stands_still(bench: Bench) -> None:
    bench.run(2 * STEADY, resistance=1.5 * CLEAN)
    load = bench.filter.load
    assert load
    for _ in range(100):
        bench.read(0, 0)
    assert bench.filter.load == load


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


@pytest.mark.parametrize("odd", [65_000, 900, 150])
@pytest.mark.parametrize("place", [10, 50])
def test_one_odd_pressure_does_not_last(odd: float, place: int) -> None:
    """Neither is a clean filter measured too dirty, nor is the load too high."""
    learned, outputs = Learned(), Outputs(types=(PUMP,))
    learned.cleaned(NOW)
    for number in range(100):
        readings = Readings(flow_rate=300, pressure=odd if number == place else 60)
        read = PoolState(outputs=outputs, readings=readings)
        learned.take(read, number * POLL, NOW + timedelta(seconds=number * POLL))
    assert learned.filter.clean == pytest.approx(CLEAN)
    assert learned.filter.load == 0


def test_through_the_cloud() -> None:
    """Reads of the cloud, every half minute, give the same result."""
    bench = Bench()
    dashboard = {"actual_flow_rate": 300, "actual_pressure": 60, "main_pump_status": 99}
    state = PoolState(outputs=Outputs(types=(PUMP,)))
    for _ in range(12):
        # Twice, as when the cloud takes over.
        for after in (30, 0):
            state = merge_dashboard(state, dashboard, NOW)
            bench.take(state, after)
    assert bench.filter.clean == pytest.approx(CLEAN)
