"""Dosing: from an action in Home Assistant to the settings of the pool, and back."""

import asyncio
from typing import Any

from homeassistant.exceptions import ServiceValidationError
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

from .home import Home, failure
from .service import Service

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


async def cloud_only(home: Home, *not_offered: str) -> MockConfigEntry:
    """Set up the fully equipped pool without its LAN."""
    home.own(home.service.full)
    home.cloud.not_offered |= {*not_offered}
    return await home.set_up()


def shown_as(home: Home, domain: str, key: str) -> str:
    """Return what is shown of what a command changes."""
    if domain == "button":
        domain, key = "sensor", f"{key.removeprefix('refill_')}_remaining"
    return home.value(domain, key)


@EVERY_COMMAND
async def test_a_command(
    full: Home,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    """Shown at once, and nothing else is written."""
    before = dict(full.pool.settings)
    task = full.hass.async_create_task(full.act(f"{domain}.{action}", key, **data))
    await until(lambda: shown_as(full, domain, key) == shown)
    await task
    assert shown_as(full, domain, key) == shown
    assert dict(full.pool.settings) == before | changes
    coordinator = full.entry.runtime_data.controllers[full.controller.device_id]
    await coordinator.async_refresh()
    assert shown_as(full, domain, key) == shown
    assert full.cloud_writes == []
    if domain == "switch":
        await full.act(f"{domain}.turn_on", key)
        assert dict(full.pool.settings) == before
        assert shown_as(full, domain, key) == "on"


@EVERY_COMMAND
async def test_refused(
    full: Home,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    before = dict(full.pool.settings)
    was = shown_as(full, domain, key)
    full.controller.faults.on("decline")
    with failure("refused"):
        await full.act(f"{domain}.{action}", key, **data)
    assert dict(full.pool.settings) == before
    assert shown_as(full, domain, key) == was != shown
    assert full.cloud_writes == []


@pytest.mark.parametrize("fault", ["refuse", "close_mid_body"])
@EVERY_COMMAND
async def test_the_lan_dies(
    full: Home,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
    fault: str,
) -> None:
    """Without the cloud it is told; with it, it goes that way."""
    before = dict(full.pool.settings)
    was = shown_as(full, domain, key)
    full.controller.faults.on(fault)
    full.cloud.faults.on("refuse")
    with failure("not_reached"):
        await full.act(f"{domain}.{action}", key, **data)
    assert shown_as(full, domain, key) == was
    assert dict(full.pool.settings) == before

    full.cloud.faults.off("refuse")
    await full.act(f"{domain}.{action}", key, **data)
    assert shown_as(full, domain, key) == shown
    assert dict(full.pool.settings) == before | changes


@EVERY_COMMAND
async def test_without_a_lan(
    home: Home,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    await cloud_only(home)
    before = dict(home.pool.settings)
    await home.act(f"{domain}.{action}", key, **data)
    assert shown_as(home, domain, key) == shown
    assert dict(home.pool.settings) == before | changes


@EVERY_COMMAND
async def test_without_a_lan_and_refused(
    home: Home,
    domain: str,
    action: str,
    key: str,
    data: dict[str, Any],
    shown: str,
    changes: dict[str, float],
) -> None:
    await cloud_only(home)
    before = dict(home.pool.settings)
    was = shown_as(home, domain, key)
    home.controller.faults.on("decline")
    with failure("service_refused"):
        await home.act(f"{domain}.{action}", key, **data)
    assert dict(home.pool.settings) == before
    assert shown_as(home, domain, key) == was != shown


async def test_a_service_that_only_reads(home: Home) -> None:
    """Where the writing endpoints are not offered, a person is told so."""
    await cloud_only(home, "setPhSettings", "setChlorineSettings")
    before = dict(home.pool.settings)
    for domain, action, key, data, shown, _ in COMMANDS:
        was = shown_as(home, domain, key)
        with failure("not_supported", ServiceValidationError):
            await home.act(f"{domain}.{action}", key, **data)
        assert shown_as(home, domain, key) == was != shown
    assert dict(home.pool.settings) == before


async def test_a_service_that_tells_no_settings(home: Home) -> None:
    """What only `chemistryCard` tells is absent; the dashboard's pH target is not."""
    await cloud_only(home, "chemistryCard")
    prefix = f"{home.controller.device_id}_"
    keys = {
        (entry.domain, entry.unique_id.removeprefix(prefix))
        for entry in er.async_get(home.hass).entities.values()
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
    with failure("not_supported", ServiceValidationError):
        await home.act("number.set_value", "desired_ph", value=7.2)


async def test_what_is_not_fitted_is_not_there(small: Home) -> None:
    names = [state.entity_id for state in small.hass.states.async_all()]
    for name in ("acid", "chlorin", "ph_dosing", "desired"):
        assert not [entity for entity in names if name in entity]


# Whole objects


async def test_several_settings_of_one_object_at_once(full: Home) -> None:
    before = dict(full.pool.settings)
    await asyncio.gather(
        *(
            full.act(f"{domain}.{action}", key, **data)
            for domain, action, key, data, *_ in COMMANDS
            if domain != "button"
        )
    )
    changes = {
        k: v for row in COMMANDS if row[0] != "button" for k, v in row[5].items()
    }
    assert dict(full.pool.settings) == before | changes | {"orp_flags": 0}


@pytest.mark.parametrize("path", ["lan", "cloud"])
async def test_neither_the_app_nor_a_later_firmware_loses_anything(
    home: Home, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Keys we do not know are kept, and so is what the app has just changed."""
    for keys in (sim_settings.PH, sim_settings.CHLORINE):
        monkeypatch.setitem(keys, "of_next_year", sim_settings.Key("of_next_year"))
    home.pool.settings["of_next_year"] = 7
    if path == "cloud":
        await cloud_only(home)
    else:
        home.own(home.service.full)
        await home.set_up(home.controller)
    edits = {"max_ph_doses": 3, "liquid_dose_time": 40, "desired_ph": 76}
    home.pool.settings |= edits
    before = dict(home.pool.settings)
    home.clock.advance(32)  # the cloud's copies have it now
    await asyncio.sleep(0.2)
    await home.act("number.set_value", "acid_drum", value=18)
    await home.act("number.set_value", "chlorine_drum", value=19)
    changes = {"acid_drum": 18_000, "chlorine_drum": 19_000}
    assert dict(home.pool.settings) == before | changes


async def test_a_drum_without_a_size(full: Home) -> None:
    """Nobody knows how full it is, and a person is told what to do first."""
    full.pool.settings["acid_drum"] = 0
    coordinator = full.entry.runtime_data.controllers[full.controller.device_id]
    await coordinator.async_refresh()
    for domain, key in (
        ("number", "acid_drum"),
        ("sensor", "acid_remaining"),
        ("binary_sensor", "acid_low"),
        ("number", "acid_low_level"),
    ):
        assert full.value(domain, key) == "unknown"
    with failure("drum_without_size", ServiceValidationError) as caught:
        await full.act("button.press", "refill_acid")
    assert "Set it first" in str(caught.value)

    await full.act("number.set_value", "acid_drum", value=15)
    await full.act("button.press", "refill_acid")
    assert full.value("sensor", "acid_remaining") == "15.0"
    assert full.value("binary_sensor", "acid_low") == "off"


# Nearly empty


@pytest.mark.parametrize("substance", ["acid", "chlorine"])
async def test_nearly_empty(full: Home, substance: str) -> None:
    coordinator = full.entry.runtime_data.controllers[full.controller.device_id]
    low, level = f"{substance}_low", f"{substance}_low_level"

    def shown() -> str:
        return full.value("binary_sensor", low)

    async def left(millilitres: int) -> str:
        full.pool.settings[f"{substance}_remaining"] = millilitres
        await coordinator.async_refresh()
        return shown()

    assert full.value("number", level) == "10"
    assert await left(2_001) == "off"
    assert await left(2_000) == "on"
    # A person wants to know later, or sooner.
    await full.act("number.set_value", level, value=5)
    assert shown() == "off"
    assert await left(1_000) == "on"
    await full.act("number.set_value", level, value=4)
    assert shown() == "off"
    await full.act("number.set_value", level, value=20)
    assert shown() == "on"
    events = async_capture_events(full.hass, "state_changed")
    await full.act("button.press", f"refill_{substance}")
    assert shown() == "off"
    alarms = [e for e in events if e.data["entity_id"].endswith("_nearly_empty")]
    assert [e.data["new_state"].state for e in alarms] == ["off"]
    with pytest.raises(ServiceValidationError):
        await full.act("number.set_value", level, value=51)


@pytest.mark.parametrize("older_store", [False, True])
async def test_what_is_nearly_empty_is_kept_over_a_restart(
    full: Home, hass_storage: dict[str, Any], older_store: bool
) -> None:
    requests = len(full.controller.requests)
    await full.act("number.set_value", "acid_low_level", value=25)
    assert len(full.controller.requests) == requests  # it is Home Assistant's own

    memory = full.hass.data[DATA_MEMORY]
    await memory._store.async_save(memory._data())
    if older_store:
        kept = hass_storage[DOMAIN]["data"][full.controller.device_id]
        del kept["acid_low_level"], kept["chlorine_low_level"]
    assert await full.hass.config_entries.async_unload(full.entry.entry_id)
    full.hass.data[DATA_MEMORY] = Memory(full.hass)
    await full.hass.data[DATA_MEMORY].async_load()
    await full.restart()
    level = full.value("number", "acid_low_level")
    assert level == ("10" if older_store else "25")
    assert full.value("number", "chlorine_low_level") == "10"


async def test_entities_of_the_dosing(full: Home) -> None:
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
        state = full.state(domain, key)
        assert state.name == f"Beach pool {name}"
        assert attributes.items() <= state.attributes.items()
