"""Conditions: real automations over the simulated pools."""

from datetime import timedelta
from typing import Any

from homeassistant.components.websocket_api.automation import (
    async_get_conditions_for_target,
)
from homeassistant.core import Event
from homeassistant.helpers import (
    condition as condition_helper,
    config_validation as cv,
    entity_registry as er,
)
import probatio as vol
import pytest

from custom_components.poolctl.condition import CONDITIONS
from custom_components.poolctl.const import CONF_WITHOUT_FLOW, DOMAIN

from .home import Home
from .test_triggers import (
    DRY,
    PUMP_SLOT,
    SPA_RETURN,
    automate,
    device,
    prefilled,
    still_water,
    told,
)

__all__ = ["still_water"]

pytestmark = pytest.mark.usefixtures("freezer", "quick", "still_water")

ASKED = {"trigger": "event", "event_type": "asked"}


async def ask(home: Home, name: str, **options: Any) -> list[Event]:
    """Set up an automation that tells whether a condition is met when asked."""
    condition = {
        "condition": f"{DOMAIN}.{name}",
        "target": device(home),
        "options": options,
    }
    return await automate(home, ASKED, condition)


async def met(home: Home, answers: list[Event]) -> bool:
    """Ask now."""
    home.hass.bus.async_fire("asked")
    await home.hass.async_block_till_done()
    return len(told(answers)) == 1


# pH and ORP


