"""Lights, from Home Assistant to the relay that flaps, and what a person may choose."""

from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller, wire
from tests.simulator.raw import until

from .conftest import Service, advance, entity_id, set_up, value

pytestmark = pytest.mark.usefixtures("quick")

POOL_LIGHT, SPA_LIGHT, DECK_LIGHT = 1, 2, 17
"""Slots of the full pool; slot 1 is the small pool's only light."""
LIGHT, SPA, DECK = "slot_1", "slot_2", "slot_17"


async def call(
    hass: HomeAssistant,
    action: str,
    controller: Controller,
    key: str,
    **data: Any,
) -> None:
    """Do what a person does with an entity; `action` is `domain.action`."""
    domain, _, name = action.partition(".")
    target = entity_id(
        hass, "light" if domain == "poolctl" else domain, controller, key
    )
    await hass.services.async_call(
        domain, name, {"entity_id": target, **data}, blocking=True
    )


def light(hass: HomeAssistant, controller: Controller, key: str = LIGHT) -> State:
    """Return a light as it is shown."""
    state = hass.states.get(entity_id(hass, "light", controller, key))
    assert state is not None
    return state


def shown(
    hass: HomeAssistant, controller: Controller, key: str = LIGHT
) -> tuple[str, str | None]:
    """Return whether a light is on, and its effect."""
    state = light(hass, controller, key)
    return state.state, state.attributes.get("effect")


def sent(controller: Controller) -> list[tuple[int, int, int]]:
    """Return slot, light type and colour of every show the controller was given."""
    commands = [
        wire.decode_cmd(request.payload or b"")[1]
        for request in controller.requests
        if request.name == "cmd"
    ]
    return [(b["slot"], b["light_type"], b["light_color"]) for b in commands]


