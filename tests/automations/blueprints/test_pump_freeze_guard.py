"""The freeze guard of the pump."""

from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
import pytest

from tests.world.assistant.home import MOST_SENT
from tests.world.assistant.platforms import only

from .conftest import House, by_hand, pump_is

pytestmark = pytest.mark.usefixtures("freezer", "quick", "at_once")
few_platforms = only(Platform.NUMBER, Platform.SENSOR, Platform.SWITCH)

NAME = "pump_freeze_guard"
GARDEN = "sensor.garden"
LONG_HOLD: dict[str, Any] = {"state": False, "duration": {"days": 90}}


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return the inputs that a user fills in, with short delays."""
    return {
        "pump": house.entity_id("switch", "pump"),
        "thermometers": [house.entity_id("sensor", "ambient_temperature")],
        "start_after": {"minutes": 1},
        "stop_after": {"minutes": 2},
        **more,
    }


async def air(house: House, celsius: float, minutes: float) -> str:
    """Let the air have a temperature for a while; return what the pump does then."""
    house.pool.water.ambient = celsius
    await house.wait(minutes=minutes)
    return pump_is(house)


async def garden(
    house: House, temperature: float | str, minutes: float, unit: str = "°C"
) -> str:
    """Let a thermometer that is no part of the pool show a temperature, likewise."""
    attributes = {"unit_of_measurement": unit}
    house.hass.states.async_set(GARDEN, str(temperature), attributes)
    await house.wait(minutes=minutes)
    return pump_is(house)


async def test_a_cold_night(house: House) -> None:
    """The pump is given back after a while of warmth: not each degree switches it."""
    await house.automate(
        NAME,
        pump=house.entity_id("switch", "pump"),
        pump_speed=house.entity_id("number", "pump_speed"),
        thermometers=inputs(house)["thermometers"],
    )
    for celsius, minutes, expected in (
        (2.2, 7, "off"),
        (2.0, 4, "off"),
        (2.0, 2, "held on"),
        (3.8, 40, "held on"),
        (4.0, 25, "held on"),
        (3.0, 2, "held on"),
        (6.0, 25, "held on"),
    ):
        assert await air(house, celsius, minutes) == expected, (celsius, minutes)
        if expected == "held on":
            assert house.pool.pump.speed == 50
    assert await air(house, 6.0, 7) == "off"
    assert not house.waiting


async def test_limits_in_fahrenheit(house: House) -> None:
    """36 °F are 2.2 °C, and 39 °F are 3.9 °C."""
    await house.automate(NAME, **inputs(house, cold_at=36, warm_at=39))
    for celsius, expected in (
        (2.5, "off"),
        (2.0, "held on"),
        (3.5, "held on"),
        (4.0, "off"),
    ):
        assert await air(house, celsius, 4) == expected


async def test_the_coldest_thermometer_counts(house: House) -> None:
    """Its unit does not matter; a thermometer without a value does not count."""
    await garden(house, 40, 0, "°F")
    both = [*inputs(house)["thermometers"], GARDEN]
    await house.automate(NAME, **inputs(house, thermometers=both))
    assert await garden(house, 40, 2, "°F") == "off"
    assert await garden(house, 35, 2, "°F") == "held on"
    assert await garden(house, "unavailable", 4) == "off"


async def test_schedules(house: House) -> None:
    """The pump is held when its schedule ends in the cold, and not before."""
    house.pool.schedules[0].enabled = True
    await house.automate(NAME, **inputs(house))
    for celsius in (1.0, 9.0, 1.0):
        assert await air(house, celsius, 3) == "on"
        assert house.waiting is (celsius == 1.0)
    house.pool.schedules[0].enabled = False
    assert await air(house, 1.0, 1) == "held on"


async def test_somebody_gives_the_pump_back_in_the_cold(house: House) -> None:
    """The pump is held again, for example after a run on surplus has ended."""
    await by_hand(house, "switch.turn_on")
    await house.automate(NAME, **inputs(house))
    assert await air(house, 1.0, 3) == "held on"
    await by_hand(house, "poolctl.resume_schedule")
    assert await air(house, 1.0, 1) == "held on"


@pytest.mark.parametrize("although", [False, True])
async def test_a_pump_held_off_by_hand(house: House, although: bool) -> None:
    """The pump may be drained, so only its owner can allow a start."""
    await by_hand(house, "poolctl.hold", **LONG_HOLD)
    await house.automate(NAME, **inputs(house, although_off_by_hand=although))
    assert await air(house, 1.0, 5) == ("held on" if although else "held off")


async def test_switched_off_by_hand_while_it_runs(house: House) -> None:
    """Only a pump that is held off stays off; otherwise the cold starts it again."""
    await house.automate(NAME, **inputs(house))
    assert await air(house, 1.0, 2) == "held on"
    await by_hand(house, "switch.turn_off")
    assert await air(house, 1.0, 6) == "held on"
    await by_hand(house, "poolctl.hold", **LONG_HOLD)
    for celsius in (1.0, 9.0):
        assert await air(house, celsius, 5) == "held off"


async def test_a_controller_that_refuses(house: House) -> None:
    """The command is sent again, but not all the time."""
    await house.automate(NAME, **inputs(house))
    house.controller.faults.on("decline")
    house.pool.water.ambient = 1.0
    await house.wait(minutes=7, step=60)
    commands = [r for r in house.controller.requests if r.name == "cmd"]
    assert len(commands) == 2 * MOST_SENT
    assert pump_is(house) == "off"
    house.controller.faults.clear()
    assert await air(house, 1.0, 6) == "held on"


async def test_cold_again_before_the_pump_could_be_given_back(house: House) -> None:
    """The pump is not given back then, but kept until it is warm."""
    await garden(house, 8, 0)
    await house.automate(NAME, **inputs(house, thermometers=[GARDEN]))
    assert await garden(house, 1, 2) == "held on"
    house.disconnect()
    await garden(house, 8, 5)
    await garden(house, 1, 5)
    house.controller.faults.clear()
    assert await garden(house, 1, 20) == "held on"
    assert await garden(house, 8, 3) == "off"


# Without a thermometer, and starting anew


@pytest.mark.parametrize("restarts", [False, True])
async def test_hard_frost(house: House, restarts: bool) -> None:
    """The thermometer of the controller has no value: the pump stays as it is."""
    if restarts:
        await by_hand(house, "switch.turn_on")
        await air(house, 0.0, 0.5)
        await house.start_anew(NAME, timedelta(hours=30), **inputs(house))
    else:
        await house.automate(NAME, **inputs(house))
        assert await air(house, 1.0, 2) == "held on"
    assert await air(house, 0.0, 10) == "held on"
    assert await air(house, 9.0, 3) == "off"


async def test_a_restart_when_it_is_warm(house: House) -> None:
    """Nothing happens, even if the controller answers only after the start."""
    house.disconnect()
    await house.wait(minutes=3)
    await house.start_anew(NAME, timedelta(hours=30), **inputs(house))
    await house.wait(minutes=3)
    house.controller.faults.clear()
    await house.wait(minutes=3)
    assert not house.waiting
    assert pump_is(house) == "off"
