"""Consumption of a drum: only falls of its level count, by day."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.codec import to_stored
from custom_components.poolctl.learned.dosing import (
    ENOUGH,
    Consumption,
    Day,
    DoserModel,
    Level,
)

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 7, 15, 12, tzinfo=BERLIN)
POLL = timedelta(seconds=15)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def begun(ml: float = 10_000, moment: datetime = NOON) -> Consumption:
    return Consumption(Level(ml, moment.astimezone(UTC)))


def take(consumption: Consumption, ml: float, moment: datetime) -> None:
    """Take a level that the controller reports at a moment."""
    consumption.take(Level(ml, moment.astimezone(UTC)), BERLIN)


def polled(consumption: Consumption, *levels: float) -> float | None:
    """Take the levels, one per poll; return the mL used today."""
    for ml in levels:
        take(consumption, ml, consumption.level.at + POLL)
    return used_today(consumption, consumption.level.at)


def used_today(consumption: Consumption, moment: datetime) -> float | None:
    return DoserModel(drum=consumption).used_today(moment.astimezone(BERLIN))


def lasts(
    consumption: Consumption, left: float, moment: datetime = NOON
) -> date | None:
    model = DoserModel(drum=consumption)
    return model.lasts_until(left / 1000, moment.astimezone(BERLIN))


@pytest.mark.parametrize(
    ("levels", "used"),
    [
        ((10_000, 10_000, 10_000), 0),
        ((10_000, 9_940, 9_940, 9_900), 100),
        # Noise: only a fall below the lowest level counts.
        ((10_000, 9_999, 10_001, 9_999, 10_000, 9_998), 2),
        # A refill, after which it goes on, and a level that a user corrects downwards.
        ((10_000, 9_900, 20_000), 100),
        ((10_000, 9_950, 20_000, *[20_000] * 8, 19_900), 150),
        ((10_000, 9_950, 20_000, *[20_000] * 8, 19_900, 19_850), 200),
        ((10_000, 9_900, 4_000), 100),
        # An older copy shows the level before a refill again: nothing was used.
        ((10_000, 20_000, 19_600, 20_000), 0),
        ((10_000, 20_000, 10_000, 20_000), 0),
        # An older copy shows the level before a large dose again.
        ((10_000, 9_700, 9_700, 10_000, 9_700), 300),
        # A dose may be a litre, once it is confirmed.
        ((10_000, 9_000), 0),
        ((10_000, 9_000, 9_000), 1000),
        ((10_000, 8_800, 8_800), 0),
        # One odd report, and a drum that reads as empty once.
        ((10_000, 9_990, 9_200, 9_990), 10),
        ((900, 0, 900, 900), 0),
    ],
)
def test_falls_count(levels: tuple[float, ...], used: float) -> None:
    first, *later = levels
    assert polled(begun(first), *later) == used


def test_a_long_gap_and_the_same_report_again() -> None:
    """A fall of litres is a user's correction within a poll, but not within hours."""
    consumption = begun()
    before = to_stored(consumption)
    take(consumption, 9_000, NOON)
    assert to_stored(consumption) == before
    take(consumption, 8_000, NOON + HOUR)
    assert used_today(consumption, NOON + HOUR) == 2000


# Days


def test_a_gap_over_midnight_is_shared_out() -> None:
    consumption = begun(moment=datetime(2026, 7, 15, 18, tzinfo=BERLIN))
    take(consumption, 9_000, datetime(2026, 7, 16, 2, tzinfo=BERLIN))
    before, today = consumption.days.values()
    assert before == pytest.approx(Day(750, 6 * 3600))
    assert today == pytest.approx(Day(250, 2 * 3600))
    assert used_today(consumption, consumption.level.at) == 250


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-07-15", 24)]
)
def test_days_are_as_long_as_they_are(day: str, hours: int) -> None:
    begin = datetime.fromisoformat(day).replace(tzinfo=BERLIN)
    end = begin + DAY  # the same local time
    consumption = begun(moment=begin - HOUR)
    take(consumption, 10_000 - 100 * (hours + 2), end.astimezone(UTC) + HOUR)
    of_day, next_day = (consumption.days[each.date()] for each in (begin, end))
    assert of_day == pytest.approx(Day(100 * hours, 3600 * hours))
    assert next_day == pytest.approx(Day(100, 3600))


