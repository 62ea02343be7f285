"""The pool of a family: its wiring, its schedules, and a meter of what it did."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final
from zoneinfo import ZoneInfo

from tests.world.simulator import Pool
from tests.world.simulator.equipment import PUMP as PUMP_TYPE, Role
from tests.world.simulator.presets import DOSING_SETTINGS, EVERY_DAY, SETTINGS
from tests.world.simulator.schedules import Schedule

ZONE: Final = ZoneInfo("Australia/Sydney")
PUMP, POOL_LIGHT, SPA_LIGHT, WATERFALL, CLEANER = 0, 1, 2, 3, 9
SPA, SPA_JETS, GARDEN, UV, OZONE = 10, 13, 14, 15, 16
ACID, CHLORINE, WATER, RUNNING = "acid", "chlorine", "water", "pump"

_WIRING: Final = {
    PUMP: (PUMP_TYPE, "Filter Pump"),
    POOL_LIGHT: (12, "Pool Light"),
    SPA_LIGHT: (26, "Spa Light"),
    WATERFALL: (1, "Waterfall"),
    4: (2, "Gas Heater"),
    5: (17, "Solar"),
    6: (6, "Acid Doser"),
    7: (8, "Chlorine Doser"),
    8: (7, "Mineral Chlorinator"),
    CLEANER: (3, "Pool Cleaner"),
    SPA: (20, "Spa Return"),
    11: (21, "Spa Suction"),
    12: (19, "Spa Heater"),
    SPA_JETS: (22, "Spa Jets"),
    GARDEN: (25, "Garden Lights"),
    UV: (11, "UV Lamp"),
    OZONE: (10, "Ozone"),
}
_SLOTS: Final = 17
"""Slots of the controller and of one expander."""
_SETTINGS: Final = {
    **SETTINGS,
    **DOSING_SETTINGS,
    "heating": 0b111,
    "pool_target": 26,
    # Above the chlorinator's target, which would keep the doser from ever dosing.
    "desired_orp_liquid": 665,
}
_FRIDAY_AND_SATURDAY: Final = 0b0110000
_MON_WED_FRI: Final = 0b0010101


def _schedule(
    slot: int, start: int, end: int, name: str, *, days: int = EVERY_DAY, speed: int = 0
) -> Schedule:
    return Schedule(
        slot, _WIRING[slot][0], 0, speed, start * 60, end * 60, days, name, True
    )


def pool() -> Pool:
    """Return the pool before the family uses it."""
    found = Pool(
        _WIRING,
        slots=_SLOTS,
        settings=_SETTINGS,
        schedules=[
            _schedule(PUMP, 8, 16, "Filter", speed=75),
            _schedule(PUMP, 1, 3, "Night", speed=50),
            _schedule(WATERFALL, 16, 18, "Waterfall"),
            _schedule(POOL_LIGHT, 20, 1, "Weekend", days=_FRIDAY_AND_SATURDAY),
            _schedule(GARDEN, 18, 22, "Garden"),
            _schedule(CLEANER, 9, 10, "Cleaner", days=_MON_WED_FRI),
            _schedule(UV, 10, 14, "UV"),
            _schedule(OZONE, 11, 13, "Ozone"),
        ],
        tz=ZONE,
    )
    return found.running()


def runs(found: Pool, slot: int) -> bool:
    """Return whether an output runs; the pump's slot may be wrong (protocol.md O2.4)."""
    if found.slots[slot].role is Role.PUMP:
        return found.pump.mode != 0
    return found.slots[slot].on


def entity(slot: int) -> tuple[str, str]:
    """Return the domain and the key of the entity of an output."""
    if slot in (POOL_LIGHT, SPA_LIGHT):
        return "light", f"slot_{slot}"
    return "switch", {PUMP: "pump", SPA: "spa_mode"}.get(slot, f"slot_{slot}")


type Sums = Mapping[str, float]
"""Amounts by name."""


def minus(later: Sums, earlier: Sums) -> Sums:
    """Return the difference between two readings of the sums."""
    return {name: later[name] - earlier.get(name, 0.0) for name in later}


class Meter:
    """What a pool really did in all, by name: mL, L and seconds."""

    def __init__(self, found: Pool) -> None:
        self._pool = found
        self._totals: defaultdict[str, float] = defaultdict(float)
        self._begin = found.acid.dosed, found.chlorine.dosed
        found.watchers.append(self._step)

    def _step(self, seconds: float) -> None:
        found = self._pool
        self._totals[WATER] += found.water.flow * seconds / 60
        running = {
            RUNNING: found.pump.running,
            # Named by the keys of their sensors.
            "pool_heater": found.heaters["pool"],
            "solar": found.heaters["solar"],
            "spa_heater": found.heaters["spa"],
            "chlorinator": found.chlorinating,
            "uv": found.slots[UV].on,
            "ozone": found.slots[OZONE].on,
        }
        for name, on in running.items():
            self._totals[name] += seconds * on

    def read(self) -> Sums:
        """Return the totals up to now."""
        self._pool.update()
        acid, chlorine = self._begin
        return self._totals | {
            ACID: self._pool.acid.dosed - acid,
            CHLORINE: self._pool.chlorine.dosed - chlorine,
        }
