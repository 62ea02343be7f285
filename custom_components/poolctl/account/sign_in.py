"""The sign-in of an account: its access token, renewed in time (protocol.md 4.1)."""

import asyncio
from collections.abc import Mapping
import math
import time
from typing import Any

from aiohttp import ClientError
from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntry, UnknownEntry
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady
from homeassistant.helpers.config_entry_oauth2_flow import (
    CLOCK_OUT_OF_SYNC_MAX_SEC,
    async_get_config_entry_implementation,
)

from ..application_credentials import service_address
from ..client import (
    TOKEN,
    AuthenticationError,
    Backoff,
    BusyError,
    Clock,
    Gate,
    PoolctlError,
    UnreachableError,
)

CONF_REFUSALS = "refusals"
"""Trusted Unix times at which the renewal of this sign-in was refused."""
SIGN_IN_AGAIN = Backoff(60.0, 3600.0, factor=10.0, most=3)
"""After the last refusal, nothing is sent until somebody signs in."""
_RENEWAL_TIMEOUT = 20.0
_RENEWAL_SPACING = 60.0
"""Minimum seconds between two renewals, however soon a token expires or is refused."""


class AccountToken:
    """Keeps an entry signed in; a `TokenProvider` of the client.

    One renewal runs at a time. The sign-in counts as failed only if the service refuses
    to renew it, not if the service cannot be reached or fails.
    """

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry, gate: Gate, clock: Clock
    ) -> None:
        """Prepare; `gate` has the limits of the token endpoint."""
        self._hass = hass
        self._entry = entry
        self._gate, self._clock = gate, clock
        self._renewal: asyncio.Task[PoolctlError | None] | None = None
        self._not_before = 0.0
        """Earliest time of the next renewal (monotonic, in seconds)."""
        self._refused: str | None = None
        self._last_token: Mapping[str, Any] | None = None
        """The token of a deleted account, whose entry takes no other one."""

    async def __call__(self, *, refused: str | None = None) -> str:
        """Return a valid token other than the refused one.

        Raises AuthenticationError if a new sign-in is needed, BusyError if the service
        asked to wait, else UnreachableError.
        """
        if refused == self._access_token:
            self._refused = refused
        is_refused = self._access_token == self._refused or bool(self._refusals)
        expires_in = self._token.get("expires_at", 0) - time.time()
        if not is_refused and expires_in > CLOCK_OUT_OF_SYNC_MAX_SEC:
            return self._access_token
        if self._renewal is None:
            if time.monotonic() < self._not_before:
                if is_refused:
                    raise UnreachableError("renewed a moment ago", ran=False)
                return self._access_token
            self._check()
            self._renewal = self._hass.async_create_background_task(
                self._renew(), "poolctl sign-in", eager_start=False
            )
        # A caller may be cancelled while it waits, but the renewal must go on: the service
        # may have used up the old refresh token already, and only its answer holds the
        # new one.
        if (error := await asyncio.shield(self._renewal)) is not None:
            raise error
        return self._access_token

    def _check(self) -> None:
        """Raise the error of an earlier try that keeps the next one from being made."""
        self._gate.check(TOKEN)
        if not (refusals := self._refusals):
            return
        since = self._clock.time() - refusals[-1]
        wait = SIGN_IN_AGAIN.after(len(refusals))
        if math.isinf(wait) or 0 <= since < wait:
            raise AuthenticationError("the service wants a new sign-in")

    async def _renew(self) -> PoolctlError | None:
        token, renewed = self._token, dict[str, object]()
        refusals: list[float] = []
        error: PoolctlError | None = None
        try:
            async with asyncio.timeout(_RENEWAL_TIMEOUT):
                with service_address(self._entry.data[CONF_URL]):
                    implementation = await async_get_config_entry_implementation(
                        self._hass, self._entry
                    )
                renewed = await implementation.async_refresh_token({**token})
        except (ConfigEntryAuthFailed, KeyError) as err:
            # After a long stop, a refusal may be the only answer that has the time.
            if isinstance(err.__cause__, AuthenticationError):
                self._clock.confirm(err.__cause__.date)
            refusals = [*self._refusals, self._clock.time()]
        except (ConfigEntryNotReady, ClientError, TimeoutError, ValueError) as err:
            error = UnreachableError(
                f"sign-in could not be renewed ({type(err).__name__})", ran=False
            )
            if isinstance(err.__cause__, BusyError):
                error = err.__cause__
        finally:
            self._renewal = None
        self._gate.answered(TOKEN, error)
        # Somebody may have signed in meanwhile, which counts more.
        if error is None and token == self._token:
            self._store({**token, **renewed, CONF_REFUSALS: refusals})
        if refusals:
            self._ask_for_sign_in()
            return AuthenticationError("the service wants a new sign-in")
        if error is None:
            self._not_before = time.monotonic() + _RENEWAL_SPACING
            # The reauth flow that an earlier refusal started.
            for flow in self._entry.async_get_active_flows(self._hass, {SOURCE_REAUTH}):
                self._hass.config_entries.flow.async_abort(flow["flow_id"])
        return error

    def _ask_for_sign_in(self) -> None:
        """Ask for a sign-in, but not in a closed season: the next one does (chosen)."""
        if not (self._entry.pref_disable_polling or self._last_token):
            self._entry.async_start_reauth_if_available(self._hass)

    def _store(self, token: Mapping[str, Any]) -> None:
        data = {**self._entry.data, CONF_TOKEN: token}
        try:
            self._hass.config_entries.async_update_entry(self._entry, data=data)
        except UnknownEntry:
            self._last_token = token

    @property
    def _token(self) -> Mapping[str, Any]:
        stored: Mapping[str, Any] = self._entry.data[CONF_TOKEN]
        return self._last_token or stored

    @property
    def _refusals(self) -> list[float]:
        found: list[float] = self._token.get(CONF_REFUSALS, [])
        return found

    @property
    def _access_token(self) -> str:
        token: str = self._token[CONF_ACCESS_TOKEN]
        return token
