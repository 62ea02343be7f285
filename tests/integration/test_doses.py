"""Doses today: right across midnights, clocks that differ, and restarts of both sides."""

from datetime import UTC, datetime, timedelta, timezone
import time
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
    async_fire_time_changed,
    mock_restore_cache_with_extra_data,
)

from .conftest import Service, entity_id, restart, set_up, settle, value

PACIFIC = ZoneInfo("US/Pacific")
"""Where Home Assistant lives in tests."""
HOUR = timedelta(hours=1)


def at(text: str) -> datetime:
    """Return a local time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=PACIFIC).astimezone(UTC)


@pytest.fixture
def local(service: Service, freezer: FrozenDateTimeFactory) -> None:
    """Let the pool be where Home Assistant is, and take no dose by itself."""
    service.full.pool.tz = PACIFIC
    service.full.pool.water.ph, service.full.pool.water.orp = 7.2, 800
    service.full.pool.water.drift = 0.0
    service.clock.set_back(service.clock.time() - time.time())
    service.full.pool.acid.doses = 2


async def live(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    until: str,
    step: float = 15,
) -> None:
    """Let time pass for everybody until it is a local time."""
    while datetime.now(UTC) < at(until):
        left = (at(until) - datetime.now(UTC)).total_seconds()
        freezer.tick(min(step, left))
        service.clock.advance(min(step, left))
        service.clock.set_back(service.clock.time() - time.time())
        async_fire_time_changed(hass)
        await settle(hass, service)


def dose(service: Service) -> None:
    """Take a dose of acid, as the controller counts it."""
    service.full.pool.acid.doses += 1
    service.full.pool.settings["acid_remaining"] -= 30


def shown(hass: HomeAssistant, service: Service) -> str:
    return value(hass, "sensor", service.full, "acid_doses_today")


@pytest.mark.freeze_time("2026-07-01 19:00:00+00:00")  # noon
async def test_a_dose_is_counted_soon_after_it_was_taken(
    hass: HomeAssistant,
    service: Service,
    local: None,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """A true one: the acid pump runs, the drum empties, the controller counts it."""
    pool = service.full.pool
    pool.water.drift = 1.0
    await live(hass, service, freezer, "2026-07-01T12:06", 60)
    assert shown(hass, service) == "2"
    pool.water.ph = 7.9
    await live(hass, service, freezer, "2026-07-01T12:07")
    assert service.full.pool.acid.doses == 3
    assert shown(hass, service) == "3"
    await live(hass, service, freezer, "2026-07-01T13:00")
    assert service.full.pool.acid.doses == 4
    assert shown(hass, service) == "4"


@pytest.mark.freeze_time("2026-07-02 06:50:00+00:00")  # 23:50
@pytest.mark.parametrize("minutes", [-4, 0, 4])
async def test_midnight(
    hass: HomeAssistant,
    service: Service,
    local: None,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    minutes: int,
) -> None:
    """Home Assistant's midnight counts, whatever the controller's clock says."""
    behind = timezone(timedelta(hours=-7, minutes=minutes))
    service.full.pool.tz = behind
    events = async_capture_events(hass, "state_changed")
    await live(hass, service, freezer, "2026-07-01T23:54")
    assert shown(hass, service) == "2"
    dose(service)
    await live(hass, service, freezer, "2026-07-01T23:55")
    assert shown(hass, service) == "3"
    await live(hass, service, freezer, "2026-07-01T23:59:59")
    assert shown(hass, service) == "3"
    await live(hass, service, freezer, "2026-07-02T00:00")
    assert shown(hass, service) == "0"
    await live(hass, service, freezer, "2026-07-02T00:02")
    dose(service)
    await live(hass, service, freezer, "2026-07-02T00:03")
    assert shown(hass, service) == "1"
    await live(hass, service, freezer, "2026-07-02T00:12")
    assert shown(hass, service) == "1"
    dose(service)
    await live(hass, service, freezer, "2026-07-02T00:13")
    assert shown(hass, service) == "2"
    own = service.full.pool.acid.doses
    assert own == (1 if minutes < 0 else 2)  # the controller's own day is another
    acid = entity_id(hass, "sensor", service.full, "acid_doses_today")
    states = [e.data["new_state"].state for e in events if e.data["entity_id"] == acid]
    assert states == ["3", "0", "1", "2"]


@pytest.mark.parametrize(
    ("day", "next_day", "hours"),
    [
        pytest.param(
            "2026-03-08", "2026-03-09", 23,
            marks=pytest.mark.freeze_time("2026-03-08 07:58:00+00:00"),
        ),
        pytest.param(
            "2026-11-01", "2026-11-02", 25,
            marks=pytest.mark.freeze_time("2026-11-01 06:58:00+00:00"),
        ),
    ],
)  # fmt: skip
async def test_a_day_that_is_longer_or_shorter(
    hass: HomeAssistant,
    service: Service,
    local: None,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    day: str,
    next_day: str,
    hours: int,
) -> None:
    """Clocks are put forward or back at 2:00; the day ends at its own midnight."""
    assert (at(f"{next_day}T00:00") - at(f"{day}T00:00")) / HOUR == hours
    await live(hass, service, freezer, f"{day}T00:00")
    assert shown(hass, service) == "0"
    await live(hass, service, freezer, f"{day}T00:30", 60)
    dose(service)
    await live(hass, service, freezer, f"{day}T04:00", 300)
    assert shown(hass, service) == "1"
    dose(service)
    await live(hass, service, freezer, f"{day}T22:50", 900)
    assert shown(hass, service) == "2"
    await live(hass, service, freezer, f"{day}T23:59:59", 60)
    assert shown(hass, service) == "2"
    await live(hass, service, freezer, f"{next_day}T00:00")
    assert shown(hass, service) == "0"
    await live(hass, service, freezer, f"{next_day}T01:30", 300)
    assert service.full.pool.acid.doses == 0
    assert shown(hass, service) == "0"


@pytest.mark.freeze_time("2026-07-01 19:00:00+00:00")  # noon
@pytest.mark.parametrize("forgets", [True, False])
async def test_the_controller_restarts(
    hass: HomeAssistant,
    service: Service,
    local: None,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    forgets: bool,
) -> None:
    """What was counted before is kept, whether or not the controller keeps it."""
    await live(hass, service, freezer, "2026-07-01T12:06", 60)
    assert shown(hass, service) == "2"
    service.full.restart(forget_doses=forgets)
    await live(hass, service, freezer, "2026-07-01T12:12", 60)
    assert shown(hass, service) == "2"
    dose(service)
    await live(hass, service, freezer, "2026-07-01T12:13")
    assert shown(hass, service) == "3"
    assert service.full.pool.acid.doses == (1 if forgets else 3)


@pytest.mark.freeze_time("2026-07-01 19:00:00+00:00")  # noon
async def test_both_restart(
    hass: HomeAssistant,
    service: Service,
    local: None,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    await live(hass, service, freezer, "2026-07-01T12:06", 60)
    await restart(hass, service, full)
    assert shown(hass, service) == "2"
    service.full.restart()
    dose(service)
    await live(hass, service, freezer, "2026-07-01T12:12", 60)
    await restart(hass, service, full)
    await live(hass, service, freezer, "2026-07-01T12:13")
    assert shown(hass, service) == "3"


def remembered(today: int, told: int, at: datetime) -> dict[str, object]:
    return {"today": today, "told": told, "told_at": at.isoformat()}


@pytest.mark.freeze_time("2026-07-01 19:00:00+00:00")  # noon
@pytest.mark.parametrize(
    ("told_at", "expected"),
    [
        # This morning: five were counted, of which the controller forgot three.
        ("2026-07-01T08:00", ["5"]),
        # Last night: today begins at 0, and statistics see that it does.
        ("2026-06-30T20:00", ["0", "2"]),
    ],
)
async def test_home_assistant_restarts(
    hass: HomeAssistant,
    service: Service,
    local: None,
    credentials: None,
    freezer: FrozenDateTimeFactory,
    told_at: str,
    expected: list[str],
) -> None:
    acid = "sensor.beach_pool_acid_doses_today"
    events = async_capture_events(hass, "state_changed")
    service.account.sites = service.account.sites[1:]
    entry = service.entry(service.full)
    entry.add_to_hass(hass)
    # Registered before: its entity id is known.
    er.async_get(hass).async_get_or_create(
        "sensor",
        "poolctl",
        f"{service.full.device_id}_acid_doses_today",
        suggested_object_id="beach_pool_acid_doses_today",
        config_entry=entry,
    )
    mock_restore_cache_with_extra_data(
        hass, [(State(acid, "5"), remembered(5, 2, at(told_at)))]
    )
    hass.async_create_task(hass.config_entries.async_setup(entry.entry_id))
    await settle(hass, service)
    await live(hass, service, freezer, "2026-07-01T12:01")
    states = [e.data["new_state"].state for e in events if e.data["entity_id"] == acid]
    assert states[-1] == expected[-1] == shown(hass, service)
    assert [state for state in states if state.isdecimal()] == expected


@pytest.mark.freeze_time("2026-07-02 03:00:00+00:00")  # 20:00
async def test_nobody_tells_for_a_night(
    hass: HomeAssistant,
    service: Service,
    local: None,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Unavailable at midnight; back in the morning, the new day begins with a 0."""
    acid = entity_id(hass, "sensor", service.full, "acid_doses_today")
    await live(hass, service, freezer, "2026-07-01T20:06", 60)
    assert shown(hass, service) == "2"
    events = async_capture_events(hass, "state_changed")
    service.full.faults.on("refuse")
    service.cloud.faults.on("refuse")
    await live(hass, service, freezer, "2026-07-01T20:12", 30)
    assert shown(hass, service) == "unavailable"
    await live(hass, service, freezer, "2026-07-02T06:00", 900)
    assert shown(hass, service) == "unavailable"
    service.full.pool.acid.doses = 3
    service.full.faults.clear()
    await live(hass, service, freezer, "2026-07-02T06:06", 60)
    assert shown(hass, service) == "3"
    states = [e.data["new_state"].state for e in events if e.data["entity_id"] == acid]
    assert [state for state in states if state.isdecimal()] == ["0", "3"]


