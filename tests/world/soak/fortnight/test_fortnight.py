"""A fortnight of a family at its pool, once for each dialect of L5.

A real Home Assistant runs the integration and an automation of the pump's hours against
a simulated controller over real sockets, in simulated time (timelapse.py), with every
poll. There are no faults. The family switches pump, lights, spa and more by hand and
forgets them, or holds them for a time: past the windows of their schedules, and past
restarts of Home Assistant, during which some holds end. The clock is put forward in the
second night. Checked against the pool: holds with an end were released, schedules ran
unless their output was held off, every hold lasted; acid, chlorine, water and pump
hours of all days together; the run hours of each day; the hours of the pump, written
anew each day; and the signed queries per hour that no command caused.

`POOLCTL_FORTNIGHT_DAYS` makes it shorter, `POOLCTL_SOAK_SEED` chooses another family.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta
import logging
import os
from typing import Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.world.assistant.service import Service
from tests.world.names import Names
from tests.world.simulator import Pool
from tests.world.simulator.dialects import Dialect

from ..draws import SEED
from ..engine import running, service_of
from . import pool
from .family import Family, weather
from .home import Home
from .judge import Books, Hours, Outputs, Queries

DAYS: Final = int(os.environ.get("POOLCTL_FORTNIGHT_DAYS", "14"))
SECONDS: Final = 60
"""Largest error of run hours in a day."""
CLOSE: Final = 0.02
"""Largest relative error of a day, and of the sum of all days."""
QUERIES: Final = 72
"""Largest number of signed queries in an hour that no command caused."""


@pytest.fixture
async def service(lan: Names, lan_port: int) -> AsyncGenerator[Service]:
    """Run the simulated service: one account that owns the pool of the family."""
    small, full = ("Not theirs", Pool.small()), ("Home pool", pool.pool())
    found = service_of(small, full, lan_port)
    found.account.sites = [
        site for site in found.account.sites if found.full in site.controllers
    ]
    async with running(found):
        await found.small.stop()
        yield found


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
    asyncio.get_running_loop().set_debug(False)
    logging.getLogger("homeassistant").setLevel(logging.WARNING)
    if dialect is not None:
        service.full.dialects.add(dialect)
    await hass.config.async_set_time_zone(pool.ZONE.key)
    home = Home(hass, service, entry)
    outputs, books, hours = Outputs(home), Books(home), Hours(home)
    queries = Queries(home)
    for key, _ in (*Books.RUN_HOURS.values(), Books.TODAY[pool.WATER]):
        home.enable(key)
    with home.in_simulated_time(freezer, logging.INFO):
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
                outputs.look(end),
                books.keep(begin, DAYS),
                hours.keep(begin, DAYS),
                queries.count(end),
            ):
                tasks.create_task(work)
        await asyncio.sleep(60)
        await hass.services.async_call(AUTOMATION, "turn_off", {"entity_id": "all"})
        await hass.config_entries.async_unload(entry.entry_id)
        await asyncio.sleep(3600)
    counts = ", ".join(f"{name} {n}" for name, n in sorted(home.counts.items()))
    minutes = ", ".join(f"{name} {n}" for name, n in sorted(outputs.minutes.items()))
    report = (
        f"seed {SEED}, {DAYS} days, {dialect or 'v2_manual_set off holds'}: {counts}",
        f"holds with an end {home.diary.ends}, outputs looked at: {minutes}",
        str(books),
        f"minutes of the pump: {hours.lengths}, written {len(queries.writes)} times",
        f"signed queries an hour: {max(queries.hours)}",
    )
    record_property("soak", "\n".join(report))
    wrong = [*home.watch.wrong, *home.wrong]
    wrong += [
        f"{name} is off by {books.off(name):+.1%}, in a day by {books.worst(name):+.1%}"
        for name in Books.TODAY
        if max(abs(books.off(name)), abs(books.worst(name))) > CLOSE
    ]
    wrong += [
        f"run hours of {name} are off by {seconds:+.0f} s in a day"
        for name in Books.RUN_HOURS
        if abs(seconds := books.worst(name)) > SECONDS
    ]
    assert not wrong, "\n".join(["", *wrong[:50]])
    assert home.counts["holds given back"] > DAYS
    assert len(hours.lengths) == DAYS
    assert len(queries.writes) == DAYS
    assert max(queries.hours) <= QUERIES


_HOURS: Final = """
{% set hours = [[states(water) | float / 2, 2] | max, 16] | min %}
{{ (hours * 4) | round | int * 15 }}
"""
_BEGIN: Final = """
{% set noon = as_local(as_datetime(state_attr('sun.sun', 'next_noon'))) %}
{{ ((noon.hour * 60 + noon.minute - length / 2) / 15) | round | int * 15 % 1440 }}
"""
_TIME: Final = "{{ '%02d:%02d:00' | format((MINUTE) // 60, (MINUTE) % 60) }}"


async def _automate(home: Home) -> None:
    """Set up the family's automation, which writes the schedule of the pump."""
    automation = {
        "triggers": [{"trigger": "time", "at": f"{Hours.AT:02}:00:00"}],
        "actions": [
            {"variables": {"water": home.entity_id("sensor", "water_temperature")}},
            {"variables": {"length": _HOURS}},
            {"variables": {"begin": _BEGIN}},
            {
                "action": "poolctl.update_schedule",
                "data": {
                    "entity_id": home.entity_id("switch", "schedule_0"),
                    "start": _TIME.replace("MINUTE", "begin"),
                    "end": _TIME.replace("MINUTE", "(begin + length) % 1440 or 1439"),
                },
            },
        ],
    }
    assert await async_setup_component(home.hass, AUTOMATION, {AUTOMATION: automation})
