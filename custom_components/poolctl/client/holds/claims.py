"""The claims of one kind: followed by reads, and undone at their end."""

from abc import ABC, abstractmethod
import asyncio
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
import logging
import time

from ..clock import Times
from ..control.sender import Sender
from ..pool.state import PoolState, Source
from ..wire.exceptions import (
    BusyError,
    CannotReleaseError,
    PoolctlError,
    UnreachableError,
)
from .claim import (
    LASTING,
    OVER,
    Claim,
    End,
    Event,
    State,
    after,
    is_over,
    next_end,
    with_shown_end,
)

_LOGGER = logging.getLogger(__name__)

LEAVING = 10.0
"""Seconds to undo claims before the means of undoing them is lost."""
SETTLING = 3.0
"""Seconds after a command in which reads may not show its effect yet (protocol.md O3)."""
FIRST_WAIT, LONGEST_WAIT = 60.0, 900.0
"""Seconds until a failed attempt is repeated, doubled each time."""
CANNOT_WAIT = 6 * 3600.0
"""Longest wait in s if none of our commands undoes it: other firmware may do so."""
OVERDUE = timedelta(hours=1)
"""Time after its end from which a claim is a problem."""
OLD = timedelta(days=30)
"""Time after its end from which nothing is undone by itself: after an old backup was
restored, nobody expects that any more. It is shown with what a user can do."""
_OUTAGE = 60.0
"""Seconds without a read after which the next one ends the waits of failed attempts."""


def retry_wait(tries: int, *, cannot: bool = False) -> float:
    """Return the seconds until the next attempt after so many failures.

    With `cannot`, the controller refused every command that undoes it. That may pass,
    or last until it has other firmware.
    """
    first, longest = FIRST_WAIT, LONGEST_WAIT
    if cannot:
        first, longest = LONGEST_WAIT, CANNOT_WAIT
    return min(first * 2.0**tries, longest)


def is_old(until: datetime | None, now: datetime) -> bool:
    """Return whether an end is so long ago that nothing is undone by itself."""
    return until is not None and now - until > OLD


