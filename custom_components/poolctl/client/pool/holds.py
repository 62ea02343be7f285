"""Holds: outputs that somebody switched by hand against their schedules, and their ends.

The override of a slot is observed (layouts.md 2.1, 3); when it ends is ours (chosen,
design.md 4): what is switched off inside a window of its schedules is theirs again once
that window is over.
"""

from collections.abc import Mapping, Set as AbstractSet
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ..equipment import Role, Slot
from ..frame import MODE_MANUAL, MODE_OFF
from ..occurrences import moment, occurrences
from ..schedule import Schedule
from .parts import Hold
from .schedule_rules import schedulable
from .state import PoolState, Source

CLOCKS = timedelta(minutes=15)
"""How far the clock of a controller may be from ours (chosen)."""
_DAY, _SECOND = timedelta(days=1), timedelta(seconds=1)


def held_outputs(state: PoolState) -> tuple[Slot, ...] | None:
    """Return the outputs that are held by hand, `None` where nobody told.

    What moves along with another output, as the other actuators of a spa, is left out.
    """
    if (held := state.outputs.held) is None:
        return None
    return tuple(
        slot
        for slot in state.outputs.slots
        if slot.index in held and schedulable(state, slot)
    )


def hold_of(state: PoolState, slot: int) -> Hold | None:
    """Return the hold of a slot."""
    return next((hold for hold in state.holds if hold.slot == slot), None)


def with_hold(state: PoolState, slot: int, hold: Hold | None) -> PoolState:
    """Return the state with another hold of a slot, or without one."""
    others = [each for each in state.holds if each.slot != slot]
    if hold is not None:
        others.append(hold)
    return replace(state, holds=tuple(sorted(others, key=lambda each: each.slot)))


# How long off has to be held


def off_until(state: PoolState, slot: Slot, now: datetime) -> datetime | None:
    """Return when no schedule would switch an output on again, `None` if none would now.

    `now` is by the wall clock of the controller, which schedules run by. Where only the
    controller knows when the schedule ends that runs the output, it is the end of the day.
    """
    zone = now.tzinfo or UTC
    windows = occurrences(_schedules_of(state, slot), now, now + _SECOND, zone)
    ends = [window.end for window in windows]
    running = _running(state, slot)
    if running is not None and running not in {window.index for window in windows}:
        ends.append(_end_of(state.schedules.used.get(running), now))
    return max(end.astimezone(UTC) for end in ends) if ends else None


def _schedules_of(state: PoolState, slot: Slot) -> dict[int, Schedule]:
    """Return the schedules that switch an output.

    Those of what runs only with the pump start the pump, too (layouts.md 2.4).
    """
    slots = {slot.index}
    if slot.role is Role.PUMP:
        slots |= {s.index for s in state.outputs.slots if s.role is Role.PUMP_LINKED}
    used = state.schedules.used
    return {index: each for index, each in used.items() if each.slot in slots}


def _running(state: PoolState, slot: Slot) -> int | None:
    """Return the index of the schedule that the controller says runs an output."""
    pump = slot.role is Role.PUMP
    mode = state.readings.main_pump_mode if pump else slot.mode
    return None if mode in (None, MODE_OFF, MODE_MANUAL) else mode - 1


def _end_of(schedule: Schedule | None, now: datetime) -> datetime:
    """Return when a schedule ends that runs, though not by our clock or our records."""
    zone = now.tzinfo or UTC
    if schedule is not None:
        armed = {0: replace(schedule, enabled=True)}
        for window in occurrences(armed, now - CLOCKS, now + CLOCKS, zone):
            if window.end > now:
                return window.end
    return moment(now.date() + _DAY, 0, zone)


# Who holds what


def tracked(
    state: PoolState,
    shown: PoolState,
    asked: Mapping[int, Hold],
    under_way: AbstractSet[int],
    now: datetime,
) -> PoolState:
    """Return the state with the holds that a read leaves standing, and those it shows.

    `shown` has the values that are still to be confirmed. A hold stands while its output
    is held as it was asked to be: whoever gave it back or switched it otherwise meanwhile
    has ended it. `asked` are those of which it is not known yet whether they began; what
    is read while a slot is `under_way` can only begin a hold, not end one.
    """
    if shown.source is Source.LAN:
        if (held := held_outputs(shown)) is None:
            return state
        slots = {slot.index for slot in held}
    else:
        # Nobody tells what is held, but only what runs.
        slots = {hold.slot for hold in state.holds}
    found: list[Hold] = []
    for slot in sorted(slots | under_way):
        old, new = hold_of(state, slot), asked.get(slot)
        on = _runs(shown, slot) if slot in slots else None
        if on is not None and new is not None and new.on is on:
            found.append(new)
        elif old is not None and (old.on is on or on is None or slot in under_way):
            found.append(old)
        elif on is not None and shown.source is Source.LAN and slot not in under_way:
            found.append(Hold(slot=slot, on=on, since=now))
    return replace(state, holds=tuple(found))


def _runs(state: PoolState, index: int) -> bool | None:
    """Tell whether an output runs, `None` where nobody told."""
    slot = state.outputs.slot(index)
    if slot is not None and slot.role is Role.PUMP:
        return state.pump_on  # its slot may lie (layouts.md 2.4)
    return None if slot is None or state.outputs.assumed else slot.on
