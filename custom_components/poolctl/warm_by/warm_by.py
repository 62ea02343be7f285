"""The requests of one controller: begun in time, followed, and undone at their end.

The outputs and heat sources of a request are claims, which are undone at its end. If a
user switches the pump, spa mode or the last heat source off meanwhile, the request ends;
one of several sources only is no longer used. What a user chooses for longer stays. The
user at the pool decides. All of this is chosen.
"""

import asyncio
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
import logging
import time
from typing import Final, NamedTuple

from ..client import (
    NO_FAILURES,
    Clock,
    Controller,
    InvalidCommandError,
    Left,
    PoolctlError,
)
from ..client.holds import OLD, UNDO_AGAIN, Claim, HeatClaims, Holds, index_of
from ..client.pool import BODIES, SPA, Body, HeatSource, Slot, Source
from ..learned.learned import Learned
from ..learned.pool import Pool
from ..learned.preferences import Preferences
from ..learned.warming import SUN
from ..prices.reader import Price
from .blocks import CELL, MAX_STARTS, Block, Task, cheapest_blocks, whole_cell
from .outlook import Daylight, Outlook, Plan, outlook
from .request import AHEAD, Request, Wish, new_request

_LOGGER = logging.getLogger(__name__)

CHECK: Final = 60.0
"""Seconds between two checks of the requests."""
_MINUTE: Final = timedelta(minutes=1)
"""Added to a claim: its end may drift by seconds, and must not come too early."""
_OFF_COURSE: Final = 0.25
"""°C by which the water differs from what the plan expects, so that it is made anew."""
_SOON: Final = timedelta(minutes=30)
"""A begun request continues for another time if that must begin within this delay."""
_LEAVING: Final = 2.0
"""Longest wait in s for the command in progress before everything is undone."""


class _Found(NamedTuple):
    """The cheapest blocks, and what they were found for."""

    key: object
    """What has to be as it was."""
    task: Task | None
    blocks: tuple[Block, ...] | None
    """`None`: heating begins as late as possible, and goes on."""

    def follows(self, newest: Task | None) -> bool:
        """Return whether the temperature is about what was expected."""
        if self.task is None or newest is None or self.blocks is None:
            return True
        task, now = self.task, newest.now
        expected = task.physics.after(task.now, now, self.blocks, task.gain)
        return abs(newest.physics.water - expected) <= _OFF_COURSE


def _heaters(sources: Iterable[HeatSource]) -> list[HeatSource]:
    return [each for each in sources if each not in SUN]


