"""A hold of one output, and how it continues after a restart."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from ..pool.state import PoolState
from ..wire.schedule import Schedule


class State(StrEnum):
    """State of a hold; `__init__.py` has the table of transitions."""

    REQUESTED = "requested"
    ACTIVE = "active"
    DOUBTFUL = "doubtful"
    DUE = "due"
    RELEASING = "releasing"
    STUCK = "stuck"
    WATCHED = "watched"


LONGEST = timedelta(days=366)
"""Longest time to the end of a hold."""
OVER = frozenset({State.DUE, State.RELEASING, State.STUCK})
"""States in which the end has come, but the output is not certainly released."""


class End(StrEnum):
    """The kind of end that a hold has by itself."""

    NEVER = "never"
    DURATION = "duration"
    """Ends by the monotonic clock, across restarts by the wall clock."""
    SCHEDULE = "schedule"
    """Ends with the windows of the schedules that it holds off."""


class Asked(StrEnum):
    """Where a hold was requested."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    """In the vendor's app or at the controller."""
    UNKNOWN = "unknown"
    """It began during or soon after another command, which may be the cause."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The first of the reads that do not show a hold."""

    at: float
    """Time of the read (monotonic, s)."""
    by_cloud: bool


type Basis = tuple[timedelta, tuple[Schedule | None, ...]]
"""Offset of the controller's clock, and schedules, from which an end was calculated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """An output that is held by hand, on or off, against its schedules.

    Two holds are equal if they look the same to a user. Fields that are not compared
    are reset at every start, except those that `kept.py` stores.
    """

    slot: int
    on: bool
    since: datetime
    until: datetime | None = None
    """Time of its release in UTC; `None`: the user releases it."""
    asked: Asked = Asked.UNKNOWN
    requester: str = ""
    """Name of the user or automation that requested it here, if known."""

    end: End = field(default=End.NEVER, compare=False)
    needed: bool = field(default=True, compare=False)
    """Whether an override was requested: otherwise one is released when observed."""
    by_cloud: bool = field(default=False, compare=False)
    """Whether the cloud carried its command: no override is documented there."""
    lasts: float | None = field(default=None, compare=False)
    """Length of a duration in s."""
    schedules: tuple[int, ...] = field(default=(), compare=False)
    """Indices of the schedules that it holds off."""
    latest: datetime | None = field(default=None, compare=False)
    """Time when the longest of them is over, whatever the controller's clock shows."""
    restarts: int = field(default=0, compare=False)
    """How often its schedule started the output again after a release."""
    previous: Hold | None = field(default=None, compare=False)
    """The hold that it replaces, until its command is confirmed."""
    state: State = field(default=State.ACTIVE, compare=False)

    settled_at: float = field(default=0.0, compare=False)
    """Time before which reads may not show its command yet (monotonic, s)."""
    ends_at: float | None = field(default=None, compare=False)
    """End of a duration (monotonic, s)."""
    basis: Basis | None = field(default=None, compare=False)
    doubt: Doubt | None = field(default=None, compare=False)
    tries: int = field(default=0, compare=False)
    """Number of failed releases."""
    refusals: int = field(default=0, compare=False)
    """Consecutive times that the controller refused every command to release it."""
    retry_at: float | None = field(default=None, compare=False)
    """Earliest time of the next release (monotonic, s)."""
    due_at: float | None = field(default=None, compare=False)
    """Time since which it is due (monotonic, s)."""
    unsent: bool = field(default=False, compare=False)
    """Whether its command is still to be sent."""

    @property
    def shown(self) -> bool:
        """Whether a user sees it: it needs an override, and is not released yet."""
        return self.needed and self.state is not State.WATCHED

    def restored(self, now: datetime, at: float) -> Hold:
        """Return the hold after a restart: its duration continues by the trusted time.

        That time may be from before a long downtime until another time is confirmed, so
        the monotonic end is not set from it. The hold never exceeds its duration.
        """
        if self.until is None:
            return replace(self, settled_at=at)
        lasts = LONGEST if self.lasts is None else timedelta(seconds=self.lasts)
        until = min(self.until, now + lasts)
        return replace(self, settled_at=at, until=until)


def output_names(holds: Iterable[Hold], state: PoolState) -> str:
    """Return the names that the owner gave to held outputs, else their numbers."""
    names = (
        (slot.name if (slot := state.outputs.slot(hold.slot)) else "")
        or f"#{hold.slot + 1}"
        for hold in holds
    )
    return ", ".join(names)
