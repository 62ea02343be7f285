"""The action that lets run hours begin anew, after a lamp or a cell was replaced."""

from typing import Final

from homeassistant.const import ATTR_DEVICE_ID, ATTR_ENTITY_ID, Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ServiceNotSupported, ServiceValidationError
from homeassistant.helpers import service
from homeassistant.helpers.entity import Entity

from ..const import DOMAIN
from ..derived.totals import PoolctlTotal
from ..learned.totals import RUN_HOURS

RESET_RUN_HOURS: Final = "reset_run_hours"


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register it; Home Assistant sees that the caller may control the sensor."""
    service.async_register_platform_entity_service(
        hass,
        DOMAIN,
        RESET_RUN_HOURS,
        entity_domain=Platform.SENSOR,
        func=_reset,
        schema=None,
    )


@callback
def _reset(entity: Entity, call: ServiceCall) -> None:
    """Reset one sensor; raises for a chosen one, or a chosen part, without run hours.

    Other sensors of a part or an area are left as they are.
    """
    part = entity.device_entry
    if isinstance(entity, PoolctlTotal) and _counts(entity):
        entity.async_reset()
    elif entity.entity_id in call.data.get(ATTR_ENTITY_ID, ()):
        raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
    elif part and part.id in call.data.get(ATTR_DEVICE_ID, ()):
        others = entity.platform.entities.values()
        if not any(_counts(each) for each in others if each.device_entry == part):
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="no_run_hours",
                translation_placeholders={"part": part.name_by_user or part.name or ""},
            )


def _counts(entity: Entity) -> bool:
    """Tell whether a sensor is one of run hours."""
    return (
        isinstance(entity, PoolctlTotal)
        and entity.entity_description.total in RUN_HOURS
    )
