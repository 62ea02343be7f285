"""Dosing: from an action in Home Assistant to the settings of the pool, and back."""

from typing import Any

from homeassistant.exceptions import ServiceValidationError
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl import PLATFORMS
from custom_components.poolctl.client.pool.dosing import DOSERS, DoserKind
from tests.world.assistant.home import Home, failure
from tests.world.assistant.service import Service
from tests.world.simulator.raw import until

pytestmark = pytest.mark.usefixtures("quick", "at_once", "hurried")
"""Commands wait neither for more values of a slider nor for the pace of the service."""

COMMANDS: tuple[tuple[str, str, dict[str, Any], str, str, int], ...] = (
    ("button.press", "mark_acid_drum_full", {}, "20.0", "acid_remaining", 20_000),
    (
        "button.press",
        "mark_chlorine_drum_full",
        {},
        "20.0",
        "chlorine_remaining",
        20_000,
    ),
    ("number.set_value", "ph_target", {"value": 7.2}, "7.2", "desired_ph", 72),
    (
        "number.set_value",
        "chlorinator_orp_target",
        {"value": 700},
        "700",
        "desired_orp_mineral",
        700,
    ),
    (
        "number.set_value",
        "liquid_chlorine_orp_target",
        {"value": 720},
        "720",
        "desired_orp_liquid",
        720,
    ),
    (
        "number.set_value",
        "acid_drum_size",
        {"value": 15.5},
        "15.5",
        "acid_drum",
        15_500,
    ),
    (
        "number.set_value",
        "chlorine_drum_size",
        {"value": 25},
        "25.0",
        "chlorine_drum",
        25_000,
    ),
    ("switch.turn_off", "automatic_ph", {}, "off", "ph_dosing", 0),
    ("switch.turn_off", "automatic_chlorination", {}, "off", "orp_flags", 2),
    ("switch.turn_off", "automatic_liquid_chlorine", {}, "off", "orp_flags", 0),
    ("switch.turn_on", "automatic_ph", {}, "on", "ph_dosing", 1),
    ("switch.turn_on", "automatic_chlorination", {}, "on", "orp_flags", 1),
    ("switch.turn_on", "automatic_liquid_chlorine", {}, "on", "orp_flags", 3),
)
"""Action, key, data, value shown then, changed setting, its value."""


@pytest.fixture(autouse=True)
def still_water(service: Service) -> None:
    """Prevent the pool's own doses, so that only commands change its settings."""
    service.full.pool.water.drift = 0.0
    service.full.pool.water.ph, service.full.pool.water.orp = 7.2, 800


async def test_commands(full: Home, subtests: pytest.Subtests) -> None:
    """A command is shown at once, and changes only its own setting."""
    for action, key, data, value, setting, stored in COMMANDS:
        with subtests.test(key):
            kind, name = action.partition(".")[0], key
            if kind == "button":
                kind, name = "sensor", f"{key.split('_')[1]}_remaining"
            settings = dict(full.pool.settings)
            assert full.value(kind, name) != value
            task = full.hass.async_create_task(full.act(action, key, **data))
            await until(lambda: full.value(kind, name) == value)  # noqa: B023
            await task
            assert dict(full.pool.settings) == settings | {setting: stored}
            await full.refresh()
            assert full.value(kind, name) == value
    assert full.cloud_writes == []


async def test_a_service_that_reports_no_settings(home: Home) -> None:
    """Entities of data from `chemistryCard` are absent, including those to set it."""
    home.own(home.service.full)
    home.cloud.not_offered.add("chemistryCard")
    await home.set_up()
    keys = {(domain, key) for domain in PLATFORMS for key in home.entity_keys(domain)}
    assert not keys & {(row[0].partition(".")[0], row[1]) for row in COMMANDS}
    for substance in ("acid", "chlorine"):
        assert not keys & {
            ("sensor", f"{substance}_remaining"),
            ("sensor", f"{substance}_doses_today"),
            ("number", f"{substance}_low_level"),
        }


@pytest.mark.usefixtures("all_enabled")
async def test_a_drum_without_a_size(full: Home) -> None:
    """The level of a drum without a size is unknown; an error says to set it first."""
    full.pool.settings["acid_drum"] = 0
    await full.refresh()
    for domain, key in (
        ("number", "acid_drum_size"),
        ("sensor", "acid_remaining"),
        ("number", "acid_low_level"),
    ):
        assert full.value(domain, key) == "unknown"
    with failure("drum_without_size", ServiceValidationError) as caught:
        await full.act("button.press", "mark_acid_drum_full")
    assert "Set it first" in str(caught.value)

    await full.act("number.set_value", "acid_drum_size", value=15)
    await full.act("button.press", "mark_acid_drum_full")
    assert full.value("sensor", "acid_remaining") == "15.0"
    assert "acid_low" not in full.problems


@pytest.mark.usefixtures("all_enabled")
@pytest.mark.parametrize("doser", DOSERS, ids=lambda doser: doser.key)
async def test_nearly_empty(full: Home, doser: DoserKind) -> None:
    substance, level = doser.key, f"{doser.key}_low_level"
    (coordinator,) = full.entry.runtime_data.controllers.values()

    def is_low() -> bool | None:
        return doser.low(coordinator.view.state, coordinator.view.choices)

    assert full.value("number", level) == "10"
    for key, value, shown in (
        ("", 2_001, False),
        ("", 2_000, True),
        # A user sets a lower or a higher level.
        (level, 5, False),
        ("", 1_000, True),
        (level, 4, False),
        (level, 20, True),
    ):
        if key:
            await full.act("number.set_value", key, value=value)
        else:
            full.pool.settings[f"{substance}_remaining"] = value
            await full.refresh()
        assert is_low() is shown
    await full.act("button.press", f"mark_{substance}_drum_full")
    assert is_low() is False
    with pytest.raises(ServiceValidationError):
        await full.act("number.set_value", level, value=51)


async def test_the_size_of_a_drum_in_gallons(home: Home) -> None:
    """Its unit, limits and steps are those of the owner, as its level is."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    number = home.state("number", "acid_drum_size").attributes
    assert (number["unit_of_measurement"], number["step"]) == ("gal", 0.1)
    assert (number["min"], number["max"]) == (0.3, 52.8)
    await home.act("number.set_value", "acid_drum_size", value=5.3)
    assert home.value("number", "acid_drum_size") == "5.3"
    level = home.state("sensor", "acid_remaining").attributes
    assert level["unit_of_measurement"] == "gal"
    await home.act("number.set_value", "acid_drum_size", value=52.8)
    assert home.value("number", "acid_drum_size") == "52.8"
