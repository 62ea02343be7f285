"""The blueprint that switches lights on at dusk, with a show."""

from datetime import timedelta
from typing import Any

from homeassistant.const import Platform

from tests.world.simulator.schedules import Schedule

from .house import (
    Blueprint,
    ByHand,
    Change,
    Happening,
    House,
    another_edited,
    by_hand,
    edited,
    passes,
    restarted,
    shows,
)

LIGHT, SPA_LIGHT = 1, 2
"""Slots of the full pool: the first has shows, the second just colours by turns."""
KEY, SPA_KEY = f"slot_{LIGHT}", f"slot_{SPA_LIGHT}"
MULTI_PLUS, OCEANIC_VIEWS = 2, 8
"""Light type and show of the pool's lights (protocol.md O4.1)."""
NIGHT = "held show, held spa"


def lit(house: House) -> str:
    """Return the lights whose relays are on; that of the pool by its colour."""
    pool = house.pool
    show = pool.lights["pool"] == [MULTI_PLUS, OCEANIC_VIEWS]
    names = {LIGHT: "show" if show else "white", SPA_LIGHT: "spa"}
    return ", ".join(
        ("held " if pool.slots[slot].held else "") + name
        for slot, name in names.items()
        if pool.slots[slot].on
    )


def sun(elevation: float) -> Happening:
    state = "above_horizon" if elevation > 0 else "below_horizon"
    return shows("sun.sun", state, elevation=elevation)


async def dusk(house: House) -> None:
    """Let it get dark at 18:00."""
    await house.happens(sun(2), "18:00")
    sun(-5)(house)


def light(action: str, key: str = KEY, **data: Any) -> Happening:
    return by_hand(action, key, domain="light", **data)


WHITE = light("light.turn_on", effect="white")


async def given_back(house: House) -> None:
    for key in (KEY, SPA_KEY):
        await house.act("poolctl.resume_schedule", key, domain="light")


def schedule(armed: bool) -> Happening:
    """Let a schedule run the light all day, or not at all."""
    each = Schedule(LIGHT, 12, 0, 0, 0, 1439, 127, "Light", armed)

    def change(house: House) -> None:
        house.pool.schedules[1] = each

    return change


DUSK = Blueprint(
    name="lights_at_dusk",
    platforms=(Platform.LIGHT, Platform.SELECT),
    begins="2026-11-20 17:00:00-08:00",
    full=True,
    prepare=passes,
    inputs={
        "lights": ["light.beach_pool_pool_light", "light.beach_pool_spa_light"],
        "show": "oceanic_views",
    },
    shows=lit,
    starts=Change(dusk, None, 2),
    stops=Change(passes, "22:59", "23:01"),
    rests="",
    acts=NIGHT,
    # It keeps its colour, and goes off with the others.
    on_by_hand=ByHand(WHITE, "held white, held spa", ""),
    off_by_hand=ByHand(light("light.turn_off"), "held spa", ""),
    given_back=given_back,
    forgets=timedelta(hours=25),
    # The cloud has no shows, even if its owner has chosen the type of light.
    cloud_only=(
        by_hand(
            "select.select_option", "pool_light_type", option="spa_electrics_multi_plus"
        ),
        "held white, held spa",
    ),
    own={
        "without a show, or with one that they do not have, the lights are just on": (
            (edited(show=""), 0, ""),
            (dusk, 2, "held white, held spa"),
            (passes, "23:01", ""),
            (edited(show="northern_lights"), 0, ""),
            (dusk, 2, "held white, held spa"),
            (passes, "23:01", ""),
        ),
        "how dark it is": (
            (sun(10), "17:00", ""),
            (sun(-3.9), 2, ""),
            (sun(-4.1), 2, NIGHT),
            (sun(-12), "23:01", ""),
        ),
        "a light that was switched off stays off until the next evening": (
            (dusk, 30, NIGHT),
            (light("light.turn_off"), 1, "held spa"),
            (passes, "23:01", ""),
            (dusk, 2, NIGHT),
            (passes, "23:01", ""),
        ),
        "a light with a schedule has the show, too, and stays on with its schedule": (
            (schedule(True), 0.5, "show"),
            (WHITE, 0.5, "held white"),
            (light("poolctl.resume_schedule"), 0.5, "white"),
            (dusk, 2, NIGHT),
            (passes, "23:01", "show"),
            (schedule(False), 1, ""),
        ),
        "a controller that is away for an hour at the end": (
            (dusk, 2, NIGHT),
            (House.disconnect, "23:01", NIGHT),
            (passes, 32, NIGHT),
            (passes, 10, NIGHT),
            (House.reconnect, 11, ""),
        ),
        "the end may be before dusk, as in summer": (
            (edited(off_at="17:30:00"), 0, ""),
            (sun(3), "17:30", ""),
            (sun(-5), 2, ""),
            (edited(off_at="17:31:00"), 0, ""),
            (sun(3), "17:30", ""),
            (sun(-5), 0.5, NIGHT),
            (sun(3), 2, ""),
        ),
        "the end may be after midnight": (
            (edited(off_at="00:30:00"), 0, ""),
            (dusk, "00:29", NIGHT),
            (passes, 2, ""),
        ),
        "a start by day or in the night switches nothing on": (
            (sun(-5), "23:10", ""),
            (restarted(days=2), 2, ""),
            (sun(-20), "04:10", ""),
            (restarted(days=2), 2, ""),
            (sun(10), "18:10", ""),
            (restarted(days=2), 2, ""),
        ),
        "a start in the evening leaves a light off that is held off": (
            (sun(3), "04:00", ""),
            (sun(-5), "18:00", ""),
            (light("poolctl.hold", state=False, duration={"hours": 8}), 0, ""),
            (restarted(minutes=20), 2, "held spa"),
            (passes, "23:01", ""),
            (given_back, 1, ""),
        ),
        "a start after the end gives back only what the automation switched on": (
            (WHITE, "01:10", "held white"),
            (restarted(hours=2), 2, "held white"),
            (passes, "19:10", "held white"),
            (restarted(hours=25), 2, "held white, held spa"),
            (passes, "23:01", ""),
        ),
        "only an automation that was itself loaded anew switches the lights": (
            (sun(10), "04:00", ""),
            (sun(-5), "18:30", ""),
            (edited(elevation=-3), 2, NIGHT),
            (light("light.turn_off"), 0.5, "held spa"),
            (light("poolctl.resume_schedule"), 15, "held spa"),
            (another_edited, 2, "held spa"),
            (passes, "23:01", ""),
        ),
    },
)

ALL = (DUSK,)
