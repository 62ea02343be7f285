"""Windows of the schedules of an output: open ones, their ends, and the next run.

Schedules run by the controller's clock: `now` and the results are by that clock, too.
All of this is chosen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

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
type _Run = tuple[Schedule | None, datetime]
"""A schedule, `None` if its record is not known, and the end of its run."""
_DAY, _HOUR, _SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Window:
    """Windows of schedules that are overridden by switching off: one run.

    They are open now, or follow without a gap; midnight is no gap.
    """

    until: datetime | None
    """End of the last one in UTC, `None` if they go on all week."""
    schedules: Mapping[int, Schedule | None]
    """The schedules by place; `None`: its record is not known."""


def window_of(state: PoolState, slot: Slot, now: datetime) -> Window | None:
    """Return the windows that would switch an output on now, `None` if there is none.

    If the end of a running schedule cannot be derived from its record, the end of the
    day is used.
    """
    schedules = schedules_of(state, slot)
    runs = _open(schedules, now)
    running = running_schedule(state, slot)
    if running is not None and running not in runs:
        schedule = state.schedules.used.get(running)
        runs[running] = schedule, _end_of(schedule, now)
    return _joined(schedules, runs, now)


def window_at(schedules: Mapping[int, Schedule], now: datetime) -> Window | None:
    """Return the windows of schedules that are open at a time, `None` if there is none."""
    return _joined(schedules, _open(schedules, now), now)


def _open(schedules: Mapping[int, Schedule], now: datetime) -> dict[int, _Run]:
    runs = occurrences(schedules, now, now + _SECOND, now.tzinfo or UTC)
    return {run.index: (run.schedule, run.end) for run in runs}


def _joined(
    schedules: Mapping[int, Schedule], runs: Mapping[int, _Run], now: datetime
) -> Window | None:
    """Return these runs and those that follow them without a gap."""
    found: dict[int, Schedule | None] = {}
    until, end = (
        now,
        max((end.astimezone(UTC) for _, end in runs.values()), default=now),
    )
    while end > until:
        found |= {place: schedule for place, (schedule, _) in runs.items()}
        if (until := end) > now + _WEEK:
            return Window(None, found)
        runs = _open(schedules, until.astimezone(now.tzinfo or UTC))
        end = max((end.astimezone(UTC) for _, end in runs.values()), default=until)
    return Window(until, found) if found else None


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
