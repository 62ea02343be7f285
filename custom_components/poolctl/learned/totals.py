"""Totals: energy of the pump and heaters, filtered water, and run hours.

They are summed up from reads of the state. The controller does not report such totals
(protocol.md O2.1), so all of this is chosen. Time without reads is not counted.
The meaning of the flags and modes behind the run hours is observed. For several outputs
of a kind, time counts while any of them runs.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Final

from ..client.codec import UNSTORED, OneOf, Within
from ..client.pool.choices import Choices
from ..client.pool.heating import RUNNING
from ..client.pool.state import PoolState, Source
from ..client.wire.equipment import (
    CHLORINATORS,
    LIQUID_CHLORINE,
    MAIN_PUMP,
    OZONE,
    UV,
    HeatSource,
    Role,
    Slot,
)
from .read import Read, start_of_day

PERIOD: Final = 300.0
"""Seconds between two shown values of a growing total: a period of Home Assistant's
statistics. More would fill the recorder without being useful."""
LEAD: Final = 35.0
"""Seconds before the end of such a period from which its last value is shown, so that
the statistics of an hour include all of it: the cloud is read every 30 s."""

_HOUR: Final = 3600.0
_WATT_SECONDS: Final = 1000 * _HOUR
"""Watt seconds in a kilowatt hour."""
_LITRES_A_MINUTE: Final = 60 * 1000.0
"""Litres a minute in a cubic metre a second."""

type Runs = Callable[[PoolState], bool | None]
"""Returns whether some equipment runs, `None` if unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class TotalKind:
    """Definition of one total."""

    key: str
    """Key in the store and of its entity."""
    rate: Callable[[PoolState], float | None]
    """Returns the rate in the total's unit per second; `None` if unknown."""
    daily: bool = False
    """Whether the total restarts at local midnight."""
    fitted: frozenset[int] = frozenset()
    """Aux types of the equipment."""
    each: Callable[[Choices], float | None] = lambda choices: 1.0
    """Returns a factor for the rate, by the current choices; `None` if unknown."""

    def rate_of(self, state: PoolState, choices: Choices) -> float | None:
        """Return the rate with these choices, `None` if unknown."""
        rate, each = self.rate(state), self.each(choices)
        return None if rate is None or each is None else rate * each


def _power(state: PoolState) -> float | None:
    watts = state.readings.pump_power
    return None if watts is None else watts / _WATT_SECONDS


def motor_runs(state: PoolState) -> bool | None:
    """Return whether the motor runs: switched on, or cooling a heater down."""
    if state.pump_on is None:
        return None
    return state.pump_on or state.signals.pump_cooling_down is True


def _flow(state: PoolState) -> float | None:
    litres = state.readings.flow_rate
    return None if litres is None else litres / _LITRES_A_MINUTE


def _hours(runs: Runs) -> Callable[[PoolState], float | None]:
    def rate(state: PoolState) -> float | None:
        return None if (on := runs(state)) is None else on / _HOUR

    return rate


def _run_hours(key: str, fitted: frozenset[int], runs: Runs) -> TotalKind:
    return TotalKind(f"{key}_run_hours", _hours(runs), fitted=fitted)


def _heater(source: HeatSource) -> TotalKind:
    runs = RUNNING[source]
    return _run_hours(source, source.fitted, lambda state: runs(state.signals))


def _heater_energy(
    source: HeatSource, power: Callable[[Choices], float | None]
) -> TotalKind:
    """Return the energy total in kWh of a heater whose power the user entered."""
    runs = RUNNING[source]
    hours = _hours(lambda state: runs(state.signals))
    return TotalKind(f"{source}_energy", hours, fitted=source.fitted, each=power)


def _output(codes: Collection[int]) -> Runs:
    """Return the function that returns whether an output of some aux types is on."""

    def runs(state: PoolState) -> bool | None:
        slots = [slot for slot in state.outputs.slots if slot.type_code in codes]
        on = {_is_on(state, slot) for slot in slots} or {None}
        return True if True in on else None if None in on else False

    return runs


