"""What can go wrong with heating: it is told in words, and nothing is lost."""

from typing import Any

import pytest

from .home import Home, failure
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


async def fails(home: Home, command: Command, error: str) -> None:
    """Give a command that fails, is told in words, and leaves all as it was."""
    domain, action, key, data = command
    entity = home.entity_id(domain, key)
    shown_before = home.hass.states.get(entity)
    assert shown_before is not None
    before, probes = dict(home.pool.settings), dict(home.pool.probes)
    relays = dict(home.pool.relays)
    with failure(error):
        await home.act(f"{domain}.{action}", key, **data)
    assert changed(home, before) == {}
    assert home.pool.probes == probes
    assert home.pool.relays == relays
    shown_now = home.hass.states.get(entity)
    assert shown_now is not None
    assert shown_now.state == shown_before.state
    for attribute in ("temperature", "assumed_state"):
        now = shown_now.attributes.get(attribute)
        assert now == shown_before.attributes.get(attribute)


@pytest.mark.parametrize("command", [*COMMANDS, SPA_MODE], ids=str)
async def test_the_controller_refuses(full: Home, command: Command) -> None:
    full.controller.faults.on("decline")
    await fails(full, command, "refused")
    assert not full.cloud_writes
    assert sum(request.op == "a" for request in full.controller.requests) == 1


@pytest.mark.parametrize("command", COMMANDS, ids=str)
@pytest.mark.parametrize("fault", ["refuse", "close_mid_body", "reset"])
async def test_the_lan_dies(full: Home, command: Command, fault: str) -> None:
    """The cloud cannot do it, and says nothing of it either."""
    full.controller.faults.on(fault)
    await fails(full, command, "not_reached")
    assert not full.cloud_writes


@pytest.mark.parametrize("command", COMMANDS, ids=str)
async def test_the_lan_dies_after_the_command_was_run(
    full: Home, command: Command
) -> None:
    """It is run once, the person is told, and the next poll shows what became of it."""
    domain, action, key, data = command
    before = dict(full.pool.settings)
    full.controller.faults.on("close_mid_body", "cmd")
    with failure("not_reached"):
        await full.act(f"{domain}.{action}", key, **data)
    assert len(written(full)) == 1
    assert changed(full, before)
    full.controller.faults.clear()
    await refresh(full)
    if domain == "switch":
        assert full.value("switch", key) == "off"
    elif "temperature" in data:
        assert target(full, key) == 30
    else:
        assert shown(full, key)["mode"] == "off"


async def test_heating_is_accepted_but_never_applied(full: Home) -> None:
    full.controller.faults.on("ignore_writes")
    for command in COMMANDS:
        await fails(full, command, "not_applied")


# A controller that only the cloud reaches


async def test_heating_is_absent_where_only_the_cloud_is(home: Home) -> None:
    """Spa mode works there; of targets and sources the cloud knows nothing."""
    home.own(home.service.full)
    entry = await home.set_up()
    entities = home.entities()
    assert not [e for e in entities if e.domain == "climate"]
    assert not [e for e in entities if e.unique_id.endswith("_selected")]

    home.clock.speed = 50
    assert home.value("switch", "spa_mode") == "off"
    await home.act("switch.turn_on", "spa_mode")
    assert home.value("switch", "spa_mode") == "on"
    home.clock.advance(5)
    home.pool.update()
    assert all(home.pool.slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    writes = home.cloud_writes
    assert writes == ["manualSet"]


async def test_a_controller_that_lost_its_lan_for_good(full: Home) -> None:
    """Its equipment is remembered, its targets are not: no climate makes them up."""
    assert await full.hass.config_entries.async_unload(full.entry.entry_id)
    full.controller.faults.on("refuse")
    await full.restart()
    for key in ("pool", "spa"):
        state = full.state("climate", key)
        assert state.state == "unavailable"
    with failure("not_reached"):
        await full.act("switch.turn_off", "solar_selected")
    full.controller.faults.clear()
    await refresh(full)
    assert shown(full, "pool")["temperature"] == 28
