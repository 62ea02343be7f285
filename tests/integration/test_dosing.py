"""Dosing: from an action in Home Assistant to the settings of the pool, and back."""

import asyncio
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.upkeep.memory import DATA_MEMORY, Memory
from tests.simulator import settings as sim_settings
from tests.simulator.raw import until

from .conftest import Service, entity_id, restart, set_up, value
from .test_commands import call

pytestmark = pytest.mark.usefixtures("quick")

# domain, action, key, data, what is shown then, settings of the pool that change
COMMANDS: list[tuple[str, str, str, dict[str, Any], str, dict[str, float]]] = [
    ("number", "set_value", "desired_ph", {"value": 7.2}, "7.2", {"desired_ph": 72}),
    ("number", "set_value", "desired_orp_mineral", {"value": 700}, "700",
     {"desired_orp_mineral": 700}),
    ("number", "set_value", "desired_orp_liquid", {"value": 720}, "720",
     {"desired_orp_liquid": 720}),
    ("number", "set_value", "acid_drum", {"value": 15.5}, "15.5",
     {"acid_drum": 15_500}),
    ("number", "set_value", "chlorine_drum", {"value": 25}, "25.0",
     {"chlorine_drum": 25_000}),
    ("switch", "turn_off", "ph_dosing", {}, "off", {"ph_dosing": 0}),
    ("switch", "turn_off", "chlorinator", {}, "off", {"orp_flags": 2}),
    ("switch", "turn_off", "liquid_chlorine", {}, "off", {"orp_flags": 1}),
    ("button", "press", "refill_acid", {}, "20.0", {"acid_remaining": 20_000}),
    ("button", "press", "refill_chlorine", {}, "20.0",
     {"chlorine_remaining": 20_000}),
]  # fmt: skip
EVERY_COMMAND = pytest.mark.parametrize(
    ("domain", "action", "key", "data", "shown", "changes"),
    COMMANDS,
    ids=[row[2] for row in COMMANDS],
)


@pytest.fixture(autouse=True)
def still_water(service: Service) -> None:
    """Take no dose by itself, so that what changes is what was asked for."""
    service.full.pool.water.drift = 0.0
    service.full.pool.water.ph, service.full.pool.water.orp = 7.2, 800


