"""Recovery of a controller on the LAN after it has a new address or a new key.

An address that a user enters is adopted once a frame from there verifies with this
controller's key, and stays. An address that the network reports (mDNS, DHCP, the
`.local` name) is adopted while no other address works, once `proof.py` has verified that
the controller itself answers there, not a recording.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
import logging
from typing import Protocol

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr

from ..client import (
    CloudClient,
    EnvelopeError,
    LanClient,
    NotSupportedError,
    Paths,
    PoolctlError,
    RefusedError,
    SignatureError,
)
from ..const import DOMAIN
from ..private import async_resolve
from .addresses import TRY_INTERVAL, ObservedAddress, Tries, async_observed_addresses
from .proof import Proof, with_own_counter
from .record import ControllerRecord, LanAccess, mac_of

_LOGGER = logging.getLogger(__name__)

KEY_INTERVAL = 3600.0
"""Seconds from an answer to a request for the key until the next one, if needed."""
_KEY_PATIENCE, _KEY_LATER = 5.0, 30.0
"""Seconds that a start waits for a missing key, and then until the polls ask for it."""
SEARCH_INTERVAL = 300.0
"""Seconds between two look-ups of the `.local` name of a lost controller."""


class Adopter(Protocol):
    """Coordinator of the controller to recover."""

    hass: HomeAssistant
    name: str
    """Name in the log."""

    def async_adopt(self, record: ControllerRecord) -> None:
        """Take over and store a verified record."""

    async def async_request_refresh(self) -> None:
        """Poll soon."""

    def async_in_background(
        self, task: Coroutine[None, None, object], name: str
    ) -> object:
        """Run a task that ends with the entry at the latest."""


class Recovery:
    """Restores the LAN connection of one controller."""

    def __init__(
        self, adopter: Adopter, access: LanAccess, paths: Paths, cloud: CloudClient
    ) -> None:
        self._adopter = adopter
        self._access = access
        self._paths = paths
        self._cloud = cloud
        self._addresses = async_observed_addresses(adopter.hass)
        self._proof = Proof()
        self._tries = Tries()
        self._untested_key: str | None = None
        """Key that the account reported for a new address, not verified yet."""
        self._searching = asyncio.Lock()
        self.key_asked = False
        """See `Situation.key_asked`."""

    @callback
    def async_check(self) -> None:
        """Check the newest poll; fetch the key or search for the address if needed."""
        error = self._paths.lan_error
        if error is None:
            self.key_asked = False
        if self._access.record.key is None or isinstance(error, SignatureError):
            self._adopter.async_in_background(self._async_renew_key(), "new key")
        self._async_search_if_lost()

    @callback
    def async_offer(self, reported: ObservedAddress) -> None:
        """Handle an address just reported by the network (in `ObservedAddresses`)."""
        paths, record = self._paths, self._access.record
        announced = self._at_address(reported)
        is_lost = paths.lan is not None and not paths.on_lan
        changes = paths.lan_works and announced != record
        if announced.address != record.address:
            self._async_search_if_lost()
        elif (is_lost or changes) and self._addresses.tries.start_try(
            reported.device_id, TRY_INTERVAL
        ):
            if is_lost:
                refresh = self._adopter.async_request_refresh()
                self._adopter.async_in_background(refresh, "controller is back")
            else:
                self._adopter.async_adopt(announced)

    async def async_adopt_address(self, host: str, port: int) -> None:
        """Adopt an address that a user entered if this controller answers there.

        Raises SignatureError if another controller answers, NotSupportedError if there
        is no key to verify the answer with, and what `LanClient.state` raises.
        """
        await self._async_adopt(
            replace(self._access.record, host=host, port=port, by_hand=True)
        )

    async def async_adopt_key(self) -> None:
        """Fetch the key at a user's request, and adopt it if it verifies.

        Raises what `CloudClient.envelope_key` raises, NotSupportedError if the LAN is
        not used, and what `LanClient.state` raises.
        """
        record = self._access.record
        key = await self._cloud.envelope_key(record.device_id, urgent=True)
        await self._async_adopt(replace(record, key=key.hex()))

    async def async_search(self) -> None:
        """Try every address that the network reports now, at a user's request.

        These are the announced addresses and those of its `.local` name. The name is
        published (protocol.md 2.8), and Home Assistant's own resolver looks it up by
        multicast and by unicast.
        """
        async with self._searching:
            await self._async_ask_for_names()
            record = self._access.record
            for reported in self._addresses.of(record.device_id):
                if reported.address != record.address and await self._async_try(
                    reported
                ):
                    return

    async def async_fetch_key(self) -> None:
        """Fetch a missing key before the first poll; wait no more than 5 s for it."""
        if self._access.record.key is None:
            try:
                async with asyncio.timeout(_KEY_PATIENCE):
                    await self._async_renew_key()
            except TimeoutError:  # ended, because the first read would wait for it
                self._tries.delay("key", _KEY_LATER)
            self._async_search_if_lost()

    async def async_wait(self, seconds: float) -> None:
        """Wait some seconds for the search in progress, if there is one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._searching:
                pass

    # A new address

    @callback
    def _async_search_if_lost(self) -> None:
        """Search for a lost controller: one address a minute, its name less often."""
        record = self._access.record
        if (
            self._access.allowed
            and not self._paths.on_lan
            and record.key is not None
            and not record.by_hand
            and not self._searching.locked()
        ):
            self._adopter.async_in_background(self._async_try_next(), "search")

    async def _async_try_next(self) -> None:
        async with self._searching:
            if self._tries.start_try("search", SEARCH_INTERVAL):
                await self._async_ask_for_names()
            reported = self._addresses.next_to_try(self._access.record)
            if reported is not None:
                await self._async_try(reported)

    async def _async_ask_for_names(self) -> None:
        """Look up its `.local` name: both names if it has two MAC addresses."""
        record = self._access.record
        for mac in dict.fromkeys((record.mac, mac_of(record.device_id))):
            name = f"ctrl-{mac.replace(':', '')[-6:]}.local"
            try:
                hosts = await async_resolve(self._adopter.hass, name)
            except OSError as err:
                # The error message contains the name: a part of the MAC address.
                kind = type(err).__name__
                _LOGGER.debug("The controller's name was not resolved: %s", kind)
                continue
            for host in hosts:
                self._addresses.add(ObservedAddress.of_record(record, host))

    async def _async_try(self, reported: ObservedAddress) -> bool:
        """Try an address that the network reported; return whether it was adopted."""
        key = None
        try:
            try:
                await self._proof.async_verify(self._client(self._at_address(reported)))
            except SignatureError:
                # Another controller answers there, or ours has a new key as well.
                if (key := self._untested_key) in (None, self._access.record.key):
                    # The search does not wait for the cloud.
                    ask = self._async_try_with_new_key(reported)
                    self._adopter.async_in_background(ask, "key for an address")
                    raise
                found = replace(self._at_address(reported), key=key)
                await self._proof.async_verify(self._client(found))
        except PoolctlError as err:
            _LOGGER.debug("An address was tried, but not adopted: %s", err)
            return False
        if self._paths.on_lan:
            _LOGGER.debug("An address was not adopted, because the known one works")
            return False
        found = self._at_address(reported)
        self._adopter.async_adopt(replace(found, key=key or found.key))
        _LOGGER.info("%s has a new address", self._adopter.name)
        return True

    def _at_address(self, reported: ObservedAddress) -> ControllerRecord:
        """Return the record with a reported address; frames report its firmware."""
        record = self._access.record
        return replace(
            record,
            mac=reported.mac if self._may_have(reported.mac) else record.mac,
            host=reported.host,
            port=reported.port,
            by_hand=record.by_hand and reported.address == record.address,
        )

    def _may_have(self, mac: str) -> bool:
        """Return whether an announced MAC address may be the controller's.

        No frame proves it. The one in its device ID is accepted. Another one (of a second
        interface) is accepted if that one was never announced, and no device has it.
        """
        record = self._access.record
        own = mac_of(record.device_id)
        if mac == own:
            return True
        if record.mac != own or self._addresses.announces_own_mac(record.device_id):
            return False
        found = dr.async_get(self._adopter.hass).async_get_devices(
            connections={(dr.CONNECTION_NETWORK_MAC, mac)}
        )
        ours = (DOMAIN, record.device_id)
        return all(ours in device.identifiers for device in found)

    def _client(self, record: ControllerRecord) -> LanClient:
        if (lan := self._access.client(record)) is None:
            raise NotSupportedError("there is no key, or the LAN is switched off")
        return lan

    async def _async_adopt(self, record: ControllerRecord) -> None:
        """Adopt a record at a user's request if a frame verifies with it."""
        lan = self._client(record)
        with_own_counter(lan)
        await lan.state()
        self._adopter.async_adopt(record)

    # A new key

    async def _async_try_with_new_key(self, reported: ObservedAddress) -> None:
        """Try an address, where the stored key fails, with a new key from the account.

        It is kept, because it may verify at the address that is tried next. Its tries
        are counted apart: another device must not use up the controller's.
        """
        if key := await self._async_new_key("key for an address"):
            self._untested_key = key
            async with self._searching:
                await self._async_try(reported)

    async def _async_renew_key(self) -> None:
        if (key := await self._async_new_key("key")) is not None:
            _LOGGER.info("%s has a new envelope key", self._adopter.name)
            self._adopter.async_adopt(replace(self._access.record, key=key))

    async def _async_new_key(self, counted_as: str) -> str | None:
        """Fetch the key, hourly while it is answered; return a new one."""
        if not self._tries.start_try(counted_as, KEY_INTERVAL):
            return None
        record = self._access.record
        try:
            key = await self._cloud.envelope_key(record.device_id)
        except (RefusedError, EnvelopeError) as err:
            _LOGGER.debug("The account has no key of the controller: %s", err)
            self.key_asked = True
            return None
        except PoolctlError as err:
            _LOGGER.debug("The request for the key got no answer: %s", err)
            self._tries.delay(counted_as, 0)  # the client limits such requests
            return None
        self.key_asked = True
        return key.hex() if key.hex() != record.key else None
