"""Values that entities have to show for a pool, by domain and key."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.world.simulator import Pool
from tests.world.simulator.equipment import SPA_ACTUATORS, Role
from tests.world.simulator.water import pump_watts

type Expected = Mapping[str, Callable[[Pool], Any]]


def _running_schedule(pool: Pool) -> str:
    if pool.pump.mode in (0, 99):
        return "none"
    schedule = pool.schedules[pool.pump.mode - 1]
    return (schedule and schedule.name) or str(pool.pump.mode)


def _held_outputs(pool: Pool) -> int:
    """Count the held outputs; the actuators of the spa count as one."""
    spa = pool.find(*SPA_ACTUATORS)
    return sum(
        slot.held
        for number, slot in enumerate(pool.slots)
        if pool.can_switch(number) and (slot.role is not Role.SPA or number == spa)
    )


SENSORS: Final[Expected] = {
    "ph": lambda pool: int(pool.water.ph * 10) / 10,
    "orp": lambda pool: int(pool.water.orp),
    "water_temperature": lambda pool: int(pool.water.temperature * 10) / 10,
    "ambient_temperature": lambda pool: int(pool.water.ambient * 100) / 100,
    "pump_speed": lambda pool: pool.pump.speed,
    "flow_rate": lambda pool: round(pool.water.flow),
    "pressure": lambda pool: pool.water.pressure,
    "pump_power": lambda pool: pump_watts(pool.pump.speed),
    "pump_mode": lambda pool: {0: "off", 99: "manual"}.get(pool.pump.mode, "schedule"),
    "running_schedule": _running_schedule,
    "acid_remaining": lambda pool: int(pool.settings["acid_remaining"]) / 1000,
    "chlorine_remaining": lambda pool: int(pool.settings["chlorine_remaining"]) / 1000,
    "held_outputs": _held_outputs,
    "connection": lambda pool: "lan",
}
BINARY_SENSORS: Final[Expected] = {
    "pool_heater": lambda pool: pool.heaters["pool"],
    "solar": lambda pool: pool.heaters["solar"],
    "spa_heater": lambda pool: pool.heaters["spa"],
    "ph_dosing": lambda pool: pool.acid.dosing,
    "chlorine_dosing": lambda pool: pool.chlorine.dosing or pool.chlorinating,
    "chemistry_stable": lambda pool: pool.water.stable,
    "flow": lambda pool: pool.water.flow_present,
    "dry_run": lambda pool: False,
}
NUMBERS: Final[Expected] = {
    "pump_speed": lambda pool: pool.pump.speed,
    "desired_ph": lambda pool: pool.settings["desired_ph"] / 10,
    "desired_orp_mineral": lambda pool: pool.settings["desired_orp_mineral"],
    "desired_orp_liquid": lambda pool: pool.settings["desired_orp_liquid"],
}


def expected(pool: Pool, domain: str, key: str) -> Any:
    """Return the value that an entity has to show, `None` if it is not determined."""
    if domain == "switch" and key == "pump":
        return pool.pump.mode != 0
    if domain == "switch" and key.startswith("slot_"):
        return pool.slots[int(key.removeprefix("slot_"))].mode != 0
    tables = {"sensor": SENSORS, "binary_sensor": BINARY_SENSORS, "number": NUMBERS}
    found = tables.get(domain, {}).get(key)
    return None if found is None else found(pool)


def same(shown: str, value: Any) -> bool:
    """Return whether a state shows a value."""
    if isinstance(value, bool):
        return shown == ("on" if value else "off")
    if isinstance(value, str):
        return shown == value
    try:
        return abs(float(shown) - float(value)) < 0.001
    except ValueError:
        return False
