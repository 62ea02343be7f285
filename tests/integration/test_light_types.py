"""Kinds of light: who says what is fitted, and the buttons that come with it."""

from collections.abc import Callable
import json
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.light.const import LightEntityFeature
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.poolctl import light as light_module
from custom_components.poolctl.client.control.lights import LIGHT_GROUPS, LIGHT_TYPES
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.upkeep.memory import DATA_MEMORY, Memory

from .conftest import Service, entity_id, restart, settle, value
from .test_lights import (
    DECK,
    DECK_LIGHT,
    LIGHT,
    POOL_LIGHT,
    SPA,
    SPA_LIGHT,
    buttons,
    call,
    go_on,
    light,
    relay,
    sent,
    shown,
)

pytestmark = pytest.mark.usefixtures("quick")

FOLDER = Path(light_module.__file__).parent


async def go_on_until(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    condition: Callable[[], bool],
) -> None:
    """Let time pass until slow data is told, at the latest after the next round."""
    for _ in range(50):
        if condition():
            return
        await go_on(hass, service, freezer, 15)
    raise AssertionError("it has not come to be")


# Kinds of light


async def test_a_light_of_an_unknown_kind(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """It goes on and off, until a person says what it is."""
    assert value(hass, "select", service.small, "pool_light_type") == "other"
    state = light(hass, service.small)
    assert state.attributes["supported_features"] == 0
    assert "effect_list" not in state.attributes
    assert buttons(hass, service.small) == set()
    await call(hass, "light.turn_on", service.small, LIGHT, effect="blue")
    assert shown(hass, service.small) == ("on", None)
    assert sent(service.small) == []

    await call(
        hass,
        "select.select_option",
        service.small,
        "pool_light_type",
        option="aquaquip_instatouch",
    )
    state = light(hass, service.small)
    assert state.attributes["supported_features"] == LightEntityFeature.EFFECT
    assert len(state.attributes["effect_list"]) == 13
    assert state.attributes["effect"] is None
    await call(hass, "light.turn_on", service.small, LIGHT, effect="seaside")
    assert sent(service.small) == [(POOL_LIGHT, 1, 8)]
    assert shown(hass, service.small) == ("on", "seaside")
    registry = er.async_get(hass)
    entry = registry.async_get(state.entity_id)
    assert entry is not None
    assert entry.supported_features == LightEntityFeature.EFFECT


async def test_a_pool_without_spa_lights_has_no_choice_of_them(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    registry = er.async_get(hass)
    assert not registry.async_get_entity_id(
        "select", DOMAIN, f"{service.small.device_id}_spa_light_type"
    )


async def test_the_controller_knows_its_lights(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """A person's choice goes before it."""
    key = "pool_light_type"
    assert value(hass, "select", service.full, key) == "spa_electrics_multi_plus"
    assert (
        value(hass, "select", service.full, "spa_light_type") == "aquaquip_multi_colour"
    )
    assert light(hass, service.full, SPA).attributes["supported_features"] == 0
    await call(
        hass, "select.select_option", service.full, key, option="pal_colour_touch"
    )
    assert value(hass, "select", service.full, key) == "pal_colour_touch"
    await call(hass, "light.turn_on", service.full, DECK, effect="candela")
    assert sent(service.full) == [(DECK_LIGHT, 5, 8)]


@pytest.mark.parametrize("older_store", [False, True])
async def test_the_choice_is_remembered_over_a_restart(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    service: Service,
    full: MockConfigEntry,
    older_store: bool,
) -> None:
    key = "pool_light_type"
    await call(hass, "select.select_option", service.full, key, option="other")
    memory = hass.data[DATA_MEMORY]
    await memory._store.async_save(memory._data())
    kept = hass_storage[DOMAIN]["data"][service.full.device_id]
    assert (kept["pool_light_choice"], kept["spa_light_choice"]) == (0, None)
    if older_store:
        del kept["pool_light_choice"], kept["spa_light_choice"]
    assert await hass.config_entries.async_unload(full.entry_id)
    hass.data[DATA_MEMORY] = Memory(hass)
    await hass.data[DATA_MEMORY].async_load()
    await restart(hass, service, full)
    again = "spa_electrics_multi_plus" if older_store else "other"
    assert value(hass, "select", service.full, key) == again


def test_effects_and_kinds_of_light_have_names() -> None:
    entities = json.loads((FOLDER / "translations" / "en.json").read_text())["entity"]
    effects = {effect for kind in LIGHT_TYPES.values() for effect in kind.effects}
    assert len(effects) == 31
    for kind in LIGHT_GROUPS:
        names = entities["light"][kind.value]["state_attributes"]["effect"]["state"]
        assert set(names) == effects
    for group in LIGHT_GROUPS.values():
        options = entities["select"][f"{group.key}_light_type"]["state"]
        assert set(options) == {kind.key for kind in LIGHT_TYPES.values()}


# Buttons

MULTI_PLUS = {"brightness_down", "resync"}
BY_TURNS = {"next_colour", "sync"}


def keys(slot: int, actions: set[str]) -> set[str]:
    return {f"slot_{slot}_light_{action}" for action in actions}


async def test_buttons_come_and_go_with_the_kind_of_light(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    of_spa = keys(SPA_LIGHT, {*BY_TURNS, "save_colour"}) | keys(
        18, {*BY_TURNS, "save_colour"}
    )
    both = (POOL_LIGHT, DECK_LIGHT)
    assert buttons(hass, service.full) == of_spa.union(
        *(keys(slot, MULTI_PLUS) for slot in both)
    )
    for option, actions in (
        ("spa_electrics_multi_colour", BY_TURNS),
        ("pal_colour_touch", set()),
        ("spa_electrics_multi_plus", MULTI_PLUS),
        ("other", set()),
    ):
        await call(
            hass, "select.select_option", service.full, "pool_light_type", option=option
        )
        await settle(hass, service)
        assert buttons(hass, service.full) == of_spa.union(
            *(keys(slot, actions) for slot in both)
        )


async def test_a_start_into_the_cloud(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """What is only told on the LAN is neither shown nor taken away."""
    before = buttons(hass, service.full)
    removed = async_capture_events(
        hass,
        er.EVENT_ENTITY_REGISTRY_UPDATED,
    )
    service.cloud.not_offered.add("auxInfo")
    service.full.faults.on("refuse")
    await restart(hass, service, full)
    assert value(hass, "sensor", service.full, "connection") == "cloud"
    state = light(hass, service.full)
    assert (state.state, state.attributes["assumed_state"]) == ("unknown", True)
    assert "effect_list" not in state.attributes
    assert buttons(hass, service.full) == before

    service.full.faults.off("refuse")
    await restart(hass, service, full)
    state = light(hass, service.full)
    assert (state.state, "assumed_state" in state.attributes) == ("off", False)
    assert value(hass, "button", service.full, "slot_1_light_resync") == "unknown"
    assert not [e for e in removed if e.data["action"] == "remove"]


@pytest.mark.parametrize(
    ("key", "command"),
    [
        ("slot_1_light_brightness_down", (POOL_LIGHT, 2, 12)),
        ("slot_17_light_resync", (DECK_LIGHT, 2, 0)),
        ("slot_2_light_next_colour", (SPA_LIGHT, 4, 1)),
        ("slot_18_light_save_colour", (18, 4, 2)),
        ("slot_2_light_sync", (SPA_LIGHT, 4, 0)),
    ],
)
async def test_a_button_is_pressed(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    key: str,
    command: tuple[int, int, int],
) -> None:
    slot = command[0]
    await call(hass, "button.press", service.full, key)
    assert sent(service.full) == [command]
    for _ in range(10):
        assert shown(hass, service.full, f"slot_{slot}")[0] == "on"
        await go_on(hass, service, freezer, 15)
    assert relay(service.full, slot)
    assert not service.full.pool.slots[slot].flapping


async def test_a_button_is_named_after_its_light(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    def names() -> tuple[str, str]:
        button = hass.states.get(
            entity_id(hass, "button", service.full, "slot_1_light_resync")
        )
        assert button is not None
        return light(hass, service.full).name, button.name

    assert names() == ("Beach pool Pool Light", "Beach pool Pool Light resync")

    async def rename(name: str, shown_as: str) -> None:
        service.full.pool.slots[POOL_LIGHT].name = name
        wanted = f"Beach pool {shown_as}", f"Beach pool {shown_as} resync"
        await go_on_until(hass, service, freezer, lambda: names() == wanted)

    await rename("Big Eye", "Big Eye")
    await rename("", "Pool light")


async def test_a_slot_becomes_a_light_of_the_spa(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    of_spa, of_pool = {*BY_TURNS, "save_colour"}, keys(POOL_LIGHT, MULTI_PLUS)
    service.full.pool.slots[POOL_LIGHT].aux_type = 27
    await go_on_until(
        hass,
        service,
        freezer,
        lambda: keys(POOL_LIGHT, of_spa) <= buttons(hass, service.full),
    )
    assert not of_pool & buttons(hass, service.full)
    assert light(hass, service.full).attributes["supported_features"] == 0

    service.full.pool.slots[POOL_LIGHT].aux_type = 0
    await go_on(hass, service, freezer, 30)
    registry = er.async_get(hass)
    assert not registry.async_get_entity_id(
        "light", DOMAIN, f"{service.full.device_id}_{LIGHT}"
    )
    assert not {key for key in buttons(hass, service.full) if key.startswith("slot_1_")}


async def test_a_slot_becomes_a_light(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Nothing is called after what was there before."""
    slide = service.full.pool.slots[21]
    slide.aux_type, slide.name = 16, "Cave"
    wanted = keys(21, MULTI_PLUS)
    await go_on_until(
        hass, service, freezer, lambda: wanted <= buttons(hass, service.full)
    )
    for domain, key, end in (
        ("light", "slot_21", "_cave"),
        ("button", "slot_21_light_resync", "_cave_resync"),
    ):
        assert entity_id(hass, domain, service.full, key).endswith(end)
