"""Conditions, in real automations with the simulated pools."""

from functools import partial
from typing import Any

from homeassistant.components.websocket_api.automation import (
    async_get_conditions_for_target,
)
from homeassistant.const import Platform
from homeassistant.core import Event
from homeassistant.helpers import condition as condition_helper, config_validation as cv
import pytest

from custom_components.poolctl.condition import CONDITIONS
from custom_components.poolctl.const import DOMAIN
from tests.automations.test_triggers import (
    DRY,
    PUMP_SLOT,
    RANGES,
    automate_all,
    check_prefilled,
    device,
    lose,
    still_water,
    values_of,
)
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.simulator.pump import DRY_RUN_NORMAL

__all__ = ["still_water"]

few_platforms = only(Platform.SENSOR)
pytestmark = pytest.mark.usefixtures("freezer", "quick", "still_water")

ASKED = {"trigger": "event", "event_type": "asked"}


async def ask(home: Home, named: dict[str, dict[str, Any]]) -> list[Event]:
    """Set up an automation for each condition, with its options.

    It fires an event if its condition is met when asked. Text after a space only makes
    a name unique.
    """
    return await automate_all(
        home,
        {
            name: (
                ASKED,
                {
                    "condition": f"{DOMAIN}.{name.partition(' ')[0]}",
                    "target": device(home),
                    "options": options,
                },
            )
            for name, options in named.items()
        },
    )


async def met(home: Home, answers: list[Event]) -> set[str]:
    """Return the names of the conditions that are met now."""
    home.hass.bus.async_fire("asked")
    await home.hass.async_block_till_done()
    found = values_of(answers, "rule")
    assert len(found) == len({*found})
    return {*found}


# pH and ORP


async def test_a_reading_and_its_range(small: Home, subtests: pytest.Subtests) -> None:
    rows = [
        (key, {"reading": key, **options}, fine, wrong, f"reading_in_range {wrong}")
        for key, options, fine, wrong in RANGES
    ]
    answers = await ask(small, {name: options for _, options, _, _, name in rows})
    for key, _, fine, wrong, name in rows:
        with subtests.test(name):
            for reading, expected in ((fine, {name}), (wrong, set()), (fine, {name})):
                setattr(small.pool.water, key, reading)
                await small.advance(15)
                assert await met(small, answers) & {name} == expected


async def test_a_reading_that_is_not_known(home: Home) -> None:
    """An unknown reading is not in range."""
    home.own(home.service.small)
    options = {"readings_without_flow": "unknown"}
    await home.set_up(home.controller, options=options)
    answers = await ask(home, {"reading_in_range": {"reading": "ph"}})
    for ph, expected in ((8.2, False), (7.4, True)):
        home.pool.water.ph = ph
        await home.advance(15)
        assert bool(await met(home, answers)) is expected
    home.pool.switch(PUMP_SLOT, False)
    home.clock.advance(60)
    await home.advance(15)
    assert home.value("sensor", "ph") == "unknown"
    assert not await met(home, answers)


async def test_in_range_for_a_time(small: Home) -> None:
    """The time goes on while the reading changes within its range."""
    small.pool.water.ph = 8.2
    await small.advance(15)
    options = {"reading": "ph", "for": {"minutes": 10}}
    answers = await ask(small, {"reading_in_range": options})
    for ph, seconds, expected in (
        (7.45, 300, False),
        (7.25, 270, False),
        (7.25, 60, True),
        (8.05, 15, False),
        (7.45, 570, False),
        (7.45, 60, True),
    ):
        small.pool.water.ph = ph
        await small.advance(seconds, step=15)
        assert bool(await met(small, answers)) is expected


@pytest.mark.parametrize("gone", [0, 1], ids=["full", "small"])
async def test_in_range_for_a_time_while_another_pool_moves(
    home: Home, gone: int
) -> None:
    """The time of a pool that does not answer is its own, whatever another one reports."""
    pools = home.service.full, home.service.small
    lost, there = pools[gone], pools[1 - gone]
    home.own(*pools)
    await home.set_up(*pools)
    lost.pool.water.ph = 8.8
    await home.advance(60, step=15)
    answers = await automate_all(
        home,
        {
            of: (
                ASKED,
                {
                    "condition": f"{DOMAIN}.reading_in_range",
                    "target": {"device_id": home.device(controller).id},
                    "options": {"reading": "ph", "for": {"minutes": 10}},
                },
            )
            for of, controller in (("lost", lost), ("there", there))
        },
    )
    lost.pool.water.ph = 7.4
    await home.advance(300, step=15)
    home.service.cloud.faults.on("refuse")
    lost.faults.on("refuse")
    for ph in (7.3, 7.5, 7.2):
        there.pool.water.ph = ph
        await home.advance(180, step=15)
    assert await met(home, answers) == {"there"}
    lost.faults.clear()
    await home.advance(60, step=15)
    assert await met(home, answers) == {"lost", "there"}


# Problems


