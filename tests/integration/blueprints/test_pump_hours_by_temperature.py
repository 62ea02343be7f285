"""Pump hours by water temperature."""

# The pool changes behind the type checker's back.
# mypy: no-warn-unreachable

from datetime import timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
import pytest

from tests.integration.platforms import only
from tests.integration.service import Service
from tests.simulator.pool import Pool
from tests.simulator.schedules import Schedule

from .conftest import House

pytestmark = pytest.mark.usefixtures("quick", "at_once")
few_platforms = only(Platform.SWITCH)

NAME = "pump_hours_by_temperature"
WATER, CHEAP = "sensor.water", "sensor.cheap"
NOON = "2026-07-01T20:02:00+00:00"
"""Of the sun: 13:02 by the clock of the house."""


@pytest.fixture(autouse=True)
def morning(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-07-01 04:55:00-07:00")


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    return service.small.pool


@pytest.fixture
def house(small: House) -> House:
    water(small, 24)
    small.hass.states.async_set("sun.sun", "below_horizon", {"next_noon": NOON})
    return small


def water(house: House, shown: float | str, unit: str = "°C") -> None:
    """Let the water have a temperature."""
    attributes = {"device_class": "temperature", "unit_of_measurement": unit}
    house.hass.states.async_set(WATER, str(shown), attributes)


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return what a person fills in."""
    schedule = house.entity_id("switch", "schedule_0")
    return {"schedule": schedule, "water": WATER, **more}


async def calculate(house: House, **more: Any) -> None:
    """Let it be five o'clock."""
    await house.automate(NAME, **inputs(house, **more))
    await house.wait(minutes=5, step=300)
    await house.wait(minutes=1, step=60)


def times(pool: Pool) -> str:
    """Return when the schedule runs."""
    record = pool.schedules[0]
    start, end = (divmod(each, 60) for each in (record.start, record.end))
    return "{:02}:{:02}-{:02}:{:02}".format(*start, *end)


def writes(house: House) -> int:
    return house.actions.count("schedule")


async def test_once_a_day(house: House, pool: Pool) -> None:
    """Nothing of the schedule changes but its times, and those only where they differ."""
    before = pool.schedules[0]
    kept = before.weekdays, before.speed, before.name, before.enabled
    await house.automate(NAME, **inputs(house))
    await house.wait(minutes=4, step=240)
    assert writes(house) == 0
    await house.wait(minutes=2, step=60)
    assert times(pool) == "07:00-19:00"
    record = pool.schedules[0]
    assert (record.weekdays, record.speed, record.name, record.enabled) == kept
    assert writes(house) == 1
    assert not house.waiting
    for shown in (24.1, 28):
        water(house, shown)
        await house.wait(minutes=23 * 60 + 59)
        await house.wait(minutes=3, step=60)
    assert times(pool) == "06:00-20:00"
    assert writes(house) == 2


@pytest.mark.parametrize(
    ("shown", "more", "expected"),
    [
        (24, {"rule": "third"}, "09:00-17:00"),
        (2, {}, "12:00-14:00"),
        (36, {}, "05:00-21:00"),
        (24, {"minimum": 13}, "06:30-19:30"),
        (24, {"maximum": 10}, "08:00-18:00"),
        # 22.5 is half-way between two points; below the first and above the last one.
        (22.5, {"rule": "curve"}, "08:30-17:30"),
        (20, {"rule": "curve"}, "09:30-16:30"),
        (5, {"rule": "curve", "curve": "30 : 6, 10:4"}, "11:00-15:00"),
        (35, {"rule": "curve", "curve": "30 : 6, 10:4"}, "10:00-16:00"),
        (20, {"rule": "curve", "curve": "30 : 6, 10:4"}, "10:30-15:30"),
    ],
)
async def test_how_long(
    house: House, pool: Pool, shown: float, more: dict[str, Any], expected: str
) -> None:
    water(house, shown)
    await calculate(house, **more)
    assert times(pool) == expected


async def test_fahrenheit(house: House, pool: Pool) -> None:
    """Half of 30 °C; a curve is in the unit of the house."""
    water(house, 86, "°F")
    await calculate(house)
    assert times(pool) == "05:30-20:30"


async def test_a_curve_in_fahrenheit(house: House, pool: Pool) -> None:
    water(house, 80, "°F")
    await calculate(house, rule="curve", curve="60:4, 80:8")
    assert times(pool) == "09:00-17:00"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"earliest": "09:00:00", "latest": "23:00:00"}, "09:00-21:00"),
        ({}, "08:00-20:00"),
        ({"earliest": "10:30:00", "latest": "16:15:00"}, "10:30-16:15"),
        ({"earliest": "21:00:00", "latest": "07:00:00"}, "21:00-07:00"),
        ({"earliest": "22:00:00", "latest": "22:00:00"}, "22:00-10:00"),
        # The last end a record can hold.
        ({"earliest": "12:00:00", "latest": "00:00:00"}, "12:00-23:59"),
    ],
)
async def test_in_given_hours(
    house: House, pool: Pool, more: dict[str, str], expected: str
) -> None:
    await calculate(house, placement="between", **more)
    assert times(pool) == expected


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("2026-07-01T20:30:00+00:00", "13:30-01:30"),
        ("01:15:00", "01:15-13:15"),
        ("2026-07-01 06:45:00", "06:45-18:45"),
        # Over, too far ahead, or none: as if it had not been chosen.
        ("2026-07-01T11:00:00+00:00", "07:00-19:00"),
        ("2026-07-02T13:00:00+00:00", "07:00-19:00"),
        ("unknown", "07:00-19:00"),
    ],
)
async def test_cheap_hours(house: House, pool: Pool, shown: str, expected: str) -> None:
    house.hass.states.async_set(CHEAP, shown)
    await calculate(house, cheap_from=CHEAP)
    assert times(pool) == expected


