"""What must be right at the end of a week: every entity, also after a fresh start."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er

from custom_components.poolctl.client.pool.heating import running_sources
from tests.world.simulator import Controller, Pool
from tests.world.simulator.equipment import SPA_ACTUATORS, Role
from tests.world.simulator.water import pump_watts

from .engine import HOUR, MINUTE
from .judge import may_be_missing
from .week import Week


def _held_outputs(pool: Pool) -> int:
    """Count the held outputs; the actuators of the spa count as one."""
    spa = pool.find(*SPA_ACTUATORS)
    return sum(
        slot.held
        for number, slot in enumerate(pool.slots)
        if pool.can_switch(number) and (slot.role is not Role.SPA or number == spa)
    )


EXPECTED: Final[Mapping[str, Callable[[Pool], Any]]] = {
    "sensor.ph": lambda pool: int(pool.water.ph * 10) / 10,
    "sensor.orp": lambda pool: int(pool.water.orp),
    "sensor.water_temperature": lambda pool: int(pool.water.temperature * 10) / 10,
    "sensor.air_temperature": lambda pool: int(pool.water.ambient * 100) / 100,
    "sensor.pump_speed": lambda pool: pool.pump.speed,
    "sensor.flow_rate": lambda pool: round(pool.water.flow),
    "sensor.filter_pressure": lambda pool: pool.water.pressure,
    "sensor.pump_power": lambda pool: pump_watts(pool.pump.speed),
    "sensor.acid_remaining": lambda pool: int(pool.settings["acid_remaining"]) / 1000,
    "sensor.chlorine_remaining": lambda pool: (
        int(pool.settings["chlorine_remaining"]) / 1000
    ),
    "sensor.held_outputs": _held_outputs,
    "sensor.connection": lambda pool: "lan",
    "binary_sensor.pool_heater": lambda pool: pool.heaters["pool"],
    "binary_sensor.solar_heating": lambda pool: pool.heaters["solar"],
    "binary_sensor.spa_heater": lambda pool: pool.heaters["spa"],
    "binary_sensor.ph_correction": lambda pool: pool.acid.dosing,
    "binary_sensor.chlorination": lambda pool: (
        pool.chlorine.dosing or pool.chlorinating
    ),
    "binary_sensor.water_reading_valid": lambda pool: pool.water.stable,
    "binary_sensor.flow": lambda pool: pool.water.flow_present,
    "binary_sensor.dry_run": lambda pool: False,
    "number.pump_target_speed": lambda pool: pool.pump.speed,
    "number.ph_target": lambda pool: pool.settings["desired_ph"] / 10,
    "number.chlorinator_orp_target": lambda pool: pool.settings["desired_orp_mineral"],
    "number.liquid_chlorine_orp_target": lambda pool: pool.settings[
        "desired_orp_liquid"
    ],
    "switch.pump": lambda pool: pool.pump.mode != 0,
}
"""Values that entities have to show, by domain and key."""


def _missed_value(shown: str, pool: Pool, domain: str, key: str) -> str | None:
    """Return the value that an entity does not show, though it should."""
    if domain == "switch" and key.startswith("slot_"):
        value: Any = pool.slots[int(key.removeprefix("slot_"))].mode != 0
    elif f"{domain}.{key}" in EXPECTED:
        value = EXPECTED[f"{domain}.{key}"](pool)
    else:
        return None
    if isinstance(value, bool):
        value = "on" if value else "off"
    with suppress(ValueError):
        if shown == value or abs(float(shown) - float(value)) < 0.001:
            return None
    return f"{value}"


async def put_right(week: Week) -> None:
    """Run the pumps until readings are valid, then stop all changes of the water."""
    for controller in week.controllers:
        # As in the vendor's app: with some dialects the integration cannot do it.
        controller.pool.schedules[0].enabled = True
        shown = {entity.entity_id for entity, _ in week.shown(controller)}
        for action, key in (
            ("switch.turn_on", "pump"),
            ("button.press", "resume_schedules"),
            ("button.press", "mark_acid_drum_full"),
            ("button.press", "mark_chlorine_drum_full"),
        ):
            target = week.find(controller, action.partition(".")[0], key)
            if target is None or target not in shown:
                continue
            try:
                await week.act(target, action)
            except HomeAssistantError as err:
                week.note(f"{action} of {target}: {err!r}")
    await asyncio.sleep(HOUR)
    for controller in week.controllers:
        pool = controller.pool
        pool.water.drift = 0.0
        # Once the pH is right, the daily limit of acid is not a problem any more.
        pool.settings["desired_ph"], pool.water.ph = 74, 7.4
        pool.settings["ph_dosing"] = pool.settings["orp_flags"] = 0  # no more doses
    await asyncio.sleep(900)


async def note_twice(week: Week, compare: Callable[[], list[str]]) -> None:
    """Note what is wrong now and a minute later: an odd frame is shown for one poll."""
    if wrong := compare():
        await asyncio.sleep(MINUTE)
        again = compare()
        week.note(*(each for each in wrong if each in again))


def differs_from_pool(week: Week) -> list[str]:
    """Compare every entity with its pool."""
    loaded = week.entry.state is ConfigEntryState.LOADED
    wrong = [] if loaded else [f"{week.entry.state}"]
    for entity_id, (controller, domain, key) in _entities(week).items():
        state = week.hass.states.get(entity_id)
        if state is None or state.state == STATE_UNAVAILABLE:
            wrong.append(f"{entity_id} is not there: {state}")
        elif value := _missed_value(state.state, controller.pool, domain, key):
            wrong.append(f"{entity_id} shows {state.state}, it is {value}")
    return wrong


def differs_from(week: Week, before: Mapping[str, Any]) -> list[str]:
    """Compare all states after a fresh start with those before it."""
    return [
        f"{name}: {before.get(name)}, after a fresh start {state}"
        for name, state in lasting_states(week).items()
        if before.get(name) != state
    ]


def _entities(week: Week) -> dict[str, tuple[Controller, str, str]]:
    """Return controller, domain and key of each entity that must be there and right."""
    controllers = {each.device_id: each for each in week.controllers}
    registry, entry_id = er.async_get(week.hass), week.entry.entry_id
    return {
        entity.entity_id: (controller, entity.domain, key)
        for entity in er.async_entries_for_config_entry(registry, entry_id)
        if not entity.disabled
        and (controller := controllers[entity.unique_id[:17]])
        and not may_be_missing(controller, key := entity.unique_id[18:])
    }


def _is_stored(week: Week, controller: Controller, key: str) -> bool:
    """Return whether what an entity shows outlasts a start.

    When water is warm may follow from a session of heating that is not over: its rate
    is not learned yet, and no other one is (learned/warming.py).
    """
    if week.entry.state is not ConfigEntryState.LOADED:
        return True
    known = week.entry.runtime_data.controllers[controller.device_id]
    sources = running_sources(known.controller.live.state)
    rates = {
        f"{body.key}_expected_warm_time": warming.expected(sources)
        for body, warming in known.learned.warming.items()
    }
    return rates.get(key, 0.0) is not None


def lasting_states(week: Week) -> dict[str, Any]:
    """Return the states that a fresh start has to show again."""
    registry = er.async_get(week.hass)
    ours = {
        entity_id
        for entity_id, (controller, _, key) in _entities(week).items()
        if _is_stored(week, controller, key)
    }

    def lasting(state: State) -> tuple[str, dict[str, Any]]:
        # A time changes only by more than its accuracy (learned/ends.py).
        timed = (
            state.entity_id.endswith("_expected_warm_time")
            and state.state != STATE_UNKNOWN
        )
        # Schedules are read minutes after a start; until then there is no explanation.
        later = ("explanation", "reasons", "pump_until", "next_run", "next_schedule")
        attributes = {**state.attributes, **dict.fromkeys(later)}
        # After a start, the time since when a problem exists begins anew.
        problems = state.attributes.get("problems", ())
        attributes["problems"] = [{**each, "since": None} for each in problems]
        return "expected" if timed else state.state, attributes

    return {
        state.entity_id: lasting(state)
        for state in week.hass.states.async_all()
        # A button shows when it was last pressed, and totals go on.
        if state.domain != "button"
        and state.attributes.get("state_class") not in ("total", "total_increasing")
        and (state.entity_id in ours or registry.async_get(state.entity_id) is None)
    }
