"""Dosing: from an action in Home Assistant to the settings of the pool, and back."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from homeassistant.exceptions import ServiceValidationError
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl import PLATFORMS
from tests.world.assistant.home import Home, failure
from tests.world.assistant.service import Service
from tests.world.simulator.raw import until

pytestmark = pytest.mark.usefixtures("quick", "at_once", "hurried")
"""Commands wait neither for more values of a slider nor for the pace of the service."""


@dataclass(frozen=True)
class Command:
    """A command of a user, the value shown then, and its changes in the pool."""

    action: str
    key: str
    shown: str
    changes: dict[str, float]
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def domain(self) -> str:
        return self.action.partition(".")[0]

    async def run(self, home: Home) -> None:
        await home.act(self.action, self.key, **self.data)

    async def undo(self, home: Home, was: str) -> None:
        """Set the previous value again; a refilled drum is emptied to it instead."""
        match self.domain:
            case "number":
                await home.act(self.action, self.key, value=float(was))
            case "switch":
                await home.act("switch.turn_on", self.key)
            case _:
                left = 1_000 * float(was)
                home.pool.settings |= dict.fromkeys(self.changes, left)

    def value(self, home: Home) -> str:
        """Return the current value of the entity that the command changes."""
        if self.domain == "button":
            drum = self.key.removeprefix("refill_")
            return home.value("sensor", f"{drum}_remaining")
        return home.value(self.domain, self.key)

    def shows(self, home: Home) -> bool:
        """Return whether the new value is shown."""
        return self.value(home) == self.shown


def number(key: str, value: float, shown: str, stored: float) -> Command:
    return Command("number.set_value", key, shown, {key: stored}, {"value": value})


COMMANDS = [
    number("desired_ph", 7.2, "7.2", 72),
    number("desired_orp_mineral", 700, "700", 700),
    number("desired_orp_liquid", 720, "720", 720),
    number("acid_drum", 15.5, "15.5", 15_500),
    number("chlorine_drum", 25, "25.0", 25_000),
    Command("switch.turn_off", "ph_dosing", "off", {"ph_dosing": 0}),
    Command("switch.turn_off", "chlorinator", "off", {"orp_flags": 2}),
    Command("switch.turn_off", "liquid_chlorine", "off", {"orp_flags": 1}),
    Command("button.press", "refill_acid", "20.0", {"acid_remaining": 20_000}),
    Command("button.press", "refill_chlorine", "20.0", {"chlorine_remaining": 20_000}),
]


@pytest.fixture(autouse=True)
def still_water(service: Service) -> None:
    """Prevent the pool's own doses, so that only commands change its settings."""
    service.full.pool.water.drift = 0.0
    service.full.pool.water.ph, service.full.pool.water.orp = 7.2, 800


async def test_commands(full: Home, subtests: pytest.Subtests) -> None:
    """A command is shown at once, changes only its own settings, and can be undone."""
    for command in COMMANDS:
        with subtests.test(command.key):
            before, was = dict(full.pool.settings), command.value(full)
            task = full.hass.async_create_task(command.run(full))
            await until(partial(command.shows, full))
            await task
            assert command.value(full) == command.shown != was
            assert dict(full.pool.settings) == before | command.changes
            await full.refresh()
            assert command.value(full) == command.shown

            await command.undo(full, was)
            assert dict(full.pool.settings) == before
            await full.refresh()
            assert command.value(full) == was
    assert full.cloud_writes == []


async def test_a_service_that_tells_no_settings(home: Home) -> None:
    """Entities of data from `chemistryCard` are absent, including those to set it."""
    home.own(home.service.full)
    home.cloud.not_offered.add("chemistryCard")
    await home.set_up()
    keys = {(domain, key) for domain in PLATFORMS for key in home.entity_keys(domain)}
    assert not keys & {(c.domain, c.key) for c in COMMANDS}
    for substance in ("acid", "chlorine"):
        assert not keys & {
            ("sensor", f"{substance}_remaining"),
            ("sensor", f"{substance}_doses_today"),
            ("binary_sensor", f"{substance}_low"),
            ("number", f"{substance}_low_level"),
        }


# Settings that are written as one object


@pytest.mark.usefixtures("all_enabled")
async def test_a_drum_without_a_size(full: Home) -> None:
    """The level of a drum without a size is unknown; an error says to set it first."""
    full.pool.settings["acid_drum"] = 0
    await full.refresh()
    for domain, key in (
        ("number", "acid_drum"),
        ("sensor", "acid_remaining"),
        ("binary_sensor", "acid_low"),
        ("number", "acid_low_level"),
    ):
        assert full.value(domain, key) == "unknown"
    with failure("drum_without_size", ServiceValidationError) as caught:
        await full.act("button.press", "refill_acid")
    assert "Set it first" in str(caught.value)

    await full.act("number.set_value", "acid_drum", value=15)
    await full.act("button.press", "refill_acid")
    assert full.value("sensor", "acid_remaining") == "15.0"
    assert full.value("binary_sensor", "acid_low") == "off"


# Nearly empty


@pytest.mark.usefixtures("all_enabled")
@pytest.mark.parametrize("substance", ["acid", "chlorine"])
async def test_nearly_empty(full: Home, substance: str) -> None:
    low, level = f"{substance}_low", f"{substance}_low_level"

    def shown() -> str:
        return full.value("binary_sensor", low)

    async def left(millilitres: int) -> str:
        full.pool.settings[f"{substance}_remaining"] = millilitres
        await full.refresh()
        return shown()

    assert full.value("number", level) == "10"
    assert await left(2_001) == "off"
    assert await left(2_000) == "on"
    # A user sets a lower or a higher level.
    await full.act("number.set_value", level, value=5)
    assert shown() == "off"
    assert await left(1_000) == "on"
    await full.act("number.set_value", level, value=4)
    assert shown() == "off"
    await full.act("number.set_value", level, value=20)
    assert shown() == "on"
    alarms = full.follow("binary_sensor", low)
    await full.act("button.press", f"refill_{substance}")
    assert shown() == "off"
    assert [state.state for state in alarms] == ["off"]
    with pytest.raises(ServiceValidationError):
        await full.act("number.set_value", level, value=51)


async def test_the_size_of_a_drum_in_gallons(home: Home) -> None:
    """Its unit, limits and steps are those of the owner, as its level is."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    number = home.state("number", "acid_drum").attributes
    assert (number["unit_of_measurement"], number["step"]) == ("gal", 0.1)
    assert (number["min"], number["max"]) == (0.3, 52.8)
    await home.act("number.set_value", "acid_drum", value=5.3)
    assert home.value("number", "acid_drum") == "5.3"
    assert (
        home.state("sensor", "acid_remaining").attributes["unit_of_measurement"]
        == "gal"
    )
    await home.act("number.set_value", "acid_drum", value=52.8)
    assert home.value("number", "acid_drum") == "52.8"
