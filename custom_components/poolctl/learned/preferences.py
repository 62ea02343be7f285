"""What a user prefers for one pool. Home Assistant keeps it, and no command needs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from ..client.bounds import UNSTORED, Within
from ..client.pool import Chemistry, PoolState

FILTER_LIMITS = Within(10, 300)
"""Filter limits in % of load."""
MAX_HEATER_POWER = 100.0
"""Highest power of a heater in kW."""
PUMP_HOURS, TURNOVERS = Within(0.5, 24.0), Within(0.5, 5.0)
"""Pump hours a day, and turnovers of the pool's volume a day."""

type _Power = Annotated[float | None, Within(0.01, MAX_HEATER_POWER)]


class PumpRule(StrEnum):
    """Rule for the daily pump hours; all are rules of thumb."""

    HALF = "half"
    """Half of the water temperature in °C, as hours."""
    THIRD = "third"
    TURNOVERS = "turnovers"
    """The time to move the pool's volume a chosen number of times."""
    FIXED = "fixed"


class WithoutFlow(StrEnum):
    """Chemistry values to show while the probes are in still water."""

    HOLD = "hold"
    """The last valid reading."""
    UNKNOWN = "unknown"
    RAW = "raw"
    """The current reading of the probes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """A user's preferences; a value that was not chosen is `None` or its default."""

    volume: Annotated[int | None, Within(1, 20_000_000)] = None
    """Volume of the pool in litres: the controller's own value has no unit."""
    filter_limit: Annotated[int, FILTER_LIMITS] = 50
    """Load in % from which the filter needs cleaning.

    The default is chosen: the rule of thumb for a single-speed pump is a quarter more
    pressure; its flow has fallen, too, so resistance is about half more.
    """
    pool_heater_power: _Power = None
    """Power of the running heater in kW; no controller reports it."""
    spa_heater_power: _Power = None
    pump_rule: PumpRule | None = None
    pump_hours: Annotated[float, PUMP_HOURS] = 8.0
    """Daily hours for `PumpRule.FIXED`."""
    turnovers: Annotated[float, TURNOVERS] = 1.0
    """Daily turnovers for `PumpRule.TURNOVERS`."""
    without_flow: Annotated[WithoutFlow, UNSTORED] = WithoutFlow.HOLD
    """An option of the config entry, which stores it."""
    own_ranges: Annotated[Mapping[str, Within], UNSTORED] = field(default_factory=dict)
    """Good ranges of readings by their keys, likewise."""


def shown_chemistry(
    state: PoolState, without_flow: WithoutFlow, measured: Chemistry
) -> Chemistry:
    """Return the probe readings as preferred, given the current ones without noise."""
    if state.signals.chemistry_stable is False:
        match without_flow:
            case WithoutFlow.UNKNOWN:
                return Chemistry()
            case WithoutFlow.RAW:
                return measured
            case WithoutFlow.HOLD:
                return state.valid_chemistry
    return measured
