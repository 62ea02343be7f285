"""Failures of heating commands: each raises an error, and no setting is lost."""

from typing import Any, NamedTuple

from homeassistant.const import Platform
from homeassistant.core import State
from homeassistant.exceptions import ServiceValidationError
import pytest

from tests.platforms.test_dosing import still_water
from tests.platforms.test_heating import shown
from tests.platforms.test_spa_mode import EXTRA_1, EXTRA_2, RETURN, SUCTION
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


@pytest.mark.usefixtures("hurried")
async def test_heating_is_absent_where_only_the_cloud_is(home: Home) -> None:
    """The cloud switches spa mode, but does not report targets and heat sources."""
    home.own(home.service.full)
    await home.set_up()
    assert home.entity_keys()
    assert not home.entity_keys("climate")
    assert not [key for key in home.entity_keys() if key.endswith("_selected")]

    assert home.value("switch", "spa_mode") == "off"
    await home.act("switch.turn_on", "spa_mode")
    assert home.value("switch", "spa_mode") == "on"
    home.clock.advance(5)
    home.pool.update()
    assert all(home.pool.slots[n].on for n in (RETURN, SUCTION, EXTRA_1, EXTRA_2))
    assert home.cloud_writes == ["manualSet"]


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
