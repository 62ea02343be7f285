"""The trusted time, and the clock of a controller (protocol.md L14, L17, W1)."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.clock import LONG_STOP, Clock
from custom_components.poolctl.client.controller_clock import ControllerClock
from custom_components.poolctl.client.wire.schedule import ALL_WEEK, Schedule

START = datetime(2026, 6, 1, 12, tzinfo=UTC).timestamp()
MINUTE, DAY = 60.0, 24 * 3600.0
WRONG = [1.5 * DAY, 30 * DAY, 400 * DAY, -3600.0, 14 * 365 * DAY, 81 * 365 * DAY, 31.0]


@dataclass
class World:
    """The true time, and a machine whose wall clock may be wrong."""

    true: float = START
    wrong: float = 0.0

    def clock(self, since: float | None = None) -> Clock:
        return Clock(
            since=since,
            wall=lambda: self.true + self.wrong,
            steady=lambda: self.true - START + 1000,
        )

    def header(self, wrong: float = 0.0) -> str:
        at = datetime.fromtimestamp(self.true + wrong, UTC)
        return format_datetime(at, usegmt=True)

    def pass_by(self, clock: Clock, seconds: float) -> None:
        """Let time pass; the clock is checked every 15 s, as by a poll."""
        for _ in range(int(seconds / 15)):
            self.true += 15
            clock.check()
        self.true += seconds % 15


def state_of(clock: Clock) -> tuple[bool, float]:
    """Return whether it trusts the wall clock, and the trusted time."""
    at = clock.time()
    return clock.trusted, at


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.row("W1")
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("confirmed", [True, False])
def test_a_jump_for_ten_minutes(world: World, wrong: float, confirmed: bool) -> None:
    clock = world.clock()
    if confirmed:
        clock.confirm(world.header())
    world.wrong = wrong
    world.pass_by(clock, 10 * MINUTE - 1)
    assert state_of(clock) == (False, world.true)
    assert clock.ahead == timedelta(seconds=wrong)
    world.wrong = 0
    assert state_of(clock) == (True, world.true)
    assert not clock.ahead


def test_what_corrects_a_clock_is_no_jump(world: World) -> None:
    clock = world.clock()
    world.pass_by(clock, DAY)
    assert state_of(clock) == (True, world.true)
    assert not clock.ahead
    assert clock.now() == datetime.fromtimestamp(world.true, UTC)
    for step in [30, -30] + 20 * [10]:
        world.wrong += step
        world.pass_by(clock, 15)
    assert state_of(clock) == (True, world.true + 200)


@pytest.mark.parametrize("step", [30, -30])
def test_what_corrects_a_clock_that_jumped(world: World, step: int) -> None:
    """A correction does not restart the wait; a return to the true time ends it."""
    clock = world.clock()
    jumps = []
    remove = clock.add_listener(lambda: jumps.append(world.true))
    world.wrong = DAY
    world.pass_by(clock, 5 * MINUTE)
    assert jumps == [START + 15]
    world.wrong += step
    world.pass_by(clock, 5 * MINUTE + 15)
    assert state_of(clock) == (True, world.true + DAY + step)
    remove()
    world.wrong += DAY
    assert not clock.trusted
    world.wrong -= DAY + step
    assert state_of(clock) == (True, world.true + DAY + max(step, 0))
    assert len(jumps) == 1


@pytest.mark.parametrize("off", [-30, 0, 30])
def test_the_service_confirms_a_new_time(world: World, off: float) -> None:
    """A new time that the service confirms is trusted at once, e.g. after a sleep."""
    clock = world.clock()
    world.wrong = 2 * DAY
    for odd in (None, "", "yesterday", "Mon, 99 Jun 2026 99:00:00 GMT"):
        clock.confirm(odd)
        assert state_of(clock) == (False, world.true)
    clock.confirm(world.header(2 * DAY + off))
    assert state_of(clock) == (True, world.true + 2 * DAY)


def test_the_service_denies_a_new_time(world: World) -> None:
    """A time that the service denies is trusted after a day, not after ten minutes."""
    clock = world.clock()
    world.wrong = 2 * DAY
    clock.confirm(world.header(300))
    world.pass_by(clock, DAY - 15)
    assert state_of(clock) == (False, world.true)
    world.pass_by(clock, 30)
    assert state_of(clock) == (True, world.true + 2 * DAY)
    clock.confirm(world.header())
    assert clock.ahead == timedelta(days=2)


@pytest.mark.parametrize("service", [30 * DAY, -30 * DAY, -START])
def test_a_service_with_another_time(world: World, service: float) -> None:
    """Home Assistant's clock counts, and the difference is reported."""
    clock = world.clock()
    clock.confirm(world.header(service))
    assert state_of(clock) == (True, world.true)
    assert clock.ahead == timedelta(seconds=-service)
    clock.confirm(world.header())
    assert not clock.ahead


