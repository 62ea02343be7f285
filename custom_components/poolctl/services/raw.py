"""Raw access: any action or query of the controller, for those who explore it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from homeassistant.const import ATTR_DEVICE_ID, ATTR_NAME
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.helpers import config_validation as cv, service
import probatio as vol

from ..client.control.raw import RawControl, parse_payload
from ..const import DOMAIN
from ..errors import command_errors
from .target import async_controller

ATTR_PAYLOAD: Final = "payload"
ATTR_RESPONSE: Final = "response"

type _Send = Callable[[RawControl, str, bytes], Awaitable[bytes]]

_ACTIONS: dict[str, tuple[_Send, SupportsResponse]] = {
    "send_action": (RawControl.action, SupportsResponse.OPTIONAL),
    "send_query": (RawControl.query, SupportsResponse.ONLY),
}
_SCHEMA = vol.Schema(
    {
        vol.Required(ATTR_DEVICE_ID): cv.string,
        vol.Required(ATTR_NAME): vol.All(str, vol.Length(min=1)),
        # Not turned into text: a number of YAML has lost its leading zeros.
        vol.Optional(ATTR_PAYLOAD, default=""): str,
    }
)


@callback
def async_setup_raw_services(hass: HomeAssistant) -> None:
    """Register the actions; only for administrators."""
    for name, (send, supports_response) in _ACTIONS.items():
        service.async_register_admin_service(
            hass, DOMAIN, name, partial(_send, send), _SCHEMA, supports_response
        )


async def _send(send: _Send, call: ServiceCall) -> ServiceResponse:
    """Send what was composed, once; return the reply."""
    controller = async_controller(call)
    with command_errors():
        payload = parse_payload(call.data[ATTR_PAYLOAD])
        reply = await send(controller.raw, call.data[ATTR_NAME], payload)
    return {ATTR_RESPONSE: reply.hex()} if call.return_response else None
