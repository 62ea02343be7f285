"""Coordinator of one controller: its polls, its state for entities, its recovery."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
import logging
from typing import override

from aiohttp import ClientSession
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryNotReady
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.debounce import Debouncer
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.helpers.event import async_track_device_registry_updated_event
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util import dt as dt_util
from homeassistant.util.signal_type import SignalType

from .client import MAX_AGE, AuthenticationError, CloudClient, Controller, PoolctlError
from .client.facts import Change
from .client.pool import Body, PoolState
from .const import DOMAIN, Connection, HoldsEnd
from .devices.parts import Part, device_info, part_info
from .hold_timer import HoldTimer, async_report_left
from .learned.preferences import Preferences
from .network.addresses import async_observed_addresses
from .network.record import ControllerRecord, LanAccess
from .network.recovery import Recovery
from .options import options_of
from .prices.given import PUMP_HOURS, Lists, asked
from .prices.reader import Price
from .report.statistics import Observers
from .status.account import AccountProblems
from .status.active import ActiveProblems
from .status.rows import Status
from .status.situation import View
from .status.table import PROBLEMS
from .status.texts import text
from .store.controller import ControllerStore, Requested
from .store.memory import DATA_MEMORY
from .warm_by.daylight import daylight_before
from .warm_by.request import Wish
from .warm_by.warm_by import WarmBy

SIGNAL_READ: SignalType[ControllerCoordinator, PoolState] = SignalType("poolctl_read")
"""Sent after each read of a controller, before its entities are updated."""

_LOGGER = logging.getLogger(__name__)
_START, _FIRST_POLL = 29.0, 5.0
"""Seconds that a start takes at most, and that it waits for more than the first values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The objects that the controllers of an account share."""

    cloud: CloudClient
    observers: Observers
    lan_session: ClientSession
    store: Callable[[ControllerRecord], None]
    """Stores the record of a controller in the entry."""
    records: Callable[[], Iterable[ControllerRecord]]
    """Returns the records of all controllers."""
    problems: AccountProblems
    """Problems of the account, which each of its controllers shows, too."""


class ControllerCoordinator(DataUpdateCoordinator[None]):
    """Coordinator of one controller, whose client has the state: at most 90 s old."""

    config_entry: ConfigEntry
    registered_id = ""
    """ID of the device in Home Assistant's registry."""
    _poll: asyncio.Task[object] | None = None
    """Task of the poll in progress."""
    _details: asyncio.Task[object] | None = None
    """Task of the queries in the background."""
    _refused = False
    """Whether the service refuses the sign-in."""
    _last_answer: datetime | None = None

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry,
        shared: Shared,
        record: ControllerRecord,
        number: int,
    ) -> None:
        super().__init__(
            hass,
            _LOGGER,
            config_entry=entry,
            # Not the name given by its owner: users share their logs.
            name=f"pool controller {number}",
            # A user who requests a refresh sees the result at once.
            request_refresh_debouncer=Debouncer(
                hass, _LOGGER, cooldown=1, immediate=True
            ),
        )
        self.number, self._shared = number, shared
        self.options = options_of(entry)
        self._uses = self.options.uses_of(record.device_id)
        memory = hass.data[DATA_MEMORY]
        self.clock = memory.clock
        self.stored = ControllerStore(memory, record.device_id)
        self.learned = self.stored.learned
        self._access = LanAccess(
            record=record,
            session=shared.lan_session,
            counters=self.stored.counters,
            facts=shared.observers.facts(record.device_id),
            allowed=self.options.uses_lan,
        )
        self.controller = controller = self._make_controller()
        self.preferences = replace(
            self.stored.requested.preferences,
            without_flow=self.options.readings_without_flow,
            own_ranges=self.options.own_ranges.get(record.device_id, {}),
        )
        self.lists = Lists(hass, self.stored.requested.refused_lists)
        self.warm_by = WarmBy(
            controller,
            self.learned,
            self.stored.requested.warm_by,
            lambda: text(hass, {}, "card_warm_by"),
            partial(daylight_before, hass),
            self._newest_prices,
        )
        controller.undoing.claimants.insert(0, self.warm_by)
        self._timer = HoldTimer(hass, controller.undoing, self.async_in_background)
        self.recovery = Recovery(self, self._access, controller.paths, shared.cloud)
        facts, device_id = self._access.facts, record.device_id
        self.problems = ActiveProblems(hass, PROBLEMS, facts, device_id)
        self.view = self.situation()
        entry.async_on_unload(
            hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._async_stopping)
        )

    async def _newest_prices(self, body: Body, wish: Wish) -> Sequence[Price]:
        found = await self.lists.given(
            body.key, asked(wish.entities, wish.highest, wish.fields), later=True
        )
        return found or ()

    def _make_controller(self) -> Controller:
        options, shared, stored = self.options, self._shared, self.stored
        controller = Controller(
            self.record.device_id,
            lan=self._access.client(),
            cloud=None if options.connection is Connection.LAN else shared.cloud,
            facts=self._access.facts,
            publish=self._async_publish,
            save=self._async_save,
            stored=stored.to_start_from(),
            clock=self.clock,
            zone=dt_util.get_default_time_zone,
            holds_end=options.holds_by_hand is HoldsEnd.ENDS_BY_ITSELF,
        )
        controller.live.read_listeners.append(stored.async_learn)
        controller.live.read_listeners.append(
            lambda state, at: async_dispatcher_send(self.hass, SIGNAL_READ, self, state)
        )
        return controller

    async def _async_stopping(self, event: Event) -> None:
        """Stop waiting commands: a stop of Home Assistant does not unload entries."""
        self._timer.async_stop()
        await self.controller.stop()

    @override
    async def async_shutdown(self) -> None:
        self.problems.async_stop()
        self._timer.async_stop()
        await super().async_shutdown()
        await self.controller.close()

    async def async_leave(self) -> None:
        """End holds, pauses and requests: the entry or the controller goes away."""
        left, state = await self.warm_by.leave(), self.controller.live.reported
        await async_report_left(self.hass, left, state, self.record.title)

    async def async_retire(self) -> None:
        """Stop for good: the account no longer owns the controller."""
        await self.async_leave()
        await self.async_shutdown()

    @callback
    def async_in_background(
        self, task: Coroutine[None, None, object], name: str
    ) -> asyncio.Task[object]:
        """Run a background task that ends with the entry at the latest."""
        return self.config_entry.async_create_background_task(
            self.hass, task, f"poolctl {name}"
        )

    # State and settings

    @property
    def record(self) -> ControllerRecord:
        """Record of the controller, as in `entry.data`."""
        return self._access.record

    @property
    def state(self) -> PoolState:
        """The newest state, with the pending values of commands."""
        return self.controller.live.state

    @property
    def polled(self) -> bool:
        """Whether the controller is polled, which it is not in a closed season."""
        return not self.config_entry.pref_disable_polling

    @callback
    @override
    def async_update_listeners(self) -> None:
        """Show the newest values; Home Assistant drops a state that did not change."""
        view, problems = self.situation(), self.problems
        # The end of a poll tests them, too.
        if self._poll is None or self.state.source is not self.view.state.source:
            problems.async_test(view)
        status = Status()  # no reminders while a pool is closed for a season
        if problems.tested and (view.reached or not view.closed_season):
            status = Status.of(*problems.active, *self._shared.problems.active)
        self.view = replace(view, status=status)
        super().async_update_listeners()

    def device_info_of(self, part: Part | None) -> dr.DeviceInfo | dr.ChildDeviceInfo:
        """Return the device info of a part, else the identifier of the controller."""
        if part is None:
            return dr.DeviceInfo(identifiers={(DOMAIN, self.record.device_id)})
        return part_info(self.record.device_id, part, self.registered_id)

    @callback
    def async_register_device(self) -> None:
        """Create or update the device."""
        device = dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.config_entry.entry_id,
            **device_info(self.record, self.state, self._shared.records()),
        )
        if device.id != self.registered_id:
            self.registered_id = device.id
            self.config_entry.async_on_unload(
                async_track_device_registry_updated_event(
                    self.hass, device.id, self._async_device_updated
                )
            )

    @callback
    def _async_device_updated(
        self, event: Event[dr.EventDeviceRegistryUpdatedData]
    ) -> None:
        data = event.data
        if (
            data["action"] == "update"
            and {"name", "name_by_user"} & data["changes"].keys()
        ):
            self.async_update_listeners()

    def situation(self) -> View:
        """Return what is known now, of which the problems are still to be tested."""
        controller = self.controller
        return View(
            self.state,
            controller.live.choices,
            self.preferences,
            self.learned,
            hass=self.hass,
            uses=self._uses,
            subject_id=self.registered_id,
            title=self.record.title,
            read_at=controller.live.read_at,
            commanded_at=controller.live.commanded_at,
            record=self.record,
            announced=async_observed_addresses(self.hass).newest(self.record.device_id),
            now=self.stored.now,
            clock_ahead=self.clock.ahead,
            reached=controller.live.expires_in > 0,
            silent=controller.poller.silent,
            last_answer=self._last_answer,
            closed_season=not self.polled,
            options=self.options,
            paths=copy(controller.paths),
            holds=controller.holds.shown,
            overdue=controller.holds.overdue,
            pauses={each.kind.key: each.until for each in controller.pauses.shown},
            pause_overdue=bool(controller.pauses.overdue),
            heat_held=controller.heat.held,
            heat_overdue=bool(controller.heat.overdue),
            stopped_by_spa=controller.holds.stopped_by_spa,
            changes=tuple(controller.holds.changes),
            requests={each.body: each for each in self.warm_by.all},
            warm_by=self.warm_by.outlooks,
            refused_list=self.lists.refused_name(
                PUMP_HOURS, *(each.body.key for each in self.warm_by.all if each.wish)
            ),
            clock_fault=self._access.counters.clock_fault,
            key_asked=self.recovery.key_asked,
        )

    # Polls

    async def async_first_poll(self) -> None:
        """Read for the first time, and again if a search has found the controller.

        Endpoints of the cloud that are slow do not delay the start: it waits for the
        first values, and a few seconds for the rest. Log no failure: a start that fails
        is retried again and again.
        """
        now = self.hass.loop.time
        ends = now() + _START
        await self.recovery.async_fetch_key()
        if self.record.host is None:
            # The addresses that the network reported are already being tried.
            await self.recovery.async_wait(_FIRST_POLL)
        first = self.async_in_background(self._async_try(), "first poll")
        while not first.done():
            await asyncio.wait([first], timeout=_FIRST_POLL)
            if self.controller.live.reported.source is not None:
                break
        if not self.last_update_success:
            await self.recovery.async_wait(ends - now())
            if self.controller.paths.on_lan:
                await self._async_try()

    async def _async_try(self) -> None:
        """Refresh now; log no failure."""
        with suppress(ConfigEntryNotReady):
            await self.async_config_entry_first_refresh()

    @override
    async def _async_update_data(self) -> None:
        self._poll = asyncio.current_task()
        reached = True
        try:
            await self.controller.read()
        except PoolctlError as err:
            reached = False
            self.logger.debug("%s does not answer: %s", self.name, err)
            raise UpdateFailed(
                translation_domain=DOMAIN, translation_key="controller_unreachable"
            ) from err
        finally:
            self._poll = None
            self.update_interval = timedelta(seconds=self.controller.poller.interval)
            # In a closed season, a sign-in can wait until polling is enabled again.
            error = self.controller.paths.cloud_error
            refused = self.polled and isinstance(error, AuthenticationError)
            if refused and not self._refused:
                self.config_entry.async_start_reauth(self.hass)
            self._refused = refused
            self._async_review(reached)
        queries = self.controller.queries
        if queries.due and (self._details is None or self._details.done()):
            self._details = self.async_in_background(queries.refresh(), "details")

    @callback
    def _async_review(self, reached: bool) -> None:
        """Check a poll; the base class updates listeners for the first failure only."""
        self.recovery.async_check()
        if not self.controller.poller.silent:
            self._last_answer = None
        elif self._last_answer is None and self.controller.live.age < MAX_AGE:
            age = timedelta(seconds=self.controller.live.age)
            self._last_answer = self.clock.now() - age
        if not (reached or self.last_update_success):
            self.async_update_listeners()

    @callback
    def _async_store(self) -> None:
        """Store what users requested, and what is undone later."""
        live, controller = self.controller.live, self.controller
        requested = Requested(
            choices=live.choices,
            preferences=self.preferences,
            holds=controller.holds.all,
            pauses=controller.pauses.all,
            heat=controller.heat.all,
            warm_by=self.warm_by.all,
            refused_lists=dict(self.lists.refused),
        )
        self.stored.async_store(live.reported, requested)

    async def _async_save(self) -> None:
        self._async_store()
        await self.hass.data[DATA_MEMORY].async_saved()

    @callback
    def async_prefer(self, change: Callable[[Preferences], Preferences]) -> None:
        """Change, store and show a user's preferences."""
        self.preferences = change(self.preferences)
        self._async_publish()

    @callback
    def _async_publish(self) -> None:
        """Show the state after a command or a side read, without moving the next poll.

        A read of the LAN by a poll ends it at once, which then updates the entities. The
        cloud is read beside the polls.
        """
        self._async_store()
        self._timer.async_check()
        if (firmware := self.state.firmware) not in (None, self.record.firmware):
            self.async_adopt(replace(self.record, firmware=firmware))
        if self._poll is None or asyncio.current_task() is not self._poll:
            self.async_update_listeners()

    # Address and key

    @callback
    def async_set_record(self, record: ControllerRecord) -> None:
        """Apply a record of the controller with a new name, address or key."""
        previous, self._access.record = self.record, record
        if record == previous:
            return
        changed = ["address"] * (record.address != previous.address)
        changed += ["key"] * (record.key != previous.key)
        for what in changed:
            self._access.facts.emit(Change(what, "another"))
        if changed:
            lan = self._access.client()
            self.controller.paths.set_lan(lan)
            if lan is not None:
                self.async_in_background(self.async_request_refresh(), "refresh")
        self.async_register_device()

    @callback
    def async_adopt(self, record: ControllerRecord) -> None:
        """Apply and store a verified record."""
        self.async_set_record(record)
        self._shared.store(record)
