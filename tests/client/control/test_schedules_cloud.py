"""Schedules that are read and changed through the cloud."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from custom_components.poolctl.client.pool.from_cloud import merge_schedule_info
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.exceptions import (
    BusyError,
    CommandFailedError,
    NotOfferedError,
    UnreachableError,
)
from tests.client.conftest import Rig
from tests.client.control.schedule_changes import (
    CHANGES,
    EVENING,
    FALL,
    INDEX,
    NEW,
    SEEN,
    change,
    done,
    record,
    shown,
)
from tests.world.simulator import devices


async def test_the_cloud_tells_of_schedules(away: Rig) -> None:
    schedules = away.controller.store.state.schedules.used
    assert [one.name for one in schedules.values()] == [
        "Filter",
        "Waterfall",
        "Evening light",
    ]
    assert [one.enabled for one in schedules.values()] == [True, False, False]
    assert schedules[0].aux_type == 31 and schedules[0].speed == 75
    assert SEEN.same_as(schedules[1])
    assert not away.controller.store.state.schedules.assumed


async def test_the_cloud_is_not_asked_for_them_every_time(away: Rig) -> None:
    requests = away.service.requests
    for _ in range(9):
        await away.polls(30)
    assert requests("scheduleInfo") == 0
    for _ in range(2):
        await away.polls(30)
    assert requests("scheduleInfo") == 1


@CHANGES
async def test_a_change_through_the_cloud(away: Rig, what: str) -> None:
    result = await change(away, what)
    assert result == (NEW if what == "create" else None)
    assert done(away, what)
    assert len(away.written()) == 1
    found = shown(away, NEW if what == "create" else INDEX)
    assert (found is None) is (what == "delete")
    if what == "enable":
        assert found is not None and found.enabled


async def test_a_record_through_the_cloud(away: Rig) -> None:
    wanted = replace(EVENING, start=1320, end=60, weekdays=0b1000001)
    await away.controller.schedules.create(wanted)
    found = record(away, NEW)
    assert (found.slot, found.aux_type, found.start, found.end) == (FALL, 1, 1320, 60)
    assert (found.weekdays, found.speed, found.name) == (0b1000001, 0, "Evening")


@CHANGES
async def test_a_copy_that_is_older_than_a_change(away: Rig, what: str) -> None:
    """C12: a copy is not read until it can be newer, and undoes no change."""
    old = deepcopy(away.pool.pool.schedules)
    seen = away.service.requests("scheduleInfo")
    index = await change(away, what)
    assert index == (NEW if what == "create" else None)
    told = away.controller.store.state.schedules.used
    # Read once before the change was sent, and not after it.
    assert away.service.requests("scheduleInfo") == seen + 1
    new, away.pool.pool.schedules = away.pool.pool.schedules, old
    await away.polls(30)
    assert away.service.requests("scheduleInfo") == seen + 1
    assert away.controller.store.state.schedules.used == told
    away.pool.pool.schedules = new
    await away.polls(30)
    assert away.service.requests("scheduleInfo") == seen + 2
    assert away.controller.store.state.schedules.used == told


async def test_changes_one_after_the_other(away: Rig) -> None:
    """C12: a second change builds on the first, however old the copies are."""
    old = deepcopy(away.pool.pool.schedules)
    await change(away, "update")
    away.pool.pool.schedules, new = old, away.pool.pool.schedules
    seen = away.service.requests("scheduleInfo")
    found = shown(away, INDEX)
    assert found is not None and found.end == 900
    away.pool.pool.schedules = new
    await away.controller.schedules.delete(INDEX, observed=found)
    assert away.service.requests("scheduleInfo") == seen
    assert not record(away, INDEX).used


async def test_a_new_one_whose_number_is_not_reported_yet(away: Rig) -> None:
    """C12: no other schedule is changed in its place."""
    old = deepcopy(away.pool.pool.schedules)
    await change(away, "create")
    new, away.pool.pool.schedules = away.pool.pool.schedules, old
    found = shown(away, NEW)
    assert found is not None
    with pytest.raises(BusyError) as caught:
        await away.controller.schedules.delete(NEW, observed=found)
    assert caught.value.retry_after is not None and caught.value.retry_after <= 35
    away.pool.pool.schedules = new
    await away.controller.schedules.delete(NEW, observed=found)
    assert not record(away, NEW).used


async def test_a_new_one_that_is_to_be_disarmed(away: Rig) -> None:
    assert await away.controller.schedules.create(replace(EVENING, enabled=False))
    assert not record(away, NEW).enabled
    await away.polls(60)
    found = shown(away, NEW)
    assert found is not None and not found.enabled


@CHANGES
async def test_a_refusal_by_the_cloud(away: Rig, what: str) -> None:
    away.pool.faults.on("decline")
    with pytest.raises(CommandFailedError):
        await change(away, what)
    assert len(away.written()) == 1
    assert not done(away, what)


@CHANGES
async def test_a_lost_answer_of_the_cloud(away: Rig, what: str) -> None:
    """After a 5xx it is unknown whether the change was made; it is not sent again."""
    endpoint = {"enable": "changeScheduleStatus"}.get(what, f"{what}Schedule")
    away.service.cloud.faults.once("error_500", 1, endpoint)
    with pytest.raises(UnreachableError) as caught:
        await change(away, what)
    assert caught.value.reason == "outcome_unknown"
    assert len(away.written()) == 1


async def test_a_busy_controller_is_waited_for(away: Rig) -> None:
    away.service.cloud.faults.once("rate_limited", 1, "scheduleInfo")
    await change(away, "delete")
    assert done(away, "delete")
    assert 5.0 in away.time.slept


async def test_not_offered(away: Rig) -> None:
    """No schedule is changed where the cloud does not offer to read them."""
    away.service.cloud.not_offered.add("scheduleInfo")
    with pytest.raises(NotOfferedError):
        await change(away, "delete")
    assert away.written() == []


@pytest.mark.parametrize("fault", ["wrong_types", "empty", "html", "truncated_json"])
async def test_a_strange_answer_takes_nothing_away(away: Rig, fault: str) -> None:
    before = away.controller.store.state.schedules.records
    away.service.cloud.faults.on(fault, "scheduleInfo")
    away.time.advance(300)
    await away.polls(30)
    assert away.service.requests("scheduleInfo") == 1
    assert away.controller.store.state.schedules.records == before


@pytest.mark.parametrize(
    "change",
    [
        {"aux_slot": "seven"},
        {"aux_slot": 99},
        {"start_time": 1440},
        {"end_time": None},
        {"week_days": 31},
        {"schedule_num": 0},
        {"schedule_num": 21},
        {"schedule_num": True},
    ],
)
async def test_one_that_is_not_understood_takes_nothing_away(
    away: Rig, change: dict[str, Any]
) -> None:
    """The other schedules are updated, and none counts as deleted."""
    schedules = away.pool.pool.schedules
    told = devices._schedules(away.pool.pool)["scheduleInfo"]["schedules"]
    told[1] |= change
    told[0]["schedule_name"] = "New name"
    del told[2]
    state = merge_schedule_info(
        away.controller.store.state, {"scheduleInfo": {"schedules": [*told, "odd"]}}
    )
    found = state.schedules.used
    assert [one.name for one in found.values()] == [
        "New name",
        schedules[1].name,
        schedules[2].name,
    ]
    # Only an answer that is understood as a whole deletes schedules.
    state = merge_schedule_info(state, {"scheduleInfo": {"schedules": told[:1]}})
    assert list(state.schedules.used) == [0]


def test_a_table_without_one_that_is_understood_is_not_an_empty_one() -> None:
    """After a restart, such a table leaves it unknown which schedules there are."""
    state = PoolState()
    odd = {"scheduleInfo": {"schedules": [{"schedule_num": "seven"}]}}
    assert merge_schedule_info(state, odd) == state
    empty = merge_schedule_info(state, {"scheduleInfo": {"schedules": []}})
    assert empty.schedules.records is not None and empty.schedules.used == {}
