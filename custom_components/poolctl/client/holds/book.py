"""The holds of one controller, by slot."""

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
import time

from .hold import Hold
from .machine import Event, after

SETTLING = 3.0
"""Seconds after a command in which reads may not show its effect yet (protocol.md O3)."""


class Book:
    """The holds by slot, and the slots that are being switched."""

    def __init__(self, holds: Iterable[Hold]) -> None:
        """Start with the stored holds."""
        self._holds = {hold.slot: hold for hold in holds}
        self._under_way: Counter[int] = Counter()

    @property
    def all(self) -> tuple[Hold, ...]:
        """All holds by slot, including released ones and those without an override."""
        return tuple(self._holds[slot] for slot in sorted(self._holds))

    @property
    def shown(self) -> tuple[Hold, ...]:
        """The holds that a user sees."""
        return tuple(hold for hold in self.all if hold.shown)

    def get(self, slot: int) -> Hold | None:
        """Return the hold of a slot, whether a user sees it or not."""
        return self._holds.get(slot)

    def put(self, slot: int, hold: Hold | None) -> None:
        """Replace the hold of a slot; `None` removes it."""
        if hold is None:
            self._holds.pop(slot, None)
        else:
            self._holds[slot] = hold

    def apply(self, slot: int, event: Event) -> None:
        """Apply an event to the hold of a slot, if there is one."""
        if (hold := self._holds.get(slot)) is not None:
            self.put(slot, after(hold, event))

    def is_switching(self, slot: int) -> bool:
        """Return whether a slot is being switched: its reads are not evidence then."""
        return slot in self._under_way

    @contextmanager
    def switching(self, slot: int) -> Generator[None]:
        """Ignore reads of a slot as evidence until it was switched and has settled."""
        self._under_way[slot] += 1
        try:
            yield
        finally:
            self._under_way[slot] -= 1
            self._under_way += Counter()  # removes counts of zero
            if (hold := self._holds.get(slot)) is not None:
                settled_at = time.monotonic() + SETTLING
                self._holds[slot] = replace(hold, settled_at=settled_at, doubt=None)
