"""The account's access token, handed to the client."""

import asyncio
import time

from aiohttp import ClientError
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady
from homeassistant.helpers.config_entry_oauth2_flow import OAuth2Session

from .application_credentials import async_get_entry_implementation
from .client.exceptions import AuthenticationError, PoolctlError, UnreachableError

_TIMEOUT = 20.0
_RENEWABLE = 29 * 24 * 3600
"""s after the end of an access token, which lasts a day: a refresh token lasts 30 days
(interface.md 8)."""


class AccountToken:
    """Keeps an entry signed in; a `TokenProvider` of the client.

    One renewal runs at a time. The sign-in counts as failed only if the service refuses
    to renew it, not if the service cannot be reached or fails.
    """

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry) -> None:
        """Prepare; the implementation is looked up at the first use."""
        self._hass = hass
        self._entry = entry
        self._session: OAuth2Session | None = None
        self._renewal: asyncio.Task[PoolctlError | None] | None = None

    async def __call__(self, *, refused: str | None = None) -> str:
        """Return a valid token other than the refused one.

        Raises AuthenticationError where a new sign-in is needed, else UnreachableError.
        """
        if refused is not None and refused == self._access_token:
            self._expire()
        if self._session is None or not self._session.valid_token:
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
        """Renew the token where needed; return what went wrong."""
        try:
            if self._entry.pref_disable_polling and self._ended:
                # Home Assistant would ask a person at once, in a closed season, too.
                return AuthenticationError("the sign-in has ended")
            async with asyncio.timeout(_TIMEOUT):
                if self._session is None:
                    implementation = await async_get_entry_implementation(
                        self._hass, self._entry
                    )
                    self._session = OAuth2Session(
                        self._hass, self._entry, implementation
                    )
                await self._session.async_ensure_token_valid()
        except ConfigEntryAuthFailed, KeyError:
            return AuthenticationError("the service wants a new sign-in")
        except (ConfigEntryNotReady, ClientError, TimeoutError, ValueError) as err:
            return UnreachableError(
                f"sign-in could not be renewed ({type(err).__name__})", sent=False
            )
        finally:
            self._renewal = None
        return None

    @property
    def _access_token(self) -> str:
        token: str = self._entry.data[CONF_TOKEN][CONF_ACCESS_TOKEN]
        return token

    @property
    def _ended(self) -> bool:
        """Whether a renewal would be refused: it was not renewed for too long."""
        expired_at: float = self._entry.data[CONF_TOKEN].get("expires_at", 0)
        return time.time() > expired_at + _RENEWABLE

    def _expire(self) -> None:
        token = {**self._entry.data[CONF_TOKEN], "expires_at": 0}
        self._hass.config_entries.async_update_entry(
            self._entry, data={**self._entry.data, CONF_TOKEN: token}
        )
