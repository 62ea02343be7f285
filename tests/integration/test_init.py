"""Setting up, unloading and reloading; controllers that come and go."""

import asyncio
import gc

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.upkeep.memory import DATA_MEMORY
from tests.simulator.raw import until

from .conftest import Service, advance, entity_id, set_up, settle, value


async def test_first_set_up_reads_the_account(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """interface.md 4.1 rule 5, 5.2 rule 3."""
    entry = await set_up(hass, service, service.entry())

    assert entry.state is ConfigEntryState.LOADED
    for controller in service.controllers:
        stored = entry.data["controllers"][controller.device_id]
        assert stored["key"] == controller.key.hex()
        assert stored["name"] == controller.name
        assert value(hass, "sensor", controller, "connection") == "cloud"
        device = dr.async_get(hass).async_get_device_by_identifier(
            (DOMAIN, controller.device_id), entry.entry_id
        )
        assert device is not None
        assert device.name == controller.name


async def test_unload_and_reload_leave_nothing_behind(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """The test harness itself fails on lingering tasks and timers; sockets are ours."""
    entities = {state.entity_id for state in hass.states.async_all()}
    for _ in range(20):
        assert await hass.config_entries.async_reload(full.entry_id)
        await hass.async_block_till_done(wait_background_tasks=True)
    assert {state.entity_id for state in hass.states.async_all()} == entities
    assert not [s for s in hass.states.async_all() if s.state == "unavailable"]

    assert await hass.config_entries.async_unload(full.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert full.state is ConfigEntryState.NOT_LOADED
    gc.collect()
    left = [
        task.get_name()
        for task in asyncio.all_tasks()
        if "poolctl" in repr(task.get_coro()) or "pool" in task.get_name().lower()
    ]
    assert not left


@pytest.mark.usefixtures("freezer")
class TestInventory:
    """The hourly inventory."""

    async def test_a_new_controller_appears(
        self,
        hass: HomeAssistant,
        service: Service,
        small: MockConfigEntry,
        freezer: FrozenDateTimeFactory,
    ) -> None:
        service.account.sites[0].controllers.append(service.full)
        await advance(hass, service, freezer, 3700, step=3700)
        assert value(hass, "sensor", service.full, "connection") == "cloud"
        assert service.full.device_id in small.data["controllers"]

    async def test_a_removed_controller_goes_and_an_offline_one_stays(
        self,
        hass: HomeAssistant,
        service: Service,
        credentials: None,
        freezer: FrozenDateTimeFactory,
    ) -> None:
        entry = await set_up(hass, service, service.entry(*service.controllers))
        service.full.cloud_link = False
        del service.account.sites[0].controllers[:]
        await advance(hass, service, freezer, 3700, step=3700)
        devices = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
        assert [device.name for device in devices] == ["Beach pool"]
        assert set(entry.data["controllers"]) == {service.full.device_id}
        entities = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
        assert {e.unique_id.startswith(service.full.device_id) for e in entities} == {
            True
        }

    async def test_a_renamed_controller_keeps_its_entities(
        self,
        hass: HomeAssistant,
        service: Service,
        small: MockConfigEntry,
        freezer: FrozenDateTimeFactory,
    ) -> None:
        service.small.name = "Back yard"
        await advance(hass, service, freezer, 3700, step=3700)
        (device,) = dr.async_entries_for_config_entry(
            dr.async_get(hass), small.entry_id
        )
        assert device.name == "Back yard"
        assert value(hass, "sensor", service.small, "ph") != "unavailable"

    async def test_a_key_that_was_missing_brings_the_lan(
        self,
        hass: HomeAssistant,
        service: Service,
        credentials: None,
        freezer: FrozenDateTimeFactory,
    ) -> None:
        service.account.sites = service.account.sites[:1]
        service.cloud.faults.on("error_500", "envelope-key")
        data = service.entry(service.small).data
        stored = {**data["controllers"][service.small.device_id], "key": None}
        entry = service.entry(controllers={service.small.device_id: stored})
        await set_up(hass, service, entry)
        assert value(hass, "sensor", service.small, "connection") == "cloud"
        service.cloud.faults.clear()
        await advance(hass, service, freezer, 3700, step=3700)
        await advance(hass, service, freezer, 60, step=15)
        assert value(hass, "sensor", service.small, "connection") == "lan"


async def test_reassigned_slots_change_their_entities(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """A slot that becomes something else takes its switch away, and gives it back."""
    registry = er.async_get(hass)

    def switch(index: int) -> str | None:
        return registry.async_get_entity_id(
            "switch", DOMAIN, f"{service.small.device_id}_slot_{index}"
        )

    kept = switch(3)
    coordinator = small.runtime_data.controllers[service.small.device_id]
    service.small.pool.slots[2].aux_type = 0
    await coordinator.async_refresh()
    await hass.async_block_till_done()
    assert switch(2) is None
    assert switch(3) == kept
    service.small.pool.slots[2].aux_type = 1
    await coordinator.async_refresh()
    # It waits for the name its owner gave it, which is asked for in the background.
    await until(lambda: switch(2) is not None)


async def test_without_any_answer_nothing_is_removed(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    """A restart into the cloud knows no equipment: what was known stays registered."""
    registry = er.async_get(hass)
    before = {
        e.entity_id for e in er.async_entries_for_config_entry(registry, small.entry_id)
    }
    service.small.faults.on("refuse")
    await hass.config_entries.async_reload(small.entry_id)
    await hass.async_block_till_done()
    assert value(hass, "sensor", service.small, "connection") == "cloud"
    after = {
        e.entity_id for e in er.async_entries_for_config_entry(registry, small.entry_id)
    }
    assert after >= before


async def test_things_without_a_name_have_one(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    service.account.sites = service.account.sites[:1]
    service.small.name = ""
    service.small.pool.slots[2].name = ""
    await set_up(hass, service, service.entry(service.small))
    state = hass.states.get(entity_id(hass, "switch", service.small, "slot_2"))
    assert state is not None
    assert state.name == "Pool controller Output 3"


async def test_a_deleted_account_is_forgotten(
    hass: HomeAssistant, service: Service, small: MockConfigEntry
) -> None:
    memory = hass.data[DATA_MEMORY]
    assert memory.state(service.small.device_id).slots
    await hass.config_entries.async_remove(small.entry_id)
    await settle(hass, service)
    assert not memory.state(service.small.device_id).slots
    assert memory.counter(service.small.device_id).last > 0


async def test_two_controllers_with_the_same_names(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    service.full.name = service.small.name
    await set_up(hass, service, service.entry(*service.controllers))
    for controller in service.controllers:
        assert value(hass, "sensor", controller, "ph") != "unavailable"
