"""The requests of one controller: begun in time, followed, and undone at their end.

The outputs and heat sources of a request are claims, which are undone at its end. If a
user switches one of them off meanwhile, the request ends; what a user chooses for longer
stays. The user at the pool decides. All of this is chosen.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
import logging
import time
from typing import Final, NamedTuple

from ..client.clock import Clock
from ..client.controller import Controller, Left
from ..client.holds.claims import retry_wait
from ..client.holds.decide import OLD
from ..client.holds.heat import thing_of
from ..client.pool.heating import BODIES, SPA, Body, may_heat
from ..client.pool.state import PoolState, Source
from ..client.wire.equipment import HeatSource, Slot
from ..client.wire.exceptions import InvalidCommandError, PoolctlError
from ..learned.learned import Learned
from ..learned.pool import Pool
from ..learned.preferences import Preferences
from ..learned.warming import Sources
from .outlook import Outlook, Sunrise, outlook
from .request import AHEAD, LASTS, LONGEST, Request

_LOGGER = logging.getLogger(__name__)

CHECK: Final = 60.0
"""Seconds between two checks of the requests."""
DRAFT: Final = 600.0
"""Seconds for which a time that was entered too late is shown."""
_MINUTE: Final = timedelta(minutes=1)
_SOON: Final = timedelta(minutes=30)
"""A begun request continues for another time if that must begin within this delay."""
_LEAVING: Final = 2.0
"""Longest wait in s for the command in progress before everything is undone."""


class Draft(NamedTuple):
    """An entered time that has already passed."""

    at: datetime
    until: float
    """End of its display (monotonic, s)."""


class WarmBy:
    """The requests of one controller, one for each body of water."""

    def __init__(
        self,
        controller: Controller,
        learned: Learned,
        stored: Iterable[Request],
        requester: Callable[[Body], str] = lambda body: "",
        sunrise: Sunrise = lambda moment: None,
    ) -> None:
        """Continue the stored requests; `requester` names the source of a hold."""
        self._controller = controller
        self._learned = learned
        self._requester = requester
        self._sunrise = sunrise
        self._all = {request.body: request for request in stored}
        self._drafts: dict[Body, Draft] = {}
        self._working = asyncio.Lock()
        self._check_at = 0.0

    @property
    def all(self) -> tuple[Request, ...]:
        """The requests that are not over."""
        return tuple(self._all.values())

    def draft(self, body: Body) -> datetime | None:
        """Return the entered time of a body of water that has already passed."""
        draft = self._drafts.get(body)
        return None if draft is None else draft.at

    def of(self, body: Body) -> Request | None:
        """Return the request for a body of water."""
        return self._all.get(body)

    def outlook(self, request: Request) -> Outlook | None:
        """Return the current outlook of a request."""
        live = self._controller.live
        pool = Pool(live.state, live.choices, Preferences(), self._learned)
        return outlook(pool, request, self._clock.now(), self._sunrise)

    @property
    def late(self) -> tuple[tuple[Request, Outlook], ...]:
        """The requests that will not be met in time, with their outlook."""
        found = ((each, self.outlook(each)) for each in self.all)
        return tuple((each, o) for each, o in found if o is not None and o.late)

    @property
    def wait(self) -> float | None:
        """Seconds until the next check; `None` if nothing is requested."""
        asked = self._all or self._drafts
        return max(self._check_at - time.monotonic(), 0.0) if asked else None

    @property
    def _clock(self) -> Clock:
        return self._controller.clock

    @property
    def _state(self) -> PoolState:
        return self._controller.live.state

    # Requests of the user

    async def enter(self, body: Body, at: datetime) -> None:
        """Take the time that a user entered; a time in the past ends the request.

        A form changes date and time separately: the value in between may be in the
        past, and is kept for the next change. Raises the errors of `want`.
        """
        if at > self._clock.now():
            await self.want(body, at)
            return
        if self._clock.now() - at <= AHEAD:
            self._drafts[body] = Draft(at, time.monotonic() + DRAFT)
            self._check_at = time.monotonic() + CHECK
        await self._cancel(body)
        self._controller.live.publish()

    async def want(
        self, body: Body, by: datetime | None, lasts: timedelta | None = None
    ) -> None:
        """Have a body of water warm by a time, and for some time from then.

        `None` ends the request and undoes it. Raises InvalidCommandError for a time in
        the past or more than a week ahead, and the errors of commands; what cannot be
        undone is tried again.
        """
        if by is None:
            await self._cancel(body)
            return
        if by <= self._clock.now():
            raise InvalidCommandError("it has passed", reason="warm_by_passed")
        if by - self._clock.now() > AHEAD:
            raise InvalidCommandError("it is too far", reason="warm_by_too_far")
        async with self._working:
            previous = self._all.get(body)
            if lasts is None:
                lasts = previous.lasts if previous else LASTS
            wanted = Request(body=body, by=by, lasts=min(lasts, LONGEST))
            if previous is not None:
                wanted = await self._following(previous, wanted)
            self._drafts.pop(body, None)
            # Not at once: a user who has entered a date is about to enter the time.
            self._check_at = time.monotonic() + CHECK
            self._put(wanted)
        self._controller.live.publish()

    async def _following(self, previous: Request, wanted: Request) -> Request:
        if not previous.begun:
            return wanted
        expected = self.outlook(wanted)
        if expected is None or expected.begins > self._clock.now() + _SOON:
            await self._end(previous)
            return wanted
        return replace(previous, by=wanted.by, lasts=wanted.lasts)

    async def _cancel(self, body: Body) -> None:
        async with self._working:
            if (request := self._all.get(body)) is not None:
                await self._end(request)

    # Work on the requests

    async def work(self) -> None:
        """Begin due requests, follow begun ones, and end those that are over."""
        async with self._working:
            self._forget_drafts()
            for body in BODIES:
                request = self._all.get(body)
                if request and request.retry_at <= time.monotonic():
                    await self._try(request)
            self._check_at = time.monotonic() + CHECK

    def _forget_drafts(self) -> None:
        now, previous = time.monotonic(), self._drafts
        self._drafts = {k: each for k, each in previous.items() if each.until > now}
        if self._drafts != previous:
            self._controller.live.publish()

    async def _try(self, request: Request) -> None:
        try:
            await self._advance(request)
        except PoolctlError as err:
            _LOGGER.debug("Not possible for the %s: %s", request.body.key, err)
            if (newest := self._all.get(request.body)) is not None:
                retry_at = time.monotonic() + retry_wait(newest.tries)
                tries = newest.tries + 1
                self._put(replace(newest, tries=tries, retry_at=retry_at))

    async def _advance(self, request: Request) -> None:
        if not self._clock.known:
            return
        now = self._clock.now()
        if now - request.until > OLD:
            self._remove(request)  # its claims are too old, too
        elif now >= request.until:
            await self._end(request)
        elif self._state.source is not Source.LAN:
            # The cloud does not report targets, and cannot release holds.
            return
        elif request.begun:
            await self._go_on(request)
        elif self._due(request):
            await self._heat(replace(request, begun=True))

    async def _go_on(self, request: Request) -> None:
        """Continue heating unless a user or another client ended it."""
        off = request.heats and self._switched_off(request)
        if off and not request.doubtful:
            self._put(replace(request, doubtful=True))
        elif off or self._stopped(request):
            _LOGGER.info("Somebody ended the heating of the %s", request.body.key)
            await self._end(request)
        else:
            await self._heat(replace(request, doubtful=False))

    def _due(self, request: Request) -> bool:
        """Return whether heating is due, and no output that it needs is held off."""
        if (expected := self.outlook(request)) is None or not expected.due:
            return False
        return not self._held_off(request.body)

    def _stopped(self, request: Request) -> bool:
        """Return whether an output that it needs was released or held off."""
        until_of = self._controller.holds.claimed_until
        released = any(
            until_of(slot, request.claimant) is None for slot in request.held
        )
        return released or self._held_off(request.body)

    def _held_off(self, body: Body) -> bool:
        holds = (self._controller.holds.of(slot.index) for slot in self._needed(body))
        return any(hold is not None and not hold.on for hold in holds)

    def _switched_off(self, request: Request) -> bool:
        """Return whether the newest read shows that heating was switched off."""
        spa_ended = request.body is SPA and self._state.spa_mode is False
        return spa_ended or may_heat(self._state, request.body) is False

    def _needed(self, body: Body) -> tuple[Slot, ...]:
        outputs = self._state.outputs
        found = (outputs.spa, outputs.pump) if body is SPA else (outputs.pump,)
        return tuple(slot for slot in found if slot is not None)

    async def _heat(self, request: Request) -> None:
        """Make the water flow and heat up; others' holds and selections stay."""
        self._put(request)
        # The end of a claim may drift by seconds: it must not precede the request's.
        until, claimant = request.until + _MINUTE, request.claimant
        for slot in self._needed(request.body):
            claimed = self._controller.holds.claimed_until(slot.index, claimant)
            if claimed is None or claimed < request.until:
                await self._hold_on(request.body, slot, until)
        expected = self.outlook(request)
        wanted = expected.sources if expected else ()
        for source in HeatSource:
            if self._needs(request, source, wanted):
                await self._select(request.body, source, until)
        newest = self._all[request.body]
        heated = newest.heats or may_heat(self._state, request.body) is True
        self._put(replace(newest, heats=heated, tries=0))

    def _needs(self, request: Request, source: HeatSource, wanted: Sources) -> bool:
        """Return whether a heat source must be selected, or for longer.

        After heating was confirmed, once: a user may not want just this one.
        """
        heat = self._controller.heat
        claimed = heat.claimed_until(thing_of(source), request.claimant)
        if self._state.heat[source] and claimed is not None:
            return claimed < request.until
        done = request.heats and source in request.selected
        return source in wanted and not done

    async def _hold_on(self, body: Body, slot: Slot, until: datetime) -> None:
        """Hold an output until the end; it is ours if the command may have run."""
        claimant, requester = self._all[body].claimant, self._requester(body)
        try:
            await self._controller.holds.claim(slot, claimant, until, requester)
        finally:
            if self._controller.holds.claimed_until(slot.index, claimant) is not None:
                request = self._all[body]
                held = dict.fromkeys((*request.held, slot.index))
                self._put(replace(request, held=tuple(held)))

    async def _select(self, body: Body, source: HeatSource, until: datetime) -> None:
        claimant, heat = self._all[body].claimant, self._controller.heat
        try:
            await heat.claim(source, claimant, until)
        finally:
            if heat.claimed_until(thing_of(source), claimant) is not None:
                request = self._all[body]
                selected = dict.fromkeys((*request.selected, source))
                self._put(replace(request, selected=tuple(selected)))

    async def _end(self, request: Request) -> None:
        """End a request and undo its claims, the heat first; raises the first failure.

        Those that cannot be undone now are tried again by themselves.
        """
        self._remove(request)
        heat, holds = self._controller.heat, self._controller.holds
        heat.drop(request.claimant)
        holds.drop(request.claimant)
        for failure in (*await heat.work(), *await holds.work()):
            raise failure

    def _remove(self, request: Request) -> None:
        self._all.pop(request.body, None)
        self._controller.live.publish()

    async def leave(self, *, only_lan: bool = False) -> Left:
        """End all requests, and undo what cannot be undone later; return what is left.

        See `Controller.leave`.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_LEAVING), self._working:
                for request in self.all:
                    self._remove(request)
                    self._controller.heat.drop(request.claimant)
                    self._controller.holds.drop(request.claimant)
        return await self._controller.leave(only_lan=only_lan)

    def _put(self, request: Request) -> None:
        previous = self._all.get(request.body)
        self._all[request.body] = request
        if request != previous:
            self._controller.live.publish()
