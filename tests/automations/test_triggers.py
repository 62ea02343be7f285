"""Triggers: real automations over the simulated pools."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.websocket_api.automation import (
    async_get_triggers_for_target,
)
from homeassistant.const import Platform
from homeassistant.core import Event
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import (
    area_registry as ar,
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
    trigger as trigger_helper,
)
from homeassistant.setup import async_setup_component
import probatio as vol
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.poolctl import automation
from custom_components.poolctl.condition import CONDITIONS
from custom_components.poolctl.const import DOMAIN
from custom_components.poolctl.devices.ranges import READINGS
from custom_components.poolctl.status.table import KEYS
from custom_components.poolctl.trigger import TRIGGERS
from tests.world.assistant.home import Home
from tests.world.assistant.platforms import only
from tests.world.assistant.service import Service
from tests.world.simulator.pump import DRY_RUN_NORMAL

few_platforms = only(Platform.CLIMATE, Platform.SENSOR)
pytestmark = pytest.mark.usefixtures("freezer", "quick")

PUMP_SLOT, SPA_RETURN = 0, 10
ASKED_FOR = {"connection", "reading"}
DRY = 1
"""A dry-run status that is a problem."""


@pytest.fixture(autouse=True)
def still_water(service: Service) -> None:
    """Let the water change only when a test changes it."""
    for controller in service.controllers:
        controller.pool.water.drift = 0.0
        controller.pool.water.ph, controller.pool.water.orp = 7.4, 700


def device(home: Home) -> dict[str, str]:
    """Return the only controller of the entry as a target."""
    return {"device_id": home.device().id}


def trigger(home: Home, name: str, **options: Any) -> dict[str, Any]:
    """Return the configuration of a trigger of the only controller."""
    return {
        "trigger": f"{DOMAIN}.{name}",
        "target": device(home),
        "options": {name.removesuffix("_"): value for name, value in options.items()},
    }


async def automate(
    home: Home, trigger: dict[str, Any], *conditions: dict[str, Any]
) -> list[Event]:
    """Set up an automation; return the events that it fires, with trigger data."""
    return await automate_all(home, {"Test": (trigger, *conditions)})


async def automate_all(
    home: Home, rules: Mapping[str, tuple[dict[str, Any], ...]]
) -> list[Event]:
    """Set up automations of a trigger and conditions; their events have their names."""
    automations = [
        {
            "alias": alias,
            "triggers": [trigger],
            "conditions": [*conditions],
            "actions": [
                {
                    "event": "triggered",
                    "event_data": {
                        "rule": alias,
                        "entity_id": "{{ trigger.entity_id | default }}",
                        "connection": "{{ trigger.connection | default }}",
                        "key": "{{ trigger.key | default }}",
                    },
                }
            ],
        }
        for alias, (trigger, *conditions) in rules.items()
    ]
    config = {AUTOMATION: automations}
    assert await async_setup_component(home.hass, AUTOMATION, config)
    await home.hass.async_block_till_done()
    states = home.hass.states.async_all(AUTOMATION)
    assert [state.state for state in states] == ["on"] * len(rules)
    events: list[Event] = async_capture_events(home.hass, "triggered")
    return events


def values_of(events: list[Event], key: str = "entity_id") -> list[Any]:
    """Return one value of each event so far, and clear the events."""
    found = [event.data[key] for event in events]
    events.clear()
    return found


async def validated(home: Home, trigger: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a trigger after Home Assistant's validation."""
    triggers = cv.TRIGGER_SCHEMA([trigger])
    (found,) = await trigger_helper.async_validate_trigger_config(home.hass, triggers)
    options: dict[str, Any] = found["options"]
    return options


# pH and ORP


RANGES: tuple[tuple[str, dict[str, float], float, float], ...] = (
    ("ph", {}, 7.85, 7.95),
    ("ph", {}, 7.05, 6.95),
    ("ph", {"lower_limit": 7.2, "upper_limit": 7.4}, 7.45, 7.55),
    ("orp", {}, 600, 599),
    ("orp", {"upper_limit": 750}, 750, 751),
)


