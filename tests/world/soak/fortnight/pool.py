"""The pool of a family: its schedules, and a meter of what it did."""

from collections.abc import Mapping
from typing import Final
from zoneinfo import ZoneInfo

from tests.world.simulator import Pool
from tests.world.simulator.equipment import Role
from tests.world.simulator.pool import Slot
from tests.world.simulator.presets import EVERY_DAY, FULL_WIRING
from tests.world.simulator.schedules import Schedule

from ..engine import HOUR

ZONE: Final = ZoneInfo("Australia/Sydney")
PUMP, POOL_LIGHT, SPA_LIGHT, WATERFALL, CLEANER = 0, 1, 2, 3, 9
SPA, SPA_JETS, GARDEN, UV, OZONE = 10, 13, 14, 15, 16
OUTPUTS: Final = (
    *(PUMP, POOL_LIGHT, SPA_LIGHT, WATERFALL, CLEANER),
    *(SPA, SPA_JETS, GARDEN, UV, OZONE),
)
"""What the family uses, or only its schedules do."""
WIRING: Final = {slot: FULL_WIRING[slot] for slot in range(16)} | {
    GARDEN: (25, "Garden Lights"),
    OZONE: (10, "Ozone"),
}
SLOTS: Final = 17
"""Slots of the controller and of one expander."""
SETTINGS: Final[dict[str, float]] = {
    "pool_target": 26,
    # Above the chlorinator's target, which would keep the doser from ever dosing.
    "desired_orp_liquid": 665,
}
FRIDAY_AND_SATURDAY: Final = 0b0110000
MON_WED_FRI: Final = 0b0010101

SCHEDULES: Final = (
    (PUMP, 8, 16, EVERY_DAY, "Filter"),
    (PUMP, 1, 3, EVERY_DAY, "Night"),
    (WATERFALL, 16, 18, EVERY_DAY, "Waterfall"),
    (POOL_LIGHT, 20, 1, FRIDAY_AND_SATURDAY, "Weekend"),
    (GARDEN, 18, 22, EVERY_DAY, "Garden"),
    (CLEANER, 9, 10, MON_WED_FRI, "Cleaner"),
    (UV, 10, 14, EVERY_DAY, "UV"),
    (OZONE, 11, 13, EVERY_DAY, "Ozone"),
)
"""Slot, begin and end in hours, days, name."""
SPEEDS: Final = {"Filter": 75, "Night": 50}


def furnish(pool: Pool) -> None:
    """Give a pool the equipment, settings and schedules of the family's."""
    pool.tz = ZONE
    pool.slots = [Slot(*WIRING.get(number, (0, ""))) for number in range(SLOTS)]
    pool.settings |= SETTINGS
    for number, (slot, start, end, days, name) in enumerate(SCHEDULES):
        pool.schedules[number] = Schedule(
            slot=slot,
            aux_type=WIRING[slot][0],
            speed=SPEEDS.get(name, 0),
            start=start * 60,
            end=end * 60,
            weekdays=days,
            name=name,
            enabled=True,
        )
    pool.running()


def is_linked(pool: Pool, slot: int) -> bool:
    """Return whether an output only runs while the pump does."""
    return pool.slots[slot].role is Role.LINKED


def runs(pool: Pool, slot: int) -> bool:
    """Return whether an output runs; the pump's slot may be wrong (protocol.md O2.4)."""
    return pool.pump.mode != 0 if slot == PUMP else pool.slots[slot].on


def entity(slot: int) -> tuple[str, str]:
    """Return the domain and the key of the entity of an output."""
    if slot in (POOL_LIGHT, SPA_LIGHT):
        return "light", f"slot_{slot}"
    return "switch", {PUMP: "pump", SPA: "spa_mode"}.get(slot, f"slot_{slot}")


SUMS: Final = (
    *("water_filtered_today", "pump_runtime_today"),
    *("pool_heater_run_hours", "solar_run_hours", "spa_heater_run_hours"),
    *("chlorinator_run_hours", "uv_run_hours", "ozone_run_hours"),
)
"""Keys of sensors that sum up what the pool did, without the drums."""


class Meter:
    """What a pool really did in all, by the keys and in the units of the sensors."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._totals = dict.fromkeys(SUMS, 0.0)
        self.visible = False
        """Whether Home Assistant runs: run hours of other times do not count (README)."""
        pool.watchers.append(self._step)

    def read(self) -> Mapping[str, float]:
        """Return the totals up to now."""
        pool = self._pool
        pool.update()
        return self._totals | {
            "acid_used_today": pool.acid.dosed,
            "chlorine_used_today": pool.chlorine.dosed,
        }

    def _step(self, seconds: float) -> None:
        pool, hours = self._pool, seconds / HOUR
        self._totals["water_filtered_today"] += pool.water.flow * seconds / 60_000
        self._totals["pump_runtime_today"] += hours * pool.pump.running
        for name, on in {
            "pool_heater": pool.heaters["pool"],
            "solar": pool.heaters["solar"],
            "spa_heater": pool.heaters["spa"],
            "chlorinator": pool.chlorinating,
            "uv": pool.slots[UV].on,
            "ozone": pool.slots[OZONE].on,
        }.items():
            self._totals[f"{name}_run_hours"] += hours * on * self.visible
