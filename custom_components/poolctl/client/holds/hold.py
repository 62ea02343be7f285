"""A hold: a claim on one output."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, override

from ..codec import UNSTORED, Within
from ..pool.state import PoolState
from ..wire.equipment import MAX_SLOTS
from ..wire.schedule import MAX_SCHEDULES, Schedule
from .claim import Claim


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
