"""The blueprint that heats while the sun or the price allows."""

from collections.abc import Awaitable

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import Platform

from tests.world.simulator.pool import POOL_HEATER, SOLAR, SPA_HEATER

from .house import (
    ALIAS,
    Act,
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
    restarted,
    shows,
)
from .pump import NEED, meter

PRICE, LIMIT = "sensor.price", "input_number.limit"
QUICKLY = {"start_after": 1, "stop_after": 2, "least_on": 1, "least_off": 1}
USUAL = dict.fromkeys(QUICKLY)
"""The waiting times of a user who leaves them as they are."""
THERMOSTAT = "pool_heating"
THREE_HOURS = {"domain": "climate", "state": True, "duration": "03:00:00"}
REST, HEATS = "pump", "pump, heats"


def cool_water(house: House) -> None:
    """Let only a test change the water; the pump runs all day, and nothing heats."""
    house.pool.update()
    house.pool.settings["heating"], house.pool.settings["pool_target"] = 0, 30
    water_at(26.0)(house)
    pump_runs(True)(house)
    house.clock.advance(300)
    house.pool.update()
    assert house.pool.pump.running


def water_at(celsius: float) -> Happening:
    def change(house: House) -> None:
        house.pool.update()
        house.pool.water.temperature, house.pool.water.drift = celsius, 0.0

    return change


def pump_runs(runs: bool) -> Happening:
    """Let the pump's schedule run it all day, or not at all."""

    def change(house: House) -> None:
        for schedule in house.pool.schedules:
            schedule.enabled = False
        filtering = house.pool.schedules[0]
        filtering.start, filtering.end, filtering.weekdays = 0, 1439, 127
        filtering.enabled = runs

    return change


def heating(house: House) -> str:
    """Return whether the pump runs, and whether the pool's heat sources may."""
    house.pool.update()
    words = ["pump"] if house.pool.pump.running else []
    if int(house.pool.settings["heating"]) & (POOL_HEATER | SOLAR):
        words.append("heats")
    return ", ".join(words)


def spa_heats(house: House) -> bool:
    return bool(int(house.pool.settings["heating"]) & SPA_HEATER)


def heat(mode: str) -> Act:
    return by_hand("climate.set_hvac_mode", THERMOSTAT, hvac_mode=mode)


def price(value: float | str) -> Happening:
    return shows(PRICE, value)


def limit(value: float | str) -> Happening:
    return shows(LIMIT, value)


def turned(how: str) -> Happening:
    """Turn the automation on or off."""

    def act(house: House) -> Awaitable[object]:
        data = {"entity_id": ALIAS}
        return house.hass.services.async_call(AUTOMATION, f"turn_{how}", data)

    return act


