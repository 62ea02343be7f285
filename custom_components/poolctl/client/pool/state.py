"""PoolState: what is known of one controller, whatever told us.

Readings belong to one source and are replaced whole: they never mix. Equipment and
settings stay in force until something says otherwise. Unknown is `None`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from ..commands import PumpIdentity
from ..equipment import (
    HEAT_SOURCES,
    MAX_SLOTS,
    POOL_SOURCES,
    SPA_ACTUATORS,
    UNKNOWN_TYPE,
    VIRTUAL_SLOT,
    Role,
    Slot,
)
from ..frame import (
    MODE_MANUAL,
    MODE_OFF,
    Configuration,
    Flag,
    Flag2,
    StateFrame,
    Telemetry,
    Timer,
)
from ..schedule import Schedule

_NOTHING_KNOWN = Configuration()
LOW_LEVEL = 10
"""%, chosen: about two litres of a usual drum, some weeks of dosing."""


class Source(StrEnum):
    """Who told us last."""

    LAN = "lan"
    CLOUD = "cloud"


class WithoutFlow(StrEnum):
    """What to show of the probes while they sit in still water."""

    HOLD = "hold"
    """The last valid reading."""
    UNKNOWN = "unknown"
    RAW = "raw"
    """What the probes read all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chemistry:
    """Readings of the probes, which mean something only in flowing water."""

    ph: float | None = None
    orp: int | None = None
    """mV."""
    water_temperature: float | None = None
    """°C."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings(Chemistry):
    """What the current source measures or reports now; probes also in still water."""

    ambient_temperature: float | None = None
    """°C."""
    flow_rate: int | None = None
    """L/min."""
    pressure: int | None = None
    """kPa."""
    pump_speed: int | None = None
    """%."""
    pump_power: int | None = None
    """W."""
    drive_temperature: int | None = None
    """°C."""
    sanitiser_output: int | None = None
    main_pump_mode: int | None = None
    """0 off, 1 to 20 the running schedule, 99 manual."""
    pump_cooldown_remaining: int | None = None
    """s."""
    pump_priming_remaining: int | None = None
    """s."""
    pool_heater: bool | None = None
    solar: bool | None = None
    spa_heater: bool | None = None
    ph_dosing: bool | None = None
    chlorine_dosing: bool | None = None
    chemistry_stable: bool | None = None
    flow: bool | None = None
    dry_run: bool | None = None
    pump_cooling_down: bool | None = None
    pump_priming: bool | None = None
    internet: bool | None = None
    mqtt: bool | None = None
    expander_1: bool | None = None
    expander_2: bool | None = None
    expander_3: bool | None = None
    expander_4: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dosing:
    """What the settings objects tell of the dosing, beside the configuration."""

    ph_enabled: bool | None = None
    """Whether the acid doser may run."""
    chlorinator_enabled: bool | None = None
    """Whether the salt or mineral chlorinator follows the ORP."""
    liquid_enabled: bool | None = None
    """Whether the liquid chlorine doser may run."""
    acid_doses: int | None = None
    """Today, as the controller counts."""
    chlorine_doses: int | None = None
    acid_told_at: datetime | None = field(default=None, compare=False)
    """When the controller last told it; alone it makes no state different."""
    chlorine_told_at: datetime | None = field(default=None, compare=False)


_NO_DOSING = Dosing()


class LightShow(NamedTuple):
    """The light type and colour that a group of lights was last set to."""

    light_type: int
    color: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """Everything known of one controller at one moment."""

    source: Source | None = None
    readings: Readings = Readings()
    valid_chemistry: Chemistry = Chemistry()
    """The newest probe readings taken in flowing water."""
    valid_at: datetime | None = field(default=None, compare=False)
    """When they were taken; alone it makes no state different."""
    configuration: Configuration = _NOTHING_KNOWN
    aux_modes: tuple[int | None, ...] = ()
    held_slots: tuple[int, ...] | None = None
    slots_assumed: bool = False
    """Whether modes and holds are remembered, not told by the current source."""
    timers: tuple[Timer, ...] = ()
    names: tuple[str, ...] = ()
    """Of the slots, as their owner named them."""
    pump: PumpIdentity | None = None
    schedules: tuple[Schedule, ...] | None = None
    """All records, unused ones too: a position is a schedule's index."""
    schedules_armed: tuple[int, ...] | None = None
    """Indices of those that are armed: whatever told us last."""
    schedules_assumed: bool = False
    """Whether they are remembered, not told by the current source."""
    dosing: Dosing = _NO_DOSING
    pool_show: LightShow | None = None
    spa_show: LightShow | None = None
    pool_light_choice: int | None = None
    """Light type that a person says is fitted; `None`: as the controller knows."""
    spa_light_choice: int | None = None
    without_flow: WithoutFlow = WithoutFlow.HOLD
    acid_low_level: int = LOW_LEVEL
    """% of a drum below which a person wants to know; so is the other one."""
    chlorine_low_level: int = LOW_LEVEL
    start_speed: int | None = None
    """%, at which the pump starts by hand: its last speed or what a person chose."""
    pool_sources: tuple[str, ...] = ()
    """Heat sources of the pool that were selected last, for when it heats again."""

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All slots in their order; empty while the equipment is not known."""
        types = self.configuration.aux_types or ()
        return _slots(types, self.names, self.aux_modes, self.held_slots)

    def slot(self, index: int) -> Slot | None:
        """Return a slot, `None` where there is none."""
        return self.slots[index] if index < len(self.slots) else None

    @property
    def equipment_known(self) -> bool:
        """Whether every slot's aux type is known, as from the LAN alone."""
        types = self.configuration.aux_types
        return types is not None and UNKNOWN_TYPE not in types

    def fitted(self, codes: Collection[int]) -> bool | None:
        """Tell whether a slot has one of these aux types, `None` if it may have."""
        if any(code in codes for code in self.configuration.aux_types or ()):
            return True
        return False if self.equipment_known else None

    @property
    def pump_slot(self) -> Slot | None:
        """The slot of the main pump."""
        return next((slot for slot in self.slots if slot.role is Role.PUMP), None)

    @property
    def spa_slot(self) -> Slot | None:
        """The actuator that is the whole of spa mode: the first fitted one."""
        actuators = {
            slot.type_code: slot
            for slot in reversed(self.slots)
            if slot.role is Role.SPA_ACTUATOR
        }
        return next((actuators[c] for c in SPA_ACTUATORS if c in actuators), None)

    @property
    def spa_mode(self) -> bool | None:
        """Whether the water goes to the spa; `None` where that is not known."""
        return None if (slot := self.spa_slot) is None else slot.on

    def fitted_sources(self, sources: Collection[str]) -> tuple[str, ...]:
        """Return those of some heat sources that are known to be wired."""
        return tuple(s for s in sources if self.fitted(HEAT_SOURCES[s]))

    def selected_sources(self, sources: Collection[str]) -> tuple[str, ...]:
        """Return those of some heat sources that are wired and may run."""
        return tuple(
            source
            for source in self.fitted_sources(sources)
            if getattr(self.configuration, f"{source}_selected")
        )

    @property
    def pump_on(self) -> bool | None:
        """Whether the main pump runs; its slot's mode can lie (layouts.md 2.4)."""
        mode = self.readings.main_pump_mode
        return None if mode is None else mode != MODE_OFF

    @property
    def variable_speed(self) -> bool | None:
        """Whether the pump takes a speed, `None` until it is identified."""
        return None if self.pump is None else self.pump.variable_speed

    @property
    def chemistry(self) -> Chemistry:
        """Probe readings as they are to be shown."""
        if self.readings.chemistry_stable is False:
            match self.without_flow:
                case WithoutFlow.HOLD:
                    return self.valid_chemistry
                case WithoutFlow.UNKNOWN:
                    return Chemistry()
        return self.readings