class WarmBy:
    """The requests of one controller, one for each body of water."""

    def __init__(
        self,
        controller: Controller,
        learned: Learned,
        stored: Iterable[Request],
        requester: Callable[[], str] = str,
        daylight: Callable[[datetime], Daylight | None] = lambda by: None,
        prices: Callable[[Body, Wish], Awaitable[Sequence[Price]]] | None = None,
    ) -> None:
        """Continue the stored requests; `requester` names the source of a hold."""
        self._controller = controller
        self._learned = learned
        self._requester = requester
        self._daylight = daylight
        self._prices = prices
        self._all = {request.body: request for request in stored}
        self._corrected = timedelta()
        """Corrections of the clock that the requests have followed, in days."""
        self._found: dict[Body, _Found] = {}
        self._working = asyncio.Lock()
        self._check_at = 0.0
        controller.holds.on_ended = lambda claimant, slot: self._ended(claimant)
        controller.heat.on_ended = lambda claimant, index: self._ended(
            claimant, tuple(HeatSource)[index]
        )

    @property
    def all(self) -> tuple[Request, ...]:
        """The requests that are not over."""
        return tuple(self._all.values())

    def of(self, body: Body) -> Request | None:
        """Return the request for a body of water."""
        return self._all.get(body)

    def outlook(self, request: Request) -> Outlook | None:
        """Return the current outlook of a request."""
        live, found = self._controller.live, self._found.get(request.body)
        pool = Pool(live.state, live.choices, Preferences(), self._learned)
        return outlook(
            pool,
            request,
            self._clock.now(),
            self._daylight(request.by),
            self._claimed(request),
            blocked=self._blocked(request.body),
            cheapest=found and found.blocks,
            busy=self._busy(request),
        )

    def _busy(self, request: Request) -> tuple[Block, ...]:
        """Return when spa mode takes the water from the pool for a request."""
        spa = self.of(SPA)
        expected = self.outlook(spa) if spa and request.body is not SPA else None
        blocks = expected.blocks if expected else ()
        return tuple(Block(whole_cell(a), whole_cell(b + CELL)) for a, b in blocks)

    def _claimed(self, request: Request) -> dict[HeatSource, datetime]:
        """Return since when its heat sources are on for it."""
        now, claimant = self._clock.now(), request.claimant
        return {
            each.source: each.since
            for each in self._controller.heat.all
            if (until := each.claimants.get(claimant)) is not None and until > now
        }

    def _has_claims(self, request: Request) -> bool:
        """Return whether something is claimed for it; what is over is due already."""
        claims: list[Claim] = [*self._controller.heat.all, *self._controller.holds.all]
        ends = [each.claimants.get(request.claimant) for each in claims]
        return any(end is not None and end > self._clock.now() for end in ends)

    def _blocked(self, body: Body) -> bool:
        """Return whether heating cannot begin: a user holds an output off, or no LAN.

        So does one who just switched it off, until reads show whether that ran. The
        cloud does not report targets, and cannot release holds.
        """
        needs_undoing = {slot.index for slot in self._needed(body)}
        off = {hold.slot for hold in self._controller.holds.all if not hold.on}
        held_off = not needs_undoing.isdisjoint(off)
        return held_off or self._controller.live.state.source is not Source.LAN

    @property
    def outlooks(self) -> Mapping[Body, Outlook]:
        """The current outlook of each request, as far as there is one."""
        found = map(self.outlook, self.all)
        return {each.request.body: each for each in found if each}

    @property
    def wait(self) -> float | None:
        """Seconds until the next check; `None` if nothing is requested."""
        return max(self._check_at - time.monotonic(), 0.0) if self._all else None

    @property
    def _clock(self) -> Clock:
        return self._controller.clock

    # Requests of the user

    async def want(
        self,
        body: Body,
        by: datetime | None,
        lasts: timedelta | None = None,
        wish: Wish | None = None,
    ) -> None:
        """Have a body of water warm by a time, and for some time from then.

        A wish says which hours are preferred for heating.

        `None` ends the request and undoes it. Raises InvalidCommandError for a time in
        the past or more than a week ahead, and the errors of commands; what cannot be
        undone is tried again.
        """
        if by is None:
            await self._cancel(body)
            return
        async with self._working:
            self._follow_clock()  # a new request needs no earlier correction
            previous, now = self.of(body), self._clock.now()
            wanted = Request(body=body, by=by, wish=wish)
            wanted = new_request(wanted, lasts, previous, now)
            wanted = await self._with_prices(wanted)
            await self._find(wanted)
            if previous is not None and self._has_claims(previous):
                # It goes on for the new request, unless that begins much later.
                expected = self.outlook(wanted)
                if expected is None or expected.plan.begins > now + _SOON:
                    wanted = self._noted(wanted, {})
                    with suppress(PoolctlError):  # it is tried again by itself
                        await self._end(previous)
            self._check_at = 0.0
            self._put(wanted)
        self._controller.live.publish()

    async def give_up(self, body: Body) -> None:
        """End a request whose heating has begun, as a user wants no heat any more.

        Between two blocks, there is nothing of it that a user could switch off. What
        cannot be undone now is tried again by itself.
        """
        if (request := self.of(body)) is not None and request.done:
            with suppress(PoolctlError):
                await self._cancel(body)

    async def _cancel(self, body: Body) -> None:
        async with self._working:
            # One that has ended may still have what could not be undone.
            await self._end(self.of(body) or Request(body=body, by=self._clock.now()))

    # Work on the requests

    async def work(self) -> None:
        """Begin due requests, follow begun ones, and end those that are over."""
        async with self._working:
            self._follow_clock()
            for body in BODIES:
                request = self._all.get(body)
                if request and request.failures.wait <= 0:
                    newest = await self._with_prices(request)
                    await self._find(newest)
                    if self.of(body) is request:
                        self._put(newest)
                        await self._try(newest)
            self._check_at = time.monotonic() + CHECK

    def _follow_clock(self) -> None:
        """Move the requests by the days of a correction: their times of day stay.

        None of them is further away than a user may ask for.
        """
        by, stop = self._clock.corrections
        days = timedelta(days=round((by - stop - self._corrected) / timedelta(days=1)))
        self._corrected += days
        last = self._clock.now() + AHEAD
        for request in self.all:
            done = tuple(Block(start + days, end + days) for start, end in request.done)
            self._put(replace(request, by=min(request.by + days, last), done=done))

    async def _try(self, request: Request) -> None:
        failures = NO_FAILURES
        try:
            await self._advance(request)
        except PoolctlError as err:
            _LOGGER.debug("Not possible for the %s: %s", request.body.key, err)
            failures = request.failures.failed(UNDO_AGAIN, time.monotonic())
        newest = self.of(request.body)
        if newest and (newest.by, newest.wish) == (request.by, request.wish):
            self._all[request.body] = replace(newest, failures=failures)

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
        elif (ends := self._ends(request, expected.plan)) or expected.plan.reads:
            await self._heat(request, ends)
        elif self._has_claims(request):
            self._put(self._noted(request, {}))
            self._drop(request)  # the water was only read, or a block is over

    async def _find(self, request: Request) -> None:
        """Find the cheapest blocks of a request anew if what they depend on changed."""
        if (expected := self.outlook(request)) is None or expected.physics is None:
            return
        found, task = self._found.get(request.body), expected.task
        wanted = replace(request, done=())
        key = (wanted, expected.target, expected.busy, task is None)
        if found is None or found.key != key or not found.follows(task):
            present = found and found.blocks
            blocks = await to_thread(cheapest_blocks, task, present) if task else None
            self._found[request.body] = found = _Found(key, task, blocks)
            expected = self.outlook(request)
        if expected and expected.must:
            self._found[request.body] = found._replace(blocks=None)

    async def _with_prices(self, request: Request) -> Request:
        """Return a request with the newest prices of its entities."""
        wish, found = request.wish, tuple[Price, ...]()
        if wish and wish.entities and self._prices:
            with suppress(InvalidCommandError):
                found = tuple(await self._prices(request.body, wish))
        return request.with_prices(found, self._clock.now())

    def _needed(self, body: Body) -> tuple[Slot, ...]:
        outputs = self._controller.live.state.outputs
        found = (outputs.spa, outputs.pump) if body is SPA else (outputs.pump,)
        return tuple(slot for slot in found if slot is not None)

    def _ends(self, request: Request, plan: Plan) -> Mapping[HeatSource, datetime]:
        """Return until when sources heat; no heater that has begun often enough."""
        if _heaters(self._claimed(request)) or len(request.done) < MAX_STARTS:
            return plan.ends
        return {source: end for source, end in plan.ends.items() if source in SUN}

    async def _heat(
        self, request: Request, ends: Mapping[HeatSource, datetime]
    ) -> None:
        """Make the water flow and heat up, each until its end."""
        holds, heat = self._controller.holds, self._controller.heat
        claimant, done, heats = request.claimant, request.done, _heaters(ends)
        if over := {*self._claimed(request)} - {*ends}:
            heat.drop(claimant, {*map(index_of, over)})
        self._put(request := self._noted(request, ends))
        flows_until = max(ends.values(), default=request.until)
        try:
            for slot in self._needed(request.body):
                if self._lacks(request, holds, slot.index, flows_until):
                    name = self._requester()
                    await holds.claim(slot, claimant, flows_until + _MINUTE, name)
            for source, until in ends.items():
                if self._lacks(request, heat, index_of(source), until):
                    await heat.claim(source, claimant, until + _MINUTE)
        finally:
            if (newest := self.of(request.body)) is None:
                self._drop(request)  # somebody ended it meanwhile
            elif newest is request and heats and not _heaters(self._claimed(newest)):
                self._put(replace(newest, done=done))  # it was not started

    def _noted(self, request: Request, ends: Mapping[HeatSource, datetime]) -> Request:
        """Return a request with the block of a heater that heats until some end.

        One that was interrupted, as by a restart, goes on or is over.
        """
        now, done = self._clock.now(), request.done
        end = next((ends[source] for source in _heaters(ends)), None)
        if done and (_heaters(self._claimed(request)) or done[-1].end > now):
            start, planned = done[-1]
            done = (*done[:-1], Block(start, end or min(planned, now)))
        elif end:
            done = (*done, Block(now, end))
        return replace(request, done=done)

    def _lacks(
        self,
        request: Request,
        claims: HeatClaims | Holds,
        index: int,
        until: datetime,
    ) -> bool:
        """Return whether a request, as long as nobody changes it, lacks such a claim."""
        claimed = claims.claimed_until(index, request.claimant)
        right = claimed and abs(claimed - _MINUTE - until) < _MINUTE
        return self.of(request.body) is request and not right

    def _ended(self, claimant: str, source: HeatSource | None = None) -> None:
        """End the request of a claimant: somebody ended a part of its heating.

        It goes on without a heat source if it has begun others.
        """
        for request in self.all:
            if request.claimant != claimant:
                continue
            if source is not None and self._claimed(request):
                self._put(replace(request, without=(*request.without, source)))
            else:
                _LOGGER.info("Somebody ended the heating of %s", request.body.key)
                self._remove(request)

    async def _end(self, request: Request) -> None:
        """End a request and undo its claims, the heat first; raises a failure.

        Those that cannot be undone now are tried again by themselves.
        """
        self._forget(request)
        try:
            await self._controller.heat.end(request.claimant)
        finally:
            await self._controller.holds.end(request.claimant)

    def _drop(self, request: Request) -> None:
        self._controller.heat.drop(request.claimant)
        self._controller.holds.drop(request.claimant)

    def _remove(self, request: Request) -> None:
        self._forget(request)
        self._drop(request)

    def _forget(self, request: Request) -> None:
        self._all.pop(request.body, None)
        self._found.pop(request.body, None)
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
