"""The action that lets run hours begin anew, after a lamp or a cell was replaced."""

from typing import Final

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ServiceNotSupported
from homeassistant.helpers import service
from homeassistant.helpers.entity import Entity

from ..const import DOMAIN
from ..derived.run_hours import PoolctlRunHours

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
    """Reset one sensor; raises ServiceNotSupported for any that has no run hours."""
    if not isinstance(entity, PoolctlRunHours):
        raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
    entity.async_reset()