class Claims[C: Claim](ABC):
    """The claims of one kind of one controller, one for each thing."""

    def __init__(self, sender: Sender, times: Times, stored: Iterable[C]) -> None:
        self._store, self._paths = sender.store, sender.paths
        self._poller = sender.poller
        self._times = times
        now, at = times.now, time.monotonic()
        self._all = {each.thing: each.restored(now, at) for each in stored}
        self._started = at
        self._under_way: Counter[int] = Counter()
        self._working = asyncio.Lock()
        self._read: tuple[float, Source | None] = at, None
        """Time (monotonic, s) and source of the newest read."""

    # What each kind says

    @property
    def _state(self) -> PoolState:
        """The state that shows the claims."""
        return self._store.state

    @abstractmethod
    def _observed(self, claim: C, state: PoolState, at: float) -> C | None:
        """Return a claim after a read (monotonic, s); `None` ends it."""

    @abstractmethod
    async def _undo(self, claim: C) -> None:
        """Undo a claim, and wait until that is confirmed."""

    @abstractmethod
    def _cloud_undoes(self, claim: C) -> bool:
        """Return whether the cloud is able to undo a claim."""

    async def _read_now(self) -> bool:
        """Read what shows if the due claims are still ours; return if that worked."""
        return True

    def _possible(self, claim: C) -> bool:
        """Return whether the present source's path can undo a claim."""
        return True

    def _lost(self, claim: C) -> bool:
        """Return whether we have no path any more that can undo a claim."""
        return False

    def _moved(self, claim: C, state: PoolState) -> C:
        """Return a claim whose end follows what it depends on."""
        return claim

    # State

    @property
    def all(self) -> tuple[C, ...]:
        """All claims by thing, including those that a user does not see."""
        return tuple(self._all[thing] for thing in sorted(self._all))

    @property
    def stored(self) -> tuple[C, ...]:
        """The claims to store across restarts."""
        return tuple(
            claim if claim.state in LASTING else replace(claim, state=State.ACTIVE)
            for claim in self.all
        )

    @property
    def shown(self) -> tuple[C, ...]:
        """The claims that a user sees."""
        return tuple(claim for claim in self.all if claim.shown)

    @property
    def overdue(self) -> tuple[C, ...]:
        """Claims that a user must undo: long after their end, or without a path."""
        late = self._times.now - OVERDUE
        if time.monotonic() - self._started < _OUTAGE:
            late -= OLD  # what ended during a stop is undone first
        return tuple(
            claim
            for claim in self.all
            if claim.shown or (claim.state in OVER and not claim.needed)
            if (claim.until is not None and claim.until <= late)
            or self._is_old(claim)
            or (_promised(claim) and self._lost(claim))
        )

    @property
    def wait(self) -> float | None:
        """Seconds until `work` is due; `None` if nothing ends by itself."""
        now, at = self._times.now, time.monotonic()
        waits = [
            next_end(claim, now, at)
            for claim in self._all.values()
            if claim.thing not in self._under_way
            and (claim.state is State.ACTIVE or self._to_undo(claim))
        ]
        return min((wait for wait in waits if wait is not None), default=None)

    @property
    def due(self) -> list[C]:
        """Claims whose end has come, and that the present source's path can undo."""
        at = time.monotonic()
        return [
            claim
            for claim in self.all
            if self._to_undo(claim)
            and claim.thing not in self._under_way
            and (claim.retry_at is None or claim.retry_at <= at)
        ]

    def _to_undo(self, claim: C) -> bool:
        over = claim.state in (State.DUE, State.STUCK)
        return over and not self._is_old(claim) and self._possible(claim)

    def _is_old(self, claim: C) -> bool:
        return is_old(claim.until, self._times.now)

    def _set(self, thing: int, claim: C | None) -> None:
        """Replace the claim on a thing; `None` removes it."""
        if claim is None:
            self._all.pop(thing, None)
        else:
            self._all[thing] = claim

    def _put(self, thing: int, claim: C | None) -> None:
        self._set(thing, claim)
        self._store.publish()

    def _apply(self, thing: int, event: Event) -> None:
        if (claim := self._all.get(thing)) is not None:
            self._set(thing, after(claim, event))

    @contextmanager
    def _switching(self, thing: int) -> Generator[None]:
        """Ignore reads of a thing as evidence until it was switched and has settled."""
        self._under_way[thing] += 1
        try:
            yield
        finally:
            self._under_way[thing] -= 1
            self._under_way += Counter()  # removes counts of zero
            if (claim := self._all.get(thing)) is not None:
                settled_at = time.monotonic() + SETTLING
                self._all[thing] = replace(claim, settled_at=settled_at, doubt=None)

    def claimed_until(self, thing: int, claimant: str) -> datetime | None:
        """Return the end of a claimant's claim on a thing, `None` if it has none."""
        claim = self._all.get(thing)
        return None if claim is None else claim.claims.get(claimant)

    def drop(self, claimant: str) -> None:
        """End the claims of one claimant; without another one, a thing is due now."""
        now = self._times.now
        for claim in self.all:
            if claimant not in claim.claims:
                continue
            if others := claim.claims_beside(claimant, now):
                self._set(claim.thing, claim.claimed(others, now))
            else:
                ended = replace(claim.claimed({claimant: now}, now), retry_at=None)
                # If it may not be in effect yet, reads decide when it is due.
                waits = ended.state in (*OVER, State.REQUESTED)
                self._set(
                    claim.thing, ended if waits else replace(ended, state=State.DUE)
                )
        self._store.publish()

    # Reads

    def take_read(self, state: PoolState, at: float) -> None:
        """Update the claims by a read of the state.

        The first answer after an outage ends the waits of failed attempts.
        """
        (read_at, source), self._read = self._read, (at, state.source)
        answers_again = at - read_at > _OUTAGE or source is not state.source
        for claim in self.all:
            if claim.thing in self._under_way:
                continue
            waits = claim.state in (State.DUE, State.STUCK) and not claim.refusals
            if answers_again and waits:
                claim = replace(claim, retry_at=None)  # noqa: PLW2901
            self._set(claim.thing, self._observed(claim, state, at))
        self._check_ends(state)

    def _check_ends(self, state: PoolState) -> None:
        now, at = self._times.now, time.monotonic()
        for claim in self.all:
            moved = self._moved(with_shown_end(claim, now, at), state)
            event = Event.ENDED if is_over(moved, now, at) else Event.MOVED
            following = after(moved, event)
            if not claim.needed and is_old(moved.until, now):
                following = None  # if a read shows it, it is another client's
            self._set(claim.thing, following)

    # Work

    async def work(self) -> list[PoolctlError]:
        """Undo the due claims, each by itself; return the failures.

        What shows them is read first: a user who changed it meanwhile ended the claim.
        """
        failures: list[PoolctlError] = []
        async with self._working:
            previous = self.all
            self._check_ends(self._state)
            if self.due and not await self._read_now():
                failures.append(UnreachableError("it does not answer"))
                for claim in self.due:
                    self._apply(claim.thing, Event.TRIED)
                    self._failed(claim.thing, Event.UNANSWERED)
            for claim in self.due:
                failures += [each for each in [await self._try(claim)] if each]
            if self.all != previous:
                self._store.publish()
        return failures

    async def _settled(self, claims: Iterable[C]) -> None:
        """Wait until a read shows whether requested claims are in effect."""
        requested = (each for each in claims if each.state is State.REQUESTED)
        settled_at = max((each.settled_at for each in requested), default=0.0)
        await asyncio.sleep(max(0.0, settled_at - time.monotonic()))

    async def _try(self, claim: C) -> PoolctlError | None:
        """Undo one claim; return the error if that is not confirmed."""
        thing = claim.thing
        self._apply(thing, Event.TRIED)
        try:
            with self._switching(thing):
                await self._undo(claim)
                self._apply(thing, Event.RELEASED)
        except (UnreachableError, BusyError) as err:
            _LOGGER.debug("Not undone yet: %s", err)
            self._failed(thing, Event.UNANSWERED)
            return err
        except PoolctlError as err:
            _LOGGER.debug("Not undone: %s", err)
            cannot = isinstance(err, CannotReleaseError)
            self._failed(thing, Event.DECLINED, cannot=cannot)
            return err
        return None

    def _failed(self, thing: int, event: Event, *, cannot: bool = False) -> None:
        claim = self._all.get(thing)
        if claim is None or claim.state is not State.RELEASING:
            return  # a newer request replaced the claim
        wait = retry_wait(claim.refusals if cannot else claim.tries, cannot=cannot)
        tried = replace(
            claim,
            tries=claim.tries + 1,
            refusals=claim.refusals + 1 if cannot else 0,
            retry_at=time.monotonic() + wait,
        )
        self._set(thing, after(tried, event))

    async def leave(
        self, within: float = LEAVING, *, only_lan: bool = False
    ) -> tuple[C, ...]:
        """Undo claims that cannot be undone later, in some seconds; return those left.

        `only_lan`: the cloud remains.
        """
        leaving = {
            claim.thing: claim
            for claim in self.all
            if self._must_be_undone(claim)
            and (not only_lan or claim.state in OVER or not self._cloud_undoes(claim))
        }
        try:
            async with asyncio.timeout(within), self._working:
                await self._settled(leaving.values())
                if leaving and await self._read_now():
                    await asyncio.gather(*map(self._leave, leaving))
        except TimeoutError:
            _LOGGER.debug("Not everything was undone in time")
        self._store.publish()
        return tuple(
            claim
            for claim in self.all
            if claim.thing in leaving and self._must_be_undone(claim)
        )

    def _must_be_undone(self, claim: C) -> bool:
        # What needs no undoing is still here only if it may need it after all.
        return not claim.needed or (claim.shown and _promised(claim))

    async def _leave(self, thing: int) -> None:
        claim = self._all.get(thing)
        if claim is None or claim.state is State.DOUBTFUL:
            return
        due = replace(claim, state=State.DUE, end=End.DURATION)
        if not self._to_undo(due):
            return
        self._set(thing, due)
        failure, left = await self._try(due), self._all.get(thing)
        if failure is not None and left is not None and left.state in OVER:
            state = claim.state if claim.state in LASTING else State.ACTIVE
            self._set(thing, replace(claim, state=state))


def _promised(claim: Claim) -> bool:
    return claim.end is not End.NEVER and claim.needed
