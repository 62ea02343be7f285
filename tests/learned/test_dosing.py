"""Doses and the use of drums by day, and whether doses move their reading."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.poolctl.client.codec import from_stored, to_stored
from custom_components.poolctl.client.pool.dosing import ACID, CHLORINE, DoserKind
from custom_components.poolctl.client.pool.parts import Doser
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.frame import Readings, Signals
from custom_components.poolctl.learned.dosing import (
    EFFECTS,
    ENOUGH,
    Consumption,
    Day,
    DoseCount,
    DoserModel,
    DosingEffect,
    Level,
    Reported,
)
from custom_components.poolctl.learned.read import Read

IDLE_DOSES = EFFECTS[ACID].doses
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


type Step = float | int | tuple[float, bool]
"""A reading (float, or with whether the water is stable), or a count of doses."""


def watched(
    *steps: Step, desired: float | None = 7.4, kind: DoserKind = ACID
) -> tuple[DosingEffect, bool | None]:
    """Return the effect after these steps, and whether it is missing."""
    effect, state, doser = DosingEffect(), PoolState(), Doser(desired=desired)
    for step in steps:
        reading: float | None = None
        stable = True
        match step:
            case int():
                doser = Doser(desired=desired, doses=step)
            case float():
                reading = step
            case (reading, stable):
                pass
        state = PoolState(
            acid=doser if kind is ACID else Doser(),
            chlorine=doser if kind is CHLORINE else Doser(),
            readings=Readings(ph=reading) if kind is ACID else Readings(orp=reading),
            signals=Signals(chemistry_stable=stable),
        )
        before = to_stored(effect)
        changed = effect.add_read(kind, Read(state, 15.0, NOW))
        assert changed is (to_stored(effect) != before)
    return effect, effect.missing(kind, state)


@pytest.mark.parametrize(
    ("kind", "steps", "desired", "idle", "missing"),
    [
        (ACID, (7.8, 0, 3, 7.8, 7), 7.4, 7, False),
        (ACID, (7.8, 0, 3, 7.7, 7), 7.4, 4, False),
        # A rise moves the baseline before the first dose, and is ignored after it.
        (ACID, (7.8, 7.9, 0, 3, 7.8, 7), 7.4, 4, False),
        (ACID, (7.8, 0, 3, 7.9, 7.8, 7), 7.4, 7, False),
        (ACID, (7.8, 0, 3, 7.9, 7.7, 7), 7.4, 4, False),
        # A small fall before the doses counts towards their effect.
        (ACID, (7.8, 7.75, 0, 3, 7.7, 7), 7.4, 4, False),
        # At the desired pH there is nothing to improve.
        (ACID, (7.5, 0, 3, 7.4, 7), 7.4, 4, False),
        # A value of still water is not a reading.
        (ACID, (7.8, 0, 3, (7.0, False), 7), 7.4, 7, False),
        # A count that restarts, or is an older copy.
        (ACID, (7.8, 0, 5, 1, 2), 7.4, 6, False),
        # Doses of the first count may be older than the reading.
        (ACID, (7.8, 5), 7.4, 0, False),
        (ACID, (0, 20), 7.4, 20, None),
        (ACID, (7.8,), 7.4, 0, None),
        (ACID, (7.8, 0, IDLE_DOSES - 1), 7.4, IDLE_DOSES - 1, False),
        (ACID, (7.8, 0, IDLE_DOSES), 7.4, IDLE_DOSES, True),
        (ACID, (7.8, 0, IDLE_DOSES, 7.7), 7.4, 0, False),
        (ACID, (7.3, 0, IDLE_DOSES, 7.3), 7.4, 0, False),
        (ACID, (7.3, 0, IDLE_DOSES, 7.3), None, IDLE_DOSES, True),
        (CHLORINE, (600.0, 0, 24), 650, 24, True),
        (CHLORINE, (600.0, 0, 23), 650, 23, False),
        (CHLORINE, (600.0, 0, 20, 610.0, 24), 650, 4, False),
        # A smaller change is noise, and a fall is not an effect.
        (CHLORINE, (600.0, 0, 20, 609.0, 580.0, 24), 650, 24, True),
        # A fall before the doses is drift.
        (CHLORINE, (600.0, 560.0, 0, 20, 575.0, 24), 650, 4, False),
        # Reaching the desired ORP is an effect.
        (CHLORINE, (645.0, 0, 20, 650.0, 24), 650, 4, False),
    ],
)
def test_doses_without_effect(
    kind: DoserKind,
    steps: Iterable[Step],
    desired: float | None,
    idle: int,
    missing: bool | None,
) -> None:
    effect, result = watched(*steps, desired=desired, kind=kind)
    assert (effect.idle, result) == (idle, missing)


def test_what_is_stored() -> None:
    effect, _ = watched(7.8, 0, 3)
    assert to_stored(effect) == {"reading": 7.8, "idle": 3}
    again = from_stored(DosingEffect, to_stored(effect))
    assert to_stored(again) == to_stored(effect)
    doser = Doser(
        drum_ml=20_000, remaining_ml=9_000, level_at=NOW, doses=2, doses_at=NOW
    )
    model = DoserModel()
    assert to_stored(model) == {"doses": None, "drum": None}
    assert model.lasts_until(9.0, NOW) is None
    assert model.add_read(ACID, Read(PoolState(acid=doser), None, NOW))
    kept = from_stored(DoserModel, to_stored(model))
    assert to_stored(kept) == to_stored(model)
    assert (kept.doses_today(NOW), kept.used_today(NOW)) == (2, 0)
    taken = [
        kept.add_read(ACID, Read(PoolState(acid=doser), 15.0, NOW)) for _ in range(2)
    ]
    assert taken == [True, False]
    empty = from_stored(DoserModel, {"doses": {"today": 5}})
    assert to_stored(empty) == to_stored(DoserModel())


# The use of a drum: only falls of its level count, by day

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 7, 15, 12, tzinfo=BERLIN)
POLL = timedelta(seconds=15)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def begun(ml: float = 10_000, moment: datetime = NOON) -> Consumption:
    return Consumption(Level(ml, moment.astimezone(UTC)))


def take(consumption: Consumption, ml: float, moment: datetime) -> None:
    """Take a level that the controller reports at a moment."""
    consumption.add_level(Level(ml, moment.astimezone(UTC)), BERLIN)


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
        # A dose may be a litre.
        ((10_000, 9_000), 1000),
        ((10_000, 8_800, 8_800), 0),
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


def test_an_empty_drum_lasts_no_longer() -> None:
    """However much was used today before."""
    consumption = lived(14, 400)
    take(consumption, 8_000, NOON + HOUR)
    assert lasts(consumption, 8_000, NOON + HOUR) != NOON.date()
    assert lasts(consumption, 0, NOON + HOUR) == NOON.date()


# Doses today: midnights, clocks that differ, and restarts

PACIFIC, HAVANA = ZoneInfo("US/Pacific"), ZoneInfo("America/Havana")


def at(text: str, zone: ZoneInfo = PACIFIC) -> datetime:
    """Return a local time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


