"""Actions of the integration that no entity offers by itself.

All except raw access target entities, so Home Assistant checks the caller's permission.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, ServiceCall, SupportsResponse, callback
from homeassistant.exceptions import ServiceNotSupported
from homeassistant.helpers import config_validation as cv, service
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.typing import VolDictType, VolSchemaType
import probatio as vol

from ..client.pool.dosing import AnyDosing
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..errors import command_errors
from ..learned.totals import RUN_HOURS
from ..private import async_call_entities
from ..sensor import PoolctlSensor
from ..switch import PoolctlDosingSwitch
from ..warm_by.request import LONGEST
from . import plan_hours, raw, schedules
from .values import duration, entities_only, moment, whole

_OUTPUTS: Final = Platform.LIGHT, Platform.SWITCH
_HOLD: Final[VolDictType] = {
    vol.Required("state"): cv.boolean,
    vol.Required("duration"): vol.All(
        duration,
        vol.Range(min=timedelta(seconds=1), max=timedelta(days=366)),
    ),
    vol.Optional("speed"): whole,
}
_OF_OUTPUTS: Final[Mapping[str, tuple[str, VolDictType]]] = {
    "hold": ("async_hold", _HOLD),
    "resume_schedule": ("async_resume_schedule", {}),
}
_WARM_BY: Final[VolDictType] = {
    vol.Optional("at"): moment,
    vol.Optional("duration"): vol.All(duration, vol.Range(max=LONGEST)),
}
_OPTIONAL, _ONLY = SupportsResponse.OPTIONAL, SupportsResponse.ONLY


async def _async_on_outputs(method: str, call: ServiceCall) -> None:
    entities: dict[str, Entity] = {
        entity_id: entity
        for platform in async_get_platforms(call.hass, DOMAIN)
        if platform.domain in _OUTPUTS
        for entity_id, entity in platform.entities.items()
    }
    await async_call_entities(call.hass, entities, method, call)


async def _async_pause(entities: list[Entity], call: ServiceCall) -> None:
    """Pause dosers; those of one controller together."""
    pauses = defaultdict[ControllerCoordinator, list[AnyDosing]](list)
    for entity in entities:
        if not isinstance(entity, PoolctlDosingSwitch):
            raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
        pauses[entity.coordinator].append(entity.entity_description.kind)
    for coordinator, kinds in pauses.items():
        with command_errors(coordinator.record.title):
            await coordinator.controller.pauses.begin(kinds, call.data["duration"])


@callback
def _reset(entity: Entity, call: ServiceCall) -> None:
    if (
        not isinstance(entity, PoolctlSensor)
        or entity.entity_description.total not in RUN_HOURS
    ):
        raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
    entity.async_reset()


@dataclass(frozen=True, slots=True)
class _Action:
    """An action on the entities of one platform."""

    platform: Platform
    run: str | Callable[..., object]
    """Method of the entity, or function that receives the entity and the call."""
    schema: VolDictType | VolSchemaType
    response: SupportsResponse = SupportsResponse.NONE


_ACTIONS: Final[Mapping[str, _Action]] = {
    "warm_by": _Action(Platform.CLIMATE, "async_warm_by", _WARM_BY),
    "create_schedule": _Action(
        Platform.CALENDAR, schedules.async_create, schedules.CREATE, _OPTIONAL
    ),
    "get_schedules": _Action(Platform.CALENDAR, schedules.async_get, {}, _ONLY),
    "plan_hours": _Action(
        Platform.CALENDAR, plan_hours.async_plan, plan_hours.SCHEMA, _OPTIONAL
    ),
    "update_schedule": _Action(
        Platform.SWITCH, schedules.async_update, entities_only(schedules.UPDATE)
    ),
    "delete_schedule": _Action(
        Platform.SWITCH, schedules.async_delete, entities_only({})
    ),
    "reset_run_hours": _Action(Platform.SENSOR, _reset, entities_only({})),
}


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, (method, fields) in _OF_OUTPUTS.items():
        hass.services.async_register(
            DOMAIN,
            name,
            partial(_async_on_outputs, method),
            cv.make_entity_service_schema(fields),
        )
    for name, action in _ACTIONS.items():
        service.async_register_platform_entity_service(
            hass,
            DOMAIN,
            name,
            entity_domain=action.platform,
            func=action.run,
            schema=action.schema,
            supports_response=action.response,
        )
    service.async_register_batched_platform_entity_service(
        hass,
        DOMAIN,
        "pause_dosing",
        entity_domain=Platform.SWITCH,
        func=_async_pause,
        schema=entities_only({vol.Required("duration"): duration}),
    )
    for name, send, response in (
        ("send_action", raw.async_send_action, _OPTIONAL),
        ("send_query", raw.async_send_query, _ONLY),
    ):
        service.async_register_admin_service(
            hass, DOMAIN, name, send, raw.SCHEMA, response
        )
