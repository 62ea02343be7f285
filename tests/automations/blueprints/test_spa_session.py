"""The blueprint of a spa session, which one press starts and another one ends."""

# The type checker does not notice that the pool changes.
# mypy: no-warn-unreachable

from datetime import timedelta
import logging
from typing import Any

from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import Platform
from homeassistant.helpers.template import Template
from homeassistant.util import dt as dt_util, yaml as yaml_util
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.poolctl.const import DOMAIN
from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pool import SPA_HEATER, Pool

from .conftest import ALIAS, BLUEPRINTS, House, spa_heats

pytestmark = [
    pytest.mark.usefixtures("freezer", "quick", "at_once"),
    pytest.mark.freeze_time("2026-11-20 18:00:00-08:00"),
]
few_platforms = only(Platform.CLIMATE, Platform.LIGHT, Platform.SWITCH)

NAME = "spa_session"
BUTTON = "input_button.spa"
PUMP, SPA_LIGHT, FALL, SPA_RETURN = SESSION = 0, 2, 3, 10
"""Slots of the full pool."""


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    found = service.full.pool
    found.update()
    found.settings["heating"] = 0
    found.water.drift = 0.0
    return found


@pytest.fixture
def house(full: House) -> House:
    full.hass.states.async_set(BUTTON, "unknown")
    return full


def inputs(house: House, **more: Any) -> dict[str, Any]:
    """Return the inputs that a user fills in."""
    return {
        "buttons": [BUTTON],
        "spa_mode": house.entity_id("switch", "spa_mode"),
        "extras": [
            house.entity_id("switch", f"slot_{FALL}"),
            house.entity_id("light", f"slot_{SPA_LIGHT}"),
        ],
        **more,
    }


async def press(house: House) -> None:
    house.hass.states.async_set(BUTTON, dt_util.utcnow().isoformat())
    await house.wait(minutes=3)


def held(pool: Pool) -> set[int]:
    """Return the slots of a session that are held on by hand."""
    pool.update()
    return {i for i in SESSION if pool.slots[i].held and pool.slots[i].on}


async def test_a_session(house: House, pool: Pool) -> None:
    await house.automate(NAME, **inputs(house))
    assert held(pool) == set()
    await press(house)
    assert held(pool) == {*SESSION}
    assert pool.spa_mode and spa_heats(pool)
    await house.wait(minutes=115)
    assert held(pool) == {*SESSION}
    await house.wait(minutes=6)
    assert held(pool) == set()
    assert (pool.spa_mode, spa_heats(pool), house.waiting) == (False, False, False)
    assert pool.pump.mode == 1  # a schedule goes on


async def test_presses(house: House, pool: Pool) -> None:
    """A second press ends it. A button that comes back is no press."""
    house.hass.states.async_set(BUTTON, "unavailable")
    await house.automate(NAME, **inputs(house, heat_to="temperature", target=37))
    await press(house)
    assert held(pool) == set()
    await press(house)
    assert pool.settings["spa_target"] == 37
    house.hass.states.async_set(BUTTON, "unavailable")
    await house.wait(minutes=1)
    assert held(pool) == {*SESSION}
    await press(house)
    assert held(pool) == set()
    assert not house.waiting
    await press(house)
    assert held(pool) == {*SESSION}
    # Spa mode that is switched off ends it, too.
    for action in ("switch.turn_off", "poolctl.resume_schedule"):
        await house.act(action, "spa_mode")
    await house.wait(minutes=2)
    assert held(pool) == set()
    assert not house.waiting


@pytest.mark.parametrize(("more", "expected"), [({"target": 100}, 38), ({}, 37)])
async def test_in_fahrenheit(
    home: House, pool: Pool, more: dict[str, Any], expected: int
) -> None:
    """The default is 37 °C there, too."""
    home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    home.hass.states.async_set(BUTTON, "unknown")
    await home.automate(NAME, **inputs(home, heat_to="temperature", **more))
    await press(home)
    assert pool.settings["spa_target"] == expected


