"""Helpers for tests of schedules: actions, and views of the schedules."""

from typing import Any

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.simulator import Controller

FALL, LIGHT, ACTUATOR = 3, 1, 10
"""Slots of the fully equipped pool; its schedules are 0 Filter, 1 Waterfall, 2 light."""
FILTER, WATERFALL, LAMP, NEW = range(4)


async def act(
    home: Home, action: str, *, of: Controller | None = None, **data: Any
) -> Any:
    """Run one of our actions on schedules; `schedule` is the number of one."""
    answer = None
    if "schedule" in data:
        switch = home.entity_id("switch", f"schedule_{data.pop('schedule') - 1}", of)
        data["entity_id"] = switch
        await home.hass.services.async_call(DOMAIN, action, data, blocking=True)
    else:
        answer = await home.act_on_calendar(action, of=of, answers=True, **data)
    # New entities come one platform after the other.
    await home.settle()
    return answer


async def events(home: Home, **period: Any) -> list[dict[str, Any]]:
    """Return the events of a period as scripts get them from the calendar."""
    entity_id = home.entity_id("calendar", "schedules")
    data = {"entity_id": entity_id, **period}
    answer: Any = await home.hass.services.async_call(
        "calendar", "get_events", data, blocking=True, return_response=True
    )
    found: list[dict[str, Any]] = answer[entity_id]["events"]
    return found


def new(home: Home, **changes: Any) -> dict[str, Any]:
    """Return the fields of a new schedule of the waterfall."""
    waterfall = home.registered("switch", "slot_3", of=home.service.full)
    return {
        "name": "Morning fall",
        "start": "08:00:00",
        "end": "09:30:00",
        "weekdays": ["mon", "sat"],
        "equipment": waterfall.entity_id if waterfall else None,
    } | changes


async def look(home: Home) -> None:
    """Let the integration read the controller, including its slow data."""
    home.hass.async_create_task(home.refresh())
    await home.settle()


def switches(home: Home) -> dict[str, str]:
    """Return the names of the switches of schedules by key."""
    return {
        entity.unique_id.partition("schedule_")[2]: entity.original_name or ""
        for entity in home.entities()
        if entity.domain == "switch" and "_schedule_" in entity.unique_id
    }
