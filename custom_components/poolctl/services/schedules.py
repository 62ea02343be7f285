"""Actions on schedules, for automations; users can also edit the calendar."""

from dataclasses import replace
from datetime import time
from typing import Final

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.const import ATTR_NAME, WEEKDAYS
from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.util.json import JsonObjectType
import probatio as vol

from ..client.pool.schedule_rules import equip
from ..client.schedule import UNUSED_SLOT, Schedule, minute_of_day, wall_time
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..derived.outputs import async_output_of, async_outputs
from ..errors import command_errors
from .named_device import DEVICE_FIELD, async_coordinator
from .named_schedule import (
    ATTR_SCHEDULE_ENTITY,
    ATTR_SCHEDULE_NUMBER,
    SCHEDULE_FIELDS,
    async_schedule_entity,
    async_schedule_named,
    one_schedule,
)
from .numbers import whole
from .permissions import async_check_entity, async_check_schedules

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
_WHAT = {
    vol.Optional(ATTR_EQUIPMENT): cv.entity_id,
    vol.Optional(ATTR_PUMP_SPEED): whole,
    vol.Optional(ATTR_ENABLED): cv.boolean,
}
_ALL = {vol.Required(name): check for name, check in _WHEN.items()}
_SOME = {vol.Optional(name): check for name, check in _WHEN.items()}

CREATE_SCHEMA = vol.Schema(DEVICE_FIELD | _ALL | _WHAT)
UPDATE_SCHEMA = vol.Schema(vol.All(SCHEDULE_FIELDS | _SOME | _WHAT, one_schedule))
DELETE_SCHEMA = vol.Schema(vol.All(SCHEDULE_FIELDS, one_schedule))
GET_SCHEMA = vol.Schema(DEVICE_FIELD)

_BLANK = Schedule(slot=UNUSED_SLOT, aux_type=0, start=0, end=0, weekdays=0, name="")
"""Basis of a new schedule; the action gives all values that matter."""


async def async_create(call: ServiceCall) -> ServiceResponse:
    """Create a schedule; return its number, `None` if it was not read back."""
    coordinator = async_coordinator(call)
    await _async_check_allowed(call, coordinator)
    with command_errors(coordinator.record.title):
        wanted = _wanted(call, coordinator, None)
        index = await coordinator.controller.schedules.create(wanted)
    return {ATTR_SCHEDULE_NUMBER: None if index is None else index + 1}


async def async_update(call: ServiceCall) -> None:
    """Change the given fields of a schedule."""
    coordinator, index, observed = await _async_find(call)
    with command_errors(coordinator.record.title):
        wanted = _wanted(call, coordinator, observed)
        await coordinator.controller.schedules.update(index, wanted, observed=observed)


async def async_delete(call: ServiceCall) -> None:
    """Delete a schedule."""
    coordinator, index, observed = await _async_find(call)
    with command_errors(coordinator.record.title):
        await coordinator.controller.schedules.delete(index, observed=observed)


async def _async_check_allowed(
    call: ServiceCall, coordinator: ControllerCoordinator
) -> None:
    """Check that the caller may change schedules.

    Raises Unauthorized if the caller may not control their calendar, or an entity that
    the action names.
    """
    await async_check_schedules(call, coordinator, POLICY_CONTROL)
    for named in (ATTR_EQUIPMENT, ATTR_SCHEDULE_ENTITY):
        if (entity_id := call.data.get(named)) is not None:
            await async_check_entity(call, entity_id, POLICY_CONTROL)


async def async_get(call: ServiceCall) -> ServiceResponse:
    """Return all schedules; read them first if that was not done yet."""
    coordinator = async_coordinator(call)
    await async_check_schedules(call, coordinator, POLICY_READ)
    if coordinator.data.schedules.records is None:
        with command_errors(coordinator.record.title):
            await coordinator.controller.schedules.read()
    return {
        "schedules": [
            _response(coordinator, index, schedule)
            for index, schedule in coordinator.data.schedules.used.items()
        ]
    }


def _response(
    coordinator: ControllerCoordinator, index: int, schedule: Schedule
) -> JsonObjectType:
    slot = coordinator.data.outputs.slot(schedule.slot)
    return {
        ATTR_SCHEDULE_NUMBER: index + 1,
        ATTR_SCHEDULE_ENTITY: async_schedule_entity(coordinator, index),
        ATTR_NAME: schedule.name,
        ATTR_ENABLED: schedule.enabled,
        ATTR_START: wall_time(schedule.start).isoformat(),
        ATTR_END: wall_time(schedule.end).isoformat(),
        ATTR_WEEKDAYS: [WEEKDAYS[day] for day in schedule.days],
        ATTR_EQUIPMENT: async_output_of(coordinator, schedule.slot),
        f"{ATTR_EQUIPMENT}_name": (slot and slot.name) or None,
        ATTR_PUMP_SPEED: schedule.speed or None,
    }


async def _async_find(
    call: ServiceCall,
) -> tuple[ControllerCoordinator, int, Schedule]:
    """Return the schedule that the action names, as it was last read."""
    coordinator, index = async_schedule_named(call)
    await _async_check_allowed(call, coordinator)
    if (observed := coordinator.data.schedules.used.get(index)) is None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="schedule_unknown",
            translation_placeholders={"number": str(index + 1)},
        )
    return coordinator, index, observed


def _wanted(
    call: ServiceCall, coordinator: ControllerCoordinator, observed: Schedule | None
) -> Schedule:
    """Return the requested schedule: a new one, or the observed one with changes."""
    previous, data = observed or _BLANK, call.data
    slot, speed = _slot(call, coordinator), data.get(ATTR_PUMP_SPEED)
    return replace(
        previous,
        **equip(
            coordinator.data,
            coordinator.controller.store.choices,
            observed,
            slot,
            speed,
        ),
        name=data.get(ATTR_NAME, previous.name),
        start=_minute(data.get(ATTR_START), previous.start),
        end=_minute(data.get(ATTR_END), previous.end),
        weekdays=_weekday_bits(data.get(ATTR_WEEKDAYS), previous.weekdays),
        enabled=data.get(ATTR_ENABLED, previous.enabled),
    )


def _slot(call: ServiceCall, coordinator: ControllerCoordinator) -> int | None:
    """Return the slot that the entity of the action switches, `None` without one."""
    if (entity_id := call.data.get(ATTR_EQUIPMENT)) is None:
        return None
    for entity in async_outputs(call.hass):
        if (
            entity.entity_id == entity_id
            and entity.coordinator is coordinator
            and entity.slot is not None
        ):
            return entity.slot.index
    raise ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="output_unknown",
        translation_placeholders={"entity": entity_id},
    )


def _minute(at: time | None, previous: int) -> int:
    return previous if at is None else minute_of_day(at)


def _weekday_bits(days: list[str] | None, previous: int) -> int:
    """Return weekdays in the format of `Schedule.weekdays`."""
    return previous if days is None else sum(1 << WEEKDAYS.index(d) for d in set(days))
