"""A home that is asked to have water warm by a time."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from homeassistant.util import dt as dt_util

from custom_components.poolctl.client.pool.heating import POOL
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.learned.warming import LearnedRate
from tests.world.assistant.home import Home
from tests.world.simulator.pool import SPA_HEATER

PUMP, SPA_RETURN = 0, 10
"""Slots of the full pool."""
STEP, HASTE = 60, 900
"""Seconds between two polls; the rate of warming is learned only from short ones."""


def requested(home: Home, body: str = "spa") -> Mapping[str, Any]:
    """Return what a thermostat shows of a request."""
    shown = home.state("climate", f"{body}_heating").attributes
    return {key: shown[key] for key in shown if key.startswith("warm_by")}


def warm_by(home: Home, body: str = "spa") -> datetime | None:
    """Return the requested time."""
    return requested(home, body).get("warm_by")


def explanation(home: Home, body: str = "spa") -> str:
    """Return what is said about the request."""
    return str(requested(home, body).get("warm_by_explanation", ""))


async def ask(home: Home, by: datetime | str, body: str = "spa", **more: Any) -> None:
    if isinstance(by, datetime):
        by = f"{by:%Y-%m-%d %H:%M:%S}"
    call = home.act(
        "poolctl.warm_by", f"{body}_heating", domain="climate", at=by, **more
    )
    await home.finish(call)


async def cancel(home: Home, body: str = "spa") -> None:
    call = home.act("poolctl.cancel_warm_by", f"{body}_heating", domain="climate")
    await home.finish(call)


def at(hour: int, minute: int = 0) -> datetime:
    """Return a time of today."""
    return dt_util.now().replace(hour=hour, minute=minute, second=0, microsecond=0)


async def until(home: Home, then: datetime) -> None:
    """Let time pass until then, with short steps only in the last five minutes."""
    left = (then - dt_util.now()).total_seconds()
    hasty = max(left - 5 * STEP, 0)
    await home.live(hasty, step=HASTE)
    await home.live(left - hasty, step=STEP)


def selected(home: Home) -> int:
    """Return the heat sources that are selected, after the pool had its turn."""
    home.pool.update()
    return int(home.pool.settings["heating"])


def held(home: Home) -> tuple[bool, bool]:
    """Return whether pump and spa are held."""
    home.pool.update()
    return home.pool.slots[PUMP].held, home.pool.slots[SPA_RETURN].held


def heated(home: Home) -> bool:
    """Return whether spa and pump are held on, and the spa heater is selected."""
    on = held(home) == (True, True) and home.pool.spa_mode
    return on and bool(selected(home) & SPA_HEATER)


def as_before(home: Home) -> bool:
    """Return whether everything is as it was before the request."""
    return not (home.pool.spa_mode or any(held(home)) or selected(home))


def learned(home: Home) -> Learned:
    """Return what it has learned."""
    (coordinator, *_) = home.entry.runtime_data.controllers.values()
    found: Learned = coordinator.learned
    return found


def knows(home: Home, by_sun: float, by_heater: float) -> None:
    """Let it have learned how fast sun and heater warm the pool, in °C an hour."""
    learned(home).warming[POOL].rates = (
        LearnedRate((HeatSource.SOLAR,), by_sun),
        LearnedRate((HeatSource.POOL_HEATER,), by_heater),
    )


async def soon(home: Home, minutes: int = 30, *, warm: int = 30) -> datetime:
    """Ask for a spa so soon that heating begins at once; return the time.

    It stays warm for some minutes: by default not as long as users get by default.
    """
    by = dt_util.now().replace(microsecond=0) + timedelta(minutes=minutes)
    await ask(home, by, duration={"minutes": warm})
    await home.live(3 * STEP, step=STEP)
    assert heated(home)
    return by


async def over(home: Home, by: datetime) -> None:
    """Let time pass until the water of a request need not stay warm for 30 min."""
    await until(home, by + timedelta(minutes=34))


async def spa_off(home: Home) -> None:
    await home.finish(home.act("switch.turn_off", "spa_mode"))


async def heating_off(home: Home) -> None:
    await home.finish(home.act("climate.set_hvac_mode", "spa_heating", hvac_mode="off"))