# A start


@pytest.mark.parametrize("down", [30.0, 2 * DAY])
@pytest.mark.parametrize("wrong", [0.0, *WRONG, -56 * 365 * DAY])
def test_a_start_goes_on_where_the_last_run_ended(
    world: World, down: float, wrong: float
) -> None:
    """The last trusted time goes on until the clock is confirmed, if it looks wrong."""
    world.wrong = wrong
    clock = world.clock(since=START - down)
    world.pass_by(clock, 10 * MINUTE - 1)
    if -30 <= wrong + down <= LONG_STOP.total_seconds():
        assert state_of(clock) == (True, world.true + wrong)
        return
    assert state_of(clock) == (False, world.true - down)
    clock.confirm(world.header())
    assert clock.trusted is (abs(wrong) <= 30)
    # The earlier time of service and wall clock counts, if the last run allows it.
    ahead_or_right = wrong if -down <= wrong <= 0 else 0
    assert clock.time() == pytest.approx(world.true + ahead_or_right)


@pytest.mark.parametrize(
    ("since", "ahead"),
    [(START - DAY, 0), (START - 10, 0), (START + 30, 0), (START + DAY, -DAY)],
)
def test_a_start_alone_tells_no_fault(world: World, since: float, ahead: float) -> None:
    """After a restart, only a clock that is behind the last trusted time is wrong."""
    assert world.clock(since=since).ahead == timedelta(seconds=ahead)


# The controller's clock

ZONE = ZoneInfo("Europe/Berlin")
FIRST = datetime(2026, 6, 1, 8, tzinfo=ZONE)


SCHEDULE = Schedule(
    slot=1, aux_type=1, start=8 * 60, end=10 * 60, weekdays=ALL_WEEK, name=""
)


def began(clock: ControllerClock, *minutes_late: float, index: int = 0) -> None:
    for day, late in enumerate(minutes_late):
        at = FIRST + timedelta(days=day, minutes=late)
        clock.began(index, SCHEDULE, at.astimezone(UTC), ZONE)


@pytest.mark.parametrize("late", [0, 2, 3, 60, -60, 700, -700])
def test_the_same_difference_three_times(late: float) -> None:
    clock = ControllerClock()
    began(clock, late, late + 0.2)
    assert (clock.offset, clock.wrong, clock.shift) == (None, None, timedelta())
    began(clock, late, late + 0.2, late)
    assert clock.offset == timedelta(minutes=-late)
    assert clock.wrong is (abs(late) >= 3)
    assert clock.shift == timedelta(minutes=-late if abs(late) >= 3 else 0)


@pytest.mark.parametrize(
    ("zone", "at", "start", "hours"),
    [
        ("Europe/Berlin", datetime(2026, 1, 5, 1), 23 * 60, -2),  # noqa: DTZ001
        ("Europe/Berlin", datetime(2026, 1, 5, 23), 60, 2),  # noqa: DTZ001
        ("Europe/Berlin", datetime(2026, 1, 5, 8), 20 * 60, -12),  # noqa: DTZ001
        ("Pacific/Auckland", datetime(2026, 1, 5, 12, 30), 0, 11.5),  # noqa: DTZ001
    ],
)
def test_the_nearest_start(zone: str, at: datetime, start: int, hours: float) -> None:
    """The nearest start may be on the previous or next day in the pool's zone."""
    clock, there = ControllerClock(), ZoneInfo(zone)
    clock.began(
        0,
        replace(SCHEDULE, start=start),
        at.replace(tzinfo=there).astimezone(UTC),
        there,
    )
    assert clock.differences == (timedelta(hours=hours),)


def test_a_clock_that_drifts() -> None:
    """A drift, e.g. of 2 min a week, is measured by daily or weekly schedules."""
    clock = ControllerClock()
    began(clock, *(day * 2 / 7 for day in range(15)))
    assert clock.offset == timedelta(minutes=-4)
    weekly = ControllerClock()
    for week in range(4):
        at = FIRST + timedelta(weeks=week, minutes=week)
        weekly.began(0, replace(SCHEDULE, weekdays=1), at, ZONE)
    assert weekly.offset == timedelta(minutes=-3)


def test_a_schedule_that_goes_on_again_tells_nothing() -> None:
    """Continued runs, e.g. after a flow retry, and unscheduled runs do not count."""
    clock = ControllerClock()
    for minutes in (30, 30.5, 31):
        at = FIRST + timedelta(minutes=minutes)
        clock.began(0, SCHEDULE, at, ZONE)
    clock.began(1, replace(SCHEDULE, weekdays=0), FIRST, ZONE)
    clock.began(2, replace(SCHEDULE, weekdays=1 << 4), FIRST, ZONE)
    assert clock.differences == (timedelta(minutes=-30),)
    began(clock, 0, 90, 200)
    assert clock.offset is None
