"""The trigger for changes of the connection, and starts, which trigger nothing."""

from typing import Any

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import Event
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.poolctl.trigger import TRIGGERS
from tests.automations.test_triggers import (
    DRY,
    automate,
    automate_all,
    still_water,
    told,
    trigger,
)
from tests.world.assistant.home import Home

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("freezer", "quick", "still_water")


async def connection(home: Home, *to: str, **options: Any) -> list[Event]:
    """Return the events of an automation for changes of the connection."""
    config = trigger(home, "connection_changed", connection=[*to], **options)
    return await automate(home, config)


async def test_every_change_of_the_connection(small: Home) -> None:
    fired = await connection(small, "lan", "cloud", "lost")
    for side, works, seconds, expected in (
        ("lan", False, 15, []),
        ("lan", False, 15, ["cloud"]),
        ("cloud", False, 120, ["lost"]),
        ("cloud", True, 60, ["cloud"]),
        ("lan", True, 60, ["lan"]),
        ("lan", True, 120, []),
    ):
        faults = small.controller.faults if side == "lan" else small.cloud.faults
        if works:
            faults.clear()
        else:
            faults.on("refuse")
        await small.advance(seconds, step=15)
        assert told(fired, "connection") == expected


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
    fired = await connection(small, "cloud", for_="00:10:00")
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
    fired = await connection(small, "cloud", for_={"minutes": 10})
    sensor = small.entity_id("sensor", "connection")
    automation = {"entity_id": "automation.test"}
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    for action in ("turn_off", "turn_on"):
        await small.hass.services.async_call(
            AUTOMATION, action, automation, blocking=True
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
    pool = full.pool
    chosen: dict[str, dict[str, Any]] = {
        "connection_changed": {"connection": ["lan", "cloud", "lost"]},
        "reading_out_of_range": {"reading": "ph"},
    }
    every = {name: (trigger(full, name, **chosen.get(name, {})),) for name in TRIGGERS}
    await full.unload()
    pool.water.ph, pool.water.orp, pool.pump.dry_run_status = 8.2, 500, DRY
    pool.settings |= {"acid_remaining": 100, "chlorine_remaining": 100}
    fired = await automate_all(full, every)
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
