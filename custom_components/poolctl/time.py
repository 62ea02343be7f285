"""Times: when schedules begin and end."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import time
from typing import override

from homeassistant.components.time import TimeEntity, TimeEntityDescription
from homeassistant.const import EntityCategory, Platform

from .client.wire.exceptions import InvalidCommandError
from .client.wire.schedule import MAX_SCHEDULES, Schedule, minute_of_day, wall_time
from .coordinator import View
from .devices.naming import schedule_plain_name, text
from .entity import OfSchedule, PoolctlEntityDescription, in_use
from .fitted import platform, rows

# Commands to a controller are already sent one at a time.
PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class PoolctlTimeDescription(PoolctlEntityDescription[time], TimeEntityDescription):
    """One time of one schedule."""

    words: str
    """Words of its entity ID after those of the schedule."""
    with_fn: Callable[[Schedule, int], Schedule]
    """Function that returns a schedule with this time, in minutes after midnight."""


def _time(
    kind: str,
    words: str,
    index: int,
    minute_fn: Callable[[Schedule], int],
    with_fn: Callable[[Schedule, int], Schedule],
) -> PoolctlTimeDescription:
    def value(view: View) -> time | None:
        schedule = view.state.schedules.used.get(index)
        return wall_time(minute_fn(schedule)) if schedule else None

    return PoolctlTimeDescription(
        key=f"schedule_{index}_{kind}",
        translation_key=f"schedule_{kind}",
        entity_registry_enabled_default=False,
        entity_category=EntityCategory.CONFIG,
        index=index,
        words=words,
        exists_fn=in_use(index),
        value_fn=value,
        assumed_fn=lambda view: view.state.schedules.assumed,
        with_fn=with_fn,
    )


TIMES = tuple(
    row
    for index in range(MAX_SCHEDULES)
    for row in (
        _time(
            "start",
            "begins",
            index,
            lambda schedule: schedule.start,
            lambda schedule, minute: replace(schedule, start=minute),
        ),
        _time(
            "end",
            "ends",
            index,
            lambda schedule: schedule.end,
            lambda schedule, minute: replace(schedule, end=minute),
        ),
    )
)


class PoolctlTime(OfSchedule, TimeEntity):
    """When a schedule begins or ends, by the clock of the controller."""

    entity_description: PoolctlTimeDescription

    @property
    @override
    def id_words(self) -> str:
        return f"{super().id_words} {self.entity_description.words}"

    @property
    @override
    def name(self) -> str:
        """Current name; Home Assistant would cache the first one."""
        index = self.entity_description.index
        name = schedule_plain_name(index, self.view.state, self.texts)
        return text(self.texts, Platform.TIME, self.translation_key, name=name)

    @property
    @override
    def native_value(self) -> time | None:
        """Return the time; 23:59 and 24:00 as an end are midnight."""
        return self.entity_description.value_fn(self.view)

    @override
    async def async_set_value(self, value: time) -> None:
        """Change the time; seconds are ignored."""
        row = self.entity_description
        with self.commanding():
            if (observed := self.schedule) is None:
                raise InvalidCommandError("it is gone", reason="schedule_changed")
            wanted = row.with_fn(observed, minute_of_day(value))
            await self.controller.schedules.update(row.index, wanted, observed=observed)


async_setup_entry = platform(Platform.TIME, rows(PoolctlTime, TIMES))
