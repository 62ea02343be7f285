"""The action that lets run hours begin anew, after a lamp or a cell was replaced."""

from typing import Final

from homeassistant.const import ATTR_ENTITY_ID, Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ServiceNotSupported
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
    """Reset one sensor; raises ServiceNotSupported for a chosen one without run hours.

    Of a part or an area, those that have none are left as they are.
    """
    if (
        isinstance(entity, PoolctlTotal)
        and entity.entity_description.total in RUN_HOURS
    ):
        entity.async_reset()
    elif entity.entity_id in call.data.get(ATTR_ENTITY_ID, ()):
        raise ServiceNotSupported(call.domain, call.service, entity.entity_id)
