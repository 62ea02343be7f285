"""Observes schedules, which run by the controller's clock (chosen)."""

from collections.abc import Iterator

from ..clock import Times
from ..pool.state import PoolState, Source
from ..wire.equipment import Role, Slot
from ..wire.frame import MODE_MANUAL, MODE_OFF
from ..wire.schedule import Schedule
from .store import MAX_AGE, Store


class ClockWatch:
    """Compares the observed start of each schedule with its planned start."""

    def __init__(self, store: Store, times: Times) -> None:
        self._times = times
        self._previous: tuple[PoolState, float] | None = None
        store.add_read_listener(self._take)

    def _take(self, state: PoolState, at: float) -> None:
        previous, self._previous = self._previous, (state, at)
        times = self._times
        if previous is None or at - previous[1] > MAX_AGE or not times.clock.trusted:
            return
        for index, schedule in begun(previous[0], state):
            times.controller.began(index, schedule, times.now, times.zone())


def begun(previous: PoolState, state: PoolState) -> Iterator[tuple[int, Schedule]]:
    """Yield the schedules that certainly began between two reads, with their index.

    One that runs because its output was released, or because it changed, began earlier.
    """
    for was, mode, slot in _modes(previous, state):
        if was != MODE_OFF or mode == MODE_OFF:
            continue
        if (schedule := _of(mode, slot, previous, state)) is not None:
            yield mode - 1, schedule


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
    """Return an output's mode; the pump slot's own can be wrong (protocol.md O2.4)."""
    return state.readings.main_pump_mode if slot.role is Role.PUMP else slot.mode
