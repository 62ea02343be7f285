"""Requests that a user waits for go ahead of background queries."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from custom_components.poolctl.client.pool.heating import POOL
from tests.client.conftest import Rig

WATERFALL = 3


BACKGROUND = ("pump_id", "schedules")


async def behind_queries(rig: Rig, work: Coroutine[Any, Any, object]) -> list[str]:
    """Start work while two queries wait; return the names of requests in order."""
    lan = rig.controller.paths.lan
    assert lan is not None
    async with lan.counters.lock.held(urgent=False):
        queries = [asyncio.create_task(lan.query(name)) for name in BACKGROUND]
        await asyncio.sleep(0)
        person = asyncio.create_task(work)
        for _ in range(20):
            await asyncio.sleep(0)
    await asyncio.gather(*queries, person)
    return rig.names()


@pytest.mark.parametrize("raw", [False, True])
async def test_a_query_that_somebody_asked_for(pool: Rig, raw: bool) -> None:
    control = pool.controller
    ask = (
        control.raw.query("aux_names", b"") if raw else control.queries.ask("aux_names")
    )
    assert await behind_queries(pool, ask) == ["aux_names", *BACKGROUND]


async def test_what_is_read_before_heating_is_changed(pool: Rig) -> None:
    change = pool.controller.heating.change(POOL, target=29)
    asked = await behind_queries(pool, change)
    assert asked[0] == "v2_temp_get"


async def test_the_proof_that_it_is_not_the_counter(pool: Rig) -> None:
    """Only one background query goes ahead of the proof, while the refusal is read."""
    pool.pool.faults.once("decline")
    switch = pool.controller.outputs.switch(WATERFALL, True)
    asked = await behind_queries(pool, switch)
    proof = "get_pool_light_switch_mode"  # the query that was answered last
    assert asked[:3] == ["aux", "pump_id", proof]
