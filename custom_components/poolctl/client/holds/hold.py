"""A hold: a claim on one output, and its end, which may follow schedules."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, override

from ..bounds import UNSTORED, Within
from ..pool.state import PoolState
from ..wire.equipment import MAX_SLOTS
from ..wire.schedule import MAX_SCHEDULES, Schedule
from .claim import Claim, End, State
from .rules import FIRST_EXTENSION, NEXT_EXTENSION, end_of, running_schedule


class Asked(StrEnum):
    """Where a hold was requested."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    """In the vendor's app or at the controller."""
    UNKNOWN = "unknown"
    """It began during or soon after another command, which may be the cause."""


type _ScheduleIndex = Annotated[int, Within(0, MAX_SCHEDULES - 1)]
type Basis = tuple[timedelta, tuple[Schedule | None, ...]]
"""Offset of the controller's clock, and schedules, from which an end was calculated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold(Claim):
    """An output that is held by hand, on or off, against its schedules.

    It is `needed` if an override was requested.
    """

    slot: Annotated[int, Within(0, MAX_SLOTS - 1)]
    asked: Asked = Asked.UNKNOWN
    requester: str = ""
    """Name of the user or automation that requested it here, if known."""

    by_cloud: bool = field(default=False, compare=False)
    """Whether the cloud carried its command: no override is documented there."""
    previous: Hold | None = field(default=None, compare=False)
    """The hold that it replaces, until its command is confirmed."""
    schedules: tuple[_ScheduleIndex, ...] = field(default=(), compare=False)
    """Indices of the schedules that it holds off."""
    latest: datetime | None = field(default=None, compare=False)
    """Time when the longest of them is over, whatever the controller's clock shows."""
    restarts: Annotated[int, Within(0, 1000)] = field(default=0, compare=False)
    """How often its schedule started the output again after a release."""
    basis: Annotated[Basis | None, UNSTORED] = field(default=None, compare=False)
    unsent: Annotated[bool, UNSTORED] = field(default=False, compare=False)
    """Whether its command is still to be sent."""

    @property
    @override
    def thing(self) -> int:
        return self.slot

    @override
    def replaced(self) -> Hold | None:
        return self.previous

    @override
    def alone(self) -> Hold:
        return replace(self, previous=None)


def output_names(holds: Iterable[Hold], state: PoolState) -> str:
    """Return the names that the owner gave to held outputs, else their numbers."""
    names = (
        (slot.name if (slot := state.outputs.slot(hold.slot)) else "")
        or f"#{hold.slot + 1}"
        for hold in holds
    )
    return ", ".join(names)


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
