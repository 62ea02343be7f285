"""Changes of schedules are neither lost nor made twice."""

import asyncio
from copy import deepcopy
from dataclasses import asdict, replace
from typing import Any

import pytest

from custom_components.poolctl.client.pool.from_cloud import merge_schedule_info
from custom_components.poolctl.client.wire.commands import (
    decode_schedules,
    encode_record,
)
from custom_components.poolctl.client.wire.exceptions import (
    BusyError,
    InvalidCommandError,
    NotOfferedError,
    UnreachableError,
)
from custom_components.poolctl.client.wire.json_values import clean_text
from custom_components.poolctl.client.wire.schedule import LAST_MINUTE, Schedule
from tests.client.conftest import Rig, because
from tests.client.control.schedule_changes import (
    ACTUATOR,
    EVENING,
    FALL,
    INDEX,
    NEW,
    SCHEDULE_CHANGES,
    SEEN,
    record,
)
from tests.world.simulator import devices, schedules as sim_schedules

CHANGES = pytest.mark.parametrize("what", SCHEDULE_CHANGES)


def shown(rig: Rig, index: int) -> Schedule | None:
    """Return a schedule as a user sees it."""
    return rig.shown.schedules.used.get(index)


async def change(rig: Rig, what: str) -> object:
    return await SCHEDULE_CHANGES[what](rig.controller)


def done(rig: Rig, what: str) -> bool:
    """Return whether the simulated controller has made the change."""
    found = record(rig, INDEX)
    return {
        "create": record(rig, NEW).used,
        "update": found.end == 900,
        "delete": not found.used,
        "enable": found.enabled,
    }[what]


@pytest.fixture
async def pool(pool: Rig) -> Rig:
    """Return a rig whose cloud offers the schedules, too."""
    pool.service.cloud.not_offered.discard("scheduleInfo")
    return pool


# Changes over the LAN


async def test_create(pool: Rig) -> None:
    schedules = pool.controller.schedules
    assert await schedules.create(EVENING) == NEW
    assert pool.names() == ["schedules", "schedule", "schedules"]
    expected = sim_schedules.Schedule(FALL, 1, 0, 0, 1080, 1200, 31, "Evening", True)
    assert record(pool, NEW) == expected
    assert EVENING.same_as(shown(pool, NEW))
    wanted = replace(EVENING, start=1260, end=0, enabled=False)
    assert await schedules.create(wanted) == NEW + 1
    found, known = record(pool, NEW + 1), shown(pool, NEW + 1)
    assert (found.enabled, found.end) == (False, LAST_MINUTE)  # midnight has one form
    assert known and not known.enabled


async def test_update(pool: Rig) -> None:
    schedules, update = pool.controller.schedules, pool.controller.schedules.update
    await update(INDEX, SEEN, observed=SEEN)
    await schedules.enable(INDEX, False, observed=SEEN)
    await schedules.enable(0, True, observed=shown(pool, 0))
    assert pool.names() == ["schedules"] * 3  # there is nothing to change
    pool.forget()
    record(pool, INDEX).turnover = 7
    wanted = replace(SEEN, start=660, weekdays=0b1100000, name=" New\nname ")
    await update(INDEX, wanted, observed=SEEN)
    # The first reply differs, so a second one is read.
    assert pool.names() == ["schedules", *["schedules", "schedule"], "schedules"]
    found = record(pool, INDEX)
    assert (found.start, found.weekdays, found.name) == (660, 0b1100000, "New name")
    assert (found.turnover, found.enabled) == (7, False)
    seen = replace(wanted, name="New name")
    assert seen.same_as(shown(pool, INDEX))

    wanted = replace(seen, slot=ACTUATOR, aux_type=20, enabled=True)
    await update(INDEX, wanted, observed=seen)
    found = record(pool, INDEX)
    assert (found.slot, found.aux_type, found.enabled) == (ACTUATOR, 20, True)
    await update(INDEX, replace(wanted, name="Off", enabled=False), observed=wanted)
    found = record(pool, INDEX)
    assert (found.name, found.enabled) == ("Off", False)


# Displayed in another form, or nearly too long (C21).
@pytest.mark.parametrize(
    "name",
    ["A  12 [7.0|4.0] <v2>  see www.x", " tab\t, \u202e and `code` ", "\u00fc" * 127],
)
@pytest.mark.parametrize("lan", [True, False])
async def test_a_name_goes_back_as_it_came(pool: Rig, name: str, lan: bool) -> None:
    """A name is cleaned for display only, and written back unchanged."""
    control = pool.controller.schedules
    record(pool, INDEX).name = name
    if not lan:
        await pool.loses_lan()
        await pool.polls(600)
    await control.read()
    seen = shown(pool, INDEX)
    assert seen is not None and seen.name == clean_text(name)
    await control.update(INDEX, replace(seen, start=660), observed=seen)
    assert (record(pool, INDEX).start, record(pool, INDEX).name) == (660, name)
    # A new name replaces it.
    pool.time.advance(60)
    await control.read()
    seen = replace(seen, start=660)
    await control.update(INDEX, replace(seen, name="Fountain"), observed=seen)
    assert record(pool, INDEX).name == "Fountain"


