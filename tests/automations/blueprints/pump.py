"""Blueprints that run the pump while it is needed: on solar surplus, and in the cold."""

from datetime import timedelta

from homeassistant.const import Platform

from tests.world.assistant.home import MOST_SENT

from .house import (
    Blueprint,
    ByHand,
    Change,
    Happening,
    House,
    another_edited,
    by_hand,
    check,
    edited,
    passes,
    refuses,
    restarted,
    shows,
    water,
)

PUMP, SPEED = "switch.home_pool_pump", "number.home_pool_pump_target_speed"
NEED, RUNTIME = "sensor.need", "sensor.runtime"
OWN_THERMOMETER = "sensor.home_pool_air_temperature"
QUICKLY = {"start_after": {"minutes": 1}, "stop_after": {"minutes": 2}}
USUAL = dict.fromkeys(QUICKLY)
"""The waiting times of a user who leaves them as they are."""
ON, OFF = by_hand("switch.turn_on"), by_hand("switch.turn_off")
HELD_OFF = by_hand("poolctl.hold", state=False, duration={"days": 90})
RESUMED = by_hand("poolctl.resume_schedule")
NUMBERS_TOO = (Platform.NUMBER, Platform.SENSOR, Platform.SWITCH)


def autumn(house: House) -> None:
    """Let it be cool; the pump has no schedule and is off."""
    house.pool.schedules[0].enabled = False
    house.pool.water.ambient = 8.0
    house.clock.advance(300)
    assert not house.pool.pump.running


def pump_is(house: House) -> str:
    """Return `on` or `off`, after `held` if the pump is held by hand."""
    held = "held " if house.pool.slots[0].held else ""
    return held + ("on" if house.pool.pump.running else "off")


def schedule(armed: bool) -> Happening:
    """Let the schedule run the pump all day, or not at all."""

    def change(house: House) -> None:
        house.pool.schedules[0].enabled = armed

    return change


def speed(house: House) -> float:
    return house.pool.pump.speed


# On solar surplus


def meter(power: float | str, unit: str = "W") -> Happening:
    return shows(NEED, power, device_class="power", unit_of_measurement=unit)


def runtime(hours: float | str, unit: str = "h") -> Happening:
    """Let the sensor of the pump's runtime today show hours."""
    return shows(RUNTIME, hours, unit_of_measurement=unit)


def at_least(hours: float) -> Happening:
    return edited(minimum=hours, runtime=RUNTIME)


def no_meter(house: House) -> None:
    house.hass.states.async_remove(NEED)


