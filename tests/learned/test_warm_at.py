"""When the water will be warm, and how fast it warms: learned while it is heated."""

from datetime import datetime, timedelta

from homeassistant.const import Platform
from homeassistant.core import State
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl.client.pool.heating import POOL
from custom_components.poolctl.learned.learned import Learned
from custom_components.poolctl.store.memory import DATA_MEMORY
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.water import HEATER_RISE

pytestmark = pytest.mark.usefixtures("freezer", "quick", "all_enabled")
few_platforms = only(Platform.CLIMATE, Platform.SENSOR, Platform.SWITCH)

SPA_RETURN = 10
"""Slot of the full pool."""
STEP = 60
"""Seconds between two polls: few, because tests last an hour."""


def is_right(home: Home, key: str = "pool", *, minutes: float = 10) -> bool:
    """Return whether the time shown for a body is when it will really be warm."""
    hours = home.pool.settings[f"{key}_target"] - home.pool.water.temperature
    really = dt_util.utcnow() + timedelta(hours=hours / HEATER_RISE[key])
    shown = datetime.fromisoformat(home.value("sensor", f"{key}_expected_warm_time"))
    attributes = home.state("climate", f"{key}_heating").attributes
    assert abs(attributes["expected_warm_time"] - shown) < timedelta(seconds=1)
    return abs(shown - really) < timedelta(minutes=minutes)


def warm_at(home: Home) -> tuple[str, str]:
    pool, spa = (
        home.value("sensor", f"{key}_expected_warm_time") for key in ("pool", "spa")
    )
    return pool, spa


def rate(home: Home, body: str = "pool") -> float | None:
    shown = home.state("climate", f"{body}_heating")
    found: float | None = shown.attributes.get("heating_rate")
    return found


async def heat(home: Home, minutes: float) -> None:
    """Let the heater run for some time, while the air neither warms nor cools."""
    home.pool.water.ambient = home.pool.water.temperature
    await home.live(minutes * 60, step=STEP)


async def reach(home: Home) -> None:
    """Let the pool reach its target, so that the heater stops."""
    home.pool.water.temperature = home.pool.settings["pool_target"] + 0.25
    await home.live(30)
    assert not home.pool.heaters["pool"]


async def test_the_pool(full: Home) -> None:
    full.pool.settings["pool_target"] = 32
    assert full.pool.heaters["pool"]
    for minutes in (0, 15):
        await heat(full, minutes)
        assert warm_at(full) == ("unknown", "unknown")  # not learned yet
    await heat(full, 30)
    assert is_right(full)
    assert warm_at(full)[1] == "unknown"
    assert rate(full) is None  # not before the first session ends

    # A new time is written only if it differs by minutes.
    states: list[State] = full.follow("sensor", "pool_expected_warm_time")
    climate = full.follow("climate", "pool_heating")
    await heat(full, 60)
    assert len(states) <= 3
    assert {state.attributes.get("heating_rate") for state in climate} == {None}
    assert is_right(full, minutes=15)

    # It is unknown while nothing heats. The learned rate stays, and is stored with all
    # learned values, so the next heating has a time at once.
    await reach(full)
    assert warm_at(full)[0] == "unknown"
    learned = rate(full)
    assert learned == pytest.approx(HEATER_RISE["pool"], rel=0.05)
    memory, device_id = full.hass.data[DATA_MEMORY], full.controller.device_id
    stored = Learned(memory.stored(device_id, "learned"))
    (found,) = stored.warming[POOL].rates
    assert found.sources == ("pool_heater",)
    await full.restart()
    assert rate(full) == learned
    full.pool.water.temperature = 30.05
    await full.live(30)
    assert is_right(full)


async def test_the_spa_in_fahrenheit(home: Home) -> None:
    """It has its own heater and rate, in the unit of the temperatures beside it."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    await home.act("switch.turn_on", "spa_mode")
    assert home.pool.slots[SPA_RETURN].on
    await heat(home, 45)
    assert home.pool.heaters["spa"]
    assert is_right(home, "spa")
    assert warm_at(home)[0] == "unknown"
    await home.act("switch.turn_off", "spa_mode")
    await home.live(30)
    assert warm_at(home) == ("unknown", "unknown")
    assert rate(home, "spa") == pytest.approx(HEATER_RISE["spa"] * 1.8, rel=0.05)
    assert rate(home) is None
