"""Lights, from Home Assistant to the relay that flaps, and what a person may choose."""

from typing import Any

from homeassistant.core import State
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller, wire
from tests.simulator.raw import until

from .home import Home, failure

pytestmark = pytest.mark.usefixtures("quick")

POOL_LIGHT, SPA_LIGHT, DECK_LIGHT = 1, 2, 17
"""Slots of the full pool; slot 1 is the small pool's only light."""
LIGHT, SPA, DECK = "slot_1", "slot_2", "slot_17"


async def call(
    home: Home, action: str, controller: Controller, key: str, **data: Any
) -> None:
    """Do what a person does with an entity; `action` is `domain.action`."""
    domain, _, name = action.partition(".")
    target = home.entity_id(
        "light" if domain == "poolctl" else domain, key, of=controller
    )
    await home.hass.services.async_call(
        domain, name, {"entity_id": target, **data}, blocking=True
    )


def light(home: Home, controller: Controller, key: str = LIGHT) -> State:
    """Return a light as it is shown."""
    state = home.state("light", key, of=controller)
    return state


def shown(
    home: Home, controller: Controller, key: str = LIGHT
) -> tuple[str, str | None]:
    """Return whether a light is on, and its effect."""
    state = light(home, controller, key)
    return state.state, state.attributes.get("effect")


def sent(controller: Controller) -> list[tuple[int, int, int]]:
    """Return slot, light type and colour of every show the controller was given."""
    commands = [
        wire.decode_cmd(request.payload or b"")[1]
        for request in controller.requests
        if request.name == "cmd"
    ]
    return [(b["slot"], b["light_type"], b["light_color"]) for b in commands]


def buttons(home: Home, controller: Controller) -> set[str]:
    """Return the keys of the buttons of all lights that there are."""
    prefix = f"{controller.device_id}_"
    return {
        entry.unique_id.removeprefix(prefix)
        for entry in er.async_get(home.hass).entities.values()
        if entry.domain == "button"
        and entry.unique_id.startswith(prefix)
        and "_light_" in entry.unique_id
    }


def relay(controller: Controller, slot: int = POOL_LIGHT) -> bool:
    """Return where the relay of a light is now."""
    controller.pool.update()
    return controller.pool.slots[slot].on


def held(controller: Controller) -> list[int]:
    """Return the slots that are held by hand."""
    return [number for number, slot in enumerate(controller.pool.slots) if slot.held]


async def go_on(home: Home, seconds: float) -> None:
    """Let time pass for the pool and for Home Assistant, a poll at a time."""
    for _ in range(round(seconds / 15)):
        home.clock.advance(15)
        await home.advance(15)


# Shows


async def test_a_show(full: Home) -> None:
    """Shown at once and steadily, whatever the relay does."""
    assert shown(full) == ("off", None)
    events = async_capture_events(full.hass, "state_changed")
    await full.act("light.turn_on", LIGHT, effect="spring_equinox")
    assert sent(full.controller) == [(POOL_LIGHT, 2, 11)]
    assert shown(full) == ("on", "spring_equinox")

    seen = set()
    for _ in range(20):
        full.clock.advance(0.3)
        seen.add(relay(full.controller))
        await full.act("button.press", "refresh")
        await full.advance(0.3)
        assert shown(full) == ("on", "spring_equinox")
    await go_on(full, 30)
    assert shown(full) == ("on", "spring_equinox")
    assert seen == {True, False}
    assert relay(full.controller)
    assert full.pool.lights["pool"] == [2, 11]

    entity = full.entity_id("light", LIGHT)
    of_light = [e for e in events if e.data["entity_id"] == entity]
    assert {e.data["new_state"].state for e in of_light} == {"on"}
    # Turned on with its effect in one go.
    assert of_light[0].data["new_state"].attributes["effect"] == "spring_equinox"


async def test_the_preference_belongs_to_all_lights_of_the_pool(full: Home) -> None:
    for key in (LIGHT, DECK):
        await full.act("light.turn_on", key)
    assert shown(full, LIGHT) == ("on", "white")
    await full.act("light.turn_on", LIGHT, effect="red")
    assert shown(full, DECK) == ("on", "red")
    assert shown(full, SPA) == ("off", None)


