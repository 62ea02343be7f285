"""Every kind of command of a user, for the fully equipped pool."""

from collections.abc import Awaitable, Callable

import pytest

from custom_components.poolctl.client.controller import Controller
from custom_components.poolctl.client.pool.dosing import ACID
from custom_components.poolctl.client.pool.heating import POOL
from custom_components.poolctl.client.wire.equipment import HeatSource
from tests.client.control.schedule_changes import SCHEDULE_CHANGES

WATERFALL, POOL_LIGHT = 3, 1

type Command = Callable[[Controller], Awaitable[object]]

COMMANDS: dict[str, Command] = {
    "output on": lambda it: it.outputs.switch(WATERFALL, True),
    "light": lambda it: it.outputs.switch(POOL_LIGHT, True),
    "pump off": lambda it: it.pump.switch(False),
    "pump speed": lambda it: it.holds.set_speed(55),
    "pool target": lambda it: it.heating.change(POOL, target=31),
    "pool off": lambda it: it.heating.change(POOL, heat=False),
    "heat source": lambda it: it.heating.select(HeatSource.SOLAR, False),
    "dosing": lambda it: it.dosing.enable(ACID, False),
    "desired": lambda it: it.dosing.set_desired(ACID, 7.2),
    "drum": lambda it: it.dosing.set_drum(ACID, 15000),
    "refill": lambda it: it.dosing.refill(ACID),
    **SCHEDULE_CHANGES,
}
EACH_COMMAND = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
