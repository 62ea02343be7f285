"""The freeze guard of the pump."""

# The pool changes behind the type checker's back.
# mypy: no-warn-unreachable

from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
import pytest

from tests.world.assistant.home import MOST_SENT
from tests.world.assistant.platforms import only
from tests.world.simulator.pool import Pool

from .conftest import House, by_hand

pytestmark = pytest.mark.usefixtures("freezer", "quick", "at_once")
few_platforms = only(Platform.NUMBER, Platform.SENSOR, Platform.SWITCH)

NAME = "pump_freeze_guard"
GARDEN = "sensor.garden"


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return the inputs that a user fills in, with short delays."""
    return {
        "pump": house.entity_id("switch", "pump"),
        "thermometers": [house.entity_id("sensor", "ambient_temperature")],
        "start_after": {"minutes": 1},
        "stop_after": {"minutes": 2},
        **more,
    }


async def start(house: House, **more: Any) -> None:
    """Let the freeze guard run the pump."""
    await house.automate(NAME, **inputs(house, **more))
    house.pool.water.ambient = 1.0
    await house.wait(minutes=2)
    assert house.pool.slots[0].held
    assert house.pool.pump.running


async def test_a_cold_night(house: House, pool: Pool) -> None:
    """The pump is given back after a while of warmth: not each degree switches it."""
    air = house.entity_id("sensor", "ambient_temperature")
    await house.automate(
        NAME,
        pump=house.entity_id("switch", "pump"),
        pump_speed=house.entity_id("number", "pump_speed"),
        thermometers=[air],
    )
    pool.water.ambient = 2.2
    await house.wait(minutes=7)
    pool.water.ambient = 2.0
    await house.wait(minutes=4)
    assert not pool.pump.running
    await house.wait(minutes=2)
    assert pool.pump.running
    assert (pool.pump.speed, pool.slots[0].held) == (50, True)

    pool.water.ambient = 3.8
    await house.wait(minutes=40)
    pool.water.ambient = 4.0
    await house.wait(minutes=25)
    pool.water.ambient = 3.0
    await house.wait(minutes=2)
    pool.water.ambient = 6.0
    await house.wait(minutes=25)
    assert pool.slots[0].held
    await house.wait(minutes=7)
    assert not pool.slots[0].held
    assert not pool.pump.running
    assert not house.waiting


async def test_limits_in_fahrenheit(house: House, pool: Pool) -> None:
    """36 °F are 2.2 °C, and 39 °F are 3.9 °C."""
    await house.automate(NAME, **inputs(house, cold_at=36, warm_at=39))
    for ambient, runs in ((2.5, False), (2.0, True), (3.5, True), (4.0, False)):
        pool.water.ambient = ambient
        await house.wait(minutes=4)
        assert pool.pump.running is runs


async def test_the_coldest_thermometer_counts(house: House, pool: Pool) -> None:
    """Its unit does not matter; a thermometer without a value does not count."""

    def garden(temperature: float | str) -> None:
        unit = {"unit_of_measurement": "°F"}
        house.hass.states.async_set(GARDEN, str(temperature), unit)

    garden(40)
    both = [*inputs(house)["thermometers"], GARDEN]
    await house.automate(NAME, **inputs(house, thermometers=both))
    await house.wait(minutes=2)
    assert not pool.pump.running
    garden(35)
    await house.wait(minutes=2)
    assert pool.pump.running
    garden("unavailable")
    await house.wait(minutes=4)
    assert not pool.slots[0].held


async def test_no_thermometer_tells_anything(house: House, pool: Pool) -> None:
    """Without any temperature the pump stays as it is."""
    await start(house)
    pool.water.ambient = 0.0  # not fitted, on the wire
    await house.wait(minutes=10)
    assert pool.slots[0].held
    pool.water.ambient = 9.0
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_a_schedule_runs_the_pump(house: House, pool: Pool) -> None:
    """The pump is held when the schedule ends, and not before."""
    pool.schedules[0].enabled = True
    await house.automate(NAME, **inputs(house))
    pool.water.ambient = 1.0
    await house.wait(minutes=3)
    assert pool.pump.mode == 1
    pool.schedules[0].enabled = False
    await house.wait(minutes=1)
    assert pool.pump.running
    assert pool.slots[0].held


async def test_a_schedule_runs_all_the_time(house: House, pool: Pool) -> None:
    pool.schedules[0].enabled = True
    await house.automate(NAME, **inputs(house))
    pool.water.ambient = 1.0
    await house.wait(minutes=3)
    pool.water.ambient = 9.0
    await house.wait(minutes=3)
    assert pool.pump.mode == 1
    assert not house.waiting


async def test_somebody_gives_the_pump_back_in_the_cold(
    house: House, pool: Pool
) -> None:
    """The pump is held again, for example after a run on surplus has ended."""
    await by_hand(house, "switch.turn_on")
    await house.automate(NAME, **inputs(house))
    pool.water.ambient = 1.0
    await house.wait(minutes=3)
    await by_hand(house, "poolctl.resume_schedule")
    await house.wait(minutes=1)
    assert pool.slots[0].held
    assert pool.pump.running


@pytest.mark.parametrize("although", [False, True])
async def test_a_pump_held_off_by_hand(
    house: House, pool: Pool, although: bool
) -> None:
    """The pump may be drained, so only its owner can allow a start."""
    await house.act("poolctl.hold", "pump", state=False, duration={"days": 90})
    await house.wait(seconds=30)
    await house.automate(NAME, **inputs(house, although_off_by_hand=although))
    pool.water.ambient = 1.0
    await house.wait(minutes=5)
    assert pool.pump.running is although
    assert pool.slots[0].held


async def test_switched_off_by_hand_while_it_runs(house: House, pool: Pool) -> None:
    """Only a pump that is held off stays off; otherwise the cold starts it again."""
    await start(house)
    await by_hand(house, "switch.turn_off")
    await house.wait(minutes=6)
    assert pool.pump.running
    await house.act("poolctl.hold", "pump", state=False, duration={"days": 90})
    await house.wait(minutes=5)
    assert not pool.pump.running
    pool.water.ambient = 9.0
    await house.wait(minutes=5)
    assert pool.slots[0].held
    assert not pool.pump.running


async def test_a_controller_that_refuses(house: House, pool: Pool) -> None:
    """The command is sent again, but not all the time."""
    await house.automate(NAME, **inputs(house))
    house.controller.faults.on("decline")
    pool.water.ambient = 1.0
    await house.wait(minutes=7, step=60)
    asked = [r for r in house.controller.requests if r.name == "cmd"]
    assert len(asked) == 2 * MOST_SENT
    assert not pool.pump.running
    house.controller.faults.clear()
    await house.wait(minutes=6)
    assert pool.pump.running


async def test_it_gets_cold_again_before_the_pump_could_be_given_back(
    house: House, pool: Pool
) -> None:
    """The pump is not given back then, but kept until it is warm."""
    air = "sensor.garden"
    house.hass.states.async_set(air, "8")
    await house.automate(NAME, **inputs(house, thermometers=[air]))
    house.hass.states.async_set(air, "1")
    await house.wait(minutes=2)
    assert pool.slots[0].held
    house.disconnect()
    house.hass.states.async_set(air, "8")
    await house.wait(minutes=5)
    house.hass.states.async_set(air, "1")
    await house.wait(minutes=5)
    house.controller.faults.clear()
    await house.wait(minutes=20)
    assert pool.slots[0].held
    assert pool.pump.running
    house.hass.states.async_set(air, "8")
    await house.wait(minutes=3)
    assert not pool.slots[0].held


# Starting anew


async def test_a_restart_in_hard_frost(house: House, pool: Pool) -> None:
    """The thermometer of the controller has no value: the pump that ran runs on."""
    await by_hand(house, "switch.turn_on")
    pool.water.ambient = 0.0
    await house.wait(seconds=30)
    await house.start_anew(NAME, timedelta(hours=30), **inputs(house))
    await house.wait(minutes=10)
    assert pool.slots[0].held
    pool.water.ambient = 9.0
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_a_restart_when_it_is_warm(house: House, pool: Pool) -> None:
    """Nothing happens, even if the controller answers only after the start."""
    house.disconnect()
    await house.wait(minutes=3)
    await house.start_anew(NAME, timedelta(hours=30), **inputs(house))
    await house.wait(minutes=3)
    house.controller.faults.clear()
    await house.wait(minutes=3)
    assert not house.waiting
    assert not pool.pump.running
