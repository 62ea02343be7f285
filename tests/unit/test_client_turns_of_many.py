"""Replies to background queries of several controllers are taken over in turn."""

from custom_components.poolctl.client.control.queries import Queries
from custom_components.poolctl.client.pool.queries import SCHEDULES

from .conftest import Rig


async def test_the_background_waits_for_its_turn(pool: Rig) -> None:
    """Background queries wait for their turn; one that a user waits for does not."""
    store, paths = pool.controller.store, pool.controller.paths
    turns = []

    async def turn() -> None:
        turns.append(store.reported.schedules)

    queries = Queries(store, paths, pool.controller.clock)
    queries.turn = turn
    assert paths.lan is not None
    pool.pool.pool.schedules[0].start += 5
    previous = store.reported.schedules
    await queries.read(SCHEDULES, paths.lan, urgent=True)
    assert turns == []
    assert (now := store.reported.schedules) != previous
    pool.pool.pool.schedules[0].start += 5
    await queries.read(SCHEDULES, paths.lan)
    assert turns == [now]
    assert store.reported.schedules != now
