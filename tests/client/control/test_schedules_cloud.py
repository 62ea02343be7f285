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
from tests.world.simulator import devices, schedules as sim_schedules


def reads(rig: Rig) -> int:
    return rig.service.requests("scheduleInfo")


async def test_the_schedules_of_the_cloud(away: Rig) -> None:
    """They are not read every time."""
    schedules = away.shown.schedules.used
    assert {one.name: one.enabled for one in schedules.values()} == {
        "Filter": True,
        "Waterfall": False,
        "Evening light": False,
    }
    assert (schedules[0].aux_type, schedules[0].speed) == (31, 75)
    assert SEEN.same_as(schedules[1])
    assert not away.shown.schedules.assumed
    await away.polls(30, times=9)
    assert reads(away) == 0
    await away.polls(30, times=2)
    assert reads(away) == 1


@CHANGES
async def test_a_copy_that_is_older_than_a_change(away: Rig, what: str) -> None:
    """C12: a copy is not read until it can be newer, and undoes no change."""
    old, seen = deepcopy(away.pool.pool.schedules), reads(away)
    assert await change(away, what) == (NEW if what == "create" else None)
    assert (done(away, what), len(away.written())) == (True, 1)
    known = away.shown.schedules.used
    found = known.get(NEW if what == "create" else INDEX)
    assert (found is None) is (what == "delete")
    assert what != "enable" or (found is not None and found.enabled)
    # Read once before the change was sent, and not after it.
    assert reads(away) == seen + 1
    new, away.pool.pool.schedules = away.pool.pool.schedules, old
    await away.polls(30)
    assert (reads(away), away.shown.schedules.used) == (seen + 1, known)
    away.pool.pool.schedules = new
    await away.polls(30)
    assert (reads(away), away.shown.schedules.used) == (seen + 2, known)


async def test_changes_one_after_the_other(away: Rig) -> None:
    """C12: a second change builds on the first, however old the copies are."""
    await change(away, "update")
    seen, found = reads(away), shown(away, INDEX)
    assert found is not None and found.end == 900
    await away.controller.schedules.delete(INDEX, observed=found)
    assert (reads(away), record(away, INDEX).used) == (seen, False)


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
    """A busy controller is waited for."""
    away.service.cloud.faults.once("rate_limited", 1, "scheduleInfo")
    wanted = replace(EVENING, start=1320, end=60, weekdays=65, enabled=False)
    assert await away.controller.schedules.create(wanted) == NEW
    expected = sim_schedules.Schedule(FALL, 1, 0, 0, 1320, 60, 65, "Evening", False)
    assert record(away, NEW) == expected and 5.0 in away.time.slept
    await away.polls(60)
    found = shown(away, NEW)
    assert found is not None and not found.enabled


@CHANGES
async def test_a_change_that_fails(away: Rig, what: str) -> None:
    """After a 5xx it is unknown whether the change was made; it is not sent again."""
    away.pool.faults.on("decline")
    with pytest.raises(CommandFailedError):
        await change(away, what)
    assert (len(away.written()), done(away, what)) == (1, False)
    away.pool.faults.clear()
    endpoint = {"enable": "changeScheduleStatus"}.get(what, f"{what}Schedule")
    away.service.cloud.faults.once("error_500", 1, endpoint)
    with pytest.raises(UnreachableError, match="outcome_unknown"):
        await change(away, what)
    assert len(away.written()) == 2


async def test_not_offered(away: Rig) -> None:
    """No schedule is changed where the cloud does not offer to read them."""
    away.service.cloud.not_offered.add("scheduleInfo")
    with pytest.raises(NotOfferedError):
        await change(away, "delete")
    assert away.written() == []


@pytest.mark.parametrize("fault", ["wrong_types", "empty", "html", "truncated_json"])
async def test_a_strange_answer_takes_nothing_away(away: Rig, fault: str) -> None:
    before = away.shown.schedules.records
    away.service.cloud.faults.on(fault, "scheduleInfo")
    away.time.advance(300)
    await away.polls(30)
    assert (reads(away), away.shown.schedules.records) == (1, before)


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
def test_one_that_is_not_understood_takes_nothing_away(
    away: Rig, change: dict[str, Any]
) -> None:
    """The other schedules are updated, and none counts as deleted."""
    told = devices._schedules(away.pool.pool)["scheduleInfo"]["schedules"]
    told[1] |= change
    told[0]["schedule_name"] = "New name"
    del told[2]
    state = merge_schedule_info(
        away.shown, {"scheduleInfo": {"schedules": [*told, "odd"]}}
    )
    names = [one.name for one in state.schedules.used.values()]
    assert names == ["New name", "Waterfall", "Evening light"]
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