def buttons(hass: HomeAssistant, controller: Controller) -> set[str]:
    """Return the keys of the buttons of all lights that there are."""
    prefix = f"{controller.device_id}_"
    return {
        entry.unique_id.removeprefix(prefix)
        for entry in er.async_get(hass).entities.values()
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


async def go_on(
    hass: HomeAssistant,
    service: Service,
    freezer: FrozenDateTimeFactory,
    seconds: float,
) -> None:
    """Let time pass for the pool and for Home Assistant, a poll at a time."""
    for _ in range(round(seconds / 15)):
        service.clock.advance(15)
        await advance(hass, service, freezer, 15)


# Shows


async def test_a_show(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Shown at once and steadily, whatever the relay does."""
    assert shown(hass, service.full) == ("off", None)
    events = async_capture_events(hass, "state_changed")
    await call(hass, "light.turn_on", service.full, LIGHT, effect="spring_equinox")
    assert sent(service.full) == [(POOL_LIGHT, 2, 11)]
    assert shown(hass, service.full) == ("on", "spring_equinox")

    seen = set()
    for _ in range(20):
        service.clock.advance(0.3)
        seen.add(relay(service.full))
        await call(hass, "button.press", service.full, "refresh")
        await advance(hass, service, freezer, 0.3)
        assert shown(hass, service.full) == ("on", "spring_equinox")
    await go_on(hass, service, freezer, 30)
    assert shown(hass, service.full) == ("on", "spring_equinox")
    assert seen == {True, False}
    assert relay(service.full)
    assert service.full.pool.lights["pool"] == [2, 11]

    entity = entity_id(hass, "light", service.full, LIGHT)
    of_light = [e for e in events if e.data["entity_id"] == entity]
    assert {e.data["new_state"].state for e in of_light} == {"on"}
    # Turned on with its effect in one go.
    assert of_light[0].data["new_state"].attributes["effect"] == "spring_equinox"


async def test_the_preference_belongs_to_all_lights_of_the_pool(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    for key in (LIGHT, DECK):
        await call(hass, "light.turn_on", service.full, key)
    assert shown(hass, service.full, LIGHT) == ("on", "white")
    await call(hass, "light.turn_on", service.full, LIGHT, effect="red")
    assert shown(hass, service.full, DECK) == ("on", "red")
    assert shown(hass, service.full, SPA) == ("off", None)


async def test_on_and_off(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    await call(hass, "light.turn_on", service.full, LIGHT)
    assert service.full.requests[-1].payload == b"\x01\x01\x01"
    assert relay(service.full)
    state = light(hass, service.full)
    assert (state.state, state.attributes["color_mode"]) == ("on", "onoff")
    assert state.attributes["supported_color_modes"] == ["onoff"]
    assert "assumed_state" not in state.attributes
    await call(hass, "light.turn_off", service.full, LIGHT)
    assert service.full.requests[-1].payload == b"\x01\x00\x01"
    assert not relay(service.full)
    assert shown(hass, service.full) == ("off", None)
    assert sent(service.full) == []


async def test_off_while_a_show_is_being_set(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    await call(hass, "light.turn_on", service.full, LIGHT, effect="red")
    service.clock.advance(3)
    await call(hass, "light.turn_off", service.full, LIGHT)
    assert shown(hass, service.full) == ("off", None)
    service.clock.advance(10)
    await call(hass, "button.press", service.full, "refresh")
    assert shown(hass, service.full) == ("off", None)


async def test_an_unknown_effect(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    seen = len(service.full.requests)
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "light.turn_on", service.full, LIGHT, effect="disco")
    assert caught.value.translation_key == "unknown_effect"
    assert str(caught.value).startswith(
        "Pool Light has no effect named disco. It has: blue,"
    )
    assert len(service.full.requests) == seen
    assert shown(hass, service.full) == ("off", None)


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
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    fault: str,
    error: str,
    action: str,
    domain_key: str,
    data: dict[str, str],
) -> None:
    seen = len(service.full.requests)
    service.full.faults.on(fault)
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, action, service.full, domain_key, **data)
    assert caught.value.translation_key == error
    assert len(service.full.requests) - seen <= 1  # never twice
    assert shown(hass, service.full) == ("off", None)
    if fault == "decline":
        service.clock.advance(5)
        assert not relay(service.full)


async def test_the_lan_dies_while_it_is_under_way(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    service.full.faults.on("hang")
    task = hass.async_create_task(
        call(hass, "light.turn_on", service.full, LIGHT, effect="red")
    )
    requests = service.full.requests
    await until(lambda: requests[-1].name == "cmd")
    seen = len(requests)
    await service.full.stop()
    with pytest.raises(HomeAssistantError) as caught:
        await task
    assert caught.value.translation_key == "not_reached"
    assert len(requests) == seen
    assert shown(hass, service.full) == ("off", None)
    await service.full.start()


# Schedules


async def test_resume_schedule(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """The same action for lights and switches, also in one call."""
    await call(hass, "light.turn_on", service.full, LIGHT)
    await call(hass, "switch.turn_on", service.full, "slot_3")
    assert held(service.full) == [1, 3]
    both = [
        entity_id(hass, "light", service.full, LIGHT),
        entity_id(hass, "switch", service.full, "slot_3"),
    ]
    await hass.services.async_call(
        DOMAIN, "resume_schedule", {"entity_id": both}, blocking=True
    )
    assert held(service.full) == []
    service.clock.advance(2)
    assert not relay(service.full)


# Cloud only


async def test_without_the_lan(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """It goes on and off; shows are honest about what they need."""
    await set_up(hass, service, service.entry())
    service.clock.speed = 50
    assert shown(hass, service.small) == ("off", None)
    assert "effect_list" not in light(hass, service.small).attributes
    await call(hass, "light.turn_on", service.small, LIGHT)
    service.clock.advance(5)
    assert relay(service.small)
    assert shown(hass, service.small) == ("on", None)

    assert value(hass, "select", service.small, "pool_light_type") == "unknown"
    option = {"option": "spa_electrics_multi_plus"}
    await call(hass, "select.select_option", service.small, "pool_light_type", **option)
    writes = len([r for r in service.cloud.requests if r.method == "POST"])
    for action, key, data in (
        ("light.turn_on", LIGHT, {"effect": "blue"}),
        ("button.press", "slot_1_light_resync", {}),
        ("poolctl.resume_schedule", LIGHT, {}),
    ):
        with pytest.raises(ServiceValidationError) as caught:
            await call(hass, action, service.small, key, **data)
        assert caught.value.translation_key == "not_supported"
    assert len([r for r in service.cloud.requests if r.method == "POST"]) == writes
    await call(
        hass, "select.select_option", service.small, "pool_light_type", option="other"
    )
    assert buttons(hass, service.small) == set()
    assert shown(hass, service.small) == ("on", None)
