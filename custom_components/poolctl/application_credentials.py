"""OAuth 2.0 against the service address of an entry (protocol.md 4.1, 5.1).

Accounts may use different addresses, but Home Assistant requests an implementation
without naming one: `service_address` sets it in a context variable.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPMethod, HTTPStatus
import time
from typing import override

from aiohttp import ClientError, RequestInfo, hdrs
from homeassistant.components.application_credentials import (
    AuthorizationServer,
    ClientCredential,
)
from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntry
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import (
    ConfigEntryAuthFailed,
    ConfigEntryNotReady,
    ImplementationUnavailableError,
    OAuth2TokenRequestConnectionError,
    OAuth2TokenRequestReauthError,
)
from homeassistant.helpers import config_entry_oauth2_flow, http
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.config_entry_oauth2_flow import (
    CLOCK_OUT_OF_SYNC_MAX_SEC,
    async_get_config_entry_implementation,
)
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from .client.account import authorize_url, request_tokens, token_url
from .client.wire.exceptions import AuthenticationError, PoolctlError, UnreachableError
from .const import DOMAIN
from .private import TokenImplementation
from .report.recording import async_keep_recording, async_sign_in_observers

_service: ContextVar[str | None] = ContextVar("poolctl_service", default=None)

CONF_REFRESH_SINCE = "refresh_token_since"
"""Unix time at which the refresh token was issued; it expires 30 days later."""
_TIMEOUT = 20.0
_SPACING = 60.0
"""Minimum seconds between two renewals, however soon a token expires or is refused."""


@contextmanager
def service_address(base_url: str) -> Generator[None]:
    """Set the service address for implementations created in this context."""
    token = _service.set(base_url)
    try:
        yield
    finally:
        _service.reset(token)


class ServiceImplementation(TokenImplementation):
    """The authorization-code flow of one service."""

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
                self.token_url,
                form,
                async_sign_in_observers(self.hass, self.token_url).facts(),
            )
        except PoolctlError as err:
            if data.get("grant_type") == "authorization_code":
                # The recording of a renewal is part of the entry's diagnostics.
                await async_keep_recording(self.hass, self.token_url)
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
    server = AuthorizationServer(authorize_url(base_url), token_url(base_url))
    return ServiceImplementation(hass, auth_domain, credential, server)


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


class AccountToken:
    """Keeps an entry signed in; a `TokenProvider` of the client.

    One renewal runs at a time. The sign-in counts as failed only if the service refuses
    to renew it, not if the service cannot be reached or fails.
    """

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry) -> None:
        self._hass = hass
        self._entry = entry
        self._renewal: asyncio.Task[PoolctlError | None] | None = None
        self._not_before = 0.0
        """Earliest time of the next renewal (monotonic, in seconds)."""
        self._refused: str | None = None

    async def __call__(self, *, refused: str | None = None) -> str:
        """Return a valid token other than the refused one.

        Raises AuthenticationError if a new sign-in is needed, else UnreachableError.
        """
        if refused == self._access_token:
            self._refused = refused
        is_refused = self._access_token == self._refused
        if is_refused or not self._valid:
            if self._renewal is None and time.monotonic() < self._not_before:
                if is_refused:
                    raise UnreachableError("renewed a moment ago", ran=False)
                return self._access_token
            if self._renewal is None:
                self._renewal = self._hass.async_create_background_task(
                    self._renew(), "poolctl sign-in", eager_start=False
                )
            # A caller may be cancelled while it waits, but the renewal must go on: the
            # service may have used up the old refresh token already, and only its answer
            # holds the new one.
            if (error := await asyncio.shield(self._renewal)) is not None:
                raise error
        return self._access_token

    async def _renew(self) -> PoolctlError | None:
        try:
            async with asyncio.timeout(_TIMEOUT):
                with service_address(self._entry.data[CONF_URL]):
                    implementation = await async_get_config_entry_implementation(
                        self._hass, self._entry
                    )
                token = self._entry.data[CONF_TOKEN]
                renewed = await implementation.async_refresh_token(token)
                self._hass.config_entries.async_update_entry(
                    self._entry,
                    data={**self._entry.data, CONF_TOKEN: {**token, **renewed}},
                )
                self._not_before = time.monotonic() + _SPACING
                # The reauth flow that an earlier refusal started.
                for flow in self._entry.async_get_active_flows(
                    self._hass, {SOURCE_REAUTH}
                ):
                    self._hass.config_entries.flow.async_abort(flow["flow_id"])
        except ConfigEntryAuthFailed, KeyError:
            # A closed season requests no sign-in; the next season does (chosen).
            if not self._entry.pref_disable_polling:
                self._entry.async_start_reauth_if_available(self._hass)
            return AuthenticationError("the service wants a new sign-in")
        except (ConfigEntryNotReady, ClientError, TimeoutError, ValueError) as err:
            return UnreachableError(
                f"sign-in could not be renewed ({type(err).__name__})", ran=False
            )
        finally:
            self._renewal = None
        return None

    @property
    def _access_token(self) -> str:
        token: str = self._entry.data[CONF_TOKEN][CONF_ACCESS_TOKEN]
        return token

    @property
    def _valid(self) -> bool:
        expires_at: float = self._entry.data[CONF_TOKEN].get("expires_at", 0)
        return expires_at > time.time() + CLOCK_OUT_OF_SYNC_MAX_SEC
