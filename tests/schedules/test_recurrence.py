"""Schedules as calendar events and back."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
import re
from zoneinfo import ZoneInfo

from hypothesis import example, given, strategies as st
import pytest

from custom_components.poolctl.client.occurrences import Occurrence, occurrences
from custom_components.poolctl.client.wire.exceptions import InvalidCommandError
from custom_components.poolctl.client.wire.schedule import (
    ALL_WEEK,
    LAST_MINUTE,
    Schedule,
)
from custom_components.poolctl.schedules.recurrence import (
    format_description,
    format_rule,
    make_uid,
    parse_description,
    parse_rule,
    parse_window,
)
from tests.world.simulator import schedules as sim_schedules

MONDAY = date(2026, 7, 6)
DAYTIME = Schedule(slot=0, aux_type=31, start=480, end=1080, weekdays=31, name="Day")
BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # shifts by half an hour
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Asia/Kathmandu",
    "Africa/Casablanca",
]
schedules = st.builds(
    partial(replace, DAYTIME),
    start=st.integers(0, LAST_MINUTE),
    end=st.integers(1, LAST_MINUTE),
    weekdays=st.integers(1, ALL_WEEK),
).filter(lambda found: found.start != found.end)

moments = st.integers(0, 4 * 366 * 1440).map(
    lambda minutes: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


def refused(reason: str) -> pytest.RaisesExc[InvalidCommandError]:
    """Expect a refusal with this reason."""
    return pytest.RaisesExc(InvalidCommandError, check=lambda err: err.reason == reason)


# Periods


# Rules


@given(st.integers(1, ALL_WEEK), st.dates())
def test_a_rule_comes_back(weekdays: int, first: date) -> None:
    rule = format_rule(replace(DAYTIME, weekdays=weekdays))
    assert parse_rule(rule, first) == weekdays


@pytest.mark.parametrize(
    ("rule", "weekdays"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,TU", 0b11),
        ("FREQ=WEEKLY", 1),
        ("freq=weekly;byday=su", 1 << 6),
        ("FREQ=WEEKLY;INTERVAL=1;BYDAY=TU,TU;WKST=SU", 0b10),
        ("FREQ=WEEKLY;BYDAY=", 1),
        ("FREQ=DAILY", ALL_WEEK),
        ("FREQ=DAILY;BYDAY=SA", 1 << 5),
    ],
)
def test_rules(rule: str, weekdays: int) -> None:
    assert parse_rule(rule, MONDAY) == weekdays


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (None, "event_repeats_not"),
        ("", "event_repeats_not"),
        ("FREQ=WEEKLY;COUNT=3", "event_repeats_ends"),
        ("FREQ=DAILY;UNTIL=20261231T000000", "event_repeats_ends"),
        ("FREQ=WEEKLY;INTERVAL=2", "event_repeats_otherwise"),
        ("FREQ=MONTHLY;BYDAY=+1MO", "event_repeats_otherwise"),
        ("FREQ=YEARLY", "event_repeats_otherwise"),
        ("FREQ=WEEKLY;BYDAY=2MO", "event_repeats_otherwise"),
        ("FREQ=WEEKLY;BYHOUR=3", "event_repeats_otherwise"),
        ("BYDAY=MO", "event_repeats_otherwise"),
        ("FREQ", "event_repeats_otherwise"),
    ],
)
def test_impossible_rules(rule: str | None, reason: str) -> None:
    with refused(reason):
        parse_rule(rule, MONDAY)


@given(st.text() | st.text("FREQ=WEKLYBADUMO;,1", max_size=30))
def test_any_text_is_a_rule_or_refused(rule: str) -> None:
    with suppress(InvalidCommandError):
        assert 1 <= parse_rule(rule, MONDAY) <= ALL_WEEK


# Times


def at(hour: int, minute: int = 0, second: int = 0, day: int = 6) -> datetime:
    """Return a local time of July 2026."""
    return datetime(2026, 7, day, hour, minute, second, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("start", "end", "window"),
    [
        (at(8), at(18, 30, 59), (480, 1110)),
        (at(22), at(6, day=7), (1320, 360)),
        (at(18), at(0, day=7), (1080, 0)),
        (at(0), at(0, day=7), (0, 0)),
        (MONDAY, MONDAY + timedelta(days=1), (0, 0)),
        (MONDAY, at(0, day=7), (0, 0)),
        (at(8), at(8, second=59, day=7), (480, 480)),
        (at(8), at(8, day=7).replace(microsecond=1), (480, 480)),
    ],
)
def test_windows(start: date, end: date, window: tuple[int, int]) -> None:
    assert parse_window(start, end) == window


def test_a_day_of_25_hours_is_a_day() -> None:
    start, end = (datetime(2026, 10, day, tzinfo=BERLIN) for day in (25, 26))
    assert parse_window(start, end) == (0, 0)
    # The same from a calendar that has offsets, but no time zones.
    start = datetime.fromisoformat("2026-10-25T00:00+02:00")
    end = datetime.fromisoformat("2026-10-26T00:00+01:00")
    assert parse_window(start, end) == (0, 0)


def runs(
    schedule: Schedule, after: datetime, before: datetime, zone: str = "UTC"
) -> list[Occurrence]:
    """Return the runs of one schedule in a period."""
    return occurrences({3: schedule}, after, before, ZoneInfo(zone))


@pytest.mark.parametrize(
    ("day", "start", "end", "expected"),
    [
        # The clock goes from 02:00 to 03:00 …
        ("2026-03-29", 60, 240, [("01:00:00+01:00", "04:00:00+02:00")]),
        ("2026-03-29", 135, 165, []),
        ("2026-03-29", 90, 150, [("01:30:00+01:00", "03:00:00+02:00")]),
        ("2026-03-29", 150, 210, [("03:00:00+02:00", "03:30:00+02:00")]),
        # … or from 03:00 to 02:00.
        ("2026-10-25", 90, 240, [("01:30:00+02:00", "04:00:00+01:00")]),
    ],
)
def test_the_hour_that_is_skipped_or_comes_twice(
    day: str, start: int, end: int, expected: list[tuple[str, str]]
) -> None:
    schedule = replace(DAYTIME, start=start, end=end, weekdays=ALL_WEEK)
    begin = datetime.fromisoformat(day).replace(tzinfo=BERLIN)
    found = runs(schedule, begin, begin.replace(hour=12), "Europe/Berlin")
    times = [(run.start.isoformat()[11:], run.end.isoformat()[11:]) for run in found]
    assert times == expected


@given(schedules, moments, st.sampled_from(ZONES))
@example(
    replace(DAYTIME, start=150, end=185, weekdays=ALL_WEEK),
    datetime(2026, 3, 29, 1, 2, tzinfo=UTC),  # 03:02 in Berlin
    ZONES[1],
)
def test_runs_when_the_firmware_runs(
    schedule: Schedule, now: datetime, zone: str
) -> None:
    """Both agree at any moment, except within 26 hours of an hour that comes twice."""
    zone_info = ZoneInfo(zone)
    around = [(now + timedelta(hours=h)).astimezone(zone_info) for h in range(-26, 27)]
    offsets = [moment.utcoffset() or timedelta() for moment in around]
    if offsets != sorted(offsets):
        return
    found = runs(schedule, now, now + timedelta(seconds=1), zone)
    times = {name: getattr(schedule, name) for name in ("start", "end", "weekdays")}
    firmware = sim_schedules.Schedule(slot=0, enabled=True, **times)
    assert bool(found) is firmware.active(now.astimezone(zone_info))


@given(schedules, moments, st.sampled_from(ZONES), st.integers(1, 9000))
def test_runs_of_any_time_anywhere(
    schedule: Schedule, after: datetime, zone: str, minutes: int
) -> None:
    """Runs are in order, of whole minutes, within the period, and none comes twice."""
    before = after + timedelta(minutes=minutes)
    found = runs(schedule, after, before, zone)
    for run in found:
        assert run.start.second == run.start.microsecond == run.end.second == 0
        assert run.start < before and run.end > after
        assert run.start.astimezone(UTC) < run.end.astimezone(UTC)
    assert len({run.recurrence_id for run in found}) == len(found)
    starts = [run.start.astimezone(UTC) for run in found]
    assert starts == sorted(starts)


# Identity


@given(schedules, schedules)
def test_a_name_fits_one_schedule_alone(one: Schedule, other: Schedule) -> None:
    uid = make_uid(2, one)
    assert re.fullmatch(r"2-[0-9a-f]{16}", uid)
    assert make_uid(2, replace(one, enabled=False, turnover=3)) == uid
    for index, another in ((3, one), (2, replace(one, name="x"))):
        assert make_uid(index, another) != uid
    assert (make_uid(2, other) == uid) is (other == one)


# Equipment

NAMES = {
    "Filter Pump": 0,
    "Pump": 5,
    "Pool Light": 1,
    "Licht (2)": 2,
    "Straße": 7,
    "Jet 50 %": 8,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (None, None)),
        ("  \n ", (None, None)),
        ("75 %", (None, 75)),
        ("Filter Pump\n75 %", (0, 75)),
        ("filter  PUMP at 75%", (0, 75)),
        ("the pump", (5, None)),
        ("Pump and Filter Pump", (0, None)),
        ("licht (2)", (2, None)),
        ("STRASSE", (7, None)),
        ("100%Pool Light", (1, 100)),
        ("Jet 50 %", (8, None)),
        ("jet 50 %\n75 %", (8, 75)),
    ],
)
def test_descriptions(text: str, expected: tuple[int | None, int | None]) -> None:
    assert parse_description(text, NAMES, ()) == expected


words = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1).filter(
    lambda name: bool(name.strip()) and "%" not in name
)


@example({"3": 1, "0": 0}, 3)
@example({"0 3": 1, "0": 0}, 3)
@given(st.dictionaries(words, st.integers(0, 36), min_size=1), st.integers(0, 100))
def test_a_description_comes_back(names: dict[str, int], speed: int) -> None:
    for name, slot in names.items():
        found, read = parse_description(format_description(name, speed), names, ())
        assert read == (speed or None)
        # Another name may contain this one, or differ only in case.
        if sum(name.casefold().strip() in other.casefold() for other in names) == 1:
            assert found == slot
