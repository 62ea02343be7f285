"""Spa mode: one switch for all actuators, and the heaters that follow."""

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN

from .conftest import Service, entity_id, value
from .test_commands import call
from .test_heating import HEATER, SOLAR, SPA_HEATER, refresh, shown

pytestmark = pytest.mark.usefixtures("quick")

RETURN, SUCTION, EXTRA_1, EXTRA_2 = 10, 11, 19, 20
"""The slots of the actuators of the full pool."""


async def test_actuators_have_no_switch_but_spa_mode(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    registry = er.async_get(hass)
    for slot in (RETURN, SUCTION, EXTRA_1, EXTRA_2, HEATER, SOLAR, SPA_HEATER):
        unique_id = f"{service.full.device_id}_slot_{slot}"
        assert registry.async_get_entity_id("switch", DOMAIN, unique_id) is None


async def test_spa_mode(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """One request moves all actuators; heater and temperature follow."""
    assert value(hass, "switch", service.full, "spa_mode") == "off"
    seen = len(service.full.requests)
    await call(hass, "switch", "turn_on", service.full, "spa_mode")
    (request,) = service.full.requests[seen:]
    assert (request.name, request.payload) == ("aux", bytes([RETURN, 1, 1]))
    assert value(hass, "switch", service.full, "spa_mode") == "on"
    slots = service.full.pool.slots
    assert all(slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    service.clock.advance(20)
    await refresh(full, service)
    assert slots[SPA_HEATER].on and not slots[HEATER].on
    spa, pool = shown(hass, service, "spa"), shown(hass, service, "pool")
    assert (spa["hvac_action"], pool["hvac_action"]) == ("heating", "idle")
    assert spa["current_temperature"] is not None
    assert pool["current_temperature"] is None

    await call(hass, "switch", "turn_off", service.full, "spa_mode")
    assert not any(slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    assert shown(hass, service, "spa")["current_temperature"] is None
    assert shown(hass, service, "pool")["current_temperature"] is not None


async def test_spa_mode_is_assumed_where_nobody_tells_it(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    await call(hass, "switch", "turn_on", service.full, "spa_mode")
    service.cloud.not_offered.add("auxInfo")
    service.full.faults.on("refuse")
    for _ in range(2):
        await refresh(full, service)
    assert value(hass, "sensor", service.full, "connection") == "cloud"
    state = hass.states.get(entity_id(hass, "switch", service.full, "spa_mode"))
    assert state is not None and state.state == "on"
    assert state.attributes["assumed_state"] is True


async def test_spa_mode_goes_back_to_its_schedule(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    await call(hass, "switch", "turn_on", service.full, "spa_mode")
    assert service.full.pool.slots[RETURN].held
    await call(hass, "poolctl", "resume_schedule", service.full, "spa_mode")
    assert service.full.requests[-1].payload == bytes([RETURN, 0, 0])
    service.clock.advance(2)
    await refresh(full, service)
    assert not any(slot.held for slot in service.full.pool.slots)
    assert value(hass, "switch", service.full, "spa_mode") == "off"


async def test_spa_mode_while_the_lan_dies(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """The same command twice is the same: the cloud carries it, if there is one."""
    service.full.faults.on("close_mid_body", "aux")
    service.clock.speed = 50
    await call(hass, "switch", "turn_on", service.full, "spa_mode")
    assert [r.name for r in service.cloud.requests if r.method == "POST"] == [
        "manualSet"
    ]
    assert value(hass, "switch", service.full, "spa_mode") == "on"
    service.clock.advance(5)
    service.full.pool.update()
    assert service.full.pool.spa_mode

    service.full.faults.clear()
    service.full.faults.on("refuse")
    service.cloud.faults.on("refuse")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, "switch", "turn_off", service.full, "spa_mode")
    assert caught.value.translation_key == "not_reached"
    assert service.full.pool.spa_mode