def test_a_name_that_no_record_holds() -> None:
    """Bytes that are not text are written back; a name that does not fit is cleaned."""
    data = encode_record(replace(EVENING, received_name="Pool \udcfc"))
    assert data.endswith(b"\6Pool \xfc")
    (decoded,) = decode_schedules(b"\1\1" + data)
    assert decoded.name == "Pool \ufffd" and encode_record(decoded) == data
    for name in ("x" * 256, "\ud800"):
        data = encode_record(replace(EVENING, received_name=name))
        assert data.endswith(b"\7Evening")


@pytest.mark.parametrize(
    ("before", "after"), [(False, True), (False, False), (True, False)]
)
async def test_update_and_arm(pool: Rig, before: bool, after: bool) -> None:
    """A schedule is never shown armed while it is disarmed."""
    schedules = pool.controller.schedules
    await schedules.enable(INDEX, before, observed=SEEN)
    seen = replace(SEEN, enabled=before)
    pool.forget()
    await schedules.update(INDEX, replace(EVENING, enabled=after), observed=seen)
    found = record(pool, INDEX)
    assert (found.name, found.enabled) == ("Evening", after)
    states = [
        known.enabled
        for state in pool.published
        if (known := state.schedules.used.get(INDEX)) and EVENING.same_as(known)
    ]
    assert states[-1] is after and (after or True not in states)
    assert before or states[0] is False


async def test_the_next_frame_is_fresher_than_the_records(pool: Rig) -> None:
    before = pool.shown.schedules.used
    pool.pool.faults.on("no_config")
    await pool.polls(15)
    assert pool.shown.schedules.used == before
    pool.pool.faults.clear()
    pool.forget()
    record(pool, INDEX).enabled = True  # in the app
    record(pool, 0).enabled = False
    await pool.polls(15)
    schedules = pool.shown.schedules.used
    assert [one.enabled for one in schedules.values()] == [False, True, False]
    # One created in the app shows in a frame first: the records are queried at once.
    assert pool.controller.queries.due
    await pool.controller.queries.refresh()
    assert pool.names() == ["state"] * 2 + ["schedules"] * 2


# Changes made elsewhere


@pytest.mark.parametrize(
    "change", [{"start": 630}, {"name": "Mine"}, {"weekdays": 1}, {"slot": 99}]
)
async def test_a_schedule_changed_meanwhile_is_left_alone(
    pool: Rig, change: dict[str, Any]
) -> None:
    before = replace(record(pool, INDEX), **change)
    pool.pool.pool.schedules[INDEX] = replace(before)
    schedules = pool.controller.schedules
    for attempt in (
        schedules.update(INDEX, replace(SEEN, end=900), observed=SEEN),
        schedules.delete(INDEX, observed=SEEN),
        schedules.enable(INDEX, True, observed=SEEN),
        schedules.enable(INDEX, True, observed=None),  # nobody saw it
    ):
        with pytest.raises(InvalidCommandError, check=because("schedule_changed")):
            await attempt
    assert (record(pool, INDEX), pool.asked("a")) == (before, [])
    now = shown(pool, INDEX)
    assert now is None if change == {"slot": 99} else now is not None
    assert now is None or asdict(now).items() >= change.items()


@pytest.mark.parametrize("enabled", [True, False])
async def test_armed_or_not_is_no_other_schedule(pool: Rig, enabled: bool) -> None:
    """A schedule that was armed or disarmed in the app stays so."""
    record(pool, INDEX).enabled = enabled
    seen = replace(SEEN, enabled=not enabled)
    await pool.controller.schedules.update(INDEX, replace(seen, end=900), observed=seen)
    assert (record(pool, INDEX).end, record(pool, INDEX).enabled) == (900, enabled)


async def test_several_at_once(pool: Rig) -> None:
    """A second edit is refused, because the first changed what it was based on."""
    schedules = pool.controller.schedules
    results = await asyncio.gather(
        schedules.update(INDEX, replace(SEEN, end=900), observed=SEEN),
        schedules.update(INDEX, replace(SEEN, end=1000), observed=SEEN),
        return_exceptions=True,
    )
    assert results[0] is None and isinstance(results[1], InvalidCommandError)
    assert record(pool, INDEX).end == 900
    later = replace(EVENING, start=1200, end=1260, name="Later")
    *made, twice = await asyncio.gather(
        *(schedules.create(one) for one in (EVENING, later, EVENING)),
        return_exceptions=True,
    )
    assert made == [3, 4] and isinstance(twice, InvalidCommandError)


