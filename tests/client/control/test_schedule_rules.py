"""Properties of a schedule, and which schedules are accepted."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.poolctl.client.pool.choices import Choices
from custom_components.poolctl.client.pool.schedule_rules import (
    MAX_NAME,
    check,
    check_conflicts,
    equip,
    schedulable,
)
from custom_components.poolctl.client.pool.state import PoolState
from custom_components.poolctl.client.wire.commands import encode_record
from custom_components.poolctl.client.wire.exceptions import (
    InvalidCommandError,
    NotSupportedError,
    RefusedError,
)
from custom_components.poolctl.client.wire.schedule import (
    ALL_WEEK,
    DAY,
    LAST_MINUTE,
    MAX_SCHEDULES,
    Schedule,
)
from tests.client.conftest import Rig, because
from tests.client.control.schedule_changes import (
    ACTUATOR,
    EVENING,
    FALL,
    HEATER,
    INDEX,
    NEW,
    OTHER_ACTUATOR,
    PUMP,
    SEEN,
    record,
)
from tests.world.simulator import schedules as sim_schedules

BY_PUMP: dict[str, Any] = {"slot": PUMP, "aux_type": 31}

# Properties of a schedule

minutes = st.integers(0, LAST_MINUTE)
whens = st.builds(
    partial(replace, EVENING),
    start=minutes,
    end=minutes,
    weekdays=st.integers(1, ALL_WEEK),
).filter(lambda found: found.start != found.end)
MONDAY = datetime(2026, 7, 6, tzinfo=UTC)


def running(one: Schedule, minutes: Iterable[int]) -> set[int]:
    """Return the minutes at which the simulated firmware runs a schedule."""
    sim = sim_schedules.Schedule(
        *(one.slot, 0, 0, 0, one.start, one.end, one.weekdays), enabled=True
    )
    return {it for it in minutes if sim.active(MONDAY + timedelta(minutes=it))}


@given(whens, whens)
def test_two_overlap_where_the_firmware_would_run_both(
    one: Schedule, other: Schedule
) -> None:
    # If both ever run at once, they do when the later one of them begins.
    begins = [day * DAY + each.start for day in range(7) for each in (one, other)]
    both = running(one, begins) & running(other, begins)
    assert one.overlaps(other) is other.overlaps(one) is bool(both)


def test_the_longest_record_fits_a_request(pool: Rig) -> None:
    longest = replace(EVENING, name="ü" * (MAX_NAME // 2))
    # Verb, index, record; 9 bytes around it (protocol.md O1), in hex within some JSON.
    assert 2 * (2 + len(encode_record(longest)) + 9) + 60 < 1024


async def test_what_schedules_switch(pool: Rig) -> None:
    """Schedules switch what a user can, except spa actuators after the first."""
    state, sim = pool.shown, pool.pool.pool
    for slot in state.outputs.slots:
        can = sim.can_switch(slot.index) and slot.index not in (11, 19, 20)
        assert schedulable(state, slot) is can, slot
    assert equip(state, Choices(), None, PUMP, None).speed == 75
    assert equip(state, Choices(), None, FALL, None).speed == 0


# Refused schedules


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("schedule_weekdays", [{"weekdays": 0}, {"weekdays": 128}]),
        ("schedule_same_times", [{"end": 1080}]),
        ("schedule_times", [{"start": 1440}, {"start": -1}, {"end": 2000}]),
        ("schedule_name", [{"name": "  \n"}, {"name": "x" + "ü" * (MAX_NAME // 2)}]),
        (
            "schedule_equipment",
            [
                {"slot": HEATER, "aux_type": 2},
                {"slot": OTHER_ACTUATOR, "aux_type": 21},
                {"slot": 26, "aux_type": 10},  # virtual
                {"slot": 22, "aux_type": 0},  # empty
                {"slot": 40},
            ],
        ),
        ("schedule_no_speed", [{"speed": 50}]),
        ("schedule_speed", [{**BY_PUMP, "speed": n} for n in (0, 35, 52, 105)]),
        ("schedule_conflict", [{**BY_PUMP, "speed": 50}]),
    ],
)
async def test_refused(pool: Rig, reason: str, changes: list[dict[str, Any]]) -> None:
    schedules = pool.controller.schedules
    for wanted in (replace(EVENING, **change) for change in changes):
        for attempt in (
            schedules.create(wanted),
            schedules.update(INDEX, replace(wanted, enabled=True), observed=SEEN),
        ):
            with pytest.raises(InvalidCommandError) as caught:
                await attempt
            assert caught.value.reason == reason
    assert pool.asked("a") == []


async def test_all_in_use(pool: Rig) -> None:
    schedules = pool.controller.schedules
    for index in range(3, MAX_SCHEDULES):
        pool.pool.pool.schedules[index] = sim_schedules.Schedule(
            FALL, 1, 0, 0, 10 * index, 10 * index + 5, 1, "x", False
        )
    with pytest.raises(InvalidCommandError, check=because("schedule_limit")):
        await schedules.create(EVENING)
    await schedules.delete(INDEX, observed=SEEN)
    assert await schedules.create(EVENING) == INDEX


async def test_arming_one_that_conflicts(pool: Rig) -> None:
    schedules = pool.controller.schedules
    await schedules.create(replace(EVENING, start=700, end=800, weekdays=1))
    with pytest.raises(
        InvalidCommandError, check=because("schedule_conflict")
    ) as caught:
        await schedules.enable(INDEX, True, observed=SEEN)
    assert caught.value.placeholders == {"name": "Evening", "number": "4"}
    assert not record(pool, INDEX).enabled
    # Disarmed ones may overlap, and each gets an index of its own.
    await schedules.update(INDEX, replace(SEEN, end=780), observed=SEEN)
    for index in (NEW + 1, NEW + 2):
        assert await schedules.create(SEEN) == index
    # An armed one does not conflict with itself.
    check_conflicts({7: EVENING}, EVENING, 7)
    with pytest.raises(InvalidCommandError):
        check_conflicts({7: EVENING}, EVENING, 8)


async def test_what_the_app_allowed_may_stay(pool: Rig) -> None:
    """The client checks only the values that are changed."""
    odd: dict[str, Any] = {"slot": HEATER, "aux_type": 2, "speed": 33}
    odd |= {"name": "n" * 200}
    pool.pool.pool.schedules[INDEX] = replace(record(pool, INDEX), **odd)
    seen, schedules = replace(SEEN, **odd), pool.controller.schedules
    with pytest.raises(RefusedError):  # by the controller, not by the client
        await schedules.update(INDEX, replace(seen, end=900), observed=seen)
    await schedules.delete(INDEX, observed=seen)


def test_what_equipment_is_meant(pool: Rig) -> None:
    state, seen = pool.shown, replace(SEEN, slot=PUMP, speed=45)
    for before, slot, speed, expected in (
        (None, None, None, (PUMP, 31, 75)),
        (None, FALL, None, (FALL, 1, 0)),
        (None, 40, 50, (40, 0, 50)),
        (None, 40, None, (40, 0, 0)),
        (None, 22, None, (22, 0, 0)),  # empty
        (seen, None, None, (PUMP, 1, 45)),
        (seen, PUMP, 60, (PUMP, 1, 60)),
        (seen, ACTUATOR, None, (ACTUATOR, 20, 0)),
    ):
        sent = equip(state, Choices(), before, slot, speed)
        assert (sent.slot, sent.aux_type, sent.speed) == expected
    with pytest.raises(NotSupportedError):
        equip(PoolState(), Choices(), None, None, None)


async def test_speeds_by_pump(pool: Rig) -> None:
    create, wanted = pool.controller.schedules.create, replace(EVENING, **BY_PUMP)
    record(pool, 0).enabled = False
    pool.pool.pool.pump_identity = ("Single Speed", "Acme", "One")
    await pool.read()
    with pytest.raises(InvalidCommandError, check=because("schedule_no_speed")):
        await create(replace(wanted, speed=50))
    assert await create(wanted) == NEW
    # Not identified yet: no speed is accepted as well as any possible one.
    pool.pool.pool.pump_identity = ("Single Speed", "Single Speed", "")
    await pool.read()
    for speed, start in ((50, 0), (0, 60)):
        one = replace(wanted, start=start, end=start + 30, speed=speed)
        assert await create(one) is not None
    with pytest.raises(InvalidCommandError):
        await create(replace(wanted, start=900, speed=41))


def test_a_refusal_says_what_is_wrong(pool: Rig) -> None:
    name = pool.output(HEATER).name
    changes: dict[str, Any]
    for changes, placeholders in (
        ({"name": ""}, {"maximum": str(MAX_NAME)}),
        ({"slot": HEATER}, {"name": name}),
        ({"slot": 40}, {"name": "41"}),  # shown counted from 1
    ):
        with pytest.raises(InvalidCommandError) as caught:
            check(pool.shown, {}, replace(EVENING, **changes))
        assert caught.value.placeholders == placeholders
