"""Run the pump on solar surplus."""

# The pool changes behind the type checker's back.
# mypy: no-warn-unreachable

from datetime import timedelta
from typing import Any
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import Platform
import pytest

from tests.world.assistant.platforms import only
from tests.world.simulator.pool import Pool

from .conftest import House, by_hand, rule

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


async def start(house: House) -> None:
    """Let the pump begin to run on surplus."""
    meter(house, 0)
    await house.automate(NAME, **inputs(house))
    meter(house, 2000)
    await house.wait(minutes=2)
    assert house.pool.slots[0].held
    assert house.pool.pump.running


async def test_surplus_comes_and_goes(house: House, pool: Pool) -> None:
    """Neither a short surplus nor a short lack of it switches the pump."""
    meter(house, 0)
    await house.automate(
        NAME,
        pump=house.entity_id("switch", "pump"),
        pump_speed=house.entity_id("number", "pump_speed"),
        speed=65,
        surplus=METER,
    )
    meter(house, 1500)
    await house.wait(minutes=4)
    meter(house, 1499)
    await house.wait(minutes=2)
    meter(house, 2000)
    await house.wait(minutes=4)
    assert not pool.pump.running
    await house.wait(minutes=2)
    assert pool.pump.running
    assert (pool.pump.speed, pool.slots[0].held) == (65, True)

    meter(house, 500)
    await house.wait(minutes=20)
    meter(house, 0)
    await house.wait(minutes=14)
    meter(house, 10)
    await house.wait(minutes=2)
    meter(house, -300)
    await house.wait(minutes=14)
    assert pool.slots[0].held
    await house.wait(minutes=2)
    assert not pool.slots[0].held
    assert not pool.pump.running
    assert house.value("switch", "pump") == "off"


@pytest.mark.parametrize(
    ("unit", "feeding_in_is_negative", "little", "enough"),
    [("kW", False, 1.4, 1.6), ("W", True, -1400, -1600), ("kW", True, 3, -1.5)],
)
async def test_what_meters_show(
    house: House,
    pool: Pool,
    unit: str,
    feeding_in_is_negative: bool,
    little: float,
    enough: float,
) -> None:
    meter(house, 0, unit)
    more = {"feeding_in_is_negative": feeding_in_is_negative}
    await house.automate(NAME, **inputs(house, **more))
    meter(house, little, unit)
    await house.wait(minutes=2)
    assert not pool.pump.running
    meter(house, enough, unit)
    await house.wait(minutes=2)
    assert pool.pump.running


async def test_a_meter_that_tells_nothing(house: House, pool: Pool) -> None:
    """No value counts as lack of surplus, so that the pump is not left on for good."""
    await start(house)
    meter(house, "unavailable")
    await house.wait(minutes=1)
    meter(house, 2000)
    await house.wait(minutes=3)
    assert pool.slots[0].held
    house.hass.states.async_remove(METER)
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_the_schedule_goes_on_afterwards(house: House, pool: Pool) -> None:
    await start(house)
    pool.schedules[0].enabled = True
    meter(house, -10)
    await house.wait(minutes=3)
    assert not pool.slots[0].held
    assert pool.pump.running
    # On surplus the pump is held, so that it does not stop with its schedule.
    meter(house, 2000)
    await house.wait(minutes=2)
    assert pool.slots[0].held


async def test_a_pump_held_off_by_hand_stays_off(house: House, pool: Pool) -> None:
    """The pump stays off until its owner gives it back."""
    await house.act("poolctl.hold", "pump", state=False, duration={"days": 1})
    await house.wait(seconds=30)
    meter(house, 0)
    await house.automate(NAME, **inputs(house))
    meter(house, 2000)
    await house.wait(minutes=5)
    assert pool.slots[0].held
    assert not pool.pump.running
    await by_hand(house, "poolctl.resume_schedule")
    assert not pool.pump.running
    await house.wait(minutes=1)
    assert pool.pump.running


async def test_switched_off_by_hand_while_it_runs(house: House, pool: Pool) -> None:
    await start(house)
    await by_hand(house, "switch.turn_off")
    await house.wait(minutes=5)
    assert not pool.pump.running
    assert not house.waiting
    meter(house, 0)
    await house.wait(minutes=3)
    meter(house, 2000)
    await house.wait(minutes=7)
    assert pool.pump.running  # there is surplus again


async def test_a_controller_that_is_lost_meanwhile(house: House, pool: Pool) -> None:
    """The pump is given back once the controller answers again."""
    await start(house)
    house.disconnect()
    meter(house, 0)
    await house.wait(minutes=8)
    assert house.state_of(inputs(house)["pump"]).state == "unavailable"
    assert pool.slots[0].held
    house.reconnect()
    await house.wait(minutes=6)
    assert not pool.slots[0].held


