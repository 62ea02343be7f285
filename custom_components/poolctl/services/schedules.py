"""Actions on schedules, for automations; users can also edit the calendar."""

from dataclasses import replace
from typing import Final

from homeassistant.const import ATTR_NAME, WEEKDAYS, Platform
from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.typing import VolDictType
from homeassistant.util.json import JsonObjectType
import probatio as vol

from ..client.pool import Schedule, equip, minute_of_day
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..entity import OfSchedule, PoolctlEntity, async_output_of, async_outputs_of
from ..errors import command_errors, mistake
from .values import of_kind, speed

ATTR_SCHEDULE_NUMBER: Final = "schedule"
ATTR_SCHEDULE_ENTITY: Final = "schedule_entity"
ATTR_START: Final = "start"
ATTR_END: Final = "end"
ATTR_WEEKDAYS: Final = "weekdays"
ATTR_EQUIPMENT: Final = "equipment"
ATTR_PUMP_SPEED: Final = "pump_speed"
ATTR_ENABLED: Final = "enabled"

_WHEN = {
    ATTR_NAME: cv.string,
    ATTR_START: cv.time,
    ATTR_END: cv.time,
    ATTR_WEEKDAYS: cv.weekdays,
}
_WHAT: Final[VolDictType] = {
    vol.Optional(ATTR_EQUIPMENT): cv.entity_id,
    vol.Optional(ATTR_PUMP_SPEED): speed,
    vol.Optional(ATTR_ENABLED): cv.boolean,
}
CREATE: Final = {vol.Required(name): check for name, check in _WHEN.items()} | _WHAT
UPDATE: Final = {vol.Optional(name): check for name, check in _WHEN.items()} | _WHAT


async def async_create(entity: PoolctlEntity, call: ServiceCall) -> ServiceResponse:
    """Create a schedule; return its number, `None` if it was not read back."""
    coordinator = entity.coordinator
    with command_errors(coordinator.record.title):
        wanted = _wanted(call, coordinator, None)
        index = await coordinator.controller.schedules.create(wanted)
    return {ATTR_SCHEDULE_NUMBER: None if index is None else index + 1}


async def async_update(entity: Entity, call: ServiceCall) -> None:
    """Change the given fields of a schedule."""
    coordinator, index, observed = _schedule(entity, call)
    with command_errors(coordinator.record.title):
        wanted = _wanted(call, coordinator, observed)
        await coordinator.controller.schedules.update(index, wanted, observed=observed)


async def async_delete(entity: Entity, call: ServiceCall) -> None:
    """Delete a schedule."""
    coordinator, index, observed = _schedule(entity, call)
    with command_errors(coordinator.record.title):
        await coordinator.controller.schedules.delete(index, observed=observed)


async def async_get(entity: PoolctlEntity, call: ServiceCall) -> ServiceResponse:
    """Return all schedules."""
    coordinator = entity.coordinator
    return {
        "schedules": [
            _response(coordinator, index, schedule)
            for index, schedule in coordinator.state.schedules.used.items()
        ]
    }


def _response(
    coordinator: ControllerCoordinator, index: int, schedule: Schedule
) -> JsonObjectType:
    slot = coordinator.state.outputs.slot(schedule.slot)
    unique_id = f"{coordinator.record.device_id}_schedule_{index}"
    switch = er.async_get(coordinator.hass).async_get_entity_id(
        Platform.SWITCH, DOMAIN, unique_id
    )
    return {
        ATTR_SCHEDULE_NUMBER: index + 1,
        ATTR_SCHEDULE_ENTITY: switch,
        ATTR_NAME: schedule.name,
        ATTR_ENABLED: schedule.enabled,
        ATTR_START: schedule.begins_at.isoformat(),
        ATTR_END: schedule.ends_at.isoformat(),
        ATTR_WEEKDAYS: [WEEKDAYS[day] for day in schedule.days],
        ATTR_EQUIPMENT: async_output_of(coordinator, schedule.slot),
        f"{ATTR_EQUIPMENT}_name": (slot and slot.name) or None,
        ATTR_PUMP_SPEED: schedule.speed or None,
    }


def _schedule(
    entity: Entity, call: ServiceCall
) -> tuple[ControllerCoordinator, int, Schedule]:
    """Return the schedule that a switch belongs to, as it was last read."""
    switch = of_kind(OfSchedule, entity, call)
    if (observed := switch.schedule) is None:
        raise mistake("schedule_changed")
    return switch.coordinator, switch.entity_description.index, observed


def _wanted(
    call: ServiceCall, coordinator: ControllerCoordinator, observed: Schedule | None
) -> Schedule:
    """Return the requested schedule: a new one, or the observed one with changes."""
    data, choices = call.data, coordinator.controller.live.choices
    slot, speed = _slot(call, coordinator), data.get(ATTR_PUMP_SPEED)
    wanted = equip(coordinator.state, choices, observed, slot, speed)
    return replace(
        wanted,
        name=data.get(ATTR_NAME, wanted.name),
        start=minute_of_day(data[ATTR_START]) if ATTR_START in data else wanted.start,
        end=minute_of_day(data[ATTR_END]) if ATTR_END in data else wanted.end,
        weekdays=sum(1 << WEEKDAYS.index(day) for day in {*data[ATTR_WEEKDAYS]})
        if ATTR_WEEKDAYS in data
        else wanted.weekdays,
        enabled=data.get(ATTR_ENABLED, wanted.enabled),
    )


def _slot(call: ServiceCall, coordinator: ControllerCoordinator) -> int | None:
    """Return the slot that the entity of the action switches, `None` without one."""
    if (entity_id := call.data.get(ATTR_EQUIPMENT)) is None:
        return None
    for index, entity in async_outputs_of(coordinator):
        if entity.entity_id == entity_id:
            return index
    raise mistake("output_unknown", entity=entity_id)
