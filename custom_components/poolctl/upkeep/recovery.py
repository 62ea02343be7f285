"""Finding a controller again: a new address, a new key.

An address is adopted only after a frame from it verified under this controller's key,
whoever told it: mDNS, DHCP, the controller's `.local` name or a person.
"""

import asyncio
from dataclasses import replace
import logging
import time
from typing import TYPE_CHECKING, cast

from homeassistant.core import callback
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
from ..client.lan import PORT
from .records import ControllerRecord, async_sightings

if TYPE_CHECKING:
    from ..coordinator import ControllerCoordinator

_LOGGER = logging.getLogger(__name__)

KEY_INTERVAL = 3600.0
"""s between two questions for the key when the known one no longer verifies."""
KEY_RETRY = 300.0
"""s until the key is asked for again where there was no answer: the cloud was away just
then, and another hour without the LAN would be the price."""
SEARCH_INTERVAL = 300.0
"""s between two searches for a controller that is lost."""


class Healer:
    """Mends the LAN side of one controller."""

    def __init__(self, coordinator: ControllerCoordinator) -> None:
        """Prepare; nothing is wrong yet."""
        self._coordinator = coordinator
        self._next_key = 0.0
        self._next_search = 0.0
        self._searching = asyncio.Lock()
        self.key_asked = False
        """Whether the account was asked for the key since a frame last verified, and
        answered: whatever it said then, nothing is left that helps by itself."""

    @callback
    def async_check(self) -> None:
        """Look at the newest poll and start what may help."""
        coordinator, now = self._coordinator, time.monotonic()
        if coordinator.controller.lan_error is None:
            self.key_asked = False
        if isinstance(coordinator.controller.lan_error, SignatureError):
            coordinator.async_in_background(self._async_renew_key(), "new key")
        if (
            coordinator.uses_lan
            and not coordinator.controller.on_lan
            and now >= self._next_search
        ):
            self._next_search = now + SEARCH_INTERVAL
            coordinator.async_in_background(self._async_search(), "search")

    @callback
    def async_offer(self, host: str, port: int = PORT) -> None:
        """Try an address the network told."""
        record, controller = self._coordinator.record, self._coordinator.controller
        if (host, port) != (record.host, record.port):
            self._coordinator.async_in_background(
                self._async_try(host, port), "new address"
            )
        elif controller.lan is not None and not controller.on_lan:
            self._coordinator.async_in_background(
                self._coordinator.async_request_refresh(), "controller is back"
            )

    async def async_adopt_address(self, host: str, port: int) -> None:
        """Take over an address a person typed if this controller answers there.

        Raises SignatureError where another one does, NotSupportedError where there is
        no key to tell, and what `LanClient.state` raises.
        """
        await self._async_adopt(
            replace(self._coordinator.record, host=host, port=port, by_hand=True)
        )

    async def async_adopt_key(self) -> None:
        """Fetch the key because a person asks, and take it over if it verifies.

        Raises what `CloudClient.envelope_key` raises, NotSupportedError where the LAN
        is not used, and what `LanClient.state` raises.
        """
        record = self._coordinator.record
        key = await self._coordinator.account.cloud.envelope_key(record.device_id)
        await self._async_adopt(replace(record, key=key.hex()))

    async def async_search(self) -> bool:
        """Search now because a person asks; tell whether it answers on the LAN."""
        await self._async_search()
        await self._coordinator.async_refresh()
        return self._coordinator.controller.on_lan

    async def async_wait(self) -> None:
        """Wait for the search that a failed poll has started."""
        async with self._searching:
            pass

    async def _async_search(self) -> None:
        """Try where it was announced last and where its `.local` name leads.

        An announcement may have come just when it could not answer; the name is
        published (interface.md 2.8), and Home Assistant's own resolver asks for it by
        multicast and by unicast.
        """
        async with self._searching:
            await self._async_try_all()

    async def _async_try_all(self) -> None:
        record = self._coordinator.record
        seen = async_sightings(self._coordinator.hass).get(record.device_id)
        if seen is not None and await self._async_try(seen.host, seen.port):
            return
        name = f"ctrl-{record.mac.replace(':', '')[-6:]}.local"
        session = async_get_clientsession(self._coordinator.hass)
        connector = cast(HomeAssistantTCPConnector, session.connector)
        try:
            found = await connector.async_resolve_host(name)
        except OSError as err:
            # Its words hold the name, which is part of the MAC address.
            kind = type(err).__name__
            _LOGGER.debug("The controller's name was not resolved: %s", kind)
            return
        for host in dict.fromkeys(address["host"] for address in found):
            if await self._async_try(host, PORT):
                return

    async def _async_try(self, host: str, port: int) -> bool:
        """Adopt an address the network told; tell whether it was right and new."""
        record = self._coordinator.record
        if (host, port) == (record.host, record.port):
            return False
        found = replace(record, host=host, port=port, by_hand=False)
        try:
            try:
                await self._async_adopt(found)
            except SignatureError:
                # Another controller, or ours with a new key, too.
                if (key := await self._async_new_key()) is None:
                    raise
                await self._async_adopt(replace(found, key=key))
        except PoolctlError as err:
            _LOGGER.debug("An address was tried, but not adopted: %s", err)
            return False
        _LOGGER.info("%s has a new address", self._coordinator.name)
        return True

    async def _async_adopt(self, record: ControllerRecord) -> None:
        """Take over a record if the controller answers as it says."""
        if (lan := self._coordinator.lan_client(record)) is None:
            raise NotSupportedError("there is no key, or the LAN is switched off")
        await lan.state()
        self._coordinator.async_adopt(record)

    async def _async_renew_key(self) -> None:
        if (key := await self._async_new_key()) is not None:
            _LOGGER.info("%s has a new envelope key", self._coordinator.name)
            self._coordinator.async_adopt(replace(self._coordinator.record, key=key))

    async def _async_new_key(self) -> str | None:
        """Fetch the key, at most once an hour; return it if it is another one."""
        if (now := time.monotonic()) < self._next_key:
            return None
        self._next_key = now + KEY_INTERVAL
        record = self._coordinator.record
        try:
            key = await self._coordinator.account.cloud.envelope_key(record.device_id)
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
