"""Observes schedules, which run by the controller's clock (chosen, design.md 2)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from ..equipment import Role, Slot
from ..facts import Facts, OverMidnight, ScheduleTimes
from ..frame import MODE_MANUAL, MODE_OFF
from ..holds.times import Times
from ..pool.state import PoolState, Source
from ..schedule import DAY, Schedule
from .store import MAX_AGE, Store

_NEAR: Final = timedelta(minutes=2)
"""Time around midnight that allows for clock drift and a late read (chosen)."""
_LATER: Final = timedelta(minutes=10)
"""Time after midnight at which a running schedule did not end there (chosen)."""
_LONG: Final = 20
"""Minutes after midnight that a schedule must last to be checked."""


class ClockWatch:
    """Compares the observed start of each schedule with its planned start."""

    def __init__(self, store: Store, times: Times, facts: Facts) -> None:
        """Listen to every read, and emit the results as facts."""
        self._times = times
        self._facts = facts
        self._previous: tuple[PoolState, float] | None = None
        store.add_read_listener(self._take)

    def _take(self, state: PoolState, at: float) -> None:
        previous, self._previous = self._previous, (state, at)
        times = self._times
        if previous is None or at - previous[1] > MAX_AGE or not times.clock.trusted:
            return
        for index, schedule in begun(previous[0], state):
            clock = times.controller
            if clock.began(index, schedule, times.now, times.zone()):
                minutes = round(clock.shift / timedelta(minutes=1))
                self._facts.emit(ScheduleTimes(minutes))
        if (local := times.local).hour not in (23, 0):
            return
        passed = timedelta(seconds=at - previous[1])
        for went_on in over_midnight(previous[0], state, local, passed):
            self._facts.emit(OverMidnight(went_on))


def begun(previous: PoolState, state: PoolState) -> Iterator[tuple[int, Schedule]]:
    """Yield the schedules that certainly began between two reads, with their index.

    One that runs because its output was released, or because it changed, began earlier.
    """
    for was, mode, slot in _modes(previous, state):
        if was != MODE_OFF or mode == MODE_OFF:
            continue
        if (schedule := _of(mode, slot, previous, state)) is not None:
            yield mode - 1, schedule


def over_midnight(
    previous: PoolState, state: PoolState, local: datetime, passed: timedelta
) -> Iterator[bool]:
    """Yield for each schedule that spans midnight whether it continued after midnight.

    `local` is the controller's time, `passed` the time between the reads. A schedule
    that stops at midnight without a hold ended there; one that runs a while later
    continued.
    """
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    for was, mode, slot in _modes(previous, state):
        schedule = _of(was, slot, previous, state)
        if schedule is None or schedule.stop < DAY + _LONG:
            continue
        near = min(local - midnight, midnight + timedelta(days=1) - local)
        if mode == MODE_OFF and near <= _NEAR:
            yield False
        elif mode == was and local - passed < midnight + _LATER <= local:
            yield True


def _modes(previous: PoolState, state: PoolState) -> Iterator[tuple[int, int, Slot]]:
    """Yield both modes of each slot that was not held; cloud copies are too old."""
    if not (previous.source is state.source is Source.LAN):
        return
    for before, after in zip(previous.outputs.slots, state.outputs.slots, strict=False):
        was, mode = _mode(previous, before), _mode(state, after)
        if was is None or mode is None or before.held or after.held:
            continue
        yield was, mode, after


def _of(
    mode: int, slot: Slot, previous: PoolState, state: PoolState
) -> Schedule | None:
    """Return the schedule of a mode if it belongs to the slot and did not change."""
    schedule = state.schedules.used.get(mode - 1)
    if mode == MODE_MANUAL or schedule is None or schedule.slot != slot.index:
        return None
    return schedule if schedule == previous.schedules.used.get(mode - 1) else None


def _mode(state: PoolState, slot: Slot) -> int | None:
    """Return an output's mode; the pump slot's own can be wrong (layouts.md 2.4)."""
    return state.readings.main_pump_mode if slot.role is Role.PUMP else slot.mode
