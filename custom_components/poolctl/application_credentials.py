"""OAuth 2.0 against the service address of an entry (protocol.md 4.1, 5.1).

Accounts may use different addresses, but Home Assistant requests an implementation
without naming one: `service_address` sets it in a context variable.
"""

from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPMethod, HTTPStatus
import logging
import time
from typing import override

from aiohttp import RequestInfo, hdrs
from homeassistant.components.application_credentials import (
    AuthorizationServer,
    ClientCredential,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import (
    ImplementationUnavailableError,
    OAuth2TokenRequestConnectionError,
    OAuth2TokenRequestReauthError,
)
from homeassistant.helpers import config_entry_oauth2_flow, http
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.util.hass_dict import HassKey
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from .client import (
    AuthenticationError,
    PoolctlError,
    authorize_url,
    request_tokens,
    token_url,
)
from .const import DOMAIN
from .private import TokenImplementation
from .report.statistics import Observers

_LOGGER = logging.getLogger(__name__)
_SIGN_IN: HassKey[defaultdict[str, Observers]] = HassKey("poolctl_sign_in_observers")
_service: ContextVar[str | None] = ContextVar("poolctl_service", default=None)

CONF_REFRESH_SINCE = "refresh_token_since"
"""Unix time at which the refresh token was issued; it expires 30 days later."""


@contextmanager
def service_address(base_url: str) -> Generator[None]:
    """Set the service address for implementations created in this context."""
    token = _service.set(base_url)
    try:
        yield
    finally:
        _service.reset(token)


@callback
def async_sign_in_observers(hass: HomeAssistant, base_url: str) -> Observers:
    """Return the observers of all sign-ins at a service: they belong to no entry."""
    return hass.data.setdefault(_SIGN_IN, defaultdict(Observers))[base_url]


class ServiceImplementation(TokenImplementation):
    """The authorization-code flow of one service."""

    def __init__(
        self,
        hass: HomeAssistant,
        auth_domain: str,
        credential: ClientCredential,
        base_url: str,
    ) -> None:
        server = AuthorizationServer(authorize_url(base_url), token_url(base_url))
        super().__init__(hass, auth_domain, credential, server)
        self._base_url = base_url

    @property
    @override
    def extra_authorize_data(self) -> dict[str, str]:
        return {"scope": "profile"}

    @override
    async def async_request_token(self, data: dict[str, str]) -> dict[str, object]:
        """Return the token to be stored, with only the fields that are needed."""
        form = {
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            **data,
        }
        try:
            tokens = await request_tokens(
                async_get_clientsession(self.hass),
                self._base_url,
                form,
                async_sign_in_observers(self.hass, self._base_url).facts(),
            )
        except PoolctlError as err:
            _LOGGER.debug("No token (%s): %s", data.get("grant_type"), err)
            if not isinstance(err, AuthenticationError):
                raise OAuth2TokenRequestConnectionError(
                    domain=self.service_domain
                ) from err
            url = URL(self.token_url)
            raise OAuth2TokenRequestReauthError(
                request_info=RequestInfo(
                    url, HTTPMethod.POST, CIMultiDictProxy(CIMultiDict()), url
                ),
                status=HTTPStatus.BAD_REQUEST,
                message=str(err),
                domain=self.service_domain,
            ) from err
        token: dict[str, object] = {
            "access_token": tokens.access,
            "token_type": "Bearer",
            "expires_in": tokens.expires_in,
        }
        if tokens.refresh not in (None, data.get("refresh_token")):
            token["refresh_token"] = tokens.refresh
            token[CONF_REFRESH_SINCE] = time.time()
        return token


async def async_get_auth_implementation(
    hass: HomeAssistant, auth_domain: str, credential: ClientCredential
) -> ServiceImplementation:
    """Return the implementation for the service of the context."""
    if (base_url := _service.get()) is None:
        raise ImplementationUnavailableError  # Home Assistant has the text
    return ServiceImplementation(hass, auth_domain, credential, base_url)


async def async_credentials_stored(hass: HomeAssistant) -> bool:
    """Return whether application credentials are stored, for any service."""
    with service_address(""):
        found = await config_entry_oauth2_flow.async_get_implementations(hass, DOMAIN)
    return bool(found)


async def async_get_description_placeholders(hass: HomeAssistant) -> dict[str, str]:
    """Return the redirect address, shown in the dialog for credentials."""
    try:
        address = config_entry_oauth2_flow.async_get_redirect_uri(hass)
    except RuntimeError:
        # The dialog uses a websocket, where the only header that names the page is the
        # origin. That is also the address that the sign-in returns to.
        request = http.current_request.get()
        origin = request.headers.get(hdrs.ORIGIN, "") if request is not None else ""
        address = f"{origin}{config_entry_oauth2_flow.AUTH_CALLBACK_PATH}"
    return {"redirect_uri": address}
