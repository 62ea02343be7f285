"""What runs an output, who holds it by hand, and how it is given back."""

import json
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.light.const import DOMAIN as LIGHT
from homeassistant.components.switch.const import DOMAIN as SWITCH
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl import output_attributes
from custom_components.poolctl.client.equipment import AUX_TYPES, Role
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.switch import SWITCHED_ROLES
from tests.simulator import Controller
from tests.simulator.presets import ALL_DAY
from tests.simulator.raw import until
from tests.simulator.schedules import Schedule

from .conftest import Service, advance, entity_id, set_up, settle, value

pytestmark = pytest.mark.usefixtures("quick")

LIGHT_SLOT, WATERFALL, GARDEN = 1, 2, 3
"""Slots of the small pool."""
CLEANER = 9
"""A slot of the full pool that runs only with the pump."""


def shown(
    hass: HomeAssistant, domain: str, controller: Controller, key: str
) -> dict[str, Any]:
    """Return what an entity tells of what runs its output."""
    state = hass.states.get(entity_id(hass, domain, controller, key))
    assert state is not None
    names = (
        output_attributes.ATTR_MODE,
        output_attributes.ATTR_RUNNING_SCHEDULE,
        output_attributes.ATTR_HELD,
        output_attributes.ATTR_REASON,
    )
    return {name: state.attributes[name] for name in names if name in state.attributes}


async def act(
    hass: HomeAssistant,
    action: str,
    controller: Controller,
    key: str,
    domain: str = SWITCH,
) -> None:
    """Do what a person does with a switch or a light."""
    service, _, name = action.rpartition(".")
    target = {"entity_id": entity_id(hass, domain, controller, key)}
    await hass.services.async_call(service or domain, name, target, blocking=True)


@pytest.fixture
async def splash(hass: HomeAssistant, service: Service, credentials: None) -> Schedule:
    """Set up the small pool while a schedule runs its waterfall."""
    service.account.sites = service.account.sites[:1]
    schedule = Schedule(WATERFALL, 1, 0, 0, 0, 1439, 127, "Splash", True)
    service.small.pool.schedules[1] = schedule
    await set_up(hass, service, service.entry(service.small))
    return schedule


@pytest.mark.parametrize("give_back", ["poolctl.resume_schedule", "button.press"])
async def test_a_schedule_survives_being_held_off(
    hass: HomeAssistant,
    service: Service,
    splash: Schedule,
    freezer: FrozenDateTimeFactory,
    give_back: str,
) -> None:
    small, key = service.small, f"slot_{WATERFALL}"
    by_schedule = {"mode": "schedule", "schedule": "Splash", "held_by_hand": False}
    assert value(hass, SWITCH, small, key) == "on"
    assert shown(hass, SWITCH, small, key) == by_schedule

    await act(hass, "turn_off", small, key)
    assert shown(hass, SWITCH, small, key) == {"mode": "off", "held_by_hand": True}
    service.clock.advance(6 * 3600)
    await advance(hass, service, freezer, 15)
    assert value(hass, SWITCH, small, key) == "off"
    assert not small.pool.relays[WATERFALL]
    assert splash.enabled

    if give_back == "button.press":
        await act(hass, give_back, small, "resume_schedules", domain="button")
    else:
        await act(hass, give_back, small, key)
    service.clock.advance(2)
    await advance(hass, service, freezer, 15)
    assert small.pool.relays[WATERFALL]
    assert value(hass, SWITCH, small, key) == "on"
    assert shown(hass, SWITCH, small, key) == by_schedule


