"""Counters of one controller as they are kept over restarts.

What we sign has a counter that a controller accepts only once: it is kept whatever our clock
shows, for the controller keeps it, too.
The newest counter of its frames shows that an older frame is a recording.
"""

from collections.abc import Callable
from typing import Final, Self

from ..client.envelope import MAX_COUNTER, Counters
from ..client.stored import Stored, whole
from .clock import clock_in
from .memory import Memory, Section

_AHEAD: Final = 64
"""Counters that are stored as used before they are: so many presses in one second, and a
sudden end of Home Assistant, use none of them twice. Each costs the controller's other
clients a second at most, and only where we are ahead of the clock anyway."""

_COUNTER = whole(0, MAX_COUNTER)


class KeptCounters:
    """The counters of one controller, and up to which they are stored as used."""

    def __init__(self, last: int, frames: int | None) -> None:
        """Go on from what was stored."""
        self.counters = Counters(last, used=self._used)
        if frames is not None:
            self.counters.frames.accept(frames)
        self._reserved = 0
        self.save: Callable[[bool], None] = lambda at_once: None
        """Stores them, at once or soon."""

    def _used(self) -> None:
        """Store them, at once where the clock alone will not lead above them."""
        at_once = self.counters.ahead and self.counters.last > (
            self._reserved - _AHEAD // 2
        )
        if at_once:
            self._reserved = self.counters.last + _AHEAD
        self.save(bool(at_once))

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(
            stored.get("counter", _COUNTER, 0), stored.get("frames", _COUNTER, None)
        )

    def as_dict(self) -> dict[str, object]:
        """Return them as they are stored: above all that is used until the next time."""
        last = self.counters.last
        if self.counters.ahead:
            last = max(last, self._reserved)
        return {"counter": last, "frames": self.counters.frames.newest}


_COUNTERS: Final = Section("counters", KeptCounters.from_dict)


def counters_of(memory: Memory, device_id: str) -> Counters:
    """Return the counters of a controller, the same ones every time."""
    kept = memory.in_use(device_id, _COUNTERS.name)
    if not isinstance(kept, KeptCounters):
        kept = memory.read(device_id, _COUNTERS)
        kept.counters.clock = clock_in(memory)
        kept.save = lambda at_once: memory.save(at_once=at_once)
    return kept.counters
