"""Finding a controller again: a new address, a new key.

An address is adopted only after a frame from it verified under this controller's key,
whoever told it: mDNS, DHCP, the controller's `.local` name or a person.
"""

from dataclasses import replace
import logging
import time
from typing import TYPE_CHECKING, cast

from homeassistant.core import callback
from homeassistant.helpers.aiohttp_client import (
    HomeAssistantTCPConnector,
    async_get_clientsession,
)

from .client.exceptions import NotSupportedError, PoolctlError, SignatureError
from .client.lan import PORT

if TYPE_CHECKING:
    from .coordinator import ControllerCoordinator

_LOGGER = logging.getLogger(__name__)

KEY_INTERVAL = 3600.0
"""s between two attempts to fetch a key that no longer verifies."""
LOOKUP_INTERVAL = 300.0
"""s between two look-ups of the `.local` name."""


class Healer:
    """Mends the LAN side of one controller."""

    def __init__(self, coordinator: ControllerCoordinator) -> None:
        """Prepare; nothing is wrong yet."""
        self._coordinator = coordinator
        self._next_key = 0.0
        self._next_lookup = 0.0

    @callback
    def async_check(self) -> None:
        """Look at the newest poll and start what may help."""
        controller, now = self._coordinator.controller, time.monotonic()
        error = controller.lan_error
        if isinstance(error, SignatureError) and now >= self._next_key:
            self._next_key = now + KEY_INTERVAL
            self._coordinator.async_in_background(self._async_renew_key(), "new key")
        if (
            self._coordinator.uses_lan
            and not controller.on_lan
            and now >= self._next_lookup
        ):
            self._next_lookup = now + LOOKUP_INTERVAL
            self._coordinator.async_in_background(self._async_look_up(), "look-up")

    @callback
    def async_offer(self, host: str, port: int = PORT) -> None:
        """Try an address the network told."""
        record = self._coordinator.record
        if (host, port) != (record.host, record.port):
            self._coordinator.async_in_background(
                self._async_try(host, port), "new address"
            )
        elif not self._coordinator.controller.on_lan:
            self._coordinator.async_in_background(
                self._coordinator.async_request_refresh(), "controller is back"
            )

    async def async_adopt_address(self, host: str, port: int) -> None:
        """Take over an address if this controller answers there.

        Raises SignatureError where another one does, NotSupportedError where there is
        no key to tell, and what `LanClient.state` raises.
        """
        coordinator = self._coordinator
        if (lan := coordinator.lan_client(host, port)) is None:
            raise NotSupportedError("there is no key, or the LAN is switched off")
        await lan.state()
        coordinator.async_adopt(replace(coordinator.record, host=host, port=port))

    async def _async_try(self, host: str, port: int) -> bool:
        """Do the same with an address the network told; tell whether it was right."""
        try:
            await self.async_adopt_address(host, port)
        except PoolctlError as err:
            _LOGGER.debug("An address was tried, but not adopted: %s", err)
            return False
        _LOGGER.info("%s has a new address", self._coordinator.name)
        return True

    async def _async_look_up(self) -> None:
        """Ask for the controller's `.local` name, by multicast and by unicast.

        The name is published (interface.md 2.8); Home Assistant's own resolver does both.
        """
        record = self._coordinator.record
        name = f"ctrl-{record.mac.replace(':', '')[-6:]}.local"
        session = async_get_clientsession(self._coordinator.hass)
        connector = cast(HomeAssistantTCPConnector, session.connector)
        try:
            found = await connector.async_resolve_host(name)
        except OSError as err:
            _LOGGER.debug("The controller's name was not resolved: %s", err)
            return
        for host in dict.fromkeys(address["host"] for address in found):
            if host != record.host and await self._async_try(host, PORT):
                return

    async def _async_renew_key(self) -> None:
        coordinator = self._coordinator
        key = await coordinator.account.async_fetch_key(coordinator.record.device_id)
        if key is not None and key != coordinator.record.key:
            _LOGGER.info("%s has a new envelope key", coordinator.name)
            coordinator.async_adopt(replace(coordinator.record, key=key))