def test_the_day_begins_with_0_and_is_unknown_without_a_report() -> None:
    consumption = begun()
    polled(consumption, 9_900)
    midnight = datetime(2026, 7, 16, tzinfo=BERLIN).astimezone(UTC)
    assert used_today(consumption, midnight - POLL) == 100
    assert used_today(consumption, midnight) == 0
    assert used_today(consumption, midnight + HOUR) is None


def test_only_so_many_days_are_kept() -> None:
    consumption = begun()
    take(consumption, 0, NOON + 40 * DAY)
    assert len(consumption.days) == 15
    assert consumption.days[date(2026, 8, 20)].ml == pytest.approx(250)
    for day in range(1, 20):
        take(consumption, 0, NOON + (40 + day) * DAY)
    assert len(consumption.days) == 15


def test_a_clock_that_is_put_back() -> None:
    """A clock put back by seconds loses nothing; by years, it makes nothing up."""
    consumption = begun()
    assert polled(consumption, 9_900) == 100
    take(consumption, 9_900, consumption.level.at - timedelta(seconds=1))
    assert polled(consumption, 9_850) == 150
    take(consumption, 9_850, NOON + 5000 * DAY)
    take(consumption, 9_850, NOON + 2 * HOUR)
    assert max(consumption.days, default=date.min) <= NOON.date()
    assert polled(consumption, 9_800) == 50


# How long it lasts


def lived(days: float, daily: float, left: float = 10_000) -> Consumption:
    """Return the consumption after some days of hourly reads that end at noon."""
    consumption = begun(left + days * daily, NOON - days * DAY)
    for hour in range(1, round(days * 24) + 1):
        level = left + daily * (days - hour / 24)
        take(consumption, level, (NOON - days * DAY).astimezone(UTC) + hour * HOUR)
    assert consumption.level.at == NOON
    return consumption


@pytest.mark.parametrize(
    ("days", "daily", "left", "until"),
    [
        # Half of today's 400 mL is used: the 10,200 mL at midnight last 25.5 days.
        *((days, 400, 10_000, date(2026, 8, 9)) for days in (4, 14, 30)),
        (14, 5, 10_000, date(2032, 1, 5)),
        (14, 400, 0, NOON.date()),
        # Not enough was observed (half of it today), or too little used.
        (ENOUGH / DAY, 400, 10_000, None),
        (14, 0, 10_000, None),
        (14, 0.5, 10_000, None),
    ],
)
def test_lasts_until(
    days: float, daily: float, left: float, until: date | None
) -> None:
    assert lasts(lived(days, daily), left) == until


def test_it_stays_the_same_for_the_day() -> None:
    consumption = lived(14, 400)
    for hour in range(1, 12):
        # The use of the whole day takes place at once.
        take(consumption, 9_800, NOON + hour * HOUR)
        assert lasts(consumption, 9_800, NOON + hour * HOUR) == date(2026, 8, 9)
    assert lasts(consumption, 20_000, NOON + 11 * HOUR) == date(2026, 9, 4)


def test_what_a_refill_hid_is_no_time_without_use() -> None:
    """A gap in which the drum was refilled does not change the rate."""
    consumption = lived(6, 400)
    expected = lasts(consumption, 10_000)
    take(consumption, 20_000, NOON + 2 * DAY)
    take(consumption, 20_000, NOON + 2 * DAY + HOUR)
    later = lasts(consumption, 10_000, NOON + 2 * DAY + HOUR)
    assert expected is not None and later is not None
    assert later - expected in (2 * DAY, DAY)
