"""What to do about a claim: one pure function, which everything asks.

A claim says what was requested and what happened; a read says what is. `decide` compares
both, and nothing else decides (`__init__.py` explains it in words). All of it is chosen.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Final, NamedTuple

from ..backoff import NO_FAILURES
from ..clock import LONG_STOP
from .claim import AGREEING, SETTLING, Claim, Why

OLD: Final = LONG_STOP
"""Time from its end to the start, from which nothing is undone by itself: after an old
backup was restored, nobody expects that any more. A user is shown what to do."""


class Seen(NamedTuple):
    """What the newest read shows of a claim."""

    at: float
    """Time of the read (monotonic, s)."""
    ours: bool | None = None
    """Whether it shows the claim, `None` if it says nothing."""
    old: float = 0.0
    """Seconds by which it may be older than it seems, as a copy of the cloud."""
    agreeing: float = AGREEING
    """Seconds for which reads must agree that the claim is over."""


class Way(Enum):
    """Whether a path can undo a claim."""

    NOW = auto()
    LATER = auto()
    NEVER = auto()


class Now(NamedTuple):
    """The present time."""

    time: datetime
    """The time (`Clock`)."""
    at: float
    """Monotonic time in seconds."""
    started_at: float
    """The same at the start."""
    leaving: bool = False
    """Whether the means of undoing is about to be lost: everything ends now."""


class Do(StrEnum):
    """What to do about a claim."""

    KEEP = "keep"
    DROP = "drop"
    UNDO = "undo"


class Next[C: Claim](NamedTuple):
    """What to do about a claim."""

    do: Do
    claim: C | None
    """The claim with what the read adds to it, `None` if nothing is left of it."""
    why: Why | None = None
    """Why it is not undone."""
    wait: float | None = None
    """Seconds until that changes without a read, `None` if it does not."""
    reads: tuple[Seen, ...] = ()
    """The first of the reads that do not show it, and the newest one."""


class Decision[C: Claim](NamedTuple):
    """A decision that changed what is done about a claim."""

    at: datetime
    claim: C
    do: Do
    why: Why | None
    """Why it is not undone; a claim that is dropped without one ended as requested."""
    reads: tuple[tuple[datetime, bool], ...]
    """The first and the newest read behind it, and whether they show the claim."""

    @property
    def subject(self) -> tuple[object, ...]:
        """What was decided about which claim."""
        return self.claim.index, self.claim.since, self.do, self.why


def decide[C: Claim](claim: C, seen: Seen, now: Now, way: Way) -> Next[C]:
    """Return what to do about a claim: keep it, drop it, or undo it."""
    claim = with_read(claim, seen)
    doubted = claim.doubted_at not in (None, seen.at)
    reads = (Seen(claim.doubted_at or 0.0, ours=False), seen) if doubted else (seen,)
    if is_contradicted(claim, seen):  # somebody else decided, or its command never ran
        return Next(Do.DROP, claim.falls_back_to, Why.NOT_SHOWN, reads=reads)
    why, wait = what_keeps(claim, now, way)
    if why is Why.NOT_OVER:  # if its end has moved, attempts begin afresh
        claim = replace(claim, failures=NO_FAILURES)
    return Next(Do.KEEP if why else Do.UNDO, claim, why, wait, reads)


def what_keeps(claim: Claim, now: Now, way: Way) -> tuple[Why | None, float | None]:
    """Return why a claim is not undone, `None` if it is due.

    Also returns the seconds until that passes; `None` needs a path, a read or a user.
    """
    left = seconds_left(claim, now)
    # Only a read that is newer than an unconfirmed command can tell if it ran.
    settles = 0.0 if claim.confirmed else claim.sent_at + SETTLING - now.at
    again = claim.failures.retry_at - now.at
    for why, applies, wait in (
        (Why.NOT_OVER, left is None or left > 0, left),
        (Why.NO_PATH, way is not Way.NOW, None),
        (Why.NOT_SHOWN, claim.doubted_at is not None, None),
        (Why.OLD, is_old(claim, now), None),
        (
            Why.NOT_NEEDED,
            not (claim.needs_undoing or claim.confirmed or now.leaving),
            None,
        ),
        (Why.SENT, settles > 0 and not now.leaving, max(settles, again)),
        (Why.FAILED, again > 0 and not now.leaving, again),
    ):
        if applies:
            return why, wait
    return None, 0.0


def with_read[C: Claim](claim: C, seen: Seen) -> C:
    """Return a claim with what a read adds to it; the same read twice adds nothing.

    Only a read that is newer than the newest command for it counts.
    """
    if seen.ours is None or seen.at <= claim.sent_at:
        return claim
    made_at, doubted_at = seen.at - seen.old, claim.doubted_at
    if not seen.ours:
        doubts = doubted_at is None and made_at >= claim.sent_at + SETTLING
        return replace(claim, doubted_at=seen.at) if doubts else claim
    if doubted_at is not None and doubted_at <= made_at:
        claim = replace(claim, doubted_at=None)
    if made_at >= claim.sent_at:  # it has replaced the previous one
        claim = replace(claim, previous=None)
    # A copy does not show who switched something.
    return claim if seen.old else replace(claim, maybe_undone=False, confirmed=True)


def is_contradicted(claim: Claim, seen: Seen) -> bool:
    """Return whether the newest read and an earlier one agree that a claim is over."""
    if seen.ours is not False or claim.doubted_at is None:
        return False
    return seen.at - claim.doubted_at >= seen.agreeing


def seconds_left(claim: Claim, now: Now) -> float | None:
    """Return the seconds until the end of a claim, `None` if it has none.

    At 0 or less, its end has come. Leaving is the end of all.
    """
    if now.leaving:
        return 0.0
    if claim.until is None:
        return None
    left = (claim.until - now.time).total_seconds()
    # A claim that needs no undoing is over from the start, whatever the clock showed.
    return left if claim.needs_undoing else min(left, 0.0)


def is_old(claim: Claim, now: Now) -> bool:
    """Return whether a claim ended long before the start: nothing is undone by itself."""
    started = now.time - timedelta(seconds=now.at - now.started_at)
    return claim.until is not None and started - claim.until > OLD
