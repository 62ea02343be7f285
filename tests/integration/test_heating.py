"""Heating and spa mode, from Home Assistant to the settings and relays of the pool."""

import asyncio
from dataclasses import replace
from typing import Any

from homeassistant.components.climate.const import ClimateEntityFeature
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.poolctl.client.frame import Configuration
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.climate import CLIMATES
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.upkeep.memory import DATA_MEMORY, Memory
from tests.simulator import pool as sim_pool, wire
from tests.simulator.raw import until

from .conftest import Service, entity_id, restart, set_up, value
from .test_commands import call

pytestmark = pytest.mark.usefixtures("quick", "at_once")

HEATER, SOLAR, SPA_HEATER = 4, 5, 12
ALL = sim_pool.POOL_HEATER | sim_pool.SOLAR | sim_pool.SPA_HEATER


def shown(hass: HomeAssistant, service: Service, key: str) -> dict[str, Any]:
    """Return what a climate entity of the full pool shows."""
    state = hass.states.get(entity_id(hass, "climate", service.full, key))
    assert state is not None
    return {"mode": state.state, **state.attributes}


def target(hass: HomeAssistant, service: Service, key: str) -> Any:
    """Return the target temperature."""
    return shown(hass, service, key)["temperature"]


def sources(service: Service) -> int:
    """Return the heat sources that may run, as bits of the simulated setting."""
    return int(service.full.pool.settings["heating"])


def changed(service: Service, before: dict[str, float]) -> dict[str, float]:
    """Return the settings that differ; doses empty the drums all the time."""
    return {
        name: now
        for name, now in service.full.pool.settings.items()
        if now != before.get(name) and not name.endswith("_remaining")
    }


def written(service: Service) -> list[dict[str, Any]]:
    """Return the bodies of the heating commands the controller has run."""
    bodies = [
        wire.decode_cmd(request.payload or b"")
        for request in service.full.requests
        if request.name == "cmd"
    ]
    return [body for name, body in bodies if name == "v2_temp_set"]


async def refresh(entry: MockConfigEntry, service: Service) -> None:
    """Read the state now."""
    await entry.runtime_data.controllers[service.full.device_id].async_refresh()


# What is shown


