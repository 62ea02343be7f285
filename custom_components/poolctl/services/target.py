"""Which controller an action is for."""

from homeassistant.const import ATTR_DEVICE_ID
from homeassistant.core import ServiceCall, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import service

from ..account import AccountCoordinator
from ..client.control.controller import Controller
from ..const import DOMAIN
from ..coordinator import ControllerCoordinator


@callback
def async_controller(call: ServiceCall) -> Controller:
    """Return the controller whose device the action names, as `async_coordinator`."""
    return async_coordinator(call).controller


@callback
def async_coordinator(call: ServiceCall) -> ControllerCoordinator:
    """Return what coordinates the controller whose device the action names.

    Raises ServiceValidationError where it names none of ours.
    """
    device, entry = service.async_get_device_and_config_entry(
        call.hass, DOMAIN, call.data[ATTR_DEVICE_ID]
    )
    account: AccountCoordinator = entry.runtime_data
    for _, device_id in device.identifiers:
        if (coordinator := account.controllers.get(device_id)) is not None:
            return coordinator
    raise ServiceValidationError(
        translation_domain=DOMAIN, translation_key="controller_gone"
    )
