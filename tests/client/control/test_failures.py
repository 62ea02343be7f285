"""Commands that fail: nothing changed, and nothing is shown that is not so."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from custom_components.poolctl.client.endpoints import WRITES
from custom_components.poolctl.client.pool.lights import LIGHT_TYPES, POOL_GROUP
from custom_components.poolctl.client.wire.exceptions import (
    NotAppliedError,
    NotSupportedError,
    RefusedError,
    UnreachableError,
)
from tests.client.commands import COMMANDS, POOL_LIGHT
from tests.client.conftest import Rig

WITH_SHOW = COMMANDS | {"show": lambda it: it.lights.show(POOL_LIGHT, "red")}


def everything(pool: Rig) -> tuple[Any, ...]:
    """Return what a command may change: as it is shown, and as it is."""
    shown, there = pool.shown, pool.pool.pool
    settings = {k: v for k, v in there.settings.items() if "remaining" not in k}
    doses = (replace(it, remaining_ml=None) for it in (shown.acid, shown.chlorine))
    return (
        *(shown.outputs.modes, shown.outputs.held, shown.readings.pump_speed),
        *(shown.pool_target, shown.spa_target, shown.heat, shown.pool_lights),
        *(shown.schedules, *doses),
        *(settings, there.settings["acid_remaining"] > 15_000),
        *(deepcopy(there.schedules), there.relays, there.pump.asked, there.lights),
        pool.settled,
    )


@pytest.mark.row("4.2 rule 2", "4.2 rule 10", "L1")
@pytest.mark.parametrize("name", WITH_SHOW)
async def test_nothing_changed(pool: Rig, name: str) -> None:
    """It is sent twice, as the counter may be the cause, and not by the cloud."""
    before, faults = everything(pool), pool.pool.faults
    faults.on("refuse")
    pool.service.cloud.faults.on("refuse")
    with pytest.raises(UnreachableError) as caught:
        await WITH_SHOW[name](pool.controller)
    assert (caught.value.ran, everything(pool)) == (False, before)
    faults.clear()
    pool.service.cloud.faults.clear()

    await pool.polls(15)
    before = everything(pool)
    pool.forget()
    faults.on("decline")
    with pytest.raises(RefusedError):
        await WITH_SHOW[name](pool.controller)
    assert everything(pool) == before
    # The pump is stopped in two ways.
    assert len(pool.asked("a")) == (4 if name == "pump off" else 2)
    assert pool.written() == []
    faults.clear()

    await pool.polls(15)
    before = everything(pool)
    if name != "show":
        faults.on("ignore_writes")
        with pytest.raises(NotAppliedError):
            await COMMANDS[name](pool.controller)
        assert everything(pool) == before


LAN_ALONE = ["pool target", "pool off", "heat source", "show"]


@pytest.mark.parametrize("name", [each for each in COMMANDS if each not in LAN_ALONE])
async def test_a_cloud_write_that_fails(away: Rig, name: str) -> None:
    """It is sent once, and not assumed to be done: after a 5xx, nobody knows."""
    before, faults = everything(away), away.service.cloud.faults
    for fault, error in (("failed", RefusedError), ("error_500", UnreachableError)):
        faults.on(fault, *WRITES, "manualSet", "setPumpInfo")
        with pytest.raises(error):
            await COMMANDS[name](away.controller)
        faults.clear()
        assert everything(away) == before
    assert len(away.written()) == 2


@pytest.mark.parametrize("name", LAN_ALONE)
async def test_the_cloud_has_no_such_command(away: Rig, name: str) -> None:
    kind = LIGHT_TYPES[1].key
    away.controller.live.choose(lambda choices: POOL_GROUP.with_type(choices, kind))
    with pytest.raises(NotSupportedError):
        await WITH_SHOW[name](away.controller)
    assert away.written() == []
