"""A claim: one output, doser or heat source that was changed, until its end.

It records what was requested and what happened since. What is, is read; what to do is
decided from both (`decide.py`). All of this is chosen.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from ..backoff import NO_FAILURES, Failures
from ..bounds import REQUIRED, UNSTORED, Within
from ..pool.state import PoolState

SETTLING: Final = 3.0
"""Seconds after a command in which reads may not show its effect yet (protocol.md O3)."""
AGREEING: Final = 10.0
"""Seconds between two reads that prove that a claim is over."""


class Why(StrEnum):
    """Why a claim is not undone (`__init__.py` explains it)."""

    NOT_OVER = "not_over"
    NO_PATH = "no_path"
    NOT_SHOWN = "not_shown"
    OLD = "old"
    NOT_NEEDED = "not_needed"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(ABC):
    """What was switched on or off, until when, for whom, and whether that is known.

    Two claims are equal if they look the same to a user. A stored claim is left out only
    if what makes it is missing: which output, doser or source, on or off, and its end.
    """

    LONGEST: ClassVar = timedelta(days=366)
    """Longest time to the end of a claim of this kind."""

    on: Annotated[bool, REQUIRED]
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    until: Annotated[datetime | None, REQUIRED] = None
    """Time when it is undone in UTC; `None`: the user undoes it."""

    needs_undoing: bool = field(default=True, compare=False)
    """Whether it needs undoing. If not, it is undone only once a read shows it."""
    lasts: Annotated[float | None, Within(0, LONGEST.total_seconds())] = field(
        default=None, compare=False
    )
    """Its length in s, if that is why it ends, however the clock is corrected."""
    claimants: Mapping[str, datetime | None] = field(
        default_factory=dict, compare=False
    )
    """Its end for each who wants it, "" for the user; empty: only one wants it."""
    confirmed: bool = field(default=True, compare=False)
    """Whether a reply or a read showed that its command took effect."""
    maybe_undone: bool = field(default=False, compare=False)
    """Whether the answer to a command that undoes it was lost: it may have run."""
    previous: Self | None = field(default=None, compare=False)
    """The claim that it replaces, until its command is confirmed."""

    sent_at: Annotated[float, UNSTORED] = field(default=0.0, compare=False)
    """Time when a command for it was last under way (monotonic, s)."""
    doubted_at: Annotated[float | None, UNSTORED] = field(default=None, compare=False)
    """Time of the first of the newest reads that do not show it (monotonic, s)."""
    why: Annotated[Why | None, UNSTORED] = field(default=None, compare=False)
    """Why it was not undone when that was last decided."""
    failures: Annotated[Failures, UNSTORED] = field(default=NO_FAILURES, compare=False)
    """Failed attempts to undo it."""

    @property
    @abstractmethod
    def index(self) -> int:
        """Index of its output, doser or heat source: one claim each."""

    @abstractmethod
    def in_effect(self, state: PoolState) -> bool | None:
        """Return whether a state shows it, `None` if it reports nothing of it."""

    def agreeing(self, state: PoolState) -> float:
        """Return for how many seconds reads of the LAN must agree that it is over.

        A short state proves nothing (protocol.md L15), but a lost answer to our own
        command that undoes it explains one.
        """
        return 0.0 if self.maybe_undone else AGREEING

    def cloud_undoes(self, *, without_lan: bool) -> bool:
        """Return whether the cloud can undo it; `without_lan`: there is no LAN."""
        return False

    @property
    def falls_back_to(self) -> Self | None:
        """The claim that is left if a second read agrees that this one is over."""
        return None if self.confirmed else self.previous

    @property
    def observed(self) -> bool:
        """Whether it is in effect, as far as the newest read shows."""
        return self.confirmed and self.doubted_at is None

    @property
    def ends_by_itself(self) -> bool:
        """Whether it needs undoing, and ends by itself."""
        return self.needs_undoing and self.until is not None

    def end_has_come(self, now: datetime) -> bool:
        """Return whether its end has come, but not its undoing."""
        return self.observed and self.until is not None and self.until <= now

    def bounded(self, now: datetime) -> Self:
        """Return the claim with its end no further away than it may last."""
        lasts = self.LONGEST if self.lasts is None else timedelta(seconds=self.lasts)
        by = self.until and now + min(lasts, self.LONGEST) - self.until
        return self.with_times_moved(by) if by and by < timedelta() else self

    def with_times_moved(self, by: timedelta) -> Self:
        """Return the claim by a corrected clock: all its times move."""
        return replace(
            self,
            since=self.since + by,
            until=self.until and self.until + by,
            claimants={name: end and end + by for name, end in self.claimants.items()},
            previous=self.previous and self.previous.with_times_moved(by),
        )

    def lasting(self, lasts: timedelta, now: datetime) -> Self:
        """Return the claim with an end after some time."""
        return replace(self, until=now + lasts, lasts=lasts.total_seconds())

    def for_claimants(
        self, claims: Mapping[str, datetime | None], now: datetime
    ) -> Self:
        """Return the claim for these claimants: it ends with the last of them."""
        ends = [end for end in claims.values() if end is not None]
        if len(ends) < len(claims):
            return replace(self, claimants=claims, until=None, lasts=None)
        return replace(self, claimants=claims).lasting(max(ends) - now, now)

    def claimants_beside(
        self, claimant: str, now: datetime
    ) -> dict[str, datetime | None]:
        """Return the claims of all others that are not over."""
        claims = dict(self.claimants) or {"": self.until}
        return {
            name: end
            for name, end in claims.items()
            if name != claimant and (end is None or end > now)
        }
