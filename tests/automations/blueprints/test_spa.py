"""The blueprints of the spa: a session by a press, and warm at a given time."""

from datetime import datetime, timedelta
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
    pytest.mark.freeze_time("2026-11-20 13:50:00-08:00"),  # a Friday
]
few_platforms = only(
    Platform.CLIMATE, Platform.DATETIME, Platform.LIGHT, Platform.SWITCH
)

NAME, READY_AT = "spa_session", "spa_ready_at"
BUTTON = "input_button.spa"
PUMP, SPA_LIGHT, FALL, SPA_RETURN = SESSION = 0, 2, 3, 10
"""Slots of the full pool."""


@pytest.fixture(autouse=True)
def pool(service: Service) -> Pool:
    """Return the full pool; its water changes only when a test changes it."""
    found = service.full.pool
    found.update()
    found.settings["heating"] = 0
    found.water.temperature, found.water.drift = 26.45, 0.0
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


@pytest.mark.parametrize("name", [NAME, READY_AT])
@pytest.mark.parametrize(
    ("fahrenheit", "more", "expected"),
    [
        (False, {"target": 38}, 38),
        (True, {"target": 100}, 38),
        (True, {}, 37),  # the default is 37 °C there, too
    ],
)
async def test_a_temperature_of_its_own(
    home: House,
    pool: Pool,
    name: str,
    fahrenheit: bool,
    more: dict[str, Any],
    expected: int,
) -> None:
    if fahrenheit:
        home.hass.config.units = US_CUSTOMARY_SYSTEM
    home.own(home.service.full)
    await home.set_up(home.controller)
    if name == NAME:
        home.hass.states.async_set(BUTTON, "unknown")
        await home.automate(NAME, **inputs(home, heat_to="temperature", **more))
        await press(home)
    else:
        await be_ready(home, heat_to="temperature", **more)
        await until(home, 14, 5)
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


# Ready at a given time, on chosen days


async def be_ready(home: House, **more: Any) -> None:
    await home.automate(READY_AT, spa=home.entity_id("climate", "spa"), **more)


def requested(home: House) -> str:
    """Return the weekday and local time by which the spa should be warm, if any."""
    state = home.value("datetime", "spa_warm_by")
    if state == "unknown":
        return ""
    return f"{dt_util.as_local(datetime.fromisoformat(state)):%a %H:%M}"


async def until(home: House, hour: int, minute: int = 0, day: int = 20) -> None:
    """Let time pass until a local time."""
    then = dt_util.now().replace(day=day, hour=hour, minute=minute, second=0)
    assert then > dt_util.now()
    await home.wait(seconds=(then - dt_util.now()).total_seconds())


def on(pool: Pool) -> tuple[bool, bool]:
    """Return whether spa and pump are held on by hand."""
    pool.update()
    spa = pool.spa_mode and pool.slots[SPA_RETURN].held
    return spa, pool.slots[PUMP].held


async def test_warm_in_time_and_off_again(full: House, pool: Pool) -> None:
    """Heating from 24.5 (as the air) to 36 °C, at 3 °C an hour, begins at once."""
    await be_ready(full, stays_warm=1)
    await until(full, 14, 5)
    assert requested(full) == "Fri 18:00"
    assert on(pool) == (True, True)
    assert spa_heats(pool)
    pool.water.temperature = 36.2
    await until(full, 18, 58)
    assert on(pool) == (True, True)
    await until(full, 19, 5)
    assert on(pool) == (False, False)
    assert requested(full) == ""
    assert not full.waiting


@pytest.mark.parametrize(
    ("ready_at", "weekdays", "before", "after", "expected"),
    [
        ("06:00:00", ["sat"], (17, 55), (18, 5), "Sat 06:00"),
        ("13:00:00", ["fri"], (14, 5), (23, 55), ""),
        ("18:00:00", ["sat"], (14, 5), (23, 55), ""),
        ("00:30:00", ["sat"], (13, 55), (14, 5), "Sat 00:30"),
        ("00:30:00", ["fri"], (13, 55), (23, 55), ""),
    ],
)
async def test_twelve_hours_before_and_on_its_day(
    full: House,
    ready_at: str,
    weekdays: list[str],
    before: tuple[int, int],
    after: tuple[int, int],
    expected: str,
) -> None:
    await be_ready(full, ready_at=ready_at, weekdays=weekdays)
    await until(full, *before)
    assert requested(full) == ""
    await until(full, *after)
    assert requested(full) == expected


async def test_given_up_for_one_day(full: House, pool: Pool) -> None:
    """A spa that a user switched off is not requested again before the next day."""
    await be_ready(full)
    await until(full, 14, 5)
    assert on(pool) == (True, True)
    await full.act("switch.turn_off", "spa_mode")
    await until(full, 18, 30)
    assert requested(full) == ""
    assert not on(pool)[0]
    await until(full, 6, 20, day=21)
    assert requested(full) == "Sat 18:00"


@pytest.mark.parametrize(
    ("hours_ago", "at_once", "later"),
    [
        (5, "", ""),  # a request from before the restart is not made again
        (23, "Fri 18:00", "Fri 18:00"),  # its time was missed
    ],
)
async def test_over_a_restart(
    full: House, hours_ago: float, at_once: str, later: str
) -> None:
    spa = full.entity_id("climate", "spa")
    await full.start_anew(READY_AT, timedelta(hours=hours_ago), spa=spa)
    assert requested(full) == at_once
    await until(full, 14, 5)
    assert requested(full) == later
