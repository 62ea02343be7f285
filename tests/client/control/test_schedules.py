"""Changes of schedules are neither lost nor made twice."""

import asyncio
from dataclasses import asdict, replace
from typing import Any

import pytest

from custom_components.poolctl.client.wire.commands import (
    decode_schedules,
    encode_record,
)
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    UnreachableError,
)
from custom_components.poolctl.client.wire.json_values import clean_text
from tests.client.conftest import Rig
from tests.client.control.schedule_changes import (
    ACTUATOR,
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


@pytest.fixture
async def pool(pool: Rig) -> Rig:
    """Return a rig whose cloud offers the schedules, too."""
    pool.service.cloud.not_offered.discard("scheduleInfo")
    return pool


# Changes over the LAN


async def test_create(pool: Rig) -> None:
    assert await pool.controller.schedules.create(EVENING) == NEW
    assert pool.names() == ["schedules", "schedule", "schedules"]
    found = record(pool, NEW)
    assert (found.slot, found.aux_type, found.start, found.end) == (FALL, 1, 1080, 1200)
    assert (found.weekdays, found.name, found.enabled) == (31, "Evening", True)
    assert EVENING.same_as(shown(pool, NEW))


async def test_create_disarmed(pool: Rig) -> None:
    wanted = replace(EVENING, start=0, end=60, enabled=False)
    assert await pool.controller.schedules.create(wanted) == NEW
    assert not record(pool, NEW).enabled
    assert (found := shown(pool, NEW)) is not None and not found.enabled


async def test_update(pool: Rig) -> None:
    record(pool, INDEX).turnover = 7
    wanted = replace(SEEN, start=660, weekdays=0b1100000, name=" New\nname ")
    await pool.controller.schedules.update(INDEX, wanted, observed=SEEN)
    assert pool.names() == ["schedules", "schedule", "schedules"]
    found = record(pool, INDEX)
    assert (found.start, found.weekdays, found.name) == (660, 0b1100000, "New name")
    assert (found.turnover, found.enabled) == (7, False)
    assert replace(wanted, name="New name").same_as(shown(pool, INDEX))


ODD_NAMES = (
    "A  12 [7.0|4.0] <v2>  see www.x",
    " tab\t, \u202e and `code` ",
    "\u00fc" * 127,
)
"""Names that are displayed in another form, or are nearly too long (C21)."""


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("lan", [True, False])
async def test_a_name_goes_back_as_it_came(pool: Rig, name: str, lan: bool) -> None:
    """A name is cleaned for display only, and written back unchanged."""
    control, record_now = pool.controller.schedules, record(pool, INDEX)
    record_now.name = name
    if not lan:
        pool.pool.faults.on("refuse")
        await pool.polls(15)
        await pool.polls(15)
        await pool.polls(600)
    await control.read()
    seen = shown(pool, INDEX)
    assert seen is not None and seen.name == clean_text(name)
    await control.update(INDEX, replace(seen, start=660), observed=seen)
    assert (record(pool, INDEX).start, record(pool, INDEX).name) == (660, name)
    # A new name replaces it.
    pool.time.advance(60)
    await control.read()
    seen = shown(pool, INDEX)
    assert seen is not None
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


async def test_update_to_other_equipment_armed(pool: Rig) -> None:
    wanted = replace(SEEN, slot=ACTUATOR, aux_type=20, enabled=True)
    await pool.controller.schedules.update(INDEX, wanted, observed=SEEN)
    found = record(pool, INDEX)
    assert (found.slot, found.aux_type, found.enabled) == (ACTUATOR, 20, True)
    await pool.controller.schedules.update(
        INDEX, replace(wanted, name="Off", enabled=False), observed=wanted
    )
    assert (found := record(pool, INDEX)).name == "Off" and not found.enabled


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


async def test_nothing_to_change_sends_nothing(pool: Rig) -> None:
    await pool.controller.schedules.update(INDEX, SEEN, observed=SEEN)
    await pool.controller.schedules.enable(INDEX, False, observed=SEEN)
    armed = shown(pool, 0)
    await pool.controller.schedules.enable(0, True, observed=armed)
    assert pool.names() == ["schedules"] * 3


async def test_the_next_frame_is_fresher_than_the_records(pool: Rig) -> None:
    record(pool, INDEX).enabled = True  # in the app
    record(pool, 0).enabled = False
    await pool.polls(15)
    schedules = pool.controller.store.state.schedules.used
    assert [one.enabled for one in schedules.values()] == [False, True, False]
    # One created in the app shows in a frame first: the records are queried at once.
    assert pool.controller.queries.due
    await pool.controller.queries.refresh()
    assert pool.names() == ["state", "schedules"]


async def test_a_frame_without_that_field_changes_nothing(pool: Rig) -> None:
    before = pool.controller.store.state.schedules.used
    pool.pool.faults.on("no_config")
    await pool.polls(15)
    assert pool.controller.store.state.schedules.used == before


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
    ):
        with pytest.raises(InvalidCommandError) as caught:
            await attempt
        assert caught.value.reason == "schedule_changed"
    assert record(pool, INDEX) == before
    assert pool.asked("a") == []
    # The changed one is shown.
    now = shown(pool, INDEX)
    assert now is None if change == {"slot": 99} else now is not None
    assert now is None or asdict(now).items() >= change.items()


