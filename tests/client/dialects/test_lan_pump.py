"""Overrides of the pump that are not as assumed (protocol.md L5 and L6)."""

import pytest

from custom_components.poolctl.client.wire.exceptions import (
    CannotReleaseError,
    NotAppliedError,
    RefusedError,
)
from tests.client.conftest import Rig
from tests.client.dialects.conftest import Speak


def pump(rig: Rig) -> tuple[int, int]:
    """Return the mode and speed at which the pump runs."""
    return rig.pool.pool.pump.mode, rig.pool.pool.pump.speed


def held(rig: Rig) -> tuple[int, ...] | None:
    """Return the slots that are shown as held by hand."""
    return rig.controller.store.state.outputs.held


async def test_off_stays_off(speak: Speak) -> None:
    """L5: no schedule starts the pump again, although one is in its window."""
    rig = await speak("pump_off_clears", full=False)
    await rig.controller.pump.switch(False)
    for _ in range(4):
        await rig.polls(15)
        assert rig.controller.store.state.pump_on is False
    assert not rig.pool.pool.pump.running and rig.pool.pool.slots[0].held
    await rig.controller.pump.switch(True)
    await rig.polls(15)
    assert rig.controller.store.state.pump_on is True


@pytest.mark.parametrize("times", [1, 3])
async def test_aux_is_declined(speak: Speak, times: int) -> None:
    """L6: `cmd` is used after `aux` was declined, and from then on alone."""
    rig = await speak("pump_aux_declined", full=False)
    for _ in range(times):
        await rig.controller.pump.switch(True)
        rig.forget()
        await rig.controller.pump.switch(False)
        await rig.polls(15)
        assert rig.controller.store.state.pump_on is False
        assert rig.written() == []
    assert rig.names("a") == (["aux"] * 2 if times == 1 else []) + ["cmd"]


async def test_both_at_once(speak: Speak) -> None:
    """L5 and L6: the pump cannot be held off, and an error is raised."""
    rig = await speak("pump_off_clears", "pump_aux_declined", full=False)
    with pytest.raises(NotAppliedError):
        await rig.controller.pump.switch(False)
    assert rig.controller.store.state.pump_on is True


async def test_a_release_of_a_pump_that_is_not_held(
    speak: Speak,
) -> None:
    """L5 and L6: the command that may hold it off is not tried."""
    rig = await speak("pump_aux_declined", full=False)
    rig.pool.pool.schedules[0].enabled = False
    await rig.polls(300)
    rig.controller.queries.expire("schedules")
    await rig.controller.queries.refresh()
    assert rig.controller.store.state.pump_on is False and held(rig) == ()
    await rig.controller.holds.resume(rig.controller.store.state.outputs.slot(0))
    await rig.polls(15)
    assert not rig.pool.pool.slots[0].held


async def test_another_firmware_takes_aux_again(speak: Speak) -> None:
    """L22: L6 until an update, L5 from then on: the pump stays off, and is released."""
    rig = await speak("pump_aux_declined", full=False)
    await rig.controller.pump.switch(False)
    await rig.controller.pump.switch(True)
    rig.pool.dialects.clear()
    rig.pool.dialects.add("pump_off_clears")
    rig.pool.firmware = "2.6.1"
    await rig.polls(15)
    await rig.controller.pump.switch(False)
    await rig.polls(15)
    assert rig.controller.store.state.pump_on is False
    assert rig.pool.pool.slots[0].held
    rig.forget()
    await rig.controller.holds.resume_all()
    assert rig.names("a") == ["aux"]


# Release


@pytest.mark.parametrize("on", [True, False])
async def test_given_back_where_aux_is_declined(speak: Speak, on: bool) -> None:
    """L6: where `v2_manual_set` off clears the override (L5), it releases the pump."""
    rig = await speak("pump_aux_declined", "pump_off_clears", full=False)
    rig.pool.pool.switch(0, on)
    await rig.polls(15)
    assert held(rig) == (0,)
    for given_back in range(2):
        rig.forget()
        await rig.controller.holds.resume_all()
        assert held(rig) == ()
        await rig.polls(15)
        assert rig.pool.pool.pump.mode == 1  # its schedule runs it again
        # The second time, only the command that worked is sent.
        assert rig.names("a") == ["aux", "aux", "cmd"][2 * given_back :]
        rig.pool.pool.switch(0, on)
        await rig.polls(15)


@pytest.mark.parametrize("busy", [(), ("busy_after",)])
async def test_nothing_gives_back(speak: Speak, busy: tuple[str, ...]) -> None:
    """L6 without L5: a pump held on runs on as before, and an error is raised.

    With L7, a pump that stopped before `busy` was answered is started again.
    """
    rig = await speak("pump_aux_declined", *busy, full=False)
    await rig.controller.pump.set_speed(85)
    await rig.polls(15)
    for _ in range(2):
        rig.forget()
        with pytest.raises(CannotReleaseError):
            await rig.controller.holds.resume_all()
        await rig.polls(15)
        assert rig.pool.pool.slots[0].held
        assert pump(rig) == (99, 85)
    # The second time, the motor is left alone.
    assert busy or rig.names("a") == ["aux"] * 2
    rig.pool.dialects.clear()
    await rig.controller.holds.resume_all()
    assert not rig.pool.pool.slots[0].held


async def test_nothing_gives_back_what_is_held_off(
    speak: Speak,
) -> None:
    """L6 without L5: a pump that stays off proves nothing: release is tried again."""
    rig = await speak("pump_aux_declined", full=False)
    await rig.controller.pump.switch(False)
    await rig.polls(15)
    with pytest.raises(CannotReleaseError):
        await rig.controller.holds.resume_all()
    assert rig.controller.store.state.pump_on is False
    rig.pool.dialects.add("pump_off_clears")
    await rig.controller.holds.resume_all()
    await rig.polls(15)
    assert rig.controller.store.state.pump_on is True


async def test_what_is_declined_for_now_teaches_nothing(
    speak: Speak,
) -> None:
    rig = await speak(full=False)
    await rig.controller.pump.switch(False)
    rig.pool.faults.on("decline")
    with pytest.raises(RefusedError):
        await rig.controller.holds.resume_all()
    rig.pool.faults.clear()
    rig.forget()
    await rig.controller.holds.resume_all()
    assert rig.names("a") == ["aux"]
