"""The calendar: changed and deleted events, and failures."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

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


async def test_changes(calendar: Calendar) -> None:
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    # The weekdays are those of the rule, whatever the date of the event is; its times
    # of day count, and the year makes no difference.
    for start, end, times in (
        ("2026-08-12T10:00:00", "2026-08-12T11:00:00", (600, 660)),
        ("2026-08-12", "2026-08-13", (0, 1439)),
        ("0001-01-01T08:00:00", "0001-01-01T09:00:00", (480, 540)),
        ("9999-12-31T09:00:00", "9999-12-31T10:00:00", (540, 600)),
    ):
        event = await calendar.event("Morning fall")
        assert await calendar.change(event, dtstart=start, dtend=end) is None
        found = calendar.schedule("Morning fall")
        assert (found.start, found.end, found.weekdays) == (*times, 0b0100001)
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
    # Both are deleted.
    for name in ("Evening slide", "Filter"):
        assert await calendar.delete(await calendar.event(name)) is None
        assert calendar.found(name) is None
    assert await calendar.events() == []
    assert calendar.home.state_of(calendar.entity_id).state == "off"
    assert not calendar.pool.pump.running or calendar.pool.pump.run_on


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
        for command, more in (("delete", {}), ("update", {"event": fall()})):
            with unchanged(calendar.home):
                error = await calendar.send(command, **ids, **scope, **more)
            assert "Choose “This and all future events”" in (error or "")
    assert len(calendar.home.actions) == 0


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
    start, socket = dt_util.start_of_local_day(), calendar.socket
    week = {"start": start.isoformat(), "end": (start + timedelta(7)).isoformat()}
    for command, more in (("subscribe", week), ("create", {"event": fall()})):
        message = {"type": f"calendar/event/{command}"} | more
        await socket.send_json_auto_id({"entity_id": calendar.entity_id} | message)
        messages = [await socket.receive_json() for _ in range(2)]
    (pushed,) = [m["event"]["events"] for m in messages if m["type"] == "event"]
    assert "Morning fall" in {event["summary"] for event in pushed}


REFUSED = "Beach pool Schedules: the controller refused the command"


async def test_the_controller_refuses(
    calendar: Calendar, subtests: pytest.Subtests
) -> None:
    before, home = await calendar.events(), calendar.home
    filter_ = await calendar.event("Filter")
    calendar.faults.on("decline", "a")
    changes: dict[str, Callable[[], Awaitable[str | None]]] = {
        "create": lambda: calendar.send("create", event=fall()),
        "rename": lambda: calendar.change(filter_, summary="Renamed"),
        "remove": lambda: calendar.delete(filter_),
    }
    for name, change in changes.items():
        with subtests.test(name), unchanged(home):
            sent = len(home.actions)
            assert await change() == REFUSED
            names = [one.name for one in calendar.pool.schedules if one.used]
            assert names == ["Filter", "Waterfall", "Evening light"]
            assert await calendar.events() == before
            assert 0 < len(home.actions) - sent <= MOST_SENT
