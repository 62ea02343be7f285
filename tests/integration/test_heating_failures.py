"""What can go wrong with heating: it is told in words, and nothing is lost."""

from typing import Any, NamedTuple

from homeassistant.core import State
from homeassistant.exceptions import ServiceValidationError
import pytest

from .home import MOST_SENT, Home, failure
from .test_heating import changed, shown, written
from .test_spa_mode import EXTRA_1, EXTRA_2, RETURN, SUCTION

pytestmark = pytest.mark.usefixtures("quick", "at_once")


class Command(NamedTuple):
    """What a person does with an entity."""

    action: str
    key: str
    data: dict[str, Any]

    async def run(self, home: Home) -> None:
        await home.act(self.action, self.key, **self.data)

    def state(self, home: Home) -> State:
        """Return what its entity shows now."""
        return home.state(self.action.partition(".")[0], self.key)


COMMANDS = (
    Command("climate.set_temperature", "pool", {"temperature": 30}),
    Command("climate.set_temperature", "spa", {"temperature": 30, "hvac_mode": "off"}),
    Command("climate.set_hvac_mode", "pool", {"hvac_mode": "off"}),
    Command("climate.turn_off", "spa", {}),
    Command("switch.turn_off", "pool_heater_selected", {}),
    Command("switch.turn_off", "solar_selected", {}),
    Command("switch.turn_off", "spa_heater_selected", {}),
)
SPA_MODE = Command("switch.turn_on", "spa_mode", {})


def name(command: Command) -> str:
    return f"{command.action} {command.key}"


async def fails(home: Home, command: Command, error: str) -> None:
    """Give a command that fails, is told in words, and leaves all as it was."""
    shown_before = command.state(home)
    before, probes = dict(home.pool.settings), dict(home.pool.probes)
    relays = dict(home.pool.relays)
    with failure(error):
        await command.run(home)
    assert changed(home, before) == {}
    assert home.pool.probes == probes
    assert home.pool.relays == relays
    shown_now = command.state(home)
    assert shown_now.state == shown_before.state
    for attribute in ("temperature", "assumed_state"):
        now = shown_now.attributes.get(attribute)
        assert now == shown_before.attributes.get(attribute)


@pytest.mark.parametrize("command", [*COMMANDS, SPA_MODE], ids=name)
async def test_the_controller_refuses(full: Home, command: Command) -> None:
    full.controller.faults.on("decline")
    await fails(full, command, "refused")
    assert not full.cloud_writes
    assert len(full.actions) <= MOST_SENT


@pytest.mark.parametrize("command", COMMANDS, ids=name)
@pytest.mark.parametrize("fault", ["refuse", "close_mid_body", "reset"])
async def test_the_lan_dies(full: Home, command: Command, fault: str) -> None:
    """The cloud cannot do it, and says nothing of it either."""
    full.controller.faults.on(fault)
    await fails(full, command, "not_reached")
    assert not full.cloud_writes


@pytest.mark.parametrize("command", COMMANDS, ids=name)
async def test_the_lan_dies_after_the_command_was_run(
    full: Home, command: Command
) -> None:
    """It is run once, the person is told, and the next poll shows what became of it."""
    before = dict(full.pool.settings)
    full.controller.faults.on("close_mid_body", "cmd")
    with failure("not_reached"):
        await command.run(full)
    assert len(written(full)) == 1
    assert changed(full, before)
    full.controller.faults.clear()
    await full.refresh()
    shown_now = command.state(full)
    if "temperature" in command.data:
        assert shown_now.attributes["temperature"] == 30
    else:
        assert shown_now.state == "off"


async def test_heating_is_accepted_but_never_applied(full: Home) -> None:
    full.controller.faults.on("ignore_writes")
    for command in COMMANDS:
        await fails(full, command, "not_applied")


# A controller that only the cloud reaches


async def test_heating_is_absent_where_only_the_cloud_is(home: Home) -> None:
    """Spa mode works there; of targets and sources the cloud knows nothing."""
    home.own(home.service.full)
    await home.set_up()
    assert home.entity_keys()
    assert not home.entity_keys("climate")
    assert not [key for key in home.entity_keys() if key.endswith("_selected")]

    home.clock.speed = 50
    assert home.value("switch", "spa_mode") == "off"
    await home.act("switch.turn_on", "spa_mode")
    assert home.value("switch", "spa_mode") == "on"
    home.clock.advance(5)
    home.pool.update()
    assert all(home.pool.slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    assert home.cloud_writes == ["manualSet"]


async def test_a_controller_that_lost_its_lan_for_good(full: Home) -> None:
    """Its equipment is remembered, its targets are not: no climate makes them up."""
    await full.unload()
    full.controller.faults.on("refuse")
    await full.restart()
    for key in ("pool", "spa"):
        assert full.value("climate", key) == "unavailable"
    with failure("not_supported", ServiceValidationError):
        await full.act("switch.turn_off", "solar_selected")
    full.controller.faults.clear()
    await full.refresh()
    assert shown(full, "pool")["temperature"] == 28
