"""How many states an hour adds to the history, and what a poll costs."""

from collections import Counter
import time
from typing import Final

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
import pytest

from tests.world.assistant.home import Home

pytestmark = pytest.mark.usefixtures("freezer", "quick")

POLL: Final = 15
HOUR: Final = 3600
COUNTED: Final = (
    "sensor.beach_pool_pump_energy",
    "sensor.beach_pool_pump_runtime_today",
)
"""Totals that rise while the pump runs: shown every five minutes."""
DRUM: Final = ("sensor.beach_pool_acid_remaining", "sensor.beach_pool_acid_used_today")


def changes(hass: HomeAssistant) -> Counter[str]:
    """Return the number of changes of each entity from now on."""
    found: Counter[str] = Counter()

    @callback
    def note(event: Event[EventStateChangedData]) -> None:
        found[event.data["entity_id"]] += 1

    hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    return found


async def test_a_steady_hour(full: Home) -> None:
    full.pool.water.drift = 0.0
    await full.live(600)
    found = changes(full.hass)
    await full.live(HOUR)
    assert found == dict.fromkeys(COUNTED, HOUR // 300)


async def test_a_noisy_hour(full: Home) -> None:
    """Probes that waver by a step of their readings, all the time."""
    water = full.pool.water
    water.drift = 0.0
    await full.live(600)
    middle = water.ph, water.orp, water.temperature, water.ambient
    found = changes(full.hass)
    for number in range(HOUR // POLL):
        up = number % 2
        water.ph, water.orp = middle[0] + 0.1 * up, middle[1] + 3 * up
        water.temperature, water.ambient = middle[2] + 0.1 * up, middle[3] + 0.1 * up
        await full.live(POLL)
    dosed = ("switch.beach_pool_automatic_ph", *DRUM)
    assert found == dict.fromkeys(COUNTED, HOUR // 300) | dict.fromkeys(dosed, 4)


async def test_what_a_poll_costs(full: Home) -> None:
    """All entities compute what they show, at most 10 ms of each poll (chosen)."""
    full.pool.water.drift = 0.0
    await full.live(60)
    coordinator = full.entry.runtime_data.controllers[full.controller.device_id]
    times = []
    for _ in range(20):
        began = time.thread_time()
        coordinator.async_update_listeners()
        times.append(time.thread_time() - began)
    assert min(times) <= 0.010
