"""A hold: a claim on one output, and its end, which may follow schedules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from itertools import starmap
from typing import Annotated, NamedTuple, override

from ..bounds import PrivateText, Within
from ..pool.state import PoolState, Source
from ..pool.windows import present, window_at
from ..wire.equipment import CLEANERS, MAX_SLOTS
from ..wire.schedule import MAX_SCHEDULES, Schedule
from .claim import AGREEING, Claim
from .evidence import LIGHT_SHOW, lasts, runs


class Asked(StrEnum):
    """Where a hold was requested."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    """In the vendor's app or at the controller."""
    UNKNOWN = "unknown"
    """It began during or soon after another command, which may be the cause."""


class Origin(NamedTuple):
    """Who asked for a hold, where and when; its claimant is what for."""

    where: Asked
    at: datetime
    name: PrivateText = ""
    """Name of the user, the automation or *Warm by*, if it is known."""


_SECOND = timedelta(seconds=1)
type _Place = Annotated[int, Within(0, MAX_SCHEDULES - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold(Claim):
    """An output that is held by hand, on or off, against its schedules.

    It needs undoing if an override was requested.
    """

    slot: Annotated[int, Within(0, MAX_SLOTS - 1)]
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """By claimant, as far as it is known."""
    by_cloud: bool = field(default=False, compare=False)
    """Whether the cloud carried its command: no override is documented there."""
    schedules: Mapping[_Place, Schedule | None] = field(
        default_factory=dict, compare=False
    )
    """The schedules that it holds off, as they were last reported at their places."""

    @property
    @override
    def index(self) -> int:
        return self.slot

    @override
    def in_effect(self, state: PoolState) -> bool | None:
        slot = state.outputs.slot(self.slot)
        if slot is None or (on := runs(state, slot)) is None:
            return None
        if state.source is Source.CLOUD:
            return on is self.on
        return slot.held and on is self.on

    @override
    def agreeing(self, state: PoolState) -> float:
        slot = state.outputs.slot(self.slot)
        pulses = slot is not None and lasts(slot) > AGREEING
        return LIGHT_SHOW if pulses else super(Hold, self).agreeing(state)

    @property
    def shown_until(self) -> datetime | None:
        """Its end for users, `None` if they end it, or if it is the longest possible one."""
        longest = self.since + self.LONGEST - timedelta(days=1)
        return self.until if self.until and self.until < longest else None

    def stopped_by_spa(self, state: PoolState) -> bool:
        """Return whether spa mode is on, and a cleaner that it held on does not run.

        A firmware may stop cleaners for the spa (protocol.md L21).
        """
        slot = state.outputs.slot(self.slot)
        cleaner = slot is not None and slot.type_code in CLEANERS and slot
        return bool(state.spa_mode and self.on and cleaner and not runs(state, cleaner))

    @override
    def cloud_undoes(self, *, without_lan: bool) -> bool:
        # It can only switch off; without a LAN, that is all that is possible.
        return self.on or (self.by_cloud and without_lan)

    def unheld(self) -> Hold:
        """Return what only switches: no override is requested, and it is over at once."""
        return replace(self, needs_undoing=False, until=self.since)

    @property
    def origin(self) -> Origin:
        """That of the claimant that wants it for longest."""
        ends = self.claimants or {"": None}
        last = max(
            ends, key=lambda each: (ends[each] is None, ends[each] or self.since)
        )
        return self.origins.get(last, Origin(Asked.UNKNOWN, self.since))

    @property
    def follows_schedules(self) -> bool:
        """Whether it ends with the windows that it holds off: only the user wants it."""
        return bool(self.schedules) and {*self.claimants} <= {""}

    @override
    def for_claimants(
        self, claims: Mapping[str, datetime | None], now: datetime
    ) -> Hold:
        origins = {who: each for who, each in self.origins.items() if who in claims}
        hold = Claim.for_claimants(replace(self, origins=origins), claims, now)
        return replace(hold, lasts=None) if hold.follows_schedules else hold


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
    moves the end at once. What runs later, or took its place, is not held off.
    """
    if not hold.follows_schedules or state.schedules.records is None:
        return hold
    items = starmap(partial(present, state), hold.schedules.items())
    found, over = dict(filter(None, items)), (local - offset).astimezone(UTC)
    last = min(over, hold.until - _SECOND) if hold.until else over
    window = window_at(found, (last + offset).astimezone(local.tzinfo))
    if window is not None:
        until = window.until and window.until - offset
    elif found == hold.schedules:
        return hold  # it runs contrary to our clock
    else:
        until = min(hold.until or over, over)
    return replace(hold, until=until, schedules=found)