def merge_frame(state: PoolState, frame: StateFrame, now: datetime) -> PoolState:
    """Return the state with what a frame of the LAN tells (layouts.md 2)."""
    if frame.configuration is not None:
        configuration = _plausible_configuration(frame.configuration)
        # It comes with every full frame, and so sooner than the records.
        armed = configuration.schedules_enabled
        state = replace(
            state,
            configuration=configuration,
            schedules_armed=state.schedules_armed if armed is None else armed,
        )
        selected = state.selected_sources(POOL_SOURCES)
        state = replace(state, pool_sources=selected or state.pool_sources)
    if frame.timers is not None:
        state = replace(state, timers=frame.timers)
    if frame.telemetry is None:
        return state
    return replace(
        with_readings(state, _telemetry_readings(frame.telemetry), now),
        source=Source.LAN,
        aux_modes=frame.telemetry.aux_modes or (),
        held_slots=frame.telemetry.held_slots,
        slots_assumed=False,
        schedules_assumed=False,
    )


# Values outside these bounds are a probe that is not fitted, or the wire's 0xFF and
# 0xFFFF (design.md 3); the bounds are ours, wide enough for any pool.
_BOUNDS: dict[str, tuple[float, float]] = {
    "ph": (0.1, 14),
    "orp": (0, 0xFFFE),
    "water_temperature": (0, 100),
    "ambient_temperature": (0.01, 100),
    "flow_rate": (0, 0xFFFE),
    "pressure": (0, 0xFFFE),
    "pump_speed": (0, 100),
    "pump_power": (0, 0xFFFE),
    "drive_temperature": (0, 0xFE),
    "sanitiser_output": (0, 0xFFFE),
    "pump_cooldown_remaining": (0, 0xFFFE),
    "pump_priming_remaining": (0, 0xFFFE),
    "pool_target": (1, 0xFE),
    "spa_target": (1, 0xFE),
    "desired_ph": (0.1, 14),
    "desired_orp_mineral": (1, 0xFFFE),
    "desired_orp_liquid": (1, 0xFFFE),
    "acid_drum_ml": (0, 0xFFFF_FFFE),
    "acid_remaining_ml": (0, 0xFFFF_FFFE),
    "chlorine_drum_ml": (0, 0xFFFF_FFFE),
    "chlorine_remaining_ml": (0, 0xFFFF_FFFE),
}
_MODES = {mode: mode for mode in (MODE_OFF, *range(1, 21), MODE_MANUAL)}

