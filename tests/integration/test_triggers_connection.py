"""The trigger that tells of the connection, and that a start triggers nothing."""

from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import Event, HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_capture_events,
)

from custom_components.poolctl.trigger import TRIGGERS

from .conftest import Service, advance, entity_id, restart, value
from .test_triggers import DRY, automate, device, poll, still_water, told

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("freezer", "quick", "still_water")


async def connection(
    hass: HomeAssistant, entry: MockConfigEntry, *to: str, **options: Any
) -> list[Event]:
    """Tell when the connection of a controller changed."""
    return await automate(
        hass,
        {
            "trigger": "poolctl.connection_changed",
            "target": device(hass, entry),
            "options": {"connection": list(to), **options},
        },
    )


async def test_every_change_of_the_connection(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    fired = await connection(hass, small, "lan", "cloud", "lost")
    service.small.faults.on("refuse")
    await poll(hass, service, freezer)
    assert told(fired, "connection") == []
    await poll(hass, service, freezer)
    assert told(fired, "connection") == ["cloud"]
    service.cloud.faults.on("refuse")
    await advance(hass, service, freezer, 120, step=15)
    assert told(fired, "connection") == ["lost"]
    service.cloud.faults.clear()
    await advance(hass, service, freezer, 60, step=15)
    assert told(fired, "connection") == ["cloud"]
    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=15)
    assert told(fired, "connection") == ["lan"]
    await advance(hass, service, freezer, 120, step=15)
    assert told(fired) == []


async def test_the_changes_that_were_chosen(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    fired = await connection(hass, small, "lost")
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.small, "connection") == "cloud"
    assert told(fired) == []
    service.cloud.faults.on("refuse")
    await advance(hass, service, freezer, 300, step=15)
    assert told(fired) == [entity_id(hass, "sensor", service.small, "connection")]


async def test_in_the_cloud_for_a_time(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    fired = await connection(hass, small, "cloud", **{"for": "00:10:00"})
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 540, step=15)
    assert value(hass, "sensor", service.small, "connection") == "cloud"
    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.small, "connection") == "lan"
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 600, step=15)
    assert told(fired) == []
    await advance(hass, service, freezer, 60, step=15)
    assert told(fired, "connection") == ["cloud"]
    await advance(hass, service, freezer, 900, step=15)
    assert told(fired) == []


async def test_what_waits_ends_with_the_automation_and_the_entity(
    hass: HomeAssistant,
    service: Service,
    small: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    fired = await connection(hass, small, "cloud", **{"for": {"minutes": 10}})
    sensor = entity_id(hass, "sensor", service.small, "connection")
    automation = {"entity_id": "automation.test"}
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=15)
    await hass.services.async_call(AUTOMATION, "turn_off", automation, blocking=True)
    await hass.services.async_call(AUTOMATION, "turn_on", automation, blocking=True)
    await advance(hass, service, freezer, 900, step=30)
    assert told(fired) == []

    service.small.faults.clear()
    await advance(hass, service, freezer, 60, step=15)
    service.small.faults.on("refuse")
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.small, "connection") == "cloud"
    # Hidden entities are no part of a device that is targeted.
    er.async_get(hass).async_update_entity(sensor, hidden_by=er.RegistryEntryHider.USER)
    await advance(hass, service, freezer, 900, step=30)
    assert told(fired) == []


# Starts


async def test_a_start_tells_nothing(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
) -> None:
    """What was so already is no news, neither at a start nor after a reload."""
    pool, target = service.full.pool, device(hass, full)
    await hass.config_entries.async_unload(full.entry_id)
    pool.water.ph, pool.water.orp, pool.pump.dry_run_status = 8.2, 500, DRY
    pool.settings |= {"acid_remaining": 100, "chlorine_remaining": 100}
    every = [
        {"trigger": f"poolctl.{name}", "target": target}
        for name in TRIGGERS
        if name != "connection_changed"
    ]
    everything = {
        "trigger": "poolctl.connection_changed",
        "target": target,
        "options": {"connection": ["lan", "cloud", "lost"]},
    }
    rule = {
        "alias": "Test",
        "triggers": [*every, everything],
        "actions": [{"event": "told"}],
    }
    assert await async_setup_component(hass, AUTOMATION, {AUTOMATION: [rule]})
    fired = async_capture_events(hass, "told")
    hass.async_create_task(hass.config_entries.async_setup(full.entry_id))
    await advance(hass, service, freezer, 60, step=15)
    assert value(hass, "sensor", service.full, "ph") == "8.2"
    assert value(hass, "sensor", service.full, "connection") == "lan"
    await restart(hass, service, full)
    await advance(hass, service, freezer, 30, step=15)
    assert value(hass, "binary_sensor", service.full, "dry_run") == "on"
    assert fired == []
