"""Actions that no entity expresses by itself."""

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.helpers import config_validation as cv, service
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import async_get_platforms

from ..const import DOMAIN
from .raw import async_setup_raw_services
from .schedules import async_setup_schedule_services

SERVICE_RESUME_SCHEDULE = "resume_schedule"


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    hass.services.async_register(
        DOMAIN,
        SERVICE_RESUME_SCHEDULE,
        _resume_schedule,
        cv.make_entity_service_schema({}),
    )
    async_setup_raw_services(hass)
    async_setup_schedule_services(hass)


async def _resume_schedule(call: ServiceCall) -> None:
    """Give outputs back to their schedules.

    Home Assistant's own helper takes the entities of one platform only.
    """
    entities: dict[str, Entity] = {
        entity_id: entity
        for platform in async_get_platforms(call.hass, DOMAIN)
        if platform.domain in (Platform.LIGHT, Platform.SWITCH)
        for entity_id, entity in platform.entities.items()
    }
    await service.entity_service_call(
        call.hass, entities, f"async_{SERVICE_RESUME_SCHEDULE}", call
    )
