"""Failures of heating commands: each raises an error, and no setting is lost."""

from typing import Any, NamedTuple

from homeassistant.const import Platform
from homeassistant.core import State
from homeassistant.exceptions import ServiceValidationError
import pytest

from tests.platforms.test_dosing import still_water
from tests.platforms.test_heating import shown
from tests.world.assistant.home import MOST_SENT, Home, failure
from tests.world.assistant.platforms import only
from tests.world.assistant.unchanged import unchanged

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("all_enabled", "quick", "at_once")
few_platforms = only(Platform.CLIMATE, Platform.SWITCH)


class Command(NamedTuple):
    """An action of a user on an entity."""

    action: str
    key: str
    data: dict[str, Any]

    async def run(self, home: Home) -> None:
        await home.act(self.action, self.key, **self.data)

    def state(self, home: Home) -> State:
        """Return the current state of its entity."""
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


async def fails(home: Home, command: Command, error: str) -> None:
    """Run a command; assert that it fails with this error and changes nothing."""
    assumed = command.state(home).attributes.get("assumed_state")
    sent = len(home.actions)
    with unchanged(home), failure(error):
        await command.run(home)
    assert command.state(home).attributes.get("assumed_state") == assumed
    assert not home.cloud_writes
    assert len(home.actions) - sent <= MOST_SENT


async def test_the_controller_refuses(full: Home, subtests: pytest.Subtests) -> None:
    full.controller.faults.on("decline")
    for command in (*COMMANDS, SPA_MODE):
        with subtests.test(command.action, key=command.key):
            await fails(full, command, "refused")


@pytest.mark.parametrize("fault", ["refuse", "close_mid_body", "reset"])
async def test_the_lan_dies(full: Home, subtests: pytest.Subtests, fault: str) -> None:
    """The error is that of the LAN, because the cloud has no such command."""
    full.controller.faults.on(fault)
    for command in COMMANDS:
        with subtests.test(command.action, key=command.key):
            await fails(full, command, "not_reached")


# A controller that only the cloud reaches


async def test_a_controller_that_lost_its_lan_for_good(full: Home) -> None:
    """Equipment is stored; targets are not, so that climates are unavailable."""
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
