"""The plan of a day's pump hours, in schedules that are reserved for it.

The controller runs them every day, so a plan continues while Home Assistant is down.
A schedule is reserved as long as it has the name, slot, times and weekdays that the last
plan wrote, wherever it is; all others stay as they are. All of this is chosen.
"""

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set as AbstractSet,
)
from dataclasses import dataclass, replace
from datetime import date
from itertools import count, permutations
from typing import Final

from ..client import Controller, InvalidCommandError, PoolctlError
from ..client.pool import ALL_WEEK, DAY, MAX_SCHEDULES, PlannedSchedule, Schedule, equip

_NAME: Final = "HA plan {}"
"""Name of a reserved schedule, with a number."""

MAX_BLOCKS: Final = 2


@dataclass(frozen=True, slots=True)
class PumpRun:
    """One block of a plan: a daily run in minutes after midnight by the wall clock."""

    start: int
    end: int
    """1440 is midnight; an end before `start` is on the next day."""

    @property
    def minutes(self) -> int:
        """Duration in minutes."""
        return (self.end - self.start) % DAY or DAY


type _Table = Mapping[int, Schedule]
type ChooseBlocks = Callable[[_Table], Awaitable[Sequence[PumpRun] | None]]
"""Returns the blocks of a plan, `None` if the present plan stays as it is.

It receives the pump's other schedules.
"""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One change to the schedules; `index` is `None` for a new one."""

    index: int | None
    wanted: Schedule


class PumpPlan:
    """The plan of one controller; writes one at a time."""

    def __init__(self, controller: Controller) -> None:
        self._live, self._schedules = controller.live, controller.schedules
        self._lock = asyncio.Lock()

    async def write(
        self,
        choose: ChooseBlocks,
        speed: int | None,
        *,
        today: date,
        again: bool = False,
        dry_run: bool = False,
    ) -> tuple[Sequence[PumpRun], Sequence[PlanStep]]:
        """Replace the present plan with the chosen blocks; return them and the changes.

        Only differences are written, and only once a day unless the user requests it
        (`again`). Raises as `ScheduleControl` does, and InvalidCommandError if other
        schedules leave no room.
        """
        async with self._lock:
            await self._schedules.read()
            blocks = await choose(self._others())
            if blocks is None:
                return (), ()
            steps = self._steps(blocks, speed) if blocks else self._rest(today)
            if dry_run or not steps:
                return blocks, steps
            if self._live.choices.planned_on == today and not again:
                raise InvalidCommandError(reason="plan_written_today")
            for step in steps:
                await self._write(step)
            kept = tuple(self._reserved())
            self._live.choose(
                lambda choices: replace(choices, planned_on=today, planned=kept)
            )
            return blocks, steps

    @property
    def _used(self) -> _Table:
        return self._live.reported.schedules.used

    def _reserved(self) -> Mapping[PlannedSchedule, int]:
        """Return the indexes of the reserved schedules, by what a plan has written."""
        present = {_planned(each): index for index, each in self._used.items()}
        planned = self._live.choices.planned
        return {each: present[each] for each in planned if each in present}

    def _others(self) -> _Table:
        """Return the enabled schedules of the pump that are not reserved."""
        reserved = self._reserved().values()
        pump = self._live.reported.outputs.pump_slot
        return {
            index: schedule
            for index, schedule in self._used.items()
            if schedule.slot == pump and schedule.enabled and index not in reserved
        }

    def _steps(
        self, blocks: Sequence[PumpRun], speed: int | None
    ) -> Sequence[PlanStep]:
        """Return the fewest changes that turn the reserved schedules into a plan."""
        self._check(blocks)
        reserved = list(self._reserved().values())
        places = [*reserved, *[None] * max(len(blocks) - len(reserved), 0)]
        ways = [
            self._changes(reserved, list(zip(order, blocks, strict=True)), speed)
            for order in permutations(places, len(blocks))
        ]
        return min(ways, key=len)

    def _rest(self, today: date) -> Sequence[PlanStep]:
        """Return the changes that keep the last plan for all days except today.

        Nothing more is needed today, but the pump must still have its hours tomorrow
        while Home Assistant is down.
        """
        days = ALL_WEEK & ~(1 << today.weekday())
        others = self._others().values()
        steps = []
        for index in self._reserved().values():
            one = self._used[index]
            wanted = replace(one, weekdays=days)
            if any(other.overlaps(wanted) for other in others):
                wanted = replace(one, weekdays=one.weekdays & days)
            if one.enabled and wanted.weekdays not in (0, one.weekdays):
                steps.append(PlanStep(index, wanted))
        return steps

    def _check(self, blocks: Sequence[PumpRun]) -> None:
        others, wanted = self._others(), [self._schedule(each) for each in blocks]
        if len(wanted) > MAX_BLOCKS or (
            len(wanted) == MAX_BLOCKS and wanted[0].overlaps(wanted[1])
        ):
            raise InvalidCommandError(reason="plan_blocks")
        if len(wanted) > MAX_SCHEDULES - len(self._used) + len(self._reserved()):
            raise InvalidCommandError(reason="schedule_limit")
        for one in wanted:
            for other in others.values():
                if other.overlaps(one):
                    raise InvalidCommandError(reason="plan_overlap", name=other.name)

    def _changes(
        self,
        reserved: Iterable[int],
        places: Sequence[tuple[int | None, PumpRun]],
        speed: int | None,
    ) -> Sequence[PlanStep]:
        armed = {index for index in reserved if self._used[index].enabled}
        kept = armed & dict(places).keys()
        stops = [
            PlanStep(index, replace(self._used[index], enabled=False))
            for index in reserved
            if index in armed - kept
        ]
        taken = {schedule.name for schedule in self._used.values()}
        names = (name for name in map(_NAME.format, count(1)) if name not in taken)
        steps = [
            step
            for index, block in places
            if (step := self._step(index, block, speed, names)) is not None
        ]
        return [*stops, *_in_order(self._used, kept, steps)]

    def _step(
        self, index: int | None, block: PumpRun, speed: int | None, names: Iterator[str]
    ) -> PlanStep | None:
        """Return the change that makes a schedule run a block, `None` if it does."""
        if index is None:
            new = replace(self._schedule(block, speed=speed), name=next(names))
            return PlanStep(None, new)
        previous = self._used[index]
        wanted = self._schedule(block, previous, speed)
        # However midnight is written.
        same_end = wanted.stop == previous.stop
        same = same_end and replace(wanted, end=previous.end) == previous
        return None if same else PlanStep(index, wanted)

    def _schedule(
        self, block: PumpRun, previous: Schedule | None = None, speed: int | None = None
    ) -> Schedule:
        state, choices = self._live.reported, self._live.choices
        pump = state.outputs.pump_slot
        return replace(
            equip(state, choices, previous, pump, speed),
            start=block.start,
            end=block.end,
            weekdays=ALL_WEEK,
            enabled=True,
        )

    async def _write(self, step: PlanStep) -> None:
        """Write a change; what may have been written is reserved, even if it fails."""
        index, planned = step.index, self._live.choices.planned
        self._reserve(step.wanted)
        try:
            if index is None:
                index = await self._schedules.create(step.wanted)
            else:
                observed = self._used[index]
                await self._schedules.update(index, step.wanted, observed=observed)
        except PoolctlError as err:
            written = _planned(step.wanted) in self._reserved()
            if err.ran is False and not written:
                self._live.choose(lambda choices: replace(choices, planned=planned))
            raise
        # A controller may cut the name.
        self._reserve(self._used.get(-1 if index is None else index, step.wanted))

    def _reserve(self, schedule: Schedule) -> None:
        planned = _planned(schedule)
        if planned not in self._live.choices.planned:
            self._live.choose(
                lambda choices: replace(choices, planned=(*choices.planned, planned))
            )


def _planned(schedule: Schedule) -> PlannedSchedule:
    """Return what is compared of a schedule, whichever way midnight is written."""
    return PlannedSchedule(
        name=schedule.name,
        slot=schedule.slot,
        start=schedule.start,
        stop=schedule.stop,
        weekdays=schedule.weekdays,
    )


def _in_order(
    now: _Table, armed: AbstractSet[int], steps: Sequence[PlanStep]
) -> Sequence[PlanStep]:
    """Return the steps in an order that never arms two schedules for the same time."""
    for order in permutations(steps):
        if _fits({index: now[index] for index in armed}, order):
            return order
    # Each needs the time of another one: one is disarmed first.
    index = next(step.index for step in steps if step.index is not None)
    stop = PlanStep(index, replace(now[index], enabled=False))
    return [stop, *_in_order({**now, index: stop.wanted}, armed - {index}, steps)]


def _fits(armed: dict[int, Schedule], steps: Iterable[PlanStep]) -> bool:
    for step in steps:
        others = [one for i, one in armed.items() if i != step.index]
        if any(step.wanted.overlaps(one) for one in others):
            return False
        if step.index is not None:
            armed[step.index] = step.wanted
    return True
