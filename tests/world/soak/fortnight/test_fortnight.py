"""A fortnight of a family at its pool, once for each dialect of L5.

A real Home Assistant runs the integration and an automation of the pump's hours against
a simulated controller over real sockets, in simulated time (timelapse.py), with every
poll. There are no faults. The family switches pump, lights, spa and more by hand and
forgets them, or holds them for a time: past the windows of their schedules, and past
restarts of Home Assistant, during which some holds end. The clock is put forward in the
second night. Checked against the pool: holds with an end were released, schedules ran
unless their output was held off, every hold lasted; acid, chlorine, water and run hours
of each day; the hours of the pump, written anew each day; and the signed queries per
hour that no command caused.

`POOLCTL_FORTNIGHT_DAYS` makes it shorter, `POOLCTL_SOAK_SEED` chooses another family.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta
import os
from typing import Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.service import Service
from tests.world.simulator.dialects import Dialect

from ..engine import SEED
from . import pool
from .family import Family, weather
from .home import Home
from .judge import (
    BEGIN,
    WRITTEN_AT,
    compare_sums,
    own_queries,
    watch_hours,
    watch_outputs,
)

DAYS: Final = int(os.environ.get("POOLCTL_FORTNIGHT_DAYS", "14"))
QUERIES: Final = 72
"""Largest number of signed queries in an hour that no command caused."""


@pytest.mark.parametrize("dialect", [None, Dialect.PUMP_OFF_CLEARS])
@pytest.mark.timeout(7200)
@pytest.mark.freeze_time("2026-10-02 13:30:00")
async def test_a_fortnight(
    hass: HomeAssistant,
    service: Service,
    entry: MockConfigEntry,
    freezer: FrozenDateTimeFactory,
    record_property: Callable[[str, object], None],
    dialect: Dialect | None,
) -> None:
    pool.furnish(service.full.pool)
    # The other pool is not theirs.
    del service.account.sites[0]
    await service.small.stop()
    if dialect is not None:
        service.full.dialects.add(dialect)
    await hass.config.async_set_time_zone(pool.ZONE.key)
    home = Home(hass, service, entry)
    registry = er.async_get(hass)
    for key in home.meter.read():  # some of these sensors are disabled by default
        unique_id = f"{service.full.device_id}_{key}"
        registry.async_get_or_create("sensor", DOMAIN, unique_id, config_entry=entry)
    with home.in_simulated_time(freezer):
        await home.start()
        await asyncio.sleep(60)
        await _automate(home)
        begin = (home.now + timedelta(days=1)).replace(hour=0, minute=0, second=0)
        end = begin + timedelta(days=DAYS)
        await home.until(begin)
        async with asyncio.TaskGroup() as tasks:
            for work in (
                Family(home, SEED).live(begin, DAYS),
                weather(home, SEED, end),
                watch_outputs(home, end),
                compare_sums(home, begin, DAYS),
                watch_hours(home, begin, DAYS),
            ):
                tasks.create_task(work)
        await asyncio.sleep(60)
        await hass.services.async_call(AUTOMATION, "turn_off", {"entity_id": "all"})
        await hass.config_entries.async_unload(entry.entry_id)
        await asyncio.sleep(3600)
    home.finish(record_property)
    assert home.counts["holds given back"] > DAYS
    assert home.counts["right hours of the pump"] == DAYS
    written = [each for each in service.full.requests if each.name == "schedule"]
    assert len([each for each in written if each.op == "a"]) == DAYS
    assert max(own_queries(home).values()) <= QUERIES


async def _automate(home: Home) -> None:
    """Set up the family's automation, which writes the schedule of the pump."""
    water = home.entity_id("sensor", "water_temperature")
    hours = f"timedelta(hours=states('{water}') | float / 3)"
    end = f"{{{{ (today_at('{BEGIN:02}:00') + {hours}).strftime('%H:%M') }}}}"
    automation = {
        "triggers": [{"trigger": "time", "at": f"{WRITTEN_AT:02}:00:00"}],
        "actions": [
            {
                "action": "poolctl.update_schedule",
                "data": {
                    "entity_id": home.entity_id("switch", "schedule_0"),
                    "start": f"{BEGIN:02}:00",
                    "end": end,
                },
            },
        ],
    }
    assert await async_setup_component(home.hass, AUTOMATION, {AUTOMATION: automation})
