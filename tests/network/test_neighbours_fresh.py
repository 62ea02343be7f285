"""Frames that only another device has received, while the controller is away (H1)."""

import pytest

from custom_components.poolctl.client.pool.queries import QUERIES
from tests.flow.test_config_flow import discover, hear
from tests.network.test_neighbours import lose
from tests.world.assistant.home import Home
from tests.world.simulator.dialects import Dialect
from tests.world.simulator.visitors import Replayer

pytestmark = pytest.mark.usefixtures("freezer")


@pytest.mark.parametrize("frames", [1, 2, 5])
async def test_they_prove_nothing(small: Home, replayer: Replayer, frames: int) -> None:
    """New frames, one or many, prove nothing, because no query is answered."""
    await lose(small)
    replayer.listen_to(small.controller, frames)
    before = dict(small.stored)
    await hear(small, replayer.announces(small.controller))
    await small.advance(600, step=30)
    assert replayer.connections
    assert small.stored == before
    assert small.source == "cloud"
    small.controller.faults.clear()
    await small.advance(60, step=30)
    assert small.source == "lan"


@pytest.mark.parametrize("query", [query.name for query in QUERIES])
async def test_a_query_that_this_firmware_refuses(full: Home, query: str) -> None:
    """Only its own data are missing: the controller proves itself with another one."""
    full.controller.refused_queries.add(query)
    await full.controller.move("127.0.0.1")
    await discover(full, full.controller)
    await full.settle()
    await full.advance(30, step=15)
    assert full.stored["port"] == full.controller.port
    assert full.source == "lan"
    await full.act("switch.turn_off", "pump")
    assert full.value("switch", "pump") == "off"


@pytest.mark.parametrize("fault", ["close_mid_body", "busy", "garbage"])
async def test_a_query_that_is_never_answered(full: Home, fault: str) -> None:
    """Not even with a refusal: another query is proof enough."""
    full.clock.speed = 50
    full.controller.faults.on(fault, QUERIES[0].name)
    await full.controller.move("127.0.0.1")
    await discover(full, full.controller)
    await full.settle()
    await full.advance(60, step=15)
    assert full.stored["port"] == full.controller.port
    assert full.source == "lan"


@pytest.mark.parametrize("dialect", ["sometimes_408", "sometimes_short_body"])
async def test_a_question_that_got_lost(small: Home, dialect: str) -> None:
    """A query of the proof that gets lost is sent again."""
    small.controller.dialects.add(dialect)
    small.controller.trouble_with_next(5)
    await small.controller.move("127.0.0.1")
    await discover(small, small.controller)
    await small.settle()
    await small.advance(30, step=15)
    assert small.stored["port"] == small.controller.port


async def test_one_that_takes_nothing_that_we_sign(
    small: Home, replayer: Replayer
) -> None:
    """A counter that is a day ahead makes a controller look like a recording."""
    small.controller.dialects.add(Dialect.COUNTER_AHEAD_1_DAY)
    await small.advance(600, step=15)
    await small.controller.move("127.0.0.1")
    await lose(small)
    before = dict(small.stored)
    replayer.listen_to(small.controller, 3)
    await hear(small, replayer.announces(small.controller))
    await small.advance(300, step=30)
    assert replayer.connections
    assert small.stored == before
    # The counter is no longer ahead.
    small.controller.faults.clear()
    small.controller.dialects.clear()
    small.controller.accepted_counter = 0
    await discover(small, small.controller)
    await small.settle()
    await small.advance(300, step=30)
    assert small.stored["port"] == small.controller.port
    assert small.source == "lan"
