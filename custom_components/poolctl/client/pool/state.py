"""PoolState: the state of one controller, from either source.

Readings and signals are always replaced together, so they never mix two sources.
Equipment and settings are kept until other values are reported. Unknown is `None`.
All limits of time and of jumps are chosen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from ..bounds import Within
from ..wire.commands import PumpIdentity
from ..wire.equipment import HeatSource, Role, Slot
from ..wire.frame import (
    MODE_MANUAL,
    MODE_OFF,
    SCHEDULE_MODES,
    At,
    Chemistry,
    Readings,
    Signals,
    fields_of,
)
from .outputs import Outputs
from .parts import Doser, Dosing, LightShow, Schedules, TimerEnd


class Source(StrEnum):
    """The source of the newest report."""

    LAN = "lan"
    CLOUD = "cloud"


class PumpStatus(StrEnum):
    """Status of the main pump, regardless of what switched it (protocol.md O2.1)."""

    OFF = "off"
    STARTING = "starting"
    """The pump is on, but the motor does not turn yet."""
    PRIMING = "priming"
    RUNNING = "running"
    COOLING_DOWN = "cooling_down"
    """The pump was switched off and runs on to cool a heater."""


_STARTS = {PumpStatus.STARTING, PumpStatus.PRIMING}
_SETTLES = timedelta(minutes=5)
"""Time in which the water of the other body leaves the pipes of the probe."""
_PRIME_TIME = Within(20, 3600)
"""Usable prime times in s; the unit is not documented, less may be minutes."""
TIMER_MARGIN = timedelta(seconds=90)
"""Tolerance for the end of a timer: half a minute each for rounding, the age of
a cloud copy, and its transfer (protocol.md 8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """The state of one controller at one moment."""

    source: Source | None = None
    readings: Readings = Readings()
    signals: Signals = Signals()
    valid_chemistry: Chemistry = Chemistry()
    """The newest probe readings taken in flowing water."""
    valid_at: datetime | None = field(default=None, compare=False)
    """Time of these readings; ignored in comparisons."""

    probed_spa: bool | None = field(default=None, compare=False)
    """Spa mode when the probe last was in flowing water."""
    settles_since: datetime | None = field(default=None, compare=False)
    """Time since when that water replaces the other body's; `None` once it has."""

    pool_target: int | None = None
    """Target temperature of the water in °C."""
    spa_target: int | None = None
    heat: Mapping[HeatSource, bool | None] = field(
        default_factory=lambda: dict.fromkeys(HeatSource, None)
    )
    """Whether each heat source is selected, so that the firmware may run it."""
    settings_reported: bool = field(default=False, compare=False)
    """Whether the newest report has settings, too: some frames have only readings."""
    pool_sources: tuple[HeatSource, ...] = ()
    """Last selected heat sources of the pool, to be selected again with heating."""
    acid: Doser = Doser()
    chlorine: Doser = Doser()
    """Liquid chlorine."""
    chlorinator: Dosing = Dosing()
    """Salt or mineral chlorinator."""
    pool_lights: LightShow | None = None
    spa_lights: LightShow | None = None
    outputs: Outputs = Outputs()
    timer_ends: tuple[TimerEnd, ...] = ()
    schedules: Schedules = Schedules()

    pump: PumpIdentity | None = None
    last_speed: int | None = None
    """Last speed of the pump in %, not counting priming."""
    starts_since: datetime | None = field(default=None, compare=False)
    """Time of the first read of the current start; `None` while it does not start."""
    start_over: bool = False
    """Whether the pump still reads as starting after its prime time."""
    prime_time: int | None = None
    preset_speeds: tuple[int, ...] | None = None
    """The installer's six speeds in %."""
    firmware: str | None = None

    @property
    def spa_mode(self) -> bool | None:
        """Whether the water goes to the spa; `None` if unknown."""
        return None if (slot := self.outputs.spa) is None else slot.on

    @property
    def pump_on(self) -> bool | None:
        """Whether the pump is on; its slot's mode can be wrong (protocol.md O2.4)."""
        mode = self.readings.main_pump_mode
        return None if mode is None else mode != MODE_OFF

    @property
    def spa_waits_for_pump(self) -> bool | None:
        """Whether spa mode has no effect, because the pump is held off by hand."""
        if self.spa_mode is None or self.pump_on is None:
            return None
        pump = self.outputs.pump
        held = pump is not None and pump.held is True
        return self.spa_mode and not self.pump_on and held

    def output_mode(self, slot: Slot) -> int | None:
        """Return the mode of an output (protocol.md O2.1), `None` if it is not reported."""
        if slot.role is Role.PUMP:
            # Its slot may report manual while the motor is off (protocol.md O2.4).
            return self.readings.main_pump_mode
        by_hand = slot.mode == MODE_MANUAL
        if by_hand and self.source is Source.CLOUD and not slot.held:
            # The cloud reports that it runs, but not why (protocol.md O5).
            return None
        return slot.mode

    def schedule_of_mode(self, mode: int | None) -> str | None:
        """Return the name of the schedule that a mode means, else its number.

        `None` if it means no schedule, or one that is not in the table.
        """
        if mode is None or mode not in SCHEDULE_MODES:
            return None
        if self.schedules.records is None:
            return str(mode)
        schedule = self.schedules.used.get(mode - 1)
        return None if schedule is None else schedule.name or str(mode)

    @property
    def pump_status(self) -> PumpStatus | None:
        """Status of the main pump; the cloud reports neither priming nor run-on."""
        if self.signals.pump_cooling_down:
            return PumpStatus.COOLING_DOWN
        if not self.pump_on:
            return None if self.pump_on is None else PumpStatus.OFF
        if self.start_over:
            return PumpStatus.RUNNING
        if self.readings.pump_speed == 0 and self.variable_speed:
            return PumpStatus.STARTING
        return PumpStatus.PRIMING if self.signals.pump_priming else PumpStatus.RUNNING

    @property
    def variable_speed(self) -> bool | None:
        """Whether the pump has a variable speed, `None` until it is identified."""
        return None if self.pump is None else self.pump.variable_speed

    @property
    def probe_settled(self) -> bool:
        """Whether the valid readings are of the water that circulates now."""
        same = self.probed_spa is None or self.probed_spa is bool(self.spa_mode)
        return same and self.settles_since is None

    @property
    def chemistry(self) -> Chemistry:
        """Valid probe readings: in still water, the last ones from flowing water."""
        still = self.signals.chemistry_stable is False
        return self.valid_chemistry if still else self.readings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Place[P]:
    """The place of a part in the state, by which all parts of a kind are handled."""

    key: str
    """Stable name, from which the keys of its entities are made."""
    of: Callable[[PoolState], P]
    edit: Callable[[PoolState, Callable[[P], P]], PoolState]
    """Returns the state with the part changed by a function."""


def newer[V](reported: V | None, known: V | None) -> V | None:
    """Return a reported value; one that is not reported keeps its last known value."""
    return known if reported is None else reported


def with_readings(
    state: PoolState, readings: Readings, signals: Signals, now: datetime
) -> PoolState:
    """Return the state with new readings of one source and values derived from them."""
    before, old = state.readings, state.valid_chemistry
    state = replace(state, readings=readings, signals=signals, start_over=False)
    if state.pump_status in _STARTS:
        state = _with_start(state, now)
    elif state.starts_since is not None:
        state = replace(state, starts_since=None)
    if state.pump_on and readings.pump_speed and not state.signals.pump_priming:
        speeds = readings.pump_speed, before.pump_speed, state.last_speed
        speed = _lasting(At(0, ""), *speeds)
        state = replace(state, last_speed=None if speed is None else int(speed))
    state = _with_probe(state, now)
    if not state.signals.chemistry_stable:
        return state
    values_of, places = fields_of(Chemistry)
    rows = zip(places, *map(values_of, (readings, before, old)), strict=True)
    valid = Chemistry(*(_lasting(at, *row) for at, *row in rows))
    return replace(state, valid_chemistry=valid, valid_at=now)


def _lasting(
    at: At, new: float | None, before: float | None, old: float | None
) -> float | None:
    """Return the valid reading: one that jumps has to last for a poll (protocol.md L25).

    That is no doubt about the read: the last value before a pump stops may be any, as may
    the speed of its last turns. It would be used until the water flows again, or the pump
    runs.
    """
    if new is None or before is None:
        return newer(new, old)
    lasts = any(each is not None and at.near(new, each) for each in (before, old))
    return new if lasts else old


def _with_probe(state: PoolState, now: datetime) -> PoolState:
    """Return the state of the probe, which pool and spa share.

    After a change of spa mode, its readings are not valid until the water has flowed
    for a while.
    """
    if state.spa_mode is None:
        return state
    since = state.settles_since
    if not state.signals.chemistry_stable:
        return state if since is None else replace(state, settles_since=now)
    if state.probed_spa not in {None, state.spa_mode}:
        since = now
    if since is not None and not timedelta() <= now - since < _SETTLES:
        since = None
    signals = state.signals
    if since is not None:
        signals = replace(signals, chemistry_stable=False)
    return replace(
        state, probed_spa=state.spa_mode, settles_since=since, signals=signals
    )


def _with_start(state: PoolState, now: datetime) -> PoolState:
    """Return the state of a starting pump; a start ends after its prime time.

    While the controller reports a countdown of the priming, the countdown decides.
    """
    since, limit = state.starts_since or now, state.prime_time or 0
    over = (
        limit in _PRIME_TIME
        and not state.readings.pump_priming_remaining
        and now - since > timedelta(seconds=limit)
    )
    signals = replace(state.signals, pump_priming=False) if over else state.signals
    return replace(state, starts_since=since, start_over=over, signals=signals)


def with_timers(
    state: PoolState, remaining: Mapping[int, float], now: datetime
) -> PoolState:
    """Return the state with the running timers, given their seconds left by slot.

    An end is rounded to the minute. A countdown that ends at about that time is
    of the same timer: reported a little late, or by an older cloud copy.
    """
    previous = {end.slot: end.at for end in state.timer_ends}
    ends = []
    for slot, seconds in sorted(remaining.items()):
        at = now + timedelta(seconds=seconds)
        if slot not in previous or abs(at - previous[slot]) > TIMER_MARGIN:
            at = (at + timedelta(seconds=30)).replace(second=0, microsecond=0)
        else:
            at = previous[slot]
        if seconds > 0:
            ends.append(TimerEnd(slot=slot, at=at))
    return replace(state, timer_ends=tuple(ends))


def without_past_timers(state: PoolState, now: datetime) -> PoolState:
    """Return the state without ended timers, for a source that reports no timers."""
    left = tuple(end for end in state.timer_ends if end.at > now)
    return state if left == state.timer_ends else replace(state, timer_ends=left)
