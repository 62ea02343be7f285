"""The diary of the simulated fortnight: until when a switched output has to stay so."""

from datetime import UTC, datetime

import pytest

from tests.world.simulator import NOON, Clock
from tests.world.simulator.schedules import Schedule
from tests.world.soak.fortnight.diary import Diary
from tests.world.soak.fortnight.pool import CLEANER, PUMP, UV, WATERFALL, ZONE, pool

MONDAY = datetime(2026, 10, 5, tzinfo=ZONE)
FORWARD = datetime(2026, 10, 4, tzinfo=ZONE)
"""Day on which clocks are put forward from 2:00 to 3:00."""


def diary(*windows: tuple[int, int, int]) -> Diary:
    """Return a diary of outputs with windows (slot, start hour, end hour)."""
    found = pool()
    found.schedules = [
        Schedule(slot, 1, 0, 0, start * 60, end * 60, 127, "", enabled=True)
        for slot, start, end in windows
    ]
    found.attach(Clock(start=NOON))
    return Diary(found.running())


@pytest.mark.parametrize(
    ("windows", "slot", "at", "until"),
    [
        ([(PUMP, 8, 16)], PUMP, MONDAY.replace(hour=9), MONDAY.replace(hour=16)),
        ([(PUMP, 8, 16)], PUMP, MONDAY.replace(hour=16), None),
        ([(PUMP, 8, 16)], WATERFALL, MONDAY.replace(hour=9), None),
        # An output that needs the pump runs it, too.
        ([(UV, 8, 16)], PUMP, MONDAY.replace(hour=9), MONDAY.replace(hour=16)),
        (
            [(PUMP, 8, 16), (CLEANER, 15, 17)],
            PUMP,
            MONDAY.replace(hour=15),
            MONDAY.replace(hour=17),
        ),
        # Over midnight, and over the hour that clocks skip.
        ([(WATERFALL, 22, 2)], WATERFALL, MONDAY.replace(hour=23), datetime(2026, 10, 6, 2, tzinfo=ZONE)),
        ([(PUMP, 1, 3)], PUMP, FORWARD.replace(hour=1, minute=30), datetime(2026, 10, 3, 16, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_how_long_off_lasts(
    windows: list[tuple[int, int, int]], slot: int, at: datetime, until: datetime | None
) -> None:
    found = diary(*windows)
    found.switched(slot, False, at)
    claim = found.claims.get(slot)
    assert (claim and claim.until) == until


def test_what_becomes_of_a_hold() -> None:
    found = diary()
    found.held(WATERFALL, True, MONDAY.replace(hour=9))
    found.switched(PUMP, True, MONDAY)
    found.pass_time(MONDAY.replace(hour=8))
    assert [*found.claims] == [WATERFALL, PUMP]
    found.pass_time(MONDAY.replace(hour=9))
    assert ([*found.claims], [*found.over]) == ([PUMP], [WATERFALL])
    found.switched(WATERFALL, True, MONDAY.replace(hour=9))
    assert ([*found.claims], [*found.over]) == ([PUMP, WATERFALL], [])


def test_the_pump_stops() -> None:
    """An output that needs the pump is no longer held."""
    found = diary()
    found.held(UV, True, MONDAY.replace(hour=9))
    assert found.pool.pump.mode == 0
    found.pass_time(MONDAY)
    assert not found.claims
