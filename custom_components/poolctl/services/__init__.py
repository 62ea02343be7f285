"""Actions of the integration that no entity offers by itself."""

from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
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
from homeassistant.util import dt as dt_util
import probatio as vol

from ..const import DOMAIN
from ..private import async_call_entities
from ..warm_by.request import LONGEST
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


def _utc(value: datetime) -> datetime:
    try:
        return dt_util.as_utc(value)
    except OverflowError:
        raise vol.Invalid("not a possible time") from None


_WARM_BY: VolDictType = {
    vol.Optional("at"): vol.All(cv.datetime, _utc),
    vol.Optional("duration"): vol.All(duration, vol.Range(max=LONGEST)),
}
_OUTPUTS = Platform.LIGHT, Platform.SWITCH
_OPTIONAL, _ONLY = SupportsResponse.OPTIONAL, SupportsResponse.ONLY


async def _async_on_entities(
    domains: Collection[str], method: str, call: ServiceCall
) -> None:
    """Run a method of the entities that an action targets."""
    entities: dict[str, Entity] = {
        entity_id: entity
        for platform in async_get_platforms(call.hass, DOMAIN)
        if platform.domain in domains
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
        partial(_async_on_entities, _OUTPUTS, "async_resume_schedule"),
        cv.make_entity_service_schema({}),
    ),
    "hold": _Action(
        partial(_async_on_entities, _OUTPUTS, "async_hold"),
        cv.make_entity_service_schema(_HOLD),
    ),
    "warm_by": _Action(
        partial(_async_on_entities, (Platform.CLIMATE,), "async_warm_by"),
        cv.make_entity_service_schema(_WARM_BY),
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
