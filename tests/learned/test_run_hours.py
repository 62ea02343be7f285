"""Run hours of pump, heaters, chlorinator, UV and ozone: counted, kept and reset."""

from collections.abc import Callable

from homeassistant.exceptions import ServiceNotSupported
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.learned.test_totals import exact, hours, registered
from tests.world.assistant.home import Home
from tests.world.simulator import Pool

pytestmark = pytest.mark.usefixtures("freezer", "quick")

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
    for key in KEYS:
        registered(home, key)  # so that it is enabled, unlike by default
    water, settings = home.pool.water, home.pool.settings
    water.drift, water.orp, water.ambient = 0.0, 800, 10
    settings["pool_target"] = settings["spa_target"] = 10
    await home.set_up(home.service.full)
    await home.live(30)
    return home


def _heat(pool: Pool, on: bool) -> None:
    pool.settings["pool_target"] = 40 if on else 10


def _shine(pool: Pool, on: bool) -> None:
    pool.settings["heating"] = 1
    _heat(pool, on)
    pool.water.ambient = 40


def _heat_spa(pool: Pool, on: bool) -> None:
    pool.switch(SPA_SLOT, True)
    pool.settings["spa_target"] = 40 if on else 10


def _chlorinate(pool: Pool, on: bool) -> None:
    pool.water.orp = 500 if on else 800


def _chlorinate_alone(pool: Pool, on: bool) -> None:
    pool.slots[LIQUID_CHLORINE_SLOT].aux_type = 0
    _chlorinate(pool, on)


def _light_up(pool: Pool, on: bool) -> None:
    pool.switch(UV_SLOT, on)


type _Run = Callable[[Pool, bool], None]


async def test_what_runs_is_counted(pool: Home, subtests: pytest.Subtests) -> None:
    settings, ambient = dict(pool.pool.settings), pool.pool.water.ambient
    assert {exact(pool, key) for key in KEYS - {"ozone_run_hours"}} == {0}
    runs: tuple[tuple[str, _Run], ...] = (
        ("pool_heater", _heat),
        ("solar", _shine),
        ("spa_heater", _heat_spa),
        ("chlorinator", _chlorinate),
        ("chlorinator", _chlorinate_alone),
        ("uv", _light_up),
    )
    for name, run in runs:
        with subtests.test(name, run=run.__name__):
            run(pool.pool, False)
            await pool.live(30, step=30)
            begun = {each: exact(pool, each) for each in KEYS}
            run(pool.pool, True)
            await pool.live(600, step=30)
            run(pool.pool, False)
            await pool.live(60, step=30)
            gained = {each: exact(pool, each) - begun[each] for each in KEYS}
            # Nothing else ran except ozone, which runs with the pump.
            del gained["ozone_run_hours"]
            expected = dict.fromkeys(gained, 0) | {f"{name}_run_hours": hours(600)}
            assert gained == expected
        pool.pool.settings |= settings
        pool.pool.water.ambient = ambient
        pool.pool.switch(SPA_SLOT, False)
    state = pool.state("sensor", "uv_run_hours")
    assert state.state == "0.17"
    assert {
        "device_class": "duration",
        "state_class": "total_increasing",
        "unit_of_measurement": "h",
    }.items() <= state.attributes.items()


@pytest.mark.usefixtures("all_enabled")
@pytest.mark.parametrize(
    ("name", "run"), [("pool_heater", _heat), ("spa_heater", _heat_spa)]
)
async def test_the_energy_of_a_heater(pool: Home, name: str, run: _Run) -> None:
    """Energy counts once a power is entered, at the power that applies at the time."""
    power, energy = f"{name}_power", f"{name}_energy"
    run(pool.pool, True)
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


async def test_ozone_without_a_relay_runs_with_the_pump(pool: Home) -> None:
    begun = exact(pool, "ozone_run_hours")
    await pool.live(300)
    assert exact(pool, "ozone_run_hours") - begun == hours(300)
    pool.pool.switch(0, False)
    await pool.live(30)
    begun = exact(pool, "ozone_run_hours")
    await pool.live(300)
    assert exact(pool, "ozone_run_hours") == begun


@pytest.mark.usefixtures("all_enabled")
async def test_liquid_chlorine_is_no_chlorinator(pool: Home) -> None:
    """Liquid chlorine adds no chlorinator hours, although both raise the same flag."""
    pool.pool.settings |= {"orp_flags": 2, "liquid_dose_time": 300}
    pool.pool.water.orp = 500
    await pool.live(120)
    assert pool.value("binary_sensor", "chlorine_dosing") == "on"
    assert exact(pool, "chlorinator_run_hours") == 0


async def test_through_the_cloud(pool: Home) -> None:
    """The cloud reports heaters and switched outputs, but not the chlorinator."""
    for run in (_heat, _light_up, _chlorinate):
        run(pool.pool, True)
    await pool.live(60)
    pool.controller.faults.on("refuse")
    await pool.live(120)
    assert pool.source == "cloud"
    begun = {key: exact(pool, key) for key in KEYS}
    await pool.live(300)
    gained = {key: exact(pool, key) - begun[key] for key in KEYS}
    assert gained["pool_heater_run_hours"] == hours(300)
    assert gained["uv_run_hours"] == hours(300)
    assert gained["chlorinator_run_hours"] == gained["ozone_run_hours"] == 0


# Reset


async def reset(home: Home, key: str) -> None:
    """Run the action on a sensor."""
    target = {"entity_id": home.entity_id("sensor", key)}
    await home.hass.services.async_call(
        DOMAIN, "reset_run_hours", target, blocking=True
    )


async def test_a_new_lamp(pool: Home) -> None:
    _light_up(pool.pool, True)
    await pool.live(600)
    assert float(pool.value("sensor", "uv_run_hours")) > 0
    ozone = exact(pool, "ozone_run_hours")
    await reset(pool, "uv_run_hours")
    assert pool.value("sensor", "uv_run_hours") == "0.0"
    assert exact(pool, "ozone_run_hours") == ozone
    await pool.restart()
    assert pool.value("sensor", "uv_run_hours") == "0.0"
    await pool.live(300)
    assert exact(pool, "uv_run_hours") == hours(300)
    # The controller is sent nothing.
    assert not pool.actions and not pool.cloud_writes


async def test_only_run_hours_begin_anew(pool: Home) -> None:
    await pool.live(60)
    before = exact(pool, "pump_running_today")
    with pytest.raises(ServiceNotSupported):
        await reset(pool, "pump_running_today")
    assert exact(pool, "pump_running_today") == before > 0


# Which sensors exist


async def test_unasked_they_are_disabled(full: Home) -> None:
    for key in KEYS:
        entry = full.registered("sensor", key)
        assert entry is not None
        assert entry.disabled_by is er.RegistryEntryDisabler.INTEGRATION
