"""OAuth 2.0 against the service address of an entry (interface.md 4.1, 5.1).

Accounts may be on different addresses, and Home Assistant asks for an implementation
without saying for which: `service_address` says it, in a context variable.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import override

from homeassistant.components.application_credentials import (
    AuthImplementation,
    AuthorizationServer,
    ClientCredential,
)
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ImplementationUnavailableError
from homeassistant.helpers import config_entry_oauth2_flow

from .client.account import authorize_url, token_url

_service: ContextVar[str | None] = ContextVar("poolctl_service", default=None)

_LIFETIME = 86400
"""s that an access token lives (interface.md 2.2) where the answer does not say."""


@contextmanager
def service_address(base_url: str) -> Generator[None]:
    """Let implementations be made for this service."""
    token = _service.set(base_url)
    try:
        yield
    finally:
        _service.reset(token)


class ServiceImplementation(AuthImplementation):
    """The authorization-code flow of one service."""

    @property
    @override
    def extra_authorize_data(self) -> dict[str, str]:
        """Return the published scope."""
        return {"scope": "profile"}

    @override
    async def _token_request(self, data: dict[str, object]) -> dict[str, object]:
        return {"expires_in": _LIFETIME, **await super()._token_request(data)}


async def async_get_auth_implementation(
    hass: HomeAssistant, auth_domain: str, credential: ClientCredential
) -> ServiceImplementation:
    """Return the implementation for the service of the context."""
    if (base_url := _service.get()) is None:
        raise ImplementationUnavailableError("no service address")
    server = AuthorizationServer(authorize_url(base_url), token_url(base_url))
    return ServiceImplementation(hass, auth_domain, credential, server)


async def async_get_entry_implementation(
    hass: HomeAssistant, entry: ConfigEntry
) -> config_entry_oauth2_flow.AbstractOAuth2Implementation:
    """Return the implementation of an entry."""
    with service_address(entry.data[CONF_URL]):
        return await config_entry_oauth2_flow.async_get_config_entry_implementation(
            hass, entry
        )
