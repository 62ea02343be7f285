"""Actions that no entity expresses by itself."""

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import service

from .const import DOMAIN

SERVICE_RESUME_SCHEDULE = "resume_schedule"


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the actions."""
    service.async_register_platform_entity_service(
        hass,
        DOMAIN,
        SERVICE_RESUME_SCHEDULE,
        entity_domain=Platform.SWITCH,
        schema={},
        func="async_resume_schedule",
    )
