"""Requested values that are not confirmed yet."""

from collections.abc import Callable
from dataclasses import dataclass

from ..pool.state import PoolState
from ..wire.exceptions import PoolctlError


@dataclass(slots=True, eq=False)
class Pending:
    """A requested value that the controller has not reported yet.

    `show` puts it into a state; `holds` returns whether a reported state has it. Reads
    before `settled` do not count; reads before `until` may be older than the command
    and disprove nothing. Times are monotonic.
    """

    key: str
    by_lan: bool
    sent: float
    settled: float
    until: float
    show: Callable[[PoolState], PoolState]
    holds: Callable[[PoolState], bool]
    doubt: PoolctlError | None = None
    """Error because of which the command may not have run at all."""
    disproved: bool = False
    """Whether it was dropped because the reads that count did not show it."""


class PendingValues:
    """The pending value of each key; a newer one replaces an older one."""

    def __init__(self) -> None:
        """Start without pending values."""
        self._pending: dict[str, Pending] = {}

    def add(self, pending: Pending) -> None:
        """Show a value until it is confirmed or dropped."""
        self._pending[pending.key] = pending

    def __contains__(self, pending: Pending) -> bool:
        """Return whether this value is neither confirmed, replaced nor dropped."""
        return self._pending.get(pending.key) is pending

    def drop(self, pending: Pending) -> None:
        """Stop showing a value."""
        if pending in self:
            del self._pending[pending.key]

    def settle(self, known: PoolState, read_at: float) -> list[Pending]:
        """Drop values that a read confirms or disproves; return the disproved ones."""
        disproved = []
        for pending in list(self._pending.values()):
            if read_at < pending.settled:
                continue
            if pending.holds(known):
                self.drop(pending)
            elif read_at >= pending.until:
                self.drop(pending)
                pending.disproved = True
                disproved.append(pending)
        return disproved

    def overlay(self, known: PoolState) -> PoolState:
        """Return the state with the pending values, as a user should see it."""
        for pending in self._pending.values():
            known = pending.show(known)
        return known
