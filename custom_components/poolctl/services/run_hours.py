"""The action that resets run hours after a lamp or a cell was replaced."""

from functools import partial
from typing import Final, TypeGuard

from homeassistant.const import ATTR_DEVICE_ID, ATTR_ENTITY_ID, Platform
from homeassistant.core import HassJob, HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ServiceNotSupported, ServiceValidationError
from homeassistant.helpers import (
    config_validation as cv,
    device_registry as dr,
    service,
    target,
)
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import DATA_DOMAIN_PLATFORM_ENTITIES

from ..const import DOMAIN
from ..derived.totals import PoolctlTotal
from ..learned.totals import RUN_HOURS

RESET_RUN_HOURS: Final = "reset_run_hours"


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register the action; Home Assistant checks the caller's permission."""
    hass.services.async_register(
        DOMAIN,
        RESET_RUN_HOURS,
        partial(_reset_all, hass),
        schema=cv.make_entity_service_schema({}),
    )


async def _reset_all(hass: HomeAssistant, call: ServiceCall) -> None:
    """Reset the sensors of a target.

    Run hours are diagnostic: Home Assistant leaves them out of a part or an area.
    """
    platforms = hass.data.get(DATA_DOMAIN_PLATFORM_ENTITIES, {})
    sensors = platforms.get((Platform.SENSOR, DOMAIN), {})
    chosen = target.async_extract_referenced_entity_ids(
        hass, target.TargetSelection(call.data), primary_entities_only=False
    )
    counters = {each for each, sensor in sensors.items() if _has_run_hours(sensor)}
    for device_id in call.data.get(ATTR_DEVICE_ID, ()):
        _check_part(hass, device_id, [sensors[each] for each in counters])
    if indirect := chosen.indirectly_referenced & counters:
        ids = {ATTR_ENTITY_ID: sorted(chosen.referenced | indirect)}
        call = ServiceCall(hass, call.domain, call.service, ids, call.context)
    await service.entity_service_call(hass, sensors, HassJob(_reset), call)


def _check_part(hass: HomeAssistant, device_id: str, counters: list[Entity]) -> None:
    """Raise ServiceValidationError if no sensor of a chosen part has run hours."""
    part = dr.async_get(hass).async_get(device_id)
    if part is not None and all(each.device_entry != part for each in counters):
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="no_run_hours",
            translation_placeholders={"part": part.name_by_user or part.name or ""},
        )


@callback
def _reset(entity: Entity, call: ServiceCall) -> None:
    """Reset a sensor; raise ServiceNotSupported for a chosen one without run hours."""
    if _has_run_hours(entity):
        entity.async_reset()
    elif entity.entity_id in call.data.get(ATTR_ENTITY_ID, ()):
        raise ServiceNotSupported(call.domain, call.service, entity.entity_id)


def _has_run_hours(entity: Entity) -> TypeGuard[PoolctlTotal]:
    """Return whether a sensor counts run hours."""
    return (
        isinstance(entity, PoolctlTotal)
        and entity.entity_description.total in RUN_HOURS
    )
