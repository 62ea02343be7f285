"""Doses today are right across midnights, clock differences and restarts."""

from datetime import UTC, datetime, timedelta, timezone
import time
from typing import Any
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
import pytest

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
@pytest.mark.parametrize("minutes", [-4, 0, 4])
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


@pytest.mark.freeze_time("2026-07-01 19:00:00+00:00")  # noon
@pytest.mark.parametrize(
    ("told_at", "expected"),
    [
        # This morning: five were counted, of which the controller forgot three.
        ("2026-07-01T08:00", "5"),
        # Last night: today begins at 0.
        ("2026-06-30T20:00", "2"),
    ],
)
async def test_home_assistant_restarts(
    home: Home, hass_storage: dict[str, Any], told_at: str, expected: str
) -> None:
    home.own(home.service.full)
    doses = {"today": 5, "last": [2, at(told_at).isoformat()]}
    data = {home.controller.device_id: {"learned": {"acid": {"doses": doses}}}}
    hass_storage["poolctl"] = {"version": 1, "minor_version": 1, "data": data}
    await home.set_up(home.controller)
    await live(home, "2026-07-01T12:01")
    assert shown(home) == expected
    attributes = home.state("sensor", "acid_doses_today").attributes
    assert attributes["last_reset"] == "2026-07-01T00:00:00-07:00"


@pytest.mark.freeze_time("2026-07-02 06:55:00+00:00")  # 23:55
async def test_midnight_in_the_cloud(home: Home) -> None:
    """The cloud's copies may be older than midnight; no dose counts twice."""
    home.own(home.service.full)
    await home.set_up()
    for until, doses, takes_one in (
        ("2026-07-01T23:57", "2", True),
        ("2026-07-01T23:58:30", "3", False),
        ("2026-07-02T00:00", "0", False),
        ("2026-07-02T00:05", "0", True),
        ("2026-07-02T00:07", "1", False),
    ):
        await live(home, until)
        assert shown(home) == doses, until
        if takes_one:
            dose(home)