async def test_a_reading_leaves_its_range(
    small: Home, subtests: pytest.Subtests
) -> None:
    """It triggers once, and again only after the reading was in range."""
    fired = await automate_all(
        small,
        {
            f"{key} {wrong}": (
                trigger(small, "reading_out_of_range", reading=key, **options),
            )
            for key, options, _, wrong in RANGES
        },
    )

    for key, _, fine, wrong in RANGES:
        rule = f"{key} {wrong}"
        farther = wrong + (0.2 if wrong > fine else -0.2)
        in_range_for_all = {"ph": 7.3, "orp": 700}[key]
        with subtests.test(rule):
            for value, times in (
                (fine, 0),
                (wrong, 1),
                (farther, 0),
                (fine, 0),
                (wrong, 1),
                (in_range_for_all, 0),
            ):
                setattr(small.pool.water, key, value)
                await small.advance(15)
                found = [event.data for event in fired if event.data["rule"] == rule]
                fired.clear()
                sensor = small.entity_id("sensor", key)
                assert [data["entity_id"] for data in found] == [sensor] * times


async def test_orp_in_a_unit_its_owner_chose(small: Home) -> None:
    sensor = small.entity_id("sensor", "orp")
    er.async_get(small.hass).async_update_entity_options(
        sensor, "sensor", {"unit_of_measurement": "V"}
    )
    small.pool.water.orp = 710
    await small.advance(15)
    state = small.state("sensor", "orp")
    assert (state.state, state.attributes["unit_of_measurement"]) == ("0.71", "V")
    fired = await automate(small, trigger(small, "reading_out_of_range", reading="orp"))
    for orp, expected in ((720, []), (590, [sensor])):
        small.pool.water.orp = orp
        await small.advance(15)
        assert values_of(fired) == expected


async def test_limits_that_make_no_sense(
    small: Home, subtests: pytest.Subtests
) -> None:
    options: dict[str, Any]
    for options in (
        {"lower_limit": 7.4, "upper_limit": 7.2},
        {"upper_limit": 15},
        {"lower_limit": 600, "upper_limit": 800},
        {"reading": "orp", "upper_limit": 1201},
        {"lower_limit": -0.1},
        {"lower_limit": "nan"},
        {"lower_limit": "acid"},
        {"limit": 7},
        {"reading": "water_temperature"},
    ):
        config = trigger(small, "reading_out_of_range", **{"reading": "ph"} | options)
        wrong = pytest.raises((vol.Invalid, ServiceValidationError))
        with subtests.test(str(options)), wrong:
            await validated(small, config)
    config["options"] = {"reading": "orp", "lower_limit": 800, "upper_limit": 600}
    with pytest.raises(ServiceValidationError) as refused:
        await validated(small, config)
    assert "limits of ORP must be from 0 to 1200 mV" in str(refused.value)


async def test_entities_that_would_never_trigger(
    full: Home, subtests: pytest.Subtests
) -> None:
    """They are refused, and named with those that work; a selector shows all sensors."""
    registry = er.async_get(full.hass)
    pond = registry.async_get_or_create("sensor", "other", "pond").entity_id
    ours = {
        key: full.entity_id("climate" if "heating" in key else "sensor", key)
        for key in ("status", "connection", "pump_status", "ph", "orp", "spa_heating")
    }
    of_reading: dict[str, Any] = {"options": {"reading": "ph"}}
    cases: dict[str, tuple[dict[str, Any], set[str]]] = {
        "needs_attention": ({}, {"status"}),
        "connection_changed": ({"options": {"connection": ["lan"]}}, {"connection"}),
        "reading_out_of_range": (of_reading, {"ph"}),
        "target_reached": ({}, {"spa_heating"}),
        "all_is_well": ({}, {"status"}),
        "is_connection": ({"options": {"connection": ["lan"]}}, {"connection"}),
        "reading_in_range": (of_reading, {"ph"}),
    }
    for name, (options, works) in cases.items():
        kind: Any = {**TRIGGERS, **CONDITIONS}[name]
        for key, entity_id in {**ours, "pond": pond}.items():
            config = {"target": {"entity_id": [entity_id]}, "options": {}, **options}
            with subtests.test(f"{name} {key}"):
                if key in works:
                    await kind.async_validate_config(full.hass, config)
                    continue
                with pytest.raises(ServiceValidationError) as refused:
                    await kind.async_validate_config(full.hass, config)
                assert str(refused.value).startswith(f"{entity_id} cannot be used here")
    assert str(refused.value).endswith("entities of it: pH")


