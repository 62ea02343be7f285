"""Actions that no entity expresses by itself."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from homeassistant.const import Platform
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.helpers import config_validation as cv, service
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.typing import VolDictType, VolSchemaType
import probatio as vol

from ..const import DOMAIN
from ..private import async_call_entities
from . import dosing, plan_hours, raw, run_hours, schedules
from .numbers import duration, whole

_HOLD: VolDictType = {
    vol.Required("state"): cv.boolean,
    vol.Required("duration"): vol.All(
        duration,
        vol.Range(min=timedelta(seconds=1), max=timedelta(days=366)),
    ),
    vol.Optional("speed"): whole,
}
_OPTIONAL, _ONLY = SupportsResponse.OPTIONAL, SupportsResponse.ONLY


async def _async_on_outputs(method: str, call: ServiceCall) -> None:
    """Run a method of the outputs that an action targets."""
    entities: dict[str, Entity] = {
        entity_id: entity
        for platform in async_get_platforms(call.hass, DOMAIN)
        if platform.domain in (Platform.LIGHT, Platform.SWITCH)
        for entity_id, entity in platform.entities.items()
    }
    await async_call_entities(call.hass, entities, method, call)


@dataclass(frozen=True, slots=True)
class _Action:
    handler: Callable[[ServiceCall], Coroutine[None, None, ServiceResponse]]
    schema: VolSchemaType
    response: SupportsResponse = SupportsResponse.NONE
    admin: bool = False
    """Whether only administrators may run it."""


_ACTIONS: Mapping[str, _Action] = {
    "resume_schedule": _Action(
        partial(_async_on_outputs, "async_resume_schedule"),
        cv.make_entity_service_schema({}),
    ),
    "hold": _Action(
        partial(_async_on_outputs, "async_hold"), cv.make_entity_service_schema(_HOLD)
    ),
    "pause_dosing": _Action(dosing.async_pause, dosing.PAUSE_SCHEMA),
    "create_schedule": _Action(
        schedules.async_create, schedules.CREATE_SCHEMA, _OPTIONAL
    ),
    "update_schedule": _Action(schedules.async_update, schedules.UPDATE_SCHEMA),
    "delete_schedule": _Action(schedules.async_delete, schedules.DELETE_SCHEMA),
    "plan_hours": _Action(plan_hours.async_plan, plan_hours.SCHEMA, _OPTIONAL),
    "get_schedules": _Action(schedules.async_get, schedules.GET_SCHEMA, _ONLY),
    "send_action": _Action(raw.async_send_action, raw.SCHEMA, _OPTIONAL, admin=True),
    "send_query": _Action(raw.async_send_query, raw.SCHEMA, _ONLY, admin=True),
}


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, action in _ACTIONS.items():
        what = action.handler, action.schema, action.response
        if action.admin:
            service.async_register_admin_service(hass, DOMAIN, name, *what)
        else:
            hass.services.async_register(DOMAIN, name, *what)
    run_hours.async_register(hass)
