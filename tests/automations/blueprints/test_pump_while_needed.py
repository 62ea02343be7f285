"""Blueprints that run the pump while it is needed: on solar surplus, and in the cold."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import Platform
import pytest

from tests.world.assistant.home import MOST_SENT
from tests.world.assistant.platforms import only

from .conftest import House, by_hand, pump_is, rule

pytestmark = pytest.mark.usefixtures("freezer", "quick", "at_once")
few_platforms = only(Platform.NUMBER, Platform.SENSOR, Platform.SWITCH)

SENSOR = "sensor.need"


@dataclass(frozen=True, kw_only=True)
class Need:
    """A blueprint, the input for its sensor, and values with and without a need."""

    name: str
    sensor: dict[str, Any]
    yes: float
    no: float
    waits: bool
    """Whether the need must last before the pump runs after a start, too."""
    remembers: timedelta
    """How long ago it may have run to have left the pump on."""

    async def show(self, house: House, needed: bool, minutes: float = 0) -> str:
        """Show a need for some minutes; return what the pump does then."""
        house.hass.states.async_set(SENSOR, str(self.yes if needed else self.no))
        await house.wait(minutes=minutes)
        return pump_is(house)

    def inputs(self, house: House, **more: Any) -> dict[str, Any]:
        """Return the inputs that a user fills in, with short delays."""
        pump = house.entity_id("switch", "pump")
        delays = {"start_after": {"minutes": 1}, "stop_after": {"minutes": 2}}
        return {"pump": pump, **delays, **self.sensor, **more}


SURPLUS = Need(
    name="pump_on_solar_surplus",
    sensor={"surplus": SENSOR},
    yes=2000,
    no=-100,
    waits=True,
    remembers=timedelta(days=1),
)
COLD = Need(
    name="pump_freeze_guard",
    sensor={"thermometers": [SENSOR]},
    yes=1,
    no=9,
    waits=False,
    remembers=timedelta(days=7),
)
LATELY, LONG_AGO = 0.9, 1.1
"""How long ago it ran, as a part of what it remembers."""


@pytest.fixture(params=(SURPLUS, COLD), ids=lambda need: need.name)
def need(request: pytest.FixtureRequest) -> Need:
    found: Need = request.param
    return found


async def test_a_pump_switched_on_by_hand_stays_on(house: House, need: Need) -> None:
    await by_hand(house, "switch.turn_on")
    await need.show(house, False)
    await house.automate(need.name, **need.inputs(house))
    for needed in (True, False):
        assert await need.show(house, needed, 5) == "held on"


@pytest.mark.usefixtures("pool")
async def test_without_the_lan_it_is_left_alone(home: House, need: Need) -> None:
    """Without the LAN the pump could not be given back, so it is not started."""
    home.own(home.service.small)
    await home.set_up()
    assert home.value("switch", "pump") == "off"
    await need.show(home, False)
    await home.automate(need.name, **need.inputs(home))
    assert await need.show(home, True, 10) == "off"


async def test_needed_at_the_start(house: House, need: Need) -> None:
    await need.show(house, True)
    await house.start_anew(need.name, LONG_AGO * need.remembers, **need.inputs(house))
    assert await need.show(house, True, 0.5) == ("off" if need.waits else "held on")
    assert await need.show(house, True, 1) == "held on"
    assert await need.show(house, False, 4) == "off"


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("needed", [True, False])
async def test_what_was_left_over_by_a_restart(
    house: House, need: Need, needed: bool, ours: bool
) -> None:
    """A pump held on is given back if the automation ran not too long ago."""
    await by_hand(house, "switch.turn_on")
    await need.show(house, needed)
    last_run = (LATELY if ours else LONG_AGO) * need.remembers
    await house.start_anew(need.name, last_run, **need.inputs(house))
    assert await need.show(house, needed, 5 if needed else 1) == "held on"
    assert await need.show(house, False, 4) == ("off" if ours else "held on")


async def test_what_was_left_over_is_found_after_the_start(
    house: House, need: Need
) -> None:
    await by_hand(house, "switch.turn_on")
    house.disconnect()
    await house.wait(minutes=3)
    await need.show(house, False)
    await house.start_anew(need.name, LATELY * need.remembers, **need.inputs(house))
    await house.wait(minutes=3)
    house.controller.faults.clear()
    assert await need.show(house, False, 4) == "off"


# Solar surplus


def meter(house: House, power: float | str, unit: str = "W") -> None:
    """Set the power that the sensor of the surplus shows."""
    attributes = {"device_class": "power", "unit_of_measurement": unit}
    house.hass.states.async_set(SENSOR, str(power), attributes)


async def begin(house: House, **more: Any) -> None:
    """Set up the automation while there is no surplus."""
    meter(house, 0)
    await house.automate(SURPLUS.name, **SURPLUS.inputs(house, **more))


async def surplus(house: House, power: float | str, minutes: float) -> str:
    """Let the surplus last for some minutes; return what the pump does then."""
    meter(house, power)
    await house.wait(minutes=minutes)
    return pump_is(house)


async def test_surplus_comes_and_goes(house: House) -> None:
    """Neither a short surplus nor a short lack of it switches the pump."""
    meter(house, 0)
    await house.automate(
        SURPLUS.name,
        pump=house.entity_id("switch", "pump"),
        pump_speed=house.entity_id("number", "pump_speed"),
        speed=65,
        surplus=SENSOR,
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
    house: House, unit: str, feeding_in_is_negative: bool, little: float, enough: float
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
    house.hass.states.async_remove(SENSOR)
    await house.wait(minutes=3)
    assert pump_is(house) == "off"
    # On surplus the pump is held, so that it does not stop with its schedule.
    house.pool.schedules[0].enabled = True
    assert await surplus(house, 2000, 2) == "held on"
    assert await surplus(house, -10, 3) == "on"
    assert await surplus(house, 2000, 2) == "held on"


async def test_switched_off_by_hand_on_surplus(house: House) -> None:
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


async def test_a_controller_that_refuses_on_surplus(house: House) -> None:
    """The automation ends; the next surplus starts the pump."""
    await begin(house)
    house.controller.faults.on("decline")
    assert await surplus(house, 2000, 3) == "off"
    assert not house.waiting
    house.controller.faults.clear()
    assert await surplus(house, 0, 2) == "off"
    assert await surplus(house, 2000, 2) == "held on"


async def test_a_moment_of_surplus_at_the_start(house: House) -> None:
    meter(house, 2000)
    await house.start_anew(SURPLUS.name, timedelta(days=2), **SURPLUS.inputs(house))
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
    inputs = SURPLUS.inputs(house, stop_at=200)
    edited = {AUTOMATION: [rule(SURPLUS.name, inputs)]}
    with patch("homeassistant.config.load_yaml_config_file", return_value=edited):
        await house.hass.services.async_call(AUTOMATION, "reload", blocking=True)
    assert await surplus(house, 2000, 3) == "held on"
    assert await surplus(house, 150, 3) == "off"
    # When another one is edited, a pump that its owner switched on stays on.
    await house.wait(minutes=15)
    await by_hand(house, "switch.turn_on")
    house.hass.bus.async_fire("automation_reloaded")
    assert await surplus(house, 150, 5) == "held on"


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


# Cold

LONG_HOLD: dict[str, Any] = {"state": False, "duration": {"days": 90}}


async def guard(house: House, **more: Any) -> None:
    """Set up the automation, by default with the controller's own thermometer."""
    await house.automate(COLD.name, **COLD.inputs(house, **own(house), **more))