class Counter:
    """A controller's count; its clock is off by some minutes, and it may restart."""

    def __init__(self, offset: int) -> None:
        self.offset = offset * MINUTE
        self.count = 0
        self._day = date.min

    def begins_day(self, now: datetime) -> bool:
        """Return whether a dose now could hide a midnight that was not read yet."""
        clock = now.astimezone(PACIFIC) + self.offset
        return clock - clock.replace(hour=0, minute=0) < 5 * MINUTE

    def report(
        self, now: datetime, doses: int = 0, *, restarted: bool = False
    ) -> Reported:
        day = (now.astimezone(PACIFIC) + self.offset).date()
        if day != self._day or restarted:
            self._day, self.count = day, 0
        self.count += doses
        return Reported(self.count, now)


def shown(count: DoseCount, now: datetime, zone: ZoneInfo = PACIFIC) -> int | None:
    """Return the doses that are shown at a time in UTC."""
    return DoserModel(doses=count).doses_today(now.astimezone(zone))


def first(doses: int, at: datetime) -> DoseCount:
    return DoseCount(doses, Reported(doses, at))


EVENTS = st.lists(
    st.tuples(st.integers(3, 300), st.integers(0, 2), st.booleans()), max_size=60
)
"""Minutes to each event, its doses, and whether it is a restart instead."""