@pytest.fixture(autouse=True)
def hurried(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for more values of a slider, nor for the pace of the service."""
    monkeypatch.setattr(
        "custom_components.poolctl.client.control.pending.Coalescer.__init__.__defaults__",
        (0.0,),
    )
    service.clock.speed = 50


async def cloud_only(
    hass: HomeAssistant, service: Service, *not_offered: str
) -> MockConfigEntry:
    """Set up the fully equipped pool without its LAN."""
    service.account.sites = service.account.sites[1:]
    service.cloud.not_offered |= {*not_offered}
    return await set_up(hass, service, service.entry())


def shown_as(hass: HomeAssistant, service: Service, domain: str, key: str) -> str:
    """Return what is shown of what a command changes."""
    if domain == "button":
        domain, key = "sensor", f"{key.removeprefix('refill_')}_remaining"
    return value(hass, domain, service.full, key)


@EVERY_COMMAND
async def test_a_command(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    """Shown at once, and nothing else is written."""
    before = dict(service.full.pool.settings)
    task = hass.async_create_task(call(hass, domain, action, service.full, key, **data))
    await until(lambda: shown_as(hass, service, domain, key) == shown)
    await task
    assert shown_as(hass, service, domain, key) == shown
    assert dict(service.full.pool.settings) == before | changes
    coordinator = full.runtime_data.controllers[service.full.device_id]
    await coordinator.async_refresh()
    assert shown_as(hass, service, domain, key) == shown
    assert [r for r in service.cloud.requests if r.method == "POST"] == []
    if domain == "switch":
        await call(hass, domain, "turn_on", service.full, key)
        assert dict(service.full.pool.settings) == before
        assert shown_as(hass, service, domain, key) == "on"


@EVERY_COMMAND
async def test_refused(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    before = dict(service.full.pool.settings)
    was = shown_as(hass, service, domain, key)
    service.full.faults.on("decline")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, domain, action, service.full, key, **data)
    assert caught.value.translation_key == "refused"
    assert dict(service.full.pool.settings) == before
    assert shown_as(hass, service, domain, key) == was != shown
    assert [r for r in service.cloud.requests if r.method == "POST"] == []


@pytest.mark.parametrize("fault", ["refuse", "close_mid_body"])
@EVERY_COMMAND
async def test_the_lan_dies(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
    fault: str,
) -> None:
    """Without the cloud it is told; with it, it goes that way."""
    before = dict(service.full.pool.settings)
    was = shown_as(hass, service, domain, key)
    service.full.faults.on(fault)
    service.cloud.faults.on("refuse")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, domain, action, service.full, key, **data)
    assert caught.value.translation_key == "not_reached"
    assert shown_as(hass, service, domain, key) == was
    assert dict(service.full.pool.settings) == before

    service.cloud.faults.off("refuse")
    await call(hass, domain, action, service.full, key, **data)
    assert shown_as(hass, service, domain, key) == shown
    assert dict(service.full.pool.settings) == before | changes


@EVERY_COMMAND
async def test_without_a_lan(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    await cloud_only(hass, service)
    before = dict(service.full.pool.settings)
    await call(hass, domain, action, service.full, key, **data)
    assert shown_as(hass, service, domain, key) == shown
    assert dict(service.full.pool.settings) == before | changes


@EVERY_COMMAND
async def test_without_a_lan_and_refused(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    await cloud_only(hass, service)
    before = dict(service.full.pool.settings)
    was = shown_as(hass, service, domain, key)
    service.full.faults.on("decline")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, domain, action, service.full, key, **data)
    assert caught.value.translation_key == "service_refused"
    assert dict(service.full.pool.settings) == before
    assert shown_as(hass, service, domain, key) == was != shown


async def test_a_service_that_only_reads(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """Where the writing endpoints are not offered, a person is told so."""
    await cloud_only(hass, service, "setPhSettings", "setChlorineSettings")
    before = dict(service.full.pool.settings)
    for domain, action, key, data, shown, _ in COMMANDS:
        was = shown_as(hass, service, domain, key)
        with pytest.raises(ServiceValidationError) as caught:
            await call(hass, domain, action, service.full, key, **data)
        assert caught.value.translation_key == "not_supported"
        assert shown_as(hass, service, domain, key) == was != shown
    assert dict(service.full.pool.settings) == before


async def test_a_service_that_tells_no_settings(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """What only `chemistryCard` tells is absent; the dashboard's pH target is not."""
    await cloud_only(hass, service, "chemistryCard")
    prefix = f"{service.full.device_id}_"
    keys = {
        (entry.domain, entry.unique_id.removeprefix(prefix))
        for entry in er.async_get(hass).entities.values()
    }
    assert ("number", "desired_ph") in keys
    assert not keys & {row[:3:2] for row in COMMANDS if "desired" not in row[2]}
    for substance in ("acid", "chlorine"):
        assert not keys & {
            ("sensor", f"{substance}_remaining"),
            ("sensor", f"{substance}_doses_today"),
            ("binary_sensor", f"{substance}_low"),
            ("number", f"{substance}_low_level"),
        }
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "number", "set_value", service.full, "desired_ph", value=7.2)
    assert caught.value.translation_key == "not_supported"


