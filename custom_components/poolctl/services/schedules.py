"""Actions on schedules, for automations; people have the calendar."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import time
from typing import Any, Final

from homeassistant.const import ATTR_DEVICE_ID, ATTR_NAME, WEEKDAYS
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
import probatio as vol

from ..client.pool.schedule_rules import equip
from ..client.schedule import MAX_SCHEDULES, Schedule
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..errors import command_errors
from ..outputs import async_output_of, async_outputs
from .target import async_coordinator

ATTR_SCHEDULE: Final = "schedule"
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
    vol.Optional(ATTR_PUMP_SPEED): vol.Coerce(int),
    vol.Optional(ATTR_ENABLED): cv.boolean,
}
_DEVICE = {vol.Required(ATTR_DEVICE_ID): cv.string}
_NUMBER = {
    vol.Required(ATTR_SCHEDULE): vol.All(
        vol.Coerce(int), vol.Range(min=1, max=MAX_SCHEDULES)
    )
}
_NEW = {vol.Required(name): check for name, check in _WHEN.items()}
_CHANGED = {vol.Optional(name): check for name, check in _WHEN.items()}


async def _create(call: ServiceCall) -> ServiceResponse:
    coordinator = async_coordinator(call)
    with command_errors():
        wanted = Schedule(
            **_equipment(call, coordinator, None),
            **_times(call),
            name=call.data[ATTR_NAME],
            enabled=call.data.get(ATTR_ENABLED, True),
        )
        index = await coordinator.controller.schedules.create(wanted)
    # It is there in any case, but may not have been found again.
    return {ATTR_SCHEDULE: None if index is None else index + 1}


async def _update(call: ServiceCall) -> ServiceResponse:
    coordinator = async_coordinator(call)
    index, seen = _find(call, coordinator)
    with command_errors():
        wanted = replace(
            seen,
            **_equipment(call, coordinator, seen),
            **_times(call),
            name=call.data.get(ATTR_NAME, seen.name),
            enabled=call.data.get(ATTR_ENABLED, seen.enabled),
        )
        await coordinator.controller.schedules.update(index, wanted, seen=seen)
    return None


async def _delete(call: ServiceCall) -> ServiceResponse:
    coordinator = async_coordinator(call)
    index, seen = _find(call, coordinator)
    with command_errors():
        await coordinator.controller.schedules.delete(index, seen=seen)
    return None


async def _get(call: ServiceCall) -> ServiceResponse:
    coordinator = async_coordinator(call)
    if coordinator.data.schedules.records is None:
        with command_errors():
            await coordinator.controller.schedules.read()
    return {
        "schedules": [
            _told(coordinator, index, schedule)
            for index, schedule in coordinator.data.schedules.used.items()
        ]
    }


def _told(
    coordinator: ControllerCoordinator, index: int, schedule: Schedule
) -> dict[str, Any]:
    slot = coordinator.data.outputs.slot(schedule.slot)
    return {
        ATTR_SCHEDULE: index + 1,
        ATTR_NAME: schedule.name,
        ATTR_ENABLED: schedule.enabled,
        ATTR_START: time(*divmod(schedule.start, 60)).isoformat(),
        ATTR_END: time(*divmod(schedule.end, 60)).isoformat(),
        ATTR_WEEKDAYS: [WEEKDAYS[day] for day in schedule.days],
        ATTR_EQUIPMENT: async_output_of(coordinator, schedule.slot),
        f"{ATTR_EQUIPMENT}_name": (slot and slot.name) or None,
        ATTR_PUMP_SPEED: schedule.speed or None,
    }


def _find(
    call: ServiceCall, coordinator: ControllerCoordinator
) -> tuple[int, Schedule]:
    """Return the schedule that is named, as it is shown."""
    index = call.data[ATTR_SCHEDULE] - 1
    if (seen := coordinator.data.schedules.used.get(index)) is None:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="schedule_unknown",
            translation_placeholders={"number": str(index + 1)},
        )
    return index, seen


def _equipment(
    call: ServiceCall, coordinator: ControllerCoordinator, before: Schedule | None
) -> dict[str, Any]:
    """Return slot and speed; an entity stands for the slot it switches."""
    slot = None
    if (entity_id := call.data.get(ATTR_EQUIPMENT)) is not None:
        for entity in async_outputs(call.hass):
            if entity.entity_id == entity_id and entity.coordinator is coordinator:
                slot = entity.slot
        if slot is None:
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="output_unknown",
                translation_placeholders={"entity": entity_id},
            )
    return equip(
        coordinator.data,
        before,
        slot.index if slot else None,
        call.data.get(ATTR_PUMP_SPEED),
    )


def _times(call: ServiceCall) -> dict[str, Any]:
    """Return what is said of when it runs; seconds are left out."""
    found: dict[str, Any] = {
        name: at.hour * 60 + at.minute
        for name in (ATTR_START, ATTR_END)
        if (at := call.data.get(name)) is not None
    }
    if (days := call.data.get(ATTR_WEEKDAYS)) is not None:
        found[ATTR_WEEKDAYS] = sum(1 << WEEKDAYS.index(day) for day in set(days))
    return found


type _Handler = Callable[[ServiceCall], Coroutine[Any, Any, ServiceResponse]]

_ACTIONS: dict[str, tuple[_Handler, dict[Any, Any], SupportsResponse]] = {
    "create_schedule": (_create, _NEW | _WHAT, SupportsResponse.OPTIONAL),
    "update_schedule": (_update, _NUMBER | _CHANGED | _WHAT, SupportsResponse.NONE),
    "delete_schedule": (_delete, _NUMBER, SupportsResponse.NONE),
    "get_schedules": (_get, {}, SupportsResponse.ONLY),
}


@callback
def async_setup_schedule_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, (handler, fields, supports_response) in _ACTIONS.items():
        schema = vol.Schema(_DEVICE | fields)
        hass.services.async_register(DOMAIN, name, handler, schema, supports_response)
