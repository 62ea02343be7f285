"""Totals: energy of the pump and heaters, filtered water, and run hours.

They are summed up from reads of the state. The controller does not report such totals
(protocol.md O2.1), so all of this is chosen. Time without reads is not counted.
The meaning of the flags and modes behind the run hours is observed. For several outputs
of a kind, time counts while any of them runs.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Final

from ..client.bounds import UNSTORED, OneOf, Within
from ..client.pool import (
    CHLORINATORS,
    LIQUID_CHLORINE,
    MAIN_PUMP,
    OZONE,
    RUNNING_SIGNALS,
    UV,
    HeatSource,
    PoolState,
    Role,
    Source,
)
from .preferences import Preferences
from .read import Read, start_of_day

_HOUR: Final = 3600.0

type Runs = Callable[[PoolState], bool | None]
"""Returns whether some equipment runs, `None` if unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class TotalKind:
    """Definition of one total."""

    key: str
    """Key in the store and of its entity."""
    rate: Callable[[PoolState], float | None]
    """Returns the rate, or whether the equipment runs; `None` if unknown."""
    unit: float = _HOUR
    """How much of the rate, in units times seconds, makes one unit of the total."""
    daily: bool = False
    """Whether the total restarts at local midnight."""
    fitted: frozenset[int] = frozenset()
    """Aux types of the equipment."""
    factor: Callable[[Preferences], float | None] = lambda preferences: 1.0
    """Returns a factor for the rate, by the current preferences; `None` if unknown."""


def motor_runs(state: PoolState) -> bool | None:
    """Return whether the motor runs: switched on, or cooling a heater down."""
    if state.pump_on is None:
        return None
    return state.pump_on or state.signals.pump_cooling_down is True


def _heats(source: HeatSource) -> Runs:
    return lambda state: RUNNING_SIGNALS[source](state.signals)


def _output(codes: Collection[int]) -> Runs:
    """Return the function that returns whether an output of some aux types is on."""

    def runs(state: PoolState) -> bool | None:
        slots = [slot for slot in state.outputs.slots if slot.type_code in codes]
        # The cloud lists only the outputs that users switch.
        on = {
            slot.on
            if (state.source is Source.LAN or slot.role is Role.PUMP_LINKED)
            and not state.outputs.assumed
            else None
            for slot in slots
        } or {None}
        return True if True in on else None if None in on else False

    return runs


_chlorinator_output = _output(CHLORINATORS)


def chlorinates(state: PoolState) -> bool | None:
    """Return whether the chlorinator runs; a liquid doser uses the same flag."""
    if state.outputs.fitted(LIQUID_CHLORINE) is False:
        return state.signals.chlorine_dosing
    return _chlorinator_output(state)


PUMP_ENERGY = TotalKind(
    "pump_energy", lambda state: state.readings.pump_power, 1000 * _HOUR
)
"""Total in kWh."""
PUMP_RUNNING = TotalKind("pump_running_today", motor_runs, daily=True)
"""Total in hours."""
WATER_FILTERED = TotalKind(
    "water_filtered_today", lambda state: state.readings.flow_rate, 60_000.0, daily=True
)
"""Total in m³, from L/min."""
RUN_HOURS = (
    TotalKind("pump_run_hours", motor_runs, fitted=frozenset({MAIN_PUMP})),
    *(
        TotalKind(f"{source}_run_hours", _heats(source), fitted=source.fitted)
        for source in HeatSource
    ),
    TotalKind("chlorinator_run_hours", chlorinates, fitted=CHLORINATORS),
    TotalKind("uv_run_hours", _output(UV), fitted=UV),
    TotalKind("ozone_run_hours", _output(OZONE), fitted=OZONE),
)
_HEATER_POWER: Final[Mapping[HeatSource, Callable[[Preferences], float | None]]] = {
    HeatSource.POOL_HEATER: lambda preferences: preferences.pool_heater_power,
    HeatSource.SPA_HEATER: lambda preferences: preferences.spa_heater_power,
}
HEATER_ENERGY = tuple(
    TotalKind(f"{source}_energy", _heats(source), fitted=source.fitted, factor=power)
    for source, power in _HEATER_POWER.items()
)
KINDS = (PUMP_ENERGY, PUMP_RUNNING, WATER_FILTERED, *RUN_HOURS, *HEATER_ENERGY)


@dataclass(slots=True, eq=False)
class Total:
    """The integral of a rate, by trapezoids between two reads.

    A pump may start or stop at any moment between two reads. A trapezoid uses the mean,
    which is right on average; the earlier value alone would always be too low at a
    start and too high at a stop.
    """

    exact: Annotated[float, Within(0, 1e9)] = 0.0
    shown: Annotated[float, UNSTORED] = field(init=False)
    _rate: float | None = None

    def __post_init__(self) -> None:
        self.shown = self.exact

    def add_rate(self, rate: float | None, seconds: float | None) -> None:
        """Add a read, `seconds` after the previous one, `None` if that is unknown."""
        previous, self._rate = self._rate, rate
        if previous is not None and rate is not None and seconds is not None:
            self.exact += (previous + rate) / 2 * seconds


@dataclass(slots=True, eq=False)
class Totals:
    """All totals of one controller.

    What is shown is what was stored, so that a power cut does not decrease a total.
    """

    day: date | None = None
    """Day of the daily totals."""
    of: dict[Annotated[TotalKind, OneOf({kind.key: kind for kind in KINDS})], Total] = (
        field(default_factory=dict)
    )
    """All totals; those that are missing begin at 0."""

    def __post_init__(self) -> None:
        self.of = {kind: self.of.get(kind) or Total() for kind in KINDS}

    def add_read(self, read: Read) -> bool:
        """Add a read; return whether a total is higher than its shown value."""
        state, seconds, now, preferences = read
        self.begin_day(now)
        midnight = start_of_day(now.date(), now.tzinfo).timestamp()
        today = None if seconds is None else min(seconds, now.timestamp() - midnight)
        for kind, total in self.of.items():
            rate, factor = kind.rate(state), kind.factor(preferences)
            amount = (
                None if rate is None or factor is None else rate / kind.unit * factor
            )
            total.add_rate(amount, today if kind.daily else seconds)
        return any(total.exact != total.shown for total in self.of.values())

    def show(self) -> None:
        """Show all totals, which are stored now."""
        for total in self.of.values():
            total.shown = total.exact

    def begin_day(self, now: datetime) -> None:
        """Restart the daily totals on a new day."""
        if self.day != now.date():
            self.day = now.date()
            for kind in self.of:
                if kind.daily:
                    self.reset(kind)

    def reset(self, kind: TotalKind) -> None:
        """Restart one total at 0."""
        self.of[kind].exact = self.of[kind].shown = 0.0