async def test_what_a_person_sees(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    pool = shown(hass, service, "pool")
    assert (pool["mode"], pool["hvac_action"]) == ("heat", "heating")
    assert (pool["temperature"], pool["min_temp"], pool["max_temp"]) == (28, 10, 40)
    water = float(value(hass, "sensor", service.full, "water_temperature"))
    assert pool["current_temperature"] == water
    assert pool["target_temp_step"] == 1
    assert pool["hvac_modes"] == ["heat", "off"]
    assert pool["supported_features"] == (
        ClimateEntityFeature.TARGET_TEMPERATURE
        | ClimateEntityFeature.TURN_ON
        | ClimateEntityFeature.TURN_OFF
    )
    spa = shown(hass, service, "spa")
    assert (spa["mode"], spa["hvac_action"]) == ("heat", "idle")
    assert (spa["temperature"], spa["current_temperature"]) == (36, None)


def test_what_is_not_known_is_not_shown() -> None:
    """A target alone says neither whether it is heated to nor what runs."""
    configuration = Configuration(aux_types=(2, 19), spa_target=36)
    state = PoolState(configuration=configuration)
    pool, spa = CLIMATES
    assert pool.value_fn(state) is None
    assert spa.value_fn(state) == (36, None, None, None)
    told = replace(configuration, spa_heater_selected=True)
    assert spa.value_fn(replace(state, configuration=told)) == (36, None, "heat", None)


async def test_a_pool_that_nothing_heats(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    registry = er.async_get(hass)
    entities = er.async_entries_for_config_entry(registry, small.entry_id)
    assert not [e for e in entities if e.domain == "climate"]
    keys = {e.unique_id.removeprefix(service.small.device_id) for e in entities}
    assert not [key for key in keys if "selected" in key or "spa" in key]


async def test_heating_comes_and_goes_with_its_equipment(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    slots = service.full.pool.slots

    def there() -> set[str]:
        prefix = f"{service.full.device_id}_"
        entities = er.async_entries_for_config_entry(er.async_get(hass), full.entry_id)
        keys = {e.unique_id.removeprefix(prefix) for e in entities}
        return keys & {
            "pool",
            "spa",
            "pool_heater_selected",
            "solar_selected",
            "spa_heater_selected",
        }

    slots[HEATER].aux_type = 0
    await refresh(full, service)
    assert there() == {"pool", "spa", "solar_selected", "spa_heater_selected"}
    slots[SOLAR].aux_type = 0
    await refresh(full, service)
    assert there() == {"spa", "spa_heater_selected"}
    slots[SPA_HEATER].aux_type = 32  # one heater for both
    await refresh(full, service)
    assert there() == {
        "pool",
        "spa",
        "pool_heater_selected",
        "spa_heater_selected",
    }


# Targets


@pytest.mark.parametrize(("key", "field"), [("pool", 31), ("spa", 38)])
async def test_a_target_leaves_all_other_settings_alone(
    hass: HomeAssistant, service: Service, full: MockConfigEntry, key: str, field: int
) -> None:
    before, probes = dict(service.full.pool.settings), dict(service.full.pool.probes)
    events = async_capture_events(hass, "state_changed")
    task = hass.async_create_task(
        call(hass, "climate", "set_temperature", service.full, key, temperature=field)
    )
    await until(lambda: target(hass, service, key) == field)  # at once
    await task
    assert changed(service, before) == {f"{key}_target": field}
    assert service.full.pool.probes == probes
    assert target(hass, service, key) == field
    entity = entity_id(hass, "climate", service.full, key)
    seen = [
        event.data["new_state"].attributes["temperature"]
        for event in events
        if event.data["entity_id"] == entity
    ]
    assert set(seen) == {field}


async def test_the_mode_comes_with_the_target_in_one_write(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    climate = ("climate", "set_temperature", service.full, "pool")
    await call(hass, *climate, temperature=30, hvac_mode="off")
    assert len(written(service)) == 1
    assert sources(service) == sim_pool.SPA_HEATER
    assert service.full.pool.settings["pool_target"] == 30
    assert shown(hass, service, "pool")["mode"] == "off"

    await call(hass, *climate, temperature=31, hvac_mode="heat")
    assert len(written(service)) == 2
    assert sources(service) == ALL
    assert shown(hass, service, "pool")["mode"] == "heat"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({"temperature": 30, "hvac_mode": "cool"}, "not_valid_hvac_mode"),
        ({"temperature": 41}, "temp_out_of_range"),
        ({"temperature": 9}, "temp_out_of_range"),
    ],
)
async def test_what_cannot_be_asked(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    data: dict[str, Any],
    error: str,
) -> None:
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "climate", "set_temperature", service.full, "pool", **data)
    assert caught.value.translation_key == error
    assert written(service) == []


async def test_degrees_fahrenheit(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    hass.config.units = US_CUSTOMARY_SYSTEM
    service.account.sites = service.account.sites[1:]
    await set_up(hass, service, service.entry(service.full))
    climate = ("climate", "set_temperature", service.full, "spa")
    await call(hass, *climate, temperature=104)
    assert service.full.pool.settings["spa_target"] == 40
    assert target(hass, service, "spa") == 104
    await call(hass, *climate, temperature=99)
    assert service.full.pool.settings["spa_target"] == 37
    assert shown(hass, service, "pool")["min_temp"] == 50


# Modes and sources


@pytest.mark.parametrize(
    ("key", "off"),
    [
        ("pool", sim_pool.SPA_HEATER),
        ("spa", sim_pool.POOL_HEATER | sim_pool.SOLAR),
    ],
)
async def test_off_and_on(
    hass: HomeAssistant, service: Service, full: MockConfigEntry, key: str, off: int
) -> None:
    before = dict(service.full.pool.settings)
    for action, data, expected in (
        ("set_hvac_mode", {"hvac_mode": "off"}, off),
        ("set_hvac_mode", {"hvac_mode": "heat"}, ALL),
        ("turn_off", {}, off),
        ("turn_on", {}, ALL),
        ("toggle", {}, off),
        ("toggle", {}, ALL),
    ):
        await call(hass, "climate", action, service.full, key, **data)
        assert sources(service) == expected
        mode = "off" if expected == off else "heat"
        assert shown(hass, service, key)["mode"] == mode
        assert changed(service, before).keys() <= {"heating"}


@pytest.mark.parametrize(
    ("key", "bit"),
    [
        ("pool_heater_selected", sim_pool.POOL_HEATER),
        ("solar_selected", sim_pool.SOLAR),
        ("spa_heater_selected", sim_pool.SPA_HEATER),
    ],
)
async def test_which_sources_may_run(
    hass: HomeAssistant, service: Service, full: MockConfigEntry, key: str, bit: int
) -> None:
    before = dict(service.full.pool.settings)
    assert value(hass, "switch", service.full, key) == "on"
    task = hass.async_create_task(call(hass, "switch", "turn_off", service.full, key))
    await until(lambda: value(hass, "switch", service.full, key) == "off")
    await task
    assert sources(service) == ALL & ~bit
    assert changed(service, before).keys() == {"heating"}
    assert value(hass, "switch", service.full, key) == "off"
    await call(hass, "switch", "turn_on", service.full, key)
    assert changed(service, before) == {}


async def test_the_mode_follows_the_sources(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    await call(hass, "switch", "turn_off", service.full, "pool_heater_selected")
    assert shown(hass, service, "pool")["mode"] == "heat"
    await call(hass, "switch", "turn_off", service.full, "solar_selected")
    assert shown(hass, service, "pool")["mode"] == "off"
    await refresh(full, service)
    assert shown(hass, service, "pool")["hvac_action"] == "off"
    # Solar was the last one that was selected.
    await call(hass, "climate", "turn_on", service.full, "pool")
    assert value(hass, "switch", service.full, "pool_heater_selected") == "off"
    assert value(hass, "switch", service.full, "solar_selected") == "on"


@pytest.mark.parametrize("older_store", [False, True])
async def test_what_heated_last_is_remembered_over_a_restart(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    service: Service,
    full: MockConfigEntry,
    older_store: bool,
) -> None:
    await call(hass, "switch", "turn_off", service.full, "solar_selected")
    await call(hass, "climate", "turn_off", service.full, "pool")
    assert sources(service) == sim_pool.SPA_HEATER

    memory = hass.data[DATA_MEMORY]
    await memory._store.async_save(memory._data())
    if older_store:
        kept = hass_storage[DOMAIN]["data"][service.full.device_id]
        del kept["pool_sources"]
    assert await hass.config_entries.async_unload(full.entry_id)
    hass.data[DATA_MEMORY] = Memory(hass)
    await hass.data[DATA_MEMORY].async_load()
    await restart(hass, service, full)

    await call(hass, "climate", "turn_on", service.full, "pool")
    again = ALL if older_store else sim_pool.SPA_HEATER | sim_pool.POOL_HEATER
    assert sources(service) == again


async def test_target_and_source_at_once(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    before = dict(service.full.pool.settings)
    spa = {"temperature": 39}
    await asyncio.gather(
        call(hass, "climate", "set_temperature", service.full, "spa", **spa),
        call(hass, "switch", "turn_off", service.full, "solar_selected"),
        call(hass, "climate", "set_temperature", service.full, "pool", temperature=25),
    )
    assert changed(service, before) == {
        "spa_target": 39,
        "pool_target": 25,
        "heating": ALL & ~sim_pool.SOLAR,
    }


async def test_an_edit_in_the_app_is_not_overwritten(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    service.full.pool.settings |= {"spa_target": 33, "heating": sim_pool.SOLAR}
    service.full.pool.probes |= {"temp2_ch": 3}
    before, probes = dict(service.full.pool.settings), dict(service.full.pool.probes)
    await call(hass, "climate", "set_temperature", service.full, "pool", temperature=30)
    assert changed(service, before) == {"pool_target": 30}
    assert service.full.pool.probes == probes
    assert target(hass, service, "spa") == 33


async def test_the_water_is_heated_until_it_is_warm(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    await call(hass, "switch", "turn_off", service.full, "solar_selected")
    await call(hass, "climate", "set_temperature", service.full, "pool", temperature=30)
    await refresh(full, service)
    assert shown(hass, service, "pool")["hvac_action"] == "heating"
    assert value(hass, "binary_sensor", service.full, "pool_heater") == "on"
    start = shown(hass, service, "pool")["current_temperature"]
    service.clock.advance(3600)
    await refresh(full, service)
    assert shown(hass, service, "pool")["current_temperature"] > start + 1
    assert shown(hass, service, "pool")["hvac_action"] == "heating"
    service.clock.advance(2 * 3600)
    await refresh(full, service)
    warm = shown(hass, service, "pool")
    assert warm["current_temperature"] == pytest.approx(30, abs=0.3)
    assert (warm["mode"], warm["hvac_action"]) == ("heat", "idle")
    assert not service.full.pool.slots[HEATER].on


async def test_what_no_schedule_runs_says_so(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    seen = len(service.full.requests)
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "poolctl", "resume_schedule", service.full, "solar_selected")
    assert caught.value.translation_key == "not_scheduled"
    assert str(caught.value) != "not_scheduled"
    assert len(service.full.requests) == seen