SURPLUS = Blueprint(
    name="pump_on_solar_surplus",
    platforms=NUMBERS_TOO,
    prepare=autumn,
    inputs={"pump": PUMP, "surplus": NEED, **QUICKLY},
    shows=pump_is,
    starts=Change(meter(2000), 0.5, 2),
    stops=Change(meter(0), 1, 3),
    rests="off",
    acts="held on",
    on_by_hand=ByHand(ON, "held on", "held on"),
    off_by_hand=ByHand(OFF, "off", "off"),
    given_back=RESUMED,
    remembers=timedelta(days=0.9),
    forgets=timedelta(days=1.1),
    cloud_only=(passes, "off"),
    own={
        "neither a short surplus nor a short lack of it switches the pump": (
            (edited(pump_speed=SPEED, speed=65, **USUAL), 0, "off"),
            (meter(1500), 4, "off"),
            (meter(1499), 2, "off"),
            (meter(2000), 4, "off"),
            (meter(2000), 2, "held on"),
            (check(speed, 65), 0, "held on"),
            (meter(500), 20, "held on"),
            (meter(0), 14, "held on"),
            (meter(10), 2, "held on"),
            (meter(-300), 14, "held on"),
            (meter(-300), 2, "off"),
        ),
        "a meter that shows fed-in power as negative": (
            (edited(feeding_in_is_negative=True), 0, "off"),
            (meter(-1400), 2, "off"),
            (meter(-1600), 2, "held on"),
            (meter(0), 3, "off"),
            (meter(3, "kW"), 2, "off"),
            (meter(-1.5, "kW"), 2, "held on"),
            (meter(3, "kW"), 3, "off"),
        ),
        "no value counts as lack of surplus, so that the pump is not left on": (
            (meter(2000), 2, "held on"),
            (meter("unavailable"), 1, "held on"),
            (meter(2000), 3, "held on"),
            (no_meter, 3, "off"),
        ),
        "it is held on surplus, so that it does not stop with its schedule": (
            (schedule(True), 1, "on"),
            (meter(2000), 2, "held on"),
            (meter(-10), 3, "on"),
            (schedule(False), 5, "off"),
        ),
        "a pump that is held off stays off until its owner gives it back": (
            (HELD_OFF, 0.5, "held off"),
            (meter(2000), 5, "held off"),
            (RESUMED, 0.5, "off"),
            (passes, 1, "held on"),
            # One that is switched off while it runs waits for the next surplus.
            (OFF, 5, "off"),
            (check(House.waits, False), 0, "off"),
            (meter(0), 3, "off"),
            (meter(2000), 7, "held on"),
            (meter(0), 3, "off"),
        ),
        "a controller that refuses ends it until the next surplus": (
            (refuses, 0, "off"),
            (meter(2000), 3, "off"),
            (check(House.waits, False), 0, "off"),
            (House.reconnect, 0, "off"),
            (meter(0), 2, "off"),
            (meter(2000), 2, "held on"),
            (meter(0), 3, "off"),
        ),
        "a surplus that was there at the start must last, too": (
            (meter(2000), 0, "off"),
            (restarted(days=2), 0.5, "off"),
            (meter(100), 5, "off"),
        ),
        "it goes on when it is edited": (
            (meter(2000), 2, "held on"),
            (edited(stop_at=200), 3, "held on"),
            (meter(150), 3, "off"),
        ),
        "when another one is edited, a pump that its owner switched on stays on": (
            (passes, 15, "off"),
            (ON, 0.5, "held on"),
            (another_edited, 5, "held on"),
            (RESUMED, 0.5, "off"),
        ),
        "three hours are missing at 20:00: from 17:00 on the pump runs for them": (
            (
                edited(minimum=4, runtime=RUNTIME, reached_by="20:00:00"),
                0,
                "off",
            ),
            (runtime(1), "16:59", "off"),
            (passes, 4, "held on"),
            # Neither the lack of surplus nor a meter without a value ends that.
            (meter("unavailable"), 10, "held on"),
            (runtime(4), 4, "off"),
            *(
                step
                for hours, unit in ((60, "min"), (3600, "s"), (1 / 24, "d"))
                for step in (
                    (runtime(hours, unit), "16:59", "off"),
                    (passes, 4, "held on"),
                    (runtime(4), 4, "off"),
                )
            ),
        ),
        "whether hours are missing": (
            (runtime(0), "17:30", "off"),
            (at_least(0), 4, "off"),
            (runtime(4), 0, "off"),
            (at_least(4), 4, "off"),
            (runtime("unavailable"), 4, "off"),
            (runtime(1.9), 4, "off"),
            (runtime(1), 4, "held on"),
            (runtime(4), 4, "off"),
            # When the day is over, nothing is caught up.
            (passes, "19:57", "off"),
            (runtime(1), 12, "off"),
        ),
    },
)


# In the cold


def garden(temperature: float | str, unit: str = "°C") -> Happening:
    """Let a thermometer that is no part of the pool show a temperature."""
    return shows(NEED, temperature, unit_of_measurement=unit)


def refused_twice(house: House) -> None:
    """Check that the command was sent again, but not all the time."""
    sent = [each for each in house.controller.requests if each.name == "cmd"]
    assert len(sent) == 2 * MOST_SENT
    house.reconnect()


def nothing_sent_yet(house: House) -> None:
    house.controller.requests.clear()
    refuses(house)