async def test_a_schedule_without_a_name(
    hass: HomeAssistant,
    service: Service,
    splash: Schedule,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Its number is shown, as soon as the controller tells that it has no name."""
    splash.name = ""
    await advance(hass, service, freezer, 315, step=15)
    assert shown(hass, SWITCH, service.small, f"slot_{WATERFALL}")["schedule"] == "2"


async def test_the_pump_shows_what_its_motor_does(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """Its slot says manual while the motor stands still (layouts.md 2.4)."""
    filtering = {"mode": "schedule", "schedule": "Filter", "held_by_hand": False}
    assert shown(hass, SWITCH, service.small, "pump") == filtering
    task = hass.async_create_task(act(hass, "turn_off", service.small, "pump"))
    await until(lambda: value(hass, SWITCH, service.small, "pump") == "off")
    service.clock.advance(200)
    await task
    assert service.small.pool.slots[0].mode == 99
    expected = {"mode": "off", "held_by_hand": True}
    assert shown(hass, SWITCH, service.small, "pump") == expected

    await act(hass, "poolctl.resume_schedule", service.small, "pump")
    service.clock.advance(2)
    await act(hass, "button.press", service.small, "refresh", domain="button")
    assert shown(hass, SWITCH, service.small, "pump") == filtering
    assert service.small.pool.pump.running


async def test_lights_and_spa_mode(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """Whatever a slot is, it tells what runs it and can be given back."""
    for domain, key in ((LIGHT, f"slot_{LIGHT_SLOT}"), (SWITCH, "spa_mode")):
        expected: dict[str, Any] = {"mode": "off", "held_by_hand": False}
        assert shown(hass, domain, service.full, key) == expected
        await act(hass, "turn_on", service.full, key, domain)
        expected = {"mode": "manual", "held_by_hand": True}
        assert shown(hass, domain, service.full, key) == expected
        await act(hass, "poolctl.resume_schedule", service.full, key, domain)
        assert shown(hass, domain, service.full, key)["held_by_hand"] is False
    assert not any(slot.held for slot in service.full.pool.slots)


async def test_a_whole_device_goes_back_to_its_schedules(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """What no schedule runs, such as which heat sources may run, is not meant.

    Home Assistant itself takes configuration for no part of a device's targets.
    """
    held = (LIGHT_SLOT, 3, 13)
    for slot in held:
        service.full.pool.switch(slot, True)
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, service.full.device_id), full.entry_id
    )
    assert device is not None
    await hass.services.async_call(
        DOMAIN, "resume_schedule", {"device_id": device.id}, blocking=True
    )
    assert not any(slot.held for slot in service.full.pool.slots)

    with pytest.raises(ServiceValidationError) as caught:
        await act(hass, "poolctl.resume_schedule", service.full, "solar_selected")
    assert caught.value.translation_key == "not_scheduled"


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ("decline", "refused"),
        ("close_mid_body", "not_reached"),
        ("refuse", "not_reached"),
    ],
)
async def test_giving_back_that_fails(
    hass: HomeAssistant, service: Service, small: MockConfigEntry, fault: str, key: str
) -> None:
    await act(hass, "turn_on", service.small, f"slot_{WATERFALL}")
    service.small.faults.on(fault)
    with pytest.raises(HomeAssistantError) as caught:
        await act(hass, "poolctl.resume_schedule", service.small, f"slot_{WATERFALL}")
    assert caught.value.translation_key == key
    assert shown(hass, SWITCH, service.small, f"slot_{WATERFALL}")["held_by_hand"]


async def test_what_runs_only_with_the_pump(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """It says so while the pump stands still; switching it on starts the pump."""
    key = f"slot_{CLEANER}"
    assert "reason" not in shown(hass, SWITCH, service.full, key)
    service.full.pool.switch(0, False)
    service.clock.advance(300)
    await advance(hass, service, freezer, 15)
    assert value(hass, SWITCH, service.full, "pump") == "off"
    assert shown(hass, SWITCH, service.full, key)["reason"] == "needs_pump"
    assert "reason" not in shown(hass, SWITCH, service.full, "slot_3")

    await act(hass, "turn_on", service.full, key)
    assert service.full.pool.pump.running
    assert value(hass, SWITCH, service.full, "pump") == "on"
    assert "reason" not in shown(hass, SWITCH, service.full, key)


async def test_what_the_firmware_runs_by_itself(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Each such output is shown with the reason why nobody switches it."""
    reasons = {
        **dict.fromkeys((4, 5, 12), "heating"),
        **dict.fromkeys((6, 7, 8), "dosing"),
        26: "no_relay",
    }
    registry = er.async_get(hass)
    for slot, reason in reasons.items():
        key = f"slot_{slot}"
        assert shown(hass, "binary_sensor", service.full, key) == {"reason": reason}
        unique_id = f"{service.full.device_id}_{key}"
        assert registry.async_get_entity_id(SWITCH, DOMAIN, unique_id) is None
        state = hass.states.get(entity_id(hass, "binary_sensor", service.full, key))
        assert state is not None
        assert state.name == f"Beach pool {service.full.pool.slots[slot].name}"

    pool = service.full.pool
    pool.settings["pool_target"] = round(pool.water.temperature) + 5
    service.clock.advance(60)
    await advance(hass, service, freezer, 15)
    assert pool.relays[4]
    assert value(hass, "binary_sensor", service.full, "slot_4") == "on"
    pool.settings["pool_target"] = 10
    service.clock.advance(60)
    await advance(hass, service, freezer, 15)
    assert value(hass, "binary_sensor", service.full, "slot_4") == "off"


async def test_the_cloud_does_not_say_why_an_output_runs(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    service.account.sites = service.account.sites[:1]
    service.small.pool.schedules[1] = Schedule(
        WATERFALL, 1, 0, 0, 0, 1439, 127, "Splash", True
    )
    service.small.pool.settle()
    await set_up(hass, service, service.entry())
    assert value(hass, SWITCH, service.small, f"slot_{WATERFALL}") == "on"
    assert shown(hass, SWITCH, service.small, f"slot_{WATERFALL}") == {}
    assert shown(hass, SWITCH, service.small, f"slot_{GARDEN}") == {"mode": "off"}
    # Of the pump the dashboard tells it (layouts.md 5).
    assert shown(hass, SWITCH, service.small, "pump")["mode"] == "schedule"


async def test_a_poll_that_changes_nothing_writes_nothing(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    pool = service.full.pool
    pool.water.drift = 0.0
    pool.switch(0, False)
    service.clock.advance(600)
    await advance(hass, service, freezer, 60, step=15)
    assert pool.schedules[0] == Schedule(*ALL_DAY)
    polls = len(service.full.requests)
    before = {state.entity_id: state.last_reported for state in hass.states.async_all()}
    await advance(hass, service, freezer, 60, step=15)
    assert len(service.full.requests) - polls == 4
    after = {state.entity_id: state.last_reported for state in hass.states.async_all()}
    assert after == before


async def test_a_hold_alone_is_news(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Somebody else, as with the vendor's app, holds off what was off."""
    key = f"slot_{GARDEN}"
    assert shown(hass, SWITCH, service.small, key)["held_by_hand"] is False
    service.small.pool.switch(GARDEN, False)
    await advance(hass, service, freezer, 15)
    assert value(hass, SWITCH, service.small, key) == "off"
    assert shown(hass, SWITCH, service.small, key)["held_by_hand"] is True
    await settle(hass, service)


# Texts: Home Assistant has no way to share them between keys, so each output has its own

FOLDER = Path(output_attributes.__file__).parent
ENGLISH = json.loads((FOLDER / "translations" / "en.json").read_text())["entity"]
OF_ANY_OUTPUT = {
    output_attributes.ATTR_MODE,
    output_attributes.ATTR_RUNNING_SCHEDULE,
    output_attributes.ATTR_HELD,
}
LINKED = {kind.kind for kind in AUX_TYPES.values() if kind.role is Role.PUMP_LINKED}
OUTPUTS = {
    SWITCH: {
        kind.kind for kind in AUX_TYPES.values() if kind.role in SWITCHED_ROLES
    } | {"general", "pump", "spa_mode"},
    LIGHT: {"pool_light", "spa_light"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "key"),
    [(domain, key) for domain in OUTPUTS for key in sorted(OUTPUTS[domain])],
)
def test_every_output_has_the_same_words(domain: str, key: str) -> None:
    texts = ENGLISH[domain][key]["state_attributes"]
    same = ENGLISH[SWITCH]["pump"]["state_attributes"]
    assert {name: texts[name] for name in OF_ANY_OUTPUT} == same
    assert set(texts["mode"]["state"]) == set(output_attributes.MODES)
    assert set(texts["held_by_hand"]["state"]) == {"true", "false"}
    assert (output_attributes.ATTR_REASON in texts) is (key in LINKED)
    if key in LINKED:
        assert texts["reason"] == ENGLISH[SWITCH]["uv"]["state_attributes"]["reason"]
        assert set(texts["reason"]["state"]) == {output_attributes.NEEDS_PUMP}


def test_every_reason_has_words() -> None:
    for role, reason in output_attributes.RUN_BY.items():
        texts = ENGLISH["binary_sensor"][f"{role}_output"]["state_attributes"]
        assert set(texts) == {output_attributes.ATTR_REASON}
        assert set(texts["reason"]["state"]) == {reason}
