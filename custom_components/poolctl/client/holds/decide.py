"""What to do about a claim: one pure function, which everything asks.

A claim says what was requested and what happened; a read says what is. `decide` compares
both, and nothing else decides (`__init__.py` explains it in words). All of it is chosen.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final, NamedTuple

from ..backoff import NO_FAILURES
from ..clock import LONG_STOP
from .claim import AGREEING, SETTLING, Claim, Known

OLD: Final = LONG_STOP
"""Time from its end to the start, from which nothing is undone by itself: after an old
backup was restored, nobody expects that any more. A user is shown what to do."""


class Seen(NamedTuple):
    """What the newest read shows of a claim."""

    at: float
    """Time of the read (monotonic, s)."""
    ours: bool | None = None
    """Whether it shows the claim, `None` if it says nothing."""
    weak: bool = False
    """Whether it is the cloud's copy, which does not show who switched something."""
    old: float = 0.0
    """Seconds by which it may be older than it seems."""
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


class Do(Enum):
    """What to do about a claim."""

    KEEP = auto()
    DROP = auto()
    UNDO = auto()


class Next[C: Claim](NamedTuple):
    """What to do about a claim."""

    do: Do
    claim: C | None
    """The claim with what the read adds to it, `None` if nothing is left of it."""
    wait: float | None = None
    """Seconds until that changes without a read, `None` if it does not."""


def decide[C: Claim](claim: C, seen: Seen, now: Now, way: Way) -> Next[C]:
    """Return what to do about a claim: keep it, drop it, or undo it."""
    claim = with_read(claim, seen)
    if is_contradicted(claim, seen):  # somebody else decided, or its command never ran
        return Next(Do.DROP, None if claim.confirmed else claim.replaced)
    left = seconds_left(claim, now)
    if left is None:
        return Next(Do.KEEP, claim)
    if left > 0:
        # If its end has moved, attempts begin afresh.
        claim = replace(claim, failures=NO_FAILURES)
        return Next(Do.KEEP, claim, left)
    if way is not Way.NOW or needs_a_read(claim, now) or is_old(claim, now):
        return Next(Do.KEEP, claim)  # until a path, a read or a user changes that
    wait = seconds_to_wait(claim, now)
    return Next(Do.KEEP if wait else Do.UNDO, claim, wait)


def needs_a_read(claim: Claim, now: Now) -> bool:
    """Return whether only a read can show that there is something to undo.

    That is so while a read does not show the claim, and if it needs no undoing.
    """
    unneeded = not (claim.needed or claim.confirmed or now.leaving)
    return unneeded or claim.doubted_at is not None


def seconds_to_wait(claim: Claim, now: Now) -> float:
    """Return the seconds until the next attempt to undo a claim."""
    if now.leaving:
        return 0.0
    # Only a read that is newer than an unconfirmed command can tell if it ran.
    settles_in = claim.sent_at + SETTLING - now.at
    wait = max(0.0, claim.failures.retry_at - now.at)
    return wait if claim.confirmed else max(wait, settles_in)


def with_read[C: Claim](claim: C, seen: Seen) -> C:
    """Return a claim with what a read adds to it; the same read twice adds nothing.

    Only a read that is newer than the newest command for it counts.
    """
    if seen.ours is None or seen.at <= claim.sent_at:
        return claim
    if seen.ours and seen.weak:
        return _with_copy(claim, seen.at - seen.old)
    if seen.ours:
        active = replace(claim, doubted_at=None, maybe_undone=False, state=Known.ACTIVE)
        return active.alone()
    if claim.doubted_at is None and seen.at >= claim.sent_at + SETTLING + seen.old:
        return replace(claim, doubted_at=seen.at)
    return claim


def _with_copy[C: Claim](claim: C, at: float) -> C:
    """Return a claim that a copy shows, which was made at some time or later.

    If that is after its command, the claim has replaced the previous one.
    """
    if at >= claim.sent_at:
        claim = claim.alone()
    if claim.doubted_at is not None and claim.doubted_at <= at:
        claim = replace(claim, doubted_at=None)
    return claim


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
    return left if claim.needed else min(left, 0.0)


def is_old(claim: Claim, now: Now) -> bool:
    """Return whether a claim ended long before the start: nothing is undone by itself."""
    started = now.time - timedelta(seconds=now.at - now.started_at)
    return claim.until is not None and started - claim.until > OLD
