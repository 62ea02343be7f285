"""The blueprints of the spa: a session by a press, and warm at a given time."""

from typing import Any

from homeassistant.const import Platform
from homeassistant.util import dt as dt_util

from tests.world.simulator.pool import SPA_HEATER

from .hours import GET_PRICES, PRICES, of_an_action, only, prices
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
    shows,
    water,
)

BUTTON = "input_button.spa"
SLOTS = {0: "pump", 2: "light", 3: "fall", 10: "spa"}
"""Names for the slots of the full pool that a session holds."""
READY = "pump, light, fall, spa, heats"
FALL = "slot_3"
EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def still_water(house: House) -> None:
    """Let only a test change the water, and heat nothing."""
    house.pool.update()
    house.pool.settings["heating"] = 0
    house.pool.water.temperature, house.pool.water.drift = 26.45, 0.0
    house.hass.states.async_set(BUTTON, "unknown")


def held(house: House) -> str:
    """Return what is held on by hand, and whether the spa's heater may run."""
    slots = house.pool.slots
    words = [
        name for slot, name in SLOTS.items() if slots[slot].held and slots[slot].on
    ]
    if int(house.pool.settings["heating"]) & SPA_HEATER:
        words.append("heats")
    return ", ".join(words)


def press(house: House) -> None:
    house.hass.states.async_set(BUTTON, dt_util.utcnow().isoformat())


def heat(mode: str) -> Act:
    return by_hand("climate.set_hvac_mode", "spa_heating", hvac_mode=mode)


def spa(action: str, **data: Any) -> Happening:
    return by_hand(action, "spa_mode", **data)


async def fall_and_heater_on(house: House) -> None:
    await house.act("switch.turn_on", FALL)
    await heat("heat")(house)


async def given_back(house: House) -> None:
    for key in ("spa_mode", FALL):
        await house.act("poolctl.resume_schedule", key)
    await heat("off")(house)


async def long_off(house: House) -> None:
    """Home Assistant is off for half a day, and its start takes a minute."""
    await house.start_anew(meanwhile=(passes, 12 * 60), seconds=60)


def target(house: House) -> float:
    return house.pool.settings["spa_target"]


SESSION = Blueprint(
    name="spa_session",
    platforms=(Platform.CLIMATE, Platform.LIGHT, Platform.SWITCH),
    full=True,
    prepare=still_water,
    inputs={
        "buttons": [BUTTON],
        "spa_mode": "switch.beach_pool_spa_mode",
        "extras": ["switch.beach_pool_waterfall", "light.beach_pool_spa_light"],
    },
    shows=held,
    starts=Change(press, None, 3),
    stops=Change(passes, 115, 121),
    rests="",
    acts=READY,
    on_by_hand=ByHand(fall_and_heater_on, READY, "fall, heats"),
    off_by_hand=ByHand(spa("switch.turn_off"), "", ""),
    given_back=given_back,
    # A press that nobody hears begins nothing.
    start_missed="",
    away_at_start="",
    cloud_only=Never("The blueprint says that it needs the local network."),
    own={
        "another press ends it": (
            (press, 3, READY),
            (press, 3, ""),
            (check(House.waits, False), 0, ""),
            (press, 3, READY),
            (press, 3, ""),
        ),
        "a button that comes back or goes is no press": (
            (shows(BUTTON, "unavailable"), 1, ""),
            (press, 3, ""),
            (press, 3, READY),
            (shows(BUTTON, "unavailable"), 1, READY),
            (press, 3, ""),
        ),
        "a temperature of its own, for half an hour": (
            (edited(heat_to="temperature", target=38, hours=0.5), 0, ""),
            (press, 3, READY),
            (check(target, 38), 32, ""),
        ),
        "without a button, it is run from a dashboard or by voice": (
            (edited(buttons=[]), 0, ""),
            (run_by_hand, 3, READY),
            (passes, 121, ""),
        ),
        "after a restart, too, what was on before the session stays on": (
            (by_hand("switch.turn_on", FALL), 10, "fall"),
            (press, 3, READY),
            (restarted(), 3, READY),
            (passes, 121, "fall"),
            (given_back, 1, ""),
        ),
        "the controller answers before the automation, long after the end": (
            (press, 3, READY),
            (long_off, 3, ""),
        ),
        "a spa that is on or held by hand is left alone": (
            (spa("switch.turn_on"), 0.5, "spa"),
            (heat("heat"), 0.5, "spa, heats"),
            (restarted(days=2), 130, "spa, heats"),
            (spa("poolctl.hold", state=True, duration="12:00:00"), 0.5, "spa, heats"),
            (restarted(days=2), 130, "spa, heats"),
            (given_back, 1, ""),
        ),
    },
)


# Ready at a given time, on chosen days


def warm_by(house: House) -> str:
    """Return the day and local time by which it should be warm, if any."""
    at = house.state("climate", "spa_heating").attributes.get("warm_by")
    return f"{dt_util.as_local(at):%a %H:%M}" if at else ""


