"""Base of schedule entities: they come and go with schedules and have their names."""

from collections.abc import Callable
from typing import override

from ..client.wire.schedule import Schedule
from ..coordinator import View
from ..devices.naming import sayable
from ..devices.parts import Part
from ..entity import PoolctlEntity


def in_use(index: int) -> Callable[[View], bool | None]:
    """Return a function that checks whether a schedule is used, `None` if unknown."""

    def exists(view: View) -> bool | None:
        schedules = view.state.schedules
        return None if schedules.records is None else index in schedules.used

    return exists


class OfSchedule(PoolctlEntity):
    """An entity of one schedule, with the name that the controller reports."""

    @property
    def schedule(self) -> Schedule | None:
        """The current schedule, `None` if it no longer exists."""
        return self.view.state.schedules.used.get(self.entity_description.index)

    @property
    @override
    def part(self) -> Part | None:
        return None

    @property
    @override
    def id_words(self) -> str:
        name = self.schedule.name if self.schedule else ""
        number = self.entity_description.index + 1
        return f"{name if sayable(name) else number} schedule"
