"""Commands that fail: nothing changed, and nothing is shown that is not so."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from custom_components.poolctl.client.pool.lights import LIGHT_TYPES, POOL_GROUP
from custom_components.poolctl.client.wire.exceptions import (
    NotAppliedError,
    NotSupportedError,
    RefusedError,
    UnreachableError,
)
from tests.client.commands import COMMANDS, POOL_LIGHT, Command
from tests.client.conftest import Rig

SHOW: dict[str, Command] = {"show": lambda it: it.lights.show(POOL_LIGHT, "red")}


@pytest.fixture
def before(pool: Rig) -> tuple[Any, ...]:
    """Return what is shown, and what the simulated pool has, before a command."""
    return everything(pool)


def everything(pool: Rig) -> tuple[Any, ...]:
    """Return what a command may change: as it is shown, and as it is."""
    shown, there = pool.controller.store.state, pool.pool.pool
    settings = {k: v for k, v in there.settings.items() if "remaining" not in k}
    return (
        *(shown.outputs.modes, shown.outputs.held, shown.readings.pump_speed),
        *(
            shown.pool_target,
            shown.spa_target,
            shown.heat,
            shown.schedules,
            shown.pool_lights,
        ),
        *(replace(each, remaining_ml=None) for each in (shown.acid, shown.chlorine)),
        *(settings, there.settings["acid_remaining"] > 15_000),
        *(deepcopy(there.schedules), there.relays, there.pump.asked),
        *(there.lights, pool.settled),
    )


@pytest.mark.parametrize("name", [*COMMANDS, *SHOW])
async def test_a_refusal_is_final(
    pool: Rig, before: tuple[Any, ...], name: str
) -> None:
    """L1: it is sent twice, as the counter may be the cause, and not by the cloud.

    protocol.md 4.2 rules 2 and 10.
    """
    pool.pool.faults.on("decline")
    with pytest.raises(RefusedError):
        await (COMMANDS | SHOW)[name](pool.controller)
    assert everything(pool) == before
    # The pump is stopped in two ways.
    assert len(pool.asked("a")) == (4 if name == "pump off" else 2)
    assert pool.written() == []


@pytest.mark.parametrize("name", COMMANDS)
async def test_accepted_and_never_done(
    pool: Rig, before: tuple[Any, ...], name: str
) -> None:
    pool.pool.faults.on("ignore_writes")
    with pytest.raises(NotAppliedError):
        await COMMANDS[name](pool.controller)
    assert everything(pool) == before


@pytest.mark.parametrize("name", [*COMMANDS, *SHOW])
async def test_nobody_there(pool: Rig, before: tuple[Any, ...], name: str) -> None:
    pool.pool.faults.on("refuse")
    pool.service.cloud.faults.on("refuse")
    with pytest.raises(UnreachableError) as caught:
        await (COMMANDS | SHOW)[name](pool.controller)
    assert caught.value.ran is False
    assert everything(pool) == before


@pytest.mark.parametrize("name", ["pool target", "pool off", "heat source", *SHOW])
async def test_the_cloud_has_no_such_command(away: Rig, name: str) -> None:
    kind = LIGHT_TYPES[1].key
    away.controller.store.choose(lambda choices: POOL_GROUP.with_type(choices, kind))
    with pytest.raises(NotSupportedError):
        await (COMMANDS | SHOW)[name](away.controller)
    assert away.written() == []
