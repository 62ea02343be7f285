"""Holds: how long an output is held off, and which outputs count as held."""

from datetime import UTC, datetime, timedelta
import math
from zoneinfo import ZoneInfo

import pytest

from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.parts import Schedules
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.pool.windows import window_of
from custom_components.poolctl.client.wire.frame import Readings
from custom_components.poolctl.client.wire.schedule import (
    ALL_WEEK,
    LAST_MINUTE,
    Schedule,
)

PUMP, LIGHT, WATERFALL, CLEANER = 0, 1, 2, 3
"""Slots of the pool in these tests."""
MONDAY = datetime(2026, 7, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)
NEVER = math.inf
BERLIN = ZoneInfo("Europe/Berlin")


def until(state: PoolState, hours: float, slot: int = WATERFALL) -> float | None:
    """Return until which hour a switch-off at `hours` on Monday holds an output off."""
    found = state.outputs.slot(slot)
    assert found is not None
    window = window_of(state, found, MONDAY + hours * HOUR)
    if window is None:
        return None
    return NEVER if window.until is None else (window.until - MONDAY) / HOUR


def held_until(state: PoolState, now: datetime, slot: int) -> datetime | None:
    found = state.outputs.slot(slot)
    assert found is not None
    window = window_of(state, found, now)
    return None if window is None else window.until


def schedule(
    start: float, end: float, slot: int = WATERFALL, *, days: int = ALL_WEEK
) -> Schedule:
    """Return an armed schedule between two hours of the day."""
    return Schedule(
        slot=slot,
        aux_type=1,
        start=round(start * 60),
        end=min(round(end * 60), LAST_MINUTE),
        weekdays=days,
        name="",
    )


def pool(
    *schedules: Schedule,
    mode: int = 99,
    pump: int | None = None,
    armed: bool = True,
    known: bool = True,
) -> PoolState:
    """Return a pool with these schedules, and with a mode of its waterfall."""
    return PoolState(
        readings=Readings(main_pump_mode=pump),
        outputs=Outputs(types=(31, 13, 1, 3), modes=(0, 0, mode, 0), held=()),
        schedules=Schedules(
            records=schedules if known else None,
            armed=tuple(range(len(schedules))) if armed else (),
        ),
    )


DAY = schedule(8, 16)


@pytest.mark.parametrize(
    ("state", "hours", "expected"),
    [
        (pool(), 10, None),
        (pool(DAY), 10, 16),
        (pool(DAY), 7.99, None),
        (pool(DAY), 8, 16),
        (pool(DAY), 16, None),
        (pool(DAY, armed=False), 10, None),
        (pool(schedule(8, 16, LIGHT)), 10, None),  # of another output
        (pool(schedule(8, 16, days=0b10)), 10, None),  # on Tuesdays
        (pool(DAY, schedule(9, 18)), 10, 18),
        # What follows without a gap is the same run, also at midnight.
        (pool(DAY, schedule(16, 18)), 10, 18),
        (pool(DAY, schedule(16.1, 18)), 10, 16),
        (pool(DAY, schedule(16, 18), mode=2), 15.9, 18),
        (pool(schedule(17, 20), DAY, schedule(12, 17)), 10, 20),
        (pool(schedule(20, 24), schedule(0, 3)), 21, 27),
        (pool(schedule(22, 2), schedule(2, 5)), 23, 29),
        (pool(schedule(0, 24, days=0b11)), 10, 48),
        (pool(schedule(0, 24), schedule(8, 16)), 10, NEVER),
        (pool(schedule(6, 18), schedule(18, 6)), 10, NEVER),
        (pool(schedule(18, 17.5)), 19, 41.5),
        (pool(schedule(22, 6)), 23, 30),
        (pool(schedule(22, 6)), 5, 6),  # it began on Sunday
        (pool(schedule(0, 24)), 10, NEVER),
        (pool(schedule(8, 24)), 10, 24),
        (pool(schedule(8, 24), schedule(0, 1, days=0b1)), 10, 24),
        # An output that is reported to run by a schedule is held off, whatever its
        # record: the controller's clock may differ from ours.
        (pool(DAY, mode=1), 10, 16),
        (pool(DAY, mode=1), 7.9, 16),
        (pool(DAY, mode=1), 16.1, 17),  # an hour of daylight saving
        (pool(DAY, mode=1), 16, 17),
        (pool(DAY, mode=1), 17, 18),
        (pool(DAY, mode=1), 17.5, 18),
        (pool(DAY, mode=1), 20, 24),
        (pool(DAY, mode=0), 3, None),
        (pool(schedule(8, 16, LIGHT), mode=1), 10, 16),
        (pool(mode=1), 10, 24),
        # Without records, until midnight if a schedule is reported to run.
        (pool(DAY, known=False), 10, None),
        (pool(DAY, known=False, mode=1), 10, 24),
    ],
)
def test_how_long_off_is_held(
    state: PoolState, hours: float, expected: float | None
) -> None:
    assert until(state, hours) == expected


def test_what_starts_the_pump() -> None:
    """Schedules of the pump and pump-linked outputs count; its slot's mode does not."""
    state = pool(schedule(8, 16, CLEANER), schedule(9, 10, PUMP), pump=0)
    assert until(state, 8.5, PUMP) == 16
    assert until(pool(pump=3), 10, PUMP) == 24
    assert until(pool(schedule(8, 16, PUMP), pump=99), 10, PUMP) == 16


@pytest.mark.parametrize(
    ("now", "window", "expected"),
    [
        # The clock goes from 2 to 3 o'clock.
        ("2026-03-29 01:30", (1, 5), "2026-03-29 03:00"),
        ("2026-03-29 01:30", (1, 2.5), "2026-03-29 01:00"),
        ("2026-03-28 23:30", (23, 4), "2026-03-29 02:00"),
        # It goes back from 3 to 2 o'clock: the first 2:30 counts.
        ("2026-10-25 01:30", (1, 5), "2026-10-25 04:00"),
        ("2026-10-25 01:30", (1, 2.5), "2026-10-25 00:30"),
        ("2026-10-24 23:30", (23, 4), "2026-10-25 03:00"),
    ],
)
def test_daylight_saving(now: str, window: tuple[float, float], expected: str) -> None:
    """Schedules run by the wall clock of the pool; the end is given in UTC."""
    at = datetime.fromisoformat(now).replace(tzinfo=BERLIN)
    end = held_until(pool(schedule(*window)), at, WATERFALL)
    assert end == datetime.fromisoformat(expected).replace(tzinfo=UTC)
