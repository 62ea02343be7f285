"""The claims of one kind: what is decided about them is done here."""

from abc import ABC, abstractmethod
import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
import logging
import time
from typing import Final, NamedTuple

from ..backoff import NO_FAILURES, Backoff
from ..clock import AGREEMENT
from ..control.live_state import LiveState
from ..control.paths import Paths
from ..control.poller import Poller
from ..controller_clock import Times
from ..pool.state import PoolState
from ..wire.exceptions import (
    CannotReleaseError,
    InvalidCommandError,
    PoolctlError,
    UndoneLaterError,
    UnreachableError,
)
from .claim import SETTLING, Claim, Why
from .decide import (
    OLD,
    Decision,
    Do,
    Next,
    Now,
    Seen,
    Way,
    decide,
    is_old,
    seconds_left,
)
from .evidence import seen

_LOGGER = logging.getLogger(__name__)

LEAVING: Final = 10.0
"""Seconds to undo claims before the means of undoing them is lost."""
UNDO_AGAIN: Final = Backoff(60.0, 900.0)
REFUSED_AGAIN: Final = Backoff(900.0, 6 * 3600.0)
"""If the controller refused every command that undoes something: that may pass, or last
until it has other firmware."""
OVERDUE: Final = timedelta(hours=1)
"""Time after its end from which a claim is a problem."""
_CORRECTED: Final = timedelta(seconds=AGREEMENT)
"""Corrections of the clock that are no jump move nothing."""
_OUTAGE: Final = 60.0
"""Seconds without a read after which the next one ends the waits of failed attempts."""
_CHANGES: Final = 20


class Reads(NamedTuple):
    """What reads the state that claims are compared with, and keeps it."""

    poller: Poller
    paths: Paths
    live: LiveState


