"""CPU time and delays of Home Assistant, with the service in another process."""

import asyncio
from datetime import UTC, datetime
from itertools import pairwise
import time
from typing import Final
from unittest.mock import patch

import freezegun
from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant

from custom_components.poolctl.const import DOMAIN

from .home import add, coordinator, home
from .rows import Row, at_most, only_a_figure
from .service import Elsewhere, Service, elsewhere
from .trivial import ms_to_write

POLL: Final = 15.0
MANY: Final = 50
REST: Final = 3.0
"""Seconds without a query after which all are answered: they are a second apart."""
MOST: Final = 10.0
"""CPU of a poll, to that of writing as many new states of a trivial integration."""
START_RATIO: Final = 1.5


def rows(*, short: bool) -> list[Row]:
    """Measure one round of polls, or twenty, with the queries of every five minutes."""
    with elsewhere(1) as service:
        found = [_polls(service, 60 if short else 300)]
    with elsewhere(1) as service:
        found.append(asyncio.run(_start(service, 3 if short else 10)))
    with elsewhere(MANY) as service:
        found += asyncio.run(_many(service, 1 if short else 20))
    return found


# --- CPU --------------------------------------------------------------------------


def next_poll(service: Service) -> None:
    """Advance the pools to the next poll."""
    service.clock.advance(POLL)


def _polls(service: Elsewhere, polls: int) -> Row:
    """Poll one controller repeatedly; its clock and ours are advanced together."""
    now = datetime.now(UTC)
    with (
        patch.object(freezegun.config.settings, "default_ignore_list", []),
        freeze_time(now, real_asyncio=True) as frozen,
    ):
        assert isinstance(frozen, FrozenDateTimeFactory)
        return asyncio.run(_one(service, polls, frozen))


async def _one(service: Elsewhere, polls: int, frozen: FrozenDateTimeFactory) -> Row:
    """Measure the CPU time of the event loop's thread."""
    (device_id,) = service.entry_data["controllers"]
    async with home() as hass:
        await add(hass, service.entry_data)
        poller = coordinator(hass, "sensor", device_id, "ph")
        spent = []
        for _ in range(polls):
            service.ask(next_poll)
            frozen.tick(POLL)
            started = time.thread_time()
            await poller.async_refresh()
            await asyncio.sleep(0)
            spent.append(time.thread_time() - started)
        usual = await ms_to_write(hass, DOMAIN)
    mean = sum(spent) / polls * 1000
    figure = f"{mean / usual:.2f} x ({mean:.2f} : {usual:.2f} ms)"
    name = "event-loop CPU of a poll, fully equipped pool, to writing as many states"
    return at_most(name, mean / usual, MOST, " x", figure)


def queries(service: Service) -> int:
    """Return the number of queries so far, of names, settings and schedules."""
    return sum(
        request.op == "q"
        for controller in service.controllers
        for request in controller.requests
    )


async def _come_to_rest(service: Elsewhere) -> None:
    """Wait until all queries after a start are answered."""
    before, asked = -1, 0
    while asked != before:
        await asyncio.sleep(REST)
        before, asked = asked, service.ask(queries)


def polled(service: Service) -> list[list[float]]:
    """Return the times at which each controller was polled."""
    return [
        [request.at for request in controller.requests if request.op == "state"]
        for controller in service.controllers
    ]


async def _many(service: Elsewhere, rounds: int) -> list[Row]:
    """Measure the polls of many controllers of one account, in real time."""
    async with home() as hass:
        await add(hass, service.entry_data)
        await _come_to_rest(service)
        before = sum(map(len, service.ask(polled)))
        started, spent, loop = time.monotonic(), time.process_time(), time.thread_time()
        await asyncio.sleep(rounds * POLL + 1)
        loop = time.thread_time() - loop
        spent = time.process_time() - spent
        share = spent / (time.monotonic() - started) * 100
        times = service.ask(polled)
    polls = sum(map(len, times)) - before
    late = max(
        later - sooner - POLL for each in times for sooner, later in pairwise(each)
    )
    return [
        only_a_figure(
            f"CPU of the process, {MANY} controllers on one account",
            f"{share:.2f} % of a core ({loop / polls * 1000:.2f} ms a poll)",
        ),
        Row(
            f"latest of {polls} polls of {MANY} controllers",
            f"{max(late, 0):.2f} s",
            "none: a figure",
            min(map(len, times)) > rounds,
        ),
    ]


# --- Start ------------------------------------------------------------------------


def kill_cloud(service: Service) -> None:
    """Let the cloud accept requests and never answer them."""
    service.cloud.faults.on("hang")


def revive_cloud(service: Service) -> None:
    """Let the cloud answer again."""
    service.cloud.faults.off("hang")


async def _start(service: Elsewhere, times: int) -> Row:
    """Measure starts with a cloud that works and with a silent one, in turn."""
    async with home() as hass:
        await _set_up(hass, service)  # not measured: imports and translations
        alive, dead = [], []
        for _ in range(times):
            service.ask(revive_cloud)
            alive.append(await _set_up(hass, service))
            service.ask(kill_cloud)
            dead.append(await _set_up(hass, service))
        service.ask(revive_cloud)
    ratio = min(dead) / min(alive)
    name = "time to first state with the cloud dead, to that with it alive"
    figure = f"{ratio:.2f} x ({min(dead) * 1000:.0f} ms)"
    return at_most(name, ratio, START_RATIO, " x", figure)


async def _set_up(hass: HomeAssistant, service: Elsewhere) -> float:
    """Return the seconds from set-up to the first state; remove the entry again."""
    seen = asyncio.Event()
    end = hass.bus.async_listen("state_changed", lambda event: seen.set())
    started = time.perf_counter()
    adding = asyncio.create_task(add(hass, service.entry_data))
    await seen.wait()
    seconds = time.perf_counter() - started
    end()
    entry = await adding
    await hass.config_entries.async_remove(entry.entry_id)
    return seconds
