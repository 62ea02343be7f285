"""Two accounts own one controller: one of them runs it, the other one waits (W2)."""

from homeassistant.config_entries import ConfigEntryDisabler, ConfigEntryState
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.home import Home
from tests.world.simulator import Account, Controller, Site

USER = ConfigEntryDisabler.USER


def second_account(home: Home, *owned: Controller) -> MockConfigEntry:
    """Return an entry of another account that owns both pools, or these."""
    service = home.service
    sites = [Site("Ours", controllers=[*(owned or service.controllers)])]
    other = Account("other@example.com", "other", sub="user-2", sites=sites)
    service.cloud.accounts.append(other)
    mine, service.account = service.account, other
    entry = service.entry(*(owned or service.controllers))
    service.account = mine
    return entry


@pytest.fixture
async def entries(home: Home) -> tuple[MockConfigEntry, MockConfigEntry]:
    home.own(home.service.small)
    first = await home.set_up(home.service.small)
    home.hass.states.async_set("sensor.not_ours", "1")
    second = await home.set_up_entry(second_account(home))
    await home.settle()
    home.entry = first
    return first, second


def runs(*entries: MockConfigEntry) -> list[str]:
    """Return the last digits of the controllers that each entry runs."""
    ids = [sorted(entry.runtime_data.controllers) for entry in entries]
    return ["".join(each[-1] for each in found) for found in ids]


def repairs(home: Home) -> set[str]:
    issues = ir.async_get(home.hass).issues
    return {issue for domain, issue in issues if domain == DOMAIN}


def live(home: Home) -> dict[str, tuple[str, str | None]]:
    """Return unique id and entry of the small pool's entities that have a state."""
    registry = er.async_get(home.hass)
    return {
        entity.entity_id: (entity.unique_id, entity.config_entry_id)
        for entity in registry.entities.values()
        if entity.unique_id.startswith(home.service.small.device_id)
        and (state := home.hass.states.get(entity.entity_id))
        and not state.attributes.get("restored")
    }


def devices(home: Home) -> set[str]:
    """Return the ids of the entries that have a device of the small pool."""
    registry, identifier = dr.async_get(home.hass), (DOMAIN, home.controller.device_id)
    return {
        entry.entry_id
        for entry in home.hass.config_entries.async_entries(DOMAIN)
        if registry.async_get_device_by_identifier(identifier, entry.entry_id)
    }


@pytest.mark.row("W2")
async def test_the_second_leaves_it_to_the_first(
    home: Home,
    entries: tuple[MockConfigEntry, MockConfigEntry],
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = entries
    assert runs(first, second) == ["1", "2"]
    assert repairs(home) == {f"controllers_shared_{second.entry_id}"}
    assert devices(home) == {first.entry_id}
    before = live(home)
    assert {entry_id for _, entry_id in before.values()} == {first.entry_id}
    home.hass.config_entries.async_schedule_reload(second.entry_id)
    home.hass.config_entries.async_schedule_reload(first.entry_id)
    await home.settle()
    assert runs(first, second) == ["1", "2"]
    assert live(home) == before
    assert "ERROR" not in {each.levelname for each in caplog.records}


@pytest.mark.row("W2")
@pytest.mark.parametrize("way", ["disabled", "deleted"])
async def test_the_second_takes_over(
    home: Home,
    entries: tuple[MockConfigEntry, MockConfigEntry],
    caplog: pytest.LogCaptureFixture,
    way: str,
) -> None:
    """No entity and no custom name is lost, and the controller stays there."""
    first, second = entries
    registry, manager = er.async_get(home.hass), home.hass.config_entries
    ph = home.entity_id("sensor", "ph")
    registry.async_update_entity(ph, name="Acidity", new_entity_id="sensor.acidity")
    disabled = {
        entity.unique_id for entity in home.entities() if entity.disabled_by is not None
    }
    before = live(home)
    if way == "disabled":
        home.hass.async_create_task(manager.async_set_disabled_by(first.entry_id, USER))
    else:
        home.hass.async_create_task(manager.async_remove(first.entry_id))
    await home.settle()
    await home.settle()
    assert runs(second) == ["12"]
    assert not repairs(home)
    assert devices(home) == {second.entry_id}
    after = live(home)
    assert after == {
        entity_id: (unique_id, second.entry_id)
        for entity_id, (unique_id, _) in before.items()
    }
    assert "sensor.acidity" in after
    home.entry = second
    assert disabled <= {
        entity.unique_id for entity in home.entities() if entity.disabled_by is not None
    }
    if way == "disabled":
        await manager.async_set_disabled_by(first.entry_id, None)
        await home.settle()
        assert first.state is ConfigEntryState.LOADED
        assert runs(first, second) == ["", "12"]
        assert repairs(home) == {f"controllers_shared_{first.entry_id}"}
        assert live(home) == after
    assert "ERROR" not in {each.levelname for each in caplog.records}


@pytest.mark.freeze_time("2026-11-23 08:00:00+00:00")
async def test_a_hold_outlasts_the_second_account(
    home: Home, entries: tuple[MockConfigEntry, MockConfigEntry]
) -> None:
    """Only the account that is deleted last gives back what is held."""
    hold = home.act("poolctl.hold", "slot_2", state=True, duration="00:30:00")
    await home.finish(hold)
    for entry, held in zip(reversed(entries), (True, False), strict=True):
        await home.finish(home.hass.config_entries.async_remove(entry.entry_id))
        assert home.pool.slots[2].held is held


async def test_pools_of_one_name_in_two_accounts(home: Home) -> None:
    """The names of the pools differ while there are two; a part is that of its pool."""
    small, full = home.service.small, home.service.full
    small.name = full.name = "Pool"
    home.own(small)
    first = await home.set_up(small)
    registry = dr.async_get(home.hass)

    def name(entry: MockConfigEntry) -> str | None:
        (pool,) = dr.async_entries_for_config_entry(registry, entry.entry_id)
        parts = dr.async_entries_for_parent_device(registry, pool.id)
        assert "Water" in {part.name for part in parts}
        return pool.name

    assert name(first) == "Pool"
    second = await home.set_up_entry(second_account(home, full))
    await home.settle()
    for _ in range(2):
        assert (name(first), name(second)) == ("Pool (Home)", "Pool (Ours)")
        home.entry = first
        await home.restart()
    home.hass.async_create_task(home.hass.config_entries.async_remove(second.entry_id))
    await home.settle()
    assert name(first) == "Pool"
