"""From an action in Home Assistant to the relay, and every way it can go wrong."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from tests.simulator import Controller
from tests.simulator.raw import until

from .conftest import Service, entity_id, set_up, value

pytestmark = pytest.mark.usefixtures("quick")

WATERFALL = 2
"""The slot of a general output of the small pool."""


async def call(
    hass: HomeAssistant,
    domain: str,
    action: str,
    controller: Controller,
    key: str,
    **data: Any,
) -> None:
    """Do what a person does with an entity."""
    entity_domain = "switch" if domain == "poolctl" else domain
    target = {"entity_id": entity_id(hass, entity_domain, controller, key)}
    await hass.services.async_call(domain, action, {**target, **data}, blocking=True)


async def test_a_switch_costs_one_request_and_shows_the_confirmed_state(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    events = async_capture_events(hass, "state_changed")
    seen = len(service.small.requests)
    await call(hass, "switch", "turn_on", service.small, f"slot_{WATERFALL}")

    (request,) = service.small.requests[seen:]
    assert (request.op, request.name, request.payload) == ("a", "aux", b"\x02\x01\x01")
    assert service.small.pool.slots[WATERFALL].on
    assert value(hass, "switch", service.small, f"slot_{WATERFALL}") == "on"
    (change,) = [e for e in events if e.data["entity_id"].endswith("_waterfall")]
    assert change.data["new_state"].state == "on"
    assert "assumed_state" not in change.data["new_state"].attributes

    await call(hass, "switch", "turn_off", service.small, f"slot_{WATERFALL}")
    assert service.small.requests[-1].payload == b"\x02\x00\x01"
    assert not service.small.pool.slots[WATERFALL].on


async def test_resume_schedule(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """The action gives one slot back, the button all of them."""
    await call(hass, "switch", "turn_on", service.small, f"slot_{WATERFALL}")
    assert service.small.pool.slots[WATERFALL].held
    await call(hass, "poolctl", "resume_schedule", service.small, f"slot_{WATERFALL}")
    assert service.small.requests[-1].payload == b"\x02\x00\x00"
    assert not service.small.pool.slots[WATERFALL].held

    for key in (f"slot_{WATERFALL}", "slot_3"):
        await call(hass, "switch", "turn_on", service.small, key)
    await call(hass, "button", "press", service.small, "resume_schedules")
    assert not any(slot.held for slot in service.small.pool.slots)


async def test_pump(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    assert value(hass, "switch", service.small, "pump") == "on"
    task = hass.async_create_task(
        call(hass, "switch", "turn_off", service.small, "pump")
    )
    # The reply cannot confirm a `cmd`: the asked value is shown meanwhile.
    await until(lambda: value(hass, "switch", service.small, "pump") == "off")
    service.clock.advance(200)
    await task
    assert value(hass, "switch", service.small, "pump") == "off"
    assert not service.small.pool.pump.running

    # While it stands still a speed is kept for the next start; nothing is sent.
    seen = len(service.small.requests)
    await call(hass, "number", "set_value", service.small, "pump_speed", value=60)
    assert len(service.small.requests) == seen
    assert value(hass, "number", service.small, "pump_speed") == "60"
    task = hass.async_create_task(
        call(hass, "switch", "turn_on", service.small, "pump")
    )
    await until(lambda: value(hass, "switch", service.small, "pump") == "on")
    service.clock.advance(60)
    await task
    assert service.small.pool.pump.speed == 60


@pytest.mark.parametrize(
    ("key", "wanted", "field"),
    [
        ("desired_ph", 7.2, "desired_ph"),
        ("desired_orp_mineral", 700, "desired_orp_mineral"),
        ("desired_orp_liquid", 720, "desired_orp_liquid"),
    ],
)
async def test_desired_values_leave_all_other_settings_alone(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    key: str,
    wanted: float,
    field: str,
) -> None:
    before = dict(service.full.pool.settings)
    task = hass.async_create_task(
        call(hass, "number", "set_value", service.full, key, value=wanted)
    )
    await until(lambda: float(value(hass, "number", service.full, key)) == wanted)
    service.clock.advance(2)
    await task
    raw = round(wanted * 10) if key == "desired_ph" else wanted
    after = dict(service.full.pool.settings)
    changed = {name for name in after if after[name] != before.get(name)}
    # Doses may have emptied the drums a little meanwhile.
    assert changed - {"acid_remaining", "chlorine_remaining"} == {field}
    assert after[field] == raw


@pytest.mark.parametrize(
    ("fault", "error", "key"),
    [
        ("decline", HomeAssistantError, "refused"),
        ("busy", HomeAssistantError, "busy"),
        ("refuse", HomeAssistantError, "not_reached"),
        ("close_mid_body", HomeAssistantError, "not_reached"),
        ("bad_tag", HomeAssistantError, "unexpected_answer"),
        ("garbage", HomeAssistantError, "unexpected_answer"),
    ],
)
async def test_failures_are_told_in_words(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    fault: str,
    error: type[HomeAssistantError],
    key: str,
) -> None:
    service.clock.speed = 100  # `busy` is answered after 2 s
    service.cloud.faults.on("refuse")
    service.small.faults.on(fault)
    with pytest.raises(error) as caught:
        await call(hass, "switch", "turn_on", service.small, f"slot_{WATERFALL}")
    assert caught.value.translation_key == key
    assert str(caught.value) != key


async def test_a_refusal_is_final(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    service.small.faults.on("decline")
    seen, cloud = len(service.small.requests), len(service.cloud.requests)
    with pytest.raises(HomeAssistantError):
        await call(hass, "switch", "turn_off", service.small, "pump")
    assert len(service.small.requests) == seen + 1
    assert len(service.cloud.requests) == cloud
    assert value(hass, "switch", service.small, "pump") == "on"


async def test_accepted_but_never_applied(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    service.small.faults.on("ignore_writes")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, "switch", "turn_on", service.small, f"slot_{WATERFALL}")
    assert caught.value.translation_key == "not_applied"
    assert value(hass, "switch", service.small, f"slot_{WATERFALL}") == "off"


async def test_the_pump_by_way_of_the_cloud(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """An idempotent command takes the other path when nobody answers on the first."""
    service.small.faults.on("refuse")
    service.clock.speed = 50
    await call(hass, "switch", "turn_off", service.small, "pump")
    assert [r.name for r in service.cloud.requests if r.method == "POST"] == [
        "setPumpInfo"
    ]
    service.clock.advance(200)
    assert not service.small.pool.pump.running
    assert value(hass, "switch", service.small, "pump") == "off"


async def test_a_controller_without_lan_is_switched_through_the_cloud(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    entry = service.entry()
    await set_up(hass, service, entry)
    service.clock.speed = 50
    key = f"slot_{WATERFALL}"
    assert value(hass, "switch", service.small, key) == "off"
    await call(hass, "switch", "turn_on", service.small, key)
    assert value(hass, "switch", service.small, key) == "on"
    service.clock.advance(5)
    assert service.small.pool.slots[WATERFALL].on
    writes = [r.name for r in service.cloud.requests if r.method == "POST"]
    assert writes == ["manualSet"]


async def test_what_only_the_lan_can_do_says_so(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """A controller without LAN: its pump's slot is not known from the dashboard."""
    service.cloud.not_offered.add("auxInfo")
    await set_up(hass, service, service.entry())
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "switch", "turn_off", service.small, "pump")
    assert caught.value.translation_key == "not_supported"
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "poolctl", "resume_schedule", service.small, "pump")
    assert caught.value.translation_key == "not_supported"


async def test_refresh(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    seen = len(service.small.requests)
    await call(hass, "button", "press", service.small, "refresh")
    assert [r.op for r in service.small.requests[seen:]] == ["state"]


async def test_unload_in_the_middle_of_a_command(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """The person is told, and nothing is left running."""
    service.full.faults.on("ignore_writes")
    task = hass.async_create_task(
        call(hass, "number", "set_value", service.full, "desired_ph", value=7.0)
    )
    await until(lambda: value(hass, "number", service.full, "desired_ph") == "7.0")
    assert await hass.config_entries.async_unload(full.entry_id)
    with pytest.raises(HomeAssistantError) as caught:
        await task
    assert caught.value.translation_key == "not_reached"
