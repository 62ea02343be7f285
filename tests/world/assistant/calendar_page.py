"""The calendar of a pool, as a page in a browser uses it."""

from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.typing import (
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from custom_components.poolctl import calendar as calendar_module
from tests.world.assistant.home import Home
from tests.world.simulator import Pool
from tests.world.simulator.schedules import Schedule

ZONE = ZoneInfo("Europe/Berlin")
PUMP, LIGHT, FALL, HEATER = 0, 1, 3, 4
"""Slots of the fully equipped pool."""
SERIES = "THISANDFUTURE"
"""Range that the dialog sends for "This and all future events"; "" for one event."""


@pytest.fixture(autouse=True)
async def zone(home: Home) -> None:
    """Use a time zone in which clocks jump, for the controllers, too."""
    await home.hass.config.async_set_time_zone(ZONE.key)
    for controller in home.service.controllers:
        controller.pool.tz = ZONE


class Calendar:
    """The calendar of the fully equipped pool, as a browser sees it."""

    def __init__(self, home: Home, socket: MockHAClientWebSocket) -> None:
        self.home, self.socket = home, socket
        self.faults = home.controller.faults
        self.entity_id = home.entity_id("calendar", "schedules")

    @property
    def pool(self) -> Pool:
        """The simulated pool whose schedules are shown."""
        return self.home.pool

    def found(self, name: str) -> Schedule | None:
        """Return a used schedule of the simulated controller, if it exists."""
        used = [one for one in self.pool.schedules if one.used]
        return next((one for one in used if one.name == name), None)

    def schedule(self, name: str) -> Schedule:
        """Return a schedule that must exist."""
        found = self.found(name)
        assert found is not None
        return found

    async def send(self, command: str, **data: Any) -> str | None:
        """Send a command of the dialog; return the error that it shows, if any."""
        await self.socket.send_json_auto_id(
            {"type": f"calendar/event/{command}", "entity_id": self.entity_id, **data}
        )
        answer = await self.socket.receive_json()
        return None if answer["success"] else answer["error"]["message"]

    async def events(self, days: int = 8) -> list[dict[str, Any]]:
        """Return the events that the page shows, from yesterday on."""
        start = dt_util.start_of_local_day() - timedelta(days=1)
        await self.socket.send_json_auto_id(
            {
                "type": "calendar/event/subscribe",
                "entity_id": self.entity_id,
                "start": start.isoformat(),
                "end": (start + timedelta(days=days)).isoformat(),
            }
        )
        assert (await self.socket.receive_json())["success"]
        message = await self.socket.receive_json()
        events: list[dict[str, Any]] = message["event"]["events"]
        await self.socket.send_json_auto_id(
            {"type": "unsubscribe_events", "subscription": message["id"]}
        )
        assert (await self.socket.receive_json())["success"]
        return events

    async def event(self, name: str) -> dict[str, Any]:
        """Return the first event of a schedule."""
        return next(e for e in await self.events() if e["summary"] == name)

    async def change(
        self, event: dict[str, Any], scope: str = SERIES, **changes: Any
    ) -> str | None:
        """Save an event as the editor does: without a rule to change one event."""
        data = {
            "summary": event["summary"],
            "description": event.get("description"),
            "dtstart": event["start"][:19],
            "dtend": event["end"][:19],
            "rrule": event["rrule"],
        } | changes
        if scope != SERIES:
            del data["rrule"]
        return await self.send(
            "update",
            uid=event["uid"],
            recurrence_id=event.get("recurrence_id", ""),
            recurrence_range=scope,
            event=data,
        )

    async def delete(self, event: dict[str, Any], scope: str = SERIES) -> str | None:
        return await self.send(
            "delete",
            uid=event["uid"],
            recurrence_id=event.get("recurrence_id", ""),
            recurrence_range=scope,
        )


def fall(**changes: Any) -> dict[str, Any]:
    """Return an event of the waterfall on Monday 6 July 2026, as the editor sends it."""
    return {
        "summary": "Morning fall",
        "description": "Waterfall",
        "dtstart": "2026-07-06T08:00:00",
        "dtend": "2026-07-06T09:30:00",
        "rrule": "FREQ=WEEKLY;BYDAY=MO,SA",
    } | changes


@pytest.fixture
def always_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show past runs of every schedule, also of one that a test adds."""
    monkeypatch.setattr(calendar_module, "first_day", lambda: date.min)


@pytest.fixture
async def calendar(
    always_there: None, full: Home, hass_ws_client: WebSocketGenerator
) -> Calendar:
    """Open the calendar in a browser."""
    await full.settle()
    return Calendar(full, await hass_ws_client(full.hass))
