"""Raw access: any action or query of the controller, for users who explore it."""

from collections.abc import Awaitable, Callable
from typing import Final

from homeassistant.const import ATTR_DEVICE_ID, ATTR_NAME
from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv
import probatio as vol

from ..account import async_controller
from ..client.control.raw import RawControl, parse_payload
from ..errors import command_errors

ATTR_PAYLOAD: Final = "payload"
ATTR_RESPONSE: Final = "response"

SCHEMA = vol.Schema(
    {
        vol.Required(ATTR_DEVICE_ID): cv.string,
        vol.Required(ATTR_NAME): vol.All(str, vol.Length(min=1)),
        # Not converted to text: a YAML number has already lost its leading zeros.
        vol.Optional(ATTR_PAYLOAD, default=""): str,
    }
)


async def async_send(
    send: Callable[[RawControl, str, bytes], Awaitable[bytes]], call: ServiceCall
) -> ServiceResponse:
    """Send the given name and payload once; return the reply as hex."""
    coordinator = async_controller(call.hass, call.data[ATTR_DEVICE_ID])
    controller = coordinator.controller
    with command_errors(coordinator.record.title):
        payload = parse_payload(call.data[ATTR_PAYLOAD])
        reply = await send(controller.raw, call.data[ATTR_NAME], payload)
    return {ATTR_RESPONSE: reply.hex()} if call.return_response else None
