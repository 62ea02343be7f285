"""Timer of a controller's holds and pauses, and their end before control is lost."""

import asyncio
from collections.abc import Callable, Container, Coroutine, Iterable
from datetime import datetime

from homeassistant.components import persistent_notification
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, CoreState, HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import async_create_clientsession
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util

from .client import ClosingRequest, CloudClient, Controller, Left, Undoing
from .client.facts import Facts
from .client.holds import output_names
from .client.pool import PoolState
from .const import DOMAIN, Connection
from .devices.parts import allowed_key
from .network.record import ControllerRecord, LanAccess, stored_records
from .options import options_of
from .store.controller import ControllerStore
from .store.memory import DATA_MEMORY

_AFTER_START = 30.0
"""Seconds to wait after a start of Home Assistant, less the time since the last read: an
automation that asked for a hold must see its end to undo what else belongs to it."""


class HoldTimer:
    """Wakes the holds and pauses of one controller when there is something to do."""

    def __init__(
        self,
        hass: HomeAssistant,
        undoing: Undoing,
        in_background: Callable[[Coroutine[None, None, None], str], object],
    ) -> None:
        self._hass, self._undoing = hass, undoing
        self._in_background = in_background
        self._cancel: CALLBACK_TYPE = lambda: None
        self._working = self._stopped = False

    @callback
    def async_check(self) -> None:
        """Schedule the next wake-up."""
        self._cancel()
        if self._working or self._stopped:
            return
        if self._hass.state is not CoreState.running:
            self._undoing.rest(_AFTER_START)
        if (wait := self._undoing.wait) is not None and wait <= 0:
            self._wake()
        elif wait is not None:
            self._cancel = async_call_later(self._hass, wait, self._wake)

    @callback
    def async_stop(self) -> None:
        """Stop without releasing the holds: they are stored with their ends."""
        self._stopped = True
        self.async_check()

    @callback
    def _wake(self, now: datetime | None = None) -> None:
        self._working = True
        self._in_background(self._async_work(), "holds")

    async def _async_work(self) -> None:
        try:
            await self._undoing.work()
        finally:
            self._working = False
            self.async_check()


async def async_report_left(
    hass: HomeAssistant, left: Left, state: PoolState, name: str
) -> None:
    """Name what could not be undone in a notification: repairs go with the entry."""
    texts, language = dict[str, str](), hass.config.language
    for category in ("entity", "exceptions"):
        texts |= await async_get_translations(hass, language, category, [DOMAIN])

    def switches(keys: Iterable[str]) -> str:
        start = f"component.{DOMAIN}.entity.switch"
        return ", ".join(texts[f"{start}.{key}.name"] for key in keys)

    sources = switches(allowed_key(claim.source) for claim in left.heat)
    dosers = switches(pause.kind.enabled_key for pause in left.pauses)
    for key, values in {
        "heat_left": {"sources": sources},
        "holds_left": {"outputs": output_names(left.holds, state)},
        "pauses_left": {"dosers": dosers},
    }.items():
        if any(values.values()):
            text = texts[f"component.{DOMAIN}.exceptions.{key}.message"]
            sentence = text.format(name=name, **values)
            persistent_notification.async_create(hass, sentence, title=name)


async def async_leave_all(
    hass: HomeAssistant,
    entry: ConfigEntry,
    shared: Container[str],
    cloud: CloudClient,
) -> None:
    """End holds and pauses of an entry's controllers; report those that remain.

    All end at the same time. The `shared` controllers are skipped: other accounts
    continue to run them.
    """
    memory, options = hass.data[DATA_MEMORY], options_of(entry)
    by_cloud = None if options.connection is Connection.LAN else cloud

    async def leave(record: ControllerRecord) -> None:
        stored = ControllerStore(memory, record.device_id)
        parts = stored.to_start_from()
        if not (*parts.holds, *parts.pauses, *parts.heat):
            return
        session = async_create_clientsession(
            hass, auto_cleanup=False, request_class=ClosingRequest
        )
        access = LanAccess(
            record=record,
            session=session,
            counters=stored.counters,
            facts=Facts(),
            allowed=options.uses_lan,
        )
        controller = Controller(
            record.device_id,
            lan=access.client(),
            cloud=by_cloud,
            stored=parts,
            clock=memory.clock,
            zone=dt_util.get_default_time_zone,
        )
        try:
            left, state = await controller.leave(), controller.live.reported
            await async_report_left(hass, left, state, record.title)
        finally:
            await controller.close()
            session.detach()

    records, _ = stored_records(entry.data)
    await asyncio.gather(
        *(leave(each) for key, each in records.items() if key not in shared)
    )
