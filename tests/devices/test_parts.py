"""The parts of a pool as devices: their entities, their names, and their actions."""

from collections import Counter, defaultdict
import re
from typing import Any

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import Event
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_device,
)
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.simulator import Controller

pytestmark = pytest.mark.usefixtures("freezer", "quick")

EMPTY, SPA_HEATER = 0, 19
GAS_HEATER_SLOT, SOLAR_SLOT = 4, 5
"""Slots of the full pool."""


def parts(home: Home) -> dict[str, dr.ChildDeviceEntry]:
    found = dr.async_entries_for_parent_device(
        dr.async_get(home.hass), home.device().id
    )
    return {part.name or "": part for part in found}


def page(home: Home, entity: er.RegistryEntry) -> dr.AnyDeviceEntry:
    """Return the device whose page an entity is on."""
    found = dr.async_get(home.hass).async_get(entity.device_id or "")
    assert found is not None
    return found


def pages(home: Home) -> Counter[str]:
    """Return how many enabled entities each page of the account has."""
    return Counter(
        page(home, entity).name or ""
        for entity in home.entities()
        if entity.disabled_by is None
    )


CONTROLS = {"button", "climate", "light", "number", "select", "switch"}


def only_disabled(home: Home) -> set[str]:
    """Return the cards of pages that show disabled entities and nothing else."""
    cards: dict[str, set[bool]] = defaultdict(set)
    for entity in home.entities():
        usual = "controls" if entity.domain in CONTROLS else "sensors"
        card = f"{page(home, entity).name}: {entity.entity_category or usual}"
        cards[card].add(entity.disabled_by is None)
    return {card for card, enabled in cards.items() if enabled == {False}}


MOST, MOST_OF_ITS_OWN = 73, 18
"""Most enabled entities of a full pool, and of the controller's own page."""


def _too_many(count: int, most: int, where: str) -> str:
    return (
        f"{count} of at most {most} enabled entities {where}: disable one that most people"
        " do not need (entity_registry_enabled_default=False)"
    )


# Entities of the parts


async def test_a_fully_equipped_pool(full: Home, subtests: pytest.Subtests) -> None:
    with subtests.test("what is fitted has a page"):
        names = {"Water", "Pump", "Heating", "Spa", "Dosing", "Lights", "Outputs"}
        assert parts(full).keys() == names
        assert pages(full).keys() == {*names, "Beach pool"}
        # A page fits a screen or two.
        for page_of, count in pages(full).items():
            assert count <= 20, _too_many(count, 20, f"on the page of {page_of}")
        # With five schedules 75, and the turnovers: this pool has three.
        total = pages(full).total()
        assert total <= MOST, _too_many(total, MOST, "of a full pool")
        own = pages(full)["Beach pool"]
        assert own <= MOST_OF_ITS_OWN, _too_many(own, MOST_OF_ITS_OWN, "of no part")

    with subtests.test("no card without an entity"):
        assert only_disabled(full) == set()

    # They contain the controller's name once, not the site's or the part's.
    with subtests.test("identifiers"):
        for entity in full.entities():
            assert entity.entity_id.count("beach_pool") == 1
            assert not re.search(r"(?<!expander)_\d$", entity.entity_id)

    with subtests.test("the running schedule has a name"):
        pump = full.state("switch", "pump").attributes
        assert pump["schedule"] == "Filter"


async def test_what_is_not_fitted_has_none(small: Home) -> None:
    assert parts(small).keys() == {"Water", "Pump", "Lights", "Outputs"}
    assert only_disabled(small) == set()


async def test_an_entity_changes_its_part(full: Home) -> None:
    """A slot with a new type moves to another part; an empty part is removed."""
    before = full.entity_id("binary_sensor", f"slot_{GAS_HEATER_SLOT}")
    for slot, kind in {GAS_HEATER_SLOT: SPA_HEATER, SOLAR_SLOT: EMPTY}.items():
        full.pool.slots[slot].aux_type = kind
    await full.advance(45, step=15)
    after = full.registered("binary_sensor", f"slot_{GAS_HEATER_SLOT}")
    assert after is not None
    assert after.entity_id == before
    assert page(full, after).name == "Spa"
    assert "Heating" not in parts(full)


@pytest.mark.parametrize("loaded", [True, False])
async def test_devices_deleted_by_hand(
    small: Home, hass_ws_client: WebSocketGenerator, loaded: bool
) -> None:
    """No controller of the account and no part of it can be deleted; others can."""
    assert await async_setup_component(small.hass, "config", {})
    registry = dr.async_get(small.hass)

    def known() -> set[str]:
        return {small.device().id, *(part.id for part in parts(small).values())}

    kept = known()
    stale = registry.async_get_or_create(
        config_entry_id=small.entry.entry_id,
        identifiers={(DOMAIN, "AA_BB_CC_99_99_99")},
    )
    if not loaded:
        await small.unload()
    client = await hass_ws_client(small.hass)
    for device_id in kept:
        assert not (await client.remove_device(device_id))["success"]
    assert (await client.remove_device(stale.id))["success"]
    await (small.restart() if loaded else small.start())
    assert known() == kept