async def test_equipment_of_others_is_not_looked_at(small: Home) -> None:
    """Another integration's probe in the targeted area triggers nothing."""
    hass, registry = small.hass, er.async_get(small.hass)
    area = ar.async_get(hass).async_create("Garden")
    dr.async_get(hass).async_update_device(small.device().id, area_id=area.id)
    pond = registry.async_get_or_create("sensor", "other", "pond").entity_id
    registry.async_update_entity(pond, area_id=area.id)
    attributes = {"device_class": "ph"}
    hass.states.async_set(pond, "7.4", attributes)
    config = trigger(small, "reading_out_of_range", reading="ph")
    fired = await automate(small, config | {"target": {"area_id": area.id}})
    hass.states.async_set(pond, "9.4", attributes)
    await hass.async_block_till_done()
    assert values_of(fired) == []
    small.pool.water.ph = 9.4
    await small.advance(15)
    assert values_of(fired) == [small.entity_id("sensor", "ph")]


# Problems


async def test_what_needs_attention(full: Home) -> None:
    """Each problem triggers once; a notice only if its kind is chosen."""
    chosen: dict[str, dict[str, Any]] = {
        "any": {},
        "acid": {"kinds": ["acid_low"]},
        "dry": {"kinds": ["dry_run", "unreachable"]},
    }
    fired = await automate_all(
        full,
        {
            name: (trigger(full, "needs_attention", **of),)
            for name, of in chosen.items()
        },
    )

    async def rules() -> list[str]:
        await full.advance(30, step=15)
        return sorted(values_of(fired, "rule"))

    full.pool.settings["acid_remaining"] = 1_999
    assert await rules() == ["acid"]
    full.pool.settings["acid_remaining"] = 0
    # It was a notice, and has become a problem.
    assert await rules() == ["any"]
    full.pool.pump.dry_run_status = DRY
    await full.advance(30, step=15)
    status = full.entity_id("sensor", "status")
    found = [(event.data["key"], event.data["entity_id"]) for event in fired]
    assert found == [("dry_run", status)] * 2
    assert await rules() == ["any", "dry"]
    for normal in (0, DRY_RUN_NORMAL):
        full.pool.pump.dry_run_status = normal
        assert await rules() == []
    full.disconnect()
    await full.advance(90, step=15)
    assert await rules() == ["any", "dry"]


async def test_attention_after_a_time(full: Home) -> None:
    """A reload does not restart the time; an end of the problem does."""
    fired = await automate(full, trigger(full, "needs_attention", for_={"minutes": 10}))
    for status, seconds in ((DRY, 540), (DRY_RUN_NORMAL, 30), (DRY, 315)):
        full.pool.pump.dry_run_status = status
        await full.advance(seconds, step=15)
    await full.restart()
    await full.advance(240, step=15)
    assert values_of(fired) == []
    await full.advance(90, step=15)
    assert values_of(fired, "key") == ["dry_run"]


# The target temperature


@pytest.fixture
async def heated(full: Home) -> list[Event]:
    """Return the events of an automation for a reached target temperature."""
    return await automate(full, trigger(full, "target_reached"))


def action(home: Home, key: str) -> Any:
    """Return the HVAC action of a climate entity."""
    return home.state("climate", f"{key}_heating").attributes["hvac_action"]


