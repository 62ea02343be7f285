"""What the forms of flows share: the form for a controller's address."""

from typing import Any, Final

from homeassistant.const import CONF_HOST, CONF_PORT
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    TextSelector,
)
import probatio as vol

from .client.exceptions import NotSupportedError, PoolctlError
from .client.lan import PORT
from .errors import ADDRESS_ERRORS, sentence
from .upkeep.recovery import Recovery

type UserInput = dict[str, Any]
"""What a person entered, checked by the form's schema."""

ADDRESS_FIELDS: Final = {
    vol.Required(CONF_HOST): TextSelector(),
    vol.Required(CONF_PORT, default=PORT): NumberSelector(
        NumberSelectorConfig(min=1, max=65535, mode=NumberSelectorMode.BOX)
    ),
}
"""Where a person says a controller is."""


async def async_adopt_address(
    recovery: Recovery, user_input: UserInput
) -> dict[str, str]:
    """Take over the address in `ADDRESS_FIELDS` if the controller answers there.

    Return the errors of the form: none where the address was taken over.
    """
    host, port = user_input[CONF_HOST].strip(), int(user_input[CONF_PORT])
    try:
        await recovery.async_adopt_address(host, port)
    except NotSupportedError as err:
        # No address would do.
        return {"base": sentence(err, ADDRESS_ERRORS)}
    except (PoolctlError, ValueError) as err:
        return {CONF_HOST: sentence(err, ADDRESS_ERRORS, "controller_not_found")}
    return {}
