"""Daily totals when clocks change: all hours of a longer or shorter day are counted."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
import pytest

from custom_components.poolctl.learned import learned
from tests.learned.test_totals import exact, hours
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

few_platforms = only(Platform.SENSOR)

STEP = 3600
"""Seconds between two reads: an hour is enough to count hours."""


@pytest.mark.parametrize(
    ("zone", "day", "length"),
    [
        pytest.param(
            "Europe/Berlin", "2026-03-29", 23,
            marks=pytest.mark.freeze_time("2026-03-28 22:35:00+00:00"),
        ),
        pytest.param(
            "Europe/Berlin", "2026-10-25", 25,
            marks=pytest.mark.freeze_time("2026-10-24 21:35:00+00:00"),
        ),
        pytest.param(  # there is no midnight: the day begins at 1:00
            "America/Havana", "2026-03-08", 23,
            marks=pytest.mark.freeze_time("2026-03-08 04:35:00+00:00"),
        ),
        pytest.param(  # there are two midnights
            "America/Havana", "2026-11-01", 25,
            marks=pytest.mark.freeze_time("2026-11-01 03:35:00+00:00"),
        ),
        pytest.param(  # half an hour
            "Australia/Lord_Howe", "2026-04-05", 24.5,
            marks=pytest.mark.freeze_time("2026-04-04 12:35:00+00:00"),
        ),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("freezer")
async def test_every_hour_of_the_day(
    home: Home, zone: str, day: str, length: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learned, "MAX_AGE", float(STEP))
    await home.hass.config.async_set_time_zone(zone)
    home.own(home.service.small)
    await home.set_up(home.service.small)
    local = ZoneInfo(zone)
    begins = dt_util.start_of_local_day(datetime.fromisoformat(day)).astimezone(UTC)
    ends = begins + timedelta(hours=length)
    assert ends.astimezone(local).date() > datetime.fromisoformat(day).date()
    await home.advance(15)  # counting begins with a read
    while datetime.now(UTC) + timedelta(seconds=STEP) < ends:
        await home.advance(STEP)
        if (now := datetime.now(UTC)) >= begins:
            assert exact(home, "pump_running_today") == hours(
                (now - begins).total_seconds()
            )
    assert exact(home, "pump_running_today") > length - 1
    await home.advance(STEP)
    assert exact(home, "pump_running_today") < 1
