"""Hours, flow and water of a pump by day, and the hours that it should run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import MAIN_PUMP
from custom_components.poolctl.client.wire.frame import Chemistry, Readings, Signals
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.pool import (
    Pool,
    missed_yesterday,
    missing,
    needed_today,
    still_needed,
)
from custom_components.poolctl.learned.preferences import Preferences, PumpRule
from custom_components.poolctl.learned.pump_days import PumpDay, PumpDays
from custom_components.poolctl.learned.read import Read
from custom_components.poolctl.learned.totals import PUMP_RUNNING, Totals

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
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
        valid_chemistry=Chemistry(water_temperature=water),
        signals=Signals(chemistry_stable=stable),
        outputs=Outputs(types=(MAIN_PUMP,), modes=(mode,)),
    )


class Days(PumpDays):
    """The days of a pump, fed with reads."""

    totals: Totals

    def read(
        self, state: PoolState, seconds: float | None = 3600.0, now: datetime = NOON
    ) -> PumpDay:
        """Take a read, some seconds after the previous one; return its day."""
        read = Read(state, seconds, now)
        self.totals.add_read(read)
        self.add_read(read, self.totals)
        assert self.today is not None
        return self.today


@pytest.fixture
def days() -> Days:
    found = Days()
    found.totals = Totals()
    return found


def test_hours_litres_and_flow(days: Days) -> None:
    assert days.read(state(), None).hours == 0
    today = days.read(state(), 1799)
    assert days.flow is None  # known after half an hour
    days.read(state(), 1)
    assert (today.litres, today.measured) == pytest.approx((9000, 0.5))
    assert days.flow == pytest.approx(18_000)
    days.read(state(flow=200), 3600)
    known = pytest.approx((21_000, 1.5))
    assert (today.litres, today.measured) == known
    assert today.hours == pytest.approx(1.5)
    assert days.totals.of[PUMP_RUNNING].exact == pytest.approx(1.5)
    assert days.flow == pytest.approx(14_000)
    for without_litres, seconds in (
        (state(flow=None), 3600),
        (state(flow=0), 3600),
        (state(mode=STANDS), 3600),
        (state(), None),
    ):
        days.read(without_litres, seconds)
        assert (today.litres, today.measured) == known
    # The flow is that of both days.
    days.read(state(flow=100), 3 * 3600, NOON + DAY)
    assert days.flow == pytest.approx((21_000 + 100 * 180) / 4.5)


def test_a_pump_that_cools_a_heater_down_runs(days: Days) -> None:
    """It is switched off, but its motor still turns, and that time counts."""
    cooling = replace(state(mode=STANDS), signals=Signals(pump_cooling_down=True))
    days.read(cooling, None)
    assert days.read(cooling, 3600).hours == 1


@pytest.mark.parametrize(
    ("zone", "begins", "length"),
    [
        ("Europe/Berlin", "2026-03-28T23:00", 23),
        ("Europe/Berlin", "2026-10-24T22:00", 25),
        ("America/Havana", "2026-03-08T05:00", 23),  # no midnight: it begins at 1:00
        ("America/Havana", "2026-11-01T04:00", 25),  # two midnights
        ("Australia/Lord_Howe", "2026-04-04T13:00", 24.5),
    ],
)
def test_every_hour_of_a_day_on_which_clocks_change(
    days: Days, zone: str, begins: str, length: float
) -> None:
    midnight = datetime.fromisoformat(begins).replace(tzinfo=UTC)
    now = midnight - timedelta(minutes=25)
    days.read(state(), None, now.astimezone(ZoneInfo(zone)))
    for _ in range(round(length)):
        now += timedelta(hours=1)
        today = days.read(state(), now=now.astimezone(ZoneInfo(zone)))
        assert today.hours == pytest.approx((now - midnight) / timedelta(hours=1))
    now += timedelta(hours=1)
    assert days.read(state(), now=now.astimezone(ZoneInfo(zone))).hours < 1


def test_the_warmest_water_of_a_day(days: Days) -> None:
    for water, stable, warmest in (
        (24.0, True, 24),
        (26.0, True, 26),
        (25.0, True, 26),
        (30, False, 26),  # a probe in still water
        (None, True, 26),
    ):
        assert days.read(state(water=water, stable=stable)).water == warmest


def test_a_day_goes_by_the_water_of_the_one_before(days: Days) -> None:
    for number, (water, temperature) in enumerate(
        ((24, 24), (20, 24), (None, 20), (None, 20))
    ):
        today = days.read(state(water=water), now=NOON + number * DAY)
        assert today.temperature == temperature
        yesterday = [24, 20, None][number - 1] if number else None
        assert (days.yesterday and days.yesterday.water) == yesterday


def test_days_without_reads(days: Days) -> None:
    """A day before yesterday does not count as yesterday, but its water counts."""
    days.read(state(water=24))
    assert days.read(state(), now=NOON + 2 * DAY).previous_water == 24
    assert days.yesterday is None
    days.read(state(), now=NOON + DAY)
    assert days.yesterday is None, "a clock that was set back"


# The hours that are needed


def pool(
    rule: PumpRule | None,
    today: PumpDay | None,
    yesterday: PumpDay | None = None,
    *,
    ran: float = 0.0,
    water: float | None = None,
    **preferences: Any,
) -> Pool:
    learned = Learned()
    learned.pump_days = PumpDays(today, yesterday)
    learned.totals.of[PUMP_RUNNING].shown = ran
    valid = Chemistry(water_temperature=water)
    preferred = replace(Preferences(pump_rule=rule), **preferences)
    return Pool(PoolState(valid_chemistry=valid), Choices(), preferred, learned)


def day(water: float | None = None, *, ago: int = 0, **values: Any) -> PumpDay:
    return PumpDay(day=NOON.date() - ago * DAY, water=water, **values)


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


MEASURED = day(litres=36_000, measured=2)


@pytest.mark.parametrize(
    ("asked", "hours", "needs"),
    [
        # Without a reading of the day, the last valid one counts.
        (pool(PumpRule.HALF, day(), water=20), 10, None),
        (pool(PumpRule.HALF, day(24), water=20), 12, None),
        (pool(PumpRule.HALF, day()), None, "run"),
        (pool(PumpRule.TURNOVERS, MEASURED, volume=54_000), 3, None),
        (pool(PumpRule.TURNOVERS, MEASURED, volume=54_000, turnovers=2.0), 6, None),
        (pool(PumpRule.TURNOVERS, MEASURED), None, "volume"),
        (pool(PumpRule.TURNOVERS, day(), volume=54_000), None, "run"),
    ],
)
def test_what_a_rule_needs(asked: Pool, hours: float | None, needs: str | None) -> None:
    assert (needed_today(asked), missing(asked)) == (hours, needs)


@pytest.mark.parametrize(("ran", "left"), [(0.0, 8.0), (3.0, 5.0), (9.0, 0.0)])
def test_still_needed(ran: float, left: float) -> None:
    assert still_needed(pool(PumpRule.FIXED, day(), ran=ran)) == left
    assert still_needed(pool(None, day(), ran=ran)) is None


@pytest.mark.parametrize(
    ("hours", "observed", "missed"),
    [
        (8.0, 24, 0.0),
        (7.95, 24, 0.0),
        (7.5, 24, 0.5),
        (9.0, 24, 0.0),
        # Hours that nobody observed are not missed.
        (2, 4, 0),
        (2, 18, 0),
        (2, 21, 3),
        (2, 24, 6),
    ],
)
def test_missed_yesterday(hours: float, observed: float, missed: float) -> None:
    yesterday = day(ago=1, hours=hours, observed=observed)
    assert missed_yesterday(pool(PumpRule.FIXED, day(), yesterday)) == missed
    assert missed_yesterday(pool(PumpRule.FIXED, day())) is None
    assert missed_yesterday(pool(None, day(), yesterday)) is None


def test_the_water_of_the_first_day_rises() -> None:
    """Its needed hours rose with the water: they were not missed."""
    first = day(28, ago=1, hours=12, observed=24)
    assert missed_yesterday(pool(PumpRule.HALF, day(28), first)) is None
    later = replace(first, previous_water=28.0)
    assert missed_yesterday(pool(PumpRule.HALF, day(28), later)) == 2
