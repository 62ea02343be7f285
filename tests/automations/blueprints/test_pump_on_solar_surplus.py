"""Run the pump on solar surplus."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import Platform
import pytest

from tests.world.assistant.platforms import only

from .conftest import House, by_hand, pump_is, rule

pytestmark = pytest.mark.usefixtures("freezer", "quick", "at_once")
few_platforms = only(Platform.NUMBER, Platform.SWITCH)

NAME = "pump_on_solar_surplus"
METER = "sensor.meter"


def meter(house: House, power: float | str, unit: str = "W") -> None:
    """Set the power that the sensor of the surplus shows."""
    attributes = {"device_class": "power", "unit_of_measurement": unit}
    house.hass.states.async_set(METER, str(power), attributes)


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return the inputs that a user fills in, with short delays."""
    return {
        "pump": house.entity_id("switch", "pump"),
        "surplus": METER,
        "start_after": {"minutes": 1},
        "stop_after": {"minutes": 2},
        **more,
    }


async def begin(house: House, **more: Any) -> None:
    """Set up the automation while there is no surplus."""
    meter(house, 0)
    await house.automate(NAME, **inputs(house, **more))


async def surplus(house: House, power: float | str, minutes: float) -> str:
    """Let the surplus last for some minutes; return what the pump does then."""
    meter(house, power)
    await house.wait(minutes=minutes)
    return pump_is(house)


async def test_surplus_comes_and_goes(house: House) -> None:
    """Neither a short surplus nor a short lack of it switches the pump."""
    meter(house, 0)
    await house.automate(
        NAME,
        pump=house.entity_id("switch", "pump"),
        pump_speed=house.entity_id("number", "pump_speed"),
        speed=65,
        surplus=METER,
    )
    for power, minutes, expected in (
        (1500, 4, "off"),
        (1499, 2, "off"),
        (2000, 4, "off"),
        (2000, 2, "held on"),
        (500, 20, "held on"),
        (0, 14, "held on"),
        (10, 2, "held on"),
        (-300, 14, "held on"),
    ):
        assert await surplus(house, power, minutes) == expected, (power, minutes)
        if expected == "held on":
            assert house.pool.pump.speed == 65
    assert await surplus(house, -300, 2) == "off"
    assert house.value("switch", "pump") == "off"


@pytest.mark.parametrize(
    ("unit", "feeding_in_is_negative", "little", "enough"),
    [("kW", False, 1.4, 1.6), ("W", True, -1400, -1600), ("kW", True, 3, -1.5)],
)
async def test_what_meters_show(
    house: House,
    unit: str,
    feeding_in_is_negative: bool,
    little: float,
    enough: float,
) -> None:
    await begin(house, feeding_in_is_negative=feeding_in_is_negative)
    for power, expected in ((little, "off"), (enough, "held on")):
        meter(house, power, unit)
        await house.wait(minutes=2)
        assert pump_is(house) == expected


async def test_a_meter_without_a_value_and_a_schedule(house: House) -> None:
    """No value counts as lack of surplus, so that the pump is not left on for good."""
    await begin(house)
    assert await surplus(house, 2000, 2) == "held on"
    assert await surplus(house, "unavailable", 1) == "held on"
    assert await surplus(house, 2000, 3) == "held on"
    house.hass.states.async_remove(METER)
    await house.wait(minutes=3)
    assert pump_is(house) == "off"
    # On surplus the pump is held, so that it does not stop with its schedule.
    house.pool.schedules[0].enabled = True
    assert await surplus(house, 2000, 2) == "held on"
    assert await surplus(house, -10, 3) == "on"
    assert await surplus(house, 2000, 2) == "held on"


async def test_switched_off_by_hand(house: House) -> None:
    """A pump held off stays off until its owner gives it back."""
    await by_hand(house, "poolctl.hold", "pump", state=False, duration={"days": 1})
    await begin(house)
    assert await surplus(house, 2000, 5) == "held off"
    await by_hand(house, "poolctl.resume_schedule")
    assert pump_is(house) == "off"
    assert await surplus(house, 2000, 1) == "held on"
    # One that is switched off while it runs stays off until there is surplus again.
    await by_hand(house, "switch.turn_off")
    await house.wait(minutes=5)
    assert not house.pool.pump.running
    assert not house.waiting
    await surplus(house, 0, 3)
    assert await surplus(house, 2000, 7) == "held on"


