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


@pytest.mark.freeze_time("2026-07-01 12:05:00+00:00")
async def test_a_controller_whose_clock_is_an_hour_behind(home: Home) -> None:
    """The next run is shown by our clock, also after a restart."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.small)
    home.controller.dialects.add(Dialect.CLOCK_HOUR_BEHIND)
    home.pool.tz = UTC
    home.clock.set_back(home.clock.time() - time.time())
    home.pool.schedules[0] = Schedule()
    for index, minute in enumerate((10, 16, 22, 50), 1):
        home.pool.schedules[index] = Schedule(
            slot=FALL,
            aux_type=1,
            start=11 * 60 + minute,
            end=11 * 60 + minute + 3,
            weekdays=127,
            name=f"Fall {minute}",
            enabled=True,
        )
    await home.set_up(home.controller)
    await home.live(15)
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
