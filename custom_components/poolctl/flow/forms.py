"""Shared parts of the flows' forms: addresses of a service and of a controller."""

from collections.abc import Mapping
import ipaddress
from typing import Any, Final

from homeassistant.const import CONF_DEVICE_ID, CONF_HOST, CONF_PORT
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
)
import probatio as vol
from yarl import URL

from ..client import PORT, PORTS, NotSupportedError, PoolctlError, split_address
from ..errors import ADDRESS_ERRORS, sentence
from ..network.record import ControllerRecord
from ..network.recovery import Recovery

type UserInput = dict[str, Any]
"""User input, validated by the form's schema."""

ADDRESS_FIELDS: Final = {
    vol.Required(CONF_HOST): TextSelector(),
    vol.Required(CONF_PORT, default=PORT): NumberSelector(
        NumberSelectorConfig(min=PORTS[0], max=PORTS[-1], mode=NumberSelectorMode.BOX)
    ),
}
"""Fields for the address of a controller."""


def choice(
    value: str, name: str, host: str | None, readings: str = ""
) -> SelectOptionDict:
    """Return the option of a controller, with its address and any readings."""
    label = f"{name} ({host})" if host else name
    return SelectOptionDict(
        value=value, label=f"{label}: {readings}" if readings else label
    )


def address_form(
    records: Mapping[str, ControllerRecord],
) -> tuple[vol.Schema, UserInput]:
    """Return the form for the address of a controller, and its suggested values."""
    choices = [
        choice(device_id, record.title, record.host)
        for device_id, record in records.items()
    ]
    chosen = SelectSelector(SelectSelectorConfig(options=choices))
    schema = vol.Schema({vol.Required(CONF_DEVICE_ID): chosen, **ADDRESS_FIELDS})
    if len(records) != 1:
        return schema, {}
    ((device_id, only),) = records.items()
    return schema, {
        CONF_DEVICE_ID: device_id,
        CONF_HOST: only.host,
        CONF_PORT: only.port,
    }


async def async_adopt_address(
    recovery: Recovery, user_input: UserInput
) -> dict[str, str]:
    """Adopt a typed address if the controller answers there, else return errors."""
    try:
        host, port = split_address(user_input[CONF_HOST])
        await recovery.async_adopt_address(host, port or int(user_input[CONF_PORT]))
    except NotSupportedError as err:
        # No other address would help.
        return {"base": sentence(err, ADDRESS_ERRORS)}
    except (PoolctlError, ValueError) as err:
        return {CONF_HOST: sentence(err, ADDRESS_ERRORS, "controller_not_found")}
    return {}


class InvalidAddressError(ValueError):
    """The text is not a service address; the argument is the translation key."""


def normalise_address(text: str) -> str:
    """Return a service address without the rest of a pasted URL.

    https is the default and allowed for every host, http only for private and loopback
    addresses, where no third party can read the sign-in. Raises InvalidAddressError.
    """
    text = text.strip()
    try:
        url = URL(text if "://" in text else f"https://{text}")
        host = url.host
    except ValueError:
        raise InvalidAddressError("invalid_url") from None
    if url.scheme not in ("http", "https") or not host or url.user or url.password:
        raise InvalidAddressError("invalid_url")
    if url.scheme == "http" and not _is_private(host):
        raise InvalidAddressError("http_not_private")
    path = url.path.split("/api-gateway")[0].rstrip("/")
    return str(url.with_path(path).with_query(None).with_fragment(None)).rstrip("/")


def _is_private(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private or address.is_loopback
