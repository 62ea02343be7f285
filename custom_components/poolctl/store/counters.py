"""Counters of one controller, kept across restarts.

A controller accepts each counter of our signed requests only once. The counter is kept
whatever our clock shows, because the controller keeps it, too.
The newest counter of the controller's frames shows that an older frame is a recording.
"""

from dataclasses import dataclass
from typing import Annotated, Final

from ..client.codec import Within
from ..client.counters import Counters
from ..client.wire.envelope import MAX_COUNTER
from .memory import Memory

_AHEAD: Final = 64
"""Counters that are stored as used in advance, so that none is used twice if Home
Assistant crashes after many commands in one second. Each delays the controller's other
clients by a second at most, and only if our counter is ahead of the clock anyway."""

_RESTART: Final = 5
"""Seconds that Home Assistant needs at least to start again after a crash: a counter
that is ahead of the clock by less is in the past then."""


@dataclass(frozen=True, slots=True)
class _Stored:
    counter: Annotated[int, Within(0, MAX_COUNTER)] = 0
    """A counter above all that are used until the next save."""
    frames: Annotated[int | None, Within(0, MAX_COUNTER)] = None


def counters_of(memory: Memory, device_id: str) -> Counters:
    """Return the counters of a controller, always the same object."""
    if (known := memory.counters.get(device_id)) is not None:
        return known
    stored = memory.read(device_id, "counters", _Stored)
    reserved = 0

    def used() -> None:
        """Save the counters; at once if the clock alone would not lead above them."""
        nonlocal reserved
        at_once = counters.ahead >= _RESTART and counters.last > reserved - _AHEAD // 2
        if at_once:
            reserved = counters.last + _AHEAD
        memory.save(at_once=at_once)

    def form() -> dict[str, object]:
        last = max(counters.last, reserved) if counters.ahead else counters.last
        return {"counter": last, "frames": counters.frames.newest}

    counters = Counters(stored.counter, clock=memory.clock, used=used)
    if stored.frames is not None:
        counters.frames.accept(stored.frames)
    memory.counters[device_id] = counters
    memory.keep(device_id, "counters", form)
    return counters
