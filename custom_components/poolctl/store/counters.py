"""Counters of one controller, kept across restarts.

A controller accepts each counter of our signed requests only once. The counter is kept
whatever our clock shows, because the controller keeps it, too.
The newest counter of the controller's frames shows that an older frame is a recording.
"""

from collections.abc import Callable
from typing import Final, Self

from ..client.counters import Counters
from ..client.stored import Stored, whole
from ..client.wire.envelope import MAX_COUNTER
from .clock import clock_in
from .memory import Memory, Section

_AHEAD: Final = 64
"""Counters that are stored as used in advance, so that none is used twice if Home
Assistant crashes after many commands in one second. Each delays the controller's other
clients by a second at most, and only if our counter is ahead of the clock anyway."""

_COUNTER = whole(0, MAX_COUNTER)


class KeptCounters:
    """The counters of one controller, and the last one that is stored as used."""

    def __init__(self, last: int, frames: int | None) -> None:
        """Continue from the stored counters."""
        self.counters = Counters(last, used=self._used)
        if frames is not None:
            self.counters.frames.accept(frames)
        self._reserved = 0
        self.save: Callable[[bool], None] = lambda at_once: None
        """Saves the counters, at once or soon."""

    def _used(self) -> None:
        """Save the counters; at once if the clock alone would not lead above them."""
        at_once = self.counters.ahead and self.counters.last > (
            self._reserved - _AHEAD // 2
        )
        if at_once:
            self._reserved = self.counters.last + _AHEAD
        self.save(bool(at_once))

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return the stored counters."""
        return cls(
            stored.get("counter", _COUNTER, 0), stored.get("frames", _COUNTER, None)
        )

    def as_dict(self) -> dict[str, object]:
        """Return the data to store: a counter above all used until the next save."""
        last = self.counters.last
        if self.counters.ahead:
            last = max(last, self._reserved)
        return {"counter": last, "frames": self.counters.frames.newest}


_COUNTERS: Final = Section("counters", KeptCounters.from_dict)


def counters_of(memory: Memory, device_id: str) -> Counters:
    """Return the counters of a controller, always the same object."""
    kept = memory.in_use(device_id, _COUNTERS.name)
    if not isinstance(kept, KeptCounters):
        kept = memory.read(device_id, _COUNTERS)
        kept.counters.clock = clock_in(memory)
        kept.save = lambda at_once: memory.save(at_once=at_once)
    return kept.counters
