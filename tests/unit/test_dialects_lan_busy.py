"""`busy` after the action ran: the result is checked if possible (unknowns.md L7)."""

from collections.abc import Awaitable, Callable

import pytest

from custom_components.poolctl.client.control.controller import Controller
from custom_components.poolctl.client.exceptions import LanBusyError
from custom_components.poolctl.client.pool.dosing import ACID, DOSING
from custom_components.poolctl.client.pool.heating import POOL

from .conftest import Rig

WATERFALL, POOL_LIGHT = 3, 1

COMMANDS: dict[str, Callable[[Controller], Awaitable[None]]] = {
    "output on": lambda it: it.outputs.switch(WATERFALL, True),
    "output off": lambda it: it.outputs.switch(WATERFALL, False),
    "give back": lambda it: it.holds.resume_all(),
    "light": lambda it: it.outputs.switch(POOL_LIGHT, True),
    "pump on": lambda it: it.pump.switch(True),
    "pump off": lambda it: it.pump.switch(False),
    "pump speed": lambda it: it.pump.set_speed(55),
    "pool target": lambda it: it.heating.change(POOL, target=31),
    "pool off": lambda it: it.heating.change(POOL, heat=False),
    "dosing": lambda it: it.dosing.enable(DOSING[0], False),
    "desired": lambda it: it.dosing.set_desired(DOSING[0], 7.2),
    "drum": lambda it: it.dosing.set_drum(ACID, 15000),
    "refill": lambda it: it.dosing.refill(ACID),
    "schedule": lambda it: it.schedules.enable(
        0, False, observed=it.store.reported.schedules.used[0]
    ),
}


async def busy(make_rig: Callable[..., Rig], *, cloud: bool) -> Rig:
    """Return a rig that has read everything; actions run and are answered `busy`."""
    rig = make_rig(full=True, cloud=cloud)
    await rig.controller.poller.poll()
    await rig.controller.queries.refresh()
    rig.pool.dialects.add("busy_after")
    return rig


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
async def test_it_ran(
    make_rig: Callable[..., Rig], command: Callable[[Controller], Awaitable[None]]
) -> None:
    """A command that ran before `busy` was answered succeeds."""
    rig = await busy(make_rig, cloud=False)
    await command(rig.controller)
    assert rig.settled


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
async def test_it_ran_and_somebody_signed(
    make_rig: Callable[..., Rig], command: Callable[[Controller], Awaitable[None]]
) -> None:
    """L7 with L1: that a second try is refused does not prove that none ran."""
    rig = await busy(make_rig, cloud=False)
    run = rig.pool.act

    def act(name: str, payload: bytes) -> None:
        run(name, payload)
        rig.pool.sign_elsewhere(1)

    rig.pool.act = act  # type: ignore[method-assign]
    await command(rig.controller)
    assert rig.settled


@pytest.mark.parametrize("says", ["failed", "wrong_types", "error_500", "refuse"])
async def test_it_ran_and_the_cloud_would_not(
    make_rig: Callable[..., Rig], says: str
) -> None:
    """The command ran over the LAN, so an error of the cloud is not reported."""
    rig = await busy(make_rig, cloud=True)
    rig.service.cloud.not_offered.clear()
    rig.service.cloud.faults.on(says)
    await rig.controller.dosing.enable(DOSING[0], False)
    assert rig.settled and not rig.pool.pool.settings["ph_dosing"]


async def test_it_never_ran(make_rig: Callable[..., Rig]) -> None:
    """A command without any sign that it ran fails as `busy`."""
    rig = make_rig(full=True, cloud=False)
    await rig.controller.poller.poll()
    rig.pool.faults.on("busy", "a")
    with pytest.raises(LanBusyError):
        await rig.controller.pump.switch(False)
    assert rig.settled and rig.controller.store.reported.readings.pump_speed
