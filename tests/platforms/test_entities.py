"""Snapshots of every entity of three pools, with a readable line for each; their cost."""

from collections import Counter
from enum import Enum
import time
from typing import Any, Final

from homeassistant.components.climate.const import DOMAIN as CLIMATE
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import snapshot_platform
from syrupy.assertion import SnapshotAssertion

import custom_components.poolctl as integration
from tests.world.assistant.home import Home

pytestmark = pytest.mark.freeze_time("2026-07-01 12:00:00+00:00")

COLUMNS = "key | entity | name | class | unit | category | enabled | state | attributes"
TOLD_BEFORE = {"friendly_name", "device_class", "unit_of_measurement"}
"""Attributes that have a column of their own."""


def written(value: Any) -> str:
    if isinstance(value, list | tuple | set):
        return f"[{', '.join(map(written, value))}]"
    return str(value.value if isinstance(value, Enum) else value).replace("\n", "\\n")


def line(home: Home, entity: er.RegistryEntry, *, enabled: bool) -> str:
    state = home.state_of(entity.entity_id)
    attributes = {k: v for k, v in state.attributes.items() if k not in TOLD_BEFORE}
    attributes |= entity.options.get(entity.domain, {})
    columns = (
        entity.unique_id.partition(f"{home.controller.device_id}_")[2],
        entity.entity_id,
        state.name,
        entity.original_device_class,
        entity.unit_of_measurement,
        entity.entity_category,
        "enabled" if enabled else "disabled",
        state.state,
        ", ".join(f"{name}={written(attributes[name])}" for name in sorted(attributes)),
    )
    return " | ".join(written(column) if column else "-" for column in columns)


async def lines(home: Home) -> dict[str, list[str]]:
    """Enable all entities, and return their lines by platform."""
    entities = sorted(home.entities(), key=lambda entity: entity.unique_id)
    await home.enable_all()
    found: dict[str, list[str]] = {
        str(name): [COLUMNS] for name in integration.PLATFORMS
    }
    for entity in entities:
        enabled = entity.disabled_by is None
        found[entity.domain].append(line(home, entity, enabled=enabled))
    return found


@pytest.mark.parametrize("pool", ["small", "full", "cloud_only"])
async def test_entities(
    home: Home, snapshot: SnapshotAssertion, caplog: pytest.LogCaptureFixture, pool: str
) -> None:
    """Review what `--snapshot-update` changes here like any other line of code.

    Home Assistant complains about units and classes that do not fit.
    """
    home.own(home.service.full if pool == "full" else home.service.small)
    await home.set_up(*[] if pool == "cloud_only" else [home.controller])
    for platform, found in (await lines(home)).items():
        assert "\n".join(found) == snapshot(name=platform)
    assert not [each for each in caplog.messages if "for the device class" in each]


async def test_the_whole_of_a_platform(full: Home, snapshot: SnapshotAssertion) -> None:
    """Registry and state in full, as Home Assistant's own tests keep them."""
    registry = er.async_get(full.hass)
    for entity in full.entities():
        if entity.domain != CLIMATE:
            registry.async_remove(entity.entity_id)
    await snapshot_platform(full.hass, registry, snapshot, full.entry.entry_id)


# How many states an hour adds to the history, and what a poll costs

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
    counted: Counter[str] = Counter()

    @callback
    def note(event: Event[EventStateChangedData]) -> None:
        counted[event.data["entity_id"]] += 1

    hass.bus.async_listen(EVENT_STATE_CHANGED, note)
    return counted


SAVES = HOUR // 600 + 1
"""Saves in an hour, which totals follow: the regular ones, and one of the counters, which
are ahead of the clock after this start."""


@pytest.mark.usefixtures("freezer", "quick")
async def test_a_noisy_hour(full: Home) -> None:
    """Probes that waver by a step of their readings, all the time."""
    water = full.pool.water
    water.drift = 0.0
    await full.live(600)
    middle = water.ph, water.orp, water.temperature, water.ambient
    counted = changes(full.hass)
    for number in range(HOUR // POLL):
        up = number % 2
        water.ph, water.orp = middle[0] + 0.1 * up, middle[1] + 3 * up
        water.temperature, water.ambient = middle[2] + 0.1 * up, middle[3] + 0.1 * up
        await full.live(POLL)
    dosed = ("switch.beach_pool_automatic_ph", *DRUM)
    doses = {key: counted.pop(key) for key in dosed}
    assert {*doses.values()} <= {4, 5}  # the first may fall into the hour or not
    assert counted == dict.fromkeys(COUNTED, SAVES)


@pytest.mark.usefixtures("freezer", "quick")
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
