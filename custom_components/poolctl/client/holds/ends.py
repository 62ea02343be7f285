"""When a claim ends, and whether its schedule starts the output again after that."""

from dataclasses import replace
from datetime import datetime, timedelta

from ..pool.state import PoolState
from .claim import Claim, End, State
from .hold import Hold
from .rules import FIRST_EXTENSION, NEXT_EXTENSION, end_of, running_schedule

WATCHED = timedelta(hours=2)
"""Time for which an output is watched after its release: the controller's clock may be
late by an hour of daylight saving and more (chosen)."""
_DRIFT = timedelta(seconds=30)
"""Difference that the shown end may have from the actual end."""


def with_shown_end[C: Claim](claim: C, now: datetime, at: float) -> C:
    """Return a claim whose shown end agrees with the present trusted time.

    A duration ends by the monotonic clock; `until` follows it.
    """
    if claim.ends_at is None or claim.until is None:
        return claim
    until = now + timedelta(seconds=claim.ends_at - at)
    return claim if abs(until - claim.until) < _DRIFT else replace(claim, until=until)


def rescheduled(
    hold: Hold, state: PoolState, local: datetime, offset: timedelta
) -> Hold:
    """Return a hold whose end follows the present schedules and clocks.

    `local` is the controller's time. A longer, shorter, disabled or deleted schedule
    moves the end at once.
    """
    if hold.end is not End.SCHEDULE or state.schedules.records is None:
        return hold
    used = state.schedules.used
    basis = offset, tuple(used.get(index) for index in hold.schedules)
    until = hold.until
    if basis == hold.basis or until is None or hold.state is State.WATCHED:
        return hold
    if (end := end_of(state, hold.schedules, local)) is not None:
        until = end - offset
    elif hold.basis is not None:
        until = min(until, (local - offset).astimezone(until.tzinfo))
    # Otherwise nothing has changed yet: the end was calculated in another way.
    return replace(hold, until=until, basis=basis)


def is_over(claim: Claim, now: datetime, at: float) -> bool:
    """Return whether the end has come; if released, the time to watch it is over."""
    left = next_end(claim, now, at, retry=False)
    return left is not None and left <= 0


def next_end(
    claim: Claim, now: datetime, at: float, *, retry: bool = True
) -> float | None:
    """Return the seconds until a claim ends or is tried to be undone again."""
    if claim.until is None:
        return None
    if claim.state is State.WATCHED:
        return (claim.until + WATCHED - now).total_seconds()
    # What needs no undoing was over from the start, whatever the clock showed then.
    left = (claim.until - now).total_seconds() if claim.needed else 0.0
    if claim.ends_at is not None:
        left = claim.ends_at - at
    if retry and claim.retry_at is not None:
        left = max(left, claim.retry_at - at)
    return max(left, 0.0)


def restarts(hold: Hold, state: PoolState, now: datetime, local: datetime) -> bool:
    """Return whether a schedule runs an output again after its overridden window.

    By our clock that window is over and no other one is open: the clocks differ.
    """
    slot = state.outputs.slot(hold.slot)
    if slot is None or hold.until is None or hold.latest is None:
        return False
    if running_schedule(state, slot) not in hold.schedules or now >= hold.latest:
        return False
    return end_of(state, hold.schedules, local) is None


def extended(hold: Hold) -> Hold:
    """Return the hold with a later end, for a controller whose clock is late."""
    step = NEXT_EXTENSION if hold.restarts else FIRST_EXTENSION
    until = hold.until and hold.until + step
    if until is not None and hold.latest is not None:
        until = min(until, hold.latest)
    return replace(hold, until=until, restarts=hold.restarts + 1, basis=None)
