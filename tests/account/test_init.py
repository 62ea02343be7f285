"""Setting up, unloading and reloading; controllers that come and go."""

import asyncio
import gc
import time
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import Event, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from tests.world.assistant.home import Home
from tests.world.assistant.service import record
from tests.world.loops import LeapingLoop
from tests.world.simulator.cloud_dialects import CloudDialect


@pytest.mark.row("4.1 rule 5", "5.2 rule 3")
async def test_first_set_up_reads_the_account(home: Home) -> None:
    """Controllers and their keys are stored."""
    entry = await home.set_up()

    assert entry.state is ConfigEntryState.LOADED
    for controller in home.service.controllers:
        stored = entry.data["controllers"][controller.device_id]
        assert stored["key"] == controller.key.hex()
        assert stored["name"] == controller.name
        assert home.value("sensor", "connection", of=controller) == "cloud"
        assert home.device(controller).name == controller.name


@pytest.mark.parametrize("cloud", ["hang", "trickle"])
async def test_a_start_and_a_reload_while_nothing_answers(
    full: Home, cloud: str
) -> None:
    """They take 30 s at most, each: no path waits for the other."""
    full.cloud.faults.on(cloud)
    full.controller.faults.on("hang")
    for _ in range(2):
        begun = time.monotonic()
        await full.hass.config_entries.async_reload(full.entry.entry_id)
        assert full.entry.state is ConfigEntryState.SETUP_RETRY
        assert time.monotonic() - begun <= 30


async def test_unload_and_reload_leave_nothing_behind(full: Home) -> None:
    """Reloads keep all entities, and no task is left after an unload."""
    entities = {state.entity_id for state in full.hass.states.async_all()}
    for _ in range(3):
        assert await full.hass.config_entries.async_reload(full.entry.entry_id)
        await full.hass.async_block_till_done(wait_background_tasks=True)
    assert {state.entity_id for state in full.hass.states.async_all()} == entities
    assert not [s for s in full.hass.states.async_all() if s.state == "unavailable"]

    await full.unload()
    await full.hass.async_block_till_done(wait_background_tasks=True)
    assert full.entry.state is ConfigEntryState.NOT_LOADED
    gc.collect()
    left = [
        task.get_name()
        for task in asyncio.all_tasks()
        if "poolctl" in repr(task.get_coro()) or "pool" in task.get_name().lower()
    ]
    assert not left


@pytest.mark.usefixtures("freezer")
async def test_a_first_set_up_is_tried_again_soon(home: Home) -> None:
    """The failed reading asks for no wait, which Home Assistant 2026.11 would obey."""
    home.cloud.faults.on("error_503")
    entry = await home.set_up()
    assert [entry.state] == [ConfigEntryState.SETUP_RETRY]
    assert entry.runtime_data.last_exception.retry_after is None
    home.cloud.faults.clear()
    await home.advance(30)
    assert [entry.state] == [ConfigEntryState.LOADED]


async def test_why_the_account_cannot_be_read(home: Home) -> None:
    """Each reason is a whole translated sentence, without untranslated parts."""
    entry = None
    for fault, key in (
        ("error_503", "service_unreachable"),
        ("html", "service_unreadable"),
        ("failed", "service_unreadable"),
        ("rate_limited", "service_busy"),
    ):
        home.cloud.faults.clear()
        home.cloud.faults.on(fault)
        if entry is None:
            entry = await home.set_up()
        else:
            await home.hass.config_entries.async_reload(entry.entry_id)
        assert [entry.state] == [ConfigEntryState.SETUP_RETRY]
        assert entry.error_reason_translation_key == key
        assert not entry.error_reason_translation_placeholders


@pytest.mark.row("C17")
@pytest.mark.usefixtures("freezer", "quick")
async def test_what_published_endpoints_can_do_is_offered(home: Home) -> None:
    """The pump and its speed are offered, and nothing that the service lacks."""
    home.own(home.service.full)
    home.controller = home.service.full
    home.cloud.dialects = {CloudDialect.C17_PUBLISHED}
    stored = {home.controller.device_id: record(home.controller, host=None, key=None)}
    await home.set_up(controllers=stored)
    await home.live(60)
    assert home.entity_keys("switch") == {"pump", "pump_extra_run"}
    assert home.value("switch", "pump") == "on"
    assert home.entity_keys("number") == {"pump_target_speed", "volume"}
    assert home.entity_keys("select") == {"pump_control", "pump_hours_rule"}
    for domain in ("climate", "light", "calendar"):
        assert home.entity_keys(domain) == set()


# The hourly inventory


@pytest.mark.row("C11")
@pytest.mark.usefixtures("freezer")
async def test_a_removed_controller_goes_and_an_offline_one_stays(home: Home) -> None:
    """The second inventory without it removes a controller."""
    small, full = home.service.controllers
    entry = await home.set_up(small, full)
    full.cloud_link = False
    small.faults.on("refuse")
    del home.account.sites[0].controllers[:]
    registry = dr.async_get(home.hass)
    for left in ({small, full}, {full}):
        await home.advance(3700)
        devices = dr.async_entries_for_config_entry(registry, entry.entry_id)
        names = {device.name for device in devices if device.via_device_id is None}
        assert names == {each.name for each in left}
        assert set(entry.data["controllers"]) == {each.device_id for each in left}
    assert all(e.unique_id.startswith(full.device_id) for e in home.entities())


async def test_a_start_in_turns(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two controllers, and two of their platforms, others have their turn."""
    turn, added = 0, dict[int, set[tuple[str, str]]]()
    registry, loop = er.async_get(home.hass), home.hass.loop
    assert isinstance(loop, LeapingLoop)
    select = loop._watched.select

    def next_turn(timeout: float | None = None) -> Any:
        nonlocal turn
        turn += 1
        return select(timeout)

    @callback
    def note(event: Event[er.EventEntityRegistryUpdatedData]) -> None:
        found = registry.async_get(event.data["entity_id"])
        if event.data["action"] == "create" and found is not None:
            place = (found.unique_id[:17], found.domain)
            added.setdefault(turn, set()).add(place)

    monkeypatch.setattr(loop._watched, "select", next_turn)
    home.hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, note)
    home.entry = home.service.entry(*home.service.controllers)
    home.entry.add_to_hass(home.hass)
    assert await home.hass.config_entries.async_setup(home.entry.entry_id)
    # A platform that waits, for its texts, may meet others in a turn.
    places = set().union(*added.values())
    assert len(places) > 10 and len(added) > len(places) * 0.7