async def test_cheap_hours_are_not_cut(house: House, pool: Pool) -> None:
    house.hass.states.async_set(CHEAP, "14:00:00")
    await calculate(
        house, cheap_from=CHEAP, placement="between", earliest="10:00", latest="16:00"
    )
    assert times(pool) == "14:00-02:00"


async def test_without_the_sun(house: House, pool: Pool) -> None:
    house.hass.states.async_remove("sun.sun")
    await calculate(house)
    assert times(pool) == "06:00-18:00"


async def test_water_that_is_not_known(house: House, pool: Pool) -> None:
    """The schedule stays until it is, or for the day."""
    water(house, "unknown")
    await calculate(house)
    await house.wait(minutes=300)
    assert writes(house) == 0
    water(house, 24)
    await house.wait(minutes=2, step=60)
    assert times(pool) == "07:00-19:00"


async def test_water_that_is_not_known_all_day(house: House) -> None:
    water(house, "unknown")
    await calculate(house)
    await house.wait(minutes=370)
    water(house, 24)
    await house.wait(minutes=2, step=60)
    assert writes(house) == 0
    assert not house.waiting


async def test_a_controller_that_does_not_listen(house: House, pool: Pool) -> None:
    """It is told again once it does."""
    await house.automate(NAME, **inputs(house))
    house.disconnect()
    # What is shown is still valid when it is five o'clock.
    house.freezer.move_to("2026-07-01 04:59:30-07:00")
    await house.wait(minutes=8, step=60)
    assert times(pool) == "00:00-23:59"
    assert house.waiting
    house.reconnect()
    await house.wait(minutes=12, step=60)
    assert times(pool) == "07:00-19:00"
    assert not house.waiting


@pytest.fixture
async def conflict(house: House, pool: Pool) -> Schedule:
    """Have another schedule that runs the pump when this one should."""
    await house.unload()
    pool.schedules[0].start, pool.schedules[0].end = 60, 120
    noon = pool.schedules[1] = Schedule(
        slot=0, aux_type=31, start=600, end=700, weekdays=127, name="Noon", enabled=True
    )
    await house.start()
    await calculate(house)
    return noon


async def test_times_that_are_refused(
    house: House, conflict: Schedule, caplog: pytest.LogCaptureFixture
) -> None:
    """After an hour the log says why."""
    await house.wait(minutes=40, step=300)
    assert house.waiting
    await house.wait(minutes=20, step=300)
    assert not house.waiting
    assert writes(house) == 0
    assert "Say why not" in caplog.text and "Noon" in caplog.text


async def test_times_that_are_refused_once(
    house: House, pool: Pool, conflict: Schedule
) -> None:
    conflict.enabled = False
    await house.wait(minutes=11, step=60)
    assert times(pool) == "07:00-19:00"
    assert not house.waiting


@pytest.mark.parametrize(
    ("hours_ago", "expected"),
    [(20, "00:00-23:59"), (27, "07:00-19:00"), (200, "07:00-19:00")],
)
async def test_home_assistant_was_off(
    house: House,
    pool: Pool,
    hours_ago: float,
    expected: str,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Only what was missed is made up for; at two o'clock yesterday's counts."""
    freezer.move_to("2026-07-01 02:00:00-07:00")
    await house.start_anew(NAME, timedelta(hours=hours_ago), **inputs(house))
    await house.wait(minutes=2, step=60)
    assert times(pool) == expected


async def test_a_person_tries_it_out(house: House, pool: Pool) -> None:
    await house.automate(NAME, **inputs(house))
    await house.hass.services.async_call(
        "automation", "trigger", {"entity_id": "automation.pool"}
    )
    await house.wait(minutes=1, step=15)
    assert times(pool) == "07:00-19:00"
