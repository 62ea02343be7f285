"""A claim: one thing that was changed and is undone at its end, and its states."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
import time
from typing import Annotated, Final, Self

from ..bounds import UNSTORED, Within


class State(StrEnum):
    """State of a claim; `__init__.py` has the table of transitions in words."""

    REQUESTED = "requested"
    ACTIVE = "active"
    DOUBTFUL = "doubtful"
    DUE = "due"
    RELEASING = "releasing"
    STUCK = "stuck"
    WATCHED = "watched"


LONGEST = timedelta(days=366)
"""Longest time to the end of a claim."""
LASTING = frozenset({State.REQUESTED, State.WATCHED})
"""States that reads cannot restore: the others are stored as active."""
OVER = frozenset({State.DUE, State.RELEASING, State.STUCK})
"""States in which the end has come, but the claim is not certainly undone."""


class End(StrEnum):
    """The kind of end that a claim has by itself."""

    NEVER = "never"
    DURATION = "duration"
    """Ends by the monotonic clock, across restarts by the trusted clock."""
    SCHEDULE = "schedule"
    """Ends with the windows of the schedules that it holds off."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The first of the reads that do not show a claim."""

    at: float
    """Time of the read (monotonic, s)."""
    by_cloud: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(ABC):
    """One thing that was switched on or off, and how that ends.

    Two claims are equal if they look the same to a user. Fields that are not compared
    are reset at every start, except those that are stored.
    """

    on: bool
    since: datetime
    until: datetime | None = None
    """Time when it is undone in UTC; `None`: the user undoes it."""

    end: End = field(default=End.NEVER, compare=False)
    needed: bool = field(default=True, compare=False)
    """Whether it needs undoing; else it is undone only if a read shows it."""
    lasts: Annotated[float | None, Within(0, LONGEST.total_seconds())] = field(
        default=None, compare=False
    )
    """Length of a duration in s."""
    state: State = field(default=State.ACTIVE, compare=False)
    claims: Mapping[str, datetime | None] = field(default_factory=dict, compare=False)
    """Ends of the claims on it by claimant, "" for the user; empty: only one claim."""

    settled_at: Annotated[float, UNSTORED] = field(default=0.0, compare=False)
    """Time before which reads may not show its command yet (monotonic, s)."""
    ends_at: Annotated[float | None, UNSTORED] = field(default=None, compare=False)
    """End of a duration (monotonic, s)."""
    doubt: Annotated[Doubt | None, UNSTORED] = field(default=None, compare=False)
    tries: Annotated[int, UNSTORED] = field(default=0, compare=False)
    """Number of failed attempts to undo it."""
    refusals: Annotated[int, UNSTORED] = field(default=0, compare=False)
    """Consecutive times that the controller refused every command to undo it."""
    retry_at: Annotated[float | None, UNSTORED] = field(default=None, compare=False)
    """Earliest time of the next attempt (monotonic, s)."""

    @property
    @abstractmethod
    def thing(self) -> int:
        """Number of the thing within its kind: one claim each."""

    def replaced(self) -> Self | None:
        """Return the claim that it replaces, until its command is confirmed."""
        return None

    def alone(self) -> Self:
        """Return the claim without the one that it replaces."""
        return self

    @property
    def shown(self) -> bool:
        """Whether a user sees it: it needs undoing, and is not undone yet."""
        return self.needed and self.state is not State.WATCHED

    def restored(self, now: datetime, at: float) -> Self:
        """Return the claim after a restart: its duration continues by the trusted time.

        That time may be from before a long downtime until another time is confirmed, so
        the monotonic end is not set from it. The claim never exceeds its duration.
        """
        if self.until is None:
            return replace(self, settled_at=at)
        lasts = LONGEST if self.lasts is None else timedelta(seconds=self.lasts)
        return replace(self, settled_at=at, until=min(self.until, now + lasts))

    def claimed(self, claims: Mapping[str, datetime | None], now: datetime) -> Self:
        """Return the claim for these claimants: it ends with the last of them."""
        ends = [end for end in claims.values() if end is not None]
        if len(ends) < len(claims):
            return replace(
                self, claims=claims, end=End.NEVER, until=None, lasts=None, ends_at=None
            )
        lasts = (max(ends) - now).total_seconds()
        return replace(
            self,
            claims=claims,
            end=End.DURATION,
            until=max(ends),
            lasts=lasts,
            ends_at=time.monotonic() + lasts,
        )

    def claims_beside(self, claimant: str, now: datetime) -> dict[str, datetime | None]:
        """Return the claims of all others that are not over."""
        claims = dict(self.claims) or {"": self.until}
        return {
            name: end
            for name, end in claims.items()
            if name != claimant and (end is None or end > now)
        }


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


class Event(StrEnum):
    """An event in the life of a claim."""

    HELD = "held"
    OTHER = "other"
    GONE = "gone"
    ENDED = "ended"
    MOVED = "moved"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    TRIED = "tried"
    RELEASED = "released"
    UNANSWERED = "unanswered"
    DECLINED = "declined"
    RESTARTED = "restarted"


_CONTRADICTED: Final = {Event.OTHER: State.DOUBTFUL, Event.GONE: None}
_NEXT: Final[Mapping[State, Mapping[Event, State | None]]] = {
    State.REQUESTED: {Event.HELD: State.ACTIVE, Event.CONFIRMED: State.ACTIVE},
    State.ACTIVE: {**_CONTRADICTED, Event.ENDED: State.DUE},
    State.DOUBTFUL: {Event.HELD: State.ACTIVE, Event.GONE: None},
    State.DUE: {
        **_CONTRADICTED,
        Event.MOVED: State.ACTIVE,
        Event.TRIED: State.RELEASING,
    },
    State.RELEASING: {
        Event.RELEASED: None,
        Event.UNANSWERED: State.DUE,
        Event.DECLINED: State.STUCK,
    },
    State.STUCK: {
        **_CONTRADICTED,
        Event.MOVED: State.ACTIVE,
        Event.TRIED: State.RELEASING,
    },
    State.WATCHED: {
        Event.HELD: None,
        Event.ENDED: None,
        Event.RESTARTED: State.REQUESTED,
    },
}
_PREVIOUS_APPLIES: Final = {Event.GONE, Event.REFUSED}
"""Events that prove that the claim before a requested one still applies."""


def after[C: Claim](claim: C, event: Event) -> C | None:
    """Return a claim after an event, `None` if the event ends it."""
    if claim.state is State.REQUESTED:
        if event in _PREVIOUS_APPLIES:
            return claim.replaced()
        if event is Event.CONFIRMED and not claim.needed:
            # Reads show whether the output is held nevertheless.
            return claim.alone()
    if event is Event.RELEASED and _restarts(claim):
        return replace(claim, state=State.WATCHED)
    following = _NEXT[claim.state]
    if event not in following:
        return claim
    state = following[event]
    return None if state is None else _entered(claim, state, event)


def _restarts(claim: Claim) -> bool:
    """Return whether its schedule may start the output again after its release."""
    releasing = claim.state is State.RELEASING
    return releasing and not claim.on and claim.needed and claim.end is End.SCHEDULE


def _entered[C: Claim](claim: C, state: State, event: Event) -> C:
    """Return the claim in another state, without the data of the old one."""
    claim = replace(claim, state=state)
    if state is State.ACTIVE:
        claim = replace(claim, doubt=None).alone()
    if event is Event.MOVED:
        claim = replace(claim, tries=0, refusals=0, retry_at=None)
    return claim
