"""The account: which controllers it owns, and how it stays signed in."""

import asyncio
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
import logging
import time
from typing import override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_URL
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import (
    ConfigEntryAuthFailed,
    ConfigEntryNotReady,
    ServiceValidationError,
)
from homeassistant.helpers import device_registry as dr, service
from homeassistant.helpers.aiohttp_client import (
    async_create_clientsession,
    async_get_clientsession,
)
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from ..client import (
    TOKEN,
    AuthenticationError,
    Backoff,
    ClosingRequest,
    CloudClient,
    Device,
    Inventory,
    PoolctlError,
)
from ..client.codec import to_stored
from ..const import CONF_CONTROLLERS, DOMAIN
from ..coordinator import ControllerCoordinator, Shared
from ..devices.parts import controller_of, registered_controller
from ..errors import ACCOUNT_ERRORS, sentence
from ..network.addresses import async_observed_addresses
from ..network.record import ControllerRecord, mac_of, stored_records
from ..report.statistics import Observers
from ..status.account import AccountProblems
from ..status.table import async_delete_repairs
from ..store.memory import DATA_MEMORY
from .sharing import async_on_release, async_runs_elsewhere, async_take_over
from .sign_in import AccountToken

_LOGGER = logging.getLogger(__name__)

INVENTORY_INTERVAL = timedelta(hours=1)
INVENTORY_AGAIN = Backoff(300.0, 300.0)
"""Waits before a failed inventory is read again."""
_SHOWN_AGAIN = timedelta(seconds=15)
"""Interval of updates in a season without polls."""
GONE_AFTER = INVENTORY_INTERVAL.total_seconds() - 60
"""Seconds from the first inventory without a controller to the one that removes it."""

type PoolctlConfigEntry = ConfigEntry[AccountCoordinator]


def cloud_of(
    hass: HomeAssistant, entry: ConfigEntry, observers: Observers
) -> CloudClient:
    """Return the cloud client of an account, even of one that was just deleted."""
    memory = hass.data[DATA_MEMORY]
    gates, clock = memory.gates(entry.unique_id or entry.entry_id), memory.clock
    return CloudClient(
        async_get_clientsession(hass),
        entry.data[CONF_URL],
        AccountToken(hass, entry, gates[TOKEN.device_id], clock),
        observers.facts,
        clock,
        gates,
    )


