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

pytestmark = pytest.mark.usefixtures("freezer", "quick")
few_platforms = only(Platform.CLIMATE, Platform.SENSOR, Platform.SWITCH)

SPA_RETURN = 10
"""Slot of the full pool."""
STEP = 60
"""Seconds between two polls: few, because tests last an hour."""


def moment(state: str) -> datetime | None:
    return None if state == "unknown" else dt_util.parse_datetime(state)


def warm_at(home: Home, key: str = "pool") -> datetime | None:
    """Return the time that a sensor shows, `None` where it is unknown."""
    return moment(home.value("sensor", f"{key}_warm_at"))


def rate(home: Home, key: str = "pool") -> float | None:
    """Return the heating rate that a thermostat shows."""
    found: float | None = home.state("climate", key).attributes.get("heating_rate")
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


def expected(home: Home, target: float) -> datetime:
    """Return when the pool will really reach a target."""
    body = "spa" if home.pool.spa_mode else "pool"
    hours = (target - home.pool.water.temperature) / HEATER_RISE[body]
    return dt_util.utcnow() + timedelta(hours=hours)


async def test_unknown_until_it_is_learned(full: Home) -> None:
    assert full.pool.heaters["pool"]
    assert warm_at(full) is None
    assert warm_at(full, "spa") is None
    await heat(full, 15)
    assert warm_at(full) is None
    await heat(full, 30)
    found = warm_at(full)
    assert found is not None
    assert abs(found - expected(full, 28)) < timedelta(minutes=10)
    assert warm_at(full, "spa") is None
    assert rate(full) is None  # not before the first session ends


async def test_unknown_while_nothing_heats(full: Home) -> None:
    """The learned rate stays, and the next heating has a time at once."""
    await heat(full, 45)
    await reach(full)
    assert warm_at(full) is None
    learned = rate(full)
    assert learned == pytest.approx(HEATER_RISE["pool"], rel=0.05)
    # It is stored with all learned values, so it survives a restart.
    memory, device_id = full.hass.data[DATA_MEMORY], full.controller.device_id
    stored = Learned(memory.stored(device_id, "learned"))
    (found,) = stored.warming[POOL].rates
    assert found.sources == ("pool_heater",)
    await full.restart()
    assert rate(full) == learned
    full.pool.water.temperature = 26.05
    await full.live(30)
    warm = warm_at(full)
    assert warm is not None
    assert abs(warm - expected(full, 28)) < timedelta(minutes=10)


async def test_few_states(full: Home) -> None:
    """A new time is written only if it differs by minutes."""
    full.pool.settings["pool_target"] = 32
    await heat(full, 45)
    states: list[State] = full.follow("sensor", "pool_warm_at")
    climate = full.follow("climate", "pool")
    await heat(full, 60)
    assert len(states) <= 3
    assert {state.attributes.get("heating_rate") for state in climate} == {None}
    found = warm_at(full)
    assert found is not None
    assert abs(found - expected(full, 32)) < timedelta(minutes=15)


async def test_it_is_heated_beyond_its_target(
    full: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reading that fluctuates around the target writes few states, none unknown."""
    await heat(full, 45)
    # A heater with a hysteresis, which the simulated one lacks.
    monkeypatch.setattr(full.pool, "_heat", lambda: None)
    full.pool.water.drift = 0.0
    full.pool.water.temperature = 27.95
    await full.live(30)
    states = full.follow("sensor", "pool_warm_at")
    for number in range(20):
        full.pool.water.temperature = 28.05 if number % 2 else 27.95
        await full.live(15)
    assert full.pool.heaters["pool"]
    assert len(states) <= 2
    assert "unknown" not in {state.state for state in states}


async def test_the_spa(full: Home) -> None:
    """The spa has its own heater and its own rate."""
    await full.act("switch.turn_on", "spa_mode")
    assert full.pool.slots[SPA_RETURN].on
    await heat(full, 45)
    assert full.pool.heaters["spa"]
    found = warm_at(full, "spa")
    assert found is not None
    assert abs(found - expected(full, 36)) < timedelta(minutes=10)
    assert warm_at(full) is None
    await full.act("switch.turn_off", "spa_mode")
    await full.live(30)
    assert warm_at(full, "spa") is None
    assert rate(full, "spa") == pytest.approx(HEATER_RISE["spa"], rel=0.05)
    assert rate(full) is None


async def test_in_fahrenheit(home: Home) -> None:
    """The rate has the unit of the temperatures beside it."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.service.full)
    await heat(home, 45)
    await reach(home)
    assert rate(home) == pytest.approx(HEATER_RISE["pool"] * 1.8, rel=0.05)
