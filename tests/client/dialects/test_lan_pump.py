"""Overrides of the pump that are not as assumed (protocol.md L5, L6 and L22)."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from custom_components.poolctl.client.wire.exceptions import (
    CannotReleaseError,
    NotAppliedError,
)
from tests.client.conftest import Rig
from tests.client.dialects.conftest import Speak


@pytest.fixture
def small_pool(speak: Speak) -> Callable[..., Awaitable[Rig]]:
    """Return a maker of small pools with dialects, of which everything was read."""
    return partial(speak, full=False)


def is_held(rig: Rig) -> bool:
    return rig.pool.pool.slots[0].held


def shown_as_held(rig: Rig) -> tuple[int, ...] | None:
    return rig.shown.outputs.held


async def switch(rig: Rig, on: bool) -> None:
    """Switch the pump, and read what became of it."""
    await rig.controller.pump.switch(on)
    await rig.polls(15)
    assert rig.shown.pump_on is on


@pytest.mark.row("L5")
async def test_off_stays_off(small_pool: Speak) -> None:
    """No schedule starts the pump again, although one is in its window."""
    rig = await small_pool("pump_off_clears")
    await switch(rig, False)
    for _ in range(3):
        await rig.polls(15)
        assert rig.shown.pump_on is False
    assert not rig.pool.pool.pump.running and is_held(rig)
    await switch(rig, True)


@pytest.mark.row("L6")
@pytest.mark.parametrize("times", [1, 3])
async def test_aux_is_declined(small_pool: Speak, times: int) -> None:
    """`cmd` is used after `aux` was declined, and from then on alone."""
    rig = await small_pool("pump_aux_declined")
    for _ in range(times):
        await rig.controller.pump.switch(True)
        rig.forget()
        await switch(rig, False)
        assert rig.written() == []
    assert rig.names("a") == (["aux"] * 2 if times == 1 else []) + ["cmd"]


@pytest.mark.row("L5", "L6")
async def test_both_at_once(small_pool: Speak) -> None:
    """The pump cannot be held off, and an error is raised."""
    rig = await small_pool("pump_off_clears", "pump_aux_declined")
    with pytest.raises(NotAppliedError):
        await rig.controller.pump.switch(False)
    assert rig.shown.pump_on is True


@pytest.mark.row("L5", "L6")
async def test_a_release_of_a_pump_that_is_not_held(small_pool: Speak) -> None:
    """The command that may hold it off is not tried."""
    rig = await small_pool("pump_aux_declined")
    rig.pool.pool.schedules[0].enabled = False
    await rig.polls(300)
    rig.controller.queries.expire("schedules")
    await rig.controller.queries.refresh()
    assert rig.shown.pump_on is False and shown_as_held(rig) == ()
    await rig.controller.holds.resume(rig.output(0))
    await rig.polls(15)
    assert not is_held(rig)


@pytest.mark.row("L22")
async def test_another_firmware_releases_it(small_pool: Speak) -> None:
    """That nothing released the pump is not assumed of the next firmware."""
    rig = await small_pool("pump_aux_declined")
    rig.pool.pool.switch(0, True)
    await rig.polls(15)
    with pytest.raises(CannotReleaseError):
        await rig.controller.pump.resume()
    rig.pool.dialects.add("pump_off_clears")
    rig.pool.firmware = "2.6.1"
    await rig.polls(15)
    await rig.controller.pump.resume()
    assert not is_held(rig)


# Release


@pytest.mark.row("L6")
@pytest.mark.parametrize("on", [True, False])
async def test_given_back_where_aux_is_declined(small_pool: Speak, on: bool) -> None:
    """Where `v2_manual_set` off clears the override (L5), it releases the pump."""
    rig = await small_pool("pump_aux_declined", "pump_off_clears")
    # The second time, only the command that worked is sent.
    for sent in (["aux", "aux", "cmd"], ["cmd"]):
        rig.pool.pool.switch(0, on)
        await rig.polls(15)
        assert shown_as_held(rig) == (0,)
        rig.forget()
        await rig.controller.holds.resume_all()
        assert shown_as_held(rig) == ()
        await rig.polls(15)
        assert rig.pool.pool.pump.mode == 1  # its schedule runs it again
        assert rig.names("a") == sent


@pytest.mark.row("L6")
@pytest.mark.parametrize("busy", [(), ("busy_after",)])
async def test_nothing_gives_back(small_pool: Speak, busy: tuple[str, ...]) -> None:
    """L6 without L5: a pump held on runs on as before, and an error is raised.

    With L7, a pump that stopped before `busy` was answered is started again.
    """
    rig = await small_pool("pump_aux_declined", *busy)
    await rig.controller.holds.set_speed(85)
    await rig.polls(15)
    for _ in range(2):
        rig.forget()
        with pytest.raises(CannotReleaseError):
            await rig.controller.holds.resume_all()
        await rig.polls(15)
        pump = rig.pool.pool.pump
        assert (is_held(rig), pump.mode, pump.speed) == (True, 99, 85)
    # The second time, the motor is left alone.
    assert busy or rig.names("a") == ["aux"] * 2
    rig.pool.dialects.clear()
    await rig.controller.holds.resume_all()
    assert not is_held(rig)
