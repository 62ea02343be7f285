"""The plan of a day's pump hours, in schedules that are reserved for it.

The controller runs them every day, so a plan continues while Home Assistant is down.
Their names identify them; all other schedules stay as they are. All of this is chosen.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import permutations, starmap
from typing import Final

from ..planning import MAX_BLOCKS, Block
from ..pool.schedule_rules import equip
from ..wire.exceptions import InvalidCommandError, NotAppliedError, NotSupportedError
from ..wire.schedule import (
    ALL_WEEK,
    DAY,
    LAST_MINUTE,
    MAX_SCHEDULES,
    UNUSED_SLOT,
    Schedule,
)
from .schedules import ScheduleControl
from .store import Store

RESERVED: Final = "HA plan"
"""Prefix of the names of reserved schedules."""
_NAMES: Final = [f"{RESERVED} {number}" for number in range(1, MAX_BLOCKS + 1)]
_NEW: Final = Schedule(
    slot=UNUSED_SLOT, aux_type=0, start=0, end=0, weekdays=ALL_WEEK, name=""
)

type _Table = Mapping[int, Schedule]
type ChooseBlocks = Callable[[_Table], Awaitable[Sequence[Block]]]
"""Returns the blocks of a plan; receives the pump's other schedules."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change to the schedules; `index` is `None` for a new one."""

    index: int | None
    wanted: Schedule


