"""Types of lights: where the type comes from, and its effects and buttons."""

from collections.abc import Callable
import json
from pathlib import Path

from homeassistant.components.light.const import LightEntityFeature
from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.poolctl import light as light_module
from custom_components.poolctl.client.pool.lights import LIGHT_GROUPS, LIGHT_TYPES
from tests.platforms.test_lights import (
    DECK,
    DECK_LIGHT,
    LIGHT,
    POOL_LIGHT,
    SPA,
    SPA_LIGHT,
    buttons,
    light,
    relay,
    sent,
    shown,
)
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only

pytestmark = pytest.mark.usefixtures("all_enabled", "quick")
few_platforms = only(Platform.BUTTON, Platform.LIGHT, Platform.SELECT)

FOLDER = Path(light_module.__file__).parent


async def go_on_until(home: Home, condition: Callable[[], bool]) -> None:
    """Let time pass until a condition holds, at most until all slow data is read."""
    for _ in range(50):
        if condition():
            return
        await home.live(15)
    raise AssertionError("it has not come to be")


# Types of lights


async def test_a_light_of_an_unknown_kind(small: Home) -> None:
    """It only turns on and off until the user selects its type."""
    assert small.value("select", "pool_light_type") == "other"
    state = light(small)
    assert state.attributes["supported_features"] == 0
    assert "effect_list" not in state.attributes
    assert buttons(small) == set()
    await small.act("light.turn_on", LIGHT, effect="blue")
    assert shown(small) == ("on", None)
    assert sent(small) == []

    await small.act(
        "select.select_option", "pool_light_type", option="aquaquip_instatouch"
    )
    state = light(small)
    assert state.attributes["supported_features"] == LightEntityFeature.EFFECT
    assert len(state.attributes["effect_list"]) == 13
    assert state.attributes["effect"] is None
    await small.act("light.turn_on", LIGHT, effect="seaside")
    assert sent(small) == [(POOL_LIGHT, 1, 8)]
    assert shown(small) == ("on", "seaside")
    entry = small.registered("light", LIGHT)
    assert entry is not None
    assert entry.supported_features == LightEntityFeature.EFFECT


async def test_the_controller_knows_its_lights(full: Home) -> None:
    """The controller reports the type, but the user's choice takes precedence."""
    key = "pool_light_type"
    assert full.value("select", key) == "spa_electrics_multi_plus"
    assert full.value("select", "spa_light_type") == "aquaquip_multi_colour"
    assert light(full, SPA).attributes["supported_features"] == 0
    await full.act("select.select_option", key, option="pal_colour_touch")
    assert full.value("select", key) == "pal_colour_touch"
    await full.act("light.turn_on", DECK, effect="candela")
    assert sent(full) == [(DECK_LIGHT, 5, 8)]
    # The choice is remembered over a restart.
    await full.act("select.select_option", key, option="other")
    await full.shut_down()
    await full.boot()
    assert full.value("select", key) == "other"


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


async def test_buttons_come_and_go_with_the_kind_of_light(full: Home) -> None:
    of_spa = keys(SPA_LIGHT, {*BY_TURNS, "save_colour"}) | keys(
        18, {*BY_TURNS, "save_colour"}
    )
    both = (POOL_LIGHT, DECK_LIGHT)
    assert buttons(full) == of_spa.union(*(keys(slot, MULTI_PLUS) for slot in both))
    for option, actions in (
        ("spa_electrics_multi_colour", BY_TURNS),
        ("pal_colour_touch", set()),
        ("spa_electrics_multi_plus", MULTI_PLUS),
        ("other", set()),
    ):
        await full.act("select.select_option", "pool_light_type", option=option)
        await full.settle()
        assert buttons(full) == of_spa.union(*(keys(slot, actions) for slot in both))


async def test_a_start_into_the_cloud(full: Home) -> None:
    """The types are known, which only the LAN reports; the colour may have changed."""
    await full.act("light.turn_on", LIGHT, effect="lime")
    assert shown(full)[1] == "lime"
    full.clock.advance(30)  # it goes on and off while it changes its colour
    before, effects = buttons(full), light(full).attributes["effect_list"]
    removed = async_capture_events(full.hass, er.EVENT_ENTITY_REGISTRY_UPDATED)
    full.cloud.not_offered.add("auxInfo")
    full.controller.faults.on("refuse")
    await full.restart()
    state = light(full)
    assert (state.state, state.attributes["assumed_state"]) == ("unknown", True)
    assert state.attributes["effect_list"] == effects
    assert state.attributes["effect"] is None
    assert buttons(full) == before

    full.controller.faults.off("refuse")
    await full.restart()
    state = light(full)
    assert (state.state, "assumed_state" in state.attributes) == ("on", False)
    assert full.value("button", "slot_1_light_resync") == "unknown"
    assert not [e for e in removed if e.data["action"] == "remove"]


@pytest.mark.usefixtures("freezer")
async def test_a_button_is_pressed(full: Home, subtests: pytest.Subtests) -> None:
    commands = {
        "slot_1_light_brightness_down": (POOL_LIGHT, 2, 12),
        "slot_17_light_resync": (DECK_LIGHT, 2, 0),
        "slot_2_light_next_colour": (SPA_LIGHT, 4, 1),
        "slot_18_light_save_colour": (18, 4, 2),
        "slot_2_light_sync": (SPA_LIGHT, 4, 0),
    }
    for key, command in commands.items():
        slot = command[0]
        with subtests.test(key):
            full.controller.requests.clear()
            full.pool.switch(slot, False)
            await full.live(15)
            assert shown(full, f"slot_{slot}")[0] == "off"
            await full.act("button.press", key)
            assert sent(full) == [command]
            for _ in range(10):
                assert shown(full, f"slot_{slot}")[0] == "on"
                await full.live(15)
            assert relay(full, slot)
            assert not full.pool.slots[slot].flapping


@pytest.mark.usefixtures("freezer")
async def test_a_button_is_named_after_its_light(full: Home) -> None:
    def names() -> tuple[str, str]:
        return light(full).name, full.state("button", "slot_1_light_resync").name

    assert names() == ("Lights Pool Light", "Lights Pool Light resync")

    async def rename(name: str, shown_as: str) -> None:
        full.pool.slots[POOL_LIGHT].name = name
        expected = f"Lights {shown_as}", f"Lights {shown_as} resync"
        await go_on_until(full, lambda: names() == expected)

    await rename("Big Eye", "Big Eye")
    await rename("", "Pool light")
