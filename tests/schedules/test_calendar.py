"""The calendar: what it shows, and schedules added, changed and deleted in it."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from homeassistant.const import Platform
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)

from tests.world.assistant.calendar_page import (
    FALL,
    PUMP,
    Calendar,
    always_there,
    calendar,
    fall,
    zone,
)
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.schedule_actions import events, look
from tests.world.assistant.unchanged import unchanged

__all__ = ["always_there", "calendar", "zone"]

pytestmark = pytest.mark.usefixtures("quick")
DAY = 86400.0
few_platforms = only(Platform.CALENDAR, Platform.SWITCH)


async def test_what_is_shown(calendar: Calendar) -> None:
    """Each run of an armed schedule is an event: on the page, now and for scripts."""
    shown = await calendar.events()
    assert {event["summary"] for event in shown} == {"Filter"}
    assert len(shown) in (8, 9)
    assert len({event["uid"] for event in shown}) == 1
    event = shown[0]
    day = f"{datetime.fromisoformat(event['start']):%Y%m%d}"
    assert (
        event.items()
        >= {
            "description": "Filter Pump\n75 %",
            "rrule": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU",
            "recurrence_id": f"{day}T000000",
        }.items()
    )
    assert event["start"][11:16] == event["end"][11:16] == "00:00"

    state = calendar.home.state_of(calendar.entity_id)
    assert (state.state, state.name) == ("on", "Beach pool Schedules")
    assert state.attributes["message"] == "Filter"
    assert state.attributes["supported_features"] == 7
    for_scripts = await events(calendar.home, duration={"hours": 1})
    assert {event["summary"] for event in for_scripts} == {"Filter"}


@pytest.mark.usefixtures("freezer")
async def test_only_from_the_day_on_which_a_schedule_was_there(full: Home) -> None:
    """A restart keeps that day; a schedule with new times is shown from today on."""
    await full.live(3 * DAY, step=DAY)

    async def days(name: str) -> list[int]:
        """Return the days on which a schedule runs, counted from today."""
        today = dt_util.start_of_local_day()
        around = {
            "start_date_time": today - timedelta(days=7),
            "end_date_time": today + timedelta(days=2),
        }
        return [
            (datetime.fromisoformat(event["start"]).date() - today.date()).days
            for event in await events(full, **around)
            if event["summary"] == name
        ]

    assert await days("Filter") == [-3, -2, -1, 0, 1]
    schedule = full.pool.schedules[0]
    full.pool.schedules[5] = replace(schedule, name="New", start=60)
    await full.live(330, step=30)
    assert await days("New") == [0, 1]
    await full.shut_down()
    await full.boot()
    assert await days("Filter") == [-3, -2, -1, 0, 1]
    schedule.start = 30
    await full.live(330, step=30)
    assert await days("Filter") == [0, 1]


async def test_over_the_days_on_which_clocks_jump(
    calendar: Calendar, hass_client: ClientSessionGenerator
) -> None:
    night = fall(summary="Night", dtstart="2026-07-06T02:15:00", rrule="FREQ=DAILY")
    night["dtend"] = "2026-07-06T04:00:00"
    assert await calendar.send("create", event=night) is None
    client = await hass_client()
    for month, day, start, end in (
        (3, 29, "03:00:00+02:00", "04:00:00+02:00"),
        (10, 25, "02:15:00+02:00", "04:00:00+01:00"),
    ):
        date = f"2026-{month:02}-{day}"
        answer = await client.get(
            f"/api/calendars/{calendar.entity_id}",
            params={"start": f"{date}T00:00:00Z", "end": f"{date}T12:00:00Z"},
        )
        (event,) = [e for e in await answer.json() if e["summary"] == "Night"]
        assert event["start"] == {"dateTime": f"{date}T{start}"}
        assert event["end"] == {"dateTime": f"{date}T{end}"}
        # Saved on that very day, it keeps the times of all other days.
        dialog = event | {n: event[n]["dateTime"] for n in ("start", "end")}
        assert await calendar.change(dialog, description="Waterfall") is None
        found = calendar.schedule("Night")
        assert (found.start, found.end) == (135, 240)


async def test_create(calendar: Calendar) -> None:
    """A schedule from the dialog switches the relay at its times."""
    assert await calendar.send("create", event=fall()) is None
    found = calendar.schedule("Morning fall")
    assert (found.slot, found.aux_type, found.speed) == (FALL, 1, 0)
    assert (found.start, found.end, found.weekdays) == (480, 570, 0b0100001)
    assert found.enabled
    shown = [e for e in await calendar.events() if e["summary"] == "Morning fall"]
    assert {datetime.fromisoformat(e["start"]).weekday() for e in shown} == {0, 5}
    assert shown[0]["rrule"] == "FREQ=WEEKLY;BYDAY=MO,SA"
    assert shown[0]["description"] == "Waterfall"
    for weekday, hour, minute, on in (
        (5, 7, 59, False),
        (5, 8, 0, True),
        (5, 9, 29, True),
        (5, 9, 30, False),
        (6, 8, 30, False),
        (0, 8, 30, True),
    ):
        calendar.home.go_to(weekday, hour, minute)
        assert calendar.pool.slots[FALL].on is on, (weekday, hour, minute)
    assert calendar.pool.slots[FALL].mode == 4


async def test_equipment(calendar: Calendar, subtests: pytest.Subtests) -> None:
    slide = calendar.home.entity_id("switch", "slot_21")
    er.async_get(calendar.home.hass).async_update_entity(slide, name="My own name")
    calendar.pool.schedules[0].enabled = False
    for description, expected in (
        (None, (PUMP, 31, 75)),
        ("", (PUMP, 31, 75)),
        ("filter pump", (PUMP, 31, 75)),
        ("Filter Pump, 60%", (PUMP, 31, 60)),
        ("55 %", (PUMP, 31, 55)),
        ("the deck light please", (17, 35, 0)),
        ("Spa mode", (10, 20, 0)),
        ("spa return", (10, 20, 0)),
        ("My own name", (21, 1, 0)),
    ):
        with subtests.test(str(description)):
            event = fall(description=description)
            if description is None:
                del event["description"]
            assert await calendar.send("create", event=event) is None
            found = calendar.schedule("Morning fall")
            assert (found.slot, found.aux_type, found.speed) == expected
            created = await calendar.event("Morning fall")
            assert await calendar.delete(created) is None


async def test_outputs_without_a_name_and_with_the_same(
    home: Home, hass_ws_client: WebSocketGenerator
) -> None:
    home.own(home.service.full)
    slots = home.pool.slots
    home.pool.schedules[0].enabled = False
    slots[0].name = slots[3].name = slots[17].name = ""
    slots[21].name = slots[30].name = "Fountain"
    await home.set_up(home.controller)
    await home.settle()
    calendar = Calendar(home, await hass_ws_client(home.hass))
    for text, slot in (
        ("pump\n60 %", 0),
        ("output 4", 3),
        ("pool light (18)", 17),
        ("Fountain (22)", 21),
        ("fountain (31)", 30),
    ):
        name, start = f"S{slot}", f"2026-07-06T08:{slot:02}:00"
        event = fall(summary=name, dtstart=start, description=text)
        assert await calendar.send("create", event=event) is None, text
        assert calendar.schedule(name).slot == slot
        shown = (await calendar.event(name))["description"]
        assert shown.casefold() == text.casefold()


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"rrule": None}, "a single event is not possible"),
    ({"dtend": "2026-07-07T08:01:00"}, "for 24 hours at most"),
    ({"location": "Garden"}, "A schedule has no location."),
    ({"description": "Whirlpool"}, "Write one of these: Filter Pump, Pool Light"),
    ({"description": "Gas Heater"}, "Schedules do not switch Gas Heater"),
    ({"description": "Waterfall 50 %"}, "Only a pump with variable speed"),
    ({"description": "Filter Pump"}, "overlaps with the schedule “Filter”"),
)


async def test_refused(calendar: Calendar, subtests: pytest.Subtests) -> None:
    for changes, sentence in REFUSED:
        with subtests.test(sentence, changes=changes), unchanged(calendar.home):
            event = {name: v for name, v in fall(**changes).items() if v is not None}
            assert sentence in (await calendar.send("create", event=event) or "")
    # Only equipment that schedules can switch is offered.
    error = await calendar.send("create", event=fall(description="Whirlpool")) or ""
    for name in ("Spa mode", "Water Slide", "Deck Light", "UV Lamp"):
        assert name in error
    for name in ("Gas Heater", "Acid Doser", "Spa Suction", "Ozone"):
        assert name not in error
    # Home Assistant's own action cannot repeat an event, so the error names ours.
    with pytest.raises(ServiceValidationError) as caught:
        await calendar.home.hass.services.async_call(
            "calendar",
            "create_event",
            {
                "entity_id": calendar.entity_id,
                "summary": "Once",
                "start_date_time": "2026-07-06T08:00:00",
                "end_date_time": "2026-07-06T09:00:00",
            },
            blocking=True,
        )
    assert "use the action Create schedule" in str(caught.value)
    # One event alone cannot be changed.
    shown = await calendar.event("Filter")
    ids = {"uid": shown["uid"], "recurrence_id": shown["recurrence_id"]}
    for scope in ({}, {"recurrence_range": ""}):
        for command, more in (("delete", {}), ("update", {"event": fall()})):
            with unchanged(calendar.home):
                alone = await calendar.send(command, **ids, **scope, **more)
            assert "Choose “This and all future events”" in (alone or "")
    assert calendar.home.actions == []


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
            error = await calendar.send("create", event=fall(description=text)) or ""
        assert all(each in error for each in ("Jet (4)", "JET (22)", "Jet (33)"))
    assert await calendar.send("create", event=fall(description="jet (22)")) is None
    assert calendar.schedule("Morning fall").slot == 21


async def test_changed_in_the_app_meanwhile(calendar: Calendar) -> None:
    """A change in the app that was not read yet is not overwritten."""
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    found = calendar.schedule("Morning fall")
    found.end = 600
    for attempt in (calendar.delete, calendar.change):
        error = await attempt(event)
        assert error is not None and "changed elsewhere meanwhile" in error
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
