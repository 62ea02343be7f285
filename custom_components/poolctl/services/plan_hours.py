"""The action that plans today's pump hours for the times that cost least."""

from collections.abc import Mapping, Sequence
from datetime import time
from math import ceil
from typing import Any, Final

from homeassistant.core import ServiceCall, ServiceResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType
from homeassistant.util import dt as dt_util
import probatio as vol

from ..client.control.plan import MAX_BLOCKS, Block, PlanStep
from ..client.occurrences import occurrences
from ..client.wire.schedule import DAY, Schedule, minute_of_day, wall_time
from ..const import DOMAIN
from ..entity import PoolctlEntity
from ..errors import command_errors
from ..schedules.planning import CELL, Cells, Cost, cheapest
from .prices import listed, prices
from .schedules import ATTR_END, ATTR_PUMP_SPEED, ATTR_START
from .values import finite, whole

ATTR_BLOCKS: Final = "blocks"
ATTR_HOURS: Final = "hours"
ATTR_PRICES: Final = "prices"
ATTR_PRICE_ENTITIES: Final = "price_entities"
ATTR_PREFER: Final = "prefer"
ATTR_AROUND: Final = "around"
ATTR_EARLIEST: Final = "earliest"
ATTR_LATEST: Final = "latest"
ATTR_AGAIN: Final = "again"
ATTR_DRY_RUN: Final = "dry_run"
_HIGHEST: Final = "highest"


def _one_way(data: ConfigType) -> ConfigType:
    """Return data with blocks, or hours and at most one rule; else raise Invalid."""
    if (ATTR_BLOCKS in data) is (ATTR_HOURS in data):
        raise vol.Invalid(f"give either {ATTR_BLOCKS} or {ATTR_HOURS}")
    rules = {ATTR_PRICES, ATTR_PRICE_ENTITIES, ATTR_AROUND} & data.keys()
    if len(rules) > 1 or (rules and ATTR_BLOCKS in data):
        raise vol.Invalid(
            f"give one of {ATTR_PRICES}, {ATTR_PRICE_ENTITIES} and {ATTR_AROUND},"
            f" together with {ATTR_HOURS}"
        )
    return data


_BLOCK: Final = vol.Schema(
    {vol.Required(ATTR_START): cv.time, vol.Required(ATTR_END): cv.time}
)
SCHEMA: Final = vol.All(
    cv.make_entity_service_schema(
        {
            vol.Optional(ATTR_BLOCKS): vol.All(
                cv.ensure_list, [_BLOCK], vol.Length(max=MAX_BLOCKS)
            ),
            vol.Optional(ATTR_HOURS): vol.All(finite, vol.Range(min=0, max=24)),
            vol.Optional(ATTR_PRICES): vol.Any(list, dict),
            vol.Optional(ATTR_PRICE_ENTITIES): cv.entity_ids,
            vol.Optional(ATTR_PREFER, default="lowest"): vol.In(("lowest", _HIGHEST)),
            vol.Optional(ATTR_AROUND): cv.time,
            vol.Optional(ATTR_EARLIEST, default=time()): cv.time,
            vol.Optional(ATTR_LATEST, default=time()): cv.time,
            vol.Optional(ATTR_PUMP_SPEED): whole,
            vol.Optional(ATTR_AGAIN, default=False): cv.boolean,
            vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
        }
    ),
    _one_way,
)


async def async_plan(entity: PoolctlEntity, call: ServiceCall) -> ServiceResponse:
    """Plan the rest of today; return the plan, and whether it was written."""
    coordinator = entity.coordinator
    now = coordinator.stored.now
    cells = Cells(now)
    own = 0.0

    async def choose(others: Mapping[int, Schedule]) -> Sequence[Block]:
        nonlocal own
        runs = occurrences(others, now, cells.end, dt_util.get_default_time_zone())
        own = cells.minutes_of((run.start, run.end) for run in runs)
        if (given := call.data.get(ATTR_BLOCKS)) is not None:
            blocks = [map(minute_of_day, (g[ATTR_START], g[ATTR_END])) for g in given]
            return [Block(start, end or DAY) for start, end in blocks]
        return await call.hass.async_add_executor_job(_choose, call, cells, others, own)

    with command_errors(coordinator.record.title):
        blocks, steps = await coordinator.controller.plan.plan(
            choose,
            call.data.get(ATTR_PUMP_SPEED),
            today=now.date(),
            again=call.data[ATTR_AGAIN] or call.context.user_id is not None,
            dry_run=call.data[ATTR_DRY_RUN],
        )
    return _response(call, blocks, steps, own)


def _response(
    call: ServiceCall, blocks: Sequence[Block], steps: Sequence[PlanStep], own: float
) -> ServiceResponse:
    planned = sum(block.minutes for block in blocks)
    short = call.data.get(ATTR_HOURS, 0.0) * 60 - own - planned
    return {
        ATTR_BLOCKS: [
            {
                ATTR_START: wall_time(block.start).isoformat(),
                ATTR_END: wall_time(block.end).isoformat(),
            }
            for block in blocks
        ],
        "planned_hours": round(planned / 60, 2),
        "scheduled_hours": round(own / 60, 2),
        "missing_hours": round(short / 60, 2) if short >= CELL else 0.0,
        "changes": len(steps),
        "written": bool(steps) and not call.data[ATTR_DRY_RUN],
    }


def _choose(
    call: ServiceCall, cells: Cells, others: Mapping[int, Schedule], own: float
) -> Sequence[Block]:
    # Rounded up: some minutes too many are better than too few.
    count = ceil(round((call.data[ATTR_HOURS] * 60 - own) / CELL, 3))
    if count <= 0:
        return ()
    taken = [(each.start, each.stop) for each in others.values()]
    taken += _outside(call)
    costs = cells.free(_costs(call, cells), taken)
    if not any(cells.free([1.0] * len(costs), taken)):
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="plan_no_time"
        )
    if all(cost is None for cost in costs):
        raise ServiceValidationError(
            translation_domain=DOMAIN, translation_key="plan_no_prices"
        )
    if call.data[ATTR_PREFER] == _HIGHEST:
        costs = [None if cost is None else -cost for cost in costs]
    return [cells.block(*run) for run in cheapest(costs, count)]


def _costs(call: ServiceCall, cells: Cells) -> list[Cost]:
    data: Mapping[str, Any] = call.data
    if (entity_ids := data.get(ATTR_PRICE_ENTITIES)) is not None:
        states = [call.hass.states.get(entity_id) for entity_id in entity_ids]
        return cells.priced(
            price for state in states if state for price in listed(state.attributes)
        )
    if (given := data.get(ATTR_PRICES)) is not None:
        return cells.priced(prices(given))
    if (around := data.get(ATTR_AROUND)) is not None:
        return cells.near(minute_of_day(around))
    return [0.0] * len(cells.starts)


def _outside(call: ServiceCall) -> list[tuple[int, int]]:
    """Return the times of day at which the pump should not run."""
    earliest, latest = (
        minute_of_day(call.data[name]) for name in (ATTR_EARLIEST, ATTR_LATEST)
    )
    if not latest or latest > earliest:
        return [(0, earliest), (latest or DAY, DAY)]
    return [(latest, earliest)]