async def test_what_is_not_fitted_is_not_there(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    names = [state.entity_id for state in hass.states.async_all()]
    for name in ("acid", "chlorin", "ph_dosing", "desired"):
        assert not [entity for entity in names if name in entity]


# Whole objects


async def test_several_settings_of_one_object_at_once(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    before = dict(service.full.pool.settings)
    await asyncio.gather(
        *(
            call(hass, domain, action, service.full, key, **data)
            for domain, action, key, data, *_ in COMMANDS
            if domain != "button"
        )
    )
    changes = {
        k: v for row in COMMANDS if row[0] != "button" for k, v in row[5].items()
    }
    assert dict(service.full.pool.settings) == before | changes | {"orp_flags": 0}


@pytest.mark.parametrize("path", ["lan", "cloud"])
async def test_neither_the_app_nor_a_later_firmware_loses_anything(
    hass: HomeAssistant,
    service: Service,
    credentials: None,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
) -> None:
    """Keys we do not know are kept, and so is what the app has just changed."""
    for keys in (sim_settings.PH, sim_settings.CHLORINE):
        monkeypatch.setitem(keys, "of_next_year", sim_settings.Key("of_next_year"))
    service.full.pool.settings["of_next_year"] = 7
    if path == "cloud":
        await cloud_only(hass, service)
    else:
        service.account.sites = service.account.sites[1:]
        await set_up(hass, service, service.entry(service.full))
    edits = {"max_ph_doses": 3, "liquid_dose_time": 40, "desired_ph": 76}
    service.full.pool.settings |= edits
    before = dict(service.full.pool.settings)
    service.clock.advance(32)  # the cloud's copies have it now
    await asyncio.sleep(0.2)
    await call(hass, "number", "set_value", service.full, "acid_drum", value=18)
    await call(hass, "number", "set_value", service.full, "chlorine_drum", value=19)
    changes = {"acid_drum": 18_000, "chlorine_drum": 19_000}
    assert dict(service.full.pool.settings) == before | changes


async def test_a_drum_without_a_size(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """Nobody knows how full it is, and a person is told what to do first."""
    service.full.pool.settings["acid_drum"] = 0
    coordinator = full.runtime_data.controllers[service.full.device_id]
    await coordinator.async_refresh()
    for domain, key in (
        ("number", "acid_drum"),
        ("sensor", "acid_remaining"),
        ("binary_sensor", "acid_low"),
        ("number", "acid_low_level"),
    ):
        assert value(hass, domain, service.full, key) == "unknown"
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "button", "press", service.full, "refill_acid")
    assert caught.value.translation_key == "drum_without_size"
    assert "Set it first" in str(caught.value)

    await call(hass, "number", "set_value", service.full, "acid_drum", value=15)
    await call(hass, "button", "press", service.full, "refill_acid")
    assert value(hass, "sensor", service.full, "acid_remaining") == "15.0"
    assert value(hass, "binary_sensor", service.full, "acid_low") == "off"


# Nearly empty


@pytest.mark.parametrize("substance", ["acid", "chlorine"])
async def test_nearly_empty(
    hass: HomeAssistant, service: Service, full: MockConfigEntry, substance: str
) -> None:
    coordinator = full.runtime_data.controllers[service.full.device_id]
    low, level = f"{substance}_low", f"{substance}_low_level"

    def shown() -> str:
        return value(hass, "binary_sensor", service.full, low)

    async def left(millilitres: int) -> str:
        service.full.pool.settings[f"{substance}_remaining"] = millilitres
        await coordinator.async_refresh()
        return shown()

    assert value(hass, "number", service.full, level) == "10"
    assert await left(2_001) == "off"
    assert await left(2_000) == "on"
    # A person wants to know later, or sooner.
    await call(hass, "number", "set_value", service.full, level, value=5)
    assert shown() == "off"
    assert await left(1_000) == "on"
    await call(hass, "number", "set_value", service.full, level, value=4)
    assert shown() == "off"
    await call(hass, "number", "set_value", service.full, level, value=20)
    assert shown() == "on"
    events = async_capture_events(hass, "state_changed")
    await call(hass, "button", "press", service.full, f"refill_{substance}")
    assert shown() == "off"
    alarms = [e for e in events if e.data["entity_id"].endswith("_nearly_empty")]
    assert [e.data["new_state"].state for e in alarms] == ["off"]
    with pytest.raises(ServiceValidationError):
        await call(hass, "number", "set_value", service.full, level, value=51)


@pytest.mark.parametrize("older_store", [False, True])
async def test_what_is_nearly_empty_is_kept_over_a_restart(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    hass_storage: dict[str, Any],
    older_store: bool,
) -> None:
    requests = len(service.full.requests)
    await call(hass, "number", "set_value", service.full, "acid_low_level", value=25)
    assert len(service.full.requests) == requests  # it is Home Assistant's own

    memory = hass.data[DATA_MEMORY]
    await memory._store.async_save(memory._data())
    if older_store:
        kept = hass_storage[DOMAIN]["data"][service.full.device_id]
        del kept["acid_low_level"], kept["chlorine_low_level"]
    assert await hass.config_entries.async_unload(full.entry_id)
    hass.data[DATA_MEMORY] = Memory(hass)
    await hass.data[DATA_MEMORY].async_load()
    await restart(hass, service, full)
    level = value(hass, "number", service.full, "acid_low_level")
    assert level == ("10" if older_store else "25")
    assert value(hass, "number", service.full, "chlorine_low_level") == "10"


async def test_entities_of_the_dosing(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """Units and classes, as a person sees them."""
    for domain, key, name, attributes in (
        ("number", "acid_drum", "Acid drum size",
         {"min": 1, "max": 200, "step": 0.1, "mode": "box",
          "device_class": "volume_storage", "unit_of_measurement": "L"}),
        ("number", "chlorine_low_level", "Chlorine nearly empty below",
         {"min": 1, "max": 50, "step": 1, "unit_of_measurement": "%"}),
        ("sensor", "acid_doses_today", "Acid doses today",
         {"state_class": "total_increasing", "unit_of_measurement": "doses"}),
        ("binary_sensor", "acid_low", "Acid nearly empty", {"device_class": "problem"}),
        ("switch", "chlorinator", "Automatic chlorination", {}),
        ("button", "refill_chlorine", "Chlorine refilled", {}),
    ):  # fmt: skip
        state = hass.states.get(entity_id(hass, domain, service.full, key))
        assert state is not None
        assert state.name == f"Beach pool {name}"
        assert attributes.items() <= state.attributes.items()
