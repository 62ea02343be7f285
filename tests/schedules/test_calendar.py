"""The calendar: the events it shows, and schedules added to it, down to the relay."""

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
from tests.world.assistant.schedule_actions import events
from tests.world.assistant.unchanged import unchanged
from tests.world.simulator.schedules import Schedule

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
    ({"description": "Whirlpool"}, "Write one of these: Filter Pump, Pool Light"),
    ({"description": "Gas Heater"}, "Schedules do not switch Gas Heater"),
    ({"description": "Waterfall 50 %"}, "Only a pump with variable speed"),
    ({"description": "Filter Pump"}, "overlaps with the schedule “Filter”"),
)


async def test_refused(calendar: Calendar, subtests: pytest.Subtests) -> None:
    for changes, sentence in REFUSED:
        with subtests.test(sentence, changes=changes), unchanged(calendar.home):
            event = {name: v for name, v in fall(**changes).items() if v is not None}
            sent = len(calendar.home.actions)
            assert sentence in (await calendar.send("create", event=event) or "")
            assert len(calendar.home.actions) == sent
    # Only equipment that schedules can switch is offered.
    error = await calendar.send("create", event=fall(description="Whirlpool")) or ""
    for name in ("Spa mode", "Water Slide", "Deck Light", "UV Lamp"):
        assert name in error
    for name in ("Gas Heater", "Acid Doser", "Spa Suction", "Ozone"):
        assert name not in error


async def test_the_21st(calendar: Calendar) -> None:
    for number in range(3, 20):
        calendar.pool.schedules[number] = Schedule(
            FALL, 1, 0, 0, 10 * number, 10 * number + 5, 2, f"S{number}", True
        )
    error = await calendar.send("create", event=fall())
    assert error == "All 20 schedules of the controller are in use. Delete one first"
    # The schedules were read again first: those added elsewhere are shown.
    assert len({event["uid"] for event in await calendar.events()}) == 18


async def test_the_action_of_home_assistant_names_ours(calendar: Calendar) -> None:
    """Home Assistant's action cannot repeat an event, so the error names ours."""
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