# Failures on the way


@CHANGES
async def test_a_lost_answer_is_looked_up(
    pool: Rig, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change is sent once, and never by the cloud after it may have arrived."""
    faults, read = pool.pool.faults, pool.controller.queries.read

    async def read_and_go(*query: Any, **urgent: Any) -> None:
        await read(*query, **urgent)
        faults.on("refuse")

    with monkeypatch.context() as patch:
        # Gone between the look and the change: there is nothing to look up.
        pool.service.cloud.faults.on("refuse")
        patch.setattr(pool.controller.queries, "read", read_and_go)
        with pytest.raises(UnreachableError) as caught:
            await change(pool, what)
    assert (caught.value.ran, caught.value.reason) == (False, None)
    assert not done(pool, what)
    faults.clear()
    pool.service.cloud.faults.clear()
    await pool.polls()

    pool.forget()
    faults.once("ignore_writes")
    faults.once("close_mid_body", 1, "schedule")
    with pytest.raises(UnreachableError, check=because("not_done")):
        await change(pool, what)
    assert (len(pool.asked("a")), done(pool, what)) == (1, False)

    faults.once("close_mid_body", 1, "schedule")
    await change(pool, what)
    assert done(pool, what)
    assert pool.names("a") == ["schedule"] * 2
    assert pool.written() == []


@pytest.fixture
def fails_after_it(pool: Rig, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list for a fault that begins with the next action; the cloud is gone."""
    pool.service.cloud.faults.on("refuse")
    fault, run = list[str](), pool.pool.act

    def act(name: str, payload: bytes) -> None:
        run(name, payload)
        pool.pool.faults.on(*fault)

    monkeypatch.setattr(pool.pool, "act", act)
    return fault


@CHANGES
async def test_when_nothing_answers_any_more_nobody_knows(
    pool: Rig, fails_after_it: list[str], what: str
) -> None:
    fails_after_it.append("reset")
    pool.pool.faults.once("close_mid_body", 1, "schedule")
    with pytest.raises(UnreachableError, check=because("outcome_unknown")):
        await change(pool, what)
    assert done(pool, what)
    # When it answers again, the schedules are queried first.
    pool.pool.faults.clear()
    await pool.polls()
    await pool.controller.queries.refresh()
    found = shown(pool, NEW if what == "create" else INDEX)
    assert (found is None) is (what == "delete")


async def test_acknowledged_is_done_even_if_it_cannot_be_looked_at(
    pool: Rig, fails_after_it: list[str]
) -> None:
    fails_after_it += ("garbage", "schedules")
    assert await pool.controller.schedules.create(EVENING) is None
    assert record(pool, NEW).used


# Through the cloud


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


@pytest.mark.row("C12")
@CHANGES
async def test_a_copy_that_is_older_than_a_change(away: Rig, what: str) -> None:
    """A copy is not read until it can be newer, and undoes no change."""
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


@pytest.mark.row("C12")
async def test_a_new_one_whose_number_is_not_reported_yet(away: Rig) -> None:
    """No other schedule is changed in its place."""
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


async def test_not_offered(away: Rig) -> None:
    """No schedule is changed where the cloud does not offer to read them."""
    away.service.cloud.not_offered.add("scheduleInfo")
    with pytest.raises(NotOfferedError):
        await change(away, "delete")
    assert away.written() == []


def test_one_that_is_not_understood_takes_nothing_away(away: Rig) -> None:
    """The other schedules are updated, and none counts as deleted."""
    for key, value in (
        *(("aux_slot", "seven"), ("aux_slot", 99), ("week_days", 31)),
        *(("start_time", 1440), ("end_time", None)),
        *(("schedule_num", 0), ("schedule_num", 21), ("schedule_num", True)),
    ):
        entries = devices._schedules(away.pool.pool)["scheduleInfo"]["schedules"][:2]
        entries[1][key] = value
        entries[0]["schedule_name"] = "New name"
        answer = {"scheduleInfo": {"schedules": [*entries, "odd"]}}
        state = merge_schedule_info(away.shown, answer)
        names = [one.name for one in state.schedules.used.values()]
        assert names == ["New name", "Waterfall", "Evening light"], (key, value)
        # Only an answer that is understood as a whole deletes schedules.
        state = merge_schedule_info(state, {"scheduleInfo": {"schedules": entries[:1]}})
        assert list(state.schedules.used) == [0]
