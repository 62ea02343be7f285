"""Heating and spa mode, from Home Assistant to the settings and relays of the pool."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceNotSupported, ServiceValidationError
from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl.client.pool.outputs import Outputs
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.equipment import HeatSource
from custom_components.poolctl.climate import CLIMATES
from tests.status.test_table import view
from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.assistant.unchanged import unchanged
from tests.world.simulator import pool as sim_pool, wire
from tests.world.simulator.raw import until

pytestmark = pytest.mark.usefixtures("all_enabled", "quick", "at_once")
few_platforms = only(Platform.CLIMATE, Platform.SWITCH)

HEATER, SOLAR, SPA_HEATER = 4, 5, 12
ALL = sim_pool.POOL_HEATER | sim_pool.SOLAR | sim_pool.SPA_HEATER


def shown(home: Home, body: str) -> dict[str, Any]:
    state = home.state("climate", f"{body}_heating")
    return {"mode": state.state, **state.attributes}


def target(home: Home, body: str) -> Any:
    return shown(home, body)["temperature"]


def sources(home: Home) -> int:
    """Return the heat sources that may run, as bits of the simulated setting."""
    return int(home.pool.settings["heating"])


def changed(home: Home, before: dict[str, float]) -> dict[str, float]:
    """Return the settings that differ, except the drums, which every dose empties."""
    return {
        name: now
        for name, now in home.pool.settings.items()
        if now != before.get(name) and not name.endswith("_remaining")
    }


def written(home: Home) -> list[dict[str, Any]]:
    bodies = [
        wire.decode_cmd(request.payload or b"")
        for request in home.controller.requests
        if request.name == "cmd"
    ]
    return [body for name, body in bodies if name == "v2_temp_set"]


# States


async def test_what_is_not_known_is_not_shown(hass: HomeAssistant) -> None:
    """A target alone shows neither a mode nor an action."""
    state = PoolState(outputs=Outputs(types=(2, 19)), spa_target=36)
    pool, spa = CLIMATES
    reported = view(hass, state=state)
    assert pool.value_fn(reported) is None
    assert spa.value_fn(reported) == (36, None, None, None)
    heat = {**state.heat, HeatSource.SPA_HEATER: True}
    reported = replace(reported, state=replace(state, heat=heat))
    assert spa.value_fn(reported) == (36, None, "heat", None)


async def test_heating_comes_and_goes_with_its_equipment(full: Home) -> None:
    for slot, aux_type, keys in (
        (
            HEATER,
            0,
            {
                "pool_heating",
                "spa_heating",
                "solar_heating_allowed",
                "spa_heater_allowed",
            },
        ),
        (SOLAR, 0, {"spa_heating", "spa_heater_allowed"}),
        # one heater for both
        (
            SPA_HEATER,
            32,
            {
                "pool_heating",
                "spa_heating",
                "pool_heater_allowed",
                "spa_heater_allowed",
            },
        ),
    ):
        full.pool.slots[slot].aux_type = aux_type
        await full.refresh()
        await full.refresh()
        found = full.entity_keys("climate") | full.entity_keys("switch")
        assert {k for k in found if k.endswith(("_heating", "_allowed"))} == keys


# Targets


async def test_targets_and_modes(full: Home, subtests: pytest.Subtests) -> None:
    """Each action is one write, also if the mode comes with the target."""
    rows: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("set_temperature", {"temperature": 30, "hvac_mode": "off"}, "off"),
        ("set_temperature", {"temperature": 31, "hvac_mode": "heat"}, "heat"),
        ("set_hvac_mode", {"hvac_mode": "off"}, "off"),
        ("set_hvac_mode", {"hvac_mode": "heat"}, "heat"),
        ("turn_off", {}, "off"),
        ("turn_on", {}, "heat"),
        ("toggle", {}, "off"),
        ("toggle", {}, "heat"),
    )
    for key, off in (
        ("pool", sim_pool.SPA_HEATER),
        ("spa", sim_pool.POOL_HEATER | sim_pool.SOLAR),
    ):
        for action, data, mode in rows:
            with subtests.test(action, key=key, mode=mode):
                before, writes = dict(full.pool.settings), len(written(full))
                await full.act(f"climate.{action}", f"{key}_heating", **data)
                assert len(written(full)) == writes + 1
                assert sources(full) == (off if mode == "off" else ALL)
                assert shown(full, key)["mode"] == mode
                targets = {f"{key}_target"} if "temperature" in data else set[str]()
                assert changed(full, before).keys() == {"heating"} | targets
                assert target(full, key) == data.get("temperature", 31)


async def test_invalid_targets(full: Home, subtests: pytest.Subtests) -> None:
    full.controller.requests.clear()
    rows: tuple[tuple[dict[str, Any], str], ...] = (
        ({"temperature": 30, "hvac_mode": "cool"}, "not_valid_hvac_mode"),
        ({"temperature": 41}, "temp_out_of_range"),
        ({"temperature": 9}, "temp_out_of_range"),
    )
    for data, error in rows:
        with (
            subtests.test(str(data)),
            unchanged(full),
            failure(error, ServiceValidationError),
        ):
            await full.act("climate.set_temperature", "pool_heating", **data)
    # Heat sources have no schedules.
    with unchanged(full), pytest.raises(ServiceNotSupported):
        await full.act("poolctl.resume_schedule", "solar_heating_allowed")
    assert not full.controller.requests


async def test_each_step_in_fahrenheit(home: Home) -> None:
    """The controller has whole °C: a step of the card moves at least one of them."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    step = shown(home, "pool")["target_temp_step"]
    for steps in (step, -step, 1, -1):
        await home.act("climate.set_temperature", "pool_heating", temperature=82)
        assert (target(home, "pool"), home.pool.settings["pool_target"]) == (82, 28)
        for times in (1, 2, 3):
            wanted = target(home, "pool") + steps
            await home.act(
                "climate.set_temperature", "pool_heating", temperature=wanted
            )
            expected = 28 + (times if steps > 0 else -times)
            assert home.pool.settings["pool_target"] == expected
        # What is shown is no change.
        same = target(home, "pool")
        await home.act("climate.set_temperature", "pool_heating", temperature=same)
        assert home.pool.settings["pool_target"] == expected


