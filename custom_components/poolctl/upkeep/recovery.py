"""Finding a controller again: a new address, a new key.

An address is adopted only after a frame from it verified under this controller's key,
whoever told it: mDNS, DHCP, the controller's `.local` name or a person.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
import logging
import time
from typing import cast

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import (
    HomeAssistantTCPConnector,
    async_get_clientsession,
)

from ..client.exceptions import (
    EnvelopeError,
    NotSupportedError,
    PoolctlError,
    RefusedError,
    SignatureError,
)
from ..client.lan import PORT, LanClient
from .health import Health
from .records import ControllerRecord

_LOGGER = logging.getLogger(__name__)

KEY_INTERVAL = 3600.0
"""s between two questions for the key when the known one no longer verifies."""
KEY_RETRY = 300.0
"""s until the key is asked for again where there was no answer: the cloud was away just
then, and another hour without the LAN would be the price."""
SEARCH_INTERVAL = 300.0
"""s between two searches for a controller that is lost."""


class Recovery:
    """Gives one controller back its LAN."""

    def __init__(
        self,
        hass: HomeAssistant,
        name: str,
        *,
        health: Callable[[], Health],
        lan_client: Callable[[ControllerRecord], LanClient | None],
        fetch_key: Callable[[str], Awaitable[bytes]],
        adopt: Callable[[ControllerRecord], None],
        request_refresh: Callable[[], Coroutine[None, None, None]],
        in_background: Callable[[Coroutine[None, None, object], str], None],
    ) -> None:
        """Take what it needs of its controller; nothing is wrong yet.

        `name` is for the log. `fetch_key` asks the account for the key of an identifier
        and raises what `CloudClient.envelope_key` raises; `adopt` takes over and stores
        what proved true; `in_background` runs something that has a name.
        """
        self._hass = hass
        self._name = name
        self._health = health
        self._lan_client = lan_client
        self._fetch_key = fetch_key
        self._adopt = adopt
        self._request_refresh = request_refresh
        self._in_background = in_background
        self._next_key = 0.0
        self._next_search = 0.0
        self._searching = asyncio.Lock()
        self.key_asked = False
        """As `Health.key_asked`."""

    @callback
    def async_check(self) -> None:
        """Look at the newest poll and start what may help."""
        health, now = self._health(), time.monotonic()
        if health.lan_error is None:
            self.key_asked = False
        if isinstance(health.lan_error, SignatureError):
            self._in_background(self._async_renew_key(), "new key")
        if health.lan_allowed and not health.on_lan and now >= self._next_search:
            self._next_search = now + SEARCH_INTERVAL
            self._in_background(self.async_search(), "search")

    @callback
    def async_offer(self, host: str, port: int = PORT) -> None:
        """Try an address the network told."""
        health = self._health()
        if (host, port) != health.record.address:
            self._in_background(self._async_try(host, port), "new address")
        elif health.lan_possible and not health.on_lan:
            self._in_background(self._request_refresh(), "controller is back")

    async def async_adopt_address(self, host: str, port: int) -> None:
        """Take over an address a person typed if this controller answers there.

        Raises SignatureError where another one does, NotSupportedError where there is
        no key to tell, and what `LanClient.state` raises.
        """
        await self._async_adopt(
            replace(self._health().record, host=host, port=port, by_hand=True)
        )

    async def async_adopt_key(self) -> None:
        """Fetch the key because a person asks, and take it over if it verifies.

        Raises what `CloudClient.envelope_key` raises, NotSupportedError where the LAN
        is not used, and what `LanClient.state` raises.
        """
        record = self._health().record
        key = await self._fetch_key(record.device_id)
        await self._async_adopt(replace(record, key=key.hex()))

    async def async_search(self) -> None:
        """Try the address it was announced with last, then those of its `.local` name.

        An announcement may have come just when the controller could not answer. The
        name is published (interface.md 2.8), and Home Assistant's own resolver asks for
        it by multicast and by unicast.
        """
        async with self._searching:
            await self._async_try_all()

    async def async_wait(self) -> None:
        """Wait for the search that a failed poll has started."""
        async with self._searching:
            pass

    async def _async_try_all(self) -> None:
        health = self._health()
        seen = health.announced
        if seen is not None and await self._async_try(seen.host, seen.port):
            return
        for host in await self._async_resolve(health.record):
            if await self._async_try(host, PORT):
                return

    async def _async_resolve(self, record: ControllerRecord) -> list[str]:
        """Return the addresses of the controller's name, each once."""
        session = async_get_clientsession(self._hass)
        connector = cast("HomeAssistantTCPConnector", session.connector)
        name = f"ctrl-{record.mac.replace(':', '')[-6:]}.local"
        try:
            found = await connector.async_resolve_host(name)
        except OSError as err:
            # The error's words hold the name, which is a part of the MAC address.
            kind = type(err).__name__
            _LOGGER.debug("The controller's name was not resolved: %s", kind)
            return []
        return list(dict.fromkeys(address["host"] for address in found))

    async def _async_try(self, host: str, port: int) -> bool:
        """Adopt an address the network told; tell whether it was right and new."""
        record = self._health().record
        if (host, port) == record.address:
            return False
        found = replace(record, host=host, port=port, by_hand=False)
        try:
            try:
                await self._async_adopt(found)
            except SignatureError:
                # Another controller answers there, or ours has a new key as well.
                if (key := await self._async_new_key()) is None:
                    raise
                await self._async_adopt(replace(found, key=key))
        except PoolctlError as err:
            _LOGGER.debug("An address was tried, but not adopted: %s", err)
            return False
        _LOGGER.info("%s has a new address", self._name)
        return True

    async def _async_adopt(self, record: ControllerRecord) -> None:
        """Take over a record if the controller answers as it says."""
        if (lan := self._lan_client(record)) is None:
            raise NotSupportedError("there is no key, or the LAN is switched off")
        await lan.state()
        self._adopt(record)

    async def _async_renew_key(self) -> None:
        if (key := await self._async_new_key()) is not None:
            _LOGGER.info("%s has a new envelope key", self._name)
            self._adopt(replace(self._health().record, key=key))

    async def _async_new_key(self) -> str | None:
        """Fetch the key, at most once an hour; return it if it is another one."""
        if (now := time.monotonic()) < self._next_key:
            return None
        self._next_key = now + KEY_INTERVAL
        record = self._health().record
        try:
            key = await self._fetch_key(record.device_id)
        except (RefusedError, EnvelopeError) as err:
            _LOGGER.debug("The account has no key of the controller: %s", err)
            self.key_asked = True
            return None
        except PoolctlError as err:
            _LOGGER.debug("No answer to the question for the key: %s", err)
            self._next_key = now + KEY_RETRY
            return None
        self.key_asked = True
        return key.hex() if key.hex() != record.key else None
