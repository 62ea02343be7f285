"""What the forms of flows share: the addresses of a service and of a controller."""

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

from ..client.exceptions import NotSupportedError, PoolctlError
from ..client.lan import PORT
from ..errors import ADDRESS_ERRORS, sentence
from ..network.record import ControllerRecord
from ..network.recovery import Recovery

type UserInput = dict[str, Any]
"""What a person entered, checked by the form's schema."""

ADDRESS_FIELDS: Final = {
    vol.Required(CONF_HOST): TextSelector(),
    vol.Required(CONF_PORT, default=PORT): NumberSelector(
        NumberSelectorConfig(min=1, max=65535, mode=NumberSelectorMode.BOX)
    ),
}
"""Where a person says a controller is."""


def choice(
    value: str, name: str, host: str | None, readings: str = ""
) -> SelectOptionDict:
    """Return a controller to choose, with its address and perhaps its readings."""
    label = f"{name} ({host})" if host else name
    return SelectOptionDict(
        value=value, label=f"{label}: {readings}" if readings else label
    )


def address_form(
    records: Mapping[str, ControllerRecord],
) -> tuple[vol.Schema, UserInput]:
    """Return the form for the address of one of these controllers, and what is in it."""
    choices = [
        choice(device_id, record.title, record.host)
        for device_id, record in records.items()
    ]
    chosen = SelectSelector(SelectSelectorConfig(options=choices))
    schema = vol.Schema({vol.Required(CONF_DEVICE_ID): chosen, **ADDRESS_FIELDS})
    if len(records) > 1:
        return schema, {}
    return schema, {
        name: value
        for device_id, record in records.items()
        for name, value in (
            (CONF_DEVICE_ID, device_id),
            (CONF_HOST, record.host),
            (CONF_PORT, record.port),
        )
    }


async def async_adopt_address(
    recovery: Recovery, user_input: UserInput
) -> dict[str, str]:
    """Take over the address in `ADDRESS_FIELDS` if the controller answers there.

    Return the errors of the form: none where the address was taken over.
    """
    host, port = normalise_host(user_input[CONF_HOST]), int(user_input[CONF_PORT])
    try:
        await recovery.async_adopt_address(host, port)
    except NotSupportedError as err:
        # No address would do.
        return {"base": sentence(err, ADDRESS_ERRORS)}
    except (PoolctlError, ValueError) as err:
        return {CONF_HOST: sentence(err, ADDRESS_ERRORS, "controller_not_found")}
    return {}


def normalise_host(text: str) -> str:
    """Return a name or an address without what people paste around it.

    That is the rest of a link, the brackets of an IPv6 address in it, and the dot that
    ends a name. The zone of a link-local address stays: it leads nowhere without one.
    """
    host = text.strip().split("://")[-1].split("/")[0]
    if host.startswith("["):
        host = host[1:].split("]")[0].replace("%25", "%")
    elif host.count(":") == 1:
        host = host.split(":")[0]
    return host.rstrip(".")


class InvalidAddressError(ValueError):
    """Not a service address; the argument is the key of its sentence."""


def normalise_address(text: str) -> str:
    """Return a service address without the rest of what people paste.

    https may lead anywhere, and is meant where no scheme is given; http only to private
    and loopback addresses, where nobody else can listen to the sign-in. Raises
    InvalidAddressError.
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
