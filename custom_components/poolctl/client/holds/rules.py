"""How long off is held: until the windows that it holds off are over (chosen).

Schedules run by the controller's clock: `now` and what follows from it are by that clock.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ..equipment import Role, Slot
from ..frame import MODE_MANUAL, MODE_OFF
from ..occurrences import Occurrence, moment, occurrences
from ..pool.state import PoolState
from ..schedule import Schedule

CLOCKS = timedelta(hours=2)
"""How far the controller's clock may be from ours where its offset is not measured yet:
daylight saving and more (chosen)."""
_DAY, _HOUR, _SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
FIRST_EXTENSION = timedelta(minutes=5)
"""How long an output is held again whose schedule started it after its release: two clocks
differ by a little."""
NEXT_EXTENSION = timedelta(hours=1)
"""The same from the second time on: daylight saving."""


@dataclass(frozen=True, slots=True)
class Window:
    """What off holds off."""

    until: datetime
    """UTC."""
    schedules: tuple[int, ...]
    """Indices."""
    longest: timedelta
    """Length of the longest of the schedules."""


def window_of(state: PoolState, slot: Slot, now: datetime) -> Window | None:
    """Return what would switch an output on now, `None` if nothing would.

    Where only the controller knows when the schedule ends that runs the output, it is the
    end of the day at the latest.
    """
    found = list(_at(_schedules_of(state, slot), now))
    ends = [run.end for run in found]
    running = running_schedule(state, slot)
    indices = {run.index for run in found}
    if running is not None and running not in indices:
        ends.append(_end_of(state.schedules.used.get(running), now))
        indices.add(running)
    if not ends:
        return None
    lengths = [run.end - run.start for run in found]
    return Window(
        max(end.astimezone(UTC) for end in ends),
        tuple(sorted(indices)),
        max(lengths, default=_DAY) if len(lengths) == len(indices) else _DAY,
    )


def end_of(state: PoolState, indices: Iterable[int], now: datetime) -> datetime | None:
    """Return when the windows of some schedules end that are open now, in UTC."""
    used = state.schedules.used
    found = _at({index: used[index] for index in indices if index in used}, now)
    return max((run.end.astimezone(UTC) for run in found), default=None)


def running_schedule(state: PoolState, slot: Slot) -> int | None:
    """Return the index of the schedule that the controller reports to run an output."""
    pump = slot.role is Role.PUMP
    mode = state.readings.main_pump_mode if pump else slot.mode
    return None if mode in (None, MODE_OFF, MODE_MANUAL) else mode - 1


def _at(schedules: dict[int, Schedule], now: datetime) -> list[Occurrence]:
    return occurrences(schedules, now, now + _SECOND, now.tzinfo or UTC)


def _schedules_of(state: PoolState, slot: Slot) -> dict[int, Schedule]:
    """Return the schedules that switch an output.

    Those of what runs only with the pump start the pump, too (layouts.md 2.4).
    """
    slots = {slot.index}
    if slot.role is Role.PUMP:
        slots |= {s.index for s in state.outputs.slots if s.role is Role.PUMP_LINKED}
    used = state.schedules.used
    return {index: each for index, each in used.items() if each.slot in slots}


def _end_of(schedule: Schedule | None, now: datetime) -> datetime:
    """Return when a schedule ends that runs, though not by our clock or our records."""
    zone = now.tzinfo or UTC
    tomorrow = moment(now.date() + _DAY, 0, zone)
    if schedule is None:
        return tomorrow
    armed = {0: replace(schedule, enabled=True)}
    for window in occurrences(armed, now - CLOCKS, now + CLOCKS, zone):
        if window.end > now:
            return window.end
        # Its clock is behind, by daylight saving most of the time.
        late = window.end.astimezone(UTC)
        while late <= now:
            late += _HOUR
        return late
    return tomorrow