@pytest.mark.parametrize(
    ("key", "options", "fine", "wrong"),
    [
        ("ph", {}, 7.85, 7.95),
        ("ph", {}, 7.05, 6.95),
        ("ph", {"lower_limit": 7.2, "upper_limit": 7.4}, 7.25, 7.15),
        ("orp", {}, 600, 599),
        ("orp", {"lower_limit": 700, "upper_limit": 750}, 750, 751),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
async def test_a_reading_and_its_range(
    small: Home,
    key: str,
    options: dict[str, float],
    fine: float,
    wrong: float,
    inside: bool,
) -> None:
    name = f"is_{key}_in_range" if inside else f"is_{key}_out_of_range"
    answers = await ask(small, name, **options)
    for reading, is_fine in ((fine, True), (wrong, False), (fine, True)):
        setattr(small.pool.water, key, reading)
        await small.advance(15)
        assert await met(small, answers) is (is_fine is inside)


@pytest.mark.parametrize("name", ["is_ph_in_range", "is_ph_out_of_range"])
async def test_a_reading_that_is_not_known(small: Home, name: str) -> None:
    """It is neither in range nor out of it."""
    small.pool.water.ph = 8.2 if "out" in name else 7.4
    small.hass.config_entries.async_update_entry(
        small.entry, options={CONF_WITHOUT_FLOW: "unknown"}
    )
    await small.settle()
    await small.restart()
    answers = await ask(small, name)
    assert await met(small, answers)
    small.pool.switch(PUMP_SLOT, False)
    small.clock.advance(60)
    await small.advance(15)
    assert small.value("sensor", "ph") == "unknown"
    assert not await met(small, answers)


async def test_out_of_range_for_a_time(small: Home) -> None:
    """However it changes meanwhile, as long as it stays out of range."""
    answers = await ask(small, "is_ph_out_of_range", **{"for": {"minutes": 10}})
    for ph, seconds, expected in (
        (8.05, 300, False),
        (8.25, 270, False),
        (8.25, 60, True),
        (7.45, 15, False),
        (8.05, 570, False),
        (8.05, 60, True),
    ):
        small.pool.water.ph = ph
        await small.advance(seconds, step=15)
        assert await met(small, answers) is expected


async def test_orp_in_a_unit_its_owner_chose(small: Home) -> None:
    er.async_get(small.hass).async_update_entity_options(
        small.entity_id("sensor", "orp"), "sensor", {"unit_of_measurement": "V"}
    )
    small.pool.water.orp = 720
    await small.advance(15)
    assert small.value("sensor", "orp") == "0.72"
    assert await met(small, await ask(small, "is_orp_in_range"))


@pytest.mark.parametrize("name", ["is_ph_in_range", "is_orp_out_of_range"])
async def test_limits_that_make_no_sense(small: Home, name: str) -> None:
    with pytest.raises(vol.Invalid):
        await validated(
            small,
            {
                "condition": f"{DOMAIN}.{name}",
                "target": device(small),
                "options": {"lower_limit": 2, "upper_limit": 1},
            },
        )


# What is on


async def test_the_pump_is_running(full: Home) -> None:
    answers = await ask(full, "is_pump_running")
    assert await met(full, answers)
    full.pool.switch(PUMP_SLOT, False)
    await full.advance(15)
    assert not await met(full, answers)


async def test_spa_mode_is_on(full: Home) -> None:
    """The pump of the same device, which runs all the time, is another switch."""
    answers = await ask(full, "is_spa_mode_on")
    for on in (False, True, False):
        full.pool.switch(SPA_RETURN, on)
        await full.advance(15)
        assert await met(full, answers) is on


@pytest.mark.parametrize("drum", ["acid", "chlorine"])
async def test_a_drum_is_nearly_empty(full: Home, drum: str) -> None:
    answers = await ask(full, "is_drum_nearly_empty")
    full.pool.pump.dry_run_status = DRY
    await full.advance(15)
    assert not await met(full, answers)
    full.pool.settings[f"{drum}_remaining"] = 2_000
    await full.advance(15)
    assert await met(full, answers)


# The connection


@pytest.mark.parametrize("wanted", ["lan", "cloud", "lost"])
async def test_the_connection(small: Home, wanted: str) -> None:
    answers = await ask(small, "is_connection", connection=wanted)
    assert await met(small, answers) is (wanted == "lan")
    small.controller.faults.on("refuse")
    await small.advance(45, step=15)
    assert await met(small, answers) is (wanted == "cloud")
    small.cloud.faults.on("refuse")
    await small.advance(120, step=15)
    assert await met(small, answers) is (wanted == "lost")
    # That nobody looks says nothing about the controller.
    await small.unload()
    assert not await met(small, answers)


async def test_not_on_the_network_for_a_time(small: Home) -> None:
    """From one of the chosen connections to the other, the time goes on."""
    answers = await ask(
        small, "is_connection", connection=["cloud", "lost"], **{"for": {"minutes": 10}}
    )
    small.controller.faults.on("refuse")
    await small.advance(300, step=15)
    small.cloud.faults.on("refuse")
    await small.advance(300, step=15)
    assert small.source == "unavailable"
    assert not await met(small, answers)
    await small.advance(60, step=15)
    assert await met(small, answers)


# What the automation editor shows


async def validated(home: Home, condition: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a condition as Home Assistant takes them from a person."""
    found = await condition_helper.async_validate_condition_config(
        home.hass, cv.CONDITION_SCHEMA(condition)
    )
    options: dict[str, Any] = found["options"]
    return options


async def test_the_editor_offers_them_for_the_device(full: Home) -> None:
    found = await async_get_conditions_for_target(full.hass, device(full), False)
    ours = {name for name in found if name.startswith(f"{DOMAIN}.")}
    assert ours == {f"{DOMAIN}.{name}" for name in CONDITIONS}


async def test_the_editor_prefills_what_is_the_default(full: Home) -> None:
    """conditions.yaml, as Home Assistant reads it, and the code mean the same."""
    descriptions = await condition_helper.async_get_all_descriptions(full.hass)
    for name in CONDITIONS:
        description = descriptions[f"{DOMAIN}.{name}"]
        assert description is not None
        options = prefilled(description["fields"])
        bare = {key: options[key] for key in options if key == "connection"}
        condition = {"condition": f"{DOMAIN}.{name}", "target": device(full)}
        filled = await validated(full, {**condition, "options": options})
        left_out = await validated(full, {**condition, "options": bare})
        assert set(filled) == set(options), name
        assert filled.pop("for") == timedelta()
        assert filled == left_out, name