@pytest.mark.freeze_time("2026-07-02 06:50:00+00:00")  # 23:50
async def test_the_source_stops_telling(
    hass: HomeAssistant,
    service: Service,
    local: None,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """The cloud may not offer it: an hour of the new day later it is unknown."""
    await live(hass, service, freezer, "2026-07-01T23:51")
    assert shown(hass, service) == "2"
    service.cloud.not_offered.add("chemistryCard")
    service.full.faults.on("refuse")
    await live(hass, service, freezer, "2026-07-02T00:01", 30)
    assert value(hass, "sensor", service.full, "connection") == "cloud"
    assert shown(hass, service) == "0"
    await live(hass, service, freezer, "2026-07-02T01:00", 30)
    assert shown(hass, service) == "unknown"
    service.full.pool.acid.doses = 1
    service.full.faults.clear()
    await live(hass, service, freezer, "2026-07-02T01:06", 60)
    assert shown(hass, service) == "1"


@pytest.mark.freeze_time("2026-07-02 06:55:00+00:00")  # 23:55
async def test_midnight_in_the_cloud(
    hass: HomeAssistant,
    service: Service,
    local: None,
    credentials: None,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Its copies may be older than midnight, and count nothing twice."""
    service.account.sites = service.account.sites[1:]
    await set_up(hass, service, service.entry())
    await live(hass, service, freezer, "2026-07-01T23:57")
    assert shown(hass, service) == "2"
    dose(service)
    await live(hass, service, freezer, "2026-07-01T23:58:30")
    assert shown(hass, service) == "3"
    await live(hass, service, freezer, "2026-07-02T00:00")
    assert shown(hass, service) == "0"
    await live(hass, service, freezer, "2026-07-02T00:05")
    assert shown(hass, service) == "0"
    dose(service)
    await live(hass, service, freezer, "2026-07-02T00:07")
    assert shown(hass, service) == "1"