async def test_surplus_comes_while_the_controller_is_away(
    house: House, pool: Pool
) -> None:
    meter(house, 0)
    await house.automate(NAME, **inputs(house))
    house.disconnect()
    await house.wait(minutes=3)
    meter(house, 2000)
    await house.wait(minutes=3)
    house.controller.faults.clear()
    await house.wait(minutes=2)
    assert pool.pump.running


async def test_a_controller_that_refuses(house: House, pool: Pool) -> None:
    """The automation ends; the next surplus starts the pump."""
    meter(house, 0)
    await house.automate(NAME, **inputs(house))
    house.controller.faults.on("decline")
    meter(house, 2000)
    await house.wait(minutes=3)
    assert not pool.pump.running
    assert not house.waiting
    house.controller.faults.clear()
    for power in (0, 2000):
        meter(house, power)
        await house.wait(minutes=2)
    assert pool.pump.running


# Starting anew


async def test_a_moment_of_surplus_at_the_start(house: House, pool: Pool) -> None:
    meter(house, 2000)
    await house.start_anew(NAME, timedelta(days=2), **inputs(house))
    await house.wait(seconds=30)
    meter(house, 100)
    await house.wait(minutes=5)
    assert not pool.pump.running


async def test_the_integration_is_loaded_anew(house: House, pool: Pool) -> None:
    """The automation goes on waiting after the reload."""
    await start(house)
    await house.hass.config_entries.async_reload(house.entry.entry_id)
    await house.wait(minutes=3)
    assert pool.slots[0].held
    meter(house, 0)
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_the_automation_is_edited_while_the_pump_runs(
    house: House, pool: Pool
) -> None:
    """The reload ends the wait of the automation; the new one takes over."""
    await start(house)
    edited = {AUTOMATION: [rule(NAME, inputs(house, stop_at=200))]}
    with patch("homeassistant.config.load_yaml_config_file", return_value=edited):
        await house.hass.services.async_call(AUTOMATION, "reload", blocking=True)
    await house.wait(minutes=3)
    assert pool.slots[0].held
    meter(house, 150)
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_another_automation_is_edited(house: House, pool: Pool) -> None:
    """A pump that its owner switched on afterwards stays on."""
    await start(house)
    meter(house, 0)
    await house.wait(minutes=15)
    assert not pool.slots[0].held
    await by_hand(house, "switch.turn_on")
    house.hass.bus.async_fire("automation_reloaded")
    await house.wait(minutes=5)
    assert pool.slots[0].held


# A minimum a day

RUNTIME = "sensor.runtime"


def runtime(house: House, hours: float | str, unit: str = "h") -> None:
    """Set the hours that the sensor of the pump's runtime shows."""
    house.hass.states.async_set(RUNTIME, str(hours), {"unit_of_measurement": unit})


@pytest.mark.freeze_time("2026-07-01 22:30:00+00:00")  # 15:30
@pytest.mark.parametrize(
    ("shown", "unit"), [(1, "h"), (60, "min"), (3600, "s"), (1 / 24, "d")]
)
async def test_hours_that_are_missing(
    house: House, pool: Pool, shown: float, unit: str
) -> None:
    """3 hours are missing at 20:00: from 17:00 on the pump runs for them."""
    meter(house, 0)
    runtime(house, shown, unit)
    more = {"minimum": 4, "runtime": RUNTIME, "reached_by": "20:00:00"}
    await house.automate(NAME, **inputs(house, **more))
    await house.wait(minutes=89)
    assert not pool.pump.running
    await house.wait(minutes=4, step=60)
    assert pool.pump.running
    # Neither the lack of surplus nor a meter without a value ends that.
    meter(house, "unavailable")
    await house.wait(minutes=10)
    assert pool.pump.running
    runtime(house, 4)
    await house.wait(minutes=4, step=60)
    assert not pool.pump.running
    assert not pool.slots[0].held


@pytest.mark.freeze_time("2026-07-02 00:30:00+00:00")  # 17:30
@pytest.mark.parametrize(
    ("minimum", "shown"), [(0, 0), (4, 4), (4, "unavailable"), (4, 1.6)]
)
async def test_no_hours_are_missing(
    house: House, pool: Pool, minimum: float, shown: float | str
) -> None:
    """No minimum is set, it is reached, its sensor fails, or there is still time."""
    meter(house, 0)
    runtime(house, shown)
    more = {"minimum": minimum, "runtime": RUNTIME}
    await house.automate(NAME, **inputs(house, **more))
    await house.wait(minutes=4, step=60)
    assert not pool.pump.running


@pytest.mark.freeze_time("2026-07-02 02:57:00+00:00")  # 19:57
async def test_when_the_day_is_over_nothing_is_caught_up(
    house: House, pool: Pool
) -> None:
    meter(house, 0)
    runtime(house, 1)
    more = {"minimum": 4, "runtime": RUNTIME}
    await house.automate(NAME, **inputs(house, **more))
    runtime(house, 0.9)
    await house.wait(minutes=12, step=60)
    assert not pool.pump.running
    assert not pool.slots[0].held
