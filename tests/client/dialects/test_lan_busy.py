"""`busy` after the action ran: the result is checked if possible (protocol.md L7)."""

from datetime import timedelta
from typing import Any

import pytest

from custom_components.poolctl.client.cloud import CloudClient
from custom_components.poolctl.client.lan import LanClient
from custom_components.poolctl.client.pool.dosing import DOSING
from custom_components.poolctl.client.wire.exceptions import (
    LanBusyError,
    PoolctlError,
    UnreachableError,
)
from tests.client.commands import EACH_COMMAND, WATERFALL, Command
from tests.client.conftest import Rig
from tests.client.dialects.conftest import Speak


@pytest.mark.parametrize("somebody_signs", [False, True])
@EACH_COMMAND
async def test_it_ran(
    speak: Speak,
    command: Command,
    somebody_signs: bool,
) -> None:
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
    assert rig.settled and not rig.pool.pool.settings["ph_dosing"]


async def hold(rig: Rig) -> None:
    """Hold the waterfall on for half an hour; the outcome stays unknown."""
    slot = rig.controller.store.state.outputs.slot(WATERFALL)
    with pytest.raises(PoolctlError) as caught:
        await rig.controller.holds.hold(slot, True, timedelta(minutes=30))
    assert caught.value.ran is None


async def ends(rig: Rig) -> None:
    """Check that the output runs, and that its hold ends in time."""
    rig.pool.faults.clear()
    rig.service.cloud.faults.clear()
    await rig.polls(15)
    assert rig.pool.pool.slots[WATERFALL].held
    rig.time.advance(31 * 60)
    await rig.controller.poller.poll()
    await rig.controller.holds.work()
    await rig.polls(5)
    assert not rig.pool.pool.slots[WATERFALL].held
    assert rig.controller.holds.shown == ()


async def test_a_hold_ran_and_everything_was_lost(
    speak: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest attempt certainly did not run, but an earlier one did."""
    rig = await speak("busy_after")
    rig.service.cloud.not_offered.clear()
    rig.service.cloud.faults.on("refuse")
    action = LanClient.action

    async def then_lost(*args: Any) -> object:
        try:
            return await action(*args)
        except LanBusyError:
            rig.pool.faults.on("refuse")
            raise

    monkeypatch.setattr(LanClient, "action", then_lost)
    await hold(rig)
    rig.pool.dialects.discard("busy_after")
    await ends(rig)


@pytest.mark.parametrize("on_lan", [True, False])
async def test_a_hold_ran_by_the_cloud_and_the_lan_did_not(
    speak: Speak, on_lan: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cloud's answer was lost; the LAN refuses, or is out of reach."""
    rig = await speak()
    rig.service.cloud.not_offered.clear()
    write = CloudClient.write

    async def lost(*args: Any) -> None:
        await write(*args)
        raise UnreachableError("no answer")

    monkeypatch.setattr(CloudClient, "write", lost)
    if on_lan:
        rig.pool.faults.on("refuse", "aux")
    else:
        rig.pool.faults.on("refuse")
        await rig.polls(15)
        await rig.polls(15)
        rig.pool.faults.clear()
        rig.pool.faults.on("decline", "aux")
    await hold(rig)
    await ends(rig)


async def test_it_never_ran(speak: Speak) -> None:
    """A command without any sign that it ran fails as `busy`."""
    rig = await speak(cloud=False)
    rig.pool.faults.on("busy", "a")
    with pytest.raises(LanBusyError):
        await rig.controller.pump.switch(False)
    assert rig.settled and rig.controller.store.reported.readings.pump_speed
