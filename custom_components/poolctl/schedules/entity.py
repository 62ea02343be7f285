"""Base of schedule entities: they come and go with schedules and have their names."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, override

from ..client.wire.schedule import Schedule
from ..coordinator import ControllerCoordinator
from ..devices.naming import sayable, schedule_name_on_page, schedule_plain_name
from ..devices.parts import Part
from ..entity import ControllerEntity, PoolctlEntity, PoolctlEntityDescription
from ..fitted import Presences, presence


@dataclass(frozen=True, kw_only=True)
class OfScheduleDescription[T](PoolctlEntityDescription[T]):
    """Describes one entity of one schedule."""

    index: int


class _Row(Protocol):
    """An `OfScheduleDescription`, whatever its entity shows."""

    @property
    def key(self) -> str:
        """The key of the entity."""

    @property
    def index(self) -> int:
        """The index of the schedule."""


def of_schedules[R: _Row](
    entity: Callable[[ControllerCoordinator, R], ControllerEntity],
    descriptions: tuple[R, ...],
    coordinator: ControllerCoordinator,
) -> Presences:
    """Return the entities of the schedules in use."""
    known = coordinator.data.schedules.records is not None
    used = coordinator.data.schedules.used
    return {
        description.key: presence(
            description.index in used if known else None,
            partial(entity, coordinator, description),
        )
        for description in descriptions
    }


class OfSchedule[T](PoolctlEntity[T]):
    """An entity of one schedule, with the name that the controller reports."""

    entity_description: OfScheduleDescription[T]
    shows_figures = False

    @property
    def schedule(self) -> Schedule | None:
        """The current schedule, `None` if it no longer exists."""
        schedules = self.coordinator.data.schedules.used
        return schedules.get(self.entity_description.index)

    @property
    @override
    def part(self) -> Part | None:
        return None

    @property
    @override
    def id_words(self) -> str:
        name, number = self._own_name, self.entity_description.index + 1
        return f"{name if sayable(name) else number} schedule"

    @property
    def _own_name(self) -> str:
        return self.schedule.name if self.schedule else ""

    @override
    def _details(self) -> tuple[object, ...]:
        return *super()._details(), self._own_name

    @property
    def plain_name(self) -> str:
        """The name alone, for texts that already show that it is a schedule's."""
        texts = self.platform_data.platform_translations
        index = self.entity_description.index
        return schedule_plain_name(index, self.coordinator.data, texts)

    @property
    def schedule_name(self) -> str:
        """Name of the schedule; not cached, because it may change."""
        texts = self.platform_data.platform_translations
        index = self.entity_description.index
        return schedule_name_on_page(index, self.coordinator.data, texts)