async def test_the_pool_and_then_the_spa_are_warm(
    full: Home, heated: list[Event]
) -> None:
    """It triggers once per heating, however the reading fluctuates."""
    water, pool = full.pool.water, full.entity_id("climate", "pool_heating")
    for temperature, expected, triggered in (
        (27.95, "heating", []),
        (28.05, "idle", [pool]),
        (27.95, "idle", []),
        (28.05, "idle", []),
        (27.85, "idle", []),
        (28.15, "idle", []),
        (27.05, "heating", []),
        (28.05, "idle", [pool]),
        (27.05, "heating", []),
    ):
        water.temperature = temperature
        await full.advance(15)
        assert action(full, "pool") == expected
        assert values_of(heated) == triggered
    full.pool.switch(SPA_RETURN, True)
    # The water at the probe is the pool's for a while.
    await full.advance(330, step=15)
    assert action(full, "spa") == "heating"
    # The pool was heated until now, but did not reach its target.
    assert values_of(heated) == []
    water.temperature = 36.05
    await full.advance(15)
    assert values_of(heated) == [full.entity_id("climate", "spa_heating")]


async def test_heating_that_ends_for_another_reason(
    full: Home, heated: list[Event], subtests: pytest.Subtests
) -> None:
    """Nothing triggers, because the water is still cold."""
    pool = full.pool
    settings = dict(pool.settings)
    for reason in ("target", "sources", "pump"):
        pool.settings |= settings
        await full.advance(30, step=15)
        assert action(full, "pool") == "heating"
        with subtests.test(reason):
            match reason:
                case "target":
                    pool.settings["pool_target"] = 40
                case "sources":
                    pool.settings["heating"] = 0
                case _:
                    pool.switch(PUMP_SLOT, False)
            await full.advance(60, step=15)
            assert (action(full, "pool") == "heating") is (reason == "target")
            assert values_of(heated) == []


# What the automation editor shows


async def test_the_editor(full: Home, subtests: pytest.Subtests) -> None:
    """It offers all triggers for the device, and prefills the defaults.

    So the code and triggers.yaml, as Home Assistant reads it, mean the same.
    """
    found = await async_get_triggers_for_target(full.hass, device(full), False)
    ours = {name for name in found if name.startswith(f"{DOMAIN}.")}
    assert ours == {f"{DOMAIN}.{name}" for name in TRIGGERS}
    descriptions = await trigger_helper.async_get_all_descriptions(full.hass)
    for name in TRIGGERS:
        with subtests.test(name):
            clause = {"trigger": f"{DOMAIN}.{name}", "target": device(full)}
            description = descriptions[f"{DOMAIN}.{name}"]
            await check_prefilled(description, partial(validated, full), clause)


async def check_prefilled(
    description: Mapping[str, Any] | None,
    validated: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]],
    clause: dict[str, Any],
) -> None:
    """Check that a trigger or condition is the same with what the editor prefills."""
    assert description is not None
    options = prefilled(description["fields"])
    bare = {key: options[key] for key in options if key in ASKED_FOR}
    filled = await validated({**clause, "options": options})
    left_out = await validated({**clause, "options": bare})
    assert set(filled) == set(options)
    assert filled.pop("for") == timedelta()
    left_out.pop("for", None)
    assert filled == left_out


