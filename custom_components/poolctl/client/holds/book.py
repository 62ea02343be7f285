"""The holds of one controller, by slot."""

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
import time

from .hold import Hold
from .machine import Event, after

SETTLING = 3.0
"""s after a command for which a read may not show its effect yet (layouts.md 3)."""


class Book:
    """What is held, was released, or is being switched."""

    def __init__(self, holds: Iterable[Hold]) -> None:
        """Start with what was stored."""
        self._holds = {hold.slot: hold for hold in holds}
        self._under_way: Counter[int] = Counter()

    @property
    def all(self) -> tuple[Hold, ...]:
        """All of them, by slot; with those that only reads show, and those released."""
        return tuple(self._holds[slot] for slot in sorted(self._holds))

    @property
    def shown(self) -> tuple[Hold, ...]:
        """Those that a person sees."""
        return tuple(hold for hold in self.all if hold.shown)

    def get(self, slot: int) -> Hold | None:
        """Return the hold of a slot, whether a person sees it or not."""
        return self._holds.get(slot)

    def put(self, slot: int, hold: Hold | None) -> None:
        """Put another hold in place of that of a slot."""
        if hold is None:
            self._holds.pop(slot, None)
        else:
            self._holds[slot] = hold

    def apply(self, slot: int, event: Event) -> None:
        """Let something happen to the hold of a slot, if there is one."""
        if (hold := self._holds.get(slot)) is not None:
            self.put(slot, after(hold, event))

    def is_switching(self, slot: int) -> bool:
        """Return whether a slot is being switched: no read of it is evidence then."""
        return slot in self._under_way

    @contextmanager
    def switching(self, slot: int) -> Generator[None]:
        """Take no read of a slot as evidence until it was switched and has settled."""
        self._under_way[slot] += 1
        try:
            yield
        finally:
            self._under_way[slot] -= 1
            self._under_way += Counter()  # keeps only what is above zero
            if (hold := self._holds.get(slot)) is not None:
                settled_at = time.monotonic() + SETTLING
                self._holds[slot] = replace(hold, settled_at=settled_at, doubt=None)
