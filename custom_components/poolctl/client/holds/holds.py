"""The holds of one controller: switched, followed, and released at their end."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
import logging
import time

from ..coalescing import Coalescer
from ..pool.state import PoolState, Source
from ..wire.equipment import Role, Slot
from ..wire.exceptions import InvalidCommandError, NotSupportedError, PoolctlError
from .book import Book
from .ends import extended, is_over, rescheduled, restarts, with_shown_end
from .evidence import after_read, held_outputs, runs, stopped_by_spa
from .hold import LONGEST, Asked, End, Hold, State
from .kept import KeptHolds
from .machine import Event, after
from .means import Means
from .release import Releases, is_old, retry_wait
from .rules import window_of
from .times import Times

_LOGGER = logging.getLogger(__name__)
_CAUSED = 60.0
"""Seconds after any command in which a new hold may be its effect (chosen)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A user's request for an output; without a hold, the output is released."""

    slot: Slot
    hold: Hold | None = None
    speed: int | None = None


class Holds:
    """Switches outputs, and releases them (see Sender for the errors of commands).

    With `end_by_themselves`, switching off holds an output only while one of its
    schedules would switch it on again; otherwise every hold lasts until it is released.
    """

    def __init__(
        self,
        means: Means,
        times: Times,
        stored: Iterable[Hold],
        *,
        end_by_themselves: bool,
    ) -> None:
        """Continue with the stored holds."""
        self._means = means
        self._times = times
        self._end_by_themselves = end_by_themselves
        self._coalescer = Coalescer(burst=3)
        self._working = asyncio.Lock()
        self._firmware: str | None = None
        now, at = times.now, time.monotonic()
        self._book = Book(each.restored(now, at) for each in stored)
        self._releases = Releases(self._book, means, times)
        self.stopped_by_spa: tuple[Hold, ...] = ()
        """Cleaners held on until spa mode stopped them; nothing is sent (chosen)."""

    # State

    @property
    def shown(self) -> tuple[Hold, ...]:
        """The holds that a user sees."""
        return self._book.shown

    def of(self, slot: int) -> Hold | None:
        """Return the hold of a slot, if a user sees it."""
        hold = self._book.get(slot)
        return hold if hold is not None and hold.shown else None

    @property
    def due(self) -> list[Hold]:
        """Holds whose end has come, and that the present source's path can release."""
        return self._releases.due

    @property
    def overdue(self) -> tuple[Hold, ...]:
        """Holds that a user must release: long after their end, or without a LAN."""
        return self._releases.overdue

    @property
    def wait(self) -> float | None:
        """Seconds until `work` is due; `None` if nothing ends by itself."""
        return self._releases.wait

    @property
    def kept(self) -> KeptHolds:
        """The holds to store across restarts."""
        return KeptHolds(self._book.all)

    # Requests of the user

    async def switch(self, slot: Slot | None, on: bool, requester: str = "") -> None:
        """Switch an output by hand; raises NotSupportedError if its slot is unknown."""
        slot, now = _existing(slot), self._times.now
        hold = Hold(
            slot=slot.index, on=on, since=now, asked=Asked.HERE, requester=requester
        )
        if not on and self._end_by_themselves:
            hold = self._held_off(hold, slot)
        await self._request(_Request(slot=slot, hold=hold))

    def _held_off(self, hold: Hold, slot: Slot) -> Hold:
        """Return the hold of an output that is switched off, with its end."""
        offset = self._times.offset
        if window := window_of(self._means.state, slot, self._times.local):
            return replace(
                hold,
                end=End.SCHEDULE,
                until=window.until - offset,
                schedules=window.schedules,
                latest=hold.since + window.longest,
            )
        # If it is held nevertheless, as the cloud may do, it is released.
        return replace(hold, needed=False, until=hold.since)

    async def hold(
        self,
        slot: Slot | None,
        on: bool,
        duration: timedelta,
        speed: int | None = None,
        requester: str = "",
    ) -> None:
        """Hold an output on or off for some time; the pump also at a speed in %.

        It lasts `LONGEST` at most.
        Raises InvalidCommandError for a speed that it cannot have.
        """
        slot, now = _existing(slot), self._times.now
        if speed is not None and not (slot.role is Role.PUMP and on):
            raise InvalidCommandError("it has no speed", reason="schedule_no_speed")
        duration = min(duration, LONGEST)
        hold = Hold(
            slot=slot.index,
            on=on,
            since=now,
            until=now + duration,
            end=End.DURATION,
            lasts=duration.total_seconds(),
            asked=Asked.HERE,
            requester=requester,
        )
        await self._request(_Request(slot=slot, hold=hold, speed=speed))

    async def resume(self, slot: Slot | None) -> None:
        """Release an output to its schedules."""
        await self._request(_Request(slot=_existing(slot)))

    async def resume_all(self) -> None:
        """Release every held output to its schedules; raises the first failure.

        Raises NotSupportedError if held outputs are not reported (cloud alone).
        """
        if (held := self._means.state.outputs.held) is None:
            raise NotSupportedError("what is held by hand is not reported")
        failures = []
        for index in held:
            if index not in (self._means.state.outputs.held or ()):
                continue  # released with another one, as the actuators of a spa are
            try:
                await self.resume(self._means.state.outputs.slot(index))
            except PoolctlError as err:
                failures.append(err)
        if failures:
            raise failures[0]

    async def _request(self, request: _Request) -> None:
        """Send the newest request for a slot; all waiting callers get its outcome."""
        await self._coalescer.run(
            str(request.slot.index), request, self._send, lambda finish: finish()
        )

    async def stop(self) -> None:
        """Cancel the requests in progress."""
        await self._coalescer.stop()

    def _put(self, slot: int, hold: Hold | None) -> None:
        self._book.put(slot, hold)
        self._means.publish()

    # Sending

    async def _send(self, request: _Request) -> Callable[[], Awaitable[None]]:
        """Send a user's request; return a function that waits for the outcome."""
        slot, hold = request.slot, request.hold
        if hold is None:
            with self._book.switching(slot.index):
                await self._means.release(slot.index)
                self._put(slot.index, None)
            return _nothing
        begun = time.monotonic()
        if hold.lasts is not None:
            hold = replace(hold, ends_at=begun + hold.lasts)
        hold = replace(hold, state=State.REQUESTED, previous=self._previous(slot.index))
        return await self._begin(slot, hold, request.speed)

    def _previous(self, slot: int) -> Hold | None:
        previous = self._book.get(slot)
        if previous is None or previous.state is State.WATCHED:
            return None
        return replace(previous, previous=None, state=State.ACTIVE)

    async def _begin(
        self, slot: Slot, hold: Hold, speed: int | None
    ) -> Callable[[], Awaitable[None]]:
        index = slot.index
        # Not published here: sending the command publishes it.
        self._book.put(index, hold)
        with self._book.switching(index), self._outcome(hold):
            finish = await self._means.send(
                slot, hold.on, held=hold.needed, speed=speed
            )

        async def confirm() -> None:
            with self._book.switching(index), self._outcome(hold):
                by_lan = await finish()
                if (newest := self._newest(hold)) is not None:
                    confirmed = replace(newest, by_cloud=not by_lan)
                    self._put(index, after(confirmed, Event.CONFIRMED))

        return confirm

    @contextmanager
    def _outcome(self, hold: Hold) -> Generator[None]:
        """Undo a hold if its command certainly did not run; otherwise reads decide."""
        try:
            yield
        except PoolctlError as err:
            newest = self._newest(hold)
            if newest is not None and err.ran is False:
                self._put(hold.slot, after(newest, Event.REFUSED))
            raise

    def _newest(self, hold: Hold) -> Hold | None:
        """Return the present form of a requested hold, `None` once it was replaced."""
        now = self._book.get(hold.slot)
        same = now is not None and (now.since, now.on) == (hold.since, hold.on)
        return now if same else None

    # Reads

    def take_read(self, state: PoolState, at: float) -> None:
        """Update the holds by a read of the state."""
        by_lan = state.source is Source.LAN
        if by_lan and state.firmware != self._firmware:
            self._firmware = state.firmware
            self._retry_all()
        self.stopped_by_spa = tuple(
            hold for hold in self.stopped_by_spa if stopped_by_spa(hold, state)
        )
        for hold in self._book.all:
            if not self._book.is_switching(hold.slot):
                self._take(hold, state, at, by_lan=by_lan)
        if by_lan:
            self._take_others(state, at)
        self._look_at_ends(state)

    def _retry_all(self) -> None:
        """Allow all releases again at once: the new firmware may accept them."""
        for hold in self._book.all:
            self._book.put(hold.slot, replace(hold, retry_at=None))

    def _take(self, hold: Hold, state: PoolState, at: float, *, by_lan: bool) -> None:
        if hold.state is State.WATCHED:
            self._take_released(hold, state, by_lan=by_lan)
            return
        hold, event = after_read(hold, state, at)
        if hold.state is State.DUE and by_lan:
            hold = replace(hold, retry_at=None)  # the controller answers
        following = hold if event is None else after(hold, event)
        self._book.put(hold.slot, following)
        lasts = hold.state in (State.ACTIVE, State.DOUBTFUL)
        if following is None and lasts and stopped_by_spa(hold, state):
            self.stopped_by_spa = (*self.stopped_by_spa, hold)

    def _take_released(self, hold: Hold, state: PoolState, *, by_lan: bool) -> None:
        """Hold an output again that its schedule restarted in its old window."""
        if hold.retry_at is not None and hold.retry_at > time.monotonic():
            return
        if by_lan and restarts(hold, state, self._times.now, self._times.local):
            restarted = replace(extended(hold), unsent=True, previous=hold)
            self._book.put(hold.slot, after(restarted, Event.RESTARTED))

    def _take_others(self, state: PoolState, at: float) -> None:
        """Add the holds of other clients, which last until they are released."""
        for slot in held_outputs(state) or ():
            known = self._book.get(slot.index)
            if self._book.is_switching(slot.index):
                continue
            on = runs(state, slot)
            if on is not None and (known is None or known.state is State.WATCHED):
                asked, now = self._asked(at), self._times.now
                self._book.put(
                    slot.index,
                    Hold(slot=slot.index, on=on, since=now, asked=asked, settled_at=at),
                )

    def _asked(self, at: float) -> Asked:
        """Return where a hold was requested that a read is the first to show."""
        commanded_at = self._means.commanded_at
        alone = commanded_at is None or at - commanded_at > _CAUSED
        return Asked.ELSEWHERE if alone else Asked.UNKNOWN

    # Ends

    def _look_at_ends(self, state: PoolState) -> None:
        times, at = self._times, time.monotonic()
        now, local, offset = times.now, times.local, times.offset
        for hold in self._book.all:
            moved = rescheduled(with_shown_end(hold, now, at), state, local, offset)
            event = Event.ENDED if is_over(moved, now, at) else Event.MOVED
            following = after(moved, event)
            if not hold.needed and is_old(moved.until, now):
                following = None  # if it is held, that is shown as another's hold
            if following is not None and following.state is State.DUE:
                due_at = at if following.due_at is None else following.due_at
                following = replace(following, due_at=due_at)
            self._book.put(hold.slot, following)

    async def work(self) -> None:
        """Release due holds, and hold outputs again that their schedule restarted."""
        async with self._working:
            previous = self._book.all
            self._look_at_ends(self._means.state)
            for hold in previous:
                if hold.unsent:
                    await self._hold_again(hold)
            await self._releases.run()
            if self._book.all != previous:
                self._means.publish()

    async def leave(self, *, only_lan: bool = False) -> tuple[Hold, ...]:
        """Release holds that cannot be released later, within 10 s; return those left.

        `only_lan`: the cloud remains, and can switch off outputs that are held on.
        """
        left = await self._releases.leave(only_lan=only_lan)
        self._means.publish()
        return left

    async def _hold_again(self, hold: Hold) -> None:
        sent, watched = replace(hold, unsent=False), hold.previous
        if (slot := self._means.state.outputs.slot(hold.slot)) is None or not watched:
            return
        _LOGGER.info("Schedule of slot %d ran on after its end: held again", hold.slot)
        retry_at = time.monotonic() + retry_wait(watched.tries)
        failed = replace(watched, tries=watched.tries + 1, retry_at=retry_at)
        try:
            await (await self._begin(slot, replace(sent, previous=failed), None))()
        except PoolctlError as err:
            _LOGGER.debug("It could not be held again: %s", err)


async def _nothing() -> None:
    """Return at once: a release is already confirmed."""


def _existing(slot: Slot | None) -> Slot:
    if slot is None:
        raise NotSupportedError("its slot is not known yet")
    return slot
