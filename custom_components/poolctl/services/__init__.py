"""Actions of the integration that no entity offers by itself.

All except raw access target entities, so Home Assistant checks the caller's permission.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Final

from homeassistant.const import ATTR_DEVICE_ID, ATTR_ENTITY_ID, ATTR_NAME, Platform
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import HomeAssistantError, ServiceNotSupported
from homeassistant.helpers import config_validation as cv, service
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.typing import VolDictType
import probatio as vol

from ..account import async_controller
from ..client import RawControl, parse_payload
from ..client.holds import HeatClaim
from ..client.pool import AnyDosing
from ..climate import PoolctlClimate
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..entity import OutputEntity, PoolctlEntity
from ..errors import command_errors, mistake
from ..prices.given import PRICE_FIELDS
from ..private import async_call_entities
from ..warm_by.request import LONGEST_WARM
from . import plan_hours, schedules
from .values import (
    Fields,
    entities_only,
    moment,
    named,
    of_kind,
    on_entities,
    or_refuse,
    speed,
    within,
)

_OUTPUTS: Final = Platform.LIGHT, Platform.SWITCH
_HOLD: Final[VolDictType] = {
    vol.Required("state"): cv.boolean,
    vol.Required("duration"): within(
        "duration", cv.positive_time_period, timedelta(seconds=1), timedelta(days=366)
    ),
    vol.Optional("speed"): speed,
}
_HEAT_LASTS: Final = within(
    "duration", cv.positive_time_period, timedelta(seconds=1), HeatClaim.LONGEST
)
_WARM_BY: Final[VolDictType] = {
    vol.Required("at"): moment,
    vol.Optional("duration"): within(
        "duration", cv.positive_time_period, timedelta(), LONGEST_WARM
    ),
    **PRICE_FIELDS,
    vol.Optional("later", default=False): cv.boolean,
}
_RAW: Final[VolDictType] = {
    vol.Required(ATTR_DEVICE_ID): cv.string,
    vol.Required(ATTR_NAME): vol.All(str, vol.Length(min=1)),
    # Not converted to text: a YAML number has already lost its leading zeros.
    vol.Optional("payload", default=""): str,
}
_PAUSE: Final = or_refuse(cv.positive_time_period, lambda: mistake("pause_too_long"))
_NONE: Final = SupportsResponse.NONE
_OPTIONAL: Final = SupportsResponse.OPTIONAL
_ONLY: Final = SupportsResponse.ONLY
_NOTHING: Final = entities_only({})
_CALENDAR: Final = Platform.CALENDAR

type _Run = str | Callable[..., object]
"""Method of the entity, or function of the entity and the call."""
type _Action = tuple[str, Platform, _Run, Fields, SupportsResponse]


async def _hold(entity: Entity, call: ServiceCall) -> None:
    if isinstance(entity, PoolctlClimate):
        if not call.data["state"]:
            raise mistake("hold_heat_off")
        if "speed" in call.data:
            raise mistake("schedule_no_speed")
        await entity.async_hold(_HEAT_LASTS(call.data["duration"]))
        return
    output, data = of_kind(OutputEntity, entity, call), call.data
    with output.commanding():
        requester = await output.asked_by()
        await output.controller.holds.hold(
            output.slot, data["state"], data["duration"], data.get("speed"), requester
        )


async def _resume(entity: Entity, call: ServiceCall) -> None:
    if isinstance(entity, PoolctlClimate):
        await entity.async_resume()
        return
    output = of_kind(OutputEntity, entity, call)
    with output.commanding():
        await output.asked_by()  # so that its effect is not logged as a change
        await output.controller.holds.resume(output.slot)


async def _async_on_held(
    run: Callable[[Entity, ServiceCall], Awaitable[None]], call: ServiceCall
) -> None:
    """Run an action on outputs, and on thermostats that are named.

    Whoever holds all of an area did not ask for heat.
    """
    named = call.data.get(ATTR_ENTITY_ID, ())
    entities: dict[str, Entity] = {
        entity_id: entity
        for platform in async_get_platforms(call.hass, DOMAIN)
        for entity_id, entity in platform.entities.items()
        if platform.domain in _OUTPUTS
        or (platform.domain == Platform.CLIMATE and entity_id in named)
    }
    await async_call_entities(call.hass, entities, run, call)


async def _async_pause(entities: list[Entity], call: ServiceCall) -> None:
    """Pause dosers, those of one controller together; raise the first failure."""
    pauses = defaultdict[ControllerCoordinator, list[AnyDosing]](list)
    for entity in entities:
        switch = of_kind(PoolctlEntity, entity, call)
        if (doses := switch.entity_description.doses) is None:
            raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
        pauses[switch.coordinator].append(doses)
    failures = []
    for coordinator, kinds in pauses.items():
        try:
            with command_errors(coordinator.record.title):
                await coordinator.controller.pauses.begin(kinds, call.data["duration"])
        except HomeAssistantError as err:
            failures.append(err)  # it must not keep the others from their pause
    if failures:
        raise failures[0]


async def _async_send(
    send: Callable[[RawControl, str, bytes], Awaitable[bytes]], call: ServiceCall
) -> ServiceResponse:
    """Send the given name and payload once; return the reply as hex."""
    coordinator = async_controller(call.hass, call.data[ATTR_DEVICE_ID])
    controller = coordinator.controller
    with command_errors(coordinator.record.title):
        payload = parse_payload(call.data["payload"])
        reply = await send(controller.raw, call.data[ATTR_NAME], payload)
    return {"response": reply.hex()} if call.return_response else None


_UPDATE: Final = entities_only(schedules.UPDATE)
_ACTIONS: Final[tuple[_Action, ...]] = (
    ("warm_by", Platform.CLIMATE, "async_warm_by", on_entities(_WARM_BY), _NONE),
    (
        "cancel_warm_by",
        Platform.CLIMATE,
        "async_cancel_warm_by",
        on_entities({}),
        _NONE,
    ),
    (
        "create_schedule",
        _CALENDAR,
        schedules.async_create,
        on_entities(schedules.CREATE),
        _OPTIONAL,
    ),
    ("get_schedules", _CALENDAR, schedules.async_get, on_entities({}), _ONLY),
    ("plan_hours", _CALENDAR, plan_hours.async_plan, plan_hours.SCHEMA, _OPTIONAL),
    ("update_schedule", Platform.SWITCH, schedules.async_update, _UPDATE, _NONE),
    ("delete_schedule", Platform.SWITCH, schedules.async_delete, _NOTHING, _NONE),
    ("reset_run_hours", Platform.SENSOR, "async_reset_total", _NOTHING, _NONE),
)
"""Actions on the entities of one platform."""


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    for name, run, schema in (
        ("hold", _hold, on_entities(_HOLD)),
        ("resume_schedule", _resume, on_entities({})),
    ):
        hass.services.async_register(DOMAIN, name, partial(_async_on_held, run), schema)
    for name, platform, func, fields, response in _ACTIONS:
        service.async_register_platform_entity_service(
            hass,
            DOMAIN,
            name,
            entity_domain=platform,
            func=func,
            schema=fields,
            supports_response=response,
        )
    service.async_register_batched_platform_entity_service(
        hass,
        DOMAIN,
        "pause_dosing",
        entity_domain=Platform.SWITCH,
        func=_async_pause,
        schema=entities_only({vol.Required("duration"): _PAUSE}),
    )
    for name, send, response in (
        ("send_action", RawControl.action, _OPTIONAL),
        ("send_query", RawControl.query, _ONLY),
    ):
        service.async_register_admin_service(
            hass,
            DOMAIN,
            name,
            partial(_async_send, send),
            Fields(named(_RAW)),
            response,
        )