async def test_all_is_well(full: Home) -> None:
    """A notice does not count, unless its kind was chosen.

    Only *Status* of the device does: the pump's own status is no problem.
    """
    acid, dry = "all_is_well acid", "all_is_well dry"
    every: dict[str, dict[str, Any]] = {
        "all_is_well": {},
        **{f"all_is_well {name}": {"behavior": name} for name in ("any", "all")},
    }
    answers = await ask(
        full, every | {acid: {"kinds": ["acid_low"]}, dry: {"kinds": ["dry_run"]}}
    )

    async def found() -> set[str]:
        await full.advance(30, step=15)  # a second read confirms it
        return await met(full, answers)

    assert await found() == {*every, acid, dry}
    full.pool.settings["acid_remaining"] = 1_999
    assert await found() == {*every, dry}
    full.pool.settings["acid_remaining"] = 0
    assert await found() == {dry}
    full.pool.settings["acid_remaining"] = 20_000
    full.pool.pump.dry_run_status = DRY
    assert await found() == {acid}
    full.pool.pump.dry_run_status = DRY_RUN_NORMAL
    assert await found() == {*every, acid, dry}
    # Nothing follows from an unknown state, not even for all of them.
    await full.unload()
    assert not await met(full, answers)


async def test_the_age_of_the_chosen_kinds(full: Home) -> None:
    """Other problems, which keep the state of *Status* as it is, do not count."""
    options = {"kinds": ["dry_run"], "for": {"hours": 1}}
    full.pool.settings["acid_remaining"] = 0
    full.pool.pump.dry_run_status = DRY
    await full.advance(300, step=15)
    answers = await ask(full, {"all_is_well": options})
    await full.advance(5 * 3600, step=60)
    full.pool.pump.dry_run_status = DRY_RUN_NORMAL
    await full.advance(90, step=15)
    assert full.value("sensor", "status") == "problem"
    assert not await met(full, answers)
    await full.advance(3300, step=60)
    assert not await met(full, answers)
    await full.advance(300, step=60)
    assert await met(full, answers)


@pytest.mark.parametrize("how", ["outage", "reload"])
async def test_an_outage_in_the_middle_of_a_time(full: Home, how: str) -> None:
    """The time goes on, unless a read shows that the condition was not met."""
    half_an_hour = {"for": {"minutes": 30}}
    full.pool.water.ph = 8.8
    await full.advance(30, step=15)
    rules = {
        "reading_in_range": {"reading": "ph", **half_an_hour},
        "all_is_well": {"kinds": ["ph_out_of_range"], **half_an_hour},
    }
    answers = await ask(full, rules)
    full.pool.water.ph = 7.4
    await full.advance(600, step=15)
    await lose(full, how)
    assert not await met(full, answers)
    await full.advance(1260, step=15)
    assert await met(full, answers) == {*rules}
    if how == "reload":
        return
    full.disconnect()
    await full.advance(180, step=15)
    full.pool.water.ph = 8.8
    full.reconnect()
    await full.advance(60, step=15)
    full.pool.water.ph = 7.4
    await full.advance(1200, step=15)
    assert not await met(full, answers)


# The connection


async def test_the_connection(small: Home) -> None:
    """A time goes on when one chosen connection changes to the other."""
    for_a_while = "is_connection not_lan_for_a_time"
    named: dict[str, dict[str, Any]] = {
        f"is_connection {name}": {"connection": name}
        for name in ("lan", "cloud", "lost")
    }
    lan, cloud, lost = named
    options = {"connection": ["cloud", "lost"], "for": {"minutes": 10}}
    answers = await ask(small, named | {for_a_while: options})
    assert await met(small, answers) == {lan}
    small.controller.faults.on("refuse")
    await small.advance(300, step=15)
    assert await met(small, answers) == {cloud}
    small.cloud.faults.on("refuse")
    await small.advance(300, step=15)
    assert await met(small, answers) == {lost}
    await small.advance(60, step=15)
    assert await met(small, answers) == {lost, for_a_while}
    # An unloaded entry says nothing about the controller.
    await small.unload()
    assert not await met(small, answers)


# What the automation editor shows


async def validated(home: Home, condition: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a condition as Home Assistant validates them."""
    found = await condition_helper.async_validate_condition_config(
        home.hass, cv.CONDITION_SCHEMA(condition)
    )
    options: dict[str, Any] = found["options"]
    return options


async def test_the_editor(full: Home, subtests: pytest.Subtests) -> None:
    """The editor offers all conditions for the device, with the defaults filled in.

    So conditions.yaml, as Home Assistant reads it, and the code agree.
    """
    found = await async_get_conditions_for_target(full.hass, device(full), False)
    ours = {name for name in found if name.startswith(f"{DOMAIN}.")}
    assert ours == {f"{DOMAIN}.{name}" for name in CONDITIONS}
    descriptions = await condition_helper.async_get_all_descriptions(full.hass)
    for name in CONDITIONS:
        with subtests.test(name):
            condition = {"condition": f"{DOMAIN}.{name}", "target": device(full)}
            description = descriptions[f"{DOMAIN}.{name}"]
            await check_prefilled(description, partial(validated, full), condition)
