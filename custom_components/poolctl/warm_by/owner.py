"""The requests of one controller: begun in time, followed, and given back at their end.

What is held and selected for a request is given back with it, and only that. Whoever switches
any of it off meanwhile ends the request: a person at the pool is right. All of this is chosen.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
import logging
import time
from typing import Final, NamedTuple

from ..client.clock import Clock
from ..client.control.controller import Controller
from ..client.equipment import HeatSource, Slot
from ..client.exceptions import InvalidCommandError, PoolctlError
from ..client.holds.hold import Hold
from ..client.holds.owner import certainly_not_run
from ..client.holds.release import retry_wait
from ..client.pool.heating import BODIES, SPA, Body, may_heat
from ..client.pool.state import PoolState, Source
from ..learned.learned import Learned
from ..learned.pool import Pool
from .outlook import Outlook, Sunrise, outlook
from .request import LASTS, LONGEST, KeptRequests, Request

_LOGGER = logging.getLogger(__name__)

LOOK: Final = 60.0
"""s between two looks at what there is to do."""
DRAFT: Final = 600.0
"""s for which a time that has passed is shown."""
_MINUTE: Final = timedelta(minutes=1)
_SOON: Final = timedelta(minutes=30)
"""A request that was begun goes on for another time if that has to begin so soon."""
_LEAVING: Final = 10.0
"""s to give back before the means of that is lost."""


class Draft(NamedTuple):
    """A time that was entered and has passed."""

    at: datetime
    until: float
    """For how long it is shown, monotonic, s."""


class WarmBy:
    """The requests of one controller, one for each body of water."""

    def __init__(
        self,
        controller: Controller,
        learned: Learned,
        kept: Iterable[Request],
        requester: Callable[[Body], str] = lambda body: "",
        sunrise: Sunrise = lambda moment: None,
    ) -> None:
        """Go on with what was kept; `requester` names what asks for holds."""
        self._controller = controller
        self._learned = learned
        self._requester = requester
        self._sunrise = sunrise
        self._all = {request.body: request for request in kept}
        self._drafts: dict[Body, Draft] = {}
        self._working = asyncio.Lock()
        self._look_at = 0.0

    @property
    def kept(self) -> KeptRequests:
        """What lasts over restarts."""
        return KeptRequests(tuple(self._all.values()))

    @property
    def shown(self) -> tuple[Request, ...]:
        """The requests that are not over."""
        return tuple(each for each in self._all.values() if not each.over)

    @property
    def drafts(self) -> tuple[datetime, ...]:
        """The times that were entered and have passed, for a while."""
        return tuple(draft.at for draft in self._drafts.values())

    def draft(self, body: Body) -> datetime | None:
        """Return a time that was entered for a body of water and has passed."""
        draft = self._drafts.get(body)
        return None if draft is None else draft.at

    def of(self, body: Body) -> Request | None:
        """Return what is asked of a body of water."""
        return next((each for each in self.shown if each.body is body), None)

    def outlook(self, request: Request) -> Outlook | None:
        """Return what is foreseen for a request now."""
        store = self._controller.store
        pool = Pool(store.state, store.choices, self._learned)
        return outlook(pool, request, self._clock.now(), self._sunrise)

    @property
    def late(self) -> tuple[tuple[Request, Outlook], ...]:
        """The requests that will not be met in time."""
        found = ((each, self.outlook(each)) for each in self.shown)
        return tuple((each, o) for each, o in found if o is not None and o.late)

    @property
    def wait(self) -> float | None:
        """Seconds until there is something to look at; `None` where nothing is asked."""
        asked = self._all or self._drafts
        return max(self._look_at - time.monotonic(), 0.0) if asked else None

    @property
    def _clock(self) -> Clock:
        return self._controller.clock

    @property
    def _state(self) -> PoolState:
        return self._controller.store.state

    # What a person asks for

    async def enter(self, body: Body, at: datetime) -> None:
        """Take a time that a person entered; one that has passed ends what was asked.

        A form changes date and time one after the other: what is entered in between may
        have passed, and stays for the next change. Raises as `want` does.
        """
        if at > self._clock.now():
            await self.want(body, at)
            return
        self._drafts[body] = Draft(at, time.monotonic() + DRAFT)
        self._look_at = time.monotonic() + LOOK
        await self._cancel(body)
        self._controller.store.publish()

    async def want(
        self, body: Body, by: datetime | None, lasts: timedelta | None = None
    ) -> None:
        """Have a body of water warm by a time, and for some time from then.

        With `None` it is wanted no more, and what was begun is given back. Raises
        InvalidCommandError for a time that has passed, and what commands raise; what could
        not be given back is tried again.
        """
        if by is None:
            await self._cancel(body)
            return
        if by <= self._clock.now():
            raise InvalidCommandError("it has passed", reason="warm_by_passed")
        async with self._working:
            previous = self._all.get(body)
            if lasts is None:
                lasts = previous.lasts if previous else LASTS
            wanted = Request(body=body, by=by, lasts=min(lasts, LONGEST))
            if previous is not None:
                wanted = await self._following(previous, wanted)
            self._drafts.pop(body, None)
            # Not at once: whoever has entered a date is about to enter the time.
            self._look_at = time.monotonic() + LOOK
            self._put(wanted)
        self._controller.store.publish()

    async def _following(self, previous: Request, wanted: Request) -> Request:
        """Return a request that takes the place of another one."""
        if not (previous.begun or previous.over):
            return wanted
        expected = self.outlook(wanted)
        later = self._clock.now() + _SOON
        if previous.over or expected is None or expected.begins > later:
            await self._give_back(replace(previous, over=True))
            return wanted
        return replace(previous, by=wanted.by, lasts=wanted.lasts)

    async def _cancel(self, body: Body) -> None:
        async with self._working:
            if (request := self._all.get(body)) is not None:
                self._put(replace(request, over=True))
                await self._give_back(self._all[body])

    # What is done for it

    async def work(self) -> None:
        """Begin what is due, follow what was begun, and give back what is over."""
        async with self._working:
            self._forget_drafts()
            for body in BODIES:
                request = self._all.get(body)
                if request and request.retry_at <= time.monotonic():
                    await self._try(request)
            self._look_at = time.monotonic() + LOOK

    def _forget_drafts(self) -> None:
        now, previous = time.monotonic(), self._drafts
        self._drafts = {k: each for k, each in previous.items() if each.until > now}
        if self._drafts != previous:
            self._controller.store.publish()

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
        if request.over or self._past(request):
            await self._give_back(replace(request, over=True))
        elif not self._able:
            return
        elif request.begun:
            await self._go_on(request)
        elif self._due(request):
            await self._heat(replace(request, begun=True))

    def _past(self, request: Request) -> bool:
        return self._clock.trusted and self._clock.now() >= request.until

    @property
    def _able(self) -> bool:
        """Whether anything can be done: the cloud reports no targets, and gives nothing back.

        A clock that is not trusted begins nothing.
        """
        return self._clock.trusted and self._state.source is Source.LAN

    async def _go_on(self, request: Request) -> None:
        """Heat on, unless somebody ended that."""
        off = request.heats and self._switched_off(request)
        if off and not request.doubtful:
            self._put(replace(request, doubtful=True))
        elif off or self._taken_over(request):
            _LOGGER.info("Somebody ended the heating of the %s", request.body.key)
            await self._give_back(replace(request, over=True))
        else:
            await self._heat(replace(request, doubtful=False))

    def _due(self, request: Request) -> bool:
        """Return whether it is time, and nobody keeps off what it takes."""
        if (expected := self.outlook(request)) is None or not expected.due:
            return False
        holds = (self._hold(slot) for slot in self._needed(request.body))
        return all(hold is None or hold.on for hold in holds)

    def _taken_over(self, request: Request) -> bool:
        """Return whether somebody released or switched an output that was held for it."""
        found = ((self._controller.holds.of(i), since) for i, since in request.held)
        return any(h is None or h.since != since or not h.on for h, since in found)

    def _switched_off(self, request: Request) -> bool:
        """Return whether a read shows that it is not to be heated any more."""
        spa_ended = request.body is SPA and self._state.spa_mode is False
        return spa_ended or may_heat(self._state, request.body) is False

    def _needed(self, body: Body) -> tuple[Slot, ...]:
        """Return the outputs without which a body of water is not heated."""
        outputs = self._state.outputs
        found = (outputs.spa, outputs.pump) if body is SPA else (outputs.pump,)
        return tuple(slot for slot in found if slot is not None)

    def _hold(self, slot: Slot) -> Hold | None:
        return self._controller.holds.of(slot.index)

    async def _heat(self, request: Request) -> None:
        """See that water flows and is heated; what others hold or selected is theirs."""
        self._put(request)
        for slot in self._needed(request.body):
            if self._is_free(request, slot):
                await self._take(request.body, slot)
        expected = self.outlook(request)
        for source in expected.sources if expected else ():
            if self._is_missing(request, source):
                await self._select(request.body, source)
        newest = self._all[request.body]
        heated = newest.heats or may_heat(self._state, request.body) is True
        self._put(replace(newest, heats=heated, tries=0))

    def _is_free(self, request: Request, slot: Slot) -> bool:
        """Return whether nobody holds an output, or this request does not for long enough."""
        if (hold := self._hold(slot)) is None:
            return True
        ours = slot.index in dict(request.held)
        return ours and hold.until is not None and hold.until < request.until

    def _is_missing(self, request: Request, source: HeatSource) -> bool:
        """Return whether a heat source is to be selected.

        Once only, where it worked: somebody may not want just this one.
        """
        done = request.heats and source in request.selected
        return not (done or self._state.heat[source].selected)

    async def _take(self, body: Body, slot: Slot) -> None:
        """Hold an output until the end; also one whose command may have run is ours."""
        holds, request = self._controller.holds, self._all[body]
        before, now = self._hold(slot), self._clock.now()
        try:
            requester = self._requester(body)
            # In whole minutes it ends no earlier than what is compared with it.
            lasts = request.until - now + _MINUTE
            await holds.hold(slot, True, lasts, requester=requester)
        finally:
            after = self._hold(slot)
            if after is not None and after.on and after is not before:
                held = {**dict(request.held), slot.index: after.since}
                self._put(replace(self._all[body], held=tuple(held.items())))

    async def _select(self, body: Body, source: HeatSource) -> None:
        """Let a heat source run; it is ours before that is sent."""
        before = self._all[body]
        selected = (*(each for each in before.selected if each != source), source)
        self._put(replace(before, selected=selected))
        try:
            await self._controller.heating.select(source, True)
        except PoolctlError as err:
            if certainly_not_run(err):
                self._put(before)
            raise

    async def _give_back(self, request: Request) -> None:
        """Give back what is still ours, and forget the request."""
        self._put(request)
        for index, since in request.held:
            hold, slot = self._controller.holds.of(index), self._slot(index)
            if hold is not None and slot and hold.since == since and hold.on:
                await self._controller.holds.resume(slot)
        for source in self._ours(request):
            if self._state.heat[source].selected is not False:
                await self._controller.heating.select(source, False)
        del self._all[request.body]
        self._controller.store.publish()

    def _slot(self, index: int) -> Slot | None:
        return self._state.outputs.slot(index)

    def _ours(self, request: Request) -> Iterable[HeatSource]:
        """Return what was selected for a request, and that no other one needs."""
        others = {
            source
            for other in self.shown
            if other.body is not request.body
            for source in other.selected
        }
        return (source for source in request.selected if source not in others)

    async def leave(self) -> None:
        """Give back within 10 s what nobody gives back later."""
        try:
            async with asyncio.timeout(_LEAVING), self._working:
                for request in tuple(self._all.values()):
                    await self._try(replace(request, over=True))
        except TimeoutError:
            _LOGGER.debug("Not everything was given back in time")

    def _put(self, request: Request) -> None:
        if self._all.get(request.body) != request:
            self._all[request.body] = request
            self._controller.store.publish()
        else:
            self._all[request.body] = request
