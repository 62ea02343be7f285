"""Running timers as the times at which they end (protocol.md O2.3).

Chosen: the end is rounded to the minute. A countdown that ends at about that time is of
the same timer: reported a little late, or by an older cloud copy (protocol.md 8).
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from .parts import TimerEnd
from .state import PoolState

MARGIN = timedelta(seconds=90)
"""Tolerance: half a minute each for rounding, the age of a copy and its transfer."""
_HALF_A_MINUTE = timedelta(seconds=30)


def with_timers(
    state: PoolState, remaining: Mapping[int, float], now: datetime
) -> PoolState:
    """Return the state with the running timers, given their seconds left by slot."""
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
    """Return the state without ended timers, for a source that reports no timers."""
    left = tuple(end for end in state.timer_ends if end.at > now)
    return state if left == state.timer_ends else replace(state, timer_ends=left)
