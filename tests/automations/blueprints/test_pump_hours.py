"""Pump hours are planned once a day, in the hours that the user prefers."""

from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
import pytest

from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pool import Pool

from .conftest import ALIAS, House

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "at_once"),
    pytest.mark.freeze_time("2026-07-01 00:02:00-07:00"),
]
few_platforms = only(
    Platform.CALENDAR, Platform.NUMBER, Platform.SELECT, Platform.SENSOR
)

NAME = "pump_hours"
PRICES = "sensor.prices"
NOON = "2026-07-01T20:02:00+00:00"
"""Solar noon, which is 13:02 by the clock of the house."""


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the small pool, whose pump has no schedule of its own."""
    found = service.small.pool
    found.schedules[0].enabled = False
    return found


@pytest.fixture
async def house(small: House) -> House:
    """Return a house whose pump needs six hours a day."""
    small.hass.states.async_set("sun.sun", "below_horizon", {"next_noon": NOON})
    await small.act("select.select_option", "pump_hours_rule", option="fixed")
    await small.wait(seconds=2, step=1)
    await small.act("number.set_value", "pump_hours_a_day", value=6)
    return small


def prices(house: House) -> None:
    """Set prices that are low from 2 to 5 and from 22 on."""
    cheap = (2, 3, 4, 22, 23)
    listed = [
        {
            "start": f"2026-07-01T{hour:02}:00:00-07:00",
            "value": 0.1 if hour in cheap else 0.3 + hour / 1000,
        }
        for hour in range(24)
    ]
    house.hass.states.async_set(PRICES, "0.3", {"raw_today": listed})


async def automate(house: House, **more: Any) -> None:
    needed = house.entity_id("sensor", "pump_hours_still_needed")
    await house.automate(NAME, needed=needed, **more)


async def plan(house: House, **more: Any) -> None:
    """Set up the automation, and let it plan at five past midnight."""
    await automate(house, **more)
    await house.wait(minutes=5, step=60)


async def run_by_hand(house: House) -> None:
    automation = {"entity_id": ALIAS}
    await house.hass.services.async_call("automation", "trigger", automation)
    await house.wait(minutes=1, step=15)


def times(pool: Pool) -> list[str]:
    """Return when the planned schedules run."""
    return [
        "{:02}:{:02}-{:02}:{:02}".format(*divmod(each.start, 60), *divmod(each.end, 60))
        for each in pool.schedules
        if each.used and each.enabled and each.name.startswith("HA plan")
    ]


def writes(house: House) -> int:
    return house.actions.count("schedule")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ["10:00-16:00"]),
        ({"placement": "early"}, ["00:10-06:10"]),
        ({"placement": "early", "earliest": "08:00:00"}, ["08:00-14:00"]),
        ({"earliest": "08:00:00", "latest": "15:00:00"}, ["09:00-15:00"]),
        ({"placement": "prices", "lists": [PRICES]}, ["01:00-05:00", "22:00-23:59"]),
        ({"placement": "solar", "lists": [PRICES]}, ["16:00-22:00"]),
    ],
)
async def test_where_the_hours_go(
    house: House, pool: Pool, more: dict[str, Any], expected: list[str]
) -> None:
    prices(house)
    await plan(house, **more)
    assert times(pool) == expected
    assert not house.waiting


@pytest.mark.parametrize("unit", ["min", "s", "d"])
async def test_the_unit_of_the_hours(house: House, pool: Pool, unit: str) -> None:
    """Its owner may have chosen another unit for the sensor."""
    needed = house.entity_id("sensor", "pump_hours_still_needed")
    options = {"unit_of_measurement": unit}
    er.async_get(house.hass).async_update_entity_options(needed, "sensor", options)
    await plan(house)
    state = house.state("sensor", "pump_hours_still_needed")
    assert state.attributes["unit_of_measurement"] == unit
    assert times(pool) == ["10:00-16:00"]


async def test_once_a_day_and_by_hand(house: House, pool: Pool) -> None:
    """The hours are planned each night, and only changes are written."""
    await plan(house, make_up=False)
    assert (times(pool), writes(house)) == (["10:00-16:00"], 1)
    # Each run by hand plans anew.
    await house.act("number.set_value", "pump_hours_a_day", value=4)
    await run_by_hand(house)
    for _ in range(2):
        assert (times(pool), writes(house)) == (["11:00-15:00"], 2)
        await house.wait(minutes=24 * 60)
        await house.wait(minutes=5, step=60)
        await house.act("number.set_value", "pump_hours_a_day", value=8)
    assert writes(house) == 3
    # The pump may have run for a moment of the day.
    (hours,) = times(pool)
    assert hours in ("09:00-17:00", "09:05-16:55")


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        # Prices that come within the hour are used.
        (11, ["01:00-05:00", "22:00-23:59"]),
        # Without prices, the pump gets its hours around noon.
        (None, ["10:00-16:00"]),
    ],
)
async def test_no_prices_yet(
    house: House, pool: Pool, late: float | None, expected: list[str]
) -> None:
    await plan(house, placement="prices", lists=[PRICES])
    if late is None:
        await house.wait(minutes=50, step=300)
    assert times(pool) == [] and house.waiting
    if late is not None:
        prices(house)
    await house.wait(minutes=late or 15, step=60)
    assert times(pool) == expected
    assert not house.waiting


async def test_a_controller_that_does_not_answer(house: House, pool: Pool) -> None:
    """The hours are planned once the controller answers again."""
    await automate(house)
    house.disconnect()
    house.freezer.move_to("2026-07-01 00:04:30-07:00")
    await house.wait(minutes=8, step=60)
    assert house.waiting and times(pool) == []
    house.reconnect()
    await house.wait(minutes=12, step=60)
    assert times(pool) == ["10:00-16:00"]
    assert not house.waiting


async def test_what_is_refused(
    house: House, pool: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    for each in pool.schedules:
        each.slot, each.aux_type, each.start, each.end = 1, 26, 60, 120
        each.weekdays, each.name = 1, "Light"
    await plan(house)
    await house.wait(minutes=70, step=300)
    assert not house.waiting
    assert writes(house) == 0
    assert "Say why not" in caplog.text and "All 20 schedules" in caplog.text


@pytest.mark.parametrize(
    ("missed", "make_up", "expected"),
    [(6, True, "07:00-19:00"), (6, False, "10:00-16:00"), (None, True, "10:00-16:00")],
)
async def test_what_was_missed(
    house: House, pool: Pool, missed: float | None, make_up: bool, expected: str
) -> None:
    """Hours missed yesterday are added only if that was chosen."""
    await automate(house, make_up=make_up)
    needed = house.state("sensor", "pump_hours_still_needed")
    attributes = {**needed.attributes, "missed_yesterday": missed}
    house.hass.states.async_set(needed.entity_id, needed.state, attributes)
    await run_by_hand(house)
    assert times(pool) == [expected]


@pytest.mark.parametrize(
    ("hours_ago", "expected"), [(8, []), (14, ["10:05-16:05"]), (200, ["10:05-16:05"])]
)
async def test_home_assistant_was_off(
    house: House, pool: Pool, hours_ago: float, expected: list[str]
) -> None:
    """A start plans the hours only if the last time to plan was missed."""
    house.freezer.move_to("2026-07-01 10:02:00-07:00")
    needed = house.entity_id("sensor", "pump_hours_still_needed")
    await house.start_anew(NAME, timedelta(hours=hours_ago), needed=needed)
    await house.wait(minutes=2, step=60)
    assert times(pool) == expected
