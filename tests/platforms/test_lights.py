"""Lights: on, off and effects, from Home Assistant to the relays of the pool."""

from typing import Any

from homeassistant.const import Platform
from homeassistant.core import State
from homeassistant.exceptions import ServiceValidationError
import pytest

from tests.world.assistant.home import Home, failure
from tests.world.assistant.platforms import only
from tests.world.simulator import wire

pytestmark = pytest.mark.usefixtures("all_enabled", "quick")
few_platforms = only(Platform.BUTTON, Platform.LIGHT, Platform.SELECT, Platform.SWITCH)

POOL_LIGHT, SPA_LIGHT, DECK_LIGHT = 1, 2, 17
"""Slots of the full pool; slot 1 is the small pool's only light."""
LIGHT, SPA, DECK = "slot_1", "slot_2", "slot_17"


def light(home: Home, key: str = LIGHT) -> State:
    return home.state("light", key)


def shown(home: Home, key: str = LIGHT) -> tuple[str, str | None]:
    state = light(home, key)
    return state.state, state.attributes.get("effect")


def sent(home: Home) -> list[tuple[int, int, int]]:
    """Return slot, light type and colour of every show that was sent."""
    commands = [
        wire.decode_cmd(request.payload or b"")[1]
        for request in home.controller.requests
        if request.name == "cmd"
    ]
    return [(b["slot"], b["light_type"], b["light_color"]) for b in commands]


def buttons(home: Home) -> set[str]:
    return {key for key in home.entity_keys("button") if "_light_" in key}


def relay(home: Home, slot: int = POOL_LIGHT) -> bool:
    return home.pool.slots[slot].on


def held(home: Home) -> list[int]:
    return [number for number, slot in enumerate(home.pool.slots) if slot.held]


# Shows


@pytest.mark.usefixtures("freezer")
async def test_a_show(full: Home) -> None:
    """An effect is shown at once and steadily while the relay switches."""
    assert shown(full) == ("off", None)
    states = full.follow("light", LIGHT)
    await full.act("light.turn_on", LIGHT, effect="spring_equinox")
    assert sent(full) == [(POOL_LIGHT, 2, 11)]
    assert shown(full) == ("on", "spring_equinox")

    states_of_relay = set()
    for _ in range(20):
        full.clock.advance(0.3)
        states_of_relay.add(relay(full))
        await full.refresh()
        await full.advance(0.3)
        assert shown(full) == ("on", "spring_equinox")
    await full.live(30)
    assert shown(full) == ("on", "spring_equinox")
    assert states_of_relay == {True, False}
    assert relay(full)
    assert full.pool.lights["pool"] == [2, 11]

    assert {state.state for state in states} == {"on"}
    # The first state already has the effect.
    assert states[0].attributes["effect"] == "spring_equinox"
    assert states[0].attributes["color_mode"] == "onoff"
    assert states[0].attributes["supported_color_modes"] == ["onoff"]
    await full.act("light.turn_off", LIGHT)
    assert not relay(full)
    assert shown(full) == ("off", None)


async def test_the_preference_belongs_to_all_lights_of_the_pool(full: Home) -> None:
    for key in (LIGHT, DECK):
        await full.act("light.turn_on", key)
    assert shown(full, LIGHT) == ("on", "white")
    await full.act("light.turn_on", LIGHT, effect="red")
    assert shown(full, DECK) == ("on", "red")
    assert shown(full, SPA) == ("off", None)


async def test_an_unknown_effect(full: Home) -> None:
    full.controller.requests.clear()
    with failure("unknown_effect", ServiceValidationError) as caught:
        await full.act("light.turn_on", LIGHT, effect="disco")
    assert str(caught.value).startswith(
        "Pool Light has no effect named disco. Its effects are: blue,"
    )
    assert not full.controller.requests
    assert shown(full) == ("off", None)


# Cloud only


async def test_without_the_lan(home: Home) -> None:
    """A light turns on and off; effects fail with an error, as they need the LAN."""
    await home.set_up()
    home.clock.speed = 50
    assert shown(home) == ("off", None)
    assert "effect_list" not in light(home).attributes
    await home.act("light.turn_on", LIGHT)
    home.clock.advance(5)
    assert relay(home)
    assert shown(home) == ("on", None)

    assert home.value("select", "pool_light_type") == "unknown"
    kind = "spa_electrics_multi_plus"
    await home.act("select.select_option", "pool_light_type", option=kind)
    writes = len(home.cloud_writes)
    rows: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("light.turn_on", LIGHT, {"effect": "blue"}),
        ("button.press", "slot_1_light_resync", {}),
        ("poolctl.resume_schedule", LIGHT, {}),
    )
    for action, key, data in rows:
        with failure("not_supported", ServiceValidationError):
            await home.act(action, key, domain="light", **data)
    assert len(home.cloud_writes) == writes
    await home.act("select.select_option", "pool_light_type", option="other")
    assert buttons(home) == set()
    assert shown(home) == ("on", None)
