"""Two ready-made pools: their wiring, settings and schedules."""

from typing import Final

from .equipment import LIGHT_NEVER_SET
from .schedules import Schedule

EVERY_DAY: Final = 127
WORKDAYS: Final = 31

# Section B in wire units (protocol.md O2.2); all other values are 0.
SETTINGS: Final[dict[str, float]] = {
    "pool_size": 50,
    "electricity_cost": 30,
    "max_run_current": 10,
    "pump_prime_time": 30,
    "speed_start": 80,
    "speed_low": 50,
    "speed_medium": 65,
    "speed_high": 80,
    "speed_backwash": 100,
    "speed_cleaner": 85,
    "backwash_pressure": 120,
    "flow_retry_time": 5,
    "flow_retry_cycles": 3,
    "min_flow": 60,
    "min_pressure": 5,
    "pool_target": 28,
    "spa_target": 36,
    "heater_cooldown": 120,
    "spa_heater_cooldown": 120,
    "solar_hysteresis": 2,
    "solar_hysteresis_time": 300,
    "ambient_hysteresis_time": 300,
    "solar_flush_time": 60,
    "desired_ph": 74,
    "desired_orp_mineral": 650,
    "desired_orp_liquid": 650,
    "chlorine_save_setpoint": 700,
    "ozone_save_setpoint": 700,
    "mineral_max_duration": 36000,
}
DOSING_SETTINGS: Final[dict[str, float]] = {
    "ph_dosing": 1,
    "ph_dosing_time": 20,
    "acid_drum": 20000,
    "acid_remaining": 12500,
    "max_ph_doses": 6,
    "ph_dose_interval": 30,
    "ph_dose_rate": 90,
    "orp_flags": 3,
    "liquid_dose_time": 30,
    "chlorine_drum": 20000,
    "chlorine_remaining": 8000,
    "liquid_dose_rate": 120,
}

type Wiring = dict[int, tuple[int, str]]

SMALL_WIRING: Final[Wiring] = {
    0: (31, "Filter Pump"),
    1: (13, "Pool Light"),
    2: (1, "Waterfall"),
    3: (25, "Garden Lights"),
}

# The controller, four expanders and every kind of equipment. Equipment of which a pool
# can have only one is there once.
FULL_WIRING: Final[Wiring] = {
    0: (31, "Filter Pump"),
    1: (12, "Pool Light"),
    2: (26, "Spa Light"),
    3: (1, "Waterfall"),
    4: (2, "Gas Heater"),
    5: (17, "Solar"),
    6: (6, "Acid Doser"),
    7: (8, "Chlorine Doser"),
    8: (7, "Mineral Chlorinator"),
    9: (3, "Pool Cleaner"),
    10: (20, "Spa Return"),
    11: (21, "Spa Suction"),
    12: (19, "Spa Heater"),
    13: (22, "Spa Jets"),
    14: (23, "Spa Blower"),
    15: (11, "UV Lamp"),
    16: (4, "In-floor Cleaning"),
    17: (35, "Deck Light"),
    18: (36, "Spa Rim Light"),
    19: (33, "Spa Extra 1"),
    20: (34, "Spa Extra 2"),
    21: (1, "Water Slide"),
    26: (10, "Ozone"),
    27: (25, "Garden Lights"),
    28: (25, "Path Lights"),
    29: (24, "Irrigation"),
    30: (1, "Fountain"),
    31: (9, "Ioniser"),
    32: (1, "Bubbler"),
    33: (24, "Pond Pump"),
    34: (1, "Deck Jets"),
    35: (25, "Cabana Lights"),
}
# Type and colour of each group: effects with brightness, and colours one after another.
FULL_LIGHTS: Final = {"pool": (2, 7), "spa": (4, LIGHT_NEVER_SET)}
FULL_EXTRAS: Final[dict[str, float]] = {"heating": 0b111}

# Runs all day, so that readings are meaningful at any time.
ALL_DAY: Final = Schedule(0, 31, 0, 75, 0, 1439, EVERY_DAY, "Filter", True)
FULL_SCHEDULES: Final = (
    ALL_DAY,
    Schedule(3, 1, 0, 0, 600, 720, WORKDAYS, "Waterfall", False),
    Schedule(1, 12, 0, 0, 1200, 60, 0b1100000, "Evening light", False),
)
