"""Events that are changed and deleted, what goes wrong, and the cloud."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from tests.simulator.schedules import Schedule

from .calendar_page import FALL, PUMP, Calendar, actions, fall, go_to, live_in, record
from .home import Home
from .service import Service

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(autouse=True)
async def _zone(home: Home) -> None:
    await live_in(home)


@pytest.fixture
async def calendar(full: Home, hass_ws_client: WebSocketGenerator) -> Calendar:
    """Open the calendar in a browser."""
    await full.settle()
    return Calendar(full.hass, await hass_ws_client(full.hass), full.controller)


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
    assert record(calendar, "Morning fall") is None
    found = record(calendar, "Evening slide")
    assert found is not None
    assert (found.slot, found.start, found.end, found.weekdays) == (21, 1200, 1230, 2)
    go_to(calendar, 1, 20, 15)
    assert calendar.pool.pool.slots[21].on and not calendar.pool.pool.slots[FALL].on


async def test_moved_by_days(calendar: Calendar) -> None:
    """The weekdays are those of the rule, whatever the day of the event is."""
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    for start, end, times in (
        ("2026-08-12T10:00:00", "2026-08-12T11:00:00", (600, 660)),
        ("2026-08-12", "2026-08-13", (0, 1439)),
    ):
        event = await calendar.event("Morning fall")
        assert await calendar.change(event, dtstart=start, dtend=end) is None
        found = record(calendar, "Morning fall")
        assert found is not None
        assert (found.start, found.end, found.weekdays) == (*times, 0b0100001)


async def test_what_is_not_said_stays(calendar: Calendar) -> None:
    """Neither the equipment nor its speed goes back to that of the pump."""
    calendar.pool.pool.schedules[0].speed = 45
    event = await calendar.event("Filter")
    event["description"] = ""
    assert await calendar.change(event, summary="Slow") is not None
    # That one was changed at the controller: here it is as it is now.
    event = await calendar.event("Filter")
    assert event["description"] == "Filter Pump\n45 %"
    assert await calendar.change(event, summary="Slow", description="") is None
    found = record(calendar, "Slow")
    assert found is not None
    assert (found.slot, found.speed, found.start, found.end) == (PUMP, 45, 0, 1439)


async def test_one_without_a_name(calendar: Calendar) -> None:
    calendar.pool.pool.schedules[4] = Schedule(FALL, 1, 0, 0, 60, 120, 1, "", True)
    await _reload_schedules(calendar)
    event = await calendar.event("Schedule 5")
    day = event["start"][:10]
    assert await calendar.change(event, dtend=f"{day}T03:00:00") is None
    assert calendar.pool.pool.schedules[4].end == 180
    assert calendar.pool.pool.schedules[4].name == ""


async def _reload_schedules(calendar: Calendar) -> None:
    entry = calendar.hass.config_entries.async_entries("poolctl")[0]
    for coordinator in entry.runtime_data.controllers.values():
        await coordinator.controller.schedules.read()


@pytest.mark.parametrize("scope", ["", None])
async def test_one_event_alone(calendar: Calendar, scope: str | None) -> None:
    event = await calendar.event("Filter")
    ids = {"uid": event["uid"], "recurrence_id": event["recurrence_id"]}
    if scope is not None:
        ids["recurrence_range"] = scope
    for told in (
        await calendar.send("delete", **ids),
        await calendar.send("update", **ids, event=fall()),
    ):
        assert told is not None and "Choose “This and all future events”" in told
    assert actions(calendar) == 0


async def test_a_stale_page(calendar: Calendar) -> None:
    """The schedule that took the place of another one is not hit by it."""
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    assert await calendar.delete(event) is None
    other = fall(summary="Other", dtend="2026-07-06T10:00:00")
    assert await calendar.send("create", event=other) is None
    before = actions(calendar)
    for told in (await calendar.delete(event), await calendar.change(event)):
        assert told is not None and "changed elsewhere meanwhile" in told
    assert record(calendar, "Other") is not None
    assert actions(calendar) == before


async def test_changed_in_the_app_meanwhile(calendar: Calendar) -> None:
    """Nobody here knows yet."""
    assert await calendar.send("create", event=fall()) is None
    event = await calendar.event("Morning fall")
    found = record(calendar, "Morning fall")
    assert found is not None
    found.end = 600
    for attempt in (calendar.delete, calendar.change):
        told = await attempt(event)
        assert told is not None and "changed elsewhere meanwhile" in told
    assert (found.used, found.end) == (True, 600)
    # The new one is there to look at.
    assert (await calendar.event("Morning fall"))["end"][11:16] == "10:00"


async def test_a_page_that_stays_open(calendar: Calendar) -> None:
    """It is told of every change."""
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


async def test_delete(home: Home, calendar: Calendar) -> None:
    assert await calendar.delete(await calendar.event("Filter")) is None
    assert record(calendar, "Filter") is None
    assert await calendar.events() == []
    state = home.hass.states.get(calendar.entity_id)
    assert state is not None and state.state == "off"
    assert not calendar.pool.pool.pump.running or calendar.pool.pool.pump.run_on


# What goes wrong

type Change = Callable[[Calendar], Coroutine[Any, Any, str | None]]


async def _create(calendar: Calendar) -> str | None:
    return await calendar.send("create", event=fall())


async def _rename(calendar: Calendar) -> str | None:
    event = await calendar.event("Filter")
    return await calendar.change(event, summary="Renamed")


async def _remove(calendar: Calendar) -> str | None:
    return await calendar.delete(await calendar.event("Filter"))


CHANGES = pytest.mark.parametrize("change", [_create, _rename, _remove])


@CHANGES
async def test_the_controller_refuses(calendar: Calendar, change: Change) -> None:
    before = await calendar.events()
    calendar.pool.faults.on("decline")
    assert await change(calendar) == "The controller refused the command"
    assert [one.name for one in calendar.pool.pool.schedules if one.used] == [
        "Filter",
        "Waterfall",
        "Evening light",
    ]
    assert await calendar.events() == before
    assert actions(calendar) == 1


@CHANGES
async def test_the_answer_gets_lost(calendar: Calendar, change: Change) -> None:
    """It was done all the same, once."""
    calendar.pool.faults.once("close_mid_body", 1, "schedule")
    assert await change(calendar) is None
    assert actions(calendar) == 1
    names = {event["summary"] for event in await calendar.events()}
    expected = {
        "_create": {"Filter", "Morning fall"},
        "_rename": {"Renamed"},
        "_remove": set(),
    }
    assert names == expected[change.__name__]


@CHANGES
async def test_the_command_gets_lost(calendar: Calendar, change: Change) -> None:
    calendar.pool.faults.once("ignore_writes")
    calendar.pool.faults.once("close_mid_body", 1, "schedule")
    told = await change(calendar)
    assert told is not None and "did not make the change. Try again" in told
    assert actions(calendar) == 1


@CHANGES
async def test_the_lan_and_the_cloud_die_under_way(
    service: Service, calendar: Calendar, change: Change
) -> None:
    await calendar.events()
    calendar.pool.faults.once("close_mid_body", 1, "schedule")
    service.cloud.faults.on("refuse")
    act = calendar.pool.act

    def act_and_die(name: str, payload: bytes) -> None:
        act(name, payload)
        calendar.pool.faults.on("reset")

    calendar.pool.act = act_and_die  # type: ignore[method-assign]
    told = await change(calendar)
    assert told is not None and "Look at its schedules before you try again" in told


# By way of the cloud


@pytest.fixture
async def away(home: Home, hass_ws_client: WebSocketGenerator) -> Calendar:
    """Open the calendar of a controller that only the cloud reaches."""
    home.own(home.service.full)
    await home.set_up()
    home.clock.speed = 50
    return Calendar(home.hass, await hass_ws_client(home.hass), home.controller)


async def test_in_the_cloud(away: Calendar) -> None:
    assert {event["summary"] for event in await away.events()} == {"Filter"}
    assert await away.send("create", event=fall()) is None
    event = await away.event("Morning fall")
    assert event["description"] == "Waterfall"
    day = event["start"][:10]
    assert await away.change(event, dtend=f"{day}T10:00:00") is None
    found = record(away, "Morning fall")
    assert found is not None and found.end == 600
    assert await away.delete(await away.event("Morning fall")) is None
    assert record(away, "Morning fall") is None
    assert away.pool.requests == []


async def test_refused_in_the_cloud(away: Calendar) -> None:
    away.pool.faults.on("decline")
    told = await away.send("create", event=fall())
    assert told is not None and told.startswith("The service refused the command")
    assert record(away, "Morning fall") is None


async def test_absent_where_the_cloud_does_not_offer_it(home: Home) -> None:
    home.cloud.not_offered.add("scheduleInfo")
    entry = await home.set_up()
    entities = home.entities()
    assert entities
    assert not [
        e for e in entities if e.domain == "calendar" or "_schedule_" in e.unique_id
    ]


async def test_unavailable_with_its_controller(home: Home, calendar: Calendar) -> None:
    calendar.pool.faults.on("refuse")
    home.cloud.faults.on("refuse")
    await home.pass_time(130, step=5)
    assert home.value("calendar", "schedules", of=calendar.pool) == "unavailable"
