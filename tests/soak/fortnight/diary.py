"""What a family asked of its outputs last, and until when that has to last (design: Holds).

It is worked out from the pool's own schedules, minute by minute, without the integration.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tests.simulator import Pool
from tests.simulator.equipment import Role
from tests.simulator.schedules import Schedule

MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Claim:
    """An output that somebody switched, and that stays so against its schedules."""

    slot: int
    on: bool
    until: datetime | None
    """`None`: until somebody switches it again."""


@dataclass
class Diary:
    """The claims of a family."""

    pool: Pool
    claims: dict[int, Claim] = field(default_factory=dict)
    over: dict[int, Claim] = field(default_factory=dict)
    """Those whose time is over, until they are given back."""
    ends: int = 0
    """How many claims had an end."""

    def switched(self, slot: int, on: bool, at: datetime) -> None:
        """Note that somebody switched an output."""
        until = None if on else self._window_end(slot, at)
        if on or until is not None:
            self._claim(Claim(slot, on, until))
        else:
            self.forget(slot)

    def held(self, slot: int, on: bool, until: datetime) -> None:
        """Note that somebody holds an output for a time."""
        self._claim(Claim(slot, on, until))

    def forget(self, *slots: int) -> None:
        """Note that outputs are their schedules' again."""
        for slot in slots:
            self.claims.pop(slot, None)
            self.over.pop(slot, None)

    def pass_time(self, now: datetime) -> None:
        """Move those whose time is over, and drop those that the firmware has ended."""
        for slot, claim in list(self.claims.items()):
            linked = self.pool.slots[slot].role is Role.LINKED
            if linked and self.pool.pump.mode == 0:
                self.forget(slot)
            elif claim.until is not None and claim.until <= now:
                self.over[slot] = self.claims.pop(slot)

    def wanted(self, slot: int, now: datetime) -> bool:
        """Tell whether schedules want an output to run."""
        return any(each.active(now) for each in self._schedules_of(slot))

    def _claim(self, claim: Claim) -> None:
        self.forget(claim.slot)
        self.claims[claim.slot] = claim
        self.ends += claim.until is not None

    def _schedules_of(self, slot: int) -> Iterable[Schedule]:
        """Return the schedules of an output; those of what needs the pump run it, too."""
        slots = {slot}
        if self.pool.slots[slot].role is Role.PUMP:
            linked = (n for n, s in enumerate(self.pool.slots) if s.role is Role.LINKED)
            slots.update(linked)
        return [each for each in self.pool.schedules if each.slot in slots]

    def _window_end(self, slot: int, at: datetime) -> datetime | None:
        """Return when the schedules end that want an output to run now."""
        running = [each for each in self._schedules_of(slot) if each.active(at)]
        end = at.replace(second=0, microsecond=0)
        zone = at.tzinfo
        while running:
            # By the clock on the wall, which no hour of daylight saving may skip.
            end = datetime.fromtimestamp(end.timestamp() + 60, zone)
            running = [each for each in running if each.active(end)]
            if not running:
                return end
        return None