# Sources


async def test_which_sources_may_run(full: Home) -> None:
    """The mode follows; what heated last is remembered over a restart."""
    before = dict(full.pool.settings)
    for key, bit in (
        ("pool_heater_allowed", sim_pool.POOL_HEATER),
        ("solar_heating_allowed", sim_pool.SOLAR),
        ("spa_heater_allowed", sim_pool.SPA_HEATER),
    ):
        assert full.value("switch", key) == "on"
        task = full.hass.async_create_task(full.act("switch.turn_off", key))
        await until(lambda: full.value("switch", key) == "off")  # noqa: B023
        await task
        assert sources(full) == ALL & ~bit
        assert changed(full, before).keys() == {"heating"}
        assert full.value("switch", key) == "off"
        await full.act("switch.turn_on", key)
        assert changed(full, before) == {}

    for key, mode in (
        ("pool_heater_allowed", "heat"),
        ("solar_heating_allowed", "off"),
    ):
        await full.act("switch.turn_off", key)
        assert shown(full, "pool")["mode"] == mode
    await full.refresh()
    assert shown(full, "pool")["hvac_action"] == "off"
    # Solar was the last one that was selected.
    for _ in range(2):
        await full.act("climate.turn_on", "pool_heating")
        assert sources(full) == sim_pool.SPA_HEATER | sim_pool.SOLAR
        await full.act("climate.turn_off", "pool_heating")
        assert sources(full) == sim_pool.SPA_HEATER
        await full.shut_down()
        await full.boot()


async def test_a_controller_that_lost_its_lan_for_good(full: Home) -> None:
    """Equipment is stored; targets are not, so that climates are unavailable."""
    await full.unload()
    full.controller.faults.on("refuse")
    await full.restart()
    assert {full.value("climate", f"{key}_heating") for key in ("pool", "spa")} == {
        "unavailable"
    }
    with failure("not_supported", ServiceValidationError):
        await full.act("switch.turn_off", "solar_heating_allowed")
    full.controller.faults.clear()
    await full.refresh()
    assert target(full, "pool") == 28


# Spa mode


@pytest.mark.usefixtures("freezer")
async def test_the_last_reading_of_the_spa(full: Home) -> None:
    """While other water circulates, it is shown with its time, but not as present."""
    assert "last_temperature" not in shown(full, "spa")
    await full.advance(15)  # one read alone may be odd
    await full.act("switch.turn_on", "spa_mode")
    await full.advance(330, step=30)
    warm = shown(full, "spa")["current_temperature"]
    assert "last_temperature" not in shown(full, "spa")
    assert "last_temperature" in shown(full, "pool")
    read = dt_util.utcnow().timestamp()

    await full.act("switch.turn_off", "spa_mode")
    await full.advance(600, step=30)
    await full.shut_down()
    await full.boot()
    spa = shown(full, "spa")
    assert spa["current_temperature"] is None
    assert spa["last_temperature"] == pytest.approx(warm, abs=0.2)
    at = datetime.fromisoformat(spa["measured_at"]).timestamp()
    assert at == pytest.approx(read, abs=60)
    assert spa["measured_at"].endswith("+00:00")  # as in every other attribute
    await full.advance(330, step=30)
    assert "measured_at" not in shown(full, "pool")


@pytest.mark.usefixtures("freezer")
async def test_a_restart_while_the_water_settles(full: Home) -> None:
    """What a probe in spa water reads is not the pool's after a restart."""
    await full.act("switch.turn_on", "spa_mode")
    await full.advance(330, step=30)
    await full.act("switch.turn_off", "spa_mode")
    await full.refresh()
    await full.shut_down()
    await full.boot()
    await full.advance(60, step=15)
    assert shown(full, "pool")["current_temperature"] is None
    await full.advance(330, step=30)
    assert shown(full, "pool")["current_temperature"] is not None


async def test_spa_mode_is_assumed_where_nobody_tells_it(full: Home) -> None:
    await full.act("switch.turn_on", "spa_mode")
    full.cloud.not_offered.add("auxInfo")
    full.controller.faults.on("refuse")
    full.clock.speed = 50
    for _ in range(2):
        await full.refresh()
    state = full.state("switch", "spa_mode")
    assert state.state == "on"
    assert state.attributes["assumed_state"] is True
