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
from collections.abc import Callable
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
from tests.world.simulator.dialects import Dialect

from ..draws import SEED
from ..timelapse import timelapse
from ..watch import LogWatch, watching
from .family import Family, weather
from .home import Home
from .judge import Books, Hours, Outputs, Queries, RunHours
from .pool import ACID, CHLORINE, RUNNING, WATER, ZONE

DAYS: Final = int(os.environ.get("POOLCTL_FORTNIGHT_DAYS", "14"))
MINUTE: Final = 60
"""Largest error of run hours in a day, in seconds."""
CLOSE: Final = 0.02
"""Largest relative error of a day, and of the sum of all days."""
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
    asyncio.get_running_loop().set_debug(False)
    logging.getLogger("homeassistant").setLevel(logging.WARNING)
    controller = service.full
    if dialect is not None:
        controller.dialects.add(dialect)
    await hass.config.async_set_time_zone(ZONE.key)
    home = Home(hass, controller, entry)

    def secrets() -> tuple[str, ...]:
        token = entry.data["token"]
        return controller.key.hex(), token["access_token"], token["refresh_token"]

    watch = LogWatch(secrets)
    outputs, books, hours, queries = (
        Outputs(home),
        Books(home),
        Hours(home),
        Queries(home),
    )
    run_hours = RunHours(home)
    for key in (*map(RunHours.key, RunHours.NAMES), "water_filtered_today"):
        home.enable(key)
    with timelapse(freezer), watching(watch, logging.INFO):
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
                run_hours.keep(begin, DAYS),
                hours.keep(begin, DAYS),
                queries.count(end),
            ):
                tasks.create_task(work)
        await asyncio.sleep(60)
        await hass.services.async_call(AUTOMATION, "turn_off", {"entity_id": "all"})
        await hass.config_entries.async_unload(entry.entry_id)
        await asyncio.sleep(3600)
    report = _report(home, dialect, outputs, books, run_hours, hours, queries)
    record_property("fortnight", report)
    wrong = [*watch.wrong, *home.wrong]
    wrong += [
        f"{name} is off by {books.off(name):+.1%}, in a day by {books.worst(name):+.1%}"
        for name in (ACID, CHLORINE, WATER, RUNNING)
        if max(abs(books.off(name)), abs(books.worst(name))) > CLOSE
    ]
    wrong += [
        f"run hours of {name} are off by {seconds:+.0f} s in a day"
        for name in RunHours.NAMES
        if abs(seconds := run_hours.worst(name)) > MINUTE
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


def _report(
    home: Home,
    dialect: Dialect | None,
    outputs: Outputs,
    books: Books,
    run_hours: RunHours,
    hours: Hours,
    queries: Queries,
) -> str:
    counts = ", ".join(f"{name} {n}" for name, n in sorted(home.counts.items()))
    minutes = ", ".join(f"{name} {n}" for name, n in sorted(outputs.minutes.items()))
    rows = [
        f"seed {SEED}, {DAYS} days, {dialect or 'v2_manual_set off holds'}: {counts}",
        f"holds with an end {home.diary.ends}, outputs looked at: {minutes}",
        str(books),
        str(run_hours),
        f"minutes of the pump: {hours.lengths}, written {len(queries.writes)} times",
        f"signed queries an hour: {max(queries.hours)}, in all {max(queries.all_hours)}",
    ]
    return "\n".join(rows)
