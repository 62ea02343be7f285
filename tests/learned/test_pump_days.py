"""Hours, flow and water of a pump by day, and the hours that it should run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from custom_components.poolctl.client.pool.choices import Choices, PumpRule
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Chemistry
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import MAIN_PUMP
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.pool import (
    Pool,
    missed_yesterday,
    missing,
    needed_today,
    still_needed,
)
from custom_components.poolctl.learned.pump_days import PumpDay, PumpDays
from custom_components.poolctl.learned.read import Read
from custom_components.poolctl.learned.totals import (
    PUMP_RUNNING,
    WATER_FILTERED,
    Totals,
)

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
TODAY = NOON.date()
DAY = timedelta(days=1)
RUNS, STANDS = 99, 0


def state(
    *,
    mode: int = RUNS,
    flow: float | None = 300.0,
    water: float | None = None,
    stable: bool = True,
) -> PoolState:
    """Return a state in which a pump and its water report these values."""
    return PoolState(
        readings=Readings(flow_rate=flow, water_temperature=water, main_pump_mode=mode),
        signals=Signals(chemistry_stable=stable),
        outputs=Outputs(types=(MAIN_PUMP,), modes=(mode,)),
    )


class Bench:
    """The days of a pump, fed with reads."""

    def __init__(self) -> None:
        self.totals = Totals()
        self.days = PumpDays()

    @property
    def today(self) -> PumpDay:
        assert self.days.today is not None
        return self.days.today

    def read(
        self, state: PoolState, seconds: float | None = 3600.0, now: datetime = NOON
    ) -> None:
        """Take a read, some seconds after the previous one."""
        read = Read(state, seconds, now)
        self.totals.take(read)
        self.days.take(read, self.totals)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_hours_are_those_of_the_totals(bench: Bench) -> None:
    bench.read(state(), None)
    assert bench.today.hours == 0
    bench.read(state())
    bench.read(state())
    assert bench.today.hours == pytest.approx(2)
    assert bench.totals.of[PUMP_RUNNING].exact == pytest.approx(2)


def test_litres_count_with_their_time(bench: Bench) -> None:
    bench.read(state(flow=300), 1800)
    assert (bench.today.litres, bench.today.measured) == (9000, 0.5)
    bench.read(state(flow=200), 3600)
    assert (bench.today.litres, bench.today.measured) == (21_000, 1.5)
    assert bench.days.flow == 14_000


@pytest.mark.parametrize(
    ("read", "seconds"),
    [
        (state(flow=None), 3600),
        (state(flow=0), 3600),
        (state(mode=STANDS), 3600),
        (state(), None),
    ],
)
def test_what_has_no_litres(
    bench: Bench, read: PoolState, seconds: float | None
) -> None:
    bench.read(state(), 3600)
    before = bench.today.litres, bench.today.measured
    bench.read(read, seconds)
    assert (bench.today.litres, bench.today.measured) == before


def test_the_flow_is_known_after_half_an_hour(bench: Bench) -> None:
    bench.read(state(), 1799)
    assert bench.days.flow is None
    bench.read(state(), 1)
    assert bench.days.flow == pytest.approx(18_000)


def test_the_flow_of_both_days(bench: Bench) -> None:
    bench.read(state(flow=300))
    bench.read(state(flow=100), 3 * 3600, NOON + DAY)
    assert bench.days.flow == pytest.approx((300 * 60 + 100 * 180) / 4)


def test_the_warmest_water_of_a_day(bench: Bench) -> None:
    for water in (24.0, 26.0, 25.0):
        bench.read(state(water=water))
    assert bench.today.water == 26
    bench.read(state(water=30, stable=False))
    assert bench.today.water == 26, "a probe in still water"
    bench.read(state(water=None))
    assert bench.today.water == 26


def test_a_day_goes_by_the_water_of_the_one_before(bench: Bench) -> None:
    bench.read(state(water=24))
    assert bench.today.temperature == 24, "there was none before"
    bench.read(state(water=20), now=NOON + DAY)
    assert bench.today.temperature == 24
    assert bench.days.yesterday is not None
    assert bench.days.yesterday.water == 24
    bench.read(state(), now=NOON + 2 * DAY)
    assert bench.today.temperature == 20
    bench.read(state(), now=NOON + 3 * DAY)
    assert bench.today.temperature == 20, "yesterday had no reading"


def test_days_without_reads(bench: Bench) -> None:
    """A day before yesterday does not count as yesterday, but its water counts."""
    bench.read(state(water=24))
    bench.read(state(), now=NOON + 2 * DAY)
    assert bench.days.yesterday is None
    assert bench.today.previous_water == 24
    bench.read(state(), now=NOON + DAY)
    assert bench.days.yesterday is None, "a clock that was set back"


def test_a_day_begins_once(bench: Bench) -> None:
    bench.read(state(), 1800)
    assert bench.days.begin_day(TODAY) is bench.today
    assert bench.today.litres
    assert bench.days.begin_day(TODAY + DAY).litres == 0
    assert bench.today.day == TODAY + DAY


# The hours that are needed


def pool(
    rule: PumpRule | None,
    today: PumpDay | None,
    yesterday: PumpDay | None = None,
    *,
    ran: float = 0.0,
    water: float | None = None,
    **choices: Any,
) -> Pool:
    """Return a pool with a rule for its hours."""
    learned = Learned()
    learned.pump_days = PumpDays(today, yesterday)
    learned.totals.of[PUMP_RUNNING].shown = ran
    valid = Chemistry(water_temperature=water)
    chosen = replace(Choices(pump_rule=rule), **choices)
    return Pool(PoolState(valid_chemistry=valid), chosen, learned)


def day(water: float | None = None, *, ago: int = 0, **values: Any) -> PumpDay:
    return PumpDay(day=TODAY - ago * DAY, water=water, **values)


@pytest.mark.parametrize(
    ("rule", "celsius", "hours"),
    [
        (PumpRule.HALF, 24.0, 12.0),
        (PumpRule.THIRD, 24.0, 8.0),
        (PumpRule.THIRD, 25.0, 8.25),
        (PumpRule.HALF, 3.0, 2.0),
        (PumpRule.THIRD, 6.3, 2.0),
        (PumpRule.HALF, 60.0, 24.0),
        (PumpRule.HALF, None, None),
        (PumpRule.FIXED, None, 8.0),
        (None, 24.0, None),
    ],
)
def test_a_rule(
    rule: PumpRule | None, celsius: float | None, hours: float | None
) -> None:
    assert needed_today(pool(rule, day(celsius))) == hours
    assert needed_today(pool(rule, None)) is None


def test_without_a_reading_of_the_day_the_last_valid_one_counts() -> None:
    assert needed_today(pool(PumpRule.HALF, day(), water=20)) == 10
    assert needed_today(pool(PumpRule.HALF, day(24), water=20)) == 12


def test_turnovers() -> None:
    measured = day(litres=36_000, measured=2)
    assert needed_today(pool(PumpRule.TURNOVERS, measured, volume=54_000)) is not None
    twice = pool(PumpRule.TURNOVERS, measured, volume=54_000, turnovers=2.0)
    assert needed_today(twice) == 6
    assert needed_today(pool(PumpRule.TURNOVERS, measured)) is None
    assert missing(pool(PumpRule.TURNOVERS, measured)) == "volume"
    assert missing(pool(PumpRule.TURNOVERS, day(), volume=54_000)) == "run"
    assert missing(twice) is None
    assert missing(pool(PumpRule.HALF, day())) == "run"


@pytest.mark.parametrize(("ran", "left"), [(0.0, 8.0), (3.0, 5.0), (9.0, 0.0)])
def test_still_needed(ran: float, left: float) -> None:
    assert still_needed(pool(PumpRule.FIXED, day(), ran=ran)) == left
    assert still_needed(pool(None, day(), ran=ran)) is None


@pytest.mark.parametrize(
    ("hours", "missed"), [(8.0, 0.0), (7.95, 0.0), (7.5, 0.5), (9.0, 0.0)]
)
def test_missed_yesterday(hours: float, missed: float) -> None:
    yesterday = day(ago=1, hours=hours, observed=24)
    assert missed_yesterday(pool(PumpRule.FIXED, day(), yesterday)) == missed
    assert missed_yesterday(pool(PumpRule.FIXED, day())) is None
    assert missed_yesterday(pool(None, day(), yesterday)) is None


@pytest.mark.parametrize(("observed", "missed"), [(4, 0), (18, 0), (21, 3), (24, 6)])
def test_hours_that_nobody_observed_are_not_missed(
    observed: float, missed: float
) -> None:
    yesterday = day(ago=1, hours=2, observed=observed)
    assert missed_yesterday(pool(PumpRule.FIXED, day(), yesterday)) == missed


def test_the_water_of_the_first_day_rises() -> None:
    """Its needed hours rose with the water: they were not missed."""
    first = day(28, ago=1, hours=12, observed=24)
    assert missed_yesterday(pool(PumpRule.HALF, day(28), first)) is None
    later = replace(first, previous_water=28.0)
    assert missed_yesterday(pool(PumpRule.HALF, day(28), later)) == 2


def test_observed_hours(bench: Bench) -> None:
    bench.read(state(), None)
    bench.read(state(), 3600)
    bench.read(state(mode=STANDS), 3600)
    assert bench.today.observed == pytest.approx(2)
    bench.read(state(), 7200, datetime(2026, 7, 2, 1, tzinfo=UTC))
    assert bench.today.observed == pytest.approx(1)


def learn(*reads: PoolState) -> Learned:
    """Return what was learned from reads every 15 s."""
    learned = Learned()
    for number, read in enumerate(reads):
        at = 15.0 * number
        learned.take(read, at, NOON + timedelta(seconds=at))
    return learned


@pytest.mark.parametrize("odd", [60.0, 40.0, -20.0, 10.0])
def test_one_odd_temperature_does_not_last(odd: float) -> None:
    days = learn(*(state(water=each) for each in (25, 25, odd, 25, 25))).pump_days
    assert days.today is not None
    assert days.today.water == 25


@pytest.mark.parametrize("odd", [60.0, 40.0])
def test_one_odd_temperature_after_a_start_does_not_last(odd: float) -> None:
    days = learn(*(state(water=each) for each in (odd, 25, 25))).pump_days
    assert days.today is not None
    assert days.today.water == 25


def test_water_that_is_warmer_for_two_reads() -> None:
    days = learn(*(state(water=each) for each in (25, 25, 29, 29))).pump_days
    assert days.today is not None
    assert days.today.water == 29


@pytest.mark.parametrize("odd", [65_000, 1_900, 900])
def test_one_odd_flow_does_not_last(odd: float) -> None:
    learned = learn(*(state(flow=each) for each in (300, 300, odd, 300, 300)))
    filtered = learned.totals.of[WATER_FILTERED].exact
    assert filtered == pytest.approx(0.3 * 0.5)
    assert learned.pump_days.today is not None
    assert learned.pump_days.today.litres == pytest.approx(300 * 0.75)