_READINGS = frozenset(f.name for f in fields(Readings)) & _BOUNDS.keys()
_SETTINGS = frozenset(f.name for f in fields(Configuration)) & _BOUNDS.keys()

_FLAGS = {
    "pool_heater": Flag.POOL_HEATER,
    "solar": Flag.SOLAR,
    "spa_heater": Flag.SPA_HEATER,
    "ph_dosing": Flag.PH_DOSING,
    "chlorine_dosing": Flag.CHLORINE_DOSING,
    "chemistry_stable": Flag.CHEMISTRY_STABLE,
    "expander_1": Flag.EXPANDER_1,
    "expander_2": Flag.EXPANDER_2,
    "flow": Flag.FLOW,
}
_FLAGS2 = {
    "pump_cooling_down": Flag2.PUMP_COOLING_DOWN,
    "pump_priming": Flag2.PUMP_PRIMING,
    "mqtt": Flag2.MQTT,
    "internet": Flag2.INTERNET,
    "expander_3": Flag2.EXPANDER_3,
    "expander_4": Flag2.EXPANDER_4,
}


def plausible(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values, `None` for those outside their bounds."""
    return {
        name: value
        if value is not None and _BOUNDS[name][0] <= value <= _BOUNDS[name][1]
        else None
        for name, value in values.items()
    }


def _telemetry_readings(telemetry: Telemetry) -> Readings:
    found = plausible({name: getattr(telemetry, name) for name in _READINGS})
    if (flags := telemetry.flags) is not None:
        found |= {name: bool(flags & bit) for name, bit in _FLAGS.items()}
        found["dry_run"] = flags & Flag.DRY_RUN != Flag.DRY_RUN
    if (flags2 := telemetry.flags2) is not None:
        found |= {name: bool(flags2 & bit) for name, bit in _FLAGS2.items()}
    return Readings(**found, main_pump_mode=known_mode(telemetry.main_pump_mode))


@lru_cache(maxsize=64)  # it comes with every full frame and hardly ever changes
def _plausible_configuration(configuration: Configuration) -> Configuration:
    found = {name: getattr(configuration, name) for name in _SETTINGS}
    return replace(configuration, **plausible(found))


@lru_cache(maxsize=64)
def _slots(
    types: tuple[int, ...],
    names: tuple[str, ...],
    modes: tuple[int | None, ...],
    held: tuple[int, ...] | None,
) -> tuple[Slot, ...]:
    return tuple(
        Slot(
            index=index,
            type_code=code,
            name=names[index] if index < len(names) else "",
            mode=modes[index] if index < len(modes) else None,
            held=index in held if held is not None and index < len(modes) else None,
            virtual=index == VIRTUAL_SLOT
            and len(types) == MAX_SLOTS
            and code != UNKNOWN_TYPE,
        )
        for index, code in enumerate(types)
    )


def with_readings(state: PoolState, readings: Readings, now: datetime) -> PoolState:
    """Return the state with other readings and with what follows from them."""
    valid, valid_at = state.valid_chemistry, state.valid_at
    if readings.chemistry_stable:
        # What this source does not measure keeps the value that counted last.
        valid = Chemistry(
            **{
                f.name: getattr(valid, f.name) if new is None else new
                for f in fields(Chemistry)
                for new in (getattr(readings, f.name),)
            }
        )
        valid_at = now
    running = readings.main_pump_mode and readings.pump_speed
    return replace(
        state,
        readings=readings,
        valid_chemistry=valid,
        valid_at=valid_at,
        start_speed=readings.pump_speed if running else state.start_speed,
    )


def known_mode(value: float | None) -> int | None:
    """Return a mode of the documented ones, `None` for any other."""
    return None if value is None else _MODES.get(int(value))
