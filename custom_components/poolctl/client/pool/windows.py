"""Windows of the schedules of an output: open ones, their ends, and the next run.

Schedules run by the controller's clock: `now` and the results are by that clock, too.
All of this is chosen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from ..occurrences import Occurrence, moment, occurrences
from ..wire.equipment import Role, Slot
from ..wire.frame import SCHEDULE_MODES
from ..wire.schedule import Schedule
from .state import PoolState

CLOCKS = timedelta(hours=2)
"""Difference that the controller's clock may have from ours while its offset is not
measured: daylight saving and more."""
_WEEK = timedelta(days=8)
"""Longest time until a weekly schedule runs again."""
_DAY, _HOUR, _SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Window:
    """The open schedule windows that are overridden by switching off."""

    until: datetime
    """End of the last one in UTC."""
    schedules: Mapping[int, Schedule | None]
    """The schedules by place; `None`: its record is not known."""


def window_of(state: PoolState, slot: Slot, now: datetime) -> Window | None:
    """Return the windows that would switch an output on now, `None` if there is none.

    If the end of a running schedule cannot be derived from its record, the end of the
    day is used.
    """
    found = list(_at(schedules_of(state, slot), now))
    ends = [run.end for run in found]
    running = running_schedule(state, slot)
    schedules: dict[int, Schedule | None] = {run.index: run.schedule for run in found}
    if running is not None and running not in schedules:
        schedules[running] = state.schedules.used.get(running)
        ends.append(_end_of(schedules[running], now))
    if not ends:
        return None
    return Window(max(end.astimezone(UTC) for end in ends), schedules)


def present(
    state: PoolState, place: int, schedule: Schedule | None
) -> tuple[int, Schedule] | None:
    """Return the place and the record that a schedule has now, `None` if it is gone.

    An edited one switches the same output, and has its name or its times. What has its
    place otherwise is another one; it may have moved.
    """
    used = state.schedules.used
    if (now := used.get(place)) is not None and (
        schedule is None
        or now.when == schedule.when
        or (now.slot, now.name) == (schedule.slot, schedule.name)
    ):
        return place, now
    return next((item for item in used.items() if item[1].same_as(schedule)), None)


def run_of(
    schedule: Schedule, after: datetime, before: datetime, zone: tzinfo
) -> Occurrence | None:
    """Return the first run of a schedule that overlaps a period."""
    return next(iter(occurrences({0: schedule}, after, before, zone)), None)


def running_schedule(state: PoolState, slot: Slot) -> int | None:
    """Return the index of the schedule that is reported to run an output.

    Other modes mean no schedule (protocol.md L27).
    """
    mode = state.output_mode(slot)
    return None if mode is None or mode not in SCHEDULE_MODES else mode - 1


def next_run(state: PoolState, slot: Slot, now: datetime) -> Occurrence | None:
    """Return the next run of an output's schedules that has not begun yet."""
    zone, found = now.tzinfo or UTC, schedules_of(state, slot)
    runs = occurrences(found, now, now + _WEEK, zone)
    return next((run for run in runs if run.start > now), None)


def _at(schedules: dict[int, Schedule], now: datetime) -> list[Occurrence]:
    return occurrences(schedules, now, now + _SECOND, now.tzinfo or UTC)


def schedules_of(state: PoolState, slot: Slot) -> dict[int, Schedule]:
    """Return the schedules that switch an output.

    Schedules of outputs that run only with the pump start it, too (protocol.md O2.4).
    """
    slots = {slot.index}
    if slot.role is Role.PUMP:
        slots |= {s.index for s in state.outputs.slots if s.role is Role.PUMP_LINKED}
    used = state.schedules.used
    return {index: each for index, each in used.items() if each.slot in slots}


def _end_of(schedule: Schedule | None, now: datetime) -> datetime:
    """Return the end of a schedule that runs contrary to our clock or our records."""
    zone = now.tzinfo or UTC
    tomorrow = moment(now.date() + _DAY, 0, zone)
    if schedule is None:
        return tomorrow
    armed = {0: replace(schedule, enabled=True)}
    for window in occurrences(armed, now - CLOCKS, now + CLOCKS, zone):
        if window.end > now:
            return window.end
        # The controller's clock is behind, usually because of daylight saving.
        late = window.end.astimezone(UTC)
        while late <= now:
            late += _HOUR
        return late
    return tomorrow
