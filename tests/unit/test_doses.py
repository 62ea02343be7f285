"""Doses today, the rules: midnights, clocks that differ, and restarts."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from homeassistant.util import dt as dt_util
from hypothesis import HealthCheck, given, settings, strategies as st
import pytest

from custom_components.poolctl.derived.doses import DoseCount, Told

PACIFIC = ZoneInfo("US/Pacific")
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def at(text: str, zone: ZoneInfo = PACIFIC) -> datetime:
    """Return a local time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


class Counter:
    """A controller's count: its clock is off by so many minutes, and it may restart."""

    def __init__(self, offset: int) -> None:
        self.offset = offset * MINUTE
        self.count = 0
        self._day = date.min

    def begins_day(self, now: datetime) -> bool:
        """Tell whether a midnight may not have been read: a dose now would hide it."""
        clock = now.astimezone(PACIFIC) + self.offset
        return clock - clock.replace(hour=0, minute=0) < 5 * MINUTE

    def told(self, now: datetime, doses: int = 0, *, restarted: bool = False) -> Told:
        day = (now.astimezone(PACIFIC) + self.offset).date()
        if day != self._day or restarted:
            self._day, self.count = day, 0
        self.count += doses
        return Told(self.count, now)


@pytest.fixture
def live_in() -> Iterator[Callable[[ZoneInfo], None]]:
    """Move Home Assistant to another time zone for a test."""
    before = dt_util.get_default_time_zone()
    yield dt_util.set_default_time_zone
    dt_util.set_default_time_zone(before)


@pytest.fixture(autouse=True)
def pacific(live_in: Callable[[ZoneInfo], None]) -> None:
    live_in(PACIFIC)


EVENTS = st.lists(
    st.tuples(st.integers(3, 300), st.integers(0, 2), st.booleans()), max_size=60
)
"""Minutes to the next event, doses, whether it is a restart instead."""


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    """Read at least every five minutes, the sum is true whatever the count does."""
    now, counter = at(start), Counter(offset)
    doses, expected = DoseCount.begin(counter.told(now)), 0
    day = now.astimezone(PACIFIC).date()
    for minutes, doses_taken, restarted in events:
        hidden = restarted or counter.begins_day(now + minutes * MINUTE)
        taken = 0 if hidden else doses_taken
        for step in range(minutes):
            now += MINUTE
            if (today := now.astimezone(PACIFIC).date()) != day:
                day, expected = today, 0
                assert doses.at(now) == 0
            last = step == minutes - 1
            # Two reads are never closer than the margin of older copies.
            if last or ((step + 1) % 3 == 0 and step + 1 <= minutes - 2):
                doses = doses.then(
                    counter.told(now, taken * last, restarted=restarted and last)
                )
        expected += taken
        told = doses.then(counter.told(now + 3 * MINUTE)).at(now)
        if (now + 3 * MINUTE).astimezone(PACIFIC).date() == day:
            assert told == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    doses = DoseCount.begin(Told(before, midnight + evening * MINUTE))
    now = midnight + days * timedelta(days=1) + morning * MINUTE
    assert doses.at(now) is None
    assert doses.then(Told(after, now)).at(now) == after


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-08", 23), ("2026-07-01", 24), ("2026-11-01", 25)]
)
def test_a_day_is_as_long_as_it_is(day: str, hours: int) -> None:
    midnight = at(f"{day}T00:00")
    doses = DoseCount.begin(Told(3, midnight))
    end = midnight + hours * HOUR
    assert doses.at(midnight - MINUTE) == 3  # a clock that was set back
    assert doses.at(end - MINUTE) == 3
    assert doses.at(end) == 0
    assert doses.at(end + HOUR - MINUTE) == 0
    assert doses.at(end + HOUR) is None


def test_a_midnight_that_does_not_exist(live_in: Callable[[ZoneInfo], None]) -> None:
    """In Havana clocks are put forward from 0:00 to 1:00."""
    havana = ZoneInfo("America/Havana")
    live_in(havana)
    one = at("2026-03-08T01:00", havana)
    doses = DoseCount.begin(Told(3, one - MINUTE))
    assert doses.at(one - MINUTE) == 3
    assert doses.at(one) == 0
    assert doses.then(Told(0, one + HOUR)).at(one + HOUR) == 0


def test_an_older_copy_of_the_cloud() -> None:
    now = at("2026-07-01T12:00")
    doses = DoseCount.begin(Told(3, now))
    assert doses.then(Told(2, now + MINUTE)) == doses
    assert doses.then(Told(2, now + MINUTE)).then(Told(3, now + 2 * MINUTE)).today == 3
    # Told again two minutes later, it is no copy any more.
    assert doses.then(Told(0, now + 2 * MINUTE)).then(Told(1, now + HOUR)).today == 4
