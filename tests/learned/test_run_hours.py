"""Run hours of pump, heaters, chlorinator, UV and ozone: counted, kept and reset."""

from homeassistant.const import Platform
from homeassistant.exceptions import ServiceNotSupported
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.learned.test_totals import exact, hours
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator import Pool

pytestmark = pytest.mark.usefixtures("freezer", "quick")
few_platforms = only(Platform.BINARY_SENSOR, Platform.NUMBER, Platform.SENSOR)

LIQUID_CHLORINE_SLOT, SPA_SLOT, UV_SLOT = 7, 10, 15
"""Slots of the full pool."""
KEYS = {
    f"{key}_run_hours"
    for key in ("pool_heater", "solar", "spa_heater", "chlorinator", "uv", "ozone")
}


@pytest.fixture
async def pool(home: Home) -> Home:
    """Set up the full pool, in which only the pump and ozone run."""
    home.own(home.service.full)
    for key in KEYS:  # so that they are enabled, unlike by default
        unique_id = f"{home.controller.device_id}_{key}"
        er.async_get(home.hass).async_get_or_create("sensor", DOMAIN, unique_id)
    water, settings = home.pool.water, home.pool.settings
    water.drift, water.orp, water.ambient = 0.0, 800, 10
    settings["pool_target"] = settings["spa_target"] = 10
    await home.set_up(home.service.full)
    await home.live(30)
    return home


def run(pool: Pool, what: str, on: bool) -> None:
    """Let something run in the pool, or stop it."""
    match what:
        case "pool_heater":
            pool.settings["pool_target"] = 40 if on else 10
        case "solar":
            pool.settings |= {"heating": 1, "pool_target": 40 if on else 10}
            pool.water.ambient = 40
        case "spa_heater":
            pool.switch(SPA_SLOT, True)
            pool.settings["spa_target"] = 40 if on else 10
        case "chlorinator":
            pool.water.orp = 500 if on else 800
        case "uv":
            pool.switch(UV_SLOT, on)


async def gained(home: Home, seconds: float, step: float = 15) -> dict[str, float]:
    """Let time pass; return by how much each of the run hours grew."""
    begun = {key: exact(home, key) for key in KEYS}
    await home.live(seconds, step=step)
    return {key: exact(home, key) - begun[key] for key in KEYS}


async def test_what_runs_is_counted(pool: Home, subtests: pytest.Subtests) -> None:
    settings, ambient = dict(pool.pool.settings), pool.pool.water.ambient
    assert {exact(pool, key) for key in KEYS - {"ozone_run_hours"}} == {0}
    runs = ["pool_heater", "solar", "spa_heater", "chlorinator", "chlorinator", "uv"]
    for number, name in enumerate(runs):
        if number == 4:  # without liquid chlorine
            pool.pool.slots[LIQUID_CHLORINE_SLOT].aux_type = 0
        with subtests.test(name, number=number):
            run(pool.pool, name, False)
            await pool.live(30, step=30)
            begun = {each: exact(pool, each) for each in KEYS}
            run(pool.pool, name, True)
            await pool.live(600, step=30)
            run(pool.pool, name, False)
            await pool.live(60, step=30)
            gained = {each: exact(pool, each) - begun[each] for each in KEYS}
            # Nothing else ran except ozone, which runs with the pump.
            del gained["ozone_run_hours"]
            expected = dict.fromkeys(gained, 0) | {f"{name}_run_hours": hours(600)}
            assert gained == expected
        pool.pool.settings |= settings
        pool.pool.water.ambient = ambient
        pool.pool.switch(SPA_SLOT, False)
    assert pool.value("sensor", "uv_run_hours") == "0.17"


@pytest.mark.usefixtures("all_enabled")
@pytest.mark.parametrize("name", ["pool_heater", "spa_heater"])
async def test_the_energy_of_a_heater(pool: Home, name: str) -> None:
    """Energy counts once a power is entered, at the power that applies at the time."""
    power, energy = f"{name}_power", f"{name}_energy"
    run(pool.pool, name, True)
    await pool.live(600, step=30)
    assert pool.value("number", power) == "unknown"
    assert pool.registered("sensor", energy) is None
    for kilowatts, total in ((12, 1.0), (24, 3.0)):
        await pool.act("number.set_value", power, value=kilowatts)
        await pool.live(300, step=30)
        assert exact(pool, energy) == pytest.approx(total, abs=0.15)
    assert pool.state("sensor", energy).attributes["device_class"] == "energy"
    await pool.restart()
    await pool.live(30)
    assert exact(pool, energy) == pytest.approx(3.0, abs=0.4)
    await pool.act("number.set_value", power, value=0)
    await pool.settle()
    assert pool.value("number", power) == "unknown"
    assert pool.registered("sensor", energy) is None


@pytest.mark.usefixtures("all_enabled")
async def test_ozone_without_a_relay_and_liquid_chlorine(pool: Home) -> None:
    """Liquid chlorine adds no chlorinator hours, although both raise the same flag."""
    pool.pool.settings |= {"orp_flags": 2, "liquid_dose_time": 300}
    pool.pool.water.orp = 500
    # Ozone runs with the pump.
    assert (await gained(pool, 300))["ozone_run_hours"] == hours(300)
    assert pool.value("binary_sensor", "chlorination") == "on"
    assert exact(pool, "chlorinator_run_hours") == 0
    pool.pool.switch(0, False)
    await pool.live(30)
    assert (await gained(pool, 300))["ozone_run_hours"] == 0


async def test_through_the_cloud(pool: Home) -> None:
    """The cloud reports heaters and switched outputs, but not the chlorinator."""
    for name in ("pool_heater", "uv", "chlorinator"):
        run(pool.pool, name, True)
    await pool.live(60)
    pool.controller.faults.on("refuse")
    await pool.live(120)
    assert pool.source == "cloud"
    found = await gained(pool, 300)
    assert found["pool_heater_run_hours"] == hours(300)
    assert found["uv_run_hours"] == hours(300)
    assert found["chlorinator_run_hours"] == found["ozone_run_hours"] == 0


async def reset(home: Home, key: str) -> None:
    target = {"entity_id": home.entity_id("sensor", key)}
    await home.hass.services.async_call(
        DOMAIN, "reset_run_hours", target, blocking=True
    )


async def test_a_new_lamp(pool: Home) -> None:
    """Only the chosen run hours begin anew."""
    run(pool.pool, "uv", True)
    await pool.live(600)
    assert float(pool.value("sensor", "uv_run_hours")) > 0
    others = [exact(pool, key) for key in ("ozone_run_hours", "pump_running_today")]
    await reset(pool, "uv_run_hours")
    with pytest.raises(ServiceNotSupported):
        await reset(pool, "pump_runtime_today")
    assert pool.value("sensor", "uv_run_hours") == "0.0"
    assert min(others) > 0
    assert others == [
        exact(pool, key) for key in ("ozone_run_hours", "pump_running_today")
    ]
    await pool.restart()
    assert pool.value("sensor", "uv_run_hours") == "0.0"
    await pool.live(300)
    assert exact(pool, "uv_run_hours") == hours(300)
    # The controller is sent nothing.
    assert not pool.actions and not pool.cloud_writes
