"""Blueprints of the pump's hours, and of what waits for the pump to start."""

from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.core import ServiceCall, ServiceResponse, SupportsResponse
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util

from tests.world.simulator.schedules import Schedule

from .house import (
    Act,
    Blueprint,
    ByHand,
    Change,
    Happening,
    House,
    Never,
    by_hand,
    check,
    edited,
    passes,
    restarted,
    run_by_hand,
)

# Pump hours

PRICES = "sensor.prices"
NEEDED = "sensor.home_pool_pump_hours_still_needed"
NOON = "2026-07-01T20:02:00+00:00"
"""Solar noon, which is 13:02 by the clock of the house."""
AROUND_NOON = ["10:00-16:00"]
CHEAP = ["01:00-05:00", "22:00-23:59"]


def no_schedule(house: House) -> None:
    house.pool.schedules[0].enabled = False


async def six_hours(house: House) -> None:
    """Let the pump need six hours a day."""
    house.hass.states.async_set("sun.sun", "below_horizon", {"next_noon": NOON})
    await house.act("select.select_option", "pump_hours_rule", option="fixed")
    await house.second()
    await house.second()
    await a_day(6)(house)


def a_day(hours: float) -> Act:
    return by_hand("number.set_value", "pump_hours_a_day", value=hours)


def times(house: House) -> list[str]:
    """Return when the planned schedules run."""
    return [
        "{:02}:{:02}-{:02}:{:02}".format(*divmod(each.start, 60), *divmod(each.end, 60))
        for each in house.pool.schedules
        if each.used and each.enabled and each.name.startswith("HA plan")
    ]


def deleted(house: House) -> None:
    """Delete the plan, as its owner does in the app."""
    for index, each in enumerate(house.pool.schedules):
        if each.name.startswith("HA plan"):
            house.pool.schedules[index] = Schedule()


def prices(house: House) -> None:
    """Set prices of today that are low from 2 to 5 and from 22 on."""
    cheap = (2, 3, 4, 22, 23)
    day = dt_util.now().date()
    listed = [
        {
            "start": f"{day}T{hour:02}:00:00-07:00",
            "value": 0.1 if hour in cheap else 0.3 + hour / 1000,
        }
        for hour in range(24)
    ]
    house.hass.states.async_set(PRICES, "0.3", {"raw_today": listed})


def sun(house: House) -> None:
    """Set a forecast of today that is the highest in the evening."""
    day = dt_util.now().date()
    watts = {f"{day}T{hour:02}:00:00-07:00": 100 + hour % 22 for hour in range(24)}
    house.hass.states.async_set(PRICES, "0.3", {"watts": watts})


def only(first: int, end: int, entity_id: str = PRICES) -> Happening:
    """Leave only some hours of the prices."""

    def change(house: House) -> None:
        prices(house)
        listed = house.state_of(PRICES).attributes["raw_today"][first:end]
        house.hass.states.async_set(entity_id, "0.3", {"raw_today": listed})

    return change


GET_PRICES = {
    "action": "test.get_prices",
    "data": {"areas": "SE3"},
    "response_variable": "prices",
}


def of_an_action(works: bool) -> Happening:
    """Let an action return the prices, or fail."""

    def change(house: House) -> None:
        prices(house)
        listed = house.state_of(PRICES).attributes["raw_today"]
        no_prices(house)

        async def get(call: ServiceCall) -> ServiceResponse:
            if not works:
                raise HomeAssistantError("not reached")
            return {call.data["areas"]: listed}

        house.hass.services.async_register(
            "test", "get_prices", get, supports_response=SupportsResponse.ONLY
        )

    return change


def all_day(house: House) -> None:
    """Let the pump's own schedule fill the day."""
    own = house.pool.schedules[0]
    own.enabled, own.start, own.end = True, 0, 1439


def no_prices(house: House) -> None:
    house.hass.states.async_set(PRICES, "unavailable")


async def an_hour(house: House) -> None:
    for _ in range(6):
        assert house.waits()
        await house.wait(minutes=10)


async def an_hour_of_tries(house: House) -> None:
    for _ in range(6):
        assert times(house) == []
        await house.wait(minutes=10)


async def off_until_ten(house: House) -> None:
    """Home Assistant is off; the automation ran eight hours ago."""
    await house.start_anew(timedelta(hours=8), (passes, "10:02"))