class Claims[C: Claim](ABC):
    """The claims of one kind of one controller, by the index of what was switched."""

    def __init__(self, reads: Reads, times: Times, stored: Iterable[C]) -> None:
        self._poller, self._paths, self._live = reads
        self._times = times
        self._corrections, at = times.clock.corrections, time.monotonic()
        """Those of the clock that the claims have followed."""
        self._all = {
            each.index: replace(each, sent_at=at - SETTLING) for each in stored
        }
        self._started_at = self._read_at = self._back_at = at
        self._last_read: PoolState | None = None
        """The newest read since the start."""
        self.changes: tuple[Decision[C], ...] = ()
        """What was decided, and why: the newest changes."""
        self._under_way: Counter[int] = Counter()
        self._undoing: set[int] = set()
        """Those whose attempt to undo them was not overtaken by a request."""
        self._working = asyncio.Lock()
        self._failures = dict[int, Exception]()
        """Those of the newest attempts."""
        self._ended = set[tuple[str, int]]()
        """Claimants of what somebody ended just now, and the index of the claim."""
        self.on_ended: Callable[[str, int], None] = lambda claimant, index: None
        """Gets each of them."""

    # What each kind says

    @abstractmethod
    async def _undo(self, claim: C) -> C | None:
        """Undo a claim, wait until that is confirmed, and return what is left of it."""

    async def _look(self) -> bool:
        """Read what shows if the due claims are still ours; return if that worked."""
        return not self._paths.on_lan or await self._poller.read_lan()

    def _report(self, claim: C) -> tuple[PoolState, float] | None:
        """Return the newest read that reports a claim, and its time (monotonic, s)."""
        return None if self._last_read is None else (self._last_read, self._read_at)

    def _with_present_end(self, claim: C, state: PoolState) -> C:
        """Return a claim whose end follows what it depends on."""
        return claim

    def _way(self, claim: C) -> Way:
        """Return whether a path can undo a claim; the cloud needs a read to know how."""
        paths = self._paths
        alone = paths.lan is None
        by_cloud = paths.cloud is not None and self._last_read is not None
        if paths.on_lan or (by_cloud and claim.cloud_undoes(without_lan=alone)):
            return Way.NOW
        return (
            Way.NEVER
            if alone and not claim.cloud_undoes(without_lan=True)
            else Way.LATER
        )

    # State

    @property
    def all(self) -> tuple[C, ...]:
        """All claims in order, including those that a user does not see."""
        return tuple(self._all[index] for index in sorted(self._all))

    @property
    def shown(self) -> tuple[C, ...]:
        """The claims that a user sees: those that need undoing."""
        return tuple(claim for claim in self.all if claim.needs_undoing)

    @property
    def overdue(self) -> tuple[C, ...]:
        """Claims that a user must undo: long after their end, or without a path."""
        found, now, late = list[C](), self._now(), -OVERDUE
        if now.at - now.started_at < _OUTAGE:
            late -= OLD  # what ended during a stop is undone first
        for claim in self.all:
            left = seconds_left(claim, now)
            is_late = left is not None and left <= late.total_seconds()
            cannot = claim.ends_by_itself and self._way(claim) is Way.NEVER
            to_undo = claim.needs_undoing or claim.confirmed
            if to_undo and (is_late or cannot or is_old(claim, now)):
                found.append(claim)
        return tuple(found)

    @property
    def wait(self) -> float | None:
        """Seconds until `work` is due; `None` if nothing ends by itself."""
        waits = (each.wait for each in self._decide().values())
        return min((wait for wait in waits if wait is not None), default=None)

    def due(self, *, leaving: bool = False) -> list[C]:
        """Return the claims that are to be undone now."""
        found = self._decide(leaving=leaving).values()
        return [each.claim for each in found if each.do is Do.UNDO and each.claim]

    def _now(self, *, leaving: bool = False) -> Now:
        return Now(self._follow_clock(), time.monotonic(), self._started_at, leaving)

    def _follow_clock(self) -> datetime:
        """Move the claims with the corrections of the clock; return the time."""
        known, newest = self._corrections, self._times.clock.corrections
        by, stop = (new - old for new, old in zip(newest, known, strict=True))
        if max(abs(by), abs(stop)) > _CORRECTED:
            self._corrections = newest
            for index, each in self._all.items():
                restored = each.sent_at < self._started_at
                self._all[index] = each.with_times_moved(by - stop if restored else by)
        return self._times.now

    def _decide(self, *, leaving: bool = False) -> dict[int, Next[C]]:
        """Return what is to be done about each claim that is not under way."""
        now, state = self._now(leaving=leaving), self._live.state
        found = {}
        for claim in self.all:
            if claim.index in self._under_way:
                continue
            moved = self._with_present_end(claim.bounded(now.time), state)
            report = self._report(moved)
            shows = seen(moved, *report) if report else Seen(now.at)
            found[claim.index] = decide(moved, shows, now, self._way(moved))
        return found

    def _update(self) -> None:
        """Note what the newest read and the time add to the claims."""
        for index, each in self._decide().items():
            previous, claim = self._all[index], each.claim
            now = claim or previous
            # If there is nothing to undo, only that it was switched is noted.
            over = previous.why and not (now.needs_undoing or now.confirmed)
            if not over and (each.do is Do.DROP or each.why is not previous.why):
                self._note(previous, each.do, each.why, each.reads)
                claim = claim and replace(claim, why=each.why)
            self._set(index, claim)

    def _note(
        self, claim: C, do: Do, why: Why | None, reads: Iterable[Seen] = ()
    ) -> None:
        """Log a change, and keep it for whoever asks why."""
        now, at = self._times.now, time.monotonic()
        shown = tuple(
            (now - timedelta(seconds=at - read.at), read.ours)
            for read in reads
            if read.ours is not None and read.at > claim.sent_at
        )
        change = Decision(now, claim, do, why, shown)
        # Of what repeats, as failed attempts, the newest one is kept.
        others = [each for each in self.changes if each.subject != change.subject]
        self.changes = (*others, change)[-_CHANGES:]
        kind = type(claim).__name__
        _LOGGER.debug("%s %s: %s, %s, %s", kind, claim.index, do, why, shown)

    def _set(self, index: int, claim: C | None) -> None:
        """Replace a claim; `None` removes it."""
        now, previous = self._times.now, self._all.get(index)
        ended = claimants(previous, now) - claimants(claim, None)
        self._ended |= {(claimant, index) for claimant in ended}
        if claim is None:
            self._all.pop(index, None)
        else:
            self._all[index] = claim

    def _put(self, index: int, claim: C | None) -> None:
        """Replace a claim as a user requests."""
        self._undoing.discard(index)
        if claim is None and (ended := self._all.get(index)) is not None:
            self._note(ended, Do.DROP, None)
        self._set(index, claim)
        self._update()
        self._report_ended()
        self._live.publish()

    def _report_ended(self) -> None:
        """Let those claimants end what else they want, too."""
        while self._ended:
            self.on_ended(*self._ended.pop())

    async def _promise(self, claim: C) -> None:
        """Store a claim, and wait until it is on disk: its command is sent only then.

        After a power cut, what a command may have changed is undone at its end.
        """
        self._undoing.discard(claim.index)
        self._set(claim.index, claim)
        try:
            await self._live.save()
        except InvalidCommandError:
            # Without it, a power cut would leave a user's hold without its end. What
            # follows schedules is plain switching, which goes on.
            if claim.lasts is not None:
                raise

    def _newest(self, claim: C) -> C | None:
        """Return the present form of a requested claim, `None` once it was replaced."""
        now = self._all.get(claim.index)
        same = now is not None and (now.since, now.on) == (claim.since, claim.on)
        return now if same else None

    @contextmanager
    def _requesting(self, claim: C, present: C | None) -> Generator[None]:
        """Send a claim's command in this block: reads decide, unless it did not run."""
        try:
            with self._switching(claim.index):
                yield
        except PoolctlError as err:
            newest = self._newest(claim)
            if err.ran is False and newest and not newest.confirmed:
                self._put(claim.index, present)
            raise

    def _maybe_undone(self, index: int, err: Exception) -> None:
        """Note an error of a command that undoes a claim: it may have run."""
        did_not = isinstance(err, PoolctlError) and err.ran is False
        if (claim := self._all.get(index)) is not None and not did_not:
            self._all[index] = replace(claim, maybe_undone=True)

    @contextmanager
    def _switching(self, index: int) -> Generator[None]:
        """Ignore reads of a claim until what it is about was switched and has settled."""
        self._under_way[index] += 1
        try:
            yield
        finally:
            self._under_way[index] -= 1
            self._under_way += Counter()  # removes counts of zero
            if (claim := self._all.get(index)) is not None:
                at = time.monotonic()
                self._all[index] = replace(claim, sent_at=at, doubted_at=None)

    def claimed_until(self, index: int, claimant: str) -> datetime | None:
        """Return the end of a claim for a claimant, `None` if it does not want it."""
        claim = self._all.get(index)
        return None if claim is None else claim.claimants.get(claimant)

    def drop(self, claimant: str, indices: Collection[int] | None = None) -> None:
        """End the claims of one claimant, some or all of them.

        What nobody else wants is due now.
        """
        now = self._follow_clock()
        for claim in self.all:
            if claimant in claim.claimants and (
                indices is None or claim.index in indices
            ):
                others = claim.claimants_beside(claimant, now)
                ended = claim.for_claimants(others or {claimant: now}, now)
                self._set(claim.index, replace(ended, failures=NO_FAILURES))
        self._ended = {each for each in self._ended if each[0] != claimant}
        self._live.publish()

    # Reads

    def add_read(self, state: PoolState, at: float) -> None:
        """Update the claims by a read of the state.

        The first answer after an outage ends the waits of failed attempts; after an
        update of the firmware, it also ends those of refused ones.
        """
        previous, silence = self._last_read or PoolState(), at - self._read_at
        self._last_read, self._read_at = state, at
        is_new = previous.firmware != state.firmware
        if is_new or silence > _OUTAGE or previous.source is not state.source:
            self._back_at = at
            for claim in self.all:
                if is_new or claim.failures.backoff != REFUSED_AGAIN:
                    self._set(claim.index, replace(claim, failures=NO_FAILURES))
        self._update()
        self._report_ended()

    # Work

    async def end(self, claimant: str) -> None:
        """End what one claimant wants; raises the failure if that is tried again later.

        A user who switches it meanwhile ends it, too. What was sent or seen a moment ago
        did not fail: the next read decides.
        """
        self.drop(claimant)
        failures = await self.work()
        for claim in self.all:
            failure = failures.get(claim.index)
            away = isinstance(failure, UnreachableError) and failure.ran is False
            if failure and not away and claimant in claimants(claim, None):
                raise failure
            away = away or self._way(claim) is not Way.NOW
            if away and claimant in claim.claimants:
                raise UndoneLaterError("it is tried again later")

    async def work(self) -> Mapping[int, Exception]:
        """Do what is due, each by itself; return the failures, raise a fault of our own.

        What shows the claims is read first: a user who changed it meanwhile ended them.
        Whoever had to wait for attempts, as those of a timer, gets their failures, too.
        """
        waited = self._working.locked()
        async with self._working:
            if not waited:
                self._failures = {}
            previous = self.all
            if self.due() and not await self._look():
                away = UnreachableError("it does not answer", ran=False)
                for claim in self.due():
                    self._failures[claim.index] = away
                    self._failed(claim, away)
            self._update()
            tried = set[int]()
            # During an attempt, a user may request what another claim is about.
            while due := [each for each in self.due() if each.index not in tried]:
                tried.add(due[0].index)
                await self._try(due[0])
            self._report_ended()
            if self.all != previous:
                self._live.publish()
        for fault in filter(_is_fault, self._failures.values()):
            raise fault
        return self._failures

    async def _try(self, claim: C) -> None:
        """Undo one claim; note the error if that is not confirmed.

        None of them, not even a fault of our own, keeps another claim from its attempt.
        """
        index, began = claim.index, time.monotonic()
        self._undoing.add(index)
        try:
            with self._switching(index):
                left = await self._undo(claim)
                self._follow_clock()  # else what is over may seem to be ended too soon
                if index in self._undoing:
                    self._set(index, left)
        except Exception as err:  # noqa: BLE001
            _LOGGER.debug("Not undone: %s", err)
            self._failures[index] = err
            if index in self._undoing:
                self._failed(self._all.get(index, claim), err)
                if began < self._back_at and (left := self._all.get(index)):
                    # The answer that would have ended the wait came just before it.
                    self._set(index, replace(left, failures=NO_FAILURES))
        finally:
            self._undoing.discard(index)

    def _failed(self, claim: C, err: Exception) -> None:
        cannot = isinstance(err, CannotReleaseError)
        backoff = REFUSED_AGAIN if cannot else UNDO_AGAIN
        failures = claim.failures.failed(backoff, time.monotonic())
        self._set(claim.index, replace(claim, failures=failures, why=None))
        self._maybe_undone(claim.index, err)

    async def leave(
        self, within: float = LEAVING, *, only_lan: bool = False
    ) -> tuple[C, ...]:
        """Undo claims that cannot be undone later, in some seconds; return those left.

        `only_lan`: the cloud remains.
        """
        try:
            async with asyncio.timeout(within), self._working:
                await self._settle(self._leaving(only_lan))
                if self._leaving(only_lan) and await self._look():
                    self._update()
                    indices = {claim.index for claim in self._leaving(only_lan)}
                    due = [c for c in self.due(leaving=True) if c.index in indices]
                    self._failures = {}
                    await asyncio.gather(*map(self._try, due))
                    for fault in filter(_is_fault, self._failures.values()):
                        _LOGGER.error("Unexpected error", exc_info=fault)
        except TimeoutError:
            _LOGGER.debug("Not everything was undone in time")
        self._live.publish()
        return self._leaving(only_lan)

    def _leaving(self, only_lan: bool) -> tuple[C, ...]:
        """Return the claims that must be undone now, as they cannot be later.

        These end by themselves, or a read may yet show that they need undoing.
        """
        now = self._follow_clock()
        return tuple(
            claim
            for claim in self.all
            if (claim.ends_by_itself or not claim.needs_undoing)
            and not (
                only_lan
                and claim.cloud_undoes(without_lan=False)
                and not claim.end_has_come(now)
            )
        )

    async def _settle(self, claims: Iterable[C]) -> None:
        """Wait until a read can show whether what was just requested is in effect."""
        sent_at = [claim.sent_at for claim in claims if not claim.confirmed]
        settled_at = max(sent_at, default=-SETTLING) + SETTLING
        await asyncio.sleep(max(0.0, settled_at - time.monotonic()))


def _is_fault(failure: Exception) -> bool:
    """Return whether a failure is a fault of our own."""
    return not isinstance(failure, PoolctlError)


def claimants(claim: Claim | None, now: datetime | None) -> set[str]:
    """Return those who want a claim beside the user, and the one that it replaces.

    With a time, only those are counted whose claim was confirmed and is not over: if it
    is gone then, somebody ended it.
    """
    found = set[str]()
    while claim is not None:
        if now is None or claim.confirmed:
            names = claim.claimants if now is None else claim.claimants_beside("", now)
            found |= {*names} - {""}
        claim = claim.previous
    return found
