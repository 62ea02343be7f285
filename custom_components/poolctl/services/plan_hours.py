"""The action that plans today's pump hours for the times that cost least."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from math import ceil
from typing import Final

from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType
from homeassistant.util import dt as dt_util
from homeassistant.util.json import JsonValueType
import probatio as vol

from ..calendar import PoolctlCalendar
from ..client import BusyError, UnreachableError
from ..client.pool import DAY, Schedule, minute_of_day, occurrences, wall_time
from ..entity import PoolctlEntity
from ..errors import command_errors, mistake
from ..prices.given import (
    ATTR_FIELDS,
    ATTR_PREFER,
    HIGHEST,
    LISTS,
    PRICE_FIELDS,
    PUMP_HOURS,
)
from ..prices.reader import ListError, Price
from ..schedules.plan import PlanStep, PumpRun
from ..schedules.planning import CELL_MINUTES, Cells, Cost, cheapest, completed
from .schedules import ATTR_END, ATTR_PUMP_SPEED, ATTR_START
from .values import number, of_kind, on_entities, speed, within

ATTR_BLOCKS: Final = "blocks"
ATTR_HOURS: Final = "hours"
ATTR_AROUND: Final = "around"
ATTR_EARLIEST: Final = "earliest"
ATTR_LATEST: Final = "latest"
ATTR_AGAIN: Final = "again"
ATTR_DRY_RUN: Final = "dry_run"
ATTR_LATER: Final = "later"


_CHOOSING: Final = {*LISTS, ATTR_FIELDS, ATTR_AROUND}


def _one_way(data: ConfigType) -> ConfigType:
    """Return data with blocks, or hours and what chooses them; else raise an error."""
    if (ATTR_BLOCKS in data) is (ATTR_HOURS in data):
        raise mistake("one_of", fields=f"{ATTR_BLOCKS}, {ATTR_HOURS}")
    choosing = sorted(_CHOOSING & data.keys())
    if choosing and ATTR_BLOCKS in data:
        raise mistake("only_with", field=choosing[0], other=ATTR_HOURS)
    return data


_BLOCK: Final = vol.Schema(
    {vol.Required(ATTR_START): cv.time, vol.Required(ATTR_END): cv.time}
)
SCHEMA: Final = on_entities(
    {
        vol.Optional(ATTR_BLOCKS): vol.All(cv.ensure_list, [_BLOCK]),
        vol.Optional(ATTR_HOURS): within(ATTR_HOURS, number, 0.0, 24.0),
        **PRICE_FIELDS,
        vol.Optional(ATTR_AROUND): cv.time,
        vol.Optional(ATTR_EARLIEST, default=time()): cv.time,
        vol.Optional(ATTR_LATEST, default=time()): cv.time,
        vol.Optional(ATTR_PUMP_SPEED): speed,
        vol.Optional(ATTR_AGAIN, default=False): cv.boolean,
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
        vol.Optional(ATTR_LATER, default=False): cv.boolean,
    },
    _one_way,
)


async def async_plan(entity: PoolctlEntity, call: ServiceCall) -> ServiceResponse:
    """Plan the rest of today; return the plan, and whether it was written."""
    calendar, data = of_kind(PoolctlCalendar, entity, call), call.data
    coordinator = calendar.coordinator
    today = _Today(call, coordinator.stored.now)
    with command_errors(coordinator.record.title):
        try:
            today.prices = await coordinator.lists.given(
                PUMP_HOURS, data, later=data[ATTR_LATER]
            )
            blocks, steps = await calendar.plan.write(
                today.choose,
                data.get(ATTR_PUMP_SPEED),
                today=today.now.date(),
                again=data[ATTR_AGAIN] or call.context.user_id is not None,
                dry_run=data[ATTR_DRY_RUN],
            )
        except ListError, UnreachableError, BusyError:
            if not data[ATTR_LATER]:
                raise
            return today.answer((), ()) | {ATTR_LATER: True}
    answer = today.answer(blocks, steps)
    if today.unpriced:
        answer["unpriced_hours"] = round(today.unpriced / 60, 2)
    return answer


class _Today:
    """The rest of a day, and what a call of the action wants of it."""

    def __init__(self, call: ServiceCall, now: datetime) -> None:
        self._hass, self._wanted = call.hass, call.data
        self.now, self._cells = now, Cells(now)
        self.prices: Sequence[Price] | None = None
        self._own = 0.0
        """Minutes of the pump's other schedules."""
        self.unpriced = 0.0
        """Minutes of the chosen blocks that have no price."""

    async def choose(self, others: Mapping[int, Schedule]) -> Sequence[PumpRun] | None:
        """Return the blocks of the plan; see `ChooseBlocks`."""
        zone = dt_util.get_default_time_zone()
        runs = occurrences(others, self.now, self._cells.end, zone)
        self._own = self._cells.minutes_of((run.start, run.end) for run in runs)
        if (given := self._wanted.get(ATTR_BLOCKS)) is not None:
            blocks = [map(minute_of_day, (g[ATTR_START], g[ATTR_END])) for g in given]
            return [PumpRun(start, end or DAY) for start, end in blocks]
        return await self._hass.async_add_executor_job(self._cheapest, others)

    def answer(
        self, blocks: Sequence[PumpRun], steps: Sequence[PlanStep]
    ) -> dict[str, JsonValueType]:
        """Return the response of the action."""
        planned = sum(block.minutes for block in blocks)
        short = self._wanted.get(ATTR_HOURS, 0.0) * 60 - self._own - planned
        return {
            ATTR_BLOCKS: [
                {
                    ATTR_START: wall_time(block.start).isoformat(),
                    ATTR_END: wall_time(block.end).isoformat(),
                }
                for block in blocks
            ],
            "planned_hours": round(planned / 60, 2),
            "scheduled_hours": round(self._own / 60, 2),
            "missing_hours": round(short / 60, 2) if short >= CELL_MINUTES else 0.0,
            "changes": len(steps),
            "written": bool(steps) and not self._wanted[ATTR_DRY_RUN],
        }

    def _cheapest(self, others: Mapping[int, Schedule]) -> Sequence[PumpRun] | None:
        """Return the blocks with the lowest cost, `None` if no time is free today."""
        cells = self._cells
        # Rounded up: some minutes too many are better than too few.
        short = self._wanted[ATTR_HOURS] * 60 - self._own
        count = ceil(round(short / CELL_MINUTES, 3))
        if count <= 0:
            return ()
        taken = [(each.start, each.stop) for each in others.values()]
        taken += self._outside()
        if not any(cells.free([1.0] * len(cells.starts), taken)):
            return None
        priced, costs = self._costs(taken)
        runs = cheapest(costs, count)
        if priced is not None:
            used = (at for first, length in runs for at in range(first, first + length))
            self.unpriced = CELL_MINUTES * sum(priced[at] is None for at in used)
        return [cells.block(*run) for run in runs]

    def _costs(
        self, taken: Sequence[tuple[int, int]]
    ) -> tuple[Sequence[Cost] | None, Sequence[Cost]]:
        """Return the price of each cell, `None` without prices; and what it costs to use."""
        cells, around = self._cells, self._wanted.get(ATTR_AROUND)
        near = None if around is None else cells.near(minute_of_day(around))
        if self.prices is None:
            return None, cells.free(near or [0.0] * len(cells.starts), taken)
        priced = cells.free(cells.priced(self.prices), taken)
        if all(cost is None for cost in priced):
            raise ListError("plan_no_prices")
        if self._wanted[ATTR_PREFER] == HIGHEST:
            priced = [None if cost is None else -cost for cost in priced]
        if near is None:
            return priced, priced
        return priced, cells.free(completed(priced, near), taken)

    def _outside(self) -> list[tuple[int, int]]:
        """Return the times of day at which the pump should not run."""
        earliest, latest = (
            minute_of_day(self._wanted[name]) for name in (ATTR_EARLIEST, ATTR_LATEST)
        )
        if not latest or latest > earliest:
            return [(0, earliest), (latest or DAY, DAY)]
        return [(latest, earliest)]