def _is_on(state: PoolState, slot: Slot) -> bool | None:
    """Return whether an output is on; the cloud lists only those that users switch."""
    listed = state.source is Source.LAN or slot.role is Role.PUMP_LINKED
    return slot.on if listed and not state.outputs.assumed else None


_chlorinator_output = _output(CHLORINATORS)


def chlorinates(state: PoolState) -> bool | None:
    """Return whether the chlorinator runs; a liquid doser uses the same flag."""
    if state.outputs.fitted(LIQUID_CHLORINE) is False:
        return state.signals.chlorine_dosing
    return _chlorinator_output(state)


PUMP_ENERGY = TotalKind("pump_energy", _power)
"""Total in kWh."""
PUMP_RUNNING = TotalKind("pump_running_today", _hours(motor_runs), daily=True)
"""Total in hours."""
WATER_FILTERED = TotalKind("water_filtered_today", _flow, daily=True)
"""Total in m³."""
RUN_HOURS = (
    _run_hours("pump", frozenset({MAIN_PUMP}), motor_runs),
    *(_heater(source) for source in HeatSource),
    _run_hours("chlorinator", CHLORINATORS, chlorinates),
    _run_hours("uv", UV, _output(UV)),
    _run_hours("ozone", OZONE, _output(OZONE)),
)
POOL_HEATER_ENERGY = _heater_energy(
    HeatSource.POOL_HEATER, lambda choices: choices.pool_heater_power
)
SPA_HEATER_ENERGY = _heater_energy(
    HeatSource.SPA_HEATER, lambda choices: choices.spa_heater_power
)
HEATER_ENERGY = (POOL_HEATER_ENERGY, SPA_HEATER_ENERGY)
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

    def take(self, rate: float | None, seconds: float | None) -> None:
        """Add the amount since the previous read.

        `seconds` is the time since then, `None` if that time is unknown.
        """
        previous, self._rate = self._rate, rate
        if previous is not None and rate is not None and seconds is not None:
            self.exact += (previous + rate) / 2 * seconds

    def show(self) -> bool:
        """Show the exact amount; return whether `shown` changed."""
        news, self.shown = self.exact != self.shown, self.exact
        return news


@dataclass(slots=True, eq=False)
class Totals:
    """All totals of one controller.

    All are shown together, once in each period, and stored at once, so that a power
    cut does not decrease a total.
    """

    day: date | None = None
    """Day of the daily totals."""
    of: dict[Annotated[TotalKind, OneOf({kind.key: kind for kind in KINDS})], Total] = (
        field(default_factory=dict)
    )
    """All totals; those that are missing begin at 0."""
    _shown: tuple[int, date] | None = None
    """Period and day of the shown values."""

    def __post_init__(self) -> None:
        self.of = {kind: self.of.get(kind) or Total() for kind in KINDS}

    def take(self, read: Read) -> bool:
        """Add a read; return whether a shown value changed."""
        state, seconds, now, choices = read
        self.begin_day(now)
        midnight = start_of_day(now.date(), now.tzinfo).timestamp()
        today = None if seconds is None else min(seconds, now.timestamp() - midnight)
        for kind, total in self.of.items():
            rate = kind.rate_of(state, choices)
            total.take(rate, today if kind.daily else seconds)
        moment = int((now.timestamp() + LEAD) // PERIOD), now.date()
        if moment == self._shown:
            return False
        self._shown = moment
        return True in [total.show() for total in self.of.values()]

    def begin_day(self, now: datetime) -> None:
        """Restart the daily totals on a new day."""
        if self.day != now.date():
            self.day = now.date()
            for kind, total in self.of.items():
                if kind.daily:
                    total.exact = 0.0

    def reset(self, kind: TotalKind) -> None:
        """Restart one total at 0."""
        self.of[kind].exact = self.of[kind].shown = 0.0
