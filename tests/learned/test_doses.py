"""The rules of doses today: midnights, clocks that differ, and restarts."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.poolctl.learned.dosing import DoseCount, DoserModel, Reported

PACIFIC, HAVANA = ZoneInfo("US/Pacific"), ZoneInfo("America/Havana")
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


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
                doses.take(reported, PACIFIC)
        expected += taken
        later = replace(doses)
        later.take(counter.report(now + 3 * MINUTE), PACIFIC)
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
    doses.take(Reported(after, now), PACIFIC)
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
    doses.take(Reported(0, end + HOUR), zone)
    assert shown(doses, end + HOUR, zone) == 0


@pytest.mark.parametrize(
    ("reports", "today"),
    [
        ([(2, MINUTE)], 3),
        ([(2, MINUTE), (3, 2 * MINUTE)], 3),
        # A lower count that is two minutes newer is not an older copy.
        ([(0, 2 * MINUTE), (1, HOUR)], 4),
    ],
)
def test_an_older_copy_of_the_cloud(
    reports: list[tuple[int, timedelta]], today: int
) -> None:
    now = at("2026-07-01T12:00")
    doses = first(3, now)
    for count, later in reports:
        doses.take(Reported(count, now + later), PACIFIC)
    assert doses.today == today
