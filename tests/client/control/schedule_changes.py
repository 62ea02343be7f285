"""Schedules of the fully equipped pool and changes to them, for several tests."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from custom_components.poolctl.client.controller import Controller
from custom_components.poolctl.client.wire.schedule import Schedule
from tests.client.conftest import Rig
from tests.world.simulator import schedules as sim_schedules

PUMP, LIGHT, FALL, HEATER, ACTUATOR, OTHER_ACTUATOR = 0, 1, 3, 4, 10, 11
"""Slots of the fully equipped pool."""
EVENING = Schedule(
    slot=FALL, aux_type=1, start=1080, end=1200, weekdays=31, name="Evening"
)
SEEN = replace(EVENING, start=600, end=720, name="Waterfall", enabled=False)
"""Schedule 1 of the fully equipped pool; 0 runs its pump all day, 2 its light."""
INDEX, NEW = 1, 3


def record(rig: Rig, index: int) -> sim_schedules.Schedule:
    """Return a record of the simulated controller."""
    return rig.pool.pool.schedules[index]


SCHEDULE_CHANGES: dict[str, Callable[[Controller], Awaitable[object]]] = {
    "create": lambda it: it.schedules.create(EVENING),
    "update": lambda it: it.schedules.update(
        INDEX, replace(SEEN, end=900), observed=SEEN
    ),
    "delete": lambda it: it.schedules.delete(INDEX, observed=SEEN),
    "enable": lambda it: it.schedules.enable(INDEX, True, observed=SEEN),
}
