"""Planned pump hours over several days, by the physics of the simulated pool.

`POOLCTL_SEASON_DAYS` sets the number of days.
"""

from dataclasses import asdict
import os
from random import Random
import time
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.learned import learned
from tests.services.test_plan_hours import plan, writes
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(Platform.CALENDAR, Platform.SELECT, Platform.SENSOR)

DAYS: Final = int(os.environ.get("POOLCTL_SEASON_DAYS", "1"))
STEP: Final = 300
CLOSE: Final = 5
"""Permitted difference in minutes a day."""


@pytest.fixture(autouse=True)
def midnight(freezer: FrozenDateTimeFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin on a Friday: the pump's own schedule runs at weekends."""
    freezer.move_to("2026-05-01 00:00:30+00:00")
    monkeypatch.setattr(learned, "MAX_AGE", float(2 * STEP))


def prices(chance: Random) -> list[dict[str, Any]]:
    """Return the prices of a day: some are missing, and some are negative."""
    midnight = dt_util.start_of_local_day()
    return [
        {
            "start": midnight.replace(hour=hour, minute=minute).isoformat(),
            "value": chance.choice((None, *[chance.gauss(20, 15)] * 20)),
        }
        for hour in range(24)
        for minute in (0, 15, 30, 45)
    ]


async def test_every_day_has_its_hours(home: Home) -> None:
    await home.hass.config.async_set_time_zone("UTC")
    chance = Random(4)
    pool, own = home.pool, home.pool.schedules[0]
    own.start, own.end, own.weekdays = 600, 720, 0b110_0000
    home.clock.set_back(home.clock.time() - time.time())
    home.own(home.service.small)
    await home.set_up(home.service.small)
    await home.act("select.select_option", "pump_hours_rule", option="half")
    before = asdict(own)
    for day in range(DAYS):
        pool.water.temperature = chance.uniform(18, 30)
        ran, sent = 0, writes(home)
        for _ in range(18):
            ran += 15 * pool.pump.running
            await home.live(15)
        hours = float(home.value("sensor", "pump_hours_still_needed"))
        needed = float(home.value("sensor", "pump_hours_needed_today"))
        # Two blocks alone may not fit between hours without a price: these come last.
        answer = await plan(home, hours=hours, prices=prices(chance), around="12:00:00")
        assert answer["missing_hours"] == 0.0
        today = dt_util.now().date()
        while dt_util.now().date() == today:
            ran += STEP * pool.pump.running
            await home.live(STEP, step=STEP)
        assert abs(ran / 60 - needed * 60) <= CLOSE, day
        assert writes(home) - sent <= 2
        assert asdict(own) == before
