"""The controller that an action targets, named by its device or one of its parts."""

from homeassistant.const import ATTR_DEVICE_ID
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv, service
import probatio as vol

from ..account import AccountCoordinator
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator
from ..names.parts import controller_of

DEVICE_FIELD = {vol.Required(ATTR_DEVICE_ID): cv.string}


@callback
def async_coordinator(call: ServiceCall) -> ControllerCoordinator:
    """Return the coordinator of the controller whose device or part the action names.

    Raises ServiceValidationError if it names no device of this integration.
    """
    return async_coordinator_of(call.hass, call.data[ATTR_DEVICE_ID])


@callback
def async_coordinator_of(hass: HomeAssistant, device_id: str) -> ControllerCoordinator:
    """Return the coordinator by a device or part ID; raises as `async_coordinator`."""
    device, entry = service.async_get_device_and_config_entry(hass, DOMAIN, device_id)
    account: AccountCoordinator = entry.runtime_data
    named = controller_of(device)
    for coordinator in account.controllers.values():
        if coordinator.registered_id == named:
            return coordinator
    raise ServiceValidationError(
        translation_domain=DOMAIN, translation_key="controller_gone"
    )