def next_day(**inputs: Any) -> Act:
    """Delete the plan, change inputs, and let a day begin that has prices."""

    async def happens(house: House) -> None:
        deleted(house)
        await house.edit(**inputs)
        await house.happens(no_prices, "00:02")
        prices(house)

    return happens


def unit(of_hours: str) -> Happening:
    """Let the owner choose another unit for the sensor."""

    async def happens(house: House) -> None:
        options = {"unit_of_measurement": of_hours}
        registry = er.async_get(house.hass)
        registry.async_update_entity_options(NEEDED, "sensor", options)
        await next_day()(house)
        shown = house.state_of(NEEDED).attributes["unit_of_measurement"]
        assert shown == of_hours

    return happens


def missed_yesterday(hours: float | None) -> Happening:
    def change(house: House) -> None:
        needed = house.state_of(NEEDED)
        attributes = {**needed.attributes, "missed_yesterday": hours}
        house.hass.states.async_set(NEEDED, needed.state, attributes)

    return change


def nothing_sent(house: House) -> None:
    house.controller.requests.clear()


def written(house: House) -> int:
    return house.actions.count("schedule")


HOURS = Blueprint(
    name="pump_hours",
    platforms=(Platform.CALENDAR, Platform.NUMBER, Platform.SELECT, Platform.SENSOR),
    begins="2026-07-01 00:02:00-07:00",
    prepare=no_schedule,
    furnish=six_hours,
    inputs={"needed": NEEDED},
    shows=times,
    starts=Change(passes, "00:04", "00:07"),
    stops=Change(deleted, None, 6),
    rests=[],
    acts=AROUND_NOON,
    on_by_hand=Never("The plan of a day does not depend on who runs the pump."),
    off_by_hand=Never("The controller runs the plan."),
    away_at_stop=Never("Only its owner ends a plan."),
    cloud_only=Never("tests/services/test_plan_hours.py: plans through the cloud."),
    own={
        "where the hours go": (
            (next_day(placement="early"), "00:07", ["00:10-06:10"]),
            (
                next_day(placement="early", earliest="08:00:00"),
                "00:07",
                ["08:00-14:00"],
            ),
            (
                next_day(earliest="08:00:00", latest="15:00:00"),
                "00:07",
                ["09:00-15:00"],
            ),
            (next_day(placement="prices", lists=[PRICES]), "00:07", CHEAP),
            (next_day(placement="solar", lists=[PRICES]), 0, []),
            (sun, "00:07", ["16:00-22:00"]),
            (check(House.waits, False), 0, ["16:00-22:00"]),
        ),
        "in any unit": (
            (unit("min"), "00:07", AROUND_NOON),
            (unit("s"), "00:07", AROUND_NOON),
            (unit("d"), "00:07", AROUND_NOON),
            (unit("h"), "00:07", AROUND_NOON),
        ),
        "once a day, and each time that it is run by hand": (
            (next_day(make_up=False), 0, []),
            (nothing_sent, "00:07", AROUND_NOON),
            (a_day(4), 0, AROUND_NOON),
            (run_by_hand, 1, ["11:00-15:00"]),
            (check(written, 2), 0, ["11:00-15:00"]),
            # The next day, only changes are written.
            (passes, "00:07", ["11:00-15:00"]),
            (check(written, 2), 0, ["11:00-15:00"]),
            (a_day(6), 0, ["11:00-15:00"]),
            (run_by_hand, 1, AROUND_NOON),
        ),
        "without prices, the pump gets its hours around noon": (
            (next_day(placement="prices", lists=[PRICES]), 0, []),
            (no_prices, "00:07", []),
            (an_hour_of_tries, 0, AROUND_NOON),
        ),
        "the hours without a price are around noon, until their prices come": (
            (next_day(placement="prices", lists=[PRICES]), 0, []),
            (only(4, 5), "00:07", ["04:00-05:00", "10:30-15:30"]),
            (check(House.waits, True), 0, ["04:00-05:00", "10:30-15:30"]),
            (prices, 11, CHEAP),
            (check(House.waits, False), 0, CHEAP),
        ),
        "a list that stays short is no reason to wait longer": (
            (next_day(placement="prices", lists=[PRICES]), 0, []),
            (only(16, 20), "00:07", ["12:00-14:00", "16:00-20:00"]),
            (an_hour, 0, ["12:00-14:00", "16:00-20:00"]),
            (check(House.waits, False), 0, ["12:00-14:00", "16:00-20:00"]),
        ),
        "an action returns the prices": (
            (next_day(placement="prices", list_action=[GET_PRICES]), 0, []),
            (of_an_action(False), "00:07", []),
            (of_an_action(True), 11, CHEAP),
            (check(House.waits, False), 0, CHEAP),
        ),
        "a day that is full needs no plan": (
            (next_day(), 0, []),
            (all_day, 0, []),
            (a_day(24), "00:07", []),
            (check(House.waits, False), 0, []),
            (no_schedule, 0, []),
            (a_day(6), 0, []),
        ),
        "hours missed yesterday are added only if that was chosen": (
            (next_day(), 0, []),
            (missed_yesterday(6), 0, []),
            (run_by_hand, 1, ["07:00-19:00"]),
            (missed_yesterday(None), 0, ["07:00-19:00"]),
            (run_by_hand, 1, AROUND_NOON),
            (edited(make_up=False), 0, AROUND_NOON),
            (missed_yesterday(6), 0, AROUND_NOON),
            (run_by_hand, 1, AROUND_NOON),
        ),
        "a start plans the hours only if the last time to plan was missed": (
            (next_day(), 0, []),
            (off_until_ten, 2, []),
            (restarted(hours=14), 2, ["10:05-16:05"]),
        ),
    },
)