@pytest.mark.parametrize("enabled", [True, False])
async def test_armed_or_not_is_no_other_schedule(pool: Rig, enabled: bool) -> None:
    """A schedule that was armed or disarmed in the app stays so."""
    record(pool, INDEX).enabled = enabled
    seen = replace(SEEN, enabled=not enabled)
    await pool.controller.schedules.update(INDEX, replace(seen, end=900), observed=seen)
    assert record(pool, INDEX).end == 900
    assert record(pool, INDEX).enabled is enabled


async def test_one_that_nobody_saw(pool: Rig) -> None:
    with pytest.raises(InvalidCommandError):
        await pool.controller.schedules.enable(INDEX, True, observed=None)
    assert pool.asked("a") == []


async def test_two_edits_of_one_schedule_at_once(pool: Rig) -> None:
    """The second edit is refused, because the first changed what it was based on."""
    schedules = pool.controller.schedules
    results = await asyncio.gather(
        schedules.update(INDEX, replace(SEEN, end=900), observed=SEEN),
        schedules.update(INDEX, replace(SEEN, end=1000), observed=SEEN),
        return_exceptions=True,
    )
    assert results[0] is None and isinstance(results[1], InvalidCommandError)
    assert record(pool, INDEX).end == 900


async def test_two_new_ones_at_once(pool: Rig) -> None:
    later = replace(EVENING, start=1200, end=1260, name="Later")
    indices = await asyncio.gather(
        *(pool.controller.schedules.create(one) for one in (EVENING, later, EVENING)),
        return_exceptions=True,
    )
    assert indices[:2] == [3, 4] and isinstance(indices[2], InvalidCommandError)


# Failures on the way


@CHANGES
async def test_a_lost_answer_is_looked_up(pool: Rig, what: str) -> None:
    pool.pool.faults.once("close_mid_body", 1, "schedule")
    await change(pool, what)
    assert done(pool, what)
    assert pool.names("a") == ["schedule"]
    assert pool.written() == []


@CHANGES
async def test_a_lost_command_is_an_error(pool: Rig, what: str) -> None:
    pool.pool.faults.once("ignore_writes")
    pool.pool.faults.once("close_mid_body", 1, "schedule")
    with pytest.raises(UnreachableError) as caught:
        await change(pool, what)
    assert caught.value.reason == "not_done"
    assert not done(pool, what)
    assert len(pool.asked("a")) == 1 and pool.written() == []


@CHANGES
async def test_when_nothing_answers_any_more_nobody_knows(
    pool: Rig, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    pool.service.cloud.faults.on("refuse")
    pool.pool.faults.once("close_mid_body", 1, "schedule")
    answer = pool.pool.act

    def act(name: str, payload: bytes) -> None:
        answer(name, payload)
        pool.pool.faults.on("reset")

    monkeypatch.setattr(pool.pool, "act", act)
    with pytest.raises(UnreachableError) as caught:
        await change(pool, what)
    assert caught.value.reason == "outcome_unknown"
    assert done(pool, what)
    # When it answers again, the schedules are queried first.
    pool.pool.faults.clear()
    await pool.controller.poller.poll()
    await pool.controller.queries.refresh()
    found = shown(pool, NEW if what == "create" else INDEX)
    assert (found is None) is (what == "delete")


async def test_acknowledged_is_done_even_if_it_cannot_be_looked_at(
    pool: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool.service.cloud.faults.on("refuse")
    answer = pool.pool.act

    def act(name: str, payload: bytes) -> None:
        answer(name, payload)
        pool.pool.faults.on("garbage", "schedules")

    monkeypatch.setattr(pool.pool, "act", act)
    assert await pool.controller.schedules.create(EVENING) is None
    assert record(pool, NEW).used


@CHANGES
async def test_by_the_cloud_when_the_lan_is_gone(pool: Rig, what: str) -> None:
    pool.pool.faults.on("refuse")
    await change(pool, what)
    assert done(pool, what)
    assert len(pool.written()) == 1


@CHANGES
async def test_gone_between_the_look_and_the_change(pool: Rig, what: str) -> None:
    """The change was certainly not sent, so there is nothing to look up."""
    pool.service.cloud.faults.on("refuse")
    pool.controller.store.publish = lambda: pool.pool.faults.on("refuse")
    with pytest.raises(UnreachableError) as caught:
        await change(pool, what)
    assert caught.value.ran is False
    assert caught.value.reason is None
    assert not done(pool, what)
