"""Observes schedules, which run by the controller's clock (chosen)."""

from collections.abc import Iterator

from ..controller_clock import Times
from ..pool.state import PoolState, Source
from ..wire.frame import MODE_OFF
from ..wire.schedule import Schedule
from .live_state import MAX_AGE


class ClockWatch:
    """Compares the observed start of each schedule with its planned start."""

    def __init__(self, times: Times) -> None:
        self._times = times
        self._previous: tuple[PoolState, float] | None = None

    def add_read(self, state: PoolState, at: float) -> None:
        """Note the schedules that began since the previous read (monotonic, s)."""
        previous, self._previous = self._previous, (state, at)
        times = self._times
        if previous is None or at - previous[1] > MAX_AGE or not times.clock.known:
            return
        for index, schedule in begun(previous[0], state):
            times.controller.began(index, schedule, times.now, times.zone())


def begun(previous: PoolState, state: PoolState) -> Iterator[tuple[int, Schedule]]:
    """Yield the schedules that certainly began between two reads, with their index.

    One that runs because its output was released, or because it changed, began earlier.
    """
    if not (previous.source is state.source is Source.LAN):
        return  # cloud copies are too old
    for before, after in zip(previous.outputs.slots, state.outputs.slots, strict=False):
        index = (state.output_mode(after) or MODE_OFF) - 1
        schedule = state.schedules.used.get(index)
        if (
            schedule is not None
            and schedule.slot == after.index
            and schedule == previous.schedules.used.get(index)
            and previous.output_mode(before) == MODE_OFF
            and not (before.held or after.held)
        ):
            yield index, schedule