async def test_a_controller_that_is_away(house: House) -> None:
    """The pump is given back, and taken, once the controller answers again."""
    await begin(house)
    assert await surplus(house, 2000, 2) == "held on"
    house.disconnect()
    assert await surplus(house, 0, 8) == "held on"
    assert house.value("switch", "pump") == "unavailable"
    house.reconnect()
    assert await surplus(house, 0, 6) == "off"
    house.disconnect()
    assert await surplus(house, 0, 3) == "off"
    assert await surplus(house, 2000, 3) == "off"
    house.controller.faults.clear()
    assert await surplus(house, 2000, 2) == "held on"


async def test_a_controller_that_refuses(house: House) -> None:
    """The automation ends; the next surplus starts the pump."""
    await begin(house)
    house.controller.faults.on("decline")
    assert await surplus(house, 2000, 3) == "off"
    assert not house.waiting
    house.controller.faults.clear()
    assert await surplus(house, 0, 2) == "off"
    assert await surplus(house, 2000, 2) == "held on"


# Starting anew


async def test_a_moment_of_surplus_at_the_start(house: House) -> None:
    meter(house, 2000)
    await house.start_anew(NAME, timedelta(days=2), **inputs(house))
    await surplus(house, 2000, 0.5)
    assert await surplus(house, 100, 5) == "off"


async def test_loaded_anew_and_edited(house: House) -> None:
    await begin(house)
    assert await surplus(house, 2000, 2) == "held on"
    # The automation goes on waiting after the integration is reloaded.
    await house.hass.config_entries.async_reload(house.entry.entry_id)
    assert await surplus(house, 2000, 3) == "held on"
    assert await surplus(house, 0, 3) == "off"
    # When it is edited, the reload ends its wait; the new one takes over.
    assert await surplus(house, 2000, 2) == "held on"
    edited = {AUTOMATION: [rule(NAME, inputs(house, stop_at=200))]}
    with patch("homeassistant.config.load_yaml_config_file", return_value=edited):
        await house.hass.services.async_call(AUTOMATION, "reload", blocking=True)
    assert await surplus(house, 2000, 3) == "held on"
    assert await surplus(house, 150, 3) == "off"
    # When another one is edited, a pump that its owner switched on stays on.
    await house.wait(minutes=15)
    await by_hand(house, "switch.turn_on")
    house.hass.bus.async_fire("automation_reloaded")
    assert await surplus(house, 150, 5) == "held on"


# A minimum a day


def runtime(house: House, hours: float | str, unit: str = "h") -> str:
    """Set the hours that the sensor of the pump's runtime shows; return its ID."""
    entity_id = "sensor.runtime"
    house.hass.states.async_set(entity_id, str(hours), {"unit_of_measurement": unit})
    return entity_id


@pytest.mark.freeze_time("2026-07-01 22:30:00+00:00")  # 15:30
@pytest.mark.parametrize(
    ("shown", "unit"), [(1, "h"), (60, "min"), (3600, "s"), (1 / 24, "d")]
)
async def test_hours_that_are_missing(house: House, shown: float, unit: str) -> None:
    """3 hours are missing at 20:00: from 17:00 on the pump runs for them."""
    await begin(
        house, minimum=4, runtime=runtime(house, shown, unit), reached_by="20:00:00"
    )
    await house.wait(minutes=89)
    assert pump_is(house) == "off"
    await house.wait(minutes=4, step=60)
    assert pump_is(house) == "held on"
    # Neither the lack of surplus nor a meter without a value ends that.
    assert await surplus(house, "unavailable", 10) == "held on"
    runtime(house, 4)
    await house.wait(minutes=4, step=60)
    assert pump_is(house) == "off"


@pytest.mark.parametrize(
    ("time", "minimum", "shown", "expected"),
    [
        ("17:30", 4, 1, "held on"),
        # No minimum is set, it is reached, its sensor fails, or there is still time.
        ("17:30", 0, 0, "off"),
        ("17:30", 4, 4, "off"),
        ("17:30", 4, "unavailable", "off"),
        ("17:30", 4, 1.6, "off"),
        # When the day is over nothing is caught up.
        ("19:57", 4, 1, "off"),
    ],
)
async def test_whether_hours_are_missing(
    house: House, time: str, minimum: float, shown: float | str, expected: str
) -> None:
    house.freezer.move_to(f"2026-11-19 {time}:00-08:00")
    await begin(house, minimum=minimum, runtime=runtime(house, 4))
    runtime(house, shown)
    await house.wait(minutes=12 if time == "19:57" else 4, step=60)
    assert pump_is(house) == expected