class PlanControl:
    """Writes plans, one at a time."""

    def __init__(self, store: Store, schedules: ScheduleControl) -> None:
        """Write through the schedules of one controller."""
        self._store = store
        self._schedules = schedules
        self._lock = asyncio.Lock()

    async def plan(
        self,
        choose: ChooseBlocks,
        speed: int | None,
        *,
        today: date,
        again: bool = False,
        dry_run: bool = False,
    ) -> tuple[Sequence[Block], Sequence[Step]]:
        """Replace the present plan with the chosen blocks; return them and the changes.

        Only differences are written, and only once a day unless the user requests it
        (`again`). Raises as `ScheduleControl` does, and InvalidCommandError if other
        schedules leave no room.
        """
        async with self._lock:
            await self._schedules.read()
            blocks = await choose(self._others())
            steps = self._steps(blocks, speed) if blocks else self._rest(today)
            if dry_run or not steps:
                return blocks, steps
            if self._store.choices.planned_on == today and not again:
                raise InvalidCommandError("written today", reason="plan_written_today")
            for step in steps:
                await self._take(step)
            self._store.choose(lambda choices: replace(choices, planned_on=today))
            return blocks, steps

    @property
    def _used(self) -> _Table:
        return self._store.reported.schedules.used

    @property
    def _pump(self) -> int:
        if (pump := self._store.reported.outputs.pump) is None:
            raise NotSupportedError("the slot of the pump is not known yet")
        return pump.index

    def _others(self) -> _Table:
        """Return the enabled schedules of the pump that are not reserved."""
        return {
            index: schedule
            for index, schedule in self._used.items()
            if schedule.slot == self._pump
            and schedule.enabled
            and not _is_reserved(schedule)
        }

    def _steps(self, blocks: Sequence[Block], speed: int | None) -> Sequence[Step]:
        """Return the fewest changes that turn the reserved schedules into a plan."""
        self._check(blocks)
        reserved = [i for i, one in self._used.items() if _is_reserved(one)]
        places = [*reserved, *[None] * max(len(blocks) - len(reserved), 0)]
        ways = [
            self._changes(reserved, list(zip(order, blocks, strict=True)), speed)
            for order in permutations(places, len(blocks))
        ]
        return min(ways, key=len)

    def _rest(self, today: date) -> Sequence[Step]:
        """Return the changes that keep the last plan for all days except today.

        Nothing more is needed today, but the pump must still have its hours tomorrow
        while Home Assistant is down.
        """
        others = ALL_WEEK & ~(1 << today.weekday())
        return [
            Step(index, replace(one, weekdays=one.weekdays & others))
            for index, one in self._used.items()
            if _is_reserved(one) and one.enabled and one.weekdays & ~others
        ]

    def _check(self, blocks: Sequence[Block]) -> None:
        others, wanted = self._others(), [self._schedule(each) for each in blocks]
        if len(wanted) > MAX_BLOCKS or (
            len(wanted) == MAX_BLOCKS and wanted[0].overlaps(wanted[1])
        ):
            raise InvalidCommandError("no such blocks", reason="plan_blocks")
        free = MAX_SCHEDULES - sum(
            not _is_reserved(each) for each in self._used.values()
        )
        if len(wanted) > free:
            raise InvalidCommandError("all are in use", reason="schedule_limit")
        for one in wanted:
            for other in others.values():
                if other.overlaps(one):
                    raise InvalidCommandError(
                        "the pump runs then", reason="plan_overlap", name=other.name
                    )

    def _changes(
        self,
        reserved: Iterable[int],
        places: Sequence[tuple[int | None, Block]],
        speed: int | None,
    ) -> Sequence[Step]:
        """Return the changes that put blocks into these places, in a safe order."""
        kept = {index for index, _ in places}
        stopped = {
            index: replace(self._used[index], enabled=False)
            for index in reserved
            if index not in kept and self._used[index].enabled
        }
        now = {**self._used, **stopped}
        names = iter(_free_names(now.values()))
        steps = []
        for index, block in places:
            previous = None if index is None else now[index]
            wanted = self._schedule(block, previous, speed)
            if previous is None:
                steps.append(Step(None, replace(wanted, name=next(names))))
            elif not _same(wanted, previous):
                steps.append(Step(index, wanted))
        return [*starmap(Step, stopped.items()), *_in_order(now, steps)]

    def _schedule(
        self, block: Block, previous: Schedule | None = None, speed: int | None = None
    ) -> Schedule:
        """Return the previous schedule, or a new one, with the times of a block."""
        store = self._store
        equipped = equip(store.reported, store.choices, previous, self._pump, speed)
        return replace(
            previous or _NEW,
            **equipped,
            start=block.start,
            end=LAST_MINUTE if block.end == DAY else block.end,
            weekdays=ALL_WEEK,
            enabled=True,
        )

    async def _take(self, step: Step) -> None:
        if step.index is not None:
            observed = self._used[step.index]
            await self._schedules.update(step.index, step.wanted, observed=observed)
            return
        index = await self._schedules.create(step.wanted)
        if index is not None and not _is_reserved(made := self._used[index]):
            # The next plan would not recognise it, and would create another one.
            await self._schedules.delete(index, observed=made)
            raise NotAppliedError("the controller does not keep its name")


def _is_reserved(schedule: Schedule) -> bool:
    return schedule.name.startswith(RESERVED)


def _free_names(schedules: Iterable[Schedule]) -> list[str]:
    used = {schedule.name for schedule in schedules}
    return [name for name in _NAMES if name not in used]


def _same(wanted: Schedule, previous: Schedule) -> bool:
    """Return whether both are the same, whichever way midnight is written."""
    same_end = wanted.stop == previous.stop
    return same_end and replace(wanted, end=previous.end) == previous


def _in_order(now: _Table, steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps in an order that never arms two schedules for the same time."""
    for order in permutations(steps):
        if _fits(now, order):
            return order
    # Each needs the time of another one: one is disarmed first.
    index = next(step.index for step in steps if step.index is not None)
    stop = Step(index, replace(now[index], enabled=False))
    return [stop, *_in_order({**now, index: stop.wanted}, steps)]


def _fits(now: _Table, steps: Iterable[Step]) -> bool:
    """Return whether, in this order, no step overlaps with a schedule as it is then."""
    reserved = {i: one for i, one in now.items() if _is_reserved(one) and one.enabled}
    for step in steps:
        others = [one for i, one in reserved.items() if i != step.index]
        if any(step.wanted.overlaps(one) for one in others):
            return False
        if step.index is not None:
            reserved[step.index] = step.wanted
    return True
