"""A hold: a claim on one output, and its end, which may follow schedules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Annotated, override

from ..bounds import UNSTORED, Within
from ..pool.state import PoolState
from ..pool.windows import end_of
from ..wire.equipment import MAX_SLOTS
from ..wire.schedule import MAX_SCHEDULES, Schedule
from .claim import Claim, End


class Asked(StrEnum):
    """Where a hold was requested."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    """In the vendor's app or at the controller."""
    UNKNOWN = "unknown"
    """It began during or soon after another command, which may be the cause."""


type _ScheduleIndex = Annotated[int, Within(0, MAX_SCHEDULES - 1)]
type Basis = tuple[tzinfo | None, timedelta, tuple[Schedule | None, ...]]
"""Time zone and offset of the controller's clock, and schedules, from which an end was
calculated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold(Claim):
    """An output that is held by hand, on or off, against its schedules.

    It is `needed` if an override was requested.
    """

    slot: Annotated[int, Within(0, MAX_SLOTS - 1)]
    asked: Asked = Asked.UNKNOWN
    requester: str = ""
    """Name of the user or automation that requested it here until its end, if known."""
    requesters: Mapping[str, str] = field(default_factory=dict, compare=False)
    """These names by claimant."""

    by_cloud: bool = field(default=False, compare=False)
    """Whether the cloud carried its command: no override is documented there."""
    previous: Hold | None = field(default=None, compare=False)
    """The hold that it replaces, until its command is confirmed."""
    schedules: tuple[_ScheduleIndex, ...] = field(default=(), compare=False)
    """Indices of the schedules that it holds off."""
    basis: Annotated[Basis | None, UNSTORED] = field(default=None, compare=False)

    @property
    @override
    def thing(self) -> int:
        return self.slot

    @property
    @override
    def replaced(self) -> Hold | None:
        return self.previous

    @override
    def alone(self) -> Hold:
        return replace(self, previous=None)

    @override
    def cloud_undoes(self, *, alone: bool) -> bool:
        # It can only switch off; without a LAN, that is all that is possible.
        return self.on or (self.by_cloud and alone)

    @override
    def restored(self, now: datetime, at: float) -> Hold:
        previous = self.previous and self.previous.restored(now, at)
        return Claim.restored(replace(self, previous=previous), now, at)

    @property
    def names(self) -> dict[str, str]:
        """The names of those who requested it, by claimant."""
        names = dict.fromkeys(self.claims or ("",), self.requester)
        return {**names, **self.requesters}

    @override
    def claimed(self, claims: Mapping[str, datetime | None], now: datetime) -> Hold:
        """Return the hold for these claimants, in the name of the last of them."""
        last = max(claims, key=lambda each: (claims[each] is None, claims[each] or now))
        names = {each: self.names.get(each, "") for each in claims}
        hold = replace(self, requester=names[last], requesters=names)
        hold = Claim.claimed(hold, claims, now)
        if self.schedules and [*claims] == [""]:  # only the user is left, as before
            return replace(hold, end=End.SCHEDULE, lasts=None, ends_at=None)
        return hold


def output_names(holds: Iterable[Hold], state: PoolState) -> str:
    """Return the names that the owner gave to held outputs, else their numbers."""
    names = (
        (slot.name if (slot := state.outputs.slot(hold.slot)) else "")
        or f"#{hold.slot + 1}"
        for hold in holds
    )
    return ", ".join(names)


def basis_of(
    state: PoolState, schedules: Iterable[int], local: datetime, offset: timedelta
) -> Basis:
    """Return what the end of a hold is calculated from."""
    used = state.schedules.used
    return local.tzinfo, offset, tuple(used.get(index) for index in schedules)


def rescheduled(
    hold: Hold, state: PoolState, local: datetime, offset: timedelta
) -> Hold:
    """Return a hold whose end follows the present schedules and clocks.

    `local` is the controller's time. A longer, shorter, disabled or deleted schedule
    moves the end at once.
    """
    if hold.end is not End.SCHEDULE or state.schedules.records is None:
        return hold
    basis, until = basis_of(state, hold.schedules, local, offset), hold.until
    if basis == hold.basis or until is None:
        return hold
    if (end := end_of(state, hold.schedules, local)) is not None:
        until = end - offset
    elif hold.basis is not None or not any(one and one.enabled for one in basis[-1]):
        until = min(until, (local - offset).astimezone(until.tzinfo))
    # Without a basis, the end was calculated before the start, by another offset.
    return replace(hold, until=until, basis=basis)
