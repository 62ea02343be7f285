"""The controller's clock: learned from the starts of schedules, kept, shown and used."""

from datetime import UTC
import time

from homeassistant.const import Platform
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.schedules import Schedule

pytestmark = pytest.mark.usefixtures("freezer", "all_enabled")
few_platforms = only(Platform.CALENDAR, Platform.SENSOR)

FALL = 2
"""A slot of the small pool."""


def next_run(home: Home) -> tuple[str, str, str]:
    state = home.state("calendar", "schedules")
    return state.state, state.attributes["message"], state.attributes["start_time"]


async def with_schedules(home: Home, hour: int) -> None:
    """Start a home whose pool has four runs in an hour of the day, by its own clock."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.small)
    home.pool.tz = UTC
    home.clock.set_back(home.clock.time() - time.time())
    home.pool.schedules[0] = Schedule()
    for index, minute in enumerate((10, 16, 22, 50), 1):
        home.pool.schedules[index] = Schedule(
            slot=FALL,
            aux_type=1,
            start=hour * 60 + minute,
            end=hour * 60 + minute + 3,
            weekdays=127,
            name=f"Fall {minute}",
            enabled=True,
        )
    await home.set_up(home.controller)
    await home.live(15)


@pytest.mark.freeze_time("2026-07-01 12:05:00+00:00")
async def test_schedules_that_begin_at_their_times(home: Home) -> None:
    """Three starts at their times confirm the time zone, without an offset."""
    await with_schedules(home, 12)
    await home.live(15 * 60)
    assert home.value("sensor", "clock_difference") == "unknown"
    await home.live(5 * 60)
    shown = float(home.value("sensor", "clock_difference"))
    assert shown == pytest.approx(0, abs=1)


@pytest.mark.freeze_time("2026-07-01 12:05:00+00:00")
async def test_a_controller_whose_clock_is_an_hour_behind(home: Home) -> None:
    """The next run is shown by our clock, also after a restart."""
    home.own(home.service.small)
    home.controller.dialects.add(Dialect.CLOCK_HOUR_BEHIND)
    await with_schedules(home, 11)
    assert home.value("sensor", "clock_difference") == "unknown"
    assert next_run(home) == ("off", "Fall 10", "2026-07-02 11:10:00")
    await home.live(21 * 60)
    for _ in range(2):
        shown = float(home.value("sensor", "clock_difference"))
        assert shown == pytest.approx(-60, abs=1)
        assert next_run(home) == ("off", "Fall 50", "2026-07-01 12:50:00")
        await home.shut_down()
        await home.boot()
        await home.live(30)
    await home.live(24 * 60)
    assert next_run(home) == ("on", "Fall 50", "2026-07-01 12:50:00")
    assert home.pool.slots[FALL].on
