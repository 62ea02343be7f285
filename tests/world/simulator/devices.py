"""The device endpoints of the cloud (protocol.md 4.1, O5)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from . import settings
from .actions import (
    DeclinedError,
    create_schedule,
    manual_set,
    pump_slot,
    require,
    update_schedule,
)
from .equipment import Role
from .pool import Pool, Slot
from .schedules import Schedule
from .wire import Json

PUMP_WAIT: Final = 10.0  # seconds, pump and equipment
CHEMISTRY_WAIT: Final = 3.0  # seconds, chemistry and schedules


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint of a controller."""

    run: Callable[..., Any]
    """Returns JSON from the pool (GET), or changes it by a body of JSON (POST)."""
    wait: float = PUMP_WAIT
    slots: int = 1  # number of commands that it takes
    cached: bool = True  # whether a read is
    spaced: bool = False  # whether there are at least 2 s between two of these writes


# --- Views ------------------------------------------------------------------------


def _dashboard(pool: Pool) -> Json:
    water, heaters = pool.water, pool.heaters
    return {
        "dashboard": {
            "actual_ph": int(water.ph * 10),
            "actual_orp": int(water.orp),
            "d_ph": int(pool.settings["desired_ph"]),
            "d_orp_mineral": int(pool.settings["desired_orp_mineral"]),
            "actual_pump_speed": pool.pump.speed,
            "actual_flow_rate": round(water.flow),
            "actual_pressure": water.pressure,
            "main_pump_status": pool.pump.mode,
            "heater_state": heaters["pool"],
            "solar_state": heaters["solar"],
            "spa_heater_state": heaters["spa"],
            "chemistry_stable": water.stable,
            "ph_switch_status": pool.acid.dosing,
            "orp_switch_status": pool.chlorine.dosing or pool.chlorinating,
            # Running dry is 4 here, and 0 in the two bits of a frame.
            "dry_run_status": pool.pump.dry_run_status or 4,
        }
    }


def _pump(pool: Pool) -> Json:
    pump, (kind, brand, model) = pool.pump, pool.pump_identity
    return {
        "pump": {
            "pump_type": kind,
            "pump_brand": brand,
            "pump_model": model,
            "motor_status": int(pump.running),
            "actual_flowrate": round(pool.water.flow),
            "actual_speed": pump.speed,
            "pump_cooldown": pump.run_on > 0,
            "pump_cooldown_left": round(pump.run_on),
        }
    }


_GROUPS: Final[dict[str, frozenset[Role]]] = {
    "pump_devices": frozenset({Role.PUMP}),
    "pump_linked_devices": frozenset({Role.LINKED}),
    "spa_devices": frozenset({Role.SPA_LIGHT}),
    "spa": frozenset({Role.SPA}),
    "other_devices": frozenset({Role.GENERAL, Role.POOL_LIGHT}),
}


def _manual(pool: Pool) -> Json:
    timers = {slot: (left, whole) for slot, left, whole in pool.timers}

    def entry(number: int, slot: Slot) -> Json:
        left, whole = timers.get(number, (0, 0))
        is_pump = slot.role is Role.PUMP
        return {
            "aux_slot_num": number,
            "aux_type_code": slot.aux_type,
            "aux_tag": slot.name,
            "aux_status": int(slot.on),
            "pump_speed": pool.pump.speed if is_pump else 0,
            "actual_flow_rate": round(pool.water.flow) if is_pump else 0,
            "aux_timer": whole,
            "aux_timer_remain_sec": left,
        }

    def entries(roles: Iterable[Role]) -> list[Json]:
        slots = enumerate(pool.slots)
        return [entry(number, slot) for number, slot in slots if slot.role in roles]

    return {"manual": {group: entries(roles) for group, roles in _GROUPS.items()}}


def _chemistry(pool: Pool) -> Json:
    return {
        "chemistry": {
            "ph_value": int(pool.water.ph * 10),
            "orp_value": int(pool.water.orp),
            "desire_ph_value": int(pool.settings["desired_ph"]),
            "desire_orp_value": int(pool.settings["desired_orp_mineral"]),
        },
        "phSettings": settings.read_ph(pool),
        "chlorineSettings": settings.read_chlorine(pool),
    }


def _temperature(pool: Pool) -> Json:
    return {
        "ambientTemp": {
            "water_temp": int(pool.water.temperature * 10),
            "ambient_temp": int(pool.water.ambient * 100),
        }
    }


