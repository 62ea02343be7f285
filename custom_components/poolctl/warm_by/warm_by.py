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
from ..client.holds.claim import Claim
from ..client.holds.claims import retry_wait
from ..client.holds.decide import OLD
from ..client.holds.heat import thing_of
from ..client.pool.heating import BODIES, SPA, Body
from ..client.pool.state import PoolState, Source
from ..client.wire.equipment import HeatSource, Slot
from ..client.wire.exceptions import InvalidCommandError, PoolctlError
from ..learned.learned import Learned
from ..learned.pool import Pool
from ..learned.preferences import Preferences
from ..learned.warming import Sources
from .outlook import Daylight, Outlook, outlook
from .request import AHEAD, LONGEST_WARM, WARM_LASTS, Request

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
        daylight: Callable[[datetime], Daylight | None] = lambda by: None,
    ) -> None:
        """Continue the stored requests; `requester` names the source of a hold."""
        self._controller = controller
        self._learned = learned
        self._requester = requester
        self._daylight = daylight
        self._all = {request.body: request for request in stored}
        self._drafts: dict[Body, Draft] = {}
        self._working = asyncio.Lock()
        self._check_at = 0.0
        for claims in (controller.heat, controller.holds):
            claims.on_ended = self._ended

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
        return outlook(
            pool,
            request,
            self._clock.now(),
            self._daylight(request.by),
            self._begun_at(request),
            blocked=self._blocked(request.body),
        )

    def _begun_at(self, request: Request) -> datetime | None:
        """Return when its newest heat source began, `None` if none has begun."""
        claims = self._controller.heat.all
        begun = (each.since for each in claims if request.claimant in each.claims)
        return max(begun, default=None)

    def _has_claims(self, request: Request) -> bool:
        """Return whether anything was claimed for a request."""
        claims: list[Claim] = [*self._controller.heat.all, *self._controller.holds.all]
        return any(request.claimant in each.claims for each in claims)

    def _blocked(self, body: Body) -> bool:
        """Return whether heating cannot begin: a user holds an output off, or no LAN.

        The cloud does not report targets, and cannot release holds.
        """
        holds = (self._controller.holds.of(slot.index) for slot in self._needed(body))
        held_off = any(hold is not None and not hold.on for hold in holds)
        return held_off or self._state.source is not Source.LAN

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
                lasts = previous.lasts if previous else WARM_LASTS
            wanted = Request(body=body, by=by, lasts=min(lasts, LONGEST_WARM))
            if previous is not None:
                await self._make_room(previous, wanted)
            self._drafts.pop(body, None)
            # Not at once: a user who has entered a date is about to enter the time.
            self._check_at = time.monotonic() + CHECK
            self._put(wanted)
        self._controller.live.publish()

    async def _make_room(self, previous: Request, wanted: Request) -> None:
        """End the heating of a request if that of the new one begins much later."""
        expected, begun = self.outlook(wanted), self._has_claims(previous)
        if begun and (
            expected is None or expected.plan.begins > self._clock.now() + _SOON
        ):
            await self._end(previous)

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
        tries, retry_at = 0, 0.0
        try:
            await self._advance(request)
        except PoolctlError as err:
            _LOGGER.debug("Not possible for the %s: %s", request.body.key, err)
            tries = request.tries + 1
            retry_at = time.monotonic() + retry_wait(request.tries)
        if self.of(request.body) is request:
            self._all[request.body] = replace(request, tries=tries, retry_at=retry_at)

    async def _advance(self, request: Request) -> None:
        """Compare what a request wants with what was claimed for it."""
        if not self._clock.known:
            return
        now, expected = self._clock.now(), self.outlook(request)
        if now - request.until > OLD:
            self._forget(request)  # its claims are too old, too
        elif now >= request.until:
            await self._end(request)
        elif expected is None or self._blocked(request.body):
            return
        elif expected.plan.due or expected.begun:
            await self._heat(request, expected.plan.sources)
        elif self._has_claims(request):
            self._drop(request)  # the water was only read, and heating begins later

    def _needed(self, body: Body) -> tuple[Slot, ...]:
        outputs = self._state.outputs
        found = (outputs.spa, outputs.pump) if body is SPA else (outputs.pump,)
        return tuple(slot for slot in found if slot is not None)

    async def _heat(self, request: Request, sources: Sources) -> None:
        """Make the water flow and heat up; what is claimed only gets a later end."""
        try:
            await self._claim(request, sources)
        finally:
            if self.of(request.body) is not request:
                self._drop(request)  # somebody ended it meanwhile

    async def _claim(self, request: Request, sources: Sources) -> None:
        # The end of a claim may drift by seconds: it must not precede the request's.
        until, claimant = request.until + _MINUTE, request.claimant
        holds, heat = self._controller.holds, self._controller.heat
        for slot in self._needed(request.body):
            if self._lacks(request, holds.claimed_until(slot.index, claimant)):
                name = self._requester(request.body)
                await holds.claim(slot, claimant, until, name)
        for source in HeatSource:
            claimed = heat.claimed_until(thing_of(source), claimant)
            wanted = claimed is not None or source in sources
            if wanted and self._lacks(request, claimed):
                await heat.claim(source, claimant, until)

    def _lacks(self, request: Request, claimed: datetime | None) -> bool:
        """Return whether a request, if nobody has ended it, lacks a claim until its end."""
        exists = self.of(request.body) is request
        return exists and (claimed is None or claimed < request.until)

    def _ended(self, claimant: str) -> None:
        """End the request of a claimant: somebody ended a part of its heating."""
        for request in self.all:
            if request.claimant == claimant:
                _LOGGER.info("Somebody ended the heating of %s", request.body.key)
                self._remove(request)

    async def _end(self, request: Request) -> None:
        """End a request and undo its claims, the heat first; raises the first failure.

        Those that cannot be undone now are tried again by themselves.
        """
        self._remove(request)
        heat, holds = self._controller.heat, self._controller.holds
        for failure in (*await heat.work(), *await holds.work()):
            raise failure

    def _drop(self, request: Request) -> None:
        self._controller.heat.drop(request.claimant)
        self._controller.holds.drop(request.claimant)

    def _remove(self, request: Request) -> None:
        self._forget(request)
        self._drop(request)

    def _forget(self, request: Request) -> None:
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
        return await self._controller.leave(only_lan=only_lan)

    def _put(self, request: Request) -> None:
        previous = self._all.get(request.body)
        self._all[request.body] = request
        if request != previous:
            self._controller.live.publish()
