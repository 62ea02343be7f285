"""What a family last asked of its outputs, and when that has to end (design: Holds).

Its end follows from the pool's schedules, minute by minute, without the integration.
"""

from dataclasses import dataclass, field
from datetime import datetime

from tests.world.simulator import Pool
from tests.world.simulator.schedules import Schedule

from .pool import PUMP, is_linked


@dataclass(frozen=True, slots=True)
class Claim:
    """An output that was switched by hand and must stay so against its schedules."""

    slot: int
    on: bool
    until: datetime | None
    """`None`: until it is switched again."""


@dataclass
class Diary:
    """The claims of a family."""

    pool: Pool
    claims: dict[int, Claim] = field(default_factory=dict)
    over: dict[int, Claim] = field(default_factory=dict)
    """Claims whose time is over and whose outputs are not yet released."""

    def switched(self, slot: int, on: bool, at: datetime) -> None:
        """Note that an output was switched."""
        until = None if on else self._window_end(slot, at)
        self.forget(slot)
        if on or until is not None:
            self.claims[slot] = Claim(slot, on, until)

    def sped(self, slot: int, at: datetime) -> None:
        """Note another speed of a pump: it ends with the schedule that runs it."""
        if (until := self._window_end(slot, at)) is not None:
            self.claims[slot] = Claim(slot, True, until)

    def held(self, slot: int, on: bool, until: datetime) -> None:
        """Note that an output is held for a time."""
        self.forget(slot)
        self.claims[slot] = Claim(slot, on, until)

    def forget(self, *slots: int) -> None:
        """Note that outputs follow their schedules again."""
        for slot in slots:
            self.claims.pop(slot, None)
            self.over.pop(slot, None)

    def pass_time(self, now: datetime) -> None:
        """Move claims whose time is over, and drop those that the firmware ended."""
        for slot, claim in list(self.claims.items()):
            if is_linked(self.pool, slot) and self.pool.pump.mode == 0:
                self.forget(slot)
            elif claim.until is not None and claim.until <= now:
                self.over[slot] = self.claims.pop(slot)

    def wanted(self, slot: int, now: datetime) -> bool:
        """Return whether the schedules want an output to run."""
        return any(each.active(now) for each in self._schedules_of(slot))

    def _schedules_of(self, slot: int) -> list[Schedule]:
        """Return the schedules of an output; linked equipment runs the pump, too."""
        return [
            each
            for each in self.pool.schedules
            if each.used
            and (
                each.slot == slot or (slot == PUMP and is_linked(self.pool, each.slot))
            )
        ]

    def _window_end(self, slot: int, at: datetime) -> datetime | None:
        """Return the end of the schedules that want an output to run now."""
        running = [each for each in self._schedules_of(slot) if each.active(at)]
        if not running:
            return None
        end = at.replace(second=0, microsecond=0)
        while running := [each for each in running if each.active(end)]:
            # In real minutes, also when the clock is put forward or back.
            end = datetime.fromtimestamp(end.timestamp() + 60, at.tzinfo)
        return end
