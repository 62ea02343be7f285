"""One coordinator for the account, one for each of its controllers."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import count
import logging
from typing import Any, override

from homeassistant.config_entries import SOURCE_ZEROCONF, ConfigEntry
from homeassistant.const import CONF_URL, EVENT_HOMEASSISTANT_STOP
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import (
    async_create_clientsession,
    async_get_clientsession,
)
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from .api import AccountToken
from .client.cloud import CloudClient, Device
from .client.control.controller import Controller
from .client.envelope import parse_key
from .client.exceptions import AuthenticationError, PoolctlError, StateExpiredError
from .client.http import ClosingRequest
from .client.lan import LanClient
from .client.pool.state import PoolState, WithoutFlow
from .const import (
    CONF_CONNECTION,
    CONF_CONTROLLERS,
    CONF_WITHOUT_FLOW,
    DOMAIN,
    Connection,
)
from .device import device_info
from .upkeep.issues import Issues
from .upkeep.memory import DATA_MEMORY
from .upkeep.records import ControllerRecord, async_sightings, mac_of
from .upkeep.recovery import Healer

_LOGGER = logging.getLogger(__name__)

INVENTORY_INTERVAL = timedelta(hours=1)
INVENTORY_RETRY = 300.0
"""s after which an inventory that failed is read again."""

type PoolctlConfigEntry = ConfigEntry[AccountCoordinator]


class AccountCoordinator(DataUpdateCoordinator[Mapping[str, ControllerRecord]]):
    """What the account owns, read hourly, which also keeps it signed in.

    The data are the records of its controllers by identifier, as `entry.data` holds
    them; `controllers` are their coordinators.
    """

    config_entry: PoolctlConfigEntry

    def __init__(self, hass: HomeAssistant, entry: PoolctlConfigEntry) -> None:
        """Start from what the entry remembers."""
        super().__init__(
            hass,
            _LOGGER,
            config_entry=entry,
            name="pool account",
            update_interval=INVENTORY_INTERVAL,
            always_update=False,
        )
        self.cloud = CloudClient(
            async_get_clientsession(hass),
            entry.data[CONF_URL],
            AccountToken(hass, entry),
        )
        self.lan_session = async_create_clientsession(
            hass, request_class=ClosingRequest
        )
        self.controllers: dict[str, ControllerCoordinator] = {}
        self.data = {
            device_id: ControllerRecord.from_dict(record)
            for device_id, record in entry.data.get(CONF_CONTROLLERS, {}).items()
        }

    async def async_start(self) -> None:
        """Bring up what is remembered; only without any memory wait for the cloud.

        Raises ConfigEntryNotReady where not one controller answers by any path.
        """
        remembered = bool(self.data)
        if not remembered:
            await self.async_config_entry_first_refresh()
        for record in self.data.values():
            self._add(record)
        controllers = self.controllers.values()
        await asyncio.gather(*(each.async_first_look() for each in controllers))
        silent = [each for each in controllers if not each.last_update_success]
        if len(silent) == len(controllers):
            raise ConfigEntryNotReady(
                translation_domain=DOMAIN, translation_key="no_controller_answers"
            )
        for controller in silent:
            # The words of the coordinator, which says later that it is back.
            _LOGGER.error(
                "Error fetching %s data: %s", controller.name, controller.last_exception
            )
        # A listener keeps the hourly timer going.
        self.config_entry.async_on_unload(self.async_add_listener(self._async_apply))
        if remembered:
            self.config_entry.async_create_background_task(
                self.hass, self.async_refresh(), "poolctl account"
            )

    @override
    async def _async_update_data(self) -> Mapping[str, ControllerRecord]:
        try:
            inventory = await self.cloud.inventory()
        except AuthenticationError as err:
            raise ConfigEntryAuthFailed(
                translation_domain=DOMAIN, translation_key="sign_in_needed"
            ) from err
        except PoolctlError as err:
            raise UpdateFailed(
                translation_domain=DOMAIN,
                translation_key="service_unreachable",
                translation_placeholders={"error": str(err)},
                retry_after=INVENTORY_RETRY,
            ) from err
        keys = {
            device.device_id: await self._fetch_key(device.device_id)
            for device in inventory.devices
            if (known := self.data.get(device.device_id)) is None or known.key is None
        }
        records = {
            device.device_id: self._record(device, keys.get(device.device_id))
            for device in inventory.devices
        }
        if not inventory.complete:
            # What was not understood takes no pool away.
            records = {**self.data, **records}
        self._remember(records)
        return records

    async def _fetch_key(self, device_id: str) -> str | None:
        """Return a controller's key as hex, `None` where it is not to be had now."""
        try:
            return (await self.cloud.envelope_key(device_id)).hex()
        except PoolctlError as err:
            _LOGGER.debug("No envelope key, next try in an hour: %s", err)
            return None

    def _record(self, device: Device, key: str | None) -> ControllerRecord:
        """Return the record of a listed controller, with what the network told."""
        record = self.data.get(device.device_id) or ControllerRecord(
            device_id=device.device_id, name="", site="", mac=mac_of(device.device_id)
        )
        record = replace(
            record, name=device.name, site=device.site, key=record.key or key
        )
        if (seen := async_sightings(self.hass).get(device.device_id)) is not None:
            record = replace(record, mac=seen.mac, firmware=seen.firmware)
            if record.host is None:
                record = replace(record, host=seen.host, port=seen.port)
        return record

    @callback
    def _remember(self, records: Mapping[str, ControllerRecord]) -> None:
        stored = {device_id: record.as_dict() for device_id, record in records.items()}
        self.hass.config_entries.async_update_entry(
            self.config_entry,
            data={**self.config_entry.data, CONF_CONTROLLERS: stored},
        )

    @callback
    def _async_apply(self) -> None:
        """Let controllers come and go with the inventory."""
        if not self.last_update_success:
            return
        for device_id in self.controllers.keys() - self.data.keys():
            self._remove(device_id)
        for record in self.data.values():
            if (coordinator := self.controllers.get(record.device_id)) is not None:
                coordinator.async_set_record(record)
                continue
            coordinator = self._add(record)
            self.config_entry.async_create_background_task(
                self.hass, self._async_welcome(coordinator), "poolctl new controller"
            )

    async def _async_welcome(self, coordinator: ControllerCoordinator) -> None:
        await coordinator.async_refresh()
        self.async_update_listeners()

    @callback
    def _add(self, record: ControllerRecord) -> ControllerCoordinator:
        taken = {controller.number for controller in self.controllers.values()}
        number = next(number for number in count(1) if number not in taken)
        coordinator = ControllerCoordinator(self.hass, self, record, number)
        self.controllers[record.device_id] = coordinator
        # Registered ahead of its entities: it is there even while nobody answers.
        coordinator.async_register_device()
        for flow in self.hass.config_entries.flow.async_progress_by_handler(
            DOMAIN, match_context={"source": SOURCE_ZEROCONF, "unique_id": record.mac}
        ):
            self.hass.config_entries.flow.async_abort(flow["flow_id"])
        if (seen := async_sightings(self.hass).get(record.device_id)) is not None:
            # It may have moved while this entry was not loaded.
            coordinator.healer.async_offer(seen.host, seen.port)
        return coordinator

    @callback
    def _remove(self, device_id: str) -> None:
        coordinator = self.controllers.pop(device_id)
        self.hass.async_create_task(coordinator.async_shutdown())
        self.hass.data[DATA_MEMORY].forget(device_id)
        coordinator.issues.async_clear()
        registry = dr.async_get(self.hass)
        if device := registry.async_get_device_by_identifier(
            (DOMAIN, device_id), self.config_entry.entry_id
        ):
            registry.async_remove_device(device.id)

    @callback
    def async_store(self, record: ControllerRecord) -> None:
        """Remember what was learned of one controller."""
        self.data = {**self.data, record.device_id: record}
        self._remember(self.data)


