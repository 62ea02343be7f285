"""Heat the spa by a given time."""

from datetime import timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import Platform
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from tests.integration.platforms import only
from tests.integration.service import Service
from tests.simulator.pool import SPA_HEATER, Pool

from .conftest import House

pytestmark = pytest.mark.usefixtures("quick", "at_once")
few_platforms = only(Platform.CLIMATE, Platform.SENSOR, Platform.SWITCH)

NAME = "spa_ready_at"
PUMP, SPA_RETURN = 0, 10
"""Slots of the full pool."""


@pytest.fixture(autouse=True)
def friday(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to("2026-11-20 14:00:00-08:00")


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the full pool, whose water only gets warmer by what a test says."""
    found = service.full.pool
    found.update()
    found.water.temperature, found.water.drift = 26.45, 0.0
    return found


@pytest.fixture
def house(full: House) -> House:
    return full


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return what a person fills in."""
    return {
        "spa_mode": house.entity_id("switch", "spa_mode"),
        "spa": house.entity_id("climate", "spa"),
        "pump": house.entity_id("switch", "pump"),
        "water": house.entity_id("sensor", "water_temperature"),
        **more,
    }


async def until(house: House, hour: int, minute: int = 0, day: int = 20) -> None:
    """Let time pass until a time of the day."""
    then = dt_util.now().replace(day=day, hour=hour, minute=minute, second=0)
    assert then > dt_util.now()
    await house.wait(seconds=(then - dt_util.now()).total_seconds())


def on(pool: Pool) -> bool:
    """Tell whether the spa is held on by hand."""
    pool.update()
    return pool.spa_mode and pool.slots[SPA_RETURN].held


def spa_heats(pool: Pool) -> bool:
    """Tell whether the spa's heater may run."""
    return bool(int(pool.settings["heating"]) & SPA_HEATER)


async def test_warm_in_time_and_off_again(house: House, pool: Pool) -> None:
    """From 26.4 to 36 °C, at 3 °C an hour, and a quarter of an hour: at 14:33."""
    await house.automate(NAME, **inputs(house))
    await until(house, 14, 31)
    assert not on(pool)
    await until(house, 14, 36)
    assert on(pool)
    assert pool.slots[PUMP].held
    assert pool.heaters["spa"]
    assert house.value("climate", "spa") == "heat"

    pool.water.temperature = 36.2
    await until(house, 20, 58)
    assert on(pool)
    await until(house, 21, 3)
    assert not on(pool)
    assert not pool.slots[PUMP].held
    assert pool.pump.mode == 1
    assert spa_heats(pool)
    assert not house.waiting


async def test_heating_is_as_it_was_before(house: House, pool: Pool) -> None:
    pool.settings["heating"] = 0
    await house.wait(minutes=1)
    await house.automate(
        NAME, **inputs(house, heat_to="temperature", target=37, off_after=1)
    )
    await until(house, 14, 20)
    assert on(pool)
    assert spa_heats(pool)
    assert pool.settings["spa_target"] == 37
    await until(house, 19, 10)
    assert not on(pool)
    assert not spa_heats(pool)


@pytest.mark.parametrize(
    ("temperature", "more", "begins"),
    [
        (35.1, {}, (17, 27)),
        (39.0, {}, (17, 45)),
        (26.45, {"longest": 2, "margin": 0}, (16, 0)),
        (26.45, {"heating_rate": 6}, (16, 9)),
        (26.45, {"ready_at": "00:30:00", "weekdays": ["sat"]}, (21, 3)),
    ],
)
async def test_when_to_begin(
    house: House,
    pool: Pool,
    temperature: float,
    more: dict[str, Any],
    begins: tuple[int, int],
) -> None:
    pool.water.temperature = temperature
    await house.wait(minutes=1)
    await house.automate(NAME, **inputs(house, **more))
    hour, minute = begins
    before = dt_util.now().replace(hour=hour, minute=minute) - timedelta(minutes=2)
    await until(house, before.hour, before.minute)
    assert not on(pool)
    await house.wait(minutes=4)
    assert on(pool)


async def test_in_fahrenheit(home: House, pool: Pool) -> None:
    """From 79.5 to 100 °F, at 6 °F an hour: at 14:20."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    await home.automate(
        NAME, **inputs(home, heating_rate=6, heat_to="temperature", target=100)
    )
    await until(home, 14, 16)
    assert not on(pool)
    await until(home, 14, 24)
    assert on(pool)
    assert pool.settings["spa_target"] == 38


async def test_the_temperature_of_the_water_is_not_known(
    house: House, pool: Pool
) -> None:
    """It begins as early as may be."""
    more = {"water": "sensor.nowhere", "longest": 3}
    await house.automate(NAME, **inputs(house, **more))
    await until(house, 14, 43)
    assert not on(pool)
    await until(house, 14, 48)
    assert on(pool)


async def test_another_day(house: House, pool: Pool) -> None:
    await house.automate(NAME, **inputs(house, weekdays=["thu", "sat"]))
    await until(house, 18, 10)
    assert not on(pool)
    await until(house, 14, 40, day=21)
    assert on(pool)


async def test_somebody_switches_it_off(house: House, pool: Pool) -> None:
    """It stays off until the next time; the pump goes back to its schedule."""
    await house.automate(NAME, **inputs(house))
    await until(house, 14, 40)
    assert on(pool)
    await house.act("switch.turn_off", "spa_mode")
    await until(house, 14, 50)
    assert not pool.slots[PUMP].held
    await until(house, 18, 10)
    assert not pool.spa_mode
    await until(house, 14, 40, day=21)
    assert on(pool)


async def test_somebody_uses_it_already(house: House, pool: Pool) -> None:
    await house.act("switch.turn_on", "spa_mode")
    await house.automate(NAME, **inputs(house, off_after=1))
    await until(house, 20)
    assert on(pool)
    assert not pool.slots[PUMP].held


async def test_the_pump_was_switched_off_by_hand(house: House, pool: Pool) -> None:
    """Nothing is done without it; it may be given back in time."""
    await house.act("switch.turn_off", "pump")
    await house.automate(NAME, **inputs(house))
    await until(house, 15)
    assert not on(pool)
    assert not pool.pump.running
    await house.act("poolctl.resume_schedule", "pump")
    await house.wait(minutes=2)
    assert on(pool)


async def test_the_pump_was_switched_on_by_hand(house: House, pool: Pool) -> None:
    """It stays so."""
    await house.act("switch.turn_on", "pump")
    await house.wait(seconds=30)
    await house.automate(NAME, **inputs(house, off_after=1))
    await until(house, 18, 30)
    assert on(pool)
    await until(house, 19, 10)
    assert not on(pool)
    assert pool.slots[PUMP].held


async def test_what_had_the_pump_gives_it_back(house: House, pool: Pool) -> None:
    """Such as the surplus that another automation ran it on has ended."""
    await house.act("switch.turn_on", "pump")
    await house.wait(seconds=30)
    await house.automate(NAME, **inputs(house, off_after=1))
    await until(house, 15)
    pool.schedules[0].enabled = False
    await house.act("poolctl.resume_schedule", "pump")
    await house.wait(minutes=5)
    assert pool.pump.running
    assert pool.slots[PUMP].held
    await until(house, 19, 10)
    assert not on(pool)
    assert not pool.slots[PUMP].held


async def test_it_is_left_on(house: House, pool: Pool) -> None:
    await house.automate(NAME, **inputs(house, off_after=0))
    await until(house, 14, 40)
    assert on(pool)
    assert not house.waiting
    await until(house, 12, day=21)
    assert on(pool)


async def test_a_controller_that_refuses(house: House, pool: Pool) -> None:
    """It is asked again until it is too late."""
    house.controller.faults.on("decline")
    await house.automate(NAME, **inputs(house))
    await until(house, 14, 50)
    house.controller.faults.clear()
    assert not on(pool)
    await until(house, 15, 0)
    assert on(pool)


async def test_a_controller_that_is_lost_when_it_should_be_off(
    house: House, pool: Pool
) -> None:
    await house.automate(NAME, **inputs(house))
    await until(house, 20, 50)
    house.disconnect()
    await until(house, 21, 20)
    assert on(pool)
    house.reconnect()
    await until(house, 21, 40)
    assert not on(pool)
    assert not pool.slots[PUMP].held


async def test_without_the_lan_it_is_left_alone(home: House, pool: Pool) -> None:
    """Nobody could give it back; the cloud does not know the thermostat either."""
    home.own(home.service.full)
    await home.set_up()
    pump = home.entity_id("switch", "pump")
    spa_mode = home.entity_id("switch", "spa_mode")
    water = home.entity_id("sensor", "water_temperature")
    await home.automate(
        NAME, pump=pump, spa_mode=spa_mode, water=water, spa="climate.nowhere"
    )
    await until(home, 18)
    assert not on(pool)


# Starting anew


async def test_started_in_time(house: House, pool: Pool) -> None:
    """Home Assistant was not there when it was time to begin."""
    house.freezer.move_to("2026-11-20 16:00:00-08:00")
    await house.start_anew(NAME, timedelta(days=1), **inputs(house))
    await house.wait(minutes=1)
    assert on(pool)


async def test_started_too_late(house: House, pool: Pool) -> None:
    house.freezer.move_to("2026-11-20 18:05:00-08:00")
    await house.start_anew(NAME, timedelta(days=1), **inputs(house))
    await house.wait(minutes=10)
    assert not on(pool)


@pytest.mark.parametrize(
    ("hour", "ran_at", "stays_until"),
    [(16, 15, 21), (19, 15, 21), (20, 19, 21), (22, 15, None), (16, None, None)],
)
async def test_what_was_left_over_by_a_restart(
    house: House, pool: Pool, hour: int, ran_at: int | None, stays_until: int | None
) -> None:
    """It is switched off as it would have been, or at once if that is past.

    What this did not switch on lately stays on.
    """
    for key in ("spa_mode", "pump"):
        await house.act("switch.turn_on", key)
    house.freezer.move_to(f"2026-11-20 {hour}:00:00-08:00")
    ago = timedelta(hours=hour - ran_at) if ran_at else timedelta(days=2)
    await house.start_anew(NAME, ago, **inputs(house))
    await house.wait(minutes=2)
    if stays_until is not None:
        await until(house, stays_until - 1, 58)
        assert on(pool)
        await until(house, stays_until, 3)
    else:
        await house.wait(minutes=5)
    assert on(pool) is (ran_at is None)
    assert pool.slots[PUMP].held is (ran_at is None)


async def test_somebody_had_switched_it_off_before_a_restart(
    house: House, pool: Pool
) -> None:
    await house.act("switch.turn_off", "spa_mode")
    house.freezer.move_to("2026-11-20 17:00:00-08:00")
    await house.start_anew(NAME, timedelta(hours=2), **inputs(house))
    await house.wait(minutes=30)
    assert not on(pool)


# The rate that was learned


async def learn(house: House, pool: Pool, per_hour: float) -> None:
    """Let the spa warm at a rate (°C an hour) for an hour, and cool down again."""
    await house.act("switch.turn_on", "spa_mode")
    for minute in range(64):
        pool.water.temperature = 26.45 + per_hour * minute / 60
        await house.wait(minutes=1, step=60)
    await house.act("switch.turn_off", "spa_mode")
    await house.act("poolctl.resume_schedule", "spa_mode")
    pool.water.temperature = 26.45
    await house.wait(minutes=1)


@pytest.mark.parametrize(
    ("per_hour", "more", "begins"),
    [
        (6.0, {}, (18, 9)),
        (6.0, {"heating_rate": 12}, (18, 9)),
        (2.4, {"longest": 12, "margin": 30}, (15, 31)),
    ],
)
async def test_the_rate_was_learned(
    house: House,
    pool: Pool,
    per_hour: float,
    more: dict[str, Any],
    begins: tuple[int, int],
) -> None:
    """From 26.4 to 36 °C as fast as the spa was heated before, whatever a person said."""
    await learn(house, pool, per_hour)
    await house.automate(NAME, **inputs(house, ready_at="20:00:00", **more))
    hour, minute = begins
    await until(house, hour, minute - 4)
    assert not on(pool)
    await until(house, hour, minute + 4)
    assert on(pool)


async def test_the_thermostat_is_not_there_yet(house: House, pool: Pool) -> None:
    """What a person said counts; there is no target, but one of the automation."""
    await learn(house, pool, 6.0)
    spa = house.entity_id("climate", "spa")
    house.hass.states.async_set(spa, "unavailable")
    await house.automate(
        NAME, **inputs(house, heat_to="temperature", target=36, ready_at="20:00:00")
    )
    await until(house, 16, 31)
    assert not on(pool)
    await until(house, 16, 36)
    assert on(pool)
