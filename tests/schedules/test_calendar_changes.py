"""The calendar: changed and deleted events, and failures."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
import pytest

from tests.world.assistant.calendar_page import (
    FALL,
    PUMP,
    Calendar,
    always_there,
    calendar,
    fall,
    zone,
)
from tests.world.assistant.home import MOST_SENT
from tests.world.assistant.platforms import only
from tests.world.assistant.schedule_actions import look
from tests.world.assistant.unchanged import unchanged
from tests.world.simulator.schedules import Schedule

__all__ = ["always_there", "calendar", "zone"]

pytestmark = pytest.mark.usefixtures("quick")
few_platforms = only(Platform.CALENDAR, Platform.SWITCH)


# Change


async def test_change(calendar: Calendar) -> None:
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    assert await calendar.change(
        event,
        summary="Evening slide",
        description="Water Slide",
        dtstart=f"{event['start'][:10]}T20:00:00",
        dtend=f"{event['start'][:10]}T20:30:00",
        rrule="FREQ=WEEKLY;BYDAY=TU",
    ) is None  # fmt: skip
    assert calendar.found("Morning fall") is None
    found = calendar.schedule("Evening slide")
    assert (found.slot, found.start, found.end, found.weekdays) == (21, 1200, 1230, 2)
    calendar.home.go_to(1, 20, 15)
    assert calendar.pool.slots[21].on and not calendar.pool.slots[FALL].on


async def test_moved_by_days(calendar: Calendar) -> None:
    """The weekdays are those of the rule, whatever the date of the event is."""
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    for start, end, times in (
        ("2026-08-12T10:00:00", "2026-08-12T11:00:00", (600, 660)),
        ("2026-08-12", "2026-08-13", (0, 1439)),
    ):
        event = await calendar.event("Morning fall")
        assert await calendar.change(event, dtstart=start, dtend=end) is None
        found = calendar.schedule("Morning fall")
        assert (found.start, found.end, found.weekdays) == (*times, 0b0100001)


async def test_what_is_not_said_stays(calendar: Calendar) -> None:
    """Without a description, the equipment and its speed stay as they are."""
    calendar.pool.schedules[0].speed = 45
    event = await calendar.event("Filter")
    event["description"] = ""
    assert await calendar.change(event, summary="Slow") is not None
    # Its speed was changed at the controller meanwhile; now that is shown.
    event = await calendar.event("Filter")
    assert event["description"] == "Filter Pump\n45 %"
    assert await calendar.change(event, summary="Slow", description="") is None
    found = calendar.schedule("Slow")
    assert (found.slot, found.speed, found.start, found.end) == (PUMP, 45, 0, 1439)


async def test_two_of_one_name(calendar: Calendar) -> None:
    """A name of two outputs is never taken for one of them; a number decides."""
    for slot in (FALL, 21, 32):
        calendar.pool.slots[slot].name = "Jet"
    calendar.pool.slots[21].name = "JET"
    await calendar.home.act_on_device("send_action", name="evt_rewind")
    await look(calendar.home)  # a raw action has all names read again
    for text in ("Jet", "jet"):
        with unchanged(calendar.home):
            told = await calendar.send("create", event=fall(description=text)) or ""
        assert all(each in told for each in ("Jet (4)", "JET (22)", "Jet (33)"))
    assert await calendar.send("create", event=fall(description="jet (22)")) is None
    assert calendar.schedule("Morning fall").slot == 21


async def test_two_of_one_name_in_home_assistant(calendar: Calendar) -> None:
    """An output was renamed in Home Assistant to what the app calls another one."""
    slide = calendar.home.entity_id("switch", "slot_21")
    er.async_get(calendar.home.hass).async_update_entity(slide, name="Waterfall")
    await calendar.home.settle()
    with unchanged(calendar.home):
        told = await calendar.send("create", event=fall())
    assert told is not None and "Waterfall (4)" in told
    event = fall(description="Waterfall (4)")
    assert await calendar.send("create", event=event) is None
    assert calendar.schedule("Morning fall").slot == FALL
    # Its description is left as it is shown.
    event = await calendar.event("Morning fall")
    assert await calendar.change(event, summary="Fall") is None
    assert calendar.schedule("Fall").slot == FALL


async def test_one_without_a_name(calendar: Calendar) -> None:
    calendar.pool.schedules[4] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "", True)
    await look(calendar.home)
    event = await calendar.event("Schedule 5")
    day = event["start"][:10]
    assert await calendar.change(event, dtend=f"{day}T03:00:00") is None
    assert calendar.pool.schedules[4].end == 180
    assert calendar.pool.schedules[4].name == ""


async def test_one_event_alone(calendar: Calendar) -> None:
    event = await calendar.event("Filter")
    ids = {"uid": event["uid"], "recurrence_id": event["recurrence_id"]}
    for scope in ({}, {"recurrence_range": ""}):
        with unchanged(calendar.home):
            for told in (
                await calendar.send("delete", **ids, **scope),
                await calendar.send("update", **ids, **scope, event=fall()),
            ):
                sentence = "Choose “This and all future events”"
                assert told is not None and sentence in told, scope
    assert len(calendar.home.actions) == 0


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
async def test_an_event_at_the_end_of_time(calendar: Calendar, day: str) -> None:
    """Its times of day count; the year makes no difference to a weekly schedule."""
    event = await calendar.event("Filter")
    moved = {"dtstart": f"{day}T08:00:00", "dtend": f"{day}T09:00:00"}
    assert await calendar.change(event, **moved) is None
    schedule = calendar.schedule("Filter")
    assert (schedule.start, schedule.end) == (480, 540)


async def test_changed_in_the_app_meanwhile(calendar: Calendar) -> None:
    """A change in the app that was not read yet is not overwritten."""
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    found = calendar.schedule("Morning fall")
    found.end = 600
    for attempt in (calendar.delete, calendar.change):
        told = await attempt(event)
        assert told is not None and "changed elsewhere meanwhile" in told
    assert (found.used, found.end) == (True, 600)
    # The new end is shown.
    assert (await calendar.event("Morning fall"))["end"][11:16] == "10:00"


async def test_a_page_that_stays_open(calendar: Calendar) -> None:
    """An open page receives every change."""
    start = dt_util.start_of_local_day()
    await calendar.socket.send_json_auto_id(
        {
            "type": "calendar/event/subscribe",
            "entity_id": calendar.entity_id,
            "start": start.isoformat(),
            "end": (start + timedelta(days=7)).isoformat(),
        }
    )
    await calendar.socket.receive_json()
    await calendar.socket.receive_json()
    await calendar.socket.send_json_auto_id(
        {
            "type": "calendar/event/create",
            "entity_id": calendar.entity_id,
            "event": fall(),
        }
    )
    messages = [await calendar.socket.receive_json() for _ in range(2)]
    (pushed,) = [m["event"]["events"] for m in messages if m["type"] == "event"]
    assert "Morning fall" in {event["summary"] for event in pushed}


# Delete


async def test_delete(calendar: Calendar) -> None:
    assert await calendar.delete(await calendar.event("Filter")) is None
    assert calendar.found("Filter") is None
    assert await calendar.events() == []
    state = calendar.home.state_of(calendar.entity_id)
    assert state.state == "off"
    assert not calendar.pool.pump.running or calendar.pool.pump.run_on


# Failures

type Change = Callable[[Calendar], Coroutine[Any, Any, str | None]]


async def _create(calendar: Calendar) -> str | None:
    return await calendar.send("create", event=fall())


async def _rename(calendar: Calendar) -> str | None:
    event = await calendar.event("Filter")
    return await calendar.change(event, summary="Renamed")


async def _remove(calendar: Calendar) -> str | None:
    return await calendar.delete(await calendar.event("Filter"))


REFUSED = "Beach pool Schedules: the controller refused the command"
CHANGES = {"create": _create, "rename": _rename, "remove": _remove}
USED = ["Filter", "Waterfall", "Evening light"]


async def test_the_controller_refuses(
    calendar: Calendar, subtests: pytest.Subtests
) -> None:
    before = await calendar.events()
    calendar.faults.on("decline", "a")
    for name, change in CHANGES.items():
        with subtests.test(name), unchanged(calendar.home):
            sent = len(calendar.home.actions)
            assert await change(calendar) == REFUSED
            assert [one.name for one in calendar.pool.schedules if one.used] == USED
            assert await calendar.events() == before
            assert 0 < len(calendar.home.actions) - sent <= MOST_SENT