class ControllerCoordinator(DataUpdateCoordinator[PoolState]):
    """One controller; its data is never older than 90 s."""

    config_entry: PoolctlConfigEntry

    def __init__(
        self,
        hass: HomeAssistant,
        account: AccountCoordinator,
        record: ControllerRecord,
        number: int,
    ) -> None:
        """Prepare; nothing is read yet.

        In the log the controller goes by its number: logs are shown to others.
        """
        super().__init__(
            hass,
            _LOGGER,
            config_entry=account.config_entry,
            name=f"pool controller {number}",
            always_update=False,
            # A person who presses refresh sees it at once.
            request_refresh_debouncer=Debouncer(
                hass, _LOGGER, cooldown=1, immediate=True
            ),
        )
        self.account = account
        self.record = record
        self.number = number
        self.registered_id = ""
        """Of the device in Home Assistant."""
        self.healer = Healer(self)
        self.issues = Issues(self)
        self._memory = hass.data[DATA_MEMORY]
        self._details_running = False
        self._names_due = False
        options = account.config_entry.options
        connection = options.get(CONF_CONNECTION, Connection.AUTOMATIC)
        self.uses_lan = connection != Connection.CLOUD
        self.controller = Controller(
            record.device_id,
            lan=self.lan_client(record),
            cloud=account.cloud if connection != Connection.LAN else None,
            publish=self._async_publish,
            remembered=replace(
                self._memory.state(record.device_id),
                without_flow=WithoutFlow(
                    options.get(CONF_WITHOUT_FLOW, WithoutFlow.HOLD)
                ),
            ),
        )
        self.data = self.controller.state
        account.config_entry.async_on_unload(
            hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._async_stopping)
        )

    async def _async_stopping(self, event: Event) -> None:
        """End commands that wait; entries are not unloaded when Home Assistant stops."""
        await self.controller.stop()

    @property
    def title(self) -> str:
        """What a person calls the controller."""
        return self.record.name or "Pool controller"

    @property
    def device_info(self) -> dr.DeviceInfo:
        """The controller as a device."""
        return device_info(self.record, self.data)

    @callback
    def async_register_device(self) -> None:
        """Create or update the device."""
        device = dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.config_entry.entry_id, **self.device_info
        )
        self.registered_id = device.id

    async def async_first_look(self) -> None:
        """Read for the first time, again where a search found it meanwhile.

        Logs nothing: a start that fails is tried again and again.
        """
        await self._async_refresh(log_failures=False)
        if not self.last_update_success:
            await self.healer.async_wait()
            if self.controller.on_lan:
                await self._async_refresh(log_failures=False)

    @override
    async def _async_update_data(self) -> PoolState:
        signed_in = not isinstance(self.controller.cloud_error, AuthenticationError)
        try:
            await self.controller.poll()
        except StateExpiredError as err:
            raise UpdateFailed(
                translation_domain=DOMAIN,
                translation_key="controller_unreachable",
                translation_placeholders={"error": str(err)},
            ) from err
        finally:
            self.update_interval = timedelta(seconds=self.controller.interval)
            if signed_in and isinstance(
                self.controller.cloud_error, AuthenticationError
            ):
                self.config_entry.async_start_reauth(self.hass)
            self.healer.async_check()
            self.issues.async_check()
        if self.controller.details_due:
            await self._async_refresh_details()
        return self.controller.state

    async def _async_refresh_details(self) -> None:
        """Ask for names before entities exist; the rest does not hold a poll up."""
        if not self.controller.known.names:
            await self.controller.refresh_details(first_only=True)
        if not self._details_running:
            self.async_in_background(self._async_run_details(), "details")

    async def _async_run_details(self) -> None:
        self._details_running = True
        try:
            await self.controller.refresh_details()
        finally:
            self._details_running = False

    @callback
    def _async_publish(self) -> None:
        """Show what a command or a side read told, without moving the next poll."""
        self._memory.remember(self.record.device_id, self.controller.known)
        names_due = self.controller.names_due
        state = self.controller.state
        if state == self.data and names_due == self._names_due:
            return
        self._names_due = names_due
        before = self.device_info
        self.data = state
        self.issues.async_check()
        if self.device_info != before:
            self.async_register_device()
        self.async_update_listeners()

    @callback
    def async_in_background(self, task: Coroutine[Any, Any, Any], name: str) -> None:
        """Run something that ends with the entry at the latest."""
        self.config_entry.async_create_background_task(
            self.hass, task, f"poolctl {name}"
        )

    # Address and key

    def lan_client(self, record: ControllerRecord) -> LanClient | None:
        """Return a client for a record, `None` where the LAN cannot be used."""
        if record.host is None or record.key is None or not self.uses_lan:
            return None
        return LanClient(
            self.account.lan_session,
            record.host,
            parse_key(record.key),
            port=record.port,
            counter=self._memory.counter(record.device_id),
        )

    @callback
    def async_set_record(self, record: ControllerRecord) -> None:
        """Take over what is known of the controller: a name, an address, a key."""
        before, self.record = self.record, record
        if record == before:
            return
        if (record.host, record.port, record.key) != (
            before.host,
            before.port,
            before.key,
        ):
            self.controller.set_lan(self.lan_client(record))
            self.async_in_background(self.async_request_refresh(), "refresh")
        self.async_register_device()

    @callback
    def async_adopt(self, record: ControllerRecord) -> None:
        """Take over and remember what proved true."""
        self.async_set_record(record)
        self.account.async_store(record)

    @override
    async def async_shutdown(self) -> None:
        self.issues.async_stop()
        await super().async_shutdown()
        await self.controller.stop()
