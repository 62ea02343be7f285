"""Commands, from the request until their effect is confirmed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
import math
from typing import Final

from ..cloud import UrgentCloud
from ..lan import LanClient
from ..pool.outputs import Outputs
from ..pool.state import PoolState
from ..wire.exceptions import PoolctlError
from ..wire.frame import StateFrame, Telemetry
from .moves import Moves, switching

NEVER_SHOWN: Final = math.inf

type LanCommand = Callable[[LanClient], Awaitable[StateFrame | None]]
type CloudCommand = Callable[[UrgentCloud], Awaitable[None]]


@dataclass(slots=True, eq=False, kw_only=True)
class Command:
    """A requested value: how it is sent, shown and recognised, and what became of it.

    Each object is sent once. Times are monotonic, in seconds.
    """

    key: str = ""
    """Key of the value: of two commands with the same key, the newer one counts."""
    show: Callable[[PoolState], PoolState] = lambda state: state
    confirms: Callable[[PoolState], bool] = lambda state: True
    query: str | None = None
    """Name of the query that reports the value, if no state frame does."""
    lan: LanCommand | None = None
    cloud: CloudCommand | None = None
    idempotent: bool = True
    """Whether it may run twice: only then is the other path tried after one that may
    have run it."""
    moves: Moves = lambda last, new: last
    """Returns what was accepted; what it may move is as a newer read has it."""
    settles_in: float = 0.0
    """Seconds during which states say nothing about its effect; `NEVER_SHOWN` if they
    never do."""

    give_up: float = 0.0
    """Time at which its user stops waiting. This and all below is set as it is sent."""
    by_lan: bool = True
    """Path that carried it."""
    sent: float = 0.0
    settled: float = 0.0
    """Reads before this time do not count."""
    until: float = 0.0
    """Reads before this time may be older than the command and disprove nothing."""
    doubt: PoolctlError | None = None
    """Error because of which the command may not have run at all."""
    disproved: bool = False
    """Whether it was dropped because the reads that count did not show it."""


def resuming(key: str, slot: int, outputs: Outputs, lan: LanCommand | None) -> Command:
    """Return the command that releases a slot to its schedules, by any LAN action."""

    def confirms(state: PoolState) -> bool:
        return state.outputs.held is not None and slot not in state.outputs.held

    return Command(
        key=key,
        show=lambda state: replace(
            state, outputs=state.outputs.with_hold(slot, held=False)
        ),
        confirms=confirms,
        moves=switching(outputs, slot),
        lan=lan,
    )


class PendingValues:
    """The pending value of each key; a newer one replaces an older one."""

    def __init__(self) -> None:
        self._pending: dict[str, Command] = {}

    def add(self, pending: Command) -> None:
        """Show a value until it is confirmed or dropped."""
        self._pending[pending.key] = pending

    def moved(self, last: Telemetry, new: Telemetry) -> Telemetry:
        """Return what was accepted; what values may have moved is as a newer read has it."""
        for pending in self._pending.values():
            last = pending.moves(last, new)
        return last

    def __contains__(self, pending: Command) -> bool:
        return self._pending.get(pending.key) is pending

    def drop(self, pending: Command) -> None:
        """Stop showing a value."""
        if pending in self:
            del self._pending[pending.key]

    def __bool__(self) -> bool:
        return bool(self._pending)

    def confirmed(self, seen: PoolState, read_at: float) -> list[Command]:
        """Return the values that a read confirms."""
        return [
            pending
            for pending in self._pending.values()
            if read_at >= pending.settled and pending.confirms(seen)
        ]

    def settle(self, known: PoolState, read_at: float) -> list[Command]:
        """Drop values that a read confirms or disproves; return the disproved ones."""
        for pending in self.confirmed(known, read_at):
            self.drop(pending)
        late = (each for each in self._pending.values() if read_at >= each.until)
        disproved = list(late)
        for pending in disproved:
            self.drop(pending)
            pending.disproved = True
        return disproved

    def overlay(self, known: PoolState) -> PoolState:
        """Return the state with the pending values, as a user should see it."""
        for pending in self._pending.values():
            known = pending.show(known)
        return known