def _schedules(pool: Pool) -> Json:
    return {
        "scheduleInfo": {
            "schedules": [
                {
                    "schedule_num": number,
                    "schedule_name": schedule.name,
                    "schedule_state": schedule.enabled,
                    "start_time": schedule.start,
                    "end_time": schedule.end,
                    "week_days": [
                        bool(schedule.weekdays >> day & 1) for day in range(7)
                    ],
                    "pump_speed": schedule.speed,
                    "aux_slot": schedule.slot,
                }
                for number, schedule in enumerate(pool.schedules, 1)
                if schedule.used
            ]
        }
    }


# --- Changes ----------------------------------------------------------------------


def _number(body: Json, name: str) -> int:
    value = body.get(name)
    if type(value) is not int:  # nor a boolean
        raise DeclinedError(f"{name} is not an integer")
    return int(value)


def _manual_set(pool: Pool, body: Json) -> None:
    slot, code = _number(body, "aux_slot_num"), _number(body, "aux_type_code")
    require(0 <= slot < len(pool.slots), f"no slot {slot}")
    require(pool.slots[slot].aux_type == code, f"slot {slot} is not of type {code}")
    state = _number(body, "aux_switch_state")
    require(state in (0, 1), f"no state {state}")
    manual_set(pool, body)


def _set_pump(pool: Pool, body: Json) -> None:
    _number(body, "pump_speed")
    where = pump_slot(pool)
    require(_number(body, "aux_slot_num") == where, f"the pump is on slot {where}")
    _manual_set(pool, body)


def _record(pool: Pool, body: Json) -> Schedule:
    slot, days = _number(body, "aux_slot"), body.get("day_of_week")
    require(0 <= slot < len(pool.slots), f"no slot {slot}")
    if not isinstance(days, list) or len(days) != 7:
        raise DeclinedError("day_of_week is not a week")
    return Schedule(
        slot=slot,
        aux_type=pool.slots[slot].aux_type,
        speed=_number(body, "pump_speed"),
        start=_number(body, "start_time"),
        end=_number(body, "end_time"),
        weekdays=sum(1 << day for day, runs in enumerate(days) if runs),
        name=str(body.get("schedule_name", "")),
    )


def _index(pool: Pool, body: Json, name: str = "schedule_num") -> int:
    number = _number(body, name)
    found = 1 <= number <= len(pool.schedules) and pool.schedules[number - 1].used
    require(found, f"no schedule {number}")
    return number - 1


def _enable(pool: Pool, body: Json) -> None:
    schedule = pool.schedules[_index(pool, body, "schedule_id")]
    schedule.enabled = bool(body.get("schedule_state"))


def _delete(pool: Pool, body: Json) -> None:
    pool.schedules[_index(pool, body)] = Schedule()


READS: Final[dict[str, Endpoint]] = {
    "dashboardInfo": Endpoint(_dashboard),
    "pumpInfo": Endpoint(_pump, slots=2),
    "auxInfo": Endpoint(_manual),
    "chemistryCard": Endpoint(_chemistry, CHEMISTRY_WAIT),
    "ambientTemp": Endpoint(_temperature, CHEMISTRY_WAIT),
    # Always two commands, as it is never cached; pumpInfo takes two when "uncached".
    "scheduleInfo": Endpoint(_schedules, CHEMISTRY_WAIT, slots=2, cached=False),
}
WRITES: Final[dict[str, Endpoint]] = {
    "setPumpInfo": Endpoint(_set_pump, spaced=True),
    "manualSet": Endpoint(_manual_set, spaced=True),
    "setPhSettings": Endpoint(settings.write_ph, CHEMISTRY_WAIT, spaced=True),
    "setChlorineSettings": Endpoint(settings.write_chlorine, CHEMISTRY_WAIT),
    "changeScheduleStatus": Endpoint(_enable, CHEMISTRY_WAIT),
    "createSchedule": Endpoint(
        lambda pool, body: create_schedule(pool, _record(pool, body)), CHEMISTRY_WAIT
    ),
    "updateSchedule": Endpoint(
        lambda pool, body: update_schedule(
            pool, _index(pool, body), _record(pool, body)
        ),
        CHEMISTRY_WAIT,
    ),
    "deleteSchedule": Endpoint(_delete, CHEMISTRY_WAIT),
}


def change(endpoint: Endpoint, body: Json) -> Callable[[Pool], None]:
    """Return the change that a write makes; it declines an invalid body."""

    def apply(pool: Pool) -> None:
        try:
            endpoint.run(pool, body)
        except (TypeError, ValueError) as err:
            raise DeclinedError(str(err)) from err
        pool.settle()

    return apply