@pytest.mark.usefixtures("small")
async def test_parts_go_with_their_controller(home: Home) -> None:
    assert parts(home)
    parent = home.device().id
    home.account.sites.clear()
    home.disconnect()
    home.cloud.faults.clear()
    for _ in range(3):
        await home.advance(3600, step=3600)
    devices = dr.async_get(home.hass)
    assert devices.async_get(parent) is None
    assert not dr.async_child_entries_for_config_entry(devices, home.entry.entry_id)


# A part as a target instead of its controller


async def test_parts_of_a_pool_that_is_renamed(
    home: Home, hass_client: ClientSessionGenerator
) -> None:
    """Entities have the new name once: from the vendor's app, or entered by a user."""
    await home.set_up(*home.service.controllers)
    pump, part = home.entity_id("switch", "pump"), parts(home)["Pump"]
    # Diagnostics of a part are those of its controller.
    assert await async_setup_component(home.hass, "diagnostics", {})
    found = await get_diagnostics_for_device(home.hass, hass_client, home.entry, part)
    assert len(found["controllers"]) == 1
    home.controller.name = "Lagoon"
    await home.advance(3600, step=3600)
    assert full_name(home, "switch", "pump") == "Lagoon Pump"
    devices = dr.async_get(home.hass)
    devices.async_update_device(home.device().id, name_by_user="Oasis")
    await home.settle()
    assert full_name(home, "switch", "pump") == "Oasis Pump"
    assert home.state_of(pump).name == "Pump"
    full = home.service.full
    assert full_name(home, "climate", "pool_heating", full) == "Beach pool Heating"


def full_name(home: Home, domain: str, key: str, of: Controller | None = None) -> str:
    """Return the name of an entity with those of its part and its controller."""
    entity = home.registered(domain, key, of)
    assert entity is not None
    return er.async_get_full_entity_name(home.hass, entity)


async def automate(home: Home, rules: dict[str, dict[str, Any]]) -> list[Event]:
    """Set up automations; return their events, which have their names."""
    config = [
        {**rule, "alias": name, "actions": {"event": "ran", "event_data": {"by": name}}}
        for name, rule in rules.items()
    ]
    assert await async_setup_component(home.hass, AUTOMATION, {AUTOMATION: config})
    await home.hass.async_block_till_done()
    events: list[Event] = async_capture_events(home.hass, "ran")
    return events


async def test_triggers_and_conditions_take_a_controller_or_a_part(full: Home) -> None:
    targets = {name: parts(full)[name].id for name in ("Water", "Pump")}
    targets["Beach pool"] = full.device().id
    in_range = {"reading": "ph", "lower_limit": 5, "upper_limit": 9}
    rules: dict[str, dict[str, Any]] = {
        name: {
            "triggers": {
                "trigger": f"{DOMAIN}.connection_changed",
                "target": {"device_id": target},
                "options": {"connection": ["cloud"]},
            },
            "conditions": {
                "condition": f"{DOMAIN}.reading_in_range",
                "target": {"device_id": target},
                "options": in_range,
            },
        }
        for name, target in targets.items()
    }
    events = await automate(full, rules)
    full.controller.faults.on("refuse")
    full.clock.speed = 200
    await full.live(60)
    assert full.source == "cloud"
    assert {event.data["by"] for event in events} == targets.keys()
    assert len(events) == 3


async def test_the_part_with_a_thermostat_is_that_thermostat(full: Home) -> None:
    """A trigger on the spa does not fire for the heating of the pool."""
    targets = {
        "spa": {"device_id": parts(full)["Spa"].id},
        "pool": {"entity_id": full.entity_id("climate", "pool_heating")},
    }
    trigger = f"{DOMAIN}.target_reached"
    rules: dict[str, dict[str, Any]] = {
        name: {"triggers": {"trigger": trigger, "target": target}}
        for name, target in targets.items()
    }
    events = await automate(full, rules)
    for temperature, action in ((None, "heating"), (40, "idle")):
        if temperature is not None:
            full.pool.water.temperature = temperature
            await full.advance(15)
        assert full.state("climate", "pool_heating").attributes["hvac_action"] == action
    assert [event.data["by"] for event in events] == ["pool"]


# Update on request


async def test_a_person_asks_for_a_new_reading(full: Home) -> None:
    assert await async_setup_component(full.hass, "homeassistant", {})
    full.pool.water.ph = 7.1
    reads = len(full.controller.requests)
    await full.hass.services.async_call(
        "homeassistant",
        "update_entity",
        {"entity_id": full.entity_id("sensor", "ph")},
        blocking=True,
    )
    await full.settle()
    assert len(full.controller.requests) > reads
    assert full.value("sensor", "ph") == "7.1"
