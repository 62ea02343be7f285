"""Sees schedules begin, which they do by the controller's clock (chosen, design.md 2)."""

from collections.abc import Iterator
from datetime import timedelta

from ..equipment import Role, Slot
from ..facts import Facts, ScheduleTimes
from ..frame import MODE_MANUAL, MODE_OFF
from ..holds.times import Times
from ..pool.state import PoolState, Source
from ..schedule import Schedule
from .store import MAX_AGE, Store


class ClockWatch:
    """Compares when schedules begin with when they should."""

    def __init__(self, store: Store, times: Times, facts: Facts) -> None:
        """Follow every read from now on; report what the starts show."""
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


def begun(previous: PoolState, state: PoolState) -> Iterator[tuple[int, Schedule]]:
    """Return the schedules that began between two reads, as far as that is certain.

    One that runs because somebody released its output, or changed it, began earlier. The
    copies of the cloud are old.
    """
    if not (previous.source is state.source is Source.LAN):
        return
    schedules, previous_ones = state.schedules.used, previous.schedules.used
    for before, after in zip(previous.outputs.slots, state.outputs.slots, strict=False):
        off = _mode(previous, before) == MODE_OFF
        mode = _mode(state, after)
        if (
            not off
            or before.held
            or after.held
            or mode in (None, MODE_OFF, MODE_MANUAL)
        ):
            continue
        schedule = schedules.get(mode - 1)
        if schedule is None or schedule.slot != after.index:
            continue
        if schedule == previous_ones.get(mode - 1):
            yield mode - 1, schedule


def _mode(state: PoolState, slot: Slot) -> int | None:
    """Return what runs an output; the mode of the pump's slot can lie (layouts.md 2.4)."""
    return state.readings.main_pump_mode if slot.role is Role.PUMP else slot.mode
