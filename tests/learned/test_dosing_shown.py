"""Doses today and the use of drums: shown, right over midnights, clocks and restarts."""

from datetime import UTC, datetime, timedelta, timezone
import time
from typing import Any
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.assistant.timers import fire_timers

pytestmark = pytest.mark.usefixtures("all_enabled")
few_platforms = only(Platform.SENSOR)

PACIFIC = ZoneInfo("US/Pacific")
"""Time zone of Home Assistant in tests."""


def at(text: str) -> datetime:
    """Return a local time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=PACIFIC).astimezone(UTC)


@pytest.fixture(autouse=True)
def local(freezer: FrozenDateTimeFactory, service: Service) -> None:
    """Put the pool in Home Assistant's time zone, without doses of its own."""
    pool = service.full.pool
    pool.tz = PACIFIC
    pool.water.ph, pool.water.orp, pool.water.drift = 7.2, 800, 0.0
    service.clock.set_back(service.clock.time() - time.time())
    service.full.pool.acid.doses = 2  # of the current day


async def live(home: Home, until: str, step: float = 15) -> None:
    """Let time pass for Home Assistant and the pool until a local time."""
    while datetime.now(UTC) < at(until):
        left = (at(until) - datetime.now(UTC)).total_seconds()
        home.freezer.tick(min(step, left))
        home.clock.advance(min(step, left))
        home.clock.set_back(home.clock.time() - time.time())
        fire_timers(home.hass)
        await home.settle()


def dose(home: Home) -> None:
    """Take a dose of acid, as the controller counts it."""
    home.pool.acid.doses += 1
    home.pool.settings["acid_remaining"] -= 30


def shown(home: Home) -> str:
    return home.value("sensor", "acid_doses_today")


@pytest.mark.freeze_time("2026-07-02 06:50:00+00:00")  # 23:50
@pytest.mark.parametrize("minutes", [-4, 4])
async def test_midnight(full: Home, minutes: int) -> None:
    """Home Assistant's midnight counts, whatever the controller's clock says."""
    full.pool.tz = timezone(timedelta(hours=-7, minutes=minutes))
    followed = full.follow("sensor", "acid_doses_today")
    for until, doses, takes_one in (
        ("2026-07-01T23:54", "2", True),
        ("2026-07-01T23:55", "3", False),
        ("2026-07-01T23:59:59", "3", False),
        ("2026-07-02T00:00:20", "0", False),
        ("2026-07-02T00:02", "0", True),
        ("2026-07-02T00:03", "1", False),
        ("2026-07-02T00:12", "1", True),
        ("2026-07-02T00:13", "2", False),
    ):
        await live(full, until)
        assert shown(full) == doses, until
        if takes_one:
            dose(full)
    own = full.pool.acid.doses
    assert own == (1 if minutes < 0 else 2)  # the controller's own day is another
    assert [state.state for state in followed] == ["3", "0", "1", "2"]


# The use of drums


@pytest.fixture
async def pool(home: Home) -> Home:
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.full)
    await home.set_up(home.service.full)
    return home


def use(home: Home, ml: float, of: str = "acid") -> None:
    """Take an amount out of a drum."""
    home.pool.settings[f"{of}_remaining"] -= ml


def used(home: Home, of: str = "acid") -> str:
    return home.value("sensor", f"{of}_used_today")


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_use_over_a_restart_and_in_the_cloud(pool: Home) -> None:
    assert used(pool) == used(pool, "chlorine") == "0"
    followed = pool.follow("sensor", "acid_used_today")
    use(pool, 30)
    use(pool, 120, "chlorine")
    await pool.live(15)
    use(pool, 45)
    await pool.live(60)
    assert (used(pool), used(pool, "chlorine")) == ("75", "120")
    # The state is written when it changes, not with every poll.
    assert [state.state for state in followed] == ["30", "75"]
    reset = pool.state("sensor", "acid_used_today").attributes["last_reset"]
    assert reset == "2026-07-01T00:00:00+00:00"

    # Use during a restart counts; nothing counts twice.
    await pool.unload()
    use(pool, 40)
    pool.freezer.tick(1800)
    await pool.restart()
    for polls in (1, 3):
        await pool.advance(polls * 15, step=15)
        assert used(pool) == "115"

    pool.controller.faults.on("refuse")
    await pool.live(180, step=30)
    assert pool.source == "cloud"
    use(pool, 50)
    await pool.live(240, step=30)  # its copies are old
    assert used(pool) == "165"


@pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")
async def test_lasts_until(home: Home, hass_storage: dict[str, Any]) -> None:
    """12,500 mL are left at noon, 100 were used today: 31.5 days from midnight."""
    await home.hass.config.async_set_time_zone("UTC")
    home.own(home.service.full)
    days = [[f"2026-06-{day}", [400, 86_400]] for day in (28, 29, 30)]
    drum = {"level": [12_600, "2026-07-01T00:00:00+00:00"], "days": days}
    stored = {home.controller.device_id: {"learned": {"acid": {"drum": drum}}}}
    hass_storage[DOMAIN] = {"version": 1, "minor_version": 1, "data": stored}
    await home.set_up(home.controller)
    assert home.value("sensor", "acid_lasts_until") == "2026-08-01"