async def test_on_and_off(full: Home) -> None:
    await full.act("light.turn_on", LIGHT)
    assert full.controller.requests[-1].payload == b"\x01\x01\x01"
    assert relay(full.controller)
    state = light(full)
    assert (state.state, state.attributes["color_mode"]) == ("on", "onoff")
    assert state.attributes["supported_color_modes"] == ["onoff"]
    assert "assumed_state" not in state.attributes
    await full.act("light.turn_off", LIGHT)
    assert full.controller.requests[-1].payload == b"\x01\x00\x01"
    assert not relay(full.controller)
    assert shown(full) == ("off", None)
    assert sent(full.controller) == []


async def test_off_while_a_show_is_being_set(full: Home) -> None:
    await full.act("light.turn_on", LIGHT, effect="red")
    full.clock.advance(3)
    await full.act("light.turn_off", LIGHT)
    assert shown(full) == ("off", None)
    full.clock.advance(10)
    await full.act("button.press", "refresh")
    assert shown(full) == ("off", None)


async def test_an_unknown_effect(full: Home) -> None:
    seen = len(full.controller.requests)
    with failure("unknown_effect", ServiceValidationError) as caught:
        await full.act("light.turn_on", LIGHT, effect="disco")
    assert str(caught.value).startswith(
        "Pool Light has no effect named disco. It has: blue,"
    )
    assert len(full.controller.requests) == seen
    assert shown(full) == ("off", None)


@pytest.mark.parametrize(
    ("action", "domain_key", "data"),
    [
        ("light.turn_on", LIGHT, {"effect": "red"}),
        ("button.press", "slot_1_light_resync", {}),
    ],
)
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("decline", "refused"),
        ("close_mid_body", "not_reached"),
        ("refuse", "not_reached"),
        ("bad_tag", "unexpected_answer"),
    ],
)
async def test_what_goes_wrong_is_told_and_not_shown(
    full: Home,
    fault: str,
    error: str,
    action: str,
    domain_key: str,
    data: dict[str, str],
) -> None:
    seen = len(full.controller.requests)
    full.controller.faults.on(fault)
    with failure(error):
        await full.act(action, domain_key, **data)
    assert len(full.controller.requests) - seen <= 1  # never twice
    assert shown(full) == ("off", None)
    if fault == "decline":
        full.clock.advance(5)
        assert not relay(full.controller)


async def test_the_lan_dies_while_it_is_under_way(full: Home) -> None:
    full.controller.faults.on("hang")
    task = full.hass.async_create_task(full.act("light.turn_on", LIGHT, effect="red"))
    requests = full.controller.requests
    await until(lambda: requests[-1].name == "cmd")
    seen = len(requests)
    await full.controller.stop()
    with failure("not_reached"):
        await task
    assert len(requests) == seen
    assert shown(full) == ("off", None)
    await full.controller.start()


# Schedules


async def test_resume_schedule(full: Home) -> None:
    """The same action for lights and switches, also in one call."""
    await full.act("light.turn_on", LIGHT)
    await full.act("switch.turn_on", "slot_3")
    assert held(full.controller) == [1, 3]
    both = [
        full.entity_id("light", LIGHT),
        full.entity_id("switch", "slot_3"),
    ]
    await full.hass.services.async_call(
        DOMAIN, "resume_schedule", {"entity_id": both}, blocking=True
    )
    assert held(full.controller) == []
    full.clock.advance(2)
    assert not relay(full.controller)


# Cloud only


async def test_without_the_lan(home: Home) -> None:
    """It goes on and off; shows are honest about what they need."""
    await home.set_up()
    home.clock.speed = 50
    assert shown(home) == ("off", None)
    assert "effect_list" not in light(home).attributes
    await home.act("light.turn_on", LIGHT)
    home.clock.advance(5)
    assert relay(home.controller)
    assert shown(home) == ("on", None)

    assert home.value("select", "pool_light_type") == "unknown"
    option = {"option": "spa_electrics_multi_plus"}
    await home.act("select.select_option", "pool_light_type", **option)
    writes = len(home.cloud_writes)
    for action, key, data in (
        ("light.turn_on", LIGHT, {"effect": "blue"}),
        ("button.press", "slot_1_light_resync", {}),
        ("poolctl.resume_schedule", LIGHT, {}),
    ):
        with failure("not_supported", ServiceValidationError):
            await home.act(action, key, **data)
    assert len(home.cloud_writes) == writes
    await home.act("select.select_option", "pool_light_type", option="other")
    assert buttons(home) == set()
    assert shown(home) == ("on", None)
