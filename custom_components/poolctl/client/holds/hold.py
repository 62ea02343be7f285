"""A hold of one output: a value, and how it is kept over restarts."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from ..schedule import Schedule


class State(StrEnum):
    """Where a hold is in its life; the table is in `__init__.py`."""

    REQUESTED = "requested"
    ACTIVE = "active"
    DOUBTFUL = "doubtful"
    DUE = "due"
    RELEASING = "releasing"
    STUCK = "stuck"
    WATCHED = "watched"


OVER = frozenset({State.DUE, State.RELEASING, State.STUCK})
"""Where its end has come, and its output is not given back for certain."""


class End(StrEnum):
    """What ends a hold by itself."""

    NEVER = "never"
    DURATION = "duration"
    """By the monotonic clock, across restarts by the wall clock."""
    SCHEDULE = "schedule"
    """With the windows of the schedules that it holds off."""


class Asked(StrEnum):
    """Where a hold was asked for."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    """In the app or at the controller."""
    UNKNOWN = "unknown"
    """It began while a command of another kind was under way, which may have caused it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The first of the reads that do not show a hold."""

    at: float
    """Monotonic, s."""
    by_cloud: bool


type Basis = tuple[timedelta, tuple[Schedule | None, ...]]
"""The controller's clock and the schedules that an end was worked out from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """An output that is held by hand, on or off, against its schedules.

    Two holds are equal if they look the same to a person. Fields that are not compared
    begin anew with every start, but for those that `kept.py` stores.
    """

    slot: int
    on: bool
    since: datetime
    until: datetime | None = None
    """When it is released, in UTC; `None`: by a person."""
    asked: Asked = Asked.UNKNOWN
    requester: str = ""
    """Who asked for it here, where that is known."""

    end: End = field(default=End.NEVER, compare=False)
    needed: bool = field(default=True, compare=False)
    """Whether an override was asked for: else one that shows is released at once."""
    by_cloud: bool = field(default=False, compare=False)
    """Whether the cloud took its command: it has no override, as far as is documented."""
    lasts: float | None = field(default=None, compare=False)
    """s, of a duration."""
    schedules: tuple[int, ...] = field(default=(), compare=False)
    """Indices of the schedules that it holds off."""
    latest: datetime | None = field(default=None, compare=False)
    """When the longest of them is over, whatever the controller's clock shows."""
    restarts: int = field(default=0, compare=False)
    """How often its schedule started the output again after a release."""
    previous: Hold | None = field(default=None, compare=False)
    """The hold that it replaces, until its command is confirmed."""
    state: State = field(default=State.ACTIVE, compare=False)

    settled_at: float = field(default=0.0, compare=False)
    """Reads before that show nothing of its command (monotonic, s)."""
    ends_at: float | None = field(default=None, compare=False)
    """End of a duration (monotonic, s)."""
    basis: Basis | None = field(default=None, compare=False)
    doubt: Doubt | None = field(default=None, compare=False)
    tries: int = field(default=0, compare=False)
    """Releases that failed."""
    refusals: int = field(default=0, compare=False)
    """How often in a row the controller refused whatever may release it."""
    retry_at: float | None = field(default=None, compare=False)
    """No release before that (monotonic, s)."""
    due_at: float | None = field(default=None, compare=False)
    """Since when it is due (monotonic, s)."""
    unsent: bool = field(default=False, compare=False)
    """Whether its command is still to be sent."""

    @property
    def shown(self) -> bool:
        """Whether a person sees it: it was asked for, and is not released yet."""
        return self.needed and self.state is not State.WATCHED

    def restored(self, now: datetime, at: float) -> Hold:
        """Return the hold after a restart: its duration goes on by the trusted time.

        That time may be from before a long pause until something confirms another one, so
        it is no base for the monotonic clock. The hold lasts no longer than was asked for.
        """
        if self.lasts is None or self.until is None:
            return replace(self, settled_at=at)
        until = min(self.until, now + timedelta(seconds=self.lasts))
        return replace(self, settled_at=at, until=until)