COLD = Blueprint(
    name="pump_freeze_guard",
    platforms=NUMBERS_TOO,
    prepare=autumn,
    inputs={"pump": PUMP, "thermometers": [OWN_THERMOMETER], **QUICKLY},
    shows=pump_is,
    starts=Change(water(ambient=1.0), 0.5, 2),
    stops=Change(water(ambient=9.0), 1, 3),
    rests="off",
    acts="held on",
    on_by_hand=ByHand(ON, "held on", "held on"),
    # Only a pump that is held off stays off; otherwise the cold starts it again.
    off_by_hand=ByHand(OFF, "held on", "off"),
    given_back=RESUMED,
    remembers=timedelta(days=6.3),
    forgets=timedelta(days=7.7),
    cloud_only=(passes, "off"),
    own={
        "not each degree switches the pump": (
            (edited(pump_speed=SPEED, **USUAL), 0, "off"),
            (water(ambient=2.2), 7, "off"),
            (water(ambient=2.0), 4, "off"),
            (water(ambient=2.0), 2, "held on"),
            (check(speed, 50), 0, "held on"),
            (water(ambient=3.8), 40, "held on"),
            (water(ambient=4.0), 25, "held on"),
            (water(ambient=3.0), 2, "held on"),
            (water(ambient=6.0), 25, "held on"),
            (water(ambient=6.0), 7, "off"),
        ),
        "36 °F are 2.2 °C, and 39 °F are 3.9 °C": (
            (edited(cold_at=36, warm_at=39), 0, "off"),
            (water(ambient=2.5), 4, "off"),
            (water(ambient=2.0), 4, "held on"),
            (water(ambient=3.5), 4, "held on"),
            (water(ambient=4.0), 4, "off"),
        ),
        "the coldest thermometer counts, in any unit, if it has a value": (
            (edited(thermometers=[OWN_THERMOMETER, NEED]), 0, "off"),
            (water(ambient=8.0), 0, "off"),
            (garden(40, "°F"), 2, "off"),
            (garden(35, "°F"), 2, "held on"),
            (garden("unavailable"), 4, "off"),
        ),
        "it is held when its schedule ends in the cold, and not before": (
            (schedule(True), 1, "on"),
            (water(ambient=1.0), 3, "on"),
            (check(House.waits, True), 0, "on"),
            (water(ambient=9.0), 3, "on"),
            (check(House.waits, False), 0, "on"),
            (water(ambient=1.0), 3, "on"),
            (check(House.waits, True), 0, "on"),
            (schedule(False), 1, "held on"),
            (water(ambient=9.0), 3, "off"),
        ),
        "it is held again when a run by hand or on surplus ends in the cold": (
            (passes, 15, "off"),
            (ON, 0.5, "held on"),
            (water(ambient=1.0), 3, "held on"),
            (RESUMED, 1, "held on"),
            (water(ambient=9.0), 3, "off"),
        ),
        "nothing happens after a start when it is warm": (
            (restarted(), 10, "off"),
            (check(House.waits, False), 0, "off"),
        ),
        "a pump that is held off may be drained": (
            (HELD_OFF, 0.5, "held off"),
            (water(ambient=1.0), 5, "held off"),
            (RESUMED, 2, "held on"),
            (HELD_OFF, 5, "held off"),
            (water(ambient=9.0), 5, "held off"),
            (RESUMED, 1, "off"),
        ),
        "only its owner can allow to start it": (
            (edited(although_off_by_hand=True), 0, "off"),
            (HELD_OFF, 0.5, "held off"),
            (water(ambient=1.0), 5, "held on"),
            (water(ambient=9.0), 3, "off"),
        ),
        "a command that is refused is sent again, but not all the time": (
            (nothing_sent_yet, 0, "off"),
            (water(ambient=1.0), 4, "off"),
            (passes, 4, "off"),
            (refused_twice, 0, "off"),
            (passes, 6, "held on"),
            (water(ambient=9.0), 3, "off"),
        ),
        "cold again before the pump could be given back": (
            (edited(thermometers=[NEED]), 15, "off"),
            (garden(1), 2, "held on"),
            (House.disconnect, 0, "held on"),
            (garden(8), 5, "held on"),
            (garden(1), 5, "held on"),
            (House.reconnect, 20, "held on"),
            (garden(8), 3, "off"),
        ),
        "a pump that runs in the cold is given back after an edit, too": (
            (water(ambient=1.0), 2, "held on"),
            (edited(warm_at=6), 3, "held on"),
            (water(ambient=7.0), 4, "off"),
        ),
        "in hard frost, the controller's thermometer has no value": (
            (water(ambient=1.0), 2, "held on"),
            (water(ambient=0.0), 10, "held on"),
            (restarted(hours=30), 10, "held on"),
            (water(ambient=9.0), 3, "off"),
        ),
    },
)

ALL = (SURPLUS, COLD)