def prefilled(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the editor prefills, and a choice where it needs one."""
    options = {key: field.get("default") for key, field in fields.items()}
    choices = {
        key: {*field["selector"]["select"]["options"]}
        for key, field in fields.items()
        if "select" in field["selector"]
    }
    offered = {
        "connection": {*automation.CONNECTIONS},
        "kinds": {*KEYS},
        "reading": {reading.key for reading in READINGS},
    }
    assert choices.items() <= offered.items()
    if "connection" in options:
        options["connection"] = [*choices["connection"]]
    if "kinds" in options:
        options["kinds"] = []
    return {
        key: value
        for key, value in options.items()
        if fields[key].get("required") or value is not None
    }


# The connection


async def connection(home: Home, *to: str, **options: Any) -> list[Event]:
    """Return the events of an automation for changes of the connection."""
    config = trigger(home, "connection_changed", connection=[*to], **options)
    return await automate(home, config)


async def test_changes_of_the_connection(small: Home) -> None:
    """Each, those that were chosen, and one that lasts for a time."""
    chosen: dict[str, dict[str, Any]] = {
        "each": {"connection": ["lan", "cloud", "lost"]},
        "lost": {"connection": ["lost"]},
        "for a time": {"connection": ["cloud"], "for_": "00:10:00"},
    }
    fired = await automate_all(
        small,
        {
            name: (trigger(small, "connection_changed", **of),)
            for name, of in chosen.items()
        },
    )
    for side, works, seconds, expected in (
        ("lan", False, 15, []),
        ("lan", False, 15, ["each cloud"]),
        ("lan", False, 510, []),
        ("lan", True, 60, ["each lan"]),
        ("lan", False, 600, ["each cloud"]),
        ("lan", False, 60, ["for a time cloud"]),
        ("lan", False, 900, []),
        ("cloud", False, 120, ["each lost", "lost lost"]),
        ("cloud", True, 60, ["each cloud"]),
        ("lan", True, 60, ["each lan"]),
        ("lan", True, 120, []),
    ):
        faults = small.controller.faults if side == "lan" else small.cloud.faults
        if works:
            faults.clear()
        else:
            faults.on("refuse")
        await small.advance(seconds, step=15)
        found = [f"{e.data['rule']} {e.data['connection']}" for e in fired]
        assert sorted(found) == expected
        assert {*values_of(fired)} <= {small.entity_id("sensor", "connection")}


async def test_what_waits_ends_with_the_automation_and_the_entity(small: Home) -> None:
    fired = await connection(small, "cloud", for_={"minutes": 10})
    sensor = small.entity_id("sensor", "connection")
    automation = {"entity_id": "automation.test"}
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    for action in ("turn_off", "turn_on"):
        await small.hass.services.async_call(
            AUTOMATION, action, automation, blocking=True
        )
    await small.advance(900, step=60)
    assert values_of(fired) == []

    small.controller.faults.clear()
    await small.advance(60, step=15)
    small.controller.faults.on("refuse")
    await small.advance(60, step=15)
    assert small.source == "cloud"
    # Hidden entities are not part of a targeted device.
    er.async_get(small.hass).async_update_entity(
        sensor, hidden_by=er.RegistryEntryHider.USER
    )
    await small.advance(900, step=60)
    assert values_of(fired) == []


# Outages


async def lose(home: Home, how: str) -> None:
    """Let the readings be unknown for three minutes, or for a reload."""
    if how == "reload":
        await home.restart()
        return
    home.disconnect()
    await home.advance(180, step=15)
    assert home.value("sensor", "ph") == "unavailable"
    home.reconnect()
    await home.advance(60, step=15)


@pytest.mark.parametrize("how", ["outage", "reload"])
async def test_an_outage_in_the_middle_of_a_time(full: Home, how: str) -> None:
    """The time goes on; each rule triggers once, when it is over."""
    half_an_hour = {"for_": {"minutes": 30}}
    fired = await automate_all(
        full,
        {
            "reading": (
                trigger(full, "reading_out_of_range", reading="ph", **half_an_hour),
            ),
            "problem": (
                trigger(full, "needs_attention", kinds=["dry_run"], **half_an_hour),
            ),
        },
    )
    full.pool.water.ph, full.pool.pump.dry_run_status = 8.8, DRY
    await full.advance(600, step=15)
    await lose(full, how)
    await full.advance(840, step=15)
    assert values_of(fired, "rule") == []
    await full.advance(600, step=15)
    assert sorted(values_of(fired, "rule")) == ["problem", "reading"]
    await full.advance(3600, step=60)
    assert values_of(fired, "rule") == []


async def test_what_changes_in_an_outage(small: Home) -> None:
    """The first read after it counts, and whether it was so in between."""
    ten_minutes = {"for_": {"minutes": 10}}
    fired = await automate_all(
        small,
        {
            name: (trigger(small, "reading_out_of_range", reading="ph", **more),)
            for name, more in (("at once", {}), ("in time", ten_minutes))
        },
    )

    async def outage(seconds: float, ph: float) -> list[str]:
        """Return the rules that fire after an outage, not in it."""
        small.disconnect()
        await small.advance(seconds, step=15)
        assert values_of(fired) == []
        return await reads(ph)

    async def reads(ph: float, seconds: float = 60) -> list[str]:
        small.pool.water.ph = ph
        small.reconnect()
        await small.advance(seconds, step=15)
        return values_of(fired, "rule")

    assert await outage(180, 8.8) == ["at once"]
    assert await reads(8.8, 300) == []
    assert await outage(900, 8.8) == ["in time"]
    # A time that was over only in an outage.
    assert await reads(7.4) == []
    assert await reads(8.8, 300) == ["at once"]
    assert await outage(900, 7.4) == []
    # What was not so after it begins anew.
    assert await reads(8.8, 300) == ["at once"]
    assert await outage(180, 7.4) == []
    assert await reads(8.8, 540) == ["at once"]
    assert await reads(8.8, 90) == ["in time"]


@pytest.mark.parametrize(
    "for_", [{"minutes": 0}, {"minutes": 5}], ids=["now", "for a time"]
)
async def test_two_pools_with_a_behavior(home: Home, for_: dict[str, int]) -> None:
    """The first reading out of range, or the last one, triggers; not the others."""
    service = home.service
    home.own(service.full, service.small)
    await home.set_up(service.full, service.small)
    await home.advance(30, step=15)
    pools = [home.device(each).id for each in (service.full, service.small)]
    common = {
        "trigger": f"{DOMAIN}.reading_out_of_range",
        "target": {"device_id": pools},
    }
    fired = await automate_all(
        home,
        {
            name: (
                {**common, "options": {"reading": "ph", "for": for_, "behavior": name}},
            )
            for name in ("each", "first", "all")
        },
    )
    for controller, full, small in (
        (service.full, ["each", "first"], []),
        (service.small, ["each", "first"], ["all", "each"]),
    ):
        controller.pool.water.ph = 8.8
        await home.advance(600, step=15)
        expected = full if controller is service.full else small
        assert sorted(values_of(fired, "rule")) == expected
    service.full.pool.water.ph = 7.4
    await home.advance(30, step=15)
    service.full.pool.water.ph = 8.8
    await home.advance(600, step=15)
    assert sorted(values_of(fired, "rule")) == ["all", "each"]


@pytest.mark.parametrize("behavior", ["each", "first"])
@pytest.mark.parametrize("lost", [0, 1], ids=["full", "small"])
async def test_a_time_that_ends_while_another_pool_moves(
    home: Home, lost: int, behavior: str
) -> None:
    """It waits for the pool that it is about, whatever another one reports."""
    pools = home.service.full, home.service.small
    gone, there = pools[lost], pools[1 - lost]
    home.own(*pools)
    await home.set_up(*pools)
    await home.advance(30, step=15)
    options = {"reading": "ph", "for": {"minutes": 10}, "behavior": behavior}
    target = {"device_id": [home.device(each).id for each in pools]}
    config = {"target": target, "options": options}
    fired = await automate(
        home, {"trigger": f"{DOMAIN}.reading_out_of_range", **config}
    )
    gone.pool.water.ph = 8.8
    await home.advance(300, step=15)
    home.service.cloud.faults.on("refuse")
    gone.faults.on("refuse")
    await home.advance(420, step=15)
    for ph in (7.3, 7.5, 7.2):
        there.pool.water.ph = ph
        await home.advance(120, step=15)
    assert values_of(fired) == []
    gone.faults.clear()
    await home.advance(60, step=15)
    assert len(values_of(fired)) == 1


# Starts


async def test_a_start_tells_nothing(full: Home) -> None:
    """What applies already triggers nothing, neither at a start nor after a reload."""
    pool = full.pool
    chosen: dict[str, dict[str, Any]] = {
        "connection_changed": {"connection": ["lan", "cloud", "lost"]},
        "reading_out_of_range": {"reading": "ph"},
    }
    every = {name: (trigger(full, name, **chosen.get(name, {})),) for name in TRIGGERS}
    await full.unload()
    pool.water.ph, pool.water.orp, pool.pump.dry_run_status = 8.2, 500, DRY
    pool.settings |= {"acid_remaining": 100, "chlorine_remaining": 100}
    fired = await automate_all(full, every)
    full.hass.async_create_task(
        full.hass.config_entries.async_setup(full.entry.entry_id)
    )
    await full.advance(60, step=15)
    assert full.value("sensor", "ph") == "8.2"
    assert full.source == "lan"
    await full.restart()
    await full.advance(30, step=15)
    assert full.value("sensor", "status") == "problem"
    assert fired == []
