"""Requests that a user waits for go ahead of background queries."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from custom_components.poolctl.client.controller import Controller
from custom_components.poolctl.client.pool.heating import POOL
from tests.client.conftest import Rig

BACKGROUND = ("pump_id", "schedules")


@pytest.mark.parametrize(
    ("fault", "work", "first"),
    [
        ("", lambda it: it.queries.ask("aux_names"), ("aux_names", *BACKGROUND)),
        ("", lambda it: it.raw.query("aux_names", b""), ("aux_names", *BACKGROUND)),
        ("", lambda it: it.heating.change(POOL, target=29), ("v2_temp_get",)),
        # Only one goes ahead of the proof, while the refusal is read: that it was not
        # the counter is proved by the query that was answered last.
        (
            "decline",
            lambda it: it.outputs.switch(3, True),
            ("aux", "pump_id", "get_pool_light_switch_mode"),
        ),
    ],
    ids=["ask", "raw query", "read before a change", "proof after a refusal"],
)
async def test_ahead_of_background_queries(
    pool: Rig,
    fault: str,
    work: Callable[[Controller], Awaitable[object]],
    first: tuple[str, ...],
) -> None:
    if fault:
        pool.pool.faults.once(fault)
    lan = pool.controller.paths.lan
    assert lan is not None
    async with lan.counters.lock.held(urgent=False):
        queries = [asyncio.create_task(lan.query(name)) for name in BACKGROUND]
        await asyncio.sleep(0)
        person = asyncio.ensure_future(work(pool.controller))
        for _ in range(20):
            await asyncio.sleep(0)
    await asyncio.gather(*queries, person)
    assert tuple(pool.names()[: len(first)]) == first
