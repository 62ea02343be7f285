"""The guided check of one controller: makes a change, undoes it and keeps the result.

A change that was sent is always undone: a hold by `client/holds`, a setting from the
stored `Pending`, retried after reads until the controller accepts it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
import logging
import time
from typing import Final

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError

from ..client.exceptions import NotAppliedError, PoolctlError
from ..client.holds.book import SETTLING
from ..client.holds.owner import certainly_not_run
from ..client.holds.release import retry_wait
from ..client.pool.state import PoolState
from ..coordinator import ControllerCoordinator
from ..errors import command_errors
from ..upkeep.memory import DATA_MEMORY, Section
from .changes import Change, Pending, Undo, give_back, offers

_LOGGER = logging.getLogger(__name__)

LASTS = 10.0
"""Seconds for which a change lasts, so that the owner can look at the pool."""
LOOKS = (0.0, 2.0, 5.0, 10.0)
"""Seconds to wait before each read that checks a change or its undoing."""
_READING = 90.0
"""Seconds for all queries: a user does not wait longer in a dialog."""
_LEAVING = 10.0
"""Seconds for undoing a change before the account is unloaded."""
_PENDING: Final = Section("guided_check", Pending.from_dict)


class Outcome(StrEnum):
    """Outcome of one step."""

    CARRIED_OUT = "carried_out"
    REFUSED = "refused"
    NOT_OBSERVED = "not_observed"
    NOT_RESTORED = "not_restored"
    """The change was made; undoing it failed or is not confirmed yet."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of one step, and the error if there was one."""

    outcome: Outcome
    reason: HomeAssistantError | None = None


class GuidedCheck:
    """The guided check of one controller, with the results of the newest run."""

    def __init__(self, coordinator: ControllerCoordinator) -> None:
        """Load the setting that still has to be restored."""
        self.coordinator = coordinator
        self.results: dict[str, Result] = {}
        self.anchors: dict[str, float] = {}
        """Values that the vendor's app showed, by the keys of `compare.py`."""
        self._memory = coordinator.hass.data[DATA_MEMORY]
        self._device_id = coordinator.record.device_id
        self._undo = self._memory.read(self._device_id, _PENDING).undo
        self._making: Change | None = None
        """The change in progress, not to be undone yet."""
        self._unsettled = False
        """Whether the outcome of its command is still open."""
        self._work: asyncio.Task[Result | None] | None = None
        self._tries = 0
        self._retry_at = 0.0
        coordinator.controller.store.add_read_listener(self._async_take_read)

    def as_dict(self) -> dict[str, object]:
        """Return the results for a report, without names."""
        return {
            "results": {
                key: {
                    "outcome": result.outcome,
                    "reason": result.reason and result.reason.translation_key,
                }
                for key, result in self.results.items()
            },
            "to_be_given_back": self._undo and self._undo.of,
        }

    # Possible changes

    def offers(self) -> tuple[Change, ...]:
        """Return the changes possible now, none while another is not undone."""
        if self._undo is not None or self._busy:
            return ()
        remembered = self.coordinator.remembered
        controller = self.coordinator.controller
        ahead = controller.controller_clock.offset or timedelta()
        return offers(controller, remembered.now + ahead)

    @property
    def _busy(self) -> bool:
        restoring = self._work is not None and not self._work.done()
        return restoring or self._making is not None

    @callback
    def begin(self) -> None:
        """Discard the results of the previous check."""
        self.results, self.anchors = {}, {}

    async def async_read(self) -> None:
        """Send all queries once, then read the state."""
        queries = self.coordinator.controller.queries
        queries.expire()
        with suppress(TimeoutError):
            async with asyncio.timeout(_READING):
                await queries.refresh()
        await self.coordinator.async_refresh()

    # One change

    async def async_run(self, change: Change) -> None:
        """Make a change and undo it, even if this task is cancelled."""
        self._keep(change.undo)
        self._making, self._unsettled, sent = change, True, True
        try:
            result, sent = await self._async_make(change)
        finally:
            if sent:
                self._async_give_back()
        if not sent:
            self._making = None
            self._keep(None)
        elif self._work is not None:
            failure = await asyncio.shield(self._work)
            result = failure or result
        self.results[change.key] = result

    async def _async_make(self, change: Change) -> tuple[Result, bool]:
        """Make a change; return its result, and whether it may have been made."""
        try:
            with command_errors(change.what or self.coordinator.record.title):
                await change.make()
                self._unsettled = False
                await asyncio.sleep(LASTS)
        except HomeAssistantError as err:
            if isinstance(err.__cause__, NotAppliedError):
                return Result(Outcome.NOT_OBSERVED), True
            cause = err.__cause__
            sent = not (isinstance(cause, PoolctlError) and certainly_not_run(cause))
            return Result(Outcome.REFUSED, err), sent
        if await self._async_look(change.made):
            return Result(Outcome.CARRIED_OUT), True
        return Result(Outcome.NOT_OBSERVED), True

    async def _async_look(self, there: Callable[[PoolState], bool]) -> bool:
        """Read until a condition is true; return whether it is.

        Over the cloud, do not read: the controller acknowledged what the cloud accepted
        (interface.md 4.1), and the cloud's copy may be older.
        """
        controller = self.coordinator.controller
        for wait in LOOKS:
            await asyncio.sleep(wait)
            if not controller.paths.on_lan:
                return True
            await controller.poller.read_lan()
            if there(controller.store.reported):
                return True
        return False

    # Undoing

    @callback
    def _async_give_back(self) -> None:
        """Undo the change in progress, even if the dialog is closed."""
        change, self._making = self._making, None
        if change is not None:
            self._async_begin(self._async_restore(change))

    @callback
    def _async_begin(self, work: Coroutine[None, None, Result | None]) -> None:
        self._work = self.coordinator.config_entry.async_create_background_task(
            self.coordinator.hass, work, "poolctl guided check"
        )

    async def _async_restore(self, change: Change) -> Result | None:
        """Undo a change; return a result only if that failed or is not confirmed."""
        if self._unsettled:
            # Otherwise the command, which may still be queued, would run last.
            await asyncio.sleep(SETTLING)
        try:
            with command_errors(change.what or self.coordinator.record.title):
                await change.give_back()
        except HomeAssistantError as err:
            _LOGGER.debug("A change is not given back yet: %s", err.__cause__)
            return Result(Outcome.NOT_RESTORED, err)
        self._keep(None)
        there = await self._async_look(change.restored)
        return None if there else Result(Outcome.NOT_RESTORED)

    @callback
    def _async_take_read(self, state: PoolState, at: float) -> None:
        """Retry restoring a setting, as the controller or the cloud answers."""
        if self._undo is None or self._busy or time.monotonic() < self._retry_at:
            return
        self._async_begin(self._async_retry(self._undo))

    async def _async_retry(self, undo: Undo) -> None:
        try:
            done = await give_back(self.coordinator.controller, undo)
        except PoolctlError as err:
            _LOGGER.debug("A setting is not given back yet: %s", err)
            self._retry_at = time.monotonic() + retry_wait(self._tries)
            self._tries += 1
            return
        if done:
            self._keep(None)

    async def async_leave(self) -> None:
        """Undo a change before the account is unloaded."""
        self._async_give_back()
        self._retry_at = 0.0
        self._async_take_read(self.coordinator.data, 0.0)
        if self._work is not None:
            await asyncio.wait((self._work,), timeout=_LEAVING)

    @callback
    def _keep(self, undo: Undo | None) -> None:
        self._undo, self._tries = undo, 0
        self._memory.keep(self._device_id, _PENDING.name, Pending(undo), at_once=True)
