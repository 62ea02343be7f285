"""What can go wrong with heating: it is told in words, and nothing is lost."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from .conftest import Service, entity_id, restart, set_up, value
from .test_commands import call
from .test_heating import changed, refresh, shown, target, written
from .test_spa_mode import EXTRA_1, EXTRA_2, RETURN, SUCTION

pytestmark = pytest.mark.usefixtures("quick", "at_once")

type Command = tuple[str, str, str, dict[str, Any]]

COMMANDS: tuple[Command, ...] = (
    ("climate", "set_temperature", "pool", {"temperature": 30}),
    ("climate", "set_temperature", "spa", {"temperature": 30, "hvac_mode": "off"}),
    ("climate", "set_hvac_mode", "pool", {"hvac_mode": "off"}),
    ("climate", "turn_off", "spa", {}),
    ("switch", "turn_off", "pool_heater_selected", {}),
    ("switch", "turn_off", "solar_selected", {}),
    ("switch", "turn_off", "spa_heater_selected", {}),
)
SPA_MODE: Command = ("switch", "turn_on", "spa_mode", {})


async def fails(
    hass: HomeAssistant, service: Service, command: Command, error: str
) -> None:
    """Give a command that fails, is told in words, and leaves all as it was."""
    domain, action, key, data = command
    entity = entity_id(hass, domain, service.full, key)
    shown_before = hass.states.get(entity)
    assert shown_before is not None
    before, probes = dict(service.full.pool.settings), dict(service.full.pool.probes)
    relays = dict(service.full.pool.relays)
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, domain, action, service.full, key, **data)
    assert caught.value.translation_key == error
    assert str(caught.value) != error
    assert changed(service, before) == {}
    assert service.full.pool.probes == probes
    assert service.full.pool.relays == relays
    shown_now = hass.states.get(entity)
    assert shown_now is not None
    assert shown_now.state == shown_before.state
    for attribute in ("temperature", "assumed_state"):
        now = shown_now.attributes.get(attribute)
        assert now == shown_before.attributes.get(attribute)


@pytest.mark.parametrize("command", [*COMMANDS, SPA_MODE], ids=str)
async def test_the_controller_refuses(
    hass: HomeAssistant, service: Service, full: MockConfigEntry, command: Command
) -> None:
    service.full.faults.on("decline")
    await fails(hass, service, command, "refused")
    assert not [r for r in service.cloud.requests if r.method == "POST"]
    assert sum(request.op == "a" for request in service.full.requests) == 1


@pytest.mark.parametrize("command", COMMANDS, ids=str)
@pytest.mark.parametrize("fault", ["refuse", "close_mid_body", "reset"])
async def test_the_lan_dies(
    hass: HomeAssistant,
    service: Service,
    full: MockConfigEntry,
    command: Command,
    fault: str,
) -> None:
    """The cloud cannot do it, and says nothing of it either."""
    service.full.faults.on(fault)
    await fails(hass, service, command, "not_reached")
    assert not [r for r in service.cloud.requests if r.method == "POST"]


@pytest.mark.parametrize("command", COMMANDS, ids=str)
async def test_the_lan_dies_after_the_command_was_run(
    hass: HomeAssistant, service: Service, full: MockConfigEntry, command: Command
) -> None:
    """It is run once, the person is told, and the next poll shows what became of it."""
    domain, action, key, data = command
    before = dict(service.full.pool.settings)
    service.full.faults.on("close_mid_body", "cmd")
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, domain, action, service.full, key, **data)
    assert caught.value.translation_key == "not_reached"
    assert len(written(service)) == 1
    assert changed(service, before)
    service.full.faults.clear()
    await refresh(full, service)
    if domain == "switch":
        assert value(hass, "switch", service.full, key) == "off"
    elif "temperature" in data:
        assert target(hass, service, key) == 30
    else:
        assert shown(hass, service, key)["mode"] == "off"


async def test_heating_is_accepted_but_never_applied(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    service.full.faults.on("ignore_writes")
    for command in COMMANDS:
        await fails(hass, service, command, "not_applied")


# A controller that only the cloud reaches


async def test_heating_is_absent_where_only_the_cloud_is(
    hass: HomeAssistant, service: Service, credentials: None
) -> None:
    """Spa mode works there; of targets and sources the cloud knows nothing."""
    service.account.sites = service.account.sites[1:]
    entry = await set_up(hass, service, service.entry())
    entities = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    assert not [e for e in entities if e.domain == "climate"]
    assert not [e for e in entities if e.unique_id.endswith("_selected")]

    service.clock.speed = 50
    assert value(hass, "switch", service.full, "spa_mode") == "off"
    await call(hass, "switch", "turn_on", service.full, "spa_mode")
    assert value(hass, "switch", service.full, "spa_mode") == "on"
    service.clock.advance(5)
    service.full.pool.update()
    assert all(
        service.full.pool.slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2)
    )
    writes = [r.name for r in service.cloud.requests if r.method == "POST"]
    assert writes == ["manualSet"]


async def test_a_controller_that_lost_its_lan_for_good(
    hass: HomeAssistant, service: Service, full: MockConfigEntry
) -> None:
    """Its equipment is remembered, its targets are not: no climate makes them up."""
    assert await hass.config_entries.async_unload(full.entry_id)
    service.full.faults.on("refuse")
    await restart(hass, service, full)
    for key in ("pool", "spa"):
        state = hass.states.get(entity_id(hass, "climate", service.full, key))
        assert state is not None and state.state == "unavailable"
    with pytest.raises(HomeAssistantError) as caught:
        await call(hass, "switch", "turn_off", service.full, "solar_selected")
    assert caught.value.translation_key == "not_reached"
    service.full.faults.clear()
    await refresh(full, service)
    assert shown(hass, service, "pool")["temperature"] == 28
