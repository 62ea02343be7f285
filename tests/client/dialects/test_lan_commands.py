"""Commands whose delivery is not as assumed (protocol.md L7 and L8)."""

from datetime import timedelta

import pytest

from custom_components.poolctl.client.pool.dosing import DOSING
from custom_components.poolctl.client.wire.exceptions import (
    PoolctlError,
    UnreachableError,
)
from tests.client.commands import EACH_COMMAND, POOL_LIGHT, WATERFALL, Command
from tests.client.conftest import Rig
from tests.client.control.schedule_changes import EVENING
from tests.client.dialects.conftest import Speak

# L7: `busy` after the action ran; the result is checked if possible


@pytest.mark.row("L7")
@pytest.mark.parametrize("somebody_signs", [False, True])
@EACH_COMMAND
async def test_it_ran(speak: Speak, command: Command, somebody_signs: bool) -> None:
    """A command that ran before `busy` was answered succeeds.

    With L1: that a second try is refused does not prove that none ran.
    """
    rig = await speak("busy_after", cloud=False)
    run = rig.pool.act

    def act(name: str, payload: bytes) -> None:
        run(name, payload)
        if somebody_signs:
            rig.pool.sign_elsewhere(1)

    rig.pool.act = act  # type: ignore[method-assign]
    await command(rig.controller)
    assert rig.settled


@pytest.mark.parametrize("says", ["failed", "wrong_types", "error_500", "refuse"])
async def test_it_ran_and_the_cloud_would_not(speak: Speak, says: str) -> None:
    """The command ran over the LAN, so an error of the cloud is not reported."""
    rig = await speak("busy_after")
    rig.service.cloud.not_offered.clear()
    rig.service.cloud.faults.on(says)
    await rig.controller.dosing.enable(DOSING[0], False)
    assert rig.settled and not rig.settings["ph_dosing"]


async def hold(rig: Rig) -> None:
    """Hold the waterfall on for half an hour; the outcome stays unknown."""
    with pytest.raises(PoolctlError) as caught:
        await rig.controller.holds.hold(
            rig.output(WATERFALL), True, timedelta(minutes=30)
        )
    assert caught.value.ran is None


async def ends(rig: Rig) -> None:
    """Check that the output runs, and that its hold ends in time."""
    rig.pool.faults.clear()
    rig.service.cloud.faults.clear()
    await rig.polls(15)
    assert rig.pool.pool.slots[WATERFALL].held
    await rig.polls(31 * 60)
    await rig.controller.holds.work()
    await rig.polls(5)
    assert not rig.pool.pool.slots[WATERFALL].held
    assert rig.controller.holds.shown == ()


def evenings(rig: Rig) -> int:
    return sum(record.name == "Evening" for record in rig.pool.pool.schedules)


@pytest.mark.row("L7")
async def test_busy_after_a_schedule_was_made(pool: Rig) -> None:
    """The schedule is looked up before it would be sent again, and made once."""
    pool.pool.dialects.add("busy_after")
    index = await pool.controller.schedules.create(EVENING)
    assert index is not None and evenings(pool) == 1
    assert pool.names("a") == ["schedule"] and pool.written() == []


@pytest.mark.row("L7")
async def test_busy_before_a_schedule_was_made(pool: Rig) -> None:
    """A schedule that was looked up and is missing is sent again."""
    pool.pool.faults.once("busy", 1, "schedule")
    assert await pool.controller.schedules.create(EVENING) is not None
    assert evenings(pool) == 1 and pool.names("a") == ["schedule"] * 2


async def test_busy_after_a_colour(pool: Rig) -> None:
    """The colour of a light cannot be read, so it is not sent again."""
    pool.pool.dialects.add("busy_after")
    with pytest.raises(UnreachableError) as caught:
        await pool.controller.lights.show(POOL_LIGHT, "red")
    assert caught.value.reason == "outcome_unknown"
    assert pool.names("a") == ["cmd"]


# L8: requests that get lost

LOST = pytest.mark.parametrize("dialect", ["sometimes_408", "sometimes_short_body"])


@pytest.mark.row("L8")
@LOST
@pytest.mark.parametrize("cloud", [True, False])
async def test_a_request_that_got_lost(speak: Speak, dialect: str, cloud: bool) -> None:
    """A lost request did not run, and is sent again."""
    rig = await speak(cloud=cloud)
    rig.forget()
    rig.pool.dialects.add(dialect)
    rig.pool.trouble_with_next()
    await rig.controller.outputs.switch(WATERFALL, True)
    assert [r.ok for r in rig.asked("a")] == [False, True] and rig.written() == []


@pytest.mark.row("L8")
@pytest.mark.parametrize("cloud", [True, False])
async def test_a_port_that_is_closed(speak: Speak, cloud: bool) -> None:
    """The command waits until the port opens again; a cloud that is away is tried."""
    rig = await speak(cloud=cloud)
    rig.service.cloud.faults.on("refuse")
    rig.pool.dialects.add("sometimes_closed")
    rig.pool.trouble_with_next()
    await rig.polls(15)
    rig.forget()
    await rig.controller.outputs.switch(WATERFALL, True)
    assert rig.names("a") == ["aux"]
    assert cloud or 3 <= sum(rig.time.slept) <= 10
