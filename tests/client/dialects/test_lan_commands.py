"""Commands whose delivery is not as assumed (protocol.md L7 and L8)."""

import pytest

from custom_components.poolctl.client.wire.exceptions import UnreachableError
from tests.client.conftest import Rig
from tests.client.control.schedule_changes import EVENING
from tests.client.dialects.conftest import Speak

WATERFALL, POOL_LIGHT = 3, 1


def evenings(rig: Rig) -> int:
    return sum(record.name == "Evening" for record in rig.pool.pool.schedules)


async def test_busy_after_a_schedule_was_made(pool: Rig) -> None:
    """L7: the schedule is looked up before it would be sent again, and made once."""
    pool.pool.dialects.add("busy_after")
    index = await pool.controller.schedules.create(EVENING)
    assert index is not None and evenings(pool) == 1
    assert pool.names("a") == ["schedule"] and pool.written() == []


async def test_busy_before_a_schedule_was_made(pool: Rig) -> None:
    """L7: a schedule that was looked up and is missing is sent again."""
    pool.pool.faults.once("busy", 1, "schedule")
    assert await pool.controller.schedules.create(EVENING) is not None
    assert evenings(pool) == 1 and pool.names("a") == ["schedule"] * 2


async def test_busy_after_a_colour(pool: Rig) -> None:
    """L7: the colour of a light cannot be read, so it is not sent again."""
    pool.pool.dialects.add("busy_after")
    with pytest.raises(UnreachableError) as caught:
        await pool.controller.lights.show(POOL_LIGHT, "red")
    assert caught.value.reason == "outcome_unknown"
    assert pool.names("a") == ["cmd"]


LOST = pytest.mark.parametrize("dialect", ["sometimes_408", "sometimes_short_body"])


@LOST
@pytest.mark.parametrize("cloud", [True, False])
async def test_a_request_that_got_lost(speak: Speak, dialect: str, cloud: bool) -> None:
    """L8: a lost request did not run, and is sent again."""
    rig = await speak(cloud=cloud)
    rig.forget()
    rig.pool.dialects.add(dialect)
    rig.pool.trouble_with_next()
    await rig.controller.outputs.switch(WATERFALL, True)
    assert [r.ok for r in rig.asked("a")] == [False, True] and rig.written() == []


@LOST
async def test_a_schedule_that_got_lost(pool: Rig, dialect: str) -> None:
    """L8: a lost request is sent again, even if it must not run twice."""
    pool.pool.dialects.add(dialect)
    pool.pool.trouble_with_next(2)  # after the schedules were read
    assert await pool.controller.schedules.create(EVENING) is not None
    assert evenings(pool) == 1


@pytest.mark.parametrize("cloud", [True, False])
async def test_a_port_that_is_closed(speak: Speak, cloud: bool) -> None:
    """L8: the command waits until the port opens again; a cloud that is away is tried."""
    rig = await speak(cloud=cloud)
    rig.service.cloud.faults.on("refuse")
    rig.pool.dialects.add("sometimes_closed")
    rig.pool.trouble_with_next()
    await rig.polls(15)
    rig.forget()
    await rig.controller.outputs.switch(WATERFALL, True)
    assert rig.names("a") == ["aux"]
    assert cloud or 3 <= sum(rig.time.slept) <= 10


async def test_the_second_try_of_a_poll(pool: Rig) -> None:
    """L8: the second try comes a second later."""
    pool.pool.dialects.add("sometimes_408")
    pool.pool.trouble_with_next()
    await pool.polls(15)
    assert pool.time.slept == [1.0]
    assert pool.controller.paths.lan_error is None
