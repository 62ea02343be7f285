"""Requests, written states and waiting times, in hours of simulated time."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
import time
from typing import Final, NamedTuple

from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback

from custom_components.poolctl.client.control.paths import Paths
from custom_components.poolctl.coordinator import ControllerCoordinator
from tests.world.soak.timelapse import SharedClock, timelapse

from .home import add, coordinator, entity_id, home, until, value
from .rows import Row, at_most
from .service import Service

POLL: Final = 15.0
HOUR: Final = 3600.0
START: Final = "2026-06-01 03:00:00"
SILENT: Final = 35.0
BACK: Final = 17.0
REFUSED: Final = 2 * POLL + 2
"""Seconds: two polls, a second for the retry of the second poll (a port may be closed
for a moment), and a second for the timers of Home Assistant and the cloud."""
WATERFALL: Final = "slot_3"


def rows(*, short: bool) -> list[Row]:
    """Measure; an hour of simulated time takes about half a second."""
    with freeze_time(START) as frozen:
        assert isinstance(frozen, FrozenDateTimeFactory)
        return asyncio.run(_rows(frozen, 2 if short else 24))


@asynccontextmanager
async def _running() -> AsyncGenerator[tuple[HomeAssistant, Service]]:
    async with Service(1, SharedClock()) as service, home() as hass:
        await add(hass, service.entry_data())
        await asyncio.sleep(HOUR / 6)
        yield hass, service


async def _rows(frozen: FrozenDateTimeFactory, hours: int) -> list[Row]:
    with timelapse(frozen):
        async with _running() as (hass, service):
            return [
                *await _written(hass, service),
                *[await _click(hass, service, click) for click in CLICKS],
                *await _requests(service, hours),
                await _lan_loss(hass, service, "refuse", "refused", REFUSED),
                await _lan_loss(hass, service, "hang", "silent", SILENT),
                await _both_back(hass, service),
            ]


# --- States written ---------------------------------------------------------------


async def _written(hass: HomeAssistant, service: Service) -> list[Row]:
    """Keep the water constant, then change three readings by more than their noise.

    The changes start no doser, as its values would change, too.
    """
    water = service.controllers[0].pool.water
    water.drift = 0.0
    await asyncio.sleep(4 * POLL)
    nothing = await _changed(hass)
    water.ph, water.orp, water.ambient = water.ph - 0.2, water.orp + 6, 20.0
    three = await _changed(hass)
    water.drift = 1.0
    return [
        _states("that changes nothing", nothing, 0),
        _states("that changes 3 values", three, 3),
    ]


def _states(poll: str, changed: int, goal: int) -> Row:
    return Row(
        f"states changed by a poll {poll}", f"{changed}", f"{goal}", changed == goal
    )


async def _changed(hass: HomeAssistant) -> int:
    """Count the states that one poll changes.

    Energy and hours rise while the pump runs, whether or not a poll reports changes;
    only this figure leaves them out.
    """
    changed: list[str] = []

    @callback
    def note(event: Event[EventStateChangedData]) -> None:
        new = event.data["new_state"]
        if new is None or new.attributes.get("state_class") != "total_increasing":
            changed.append(event.data["entity_id"])

    end = hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    await asyncio.sleep(POLL)
    end()
    return len(changed)


# --- Requests ---------------------------------------------------------------------


class Click(NamedTuple):
    """Two actions of a user on one entity, such as on and off."""

    what: str
    most: int
    """Maximum number of requests to the controller and to the cloud together."""
    domain: str
    key: str
    actions: tuple[str, str]
    data: tuple[Mapping[str, object], Mapping[str, object]] = ({}, {})


_TURN: Final = "switch.turn_on", "switch.turn_off"
_SET: Final = "number.set_value", "number.set_value"
CLICKS: Final = (
    Click("a relay", 1, "switch", WATERFALL, _TURN),
    # Settings and schedules are read before they are written: no frame shows that another
    # Home Assistant, the app or the panel has changed them, and no change must be lost.
    Click("pH", 3, "number", "ph_target", _SET, ({"value": 7.3}, {"value": 7.2})),
    Click("dosing", 3, "switch", "automatic_liquid_chlorine", _TURN[::-1]),
    Click(
        "a drum",
        3,
        "number",
        "acid_drum_size",
        _SET,
        ({"value": 15.0}, {"value": 16.0}),
    ),
    Click(
        "a schedule",
        3,
        "switch",
        "schedule_0",
        ("poolctl.update_schedule", "poolctl.update_schedule"),
        ({"start": "09:10:00"}, {"start": "09:20:00"}),
    ),
)


async def _click(hass: HomeAssistant, service: Service, click: Click) -> Row:
    """Run both actions after a poll; count only the second, as all was read then."""
    controller = service.controllers[0]
    entity = entity_id(hass, click.domain, controller.device_id, click.key)
    polls = len(controller.requests)
    await until(lambda: len(controller.requests) > polls)
    await asyncio.sleep(3)
    for each, data in zip(click.actions, click.data, strict=True):
        lan, cloud = len(controller.requests), len(service.cloud.requests)
        domain, action = each.split(".")
        await hass.services.async_call(
            domain, action, {"entity_id": entity, **data}, blocking=True
        )
        wanted = data.get("value", {"turn_on": "on", "turn_off": "off"}.get(action))
        arrived = wanted is None or hass.states.is_state(entity, str(wanted))
        assert arrived, "the click did not arrive"
    count = len(controller.requests) - lan + len(service.cloud.requests) - cloud
    name = f"requests from a click to the confirmed state: {click.what}"
    return at_most(name, count, click.most, "", f"{count}")


async def _requests(service: Service, hours: int) -> list[Row]:
    """Count requests per hour while LAN and cloud work; the worst hour counts."""
    controller, cloud = service.controllers[0], service.cloud
    queries, reads = [], []
    for _ in range(hours):
        before = len(cloud.requests)
        controller.requests.clear()
        await asyncio.sleep(HOUR)
        queries.append(sum(request.op == "q" for request in controller.requests))
        reads.append(len(cloud.requests) - before)
    return [
        at_most(
            f"{what}, the worst of {hours}", max(counts), most, "", f"{max(counts)}"
        )
        for what, counts, most in (
            ("signed background queries an hour", queries, 72),
            ("cloud requests an hour while the LAN works", reads, 2),
        )
    ]


# --- Waiting ----------------------------------------------------------------------


async def _lan_loss(
    hass: HomeAssistant, service: Service, fault: str, how: str, goal: float
) -> Row:
    """Lose the LAN right after a poll, which is the worst moment."""
    controller = service.controllers[0]

    def source() -> str:
        return value(hass, "sensor", controller.device_id, "connection")

    polls = len(controller.requests)
    await until(lambda: len(controller.requests) > polls)
    controller.faults.on(fault)
    started = time.monotonic()
    await until(lambda: source() == "cloud")
    seconds = time.monotonic() - started
    controller.faults.off(fault)
    await until(lambda: source() == "lan")
    return _waited(f"from LAN loss ({how}) to cloud values", seconds, goal)


def _changes(paths: Paths) -> Callable[[], bool]:
    """Return the test whether another poll has failed."""
    error = paths.lan_error
    return lambda: paths.lan_error is not error


async def _both_back(hass: HomeAssistant, service: Service) -> Row:
    """Lose the LAN and the cloud, and restore both right after a failed poll."""
    controller, waited = service.controllers[0], []

    def shown() -> str:
        return value(hass, "sensor", controller.device_id, "ph")

    found = coordinator(hass, "sensor", controller.device_id, "ph")
    assert isinstance(found, ControllerCoordinator)
    paths = found.controller.paths
    for fault in ("refuse", "hang"):
        for each in (controller, service.cloud):
            each.faults.on(fault)
        await until(lambda: shown() == "unavailable")
        await until(_changes(paths))
        for each in (controller, service.cloud):
            each.faults.off(fault)
        started = time.monotonic()
        await until(lambda: shown() != "unavailable")
        waited.append(time.monotonic() - started)
    return _waited("from LAN and cloud being back to values", max(waited), BACK)


def _waited(name: str, seconds: float, goal: float) -> Row:
    return at_most(name, seconds, goal, " s", f"{seconds:.1f} s")