def wished(house: House) -> tuple[list[str], bool, bool]:
    """Return the entities of prices, if it has prices, and if the highest are best."""
    (coordinator, *_) = house.entry.runtime_data.controllers.values()
    found = [request.wish for request in coordinator.warm_by.all if request.wish]
    return (
        [entity for wish in found for entity in wish.entities],
        any(wish.prices for wish in found),
        any(wish.highest for wish in found),
    )


def covered(house: House) -> bool | None:
    """Return whether its prices are known until its time, `None` without a request."""
    shown = house.state("climate", "spa_heating").attributes
    if "warm_by" not in shown:
        return None
    prices = shown["warm_by_prices"]
    return bool(prices and prices[-1][1] >= shown["warm_by"])


def notices(house: House) -> list[str]:
    (coordinator, *_) = house.entry.runtime_data.controllers.values()
    return [each.key for each in coordinator.problems.active]


async def given_up(house: House) -> None:
    await house.act("poolctl.cancel_warm_by", "spa_heating", domain="climate")


def on(ready_at: str, *weekdays: str, **more: Any) -> Happening:
    return edited(ready_at=ready_at, weekdays=[*weekdays], **more)


COLD_WATER = water(temperature=20.0)
"""Heating it takes longer than until 18:00."""

READY_AT = Blueprint(
    name="spa_ready_at",
    platforms=(Platform.CLIMATE, Platform.SWITCH),
    begins="2026-11-20 00:10:00-08:00",  # a Friday
    full=True,
    prepare=still_water,
    inputs={"spa": "climate.beach_pool_spa_heating", "weekdays": EVERY_DAY},
    shows=held,
    starts=Change(COLD_WATER, None, "14:05"),
    stops=Change(passes, "20:58", "21:05"),
    rests="",
    acts="pump, spa, heats",
    on_by_hand=Never("tests/warm_by: a spa that is on is left alone."),
    off_by_hand=ByHand(spa("switch.turn_off"), "", ""),
    given_back=given_back,
    cloud_only=Never("The blueprint says that it needs the local network."),
    own={
        "its days, from Friday to Sunday": (
            (on("06:00:00", "sat"), "17:55", ""),
            (check(warm_by, ""), 10, ""),
            (check(warm_by, "Sat 06:00"), "09:05", ""),
            # It is Saturday, and not the day that was chosen.
            (on("13:00:00", "fri"), 10, ""),
            (check(warm_by, ""), 0, ""),
            (on("18:00:00", "sun"), "12:40", ""),
            (check(warm_by, ""), 0, ""),
            # The day is that on which it should be warm.
            (on("00:30:00", "sat"), 10, ""),
            (check(warm_by, ""), 0, ""),
            (on("00:30:00", "sun"), 10, ""),
            (check(warm_by, "Sun 00:30"), "03:45", ""),
            (on("18:00:00", "sun", stays_warm=1), "06:05", ""),
            (check(warm_by, "Sun 18:00"), 0, ""),
            # A change is asked for at once.
            (on("17:00:00", "sun", stays_warm=1), 0, ""),
            (check(warm_by, "Sun 17:00"), 0, ""),
            (COLD_WATER, "14:05", "pump, spa, heats"),
            (passes, "17:58", "pump, spa, heats"),
            (passes, "18:05", ""),
        ),
        "a spa that a user switched off is not asked for again on that day": (
            (edited(heat_to="temperature", target=38), 0, ""),
            (COLD_WATER, "14:05", "pump, spa, heats"),
            (check(target, 38), 0, "pump, spa, heats"),
            (spa("switch.turn_off"), 6, ""),
            (restarted(), "18:05", ""),
            (given_back, 1, ""),
        ),
        "prices of sensors, or a forecast that an action returns": (
            (prices, 0, ""),
            (edited(preferred="prices", lists=[PRICES]), 0, ""),
            (check(warm_by, ""), "22:05", ""),
            (check(wished, ([PRICES], True, False)), 0, ""),
            (of_an_action(True), 0, ""),
            (edited(preferred="solar", list_action=[GET_PRICES]), 20, ""),
            (check(wished, ([], True, True)), 0, ""),
            (of_an_action(False), 0, ""),
            (edited(preferred="prices", list_action=[GET_PRICES]), 20, ""),
            (check(wished, ([], False, False)), 0, ""),
        ),
        "a list of the next day that comes later is used, unless it was cancelled": (
            (given_up, "12:00", ""),
            (of_an_action(True), 0, ""),
            (edited(preferred="prices", list_action=[GET_PRICES]), "22:05", ""),
            (check(covered, False), "00:25", ""),
            (of_an_action(True), 0, ""),
            (check(covered, False), "01:40", ""),
            (check(covered, True), 0, ""),
            (given_up, "04:00", ""),
            (check(covered, None), 0, ""),
        ),
        "a list that cannot be used begins as late as possible, until it can": (
            (edited(preferred="prices", lists=["sensor.none"]), "22:05", ""),
            (check(covered, False), 0, ""),
            (check(notices, ["list_refused"]), 0, ""),
            (only(0, 24, "sensor.none"), "22:15", ""),
            (check(notices, []), 0, ""),
        ),
    },
)

ALL = (SESSION, READY_AT)
