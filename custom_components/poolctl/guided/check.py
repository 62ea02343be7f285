"""The guided check of one controller: makes a change, gives it back, and keeps the result.

Whatever happens after a change was sent, it is given back: a hold by the holds, a setting by
what is kept of it (`Pending`), with every read until the controller takes it.
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
"""s for which a change is there, for its owner to look at the pool."""
LOOKS = (0.0, 2.0, 5.0, 10.0)
"""s after which the pool is read until it is as it was."""
_READING = 90.0
"""s for all queries; nobody waits longer in a dialog."""
_LEAVING = 10.0
"""s to give back before nothing of the account runs any more."""
_PENDING: Final = Section("guided_check", Pending.from_dict)


class Outcome(StrEnum):
    """What came of one step."""

    CARRIED_OUT = "carried_out"
    REFUSED = "refused"
    NOT_OBSERVED = "not_observed"
    NOT_RESTORED = "not_restored"
    """It was made, and is not given back yet."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one step, and the reason of what was refused."""

    outcome: Outcome
    reason: HomeAssistantError | None = None


class GuidedCheck:
    """What one controller was tried with since Home Assistant started."""

    def __init__(self, coordinator: ControllerCoordinator) -> None:
        """Go on with what is still to be given back."""
        self.coordinator = coordinator
        self.results: dict[str, Result] = {}
        self.anchors: dict[str, float] = {}
        """What the vendor's app showed, by the names of `compare.py`."""
        self._memory = coordinator.hass.data[DATA_MEMORY]
        self._device_id = coordinator.record.device_id
        self._undo = self._memory.read(self._device_id, _PENDING).undo
        self._making: Change | None = None
        """The change that is under way, and is not to be given back yet."""
        self._unsettled = False
        """Whether nobody knows yet what became of its command."""
        self._work: asyncio.Task[Result | None] | None = None
        self._tries = 0
        self._retry_at = 0.0
        coordinator.controller.store.add_read_listener(self._async_take_read)

    def as_dict(self) -> dict[str, object]:
        """Return the results for a report: no names."""
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

    # What there is to try

    def offers(self) -> tuple[Change, ...]:
        """Return what can be tried now: nothing while something is not given back."""
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
        """Forget the previous check."""
        self.results, self.anchors = {}, {}

    async def async_read(self) -> None:
        """Read everything once that can be read."""
        queries = self.coordinator.controller.queries
        queries.expire()
        with suppress(TimeoutError):
            async with asyncio.timeout(_READING):
                await queries.refresh()
        await self.coordinator.async_refresh()

    # One change

    async def async_run(self, change: Change) -> None:
        """Make a change and give it back, also where this is cancelled."""
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
        """Make a change; return what came of it, and whether it may have been made."""
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
        """Read until something is there; return whether it is.

        What the cloud took, the controller acknowledged (interface.md 4.1): its copies may
        be older than that.
        """
        controller = self.coordinator.controller
        for wait in LOOKS:
            await asyncio.sleep(wait)
            if not controller.paths.on_lan:
                return True
            await controller.poller.read_lan()
            if there(controller.store.known):
                return True
        return False

    # Giving back

    @callback
    def _async_give_back(self) -> None:
        """Give back what is under way, whatever becomes of the dialog."""
        change, self._making = self._making, None
        if change is not None:
            self._async_begin(self._async_restore(change))

    @callback
    def _async_begin(self, work: Coroutine[None, None, Result | None]) -> None:
        self._work = self.coordinator.config_entry.async_create_background_task(
            self.coordinator.hass, work, "poolctl guided check"
        )

    async def _async_restore(self, change: Change) -> Result | None:
        """Give a change back; return why it is not as it was."""
        if self._unsettled:
            # Else the command, which may still wait in a queue, would come last.
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
        """Try again: the controller, or the cloud, answers."""
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
        """Give back what there is: nothing of the account runs soon."""
        self._async_give_back()
        self._retry_at = 0.0
        self._async_take_read(self.coordinator.data, 0.0)
        if self._work is not None:
            await asyncio.wait((self._work,), timeout=_LEAVING)

    @callback
    def _keep(self, undo: Undo | None) -> None:
        self._undo, self._tries = undo, 0
        self._memory.keep(self._device_id, _PENDING.name, Pending(undo), at_once=True)
