"""What a user chose of one pool, and only Home Assistant keeps: nothing of it is sent."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Self

from ..equipment import MAX_SPEED, MIN_SPEED, nearest_speed
from ..stored import Stored, number, whole
from .parts import LOW_LEVEL, MAX_LOW_LEVEL, MIN_LOW_LEVEL, Chemistry
from .state import PoolState

FILTER_LIMIT = 50
"""% of load, chosen: the rule of thumb for a pump of one speed is a quarter more pressure;
its flow has fallen by then, too, and its filter resists by about half more."""
MIN_FILTER_LIMIT, MAX_FILTER_LIMIT, FILTER_LIMIT_STEP = 10, 300, 5
"""%."""
MAX_POWER = 100.0
"""kW of a heater."""
PUMP_HOURS, MIN_PUMP_HOURS, MAX_PUMP_HOURS = 8.0, 0.5, 24.0
"""Hours a day."""
TURNOVERS, MIN_TURNOVERS, MAX_TURNOVERS = 1.0, 0.5, 5.0
"""A day."""

_SPEED_NAMES = "low", "medium", "high"
_USUAL_SPEEDS = MIN_SPEED, 70, MAX_SPEED
"""%, chosen."""
_PERCENT = range(MIN_SPEED, MAX_SPEED + 1)

_LIGHT_TYPE = whole(0, 255)
_LOW_LEVEL = whole(MIN_LOW_LEVEL, MAX_LOW_LEVEL)
_SPEED = whole(MIN_SPEED, MAX_SPEED)
_VOLUME = whole(1, 20_000_000)
_LIMIT = whole(MIN_FILTER_LIMIT, MAX_FILTER_LIMIT)
_POWER = number(0.01, MAX_POWER)
_HOURS = number(MIN_PUMP_HOURS, MAX_PUMP_HOURS)
_TURNOVERS = number(MIN_TURNOVERS, MAX_TURNOVERS)


class PumpRule(StrEnum):
    """How many hours a day the pump should run; all of them are rules of thumb."""

    HALF = "half"
    """Half of the water temperature in °C."""
    THIRD = "third"
    TURNOVERS = "turnovers"
    """As long as it takes to move the pool's volume so often."""
    FIXED = "fixed"


class WithoutFlow(StrEnum):
    """What to show of the probes while they sit in still water."""

    HOLD = "hold"
    """The last valid reading."""
    UNKNOWN = "unknown"
    RAW = "raw"
    """What the probes read all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """A user's choices; what was not chosen is `None`, or has its usual value."""

    pump_speed: int | None = None
    """%, at which the pump starts by hand."""
    volume: int | None = None
    """Litres that the pool holds: the controller's own value has no unit."""
    pool_lights: int | None = None
    """Light type that is fitted; `None`: the one that the controller reports."""
    spa_lights: int | None = None
    acid_low_level: int = LOW_LEVEL
    """% of the drum from which on it is nearly empty."""
    chlorine_low_level: int = LOW_LEVEL
    filter_limit: int = FILTER_LIMIT
    """% of load from which on the filter needs cleaning."""
    pool_heater_power: float | None = None
    """kW that the heater draws while it runs; no controller reports it."""
    spa_heater_power: float | None = None
    pump_rule: PumpRule | None = None
    pump_hours: float = PUMP_HOURS
    """Of a fixed number a day."""
    turnovers: float = TURNOVERS
    """A day."""
    planned_on: date | None = None
    """When pump hours were last planned, at local time."""
    without_flow: WithoutFlow = WithoutFlow.HOLD
    """An option of the account, which keeps it."""

    @classmethod
    def from_dict(cls, stored: Stored) -> Self:
        """Return what was stored."""
        return cls(
            pump_speed=stored.get("pump_speed", _SPEED, None),
            volume=stored.get("volume", _VOLUME, None),
            pool_lights=stored.get("pool_lights", _LIGHT_TYPE, None),
            spa_lights=stored.get("spa_lights", _LIGHT_TYPE, None),
            acid_low_level=stored.get("acid_low_level", _LOW_LEVEL, LOW_LEVEL),
            chlorine_low_level=stored.get("chlorine_low_level", _LOW_LEVEL, LOW_LEVEL),
            filter_limit=stored.get("filter_limit", _LIMIT, FILTER_LIMIT),
            pool_heater_power=stored.get("pool_heater_power", _POWER, None),
            spa_heater_power=stored.get("spa_heater_power", _POWER, None),
            pump_rule=stored.get("pump_rule", PumpRule, None),
            pump_hours=stored.get("pump_hours", _HOURS, PUMP_HOURS),
            turnovers=stored.get("turnovers", _TURNOVERS, TURNOVERS),
            planned_on=stored.get("planned_on", date.fromisoformat, None),
        )

    def as_dict(self) -> dict[str, object]:
        """Return them as they are stored."""
        return {
            "pump_speed": self.pump_speed,
            "volume": self.volume,
            "pool_lights": self.pool_lights,
            "spa_lights": self.spa_lights,
            "acid_low_level": self.acid_low_level,
            "chlorine_low_level": self.chlorine_low_level,
            "filter_limit": self.filter_limit,
            "pool_heater_power": self.pool_heater_power,
            "spa_heater_power": self.spa_heater_power,
            "pump_rule": self.pump_rule,
            "pump_hours": self.pump_hours,
            "turnovers": self.turnovers,
            "planned_on": self.planned_on and self.planned_on.isoformat(),
        }


def start_speed(state: PoolState, choices: Choices) -> int:
    """Return the speed in % at which the pump starts by hand.

    It is the chosen one, else the last one that was observed, which may be one of a
    schedule that is not for the hand; else the slowest, so that nothing is forced.
    """
    return nearest_speed(choices.pump_speed or state.last_speed or MIN_SPEED)


def named_speeds(state: PoolState) -> dict[str, int]:
    """Return the speeds in % that have names, the slowest first.

    Of the installer's six, the first is that of a start and the last that of a cleaner
    (layouts.md 2.2); what those between mean is not documented: the three slowest count.
    """
    presets = (state.installer.preset_speeds or ())[1:-1]
    speeds = sorted({nearest_speed(each) for each in presets if each in _PERCENT})
    if len(speeds) < len(_SPEED_NAMES):
        speeds = [*_USUAL_SPEEDS]
    return dict(zip(_SPEED_NAMES, speeds, strict=False))


def shown_chemistry(
    state: PoolState, choices: Choices, measured: Chemistry
) -> Chemistry:
    """Return the probe readings as the user wants to see them.

    `measured` is what is shown of what the probes read now.
    """
    if state.signals.chemistry_stable is False:
        match choices.without_flow:
            case WithoutFlow.UNKNOWN:
                return Chemistry()
            case WithoutFlow.RAW:
                return measured
            case WithoutFlow.HOLD:
                return state.valid_chemistry
    return measured
