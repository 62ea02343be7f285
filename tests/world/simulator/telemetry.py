"""A controller's state frame, made from its pool (protocol.md O2)."""

from dataclasses import asdict
from typing import Final

from .dialects import Dialect
from .equipment import PUMP, SPA_ACTUATORS, Role
from .pool import Pool
from .schedules import reported
from .water import pump_watts
from .wire import CONFIGURATION, Fields, Frame

_SETTINGS: Final = frozenset(name for name, _ in CONFIGURATION)
_EXPANDER_STARTS: Final = {1: 12, 2: 17, 3: 27, 4: 32}
_NO_SPA_HEATER: Final = {19: 0, 32: 2}  # aux types that replace those of spa heaters


def version(firmware: str) -> tuple[int, int, int]:
    """Return the three numbers of a firmware version."""
    major, minor, patch = (int(part) for part in firmware.split("."))
    return major, minor, patch


def bits(**flags: bool) -> int:
    """Turn flags named `_<bit>` into a number."""
    return sum(1 << int(name[1:]) for name, flag in flags.items() if flag)


def _flags(pool: Pool) -> int:
    return pool.pump.dry_run_status << 13 | bits(
        _0=pool.heaters["pool"],
        _1=pool.heaters["solar"],
        _2=pool.heaters["spa"],
        _3=pool.acid.dosing,
        _4=pool.chlorine.dosing or pool.chlorinating,
        _5=pool.water.stable,
        _10=has_expander(pool, 1),
        _11=has_expander(pool, 2),
        _15=pool.water.flow_present,
    )


def _flags2(pool: Pool, online: bool) -> int:
    return bits(
        _0=pool.pump.run_on > 0,
        _1=pool.pump.priming > 0,
        _2=True,
        _4=online,
        _5=online,
        _6=pool.find(*SPA_ACTUATORS) is not None,
        _7=has_expander(pool, 3),
        _8=has_expander(pool, 4),
    )


def has_expander(pool: Pool, number: int) -> bool:
    """Return whether an expander is fitted and not unplugged."""
    fitted = len(pool.slots) > _EXPANDER_STARTS[number]
    return fitted and number not in pool.lost_expanders


def frame(pool: Pool, *, online: bool, firmware: str, full: bool) -> Frame:
    """Build a state frame; `online`: the controller reaches its cloud."""
    water, pump, slots = pool.water, pool.pump, pool.slots
    state = Frame(
        {
            "flags": _flags(pool),
            "water_temperature": int(water.temperature * 10),
            "ambient_temperature": int(water.ambient * 100),
            "ph": int(water.ph * 10),
            "orp": int(water.orp),
            "flow_rate": round(water.flow),
            "pressure": water.pressure,
            "pump_speed": pump.speed,
            "pump_power": round(pump_watts(pump.speed) * pump.effort),
            "drive_temperature": 38 if pump.running else 24,
            "main_pump_mode": pump.mode,
            "sanitiser_output": 80 if pool.chlorinating else 0,
            "flags2": _flags2(pool, online),
            "pump_cooldown_remaining": round(pump.run_on),
            "pump_priming_remaining": round(pump.priming),
        },
        aux_modes=[slot.mode for slot in slots],
        held_slots=[number for number, slot in enumerate(slots) if slot.held],
        timers=pool.timers,
    )
    if (where := pool.find(PUMP)) is not None:
        state.aux_modes[where] = pump.slot_mode(slots[where].mode)
    if full:
        state.configuration = _configuration(pool, firmware)
        state.aux_types = [slot.aux_type for slot in slots]
        if Dialect.SPA_BY_SOLAR in pool.dialects:
            state.aux_types = [_NO_SPA_HEATER.get(t, t) for t in state.aux_types]
    return state


def _configuration(pool: Pool, firmware: str) -> Fields:
    fields: Fields = {
        name: int(value) for name, value in pool.settings.items() if name in _SETTINGS
    }
    fields["pool_light_mode"] = pool.lights["pool"][1]
    fields["spa_light_mode"] = pool.lights["spa"][1]
    records = reported(pool.schedules, pool.dialects)
    enabled = (1 << n for n, schedule in enumerate(records) if schedule.enabled)
    fields["schedules_enabled"] = sum(enabled)
    names = ("firmware_major", "firmware_minor", "firmware_patch")
    fields.update(zip(names, version(firmware), strict=True))
    return fields


def overview(pool: Pool) -> dict[str, object]:
    """Describe the pool in common units, for the control page."""
    water, pump = pool.water, pool.pump
    return {
        "pump_mode": pump.mode,
        "pump_speed": pump.speed,
        "flow_rate": round(water.flow),
        "ph": round(water.ph, 2),
        "orp": int(water.orp),
        "water_temperature": round(water.temperature, 1),
        "stable": water.stable,
        "relays": {str(number): on for number, on in pool.relays.items()},
        "slots": [
            {"slot": number, "name": slot.name, "on": slot.on, "held": slot.held}
            for number, slot in enumerate(pool.slots)
            if slot.role is not Role.EMPTY
        ],
        "settings": pool.settings,
        "lights": pool.lights,
        "schedules": [asdict(each) for each in pool.schedules if each.used],
    }