HEATING = Blueprint(
    name="heating_on_surplus",
    platforms=(Platform.CLIMATE, Platform.SWITCH),
    full=True,
    fine=6,
    prepare=cool_water,
    inputs={
        "thermostat": "climate.beach_pool_pool_heating",
        "pump": "switch.beach_pool_pump",
        "surplus": NEED,
        **QUICKLY,
    },
    shows=heating,
    starts=Change(meter(4000), 0.5, 3),
    stops=Change(meter(0), 1, 4),
    rests=REST,
    acts=HEATS,
    on_by_hand=ByHand(heat("heat"), HEATS, HEATS),
    off_by_hand=ByHand(heat("off"), REST, REST),
    given_back=heat("off"),
    cloud_only=(passes, REST),
    own={
        "neither clouds nor kettles switch the heater, which has its times": (
            (edited(**USUAL), 31, REST),
            (meter(3000), 4, REST),
            (meter(2999), 2, REST),
            (meter(3000), 7, HEATS),
            # At least half an hour, whatever the sun does.
            (meter(-500), 20, HEATS),
            (meter(500), 60, HEATS),
            (meter(0), 9, HEATS),
            (meter(10), 2, HEATS),
            (meter(-10), 12, REST),
            # A rest of half an hour, and the surplus must last.
            (meter(4000), 24, REST),
            (passes, 14, HEATS),
            (meter(0), 22, HEATS),
            (passes, 40, REST),
        ),
        "a meter in kW that shows fed-in power as negative": (
            (edited(feeding_in_is_negative=True), 2, REST),
            (meter(-2.9, "kW"), 4, REST),
            (meter(-3.1, "kW"), 3, HEATS),
            (meter("unavailable"), 4, REST),
        ),
        "a low price, by a number": (
            (edited(surplus="", price=PRICE, highest_price=0.1), 2, REST),
            (price(0.11), 4, REST),
            (price(0.1), 3, HEATS),
            (price(-0.1), 50, HEATS),
            (price("unknown"), 5, REST),
        ),
        "a low price, by an entity, beside the surplus": (
            (limit("unknown"), 0, REST),
            (edited(price=PRICE, highest_price=9, highest_price_from=LIMIT), 0, REST),
            (price(5), 4, REST),
            (limit(6), 3, HEATS),
            (limit(4), 5, REST),
            (meter(4000), 3, HEATS),
            (limit(6), 0, HEATS),
            (meter(0), 5, HEATS),
            (limit(4), 5, REST),
        ),
        "the band: water that is too cold is heated at any time": (
            (edited(band=3), 3, HEATS),
            (water_at(27.5), 5, REST),
            (water_at(26.5), 5, HEATS),
            (edited(), 5, REST),
            (water_at(26.0), 5, REST),
        ),
        "warm water needs no heat": (
            (water_at(30.0), 1, REST),
            (meter(4000), 5, REST),
            (water_at(26.0), 5, HEATS),
            (meter(0), 5, REST),
        ),
        "the pump has its hours: without it, nothing is held": (
            (meter(4000), 3, HEATS),
            (pump_runs(False), 10, ""),
            (passes, 60, ""),
            (pump_runs(True), 15, HEATS),
            (meter(0), 5, REST),
        ),
        "the spa is heated in spa mode only": (
            (edited(thermostat="climate.beach_pool_spa_heating"), 2, REST),
            (meter(4000), 5, REST),
            (check(spa_heats, False), 0, REST),
            (by_hand("switch.turn_on", "spa_mode"), 15, REST),
            (check(spa_heats, True), 0, REST),
            (by_hand("switch.turn_off", "spa_mode"), 15, REST),
            (check(spa_heats, False), 0, REST),
            (meter(0), 2, REST),
        ),
        "switched off by a person, it stays off until the next surplus": (
            (meter(4000), 3, HEATS),
            (heat("off"), 90, REST),
            (check(House.waits, True), 0, REST),
            (meter(0), 5, REST),
            (meter(4000), 5, HEATS),
            # On by hand meanwhile stays on, and is nothing to wait for.
            (heat("off"), 5, REST),
            (heat("heat"), 5, HEATS),
            (check(House.waits, False), 0, HEATS),
            (meter(0), 5, HEATS),
            (heat("off"), 5, REST),
        ),
        "heat that a person chooses meanwhile stays": (
            (meter(4000), 3, HEATS),
            (heat("heat"), 0, HEATS),
            (meter(0), 5, HEATS),
            (heat("off"), 5, REST),
        ),
        "an automation that is turned off ends by itself": (
            (meter(4000), 3, HEATS),
            (turned("off"), 15, HEATS),
            (passes, 15, REST),
            (turned("on"), 2, REST),
            (meter(0), 2, REST),
        ),
        "another one is edited: what a person switched on is theirs": (
            (heat("heat"), 5, HEATS),
            (another_edited, 5, HEATS),
            (restarted(hours=2), 5, HEATS),
            (heat("off"), 0, REST),
            (by_hand("poolctl.hold", THERMOSTAT, **THREE_HOURS), 2, HEATS),
            (restarted(minutes=10), 30, HEATS),
            (check(House.waits, False), 0, HEATS),
            (heat("off"), 5, REST),
        ),
        "it goes on when it is edited": (
            (meter(4000), 3, HEATS),
            (edited(stop_at=200), 5, HEATS),
            (meter(150), 6, REST),
        ),
    },
)

ALL = (HEATING,)
