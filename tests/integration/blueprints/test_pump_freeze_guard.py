"""Freeze guard."""

# The pool changes behind the type checker's back.
# mypy: no-warn-unreachable

from datetime import timedelta
from typing import Any

from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.integration.conftest import Service, entity_id, set_up
from tests.simulator.pool import Pool

from .conftest import House

pytestmark = pytest.mark.usefixtures("quick", "at_once")

NAME = "pump_freeze_guard"
GARDEN = "sensor.garden"
LATELY, LONG_AGO = timedelta(hours=30), timedelta(days=8)


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the small pool in autumn, whose pump no schedule runs."""
    found = service.small.pool
    found.schedules[0].enabled = False
    found.water.ambient = 8.0
    service.clock.advance(300)
    found.update()
    assert not found.pump.running
    return found


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return what a person who has little patience fills in."""
    small = house.service.small
    return {
        "pump": entity_id(house.hass, "switch", small, "pump"),
        "thermometers": [entity_id(house.hass, "sensor", small, "ambient_temperature")],
        "start_after": {"minutes": 1},
        "stop_after": {"minutes": 2},
        **more,
    }


async def by_hand(house: House, action: str) -> None:
    """Do something with the pump's switch."""
    await house.act(action, house.service.small, "pump")
    await house.wait(seconds=30)


async def start(house: House, **more: Any) -> None:
    """Let the freeze guard run the pump."""
    await house.automate(NAME, **inputs(house, **more))
    house.service.small.pool.water.ambient = 1.0
    await house.wait(minutes=2)
    assert house.service.small.pool.slots[0].held
    assert house.service.small.pool.pump.running