@settings(max_examples=300)
@given(
    offset=st.integers(-55, 55),
    start=st.sampled_from(
        ["2026-07-01T12:00", "2026-03-07T20:00", "2026-10-31T20:00", "2026-12-31T23:50"]
    ),
    events=EVENTS,
)
def test_every_dose_is_counted_once(
    offset: int, start: str, events: list[tuple[int, int, bool]]
) -> None:
    """With a read every five minutes, the sum is right whatever the count does."""
    now, counter = at(start), Counter(offset)
    doses, expected = first(*counter.report(now)), 0
    day = now.astimezone(PACIFIC).date()
    for minutes, doses_taken, restarted in events:
        hidden = restarted or counter.begins_day(now + minutes * MINUTE)
        taken = 0 if hidden else doses_taken
        for step in range(minutes):
            now += MINUTE
            if (today := now.astimezone(PACIFIC).date()) != day:
                day, expected = today, 0
                assert shown(doses, now) == 0
            last = step == minutes - 1
            # Two reads are never closer than the margin of older copies.
            if last or ((step + 1) % 3 == 0 and step + 1 <= minutes - 2):
                restarts = restarted and last
                reported = counter.report(now, taken * last, restarted=restarts)
                doses.add_count(reported, PACIFIC)
        expected += taken
        later = replace(doses)
        later.add_count(counter.report(now + 3 * MINUTE), PACIFIC)
        if (now + 3 * MINUTE).astimezone(PACIFIC).date() == day:
            assert shown(later, now) == expected


@given(
    before=st.integers(0, 6),
    after=st.integers(0, 6),
    evening=st.integers(0, 23 * 60),
    morning=st.integers(60, 23 * 60),
    days=st.integers(1, 3),
)
def test_a_night_in_which_nobody_looked(
    before: int, after: int, evening: int, morning: int, days: int
) -> None:
    """An hour after midnight the controller's day has begun, so its count is today's."""
    midnight = at("2026-07-01T00:00")
    doses = first(before, midnight + evening * MINUTE)
    now = midnight + days * timedelta(days=1) + morning * MINUTE
    assert shown(doses, now) is None
    doses.add_count(Reported(after, now), PACIFIC)
    assert shown(doses, now) == after


@pytest.mark.parametrize(
    ("begins", "hours", "zone"),
    [
        ("2026-03-08T00:00", 23, PACIFIC),
        ("2026-07-01T00:00", 24, PACIFIC),
        ("2026-11-01T00:00", 25, PACIFIC),
        # In Havana clocks are put forward from 0:00 to 1:00.
        ("2026-03-07T00:00", 24, HAVANA),
        ("2026-03-08T01:00", 23, HAVANA),
    ],
)
def test_a_day_is_as_long_as_it_is(begins: str, hours: int, zone: ZoneInfo) -> None:
    midnight = at(begins, zone)
    end = midnight + hours * HOUR
    doses = first(3, midnight)
    for now, today in (
        (midnight - MINUTE, 3),  # a clock that was set back
        (end - MINUTE, 3),
        (end, 0),
        (end + HOUR - MINUTE, 0),
        (end + HOUR, None),
    ):
        assert shown(doses, now, zone) == today
    doses.add_count(Reported(0, end + HOUR), zone)
    assert shown(doses, end + HOUR, zone) == 0


@pytest.mark.parametrize(
    ("reports", "today"),
    [
        ([(2, MINUTE)], 3),
        ([(2, MINUTE), (3, 2 * MINUTE)], 3),
        # A lower count that is two minutes newer is not an older copy.
        ([(0, 2 * MINUTE), (1, HOUR)], 4),
        ([(0, 2 * MINUTE), (3, HOUR)], 6),
    ],
)
def test_an_older_copy_of_the_cloud(
    reports: list[tuple[int, timedelta]], today: int
) -> None:
    now = at("2026-07-01T12:00")
    doses = first(3, now)
    for count, later in reports:
        doses.add_count(Reported(count, now + later), PACIFIC)
    assert doses.today == today
