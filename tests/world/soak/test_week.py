"""The soak: a week of troubles in a few minutes, after which nothing may be left over.

A real Home Assistant core runs the integration against the simulated service over real
sockets, with one account and two controllers (a small and a fully equipped pool). Time
is simulated (timelapse.py): no poll, retry, time-out or token is left out or shortened.

Drawn from a seed: faults of the LAN and of the cloud (week.py), dialects (dialects.py),
hostile neighbours (neighbours.py), and a user at every entity (person.py). judge.py has
the failures that are right for such a reason.

Checked more than an hour after the last trouble: every entity against the pool itself
and against a fresh start (right.py); tasks, timers, sockets, descriptors and memory
against those after the warm-up (resources.py). Checked all week long: every command that
failed without trouble; entities that were removed; every log line (log.py); holds that
should have been released.

`POOLCTL_SOAK_SEED` and `POOLCTL_SOAK_DAYS` choose another week;
`POOLCTL_SOAK_DIALECTS=none` one without dialects and hostile neighbours.
"""

import asyncio
from collections.abc import Callable
from functools import partial
import os
from typing import Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import slugify
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.service import Service
from tests.world.names import Names
from tests.world.simulator.visitors import Announcement

from .dialects import Speech
from .engine import HOUR, MINUTE
from .judge import watch_holds
from .neighbours import VISITS, Neighbours
from .person import Owner, operate
from .resources import Resources
from .right import (
    differs_from,
    differs_from_pool,
    lasting_states,
    note_twice,
    put_right,
)
from .week import FOUND, RECOVERY, Week

DAYS: Final = float(os.environ.get("POOLCTL_SOAK_DAYS", "7"))
PLAIN: Final = os.environ.get("POOLCTL_SOAK_DIALECTS") == "none"
"""Whether the run has no dialects and no hostile neighbours."""
WARM_UP: Final = 2 / 7
"""Share of the run after which everything was used once."""
COMMANDS: Final = 20
"""Smallest number of commands a day: with fewer, little was tested."""


@pytest.mark.usefixtures("current_request_with_host")
@pytest.mark.timeout(7200)
@pytest.mark.freeze_time("2026-11-02 00:00:00")
async def test_a_week(
    hass: HomeAssistant,
    service: Service,
    lan: Names,
    entry: MockConfigEntry,
    hass_client_no_auth: ClientSessionGenerator,
    freezer: FrozenDateTimeFactory,
    record_property: Callable[[str, object], None],
) -> None:
    seconds = DAYS * 24 * HOUR
    week = Week(hass, service, entry, lan)
    neighbours = Neighbours(week)
    week.at_each += [partial(operate, week), partial(watch_holds, week)]
    if not PLAIN:
        speech = Speech(week)
        week.everywhere.append(speech.releases)
        week.at_each += [speech.updates, speech.others, neighbours.announce]
    with week.in_simulated_time(freezer):
        for controller in service.controllers:
            await controller.start()  # again, as some dialects act then
            lan.addresses[controller.hostname] = controller.host
        await hass.config_entries.async_setup(entry.entry_id)
        for controller in service.controllers:
            await week.hear(Announcement.of(controller))
        week.everywhere.append(Owner(week, await hass_client_no_auth()).sign_ins)
        slugify("ü")  # loads its tables now, not with the first such name
        neighbours.replayer.start()
        await asyncio.sleep(HOUR)
        await week.live(seconds * WARM_UP)
        before = await _quiet(entry)
        await week.live(seconds * (1 - WARM_UP))
        after = await _quiet(entry)
        week.note(*after.grown_since(before))

        if not PLAIN:
            speech.calm()
        await asyncio.sleep(RECOVERY + FOUND)
        await put_right(week)
        await note_twice(week, partial(differs_from_pool, week))
        states = lasting_states(week)
        await hass.config_entries.async_reload(entry.entry_id)
        await asyncio.sleep(300)
        await note_twice(week, partial(differs_from, week, states))
        await hass.config_entries.async_unload(entry.entry_id)
        await asyncio.sleep(HOUR)
        await neighbours.replayer.stop()

    week.finish(record_property)
    assert week.counts["commands"] >= COMMANDS * DAYS
    visits = sum(n for what, n in week.counts.items() if what.startswith("visitor "))
    assert PLAIN or visits >= seconds / VISITS  # half of those to two controllers
    assert not [i for i in ir.async_get(hass).issues.values() if i.domain == DOMAIN]
    assert not hass.config_entries.flow.async_progress()


async def _quiet(entry: MockConfigEntry) -> Resources:
    """Count in a quiet moment: polls and slow requests last some seconds.

    Waits until the entry is loaded, because it has fewer timers while it is not.
    """
    for _ in range(600):
        if entry.state is ConfigEntryState.LOADED:
            break
        await asyncio.sleep(MINUTE)
    counted = []
    for _ in range(12):
        counted.append(Resources.now())
        await asyncio.sleep(7)
    return min(counted, key=lambda it: (it.tasks, it.sockets, it.descriptors))
