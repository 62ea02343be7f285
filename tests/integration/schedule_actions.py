"""What the tests of schedules share: actions, and ways to look at schedules."""

from datetime import timedelta
from typing import Any

from homeassistant.helpers import device_registry as dr, entity_registry as er

from custom_components.poolctl.const import DOMAIN
from tests.simulator import Controller

from .home import Home
from .service import FULL_ID

FALL, LIGHT, ACTUATOR = 3, 1, 10
"""Slots of the fully equipped pool; its schedules are 0 Filter, 1 Waterfall, 2 light."""
FILTER, WATERFALL, LAMP, NEW = range(4)


async def act(home: Home, action: str, *, device: str = FULL_ID, **data: Any) -> Any:
    """Run one of our actions on a controller."""
    found = dr.async_get(home.hass).async_get_devices(identifiers={(DOMAIN, device)})
    response = action in {"create_schedule", "get_schedules"}
    return await home.hass.services.async_call(
        DOMAIN,
        action,
        {"device_id": next(iter(found)).id, **data},
        blocking=True,
        return_response=response,
    )


def new(home: Home, **changes: Any) -> dict[str, Any]:
    """Return the fields of a new schedule of the waterfall."""
    return {
        "name": "Morning fall",
        "start": "08:00:00",
        "end": "09:30:00",
        "weekdays": ["mon", "sat"],
        "equipment": switch(home, "slot_3"),
    } | changes


def switch(home: Home, key: str) -> str | None:
    """Return a switch of the fully equipped pool, `None` where there is none."""
    registry = er.async_get(home.hass)
    return registry.async_get_entity_id("switch", DOMAIN, f"{FULL_ID}_{key}")


def go_to(pool: Controller, weekday: int, hour: int, minute: int = 0) -> None:
    """Let the controller's clock go on to a weekday and a time."""
    now = pool.pool.local_time()
    there = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    there += timedelta(days=(weekday - now.weekday()) % 7)
    if there <= now:
        there += timedelta(days=7)
    pool.clock.advance((there - now).total_seconds())


def asked(pool: Controller, op: str) -> list[str]:
    """Return what the controller was asked."""
    return [request.name for request in pool.requests if request.op == op]


async def look(home: Home, pool: Controller) -> None:
    """Let the integration look at the controller, and at its slow data."""
    (entry,) = home.hass.config_entries.async_entries(DOMAIN)
    home.hass.async_create_task(
        entry.runtime_data.controllers[pool.device_id].async_refresh()
    )
    await home.settle()


def switches(home: Home) -> dict[str, str]:
    """Return the names of the switches of schedules by key."""
    return {
        entry.unique_id.partition("schedule_")[2]: entry.original_name or ""
        for entry in er.async_get(home.hass).entities.values()
        if entry.domain == "switch" and "_schedule_" in entry.unique_id
    }