class AccountCoordinator(DataUpdateCoordinator[Mapping[str, ControllerRecord]]):
    """Coordinator of an account: reads its inventory hourly, which keeps it signed in.

    `data` maps identifiers of controllers to their records, as stored in `entry.data`;
    `controllers` maps them to their coordinators.
    """

    config_entry: PoolctlConfigEntry

    def __init__(self, hass: HomeAssistant, entry: PoolctlConfigEntry) -> None:
        super().__init__(
            hass,
            _LOGGER,
            config_entry=entry,
            name="pool account",
            update_interval=INVENTORY_INTERVAL,
            always_update=False,
        )
        self.observers, clock = Observers(), hass.data[DATA_MEMORY].clock
        self.cloud = cloud_of(hass, entry, self.observers)
        self.controllers: dict[str, ControllerCoordinator] = {}
        self.turn = asyncio.Lock()
        """Held while the entities of one controller are added on one platform."""
        facts = self.observers.facts()
        self.problems = AccountProblems(entry, self, facts, self._async_show)
        self.shared = Shared(
            cloud=self.cloud,
            observers=self.observers,
            lan_session=async_create_clientsession(hass, request_class=ClosingRequest),
            store=self._async_store,
            records=self._records,
            problems=self.problems,
        )
        self._lacking: dict[str, float] = {}
        """Time since which the inventory lacks a stored controller (monotonic, s)."""
        entry.async_on_unload(clock.add_listener(self._clock_jumped))
        self._left_out: set[str] = set()
        """Controllers that could not be added; their stored records are kept."""
        self.data, self._unread = stored_records(entry.data)

    def _clock_jumped(self) -> None:
        """Check the clock against the service's time."""

        async def ask() -> None:
            with suppress(PoolctlError):
                await self.cloud.inventory()

        self.config_entry.async_create_background_task(
            self.hass, ask(), "poolctl clock"
        )

    # Start

    async def async_start(self) -> None:
        """Start the stored controllers; wait for the cloud if there are none.

        Raises ConfigEntryNotReady if no controller answers on any path.
        """
        stored = bool(self.data or self._unread)
        if not stored:
            await self.async_config_entry_first_refresh()
        for record in tuple(self.data.values()):
            self._try_to_add(record)
        self._report_left_out()
        # A listener keeps the hourly timer going.
        self.config_entry.async_on_unload(self.async_add_listener(self._async_apply))
        self.config_entry.async_on_unload(
            async_on_release(self.hass, self._async_add_listed)
        )
        if self.config_entry.pref_disable_polling and self.controllers:
            # In a closed season, no poll is awaited and no reminder is shown. What a
            # user asked for is unavailable once it has expired, not stale (chosen).
            show = async_track_time_interval(self.hass, self._async_show, _SHOWN_AGAIN)
            self.config_entry.async_on_unload(show)
            return
        await self._async_first_poll()
        self.problems.async_start()
        if stored:
            self.config_entry.async_create_background_task(
                self.hass, self.async_refresh(), "poolctl account"
            )

    async def _async_first_poll(self) -> None:
        controllers = tuple(self.controllers.values())
        if not controllers and (self._unread or self.data):
            return  # all are left out or run elsewhere, and more may be found
        await asyncio.gather(*(each.async_first_poll() for each in controllers))
        silent = [each for each in controllers if not each.last_update_success]
        if len(silent) == len(controllers):
            raise ConfigEntryNotReady(
                translation_domain=DOMAIN, translation_key="no_controller_answers"
            )
        for controller in silent:
            # Worded as in the base class, which later logs the recovery.
            _LOGGER.error(
                "Error fetching %s data: %s", controller.name, controller.last_exception
            )

    # Inventory

    @override
    async def _async_update_data(self) -> Mapping[str, ControllerRecord]:
        try:
            inventory = await self.cloud.inventory()
        except AuthenticationError as err:
            # ConfigEntryAuthFailed would end the reads of the inventory. But the refusal
            # may be a fault of the service, which renews the sign-in later.
            self.config_entry.async_start_reauth_if_available(self.hass)
            failure = UpdateFailed if self.data else ConfigEntryAuthFailed
            raise failure(
                translation_domain=DOMAIN, translation_key="sign_in_needed"
            ) from err
        except PoolctlError as err:
            _LOGGER.debug("The account could not be read: %s", err)
            raise UpdateFailed(
                translation_domain=DOMAIN,
                translation_key=sentence(err, ACCOUNT_ERRORS),
                # Home Assistant retries a first set-up by itself, sooner than this.
                retry_after=INVENTORY_AGAIN.first if self.data else None,
            ) from err
        records = self._kept(inventory) | {
            device.device_id: self._record(device)
            for device in inventory.devices
            if device.device_id not in self._unread
        }
        self._remember(records)
        return records

    def _kept(self, inventory: Inventory) -> dict[str, ControllerRecord]:
        """Return the stored controllers that an inventory lacks but that are kept.

        One is removed once two inventories an hour apart lack it, if all of them was
        understood. While it verifies on the LAN, it stays.
        """
        now, listed = time.monotonic(), {each.device_id for each in inventory.devices}
        lacking = self.data.keys() - listed
        if inventory.complete:
            self._lacking = {each: self._lacking.get(each, now) for each in lacking}
        return {
            each: self.data[each]
            for each in lacking
            if not inventory.complete
            or now - self._lacking[each] < GONE_AFTER
            or self._verifies(each)
        }

    def _verifies(self, device_id: str) -> bool:
        """Return whether a controller answers on the LAN and verifies under its key."""
        controller = self.controllers.get(device_id)
        return controller is not None and controller.controller.paths.lan_answers

    def _record(self, device: Device) -> ControllerRecord:
        record = self.data.get(device.device_id) or ControllerRecord(
            device_id=device.device_id, name="", site="", mac=mac_of(device.device_id)
        )
        return replace(record, name=device.name, site=device.site)

    def _records(self) -> Iterable[ControllerRecord]:
        """Return the records of all accounts in use: no two have the same name."""
        entries = self.hass.config_entries.async_entries(
            DOMAIN, include_ignore=False, include_disabled=False
        )
        others = [each.data for each in entries if each is not self.config_entry]
        return ChainMap({**self.data}, *(stored_records(e)[0] for e in others)).values()

    @callback
    def _remember(self, records: Mapping[str, ControllerRecord]) -> None:
        stored = self._unread | {
            device_id: to_stored(record) for device_id, record in records.items()
        }
        self.hass.config_entries.async_update_entry(
            self.config_entry,
            data={**self.config_entry.data, CONF_CONTROLLERS: stored},
        )

    @callback
    def _async_store(self, record: ControllerRecord) -> None:
        if record.device_id not in self.data:
            return  # it was removed while something was learned of it
        self.data = {**self.data, record.device_id: record}
        self._remember(self.data)

    # Adding and removing controllers

    @callback
    def _async_apply(self) -> None:
        """Add and remove controllers to match the inventory."""
        if not self.last_update_success:
            return
        for device_id in self.controllers.keys() - self.data.keys():
            self._remove(device_id)
        self._async_add_listed()
        async_name_all(self.hass)

    @callback
    def _async_add_listed(self) -> None:
        for record in self.data.values():
            if (coordinator := self.controllers.get(record.device_id)) is not None:
                coordinator.async_set_record(record)
            elif (coordinator := self._try_to_add(record)) is not None:
                welcome = self._async_welcome(coordinator)
                coordinator.async_in_background(welcome, "new controller")
        self._report_left_out()

    async def _async_welcome(self, coordinator: ControllerCoordinator) -> None:
        await coordinator.recovery.async_fetch_key()
        await coordinator.async_refresh()
        self.async_update_listeners()

    @callback
    def _try_to_add(self, record: ControllerRecord) -> ControllerCoordinator | None:
        """Add a controller; a failure never stops the others."""
        if async_runs_elsewhere(self.hass, self.config_entry, record.device_id):
            return None
        try:
            coordinator = self._add(record)
        except Exception:
            _LOGGER.exception("A pool controller could not be added")
            self._left_out.add(record.device_id)
            self.controllers.pop(record.device_id, None)
            return None
        self._left_out.discard(record.device_id)
        return coordinator

    @callback
    def _report_left_out(self) -> None:
        left_out = self._unread.keys() | (self._left_out & self.data.keys())
        if left_out:
            _LOGGER.error(
                "%d pool controllers were left out, because what is stored of them"
                " could not be loaded",
                len(left_out),
            )
        shared = self.data.keys() - self.controllers.keys() - self._left_out
        self.problems.async_report(left_out, [self.data[e].title for e in shared])

    @callback
    def _async_show(self, now: datetime | None = None) -> None:
        for controller in self.controllers.values():
            if controller.problems.tested:
                controller.async_update_listeners()

    @callback
    def _add(self, record: ControllerRecord) -> ControllerCoordinator:
        taken = {controller.number for controller in self.controllers.values()}
        number = next(number for number in count(1) if number not in taken)
        coordinator = ControllerCoordinator(
            self.hass, self.config_entry, self.shared, record, number
        )
        self.controllers[record.device_id] = coordinator
        async_take_over(self.hass, self.config_entry, record.device_id)
        # Registered now, the device exists even if the controller does not answer.
        coordinator.async_register_device()
        addresses = async_observed_addresses(self.hass)
        addresses.ours.add(record.device_id)
        reported = addresses.of(record.device_id)
        addresses.end_cards(record)
        for each in reported:
            # Its address may have changed while this entry was not loaded.
            coordinator.recovery.async_offer(each)
        return coordinator

    @callback
    def _remove(self, device_id: str) -> None:
        coordinator = self.controllers.pop(device_id)
        self.hass.async_create_task(coordinator.async_retire())
        self.hass.data[DATA_MEMORY].forget(device_id)
        coordinator.problems.async_stop()
        async_delete_repairs(self.hass, coordinator.registered_id)
        entry_id = self.config_entry.entry_id
        if device := registered_controller(self.hass, entry_id, device_id):
            dr.async_get(self.hass).async_remove_device(device.id)


@callback
def async_name_all(hass: HomeAssistant) -> None:
    """Name all controllers: others come and go."""
    for coordinator in async_controllers(hass):
        coordinator.async_register_device()


@callback
def async_controllers(hass: HomeAssistant) -> Iterator[ControllerCoordinator]:
    """Return the coordinators of the controllers of all loaded accounts."""
    entries: list[PoolctlConfigEntry] = hass.config_entries.async_loaded_entries(DOMAIN)
    for entry in entries:
        yield from entry.runtime_data.controllers.values()


@callback
def async_controller(hass: HomeAssistant, device_id: str) -> ControllerCoordinator:
    """Return the coordinator of the controller that a device is, or is a part of.

    Raises ServiceValidationError if it is not a device of this integration.
    """
    device, entry = service.async_get_device_and_config_entry(hass, DOMAIN, device_id)
    account: AccountCoordinator = entry.runtime_data
    named = controller_of(device)
    for coordinator in account.controllers.values():
        if coordinator.registered_id == named:
            return coordinator
    raise ServiceValidationError(
        translation_domain=DOMAIN, translation_key="controller_gone"
    )
