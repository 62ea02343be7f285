"""The trigger for changes of the connection, and starts, which trigger nothing."""

from typing import Any

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import Event
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.poolctl.trigger import TRIGGERS
from tests.automations.test_triggers import DRY, automate, device, still_water, told
from tests.world.assistant.home import Home

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("freezer", "quick", "still_water")


async def connection(home: Home, *to: str, **options: Any) -> list[Event]:
    """Return the events of an automation for changes of the connection."""
    return await automate(
        home,
        {
            "trigger": "poolctl.connection_changed",
            "target": device(home),
            "options": {"connection": list(to), **options},
        },
    )


async def test_every_change_of_the_connection(small: Home) -> None:
    fired = await connection(small, "lan", "cloud", "lost")
    small.controller.faults.on("refuse")
    await small.advance(15)
    assert told(fired, "connection") == []
    await small.advance(15)
    assert told(fired, "connection") == ["cloud"]
    small.cloud.faults.on("refuse")
    await small.advance(120, step=15)
    assert told(fired, "connection") == ["lost"]
    small.cloud.faults.clear()
    await small.advance(60, step=15)
    assert told(fired, "connection") == ["cloud"]
    small.controller.faults.clear()
    await small.advance(60, step=15)
    assert told(fired, "connection") == ["lan"]
    await small.advance(120, step=15)
    assert told(fired) == []


async def test_the_changes_that_were_chosen(small: Home) -> None:
    fired = await connection(small, "lost")
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    assert small.source == "cloud"
    assert told(fired) == []
    small.cloud.faults.on("refuse")
    await small.advance(300, step=30)
    assert told(fired) == [small.entity_id("sensor", "connection")]


async def test_in_the_cloud_for_a_time(small: Home) -> None:
    fired = await connection(small, "cloud", **{"for": "00:10:00"})
    small.controller.faults.on("refuse")
    await small.advance(540, step=30)
    assert small.source == "cloud"
    small.controller.faults.clear()
    await small.advance(60, step=15)
    assert small.source == "lan"
    small.controller.faults.on("refuse")
    await small.advance(600, step=30)
    assert told(fired) == []
    await small.advance(60, step=15)
    assert told(fired, "connection") == ["cloud"]
    await small.advance(900, step=60)
    assert told(fired) == []


async def test_what_waits_ends_with_the_automation_and_the_entity(small: Home) -> None:
    fired = await connection(small, "cloud", **{"for": {"minutes": 10}})
    sensor = small.entity_id("sensor", "connection")
    automation = {"entity_id": "automation.test"}
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    await small.hass.services.async_call(
        AUTOMATION, "turn_off", automation, blocking=True
    )
    await small.hass.services.async_call(
        AUTOMATION, "turn_on", automation, blocking=True
    )
    await small.advance(900, step=60)
    assert told(fired) == []

    small.controller.faults.clear()
    await small.advance(60, step=15)
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    assert small.source == "cloud"
    # Hidden entities are not part of a targeted device.
    er.async_get(small.hass).async_update_entity(
        sensor, hidden_by=er.RegistryEntryHider.USER
    )
    await small.advance(900, step=60)
    assert told(fired) == []


# Starts


async def test_a_start_tells_nothing(full: Home) -> None:
    """What applies already triggers nothing, neither at a start nor after a reload."""
    pool, target = full.pool, device(full)
    await full.unload()
    pool.water.ph, pool.water.orp, pool.pump.dry_run_status = 8.2, 500, DRY
    pool.settings |= {"acid_remaining": 100, "chlorine_remaining": 100}
    chosen = {
        "connection_changed": {"connection": ["lan", "cloud", "lost"]},
        "reading_out_of_range": {"reading": "ph"},
    }
    every = [
        {
            "trigger": f"poolctl.{name}",
            "target": target,
            "options": chosen.get(name, {}),
        }
        for name in TRIGGERS
    ]
    rule = {
        "alias": "Test",
        "triggers": every,
        "actions": [{"event": "told"}],
    }
    assert await async_setup_component(full.hass, AUTOMATION, {AUTOMATION: [rule]})
    fired = async_capture_events(full.hass, "told")
    full.hass.async_create_task(
        full.hass.config_entries.async_setup(full.entry.entry_id)
    )
    await full.advance(60, step=15)
    assert full.value("sensor", "ph") == "8.2"
    assert full.source == "lan"
    await full.restart()
    await full.advance(30, step=15)
    assert full.value("sensor", "status") == "problem"
    assert fired == []
