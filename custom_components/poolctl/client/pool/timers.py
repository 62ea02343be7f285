"""Running timers as the times at which they end (layouts.md 2.3).

Chosen: the time is rounded to the minute, and a count that ends about then is the same
timer: told a little late, or by an older copy of the cloud (interface.md 8).
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from .parts import TimerEnd
from .state import PoolState

MARGIN = timedelta(seconds=90)
"""Half a minute each of rounding, of the age of a copy, and of its way."""
_HALF_A_MINUTE = timedelta(seconds=30)


def with_timers(
    state: PoolState, remaining: Mapping[int, float], now: datetime
) -> PoolState:
    """Return the state with the timers that run now: seconds left by slot."""
    previous = {end.slot: end.at for end in state.timer_ends}
    ends = []
    for slot, seconds in sorted(remaining.items()):
        at = now + timedelta(seconds=seconds)
        if slot not in previous or abs(at - previous[slot]) > MARGIN:
            at = (at + _HALF_A_MINUTE).replace(second=0, microsecond=0)
        else:
            at = previous[slot]
        if seconds > 0:
            ends.append(TimerEnd(slot=slot, at=at))
    return replace(state, timer_ends=tuple(ends))


def without_past_timers(state: PoolState, now: datetime) -> PoolState:
    """Return the state without timers that have ended, for a source without them."""
    left = tuple(end for end in state.timer_ends if end.at > now)
    return state if left == state.timer_ends else replace(state, timer_ends=left)