async def test_a_cold_night(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    """What is given back has been warm for a while: not each degree switches it."""
    air = entity_id(hass, "sensor", service.small, "ambient_temperature")
    await house.automate(
        NAME,
        pump=entity_id(hass, "switch", service.small, "pump"),
        pump_speed=entity_id(hass, "number", service.small, "pump_speed"),
        thermometers=[air],
    )
    pool.water.ambient = 2.1
    await house.wait(minutes=7)
    pool.water.ambient = 2.0
    await house.wait(minutes=4)
    assert not pool.pump.running
    await house.wait(minutes=2)
    assert pool.pump.running
    assert (pool.pump.speed, pool.slots[0].held) == (50, True)

    pool.water.ambient = 3.9
    await house.wait(minutes=40, step=60)
    pool.water.ambient = 4.0
    await house.wait(minutes=25, step=60)
    pool.water.ambient = 3.0
    await house.wait(minutes=2, step=60)
    pool.water.ambient = 6.0
    await house.wait(minutes=25, step=60)
    assert pool.slots[0].held
    await house.wait(minutes=7, step=60)
    assert not pool.slots[0].held
    assert not pool.pump.running
    assert not house.waiting


async def test_the_coldest_thermometer_counts(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    """Whatever unit it shows; one that shows nothing does not count."""

    def garden(temperature: float | str) -> None:
        unit = {"unit_of_measurement": "°F"}
        hass.states.async_set(GARDEN, str(temperature), unit)

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


async def test_no_thermometer_tells_anything(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    """The pump stays as it is."""
    await start(house)
    pool.water.ambient = 0.0  # not fitted, on the wire
    await house.wait(minutes=10)
    assert pool.slots[0].held
    pool.water.ambient = 9.0
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_a_schedule_runs_the_pump(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    """It is taken when the schedule ends, and not before."""
    pool.schedules[0].enabled = True
    await house.automate(NAME, **inputs(house))
    pool.water.ambient = 1.0
    await house.wait(minutes=3)
    assert pool.pump.mode == 1
    pool.schedules[0].enabled = False
    await house.wait(minutes=1)
    assert pool.pump.running
    assert pool.slots[0].held


async def test_a_schedule_runs_all_the_time(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    pool.schedules[0].enabled = True
    await house.automate(NAME, **inputs(house))
    pool.water.ambient = 1.0
    await house.wait(minutes=3)
    pool.water.ambient = 9.0
    await house.wait(minutes=3)
    assert pool.pump.mode == 1
    assert not house.waiting


async def test_somebody_gives_the_pump_back_in_the_cold(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    """Such as the surplus that another automation ran it on has ended."""
    await by_hand(house, "turn_on")
    await house.automate(NAME, **inputs(house))
    pool.water.ambient = 1.0
    await house.wait(minutes=3)
    await by_hand(house, "poolctl.resume_schedule")
    await house.wait(minutes=1)
    assert pool.slots[0].held
    assert pool.pump.running


async def test_a_pump_switched_on_by_hand_stays_on(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    await by_hand(house, "turn_on")
    await house.automate(NAME, **inputs(house))
    for temperature in (1.0, 9.0):
        pool.water.ambient = temperature
        await house.wait(minutes=5)
    assert pool.slots[0].held
    assert pool.pump.running


@pytest.mark.parametrize("although", [False, True])
async def test_a_pump_switched_off_by_hand(
    hass: HomeAssistant,
    small: MockConfigEntry,
    pool: Pool,
    house: House,
    although: bool,
) -> None:
    """It may be drained: only its owner can know."""
    await by_hand(house, "turn_off")
    await house.automate(NAME, **inputs(house, although_off_by_hand=although))
    pool.water.ambient = 1.0
    await house.wait(minutes=5)
    assert pool.pump.running is although
    assert pool.slots[0].held


async def test_switched_off_by_hand_while_it_runs(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    await start(house)
    await by_hand(house, "turn_off")
    await house.wait(minutes=5)
    assert not pool.pump.running
    pool.water.ambient = 9.0
    await house.wait(minutes=5)
    assert pool.slots[0].held
    assert not pool.pump.running


async def test_a_controller_that_refuses(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    """It is asked again, but not all the time."""
    await house.automate(NAME, **inputs(house))
    service.small.faults.on("decline")
    pool.water.ambient = 1.0
    await house.wait(minutes=7)
    asked = [r for r in service.small.requests if r.name == "cmd"]
    assert len(asked) == 2
    assert not pool.pump.running
    service.small.faults.clear()
    await house.wait(minutes=6)
    assert pool.pump.running


async def test_it_gets_cold_again_before_the_pump_could_be_given_back(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    """The pump is not given back then, but kept until it is warm."""
    air = "sensor.garden"
    hass.states.async_set(air, "8")
    await house.automate(NAME, **inputs(house, thermometers=[air]))
    hass.states.async_set(air, "1")
    await house.wait(minutes=2)
    assert pool.slots[0].held
    service.small.faults.on("refuse")
    service.cloud.faults.on("refuse")
    hass.states.async_set(air, "8")
    await house.wait(minutes=5)
    hass.states.async_set(air, "1")
    await house.wait(minutes=5)
    service.small.faults.clear()
    await house.wait(minutes=20)
    assert pool.slots[0].held
    assert pool.pump.running
    hass.states.async_set(air, "8")
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_without_the_lan_it_is_left_alone(
    hass: HomeAssistant, service: Service, credentials: None, pool: Pool, house: House
) -> None:
    """Nobody could give it back."""
    service.account.sites = service.account.sites[:1]
    await set_up(hass, service, service.entry())
    hass.states.async_set(GARDEN, "8")
    pump = entity_id(hass, "switch", service.small, "pump")
    await house.automate(NAME, pump=pump, thermometers=[GARDEN])
    hass.states.async_set(GARDEN, "-8")
    await house.wait(minutes=10)
    assert not pool.pump.running


# Starting anew


async def test_cold_at_the_start(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    pool.water.ambient = 1.0
    await house.wait(seconds=30)
    await house.start_anew(NAME, LONG_AGO, **inputs(house))
    await house.wait(minutes=1)
    assert pool.slots[0].held
    pool.water.ambient = 9.0
    await house.wait(minutes=3)
    assert not pool.slots[0].held


@pytest.mark.parametrize(("last_run", "ours"), [(LATELY, True), (LONG_AGO, False)])
@pytest.mark.parametrize("temperature", [1.0, 9.0])
async def test_what_was_left_over_by_a_restart(
    hass: HomeAssistant,
    small: MockConfigEntry,
    pool: Pool,
    house: House,
    temperature: float,
    last_run: timedelta,
    ours: bool,
) -> None:
    """A pump that runs by hand is given back if this ran within the last week."""
    await by_hand(house, "turn_on")
    pool.water.ambient = temperature
    await house.wait(seconds=30)
    await house.start_anew(NAME, last_run, **inputs(house))
    await house.wait(minutes=1)
    assert pool.slots[0].held
    pool.water.ambient = 9.0
    await house.wait(minutes=4)
    assert pool.slots[0].held is not ours
    assert pool.pump.running is not ours


async def test_a_restart_in_hard_frost(
    hass: HomeAssistant, small: MockConfigEntry, pool: Pool, house: House
) -> None:
    """The controller's thermometer tells nothing: the pump that ran runs on."""
    await by_hand(house, "turn_on")
    pool.water.ambient = 0.0
    await house.wait(seconds=30)
    await house.start_anew(NAME, LATELY, **inputs(house))
    await house.wait(minutes=10)
    assert pool.slots[0].held
    pool.water.ambient = 9.0
    await house.wait(minutes=3)
    assert not pool.slots[0].held


async def test_a_restart_when_it_is_warm(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    """Nothing happens, also if all is found only after the start."""
    service.small.faults.on("refuse")
    service.cloud.faults.on("refuse")
    await house.wait(minutes=3)
    await house.start_anew(NAME, LATELY, **inputs(house))
    await house.wait(minutes=3)
    service.small.faults.clear()
    await house.wait(minutes=3)
    assert not house.waiting
    assert not pool.pump.running


async def test_what_was_left_over_is_found_after_the_start(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    pool: Pool,
    house: House,
) -> None:
    await by_hand(house, "turn_on")
    service.small.faults.on("refuse")
    service.cloud.faults.on("refuse")
    await house.wait(minutes=3)
    await house.start_anew(NAME, LATELY, **inputs(house))
    await house.wait(minutes=3)
    service.small.faults.clear()
    await house.wait(minutes=4)
    assert not pool.slots[0].held
