"""Equipment that can be wired to a slot, by aux type code (protocol.md O2.4)."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from .frame import MODE_OFF

MAX_SLOTS = 37
VIRTUAL_SLOT = 26
"""Slot of an ozone output without a relay, if the controller has all 37 slots."""

EXPANDERS = (1, 2, 3, 4)
"""Numbers of the expanders, in the order of `Signals.expanders`."""
SLOTS_OF_EXPANDERS = (range(12, 17), range(17, 22), range(27, 32), range(32, 37))
"""Slots of each expander, in the same order (protocol.md O2.4)."""

MAIN_PUMP = 31
UNKNOWN_TYPE = -1
"""Type of a slot that the cloud does not report."""

MIN_SPEED, MAX_SPEED, SPEED_STEP = 40, 100, 5
"""Speeds of a variable pump in % (protocol.md O3)."""
SPEEDS = range(MIN_SPEED, MAX_SPEED + 1, SPEED_STEP)


def nearest_speed(speed: int) -> int:
    """Return the nearest speed in % that a user may choose."""
    speed = round(speed / SPEED_STEP) * SPEED_STEP
    return min(MAX_SPEED, max(MIN_SPEED, speed))


class Role(StrEnum):
    """What a user can do with a slot."""

    EMPTY = "empty"
    GENERAL = "general"
    """Switched by hand or by schedules."""
    PUMP = "pump"
    PUMP_LINKED = "pump_linked"
    """Runs only with the pump: switching it on starts the pump."""
    DOSING = "dosing"
    """Run by the firmware's own logic, never switched by hand; the same for HEATING."""
    HEATING = "heating"
    SPA_ACTUATOR = "spa_actuator"
    """All spa actuators move together: switching the first fitted one is spa mode."""
    POOL_LIGHT = "pool_light"
    SPA_LIGHT = "spa_light"
    VIRTUAL = "virtual"
    """Only displayed, never switched."""


@dataclass(frozen=True, slots=True)
class AuxType:
    """A kind of equipment and its role."""

    kind: str
    role: Role


# Aux type codes by part of the pool: it exists if one of them is wired
POOL_HEATERS = frozenset({2, 32})
SOLAR = frozenset({17, 18})
SOLAR_BY_FILTER_PUMP = frozenset({18})
"""Solar heating fed by the filter pump; the other kind has its own pump."""
SPA_HEATERS = frozenset({19, 32})
CLEANERS = frozenset({3, 4})
PH_DOSERS = frozenset({6})
CHLORINATORS = frozenset({5, 7})
LIQUID_CHLORINE = frozenset({8})
OZONE = frozenset({10})
UV = frozenset({11})
POOL_LIGHTS = frozenset({12, 13, 14, 15, 16, 35})
SPA_LIGHTS = frozenset({26, 27, 28, 29, 30, 36})
LIGHTS = POOL_LIGHTS | SPA_LIGHTS


class HeatSource(StrEnum):
    """A heat source; the firmware runs those that a user selected."""

    POOL_HEATER = "pool_heater"
    SOLAR = "solar"
    SPA_HEATER = "spa_heater"

    @property
    def fitted(self) -> frozenset[int]:
        """Aux types of which one must be wired for the source to exist."""
        return _HEATERS[self]


_HEATERS = {
    HeatSource.POOL_HEATER: POOL_HEATERS,
    HeatSource.SOLAR: SOLAR,
    HeatSource.SPA_HEATER: SPA_HEATERS,
}
SPA_ACTUATORS = (20, 21, 33, 34)
"""Aux types, in the order in which the firmware looks for the first fitted one."""

_GENERAL = AuxType("general", Role.GENERAL)
_POOL_LIGHT = AuxType("pool_light", Role.POOL_LIGHT)
_SPA_LIGHT = AuxType("spa_light", Role.SPA_LIGHT)

AUX_TYPES = {
    UNKNOWN_TYPE: AuxType("unknown", Role.EMPTY),
    0: AuxType("empty", Role.EMPTY),
    2: AuxType("pool_heater", Role.HEATING),
    3: AuxType("pressure_cleaner", Role.PUMP_LINKED),
    4: AuxType("in_floor_cleaning", Role.PUMP_LINKED),
    5: AuxType("salt_chlorinator", Role.DOSING),
    6: AuxType("ph_doser", Role.DOSING),
    7: AuxType("mineral_chlorinator", Role.DOSING),
    8: AuxType("liquid_chlorine_doser", Role.DOSING),
    9: AuxType("ioniser", Role.PUMP_LINKED),
    10: AuxType("ozone", Role.PUMP_LINKED),
    11: AuxType("uv", Role.PUMP_LINKED),
    17: AuxType("solar_heating", Role.HEATING),
    18: AuxType("solar_heating", Role.HEATING),
    19: AuxType("spa_heater", Role.HEATING),
    20: AuxType("spa_return", Role.SPA_ACTUATOR),
    21: AuxType("spa_suction", Role.SPA_ACTUATOR),
    MAIN_PUMP: AuxType("main_pump", Role.PUMP),
    32: AuxType("shared_heater", Role.HEATING),
    33: AuxType("spa_extra_1", Role.SPA_ACTUATOR),
    34: AuxType("spa_extra_2", Role.SPA_ACTUATOR),
    **dict.fromkeys(POOL_LIGHTS, _POOL_LIGHT),
    **dict.fromkeys(SPA_LIGHTS, _SPA_LIGHT),
}


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One of up to 37 outputs and its last known state."""

    index: int
    type_code: int
    name: str = ""
    """Name given by the owner, empty if there is none."""
    mode: int | None = None
    """0 off, 1 to 20 the running schedule, 99 manual."""
    held: bool | None = None
    """Whether it is held by hand against the schedules, on or off."""
    virtual: bool = False
    controller: int | None = field(default=None, compare=False)
    """The controller that it belongs to; another one refuses it."""

    @cached_property
    def kind(self) -> str:
        """Kind of equipment wired to it."""
        return AUX_TYPES.get(self.type_code, _GENERAL).kind

    @cached_property
    def role(self) -> Role:
        """What a user can do with it."""
        if self.virtual:
            return Role.VIRTUAL
        return AUX_TYPES.get(self.type_code, _GENERAL).role

    @property
    def on(self) -> bool | None:
        """Whether its relay is on, for any reason."""
        return None if self.mode is None else self.mode != MODE_OFF