async def start_guard(house: House) -> None:
    """Start Home Assistant with the automation, which ran 30 hours ago."""
    inputs = COLD.inputs(house, **own(house))
    await house.start_anew(COLD.name, timedelta(hours=30), **inputs)


def own(house: House) -> dict[str, list[str]]:
    return {"thermometers": [house.entity_id("sensor", "ambient_temperature")]}


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
    house.hass.states.async_set(SENSOR, str(temperature), attributes)
    await house.wait(minutes=minutes)
    return pump_is(house)


async def test_a_cold_night(house: House) -> None:
    """The pump is given back after a while of warmth: not each degree switches it."""
    await house.automate(
        COLD.name,
        pump=house.entity_id("switch", "pump"),
        pump_speed=house.entity_id("number", "pump_speed"),
        **own(house),
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
    await guard(house, cold_at=36, warm_at=39)
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
    both = [*own(house)["thermometers"], SENSOR]
    await house.automate(COLD.name, **COLD.inputs(house, thermometers=both))
    assert await garden(house, 40, 2, "°F") == "off"
    assert await garden(house, 35, 2, "°F") == "held on"
    assert await garden(house, "unavailable", 4) == "off"


async def test_schedules(house: House) -> None:
    """The pump is held when its schedule ends in the cold, and not before."""
    house.pool.schedules[0].enabled = True
    await guard(house)
    for celsius in (1.0, 9.0, 1.0):
        assert await air(house, celsius, 3) == "on"
        assert house.waiting is (celsius == 1.0)
    house.pool.schedules[0].enabled = False
    assert await air(house, 1.0, 1) == "held on"


async def test_somebody_gives_the_pump_back_in_the_cold(house: House) -> None:
    """The pump is held again, for example after a run on surplus has ended."""
    await by_hand(house, "switch.turn_on")
    await guard(house)
    assert await air(house, 1.0, 3) == "held on"
    await by_hand(house, "poolctl.resume_schedule")
    assert await air(house, 1.0, 1) == "held on"


@pytest.mark.parametrize("although", [False, True])
async def test_a_pump_held_off_by_hand(house: House, although: bool) -> None:
    """The pump may be drained, so only its owner can allow a start."""
    await by_hand(house, "poolctl.hold", **LONG_HOLD)
    await guard(house, although_off_by_hand=although)
    assert await air(house, 1.0, 5) == ("held on" if although else "held off")


async def test_switched_off_by_hand_while_it_runs(house: House) -> None:
    """Only a pump that is held off stays off; otherwise the cold starts it again."""
    await guard(house)
    assert await air(house, 1.0, 2) == "held on"
    await by_hand(house, "switch.turn_off")
    assert await air(house, 1.0, 6) == "held on"
    await by_hand(house, "poolctl.hold", **LONG_HOLD)
    for celsius in (1.0, 9.0):
        assert await air(house, celsius, 5) == "held off"


async def test_a_controller_that_refuses(house: House) -> None:
    """The command is sent again, but not all the time."""
    await guard(house)
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
    await house.automate(COLD.name, **COLD.inputs(house))
    assert await garden(house, 1, 2) == "held on"
    house.disconnect()
    await garden(house, 8, 5)
    await garden(house, 1, 5)
    house.controller.faults.clear()
    assert await garden(house, 1, 20) == "held on"
    assert await garden(house, 8, 3) == "off"


@pytest.mark.parametrize("restarts", [False, True])
async def test_hard_frost(house: House, restarts: bool) -> None:
    """The thermometer of the controller has no value: the pump stays as it is."""
    if restarts:
        await by_hand(house, "switch.turn_on")
        await air(house, 0.0, 0.5)
        await start_guard(house)
    else:
        await guard(house)
        assert await air(house, 1.0, 2) == "held on"
    assert await air(house, 0.0, 10) == "held on"
    assert await air(house, 9.0, 3) == "off"


async def test_a_restart_when_it_is_warm(house: House) -> None:
    """Nothing happens, even if the controller answers only after the start."""
    house.disconnect()
    await house.wait(minutes=3)
    await start_guard(house)
    await house.wait(minutes=3)
    house.controller.faults.clear()
    await house.wait(minutes=3)
    assert not house.waiting
    assert pump_is(house) == "off"