async def test_an_account_that_is_disabled_or_deleted(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is done, and nothing is logged as an error."""
    await house.automate(NAME, **inputs(house))
    caplog.clear()
    await house.hass.config_entries.async_set_disabled_by(
        house.entry.entry_id, ConfigEntryDisabler.USER
    )
    for deleted in (False, True):
        if deleted:
            await house.hass.config_entries.async_remove(house.entry.entry_id)
        house.hass.bus.async_fire("automation_reloaded")
        await press(house)
    errors = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert not [each.getMessage() for each in errors]


async def test_what_was_on_before_stays_on(house: House, pool: Pool) -> None:
    pool.settings["heating"] = SPA_HEATER
    await house.wait(minutes=1)
    await house.act("switch.turn_on", f"slot_{FALL}")
    await house.act("climate.set_hvac_mode", "spa", hvac_mode="heat")
    await house.wait(minutes=1)
    await house.automate(NAME, **inputs(house, hours=0.5))
    await press(house)
    assert held(pool) == {*SESSION}
    await house.wait(minutes=32)
    assert held(pool) == {FALL}
    assert spa_heats(pool)


async def test_without_a_button(house: House, pool: Pool) -> None:
    """The automation can be run from a dashboard or by voice instead."""
    await house.automate(NAME, **inputs(house, buttons=[]))
    await house.hass.services.async_call("automation", "trigger", {"entity_id": ALIAS})
    await house.wait(minutes=3)
    assert held(pool) == {*SESSION}


async def hold_session(house: House) -> None:
    """Hold the outputs that a session of two hours holds, and heat."""
    for key in ("pump", "spa_mode", f"slot_{FALL}"):
        await house.act("poolctl.hold", key, state=True, duration="02:00:00")
    await house.act("climate.set_hvac_mode", "spa", hvac_mode="heat")
    await house.wait(minutes=1)


@pytest.mark.parametrize(("hours", "goes_on"), [(1, True), (3, False), (50, False)])
async def test_home_assistant_restarts(
    house: House, pool: Pool, hours: float, goes_on: bool
) -> None:
    """A session and its heating go on until their end, or stop if it has passed."""
    await hold_session(house)
    filled = inputs(house, extras=[house.entity_id("switch", f"slot_{FALL}")])
    await house.unload()
    house.freezer.tick(timedelta(hours=hours))
    await house.start_anew(NAME, timedelta(hours=hours), **filled)
    house.hass.async_create_task(
        house.hass.config_entries.async_setup(house.entry.entry_id)
    )
    await house.wait(minutes=3)
    on = {PUMP, FALL, SPA_RETURN}
    assert held(pool) == (on if goes_on else set())
    assert spa_heats(pool) is goes_on
    await house.wait(minutes=60)
    assert held(pool) == set()
    assert (spa_heats(pool), house.waiting) == (False, False)


@pytest.mark.parametrize("held_for", [None, "12:00:00"])
async def test_a_spa_that_is_on_by_hand_is_left_alone(
    house: House, pool: Pool, held_for: str | None
) -> None:
    if held_for:
        await house.act("poolctl.hold", "spa_mode", state=True, duration=held_for)
    else:
        await house.act("switch.turn_on", "spa_mode")
    await house.act("climate.set_hvac_mode", "spa", hvac_mode="heat")
    await house.start_anew(NAME, timedelta(days=2), **inputs(house))
    await house.wait(minutes=130)
    assert SPA_RETURN in held(pool)
    assert spa_heats(pool)


async def test_the_pump_of_the_same_pool(home: House) -> None:
    """The pump of the same pool is found, not that of another one."""
    await home.set_up(*home.service.controllers)
    variables = yaml_util.load_yaml_dict(
        BLUEPRINTS / "automation" / DOMAIN / f"{NAME}.yaml"
    )
    template = Template(variables["variables"]["pump"], home.hass)
    full, small = home.service.full, home.service.small
    for controller in (full, small):
        # Any switch of the pool leads to its pump.
        pump = home.entity_id("switch", "pump", controller)
        assert template.async_render({"spa_mode": pump}) == pump