# Dosing after a start of the pump

DOSES, PAUSED = (1, 3), (0, 0)
ACID = "switch.beach_pool_automatic_ph"
CHLORINE = (
    "switch.beach_pool_automatic_chlorination",
    "switch.beach_pool_automatic_liquid_chlorine",
)


def pump_off(house: House) -> None:
    no_schedule(house)
    house.pool.water.drift = 0.0
    house.pool.switch(0, False)


def dosing(house: House) -> tuple[float, float]:
    """Return the switch of acid, and the flags of both kinds of chlorine."""
    return house.pool.settings["ph_dosing"], house.pool.settings["orp_flags"]


async def pump_starts(house: House) -> None:
    """Start the pump as the vendor's app does."""
    await house.happens(pump_stops, 1)
    house.pool.switch(0, True)


def pump_stops(house: House) -> None:
    house.pool.switch(0, False)


def dosers(turned: str) -> Happening:
    async def act(house: House) -> None:
        for kind in ("ph", "chlorination", "liquid_chlorine"):
            await house.act(f"switch.turn_{turned}", f"automatic_{kind}")

    return act


DOSING = Blueprint(
    name="dosing_after_start",
    platforms=(Platform.SWITCH,),
    full=True,
    prepare=pump_off,
    inputs={
        "pump": "switch.beach_pool_pump",
        "dosing": [ACID, *CHLORINE],
        "minutes": 20,
    },
    shows=dosing,
    starts=Change(pump_starts, None, 1),
    stops=Change(passes, 17, 23),
    rests=DOSES,
    acts=PAUSED,
    # A doser that was off before stays off.
    on_by_hand=ByHand(dosers("off"), PAUSED, PAUSED),
    # A doser that is switched on during the pause stays on.
    off_by_hand=ByHand(by_hand("switch.turn_on", "automatic_ph"), (1, 0), DOSES),
    given_back=dosers("on"),
    # While Home Assistant is off, dosing is not paused.
    start_missed=DOSES,
    away_at_start=DOSES,
    cloud_only=Never("The action decides where a pause is possible."),
    own={
        "acid alone": (
            (edited(dosing=[ACID]), 0, DOSES),
            (pump_starts, 1, (0, 3)),
            (passes, 23, DOSES),
        ),
        "chlorine alone": (
            (edited(dosing=[*CHLORINE]), 0, DOSES),
            (pump_starts, 1, (1, 0)),
            (passes, 23, DOSES),
        ),
        "each start counts": (
            (pump_starts, 1, PAUSED),
            (passes, 10, PAUSED),
            (pump_starts, 1, PAUSED),
            (passes, 16, PAUSED),
            (passes, 7, DOSES),
        ),
    },
)

ALL = (HOURS, DOSING)
